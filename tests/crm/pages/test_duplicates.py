"""Duplicates in the pages (row 14): the form shows what it would double, and saves all the same where it may."""

from __future__ import annotations

import re

import pytest
from tests.crm.fixture import ALDERCROFT, JUN, MARTA, OSEI, build_image
from tests.crm.lead_rows import MARTA_AGAIN, NORA, lead_rows
from tests.crm.test_duplicates import rule_rows

from .conftest import Site
from .test_selection import begin, send, step

TWIN = {"name": "Aldercroft GmbH", "bill_city": "Leeds"}


@pytest.fixture(scope="session")
def page_image() -> bytes:
    return build_image({**lead_rows(), "crm_matching_rule": rule_rows()})


def test_a_warning_shows_the_records_with_links_and_saves_anyway(site: Site) -> None:
    form = site.form("/crm/accounts/new") | TWIN
    answer = site.post("/crm/accounts/new", form)
    assert answer.status_code == 422
    assert "A matching rule takes this for an account that exists already" in answer.text
    assert f'<a href="/crm/accounts/{ALDERCROFT}">Aldercroft Ltd</a>' in answer.text
    assert 'value="Aldercroft GmbH"' in answer.text
    assert "allow_duplicates all the same" not in answer.text
    assert site.commands() == []
    answer = site.post("/crm/accounts/new", form | {"allow_duplicates": "1"})
    assert answer.status_code == 303
    assert site.command() == ("crm.create_account", TWIN | {"allow_duplicates": True})


def test_a_block_offers_no_way_to_save(site: Site) -> None:
    form = site.form("/crm/contacts/new") | {"last_name": "New", "email": "m.ilic@aldercroft.example"}
    for more in ({}, {"allow_duplicates": "1"}):
        answer = site.post("/crm/contacts/new", form | more)
        assert answer.status_code == 422
        assert "it cannot be saved; use the one that exists" in answer.text
        assert "Save anyway" not in answer.text
    assert site.commands() == []


@pytest.mark.parametrize("query", ["", "?field=email"])
def test_an_edit_warns_too_from_the_form_and_from_the_list(site: Site, query: str) -> None:
    path = f"/crm/contacts/{OSEI}/edit"
    form = site.form(path + query, path) | {"email": "m.ilic@aldercroft.example"}
    answer = site.post(path, form)
    assert (answer.status_code, "Save anyway" in answer.text) == (422, True)
    assert f"/crm/contacts/{MARTA}" in answer.text
    assert site.post(path, form | {"allow_duplicates": "1"}).status_code == 303
    name, arguments = site.command()
    assert (name, arguments["allow_duplicates"]) == ("crm.update_contact", True)


def test_the_convert_page_warns_too(site: Site) -> None:
    path = f"/crm/leads/{NORA}/convert"
    form = site.form(path) | {"account": "new", "contact": "new", "opportunity": "none"}
    answer = site.post(path, form)
    assert (answer.status_code, "Save anyway" in answer.text) == (422, True)
    assert f"/crm/accounts/{ALDERCROFT}" in answer.text
    assert site.post(path, form | {"allow_duplicates": "1"}).status_code == 303
    path = f"/crm/leads/{MARTA_AGAIN}/convert"
    answer = site.post(path, site.form(path) | {"account": ALDERCROFT, "contact": "new", "opportunity": "none"})
    assert (answer.status_code, "Save anyway" in answer.text) == (422, False)


def test_many_at_once_warn_too(site: Site) -> None:
    url = "/crm/contacts/bulk/update"
    first = begin(site, "/crm/contacts", "update", [MARTA, OSEI])
    second = send(site, url, [*step(first, url), ("set_email", "1")])
    pairs = [*step(second, url), ("email", "one@aldercroft.example")]
    answer = send(site, url, pairs)
    assert (answer.status_code, "Save anyway" in answer.text) == (422, True)
    assert send(site, url, [*pairs, ("allow_duplicates", "1")]).status_code == 303
    assert site.command()[1]["allow_duplicates"] is True


def test_a_record_leads_to_its_duplicates_and_they_to_the_merge(site: Site) -> None:
    site.post("/crm/contacts/new", site.form("/crm/contacts/new") | {"last_name": "Osei", "first_name": "Kofi"})
    twin = site.store.all("SELECT id FROM crm_contact ORDER BY created_at DESC LIMIT 1")[0]["id"]
    path = f"/crm/contacts/{twin}/edit"
    values = {"account_id__text": "Aldercroft Ltd", "email": "k.osei@aldercroft.example"}
    site.post(path, site.form(path) | values)
    assert "Find duplicates" in site.get(f"/crm/contacts/{twin}")
    page = site.get(f"/crm/contacts/{twin}/duplicates")
    assert 'aria-label="Select Kofi Osei, Aldercroft Ltd, CFO"' in page
    assert "Contacts of the same name" in page
    bar = re.search(r'<form class="selection-bar"(.*?)</form>', page, re.DOTALL)
    assert bar is not None
    hidden = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', bar[1])
    answer = send(site, "/crm/contacts/merge", [*hidden, ("row", OSEI)])
    assert answer.headers["Location"] == f"/crm/contacts/merge?record={twin}&record={OSEI}"
    assert "No duplicates found" in site.get(f"/crm/contacts/{JUN}/duplicates")
    site.get(f"/crm/accounts/{JUN}/duplicates", 404)
    site.get(f"/crm/opportunities/{JUN}/duplicates", 404)
