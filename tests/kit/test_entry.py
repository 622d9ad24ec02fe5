"""What a person types, read by the rules of their locale; what could be two things is refused."""

from __future__ import annotations

from decimal import Decimal

import hypothesis.strategies as st
import pytest
from hypothesis import given

from deskgym_apps.kit import entry
from deskgym_apps.kit.dates import add_seconds

ZONES = ["Europe/Berlin", "America/New_York", "Asia/Kolkata", "Etc/UTC", "Australia/Lord_Howe"]


@pytest.mark.parametrize(
    ("text", "locale", "day"),
    [
        ("2027-05-14", "en_US", "2027-05-14"),
        ("2027/5/4", "de_DE", "2027-05-04"),
        (" 14 May 2027 ", "en_GB", "2027-05-14"),
        ("14 may, 2027", "ja_JP", "2027-05-14"),
        ("May 14, 2027", "en_GB", "2027-05-14"),
        ("1 Sept 2027", "en_GB", "2027-09-01"),
        ("3. december 2027", "de_DE", "2027-12-03"),
        ("14/05/2027", "en_GB", "2027-05-14"),
        ("05/14/2027", "en_US", "2027-05-14"),
        ("05/06/2027", "en_GB", "2027-06-05"),
        ("05/06/2027", "en_US", "2027-05-06"),
        ("05/06/2027", "en-US", "2027-05-06"),
        ("14.05.2027", "de_DE", "2027-05-14"),
        ("14-05-2027", "nl_NL", "2027-05-14"),
        ("14/05/2027", "en_CA", "2027-05-14"),
        ("05/05/2027", "ja_JP", "2027-05-05"),
        ("29 Feb 2028", "en_GB", "2028-02-29"),
        ("29 February 2028", "en_GB", "2028-02-29"),
        (" 14 May 2027 ", "en_US", "2027-05-14"),
        ("4 sept 2027", "en_US", "2027-09-04"),
        ("May 14, 2027", "en_US", "2027-05-14"),
    ],
)
def test_a_date_is_read_as_iso_in_words_or_in_the_order_of_the_locale(text: str, locale: str, day: str) -> None:
    assert entry.read_date(text, locale) == day


@pytest.mark.parametrize(
    ("text", "locale", "message"),
    [
        ("05/06/2027", "en_CA", "can mean 2027-06-05 or 2027-05-06"),
        ("05/06/2027", "ja_JP", "can mean"),
        ("05/14/2027", "en_GB", "14/05/2027"),
        ("14/05/2027", "en_US", "05/14/2027"),
        ("14/05/27", "en_GB", "is not a date"),
        ("14/05-2027", "en_GB", "is not a date"),
        ("31 April 2027", "en_GB", "is not a date"),
        ("14 Mai 2027", "en_GB", "is not a date"),
        ("14 M 2027", "en_GB", "is not a date"),
        ("14 Ma 2027", "en_GB", "is not a date"),
        ("14 Foo 2027", "en_GB", "is not a date"),
        ("2027-02-30", "en_GB", "is not a date"),
        ("tomorrow", "en_GB", "is not a date"),
        ("14 05 2027", "en_GB", "is not a date"),
        ("０５/06/2027", "en_GB", "is not a date"),
    ],
)
def test_a_text_that_is_no_date_or_two_is_refused(text: str, locale: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        entry.read_date(text, locale)


@pytest.mark.parametrize(
    ("text", "locale", "number"),
    [
        ("12345.67", "en_GB", "12345.67"), ("12,345.67", "en_US", "12345.67"), ("1,234", "en_US", "1234"),
        ("12345,67", "de_DE", "12345.67"), ("12.345,67", "de_DE", "12345.67"), ("12345.67", "de_DE", "12345.67"),
        ("12 345,67", "fr_FR", "12345.67"), ("12\u202f345,67", "fr_FR", "12345.67"), ("1.234.567", "pt_PT", "1234567"),
        ("12'345.67", "de_CH", "12345.67"), ("−5", "en_GB", "-5"), ("1.5", "es_MX", "1.5"), ("0", "nb_NO", "0"),
        ("007", "en_GB", "7"), ("1,234,567", "de_DE", "1234567"), ("1.2340", "de_DE", "1.234"),
    ],
)  # fmt: skip
def test_a_number_is_read_with_the_separators_of_the_locale(text: str, locale: str, number: str) -> None:
    assert entry.read_number(text, locale) == number


@pytest.mark.parametrize(
    ("text", "locale", "message"),
    [
        ("1.234", "de_DE", "can mean 1.234 or 1234"),
        ("1,234", "de_DE", "can mean 1.234 or 1234"),
        ("12,5", "en_GB", "12345.67"),
        ("12,34,567", "en_GB", "is not a number"),
        ("1.234,5", "en_US", "is not a number"),
        ("1 23", "fr_FR", "is not a number"),
        ("1e5", "en_GB", "is not a number"),
        ("12 EUR", "en_GB", "is not a number"),
        ("٣", "en_GB", "is not a number"),
        ("--5", "en_GB", "is not a number"),
    ],
)
def test_a_text_that_is_no_number_or_two_is_refused(text: str, locale: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        entry.read_number(text, locale)


def test_a_whole_number_takes_the_reading_that_is_whole() -> None:
    assert entry.read_integer("1.234", "de_DE") == entry.read_integer("1,234", "en_GB") == 1234
    for text, locale in (("1.5", "en_GB"), ("x", "en_GB"), ("1,5", "de_DE")):
        with pytest.raises(ValueError, match="is not a whole number"):
            entry.read_integer(text, locale)


@given(st.decimals(min_value=0, max_value=10**10, places=2), st.sampled_from(["en_GB", "de_DE", "fr_FR"]))
def test_canonical_text_with_two_decimals_is_read_in_every_locale(number: Decimal, locale: str) -> None:
    assert Decimal(entry.read_number(f"{number:.2f}", locale)) == number


@pytest.mark.parametrize(
    ("text", "zone", "instant"),
    [
        ("2031-03-14 09:30", "Europe/Lisbon", "2031-03-14T09:30:00Z"),
        ("14 May 2031, 09:30", "Europe/Berlin", "2031-05-14T07:30:00Z"),
        ("14/05/2031 9:30 pm", "Europe/Berlin", "2031-05-14T19:30:00Z"),
        ("2031-05-14T09:30:15", "Europe/Berlin", "2031-05-14T07:30:15Z"),
        ("2031-05-14 12:00 am", "Etc/UTC", "2031-05-14T00:00:00Z"),
        ("2031-05-14 12:00PM", "Etc/UTC", "2031-05-14T12:00:00Z"),
        ("2031-05-14 09:30 UTC", "Europe/Berlin", "2031-05-14T09:30:00Z"),
        ("2027-05-14 09:30", "Europe/London", "2027-05-14T08:30:00Z"),
        ("14 May 2027, 9:30", "Europe/London", "2027-05-14T08:30:00Z"),
        ("2027-01-14T09:30", "Europe/London", "2027-01-14T09:30:00Z"),
        ("2027-10-31 01:30", "Europe/London", "2027-10-31T00:30:00Z"),
        ("2031-10-26 02:30", "Europe/Berlin", "2031-10-26T00:30:00Z"),
    ],
)
def test_an_instant_is_a_date_and_a_time_in_the_persons_zone(text: str, zone: str, instant: str) -> None:
    assert entry.read_instant(text, "en_GB", zone) == instant


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2031-03-30 02:30", "does not exist in Europe/Berlin"),
        ("2031-03-14", "is not a date and time"),
        ("09:30", "is not a date and time"),
        ("2031-03-14 24:00", "is not a time"),
        ("noon 09:30", "is not a date"),
        ("2031-03-14 25:00", "is not a time"),
        ("2031-03-14 13:00 pm", "the hour is 1 to 12"),
        ("2031-03-14 09:60", "is not a time"),
        ("2031-02-30 09:00", "is not a date"),
    ],
)
def test_a_time_that_does_not_exist_or_cannot_be_read_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        entry.read_instant(text, "en_GB", "Europe/Berlin")


@given(st.integers(0, 3 * 366 * 86_400), st.sampled_from(ZONES))
def test_what_an_instant_is_written_as_is_read_back_to_it(seconds: int, zone: str) -> None:
    instant = add_seconds("2031-01-01T00:00:00Z", seconds)
    assert entry.read_instant(entry.written_instant(instant, zone), "en_GB", zone) == instant


def test_a_datetime_field_holds_the_local_time() -> None:
    assert entry.written_instant("2027-05-14T08:30:00Z", "Europe/London") == "2027-05-14 09:30"


@pytest.mark.parametrize("text", ["0,500", "-0,500", "0,500.25"])
def test_a_group_of_thousands_does_not_begin_with_0(text: str) -> None:
    with pytest.raises(ValueError, match="500"):
        entry.read_number(text, "en_GB")
    with pytest.raises(ValueError, match="500"):
        entry.read_integer(text, "en_GB")


def test_where_people_write_decimals_after_a_comma_0_500_is_half() -> None:
    assert entry.read_number("0,500", "de_DE") == "0.5"
    assert entry.read_number("0.500", "de_DE") == "0.5"
