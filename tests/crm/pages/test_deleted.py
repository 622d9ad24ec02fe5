"""Records that were deleted in another tab: who did it, how they come back, and nothing typed is lost (CRM-10)."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

import pytest
from tests.crm.fixture import ADA, ALDERCROFT, DANA, KESTREL, LUIS, MARTA, NOTE, TODO, VISIT

from deskgym_apps.kit.call import run

from .conftest import FORM, Site, fields_of

SiteOf = Callable[[str], Site]


@pytest.fixture
def site(site_of: SiteOf) -> Site:
    """Signed in as an administrator, who may delete and restore everything."""
    return site_of(ADA)


def erase(site: Site, record_id: str, kind: str, by: str = ADA) -> None:
    run(site.store, f"crm.delete_{kind}", {"id": record_id}, person_id=by, channel="ui")


def form_in(page: str, action: str) -> dict[str, str]:
    """The fields of a page's form to an address."""
    return next(fields_of(body) for found, body in FORM.findall(page) if unescape(found) == action)


DELETED = [
    ("accounts", ALDERCROFT, "account", "Aldercroft Ltd"),
    ("contacts", MARTA, "contact", "Marta Ilić"),
    ("opportunities", KESTREL, "opportunity", "Kestrel – FY26 renewal"),
    ("tasks", TODO, "task", "Send revised quote"),
    ("events", VISIT, "event", "Site visit"),
    ("notes", NOTE, "note", "Renewal terms"),
]


@pytest.mark.parametrize(("folder", "record_id", "kind", "name"), DELETED)
def test_crm_10_a_deleted_records_page_says_who_deleted_it_and_offers_to_restore_it(
    site: Site, folder: str, record_id: str, kind: str, name: str
) -> None:
    erase(site, record_id, kind)
    for path in ("", "/edit", "/delete"):
        page = site.get(f"/crm/{folder}/{record_id}{path}", 404)
        assert f"{name} was deleted" in page
        assert f"Ada Lindqvist deleted this {kind} on 14 March 2031, 09:00 UTC." in page.replace(
            "14 Mar 2031", "14 March 2031"
        )
    assert site.post("/crm/recycle-bin", form_in(page, "/crm/recycle-bin")).status_code == 303
    assert name in site.get(f"/crm/{folder}/{record_id}")


def test_crm_10_a_record_deleted_with_its_account_comes_back_with_it(site: Site) -> None:
    erase(site, ALDERCROFT, "account")
    page = site.get(f"/crm/contacts/{MARTA}", 404)
    assert "together with the account Aldercroft Ltd" in page
    assert form_in(page, "/crm/recycle-bin")["id"] == ALDERCROFT
    assert site.post("/crm/recycle-bin", form_in(page, "/crm/recycle-bin")).status_code == 303
    assert "Marta" in site.get(f"/crm/contacts/{MARTA}")


def test_who_may_not_delete_a_record_is_not_offered_to_restore_it(site_of: SiteOf) -> None:
    site = site_of(DANA)
    erase(site, ALDERCROFT, "account")
    page = site.get(f"/crm/accounts/{ALDERCROFT}", 404)
    assert "Ada Lindqvist deleted this account" in page
    assert 'action="/crm/recycle-bin"' not in page


def test_an_edit_of_a_record_deleted_meanwhile_keeps_what_was_typed_until_it_can_be_saved(site: Site) -> None:
    path = f"/crm/accounts/{ALDERCROFT}/edit"
    fields = site.form(path) | {
        "website": "www.kept.example",
        "description": "two\nlines",
        "owner_id__text": "Luis Ortega",
    }
    erase(site, ALDERCROFT, "account")
    refused = site.post(path, fields)
    assert refused.status_code == 404
    assert "Nothing was saved" in refused.text
    assert "Aldercroft Ltd was deleted" in refused.text
    for text in ("www.kept.example", "two\nlines", "Luis Ortega"):
        assert text in refused.text
    restored = site.post("/crm/recycle-bin", form_in(refused.text, "/crm/recycle-bin"))
    assert restored.status_code == 200
    assert "www.kept.example" in restored.text
    assert "Luis Ortega" in restored.text
    assert site.post(path, form_in(restored.text, path)).status_code == 303
    operation, arguments = site.commands()[-1]
    assert operation == "crm.update_account"
    assert arguments["values"] == {"website": "www.kept.example", "description": "two\nlines", "owner_id": LUIS}


def test_an_inline_edit_of_a_record_deleted_meanwhile_keeps_its_value(site: Site) -> None:
    path = f"/crm/opportunities/{KESTREL}/edit"
    fields = site.form(f"{path}?field=next_step", path) | {"next_step": "Send the quote"}
    erase(site, KESTREL, "opportunity")
    refused = site.post(path, fields)
    assert refused.status_code == 404
    assert "Send the quote" in refused.text


def test_a_move_of_a_deal_deleted_meanwhile_can_be_made_once_it_is_restored(site: Site) -> None:
    path = f"/crm/opportunities/{KESTREL}/stage"
    fields = site.form(f"{path}?stage=Closed+Lost") | {"lost_reason": "Price"}
    erase(site, KESTREL, "opportunity")
    assert "was deleted" in site.get(f"{path}?stage=Closed+Lost", 404)
    refused = site.post(path, fields)
    assert refused.status_code == 404
    restored = site.post("/crm/recycle-bin", form_in(refused.text, "/crm/recycle-bin"))
    edit = f"/crm/opportunities/{KESTREL}/edit"
    assert site.post(edit, form_in(restored.text, edit)).status_code == 303
    assert site.commands()[-1][1]["values"] == {"stage": "Closed Lost", "lost_reason": "Price"}


def test_an_activity_about_a_deleted_record_says_who_deleted_it_and_keeps_what_was_typed(site: Site) -> None:
    path = "/crm/calls/new"
    fields = site.form(f"{path}?what_id={KESTREL}", path) | {"subject": "Renewal", "comments": "They agree."}
    erase(site, KESTREL, "opportunity")
    refused = site.post(path, fields)
    assert refused.status_code == 422
    assert "Kestrel – FY26 renewal was deleted by Ada Lindqvist; restore it from the recycle bin" in refused.text
    assert "They agree." in refused.text
    assert KESTREL not in re.sub(r'value="[^"]*"', "", refused.text)
    assert "was deleted" in site.get(f"{path}?what_id={KESTREL}", 404)


def test_the_recycle_bin_names_what_it_holds_and_shows_it(site: Site) -> None:
    erase(site, VISIT, "event")
    erase(site, NOTE, "note")
    page = site.get("/crm/recycle-bin")
    assert not re.search(r"\d{4}-\d\d-\d\dT\d\d", page)
    assert 'aria-label="Site visit, event, 14 March 2031, 13:00 UTC"' in page
    shown = site.get(f"/crm/recycle-bin/{VISIT}")
    assert "Ada Lindqvist deleted this event on" in shown
    assert form_in(shown, "/crm/recycle-bin")["id"] == VISIT
    assert site.get(f"/crm/recycle-bin/{TODO}", 404)
