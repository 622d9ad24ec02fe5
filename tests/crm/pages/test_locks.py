"""What cannot be set by hand is shown as text with the reason, not as something to press (CRM-1, I3)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.crm.fixture import ADA, DANA, KESTREL, LOST, WES, WON, build_image, ident, with_lines

from deskgym_apps.kit.call import read

from .conftest import Site, Town


@pytest.fixture
def sold(town: Town) -> Site:
    """Signed in as Dana, whose Kestrel deal has a product line."""
    return town.enter(town.episode(build_image(with_lines(KESTREL))), DANA)


def test_i3_products_lock_amount_and_currency_in_details_list_and_form(sold: Site) -> None:
    page = sold.get(f"/crm/opportunities/{KESTREL}")
    assert page.count("Set by its products.") == 2
    assert 'aria-label="Edit Amount"' not in page
    assert 'aria-label="Edit Currency"' not in page
    assert 'aria-label="Edit Close date"' in page
    listed = sold.get("/crm/opportunities")
    assert "Edit Amount of Kestrel" not in listed
    assert "Edit Close date of Kestrel" in listed
    path = f"/crm/opportunities/{KESTREL}/edit"
    form = sold.get(path)
    assert form.count("Set by its products.") == 2
    fields = sold.form(path)
    assert not {"amount", "currency"} & fields.keys()
    assert sold.post(path, fields | {"next_step": "Ship"}).status_code == 303
    assert sold.command()[1]["values"] == {"next_step": "Ship"}
    assert "close_date" in sold.form(f"{path}?field=amount", path)


def test_crm_1_a_closed_deal_locks_its_probability_and_for_most_its_stage(
    site_of: Callable[[str], Site],
) -> None:
    site = site_of(DANA)
    page = site.get(f"/crm/opportunities/{LOST}")
    assert 'aria-label="Edit Probability"' not in page
    assert 'aria-label="Edit Stage"' not in page
    assert "Your profile may not reopen a closed deal." in page
    fields = site.form(f"/crm/opportunities/{LOST}/edit")
    assert not {"stage", "probability"} & fields.keys()
    admin = site_of(ADA)
    page = admin.get(f"/crm/opportunities/{WON}")
    assert 'aria-label="Edit Stage"' in page
    assert 'aria-label="Edit Probability"' not in page
    path = f"/crm/opportunities/{WON}/edit"
    moved = admin.form(path) | {"stage": "Negotiation/Review", "probability": "80", "close_date": "2031-06-30"}
    assert admin.post(path, moved).status_code == 303
    assert admin.command()[1]["values"]["probability"] == 80


def test_what_is_locked_is_told_only_of_records_that_the_person_may_read(site_of: Callable[[str], Site]) -> None:
    store = site_of(WES).store
    found = read(store, "crm.locked_fields", {"ids": [WON, LOST, ident("OPP", 99)]}, person_id=WES)
    assert set(found) == {WON}
