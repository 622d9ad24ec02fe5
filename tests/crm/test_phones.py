"""CRM-9 f: telephone numbers as people of a country read them."""

from __future__ import annotations

import pytest

from deskgym_apps.crm.service import phones


@pytest.mark.parametrize(
    ("stored", "country", "shown"),
    [
        ("+16175550123", "US", "(617) 555-0123"),
        ("+16175550123", "CA", "(617) 555-0123"),
        ("+16175550123", "GB", "+1 (617) 555-0123"),
        ("+441632960001", "GB", "0163 296 0001"),
        ("+441632960001", "US", "+44 163 296 0001"),
        ("+39065550123", "IT", "065 550 123"),
        ("+3612345678", "HU", "06 123 456 78"),
        ("+999123456", None, "+999 123 456"),
        ("ask reception", "US", "ask reception"),
        (None, "US", ""),
    ],
)
def test_crm_9_f_numbers_are_national_at_home_and_international_elsewhere(
    stored: str | None, country: str | None, shown: str
) -> None:
    assert phones.shown(stored, country) == shown


@pytest.mark.parametrize(
    ("text", "code"),
    [("GB", "GB"), ("en_GB", "GB"), ("en-us", "US"), ("Türkiye", "TR"), ("Atlantis", None), ("", None), (None, None)],
)
def test_countries_are_known_by_code_name_and_locale(text: str | None, code: str | None) -> None:
    assert phones.country_code(text) == code


@pytest.mark.parametrize(("typed", "country"), [("01632 960001", None), ("1", "US"), ("+1234567890123456", None)])
def test_numbers_that_are_incomplete_or_too_long_are_refused(typed: str, country: str | None) -> None:
    with pytest.raises(ValueError, match=r"country code|digits"):
        phones.to_e164(typed, country)


@pytest.mark.parametrize("country", sorted(phones.CALLING_CODES))
def test_every_countrys_national_form_is_read_back(country: str) -> None:
    stored = f"+{phones.CALLING_CODES[country]}6175550123"
    assert phones.to_e164(phones.shown(stored, country), country) == stored
