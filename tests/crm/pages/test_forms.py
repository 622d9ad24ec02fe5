"""Each form is one command, with the arguments that the tool would be called with."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

import pytest
from tests.crm.fixture import (
    ALDERCROFT,
    BRIGHTMOOR,
    KESTREL,
    LOST,
    MARTA,
    OSEI,
    PRIYA,
    TODO,
    WES,
)

from deskgym_apps.kit.call import run

from .conftest import FORM, Site, fields_of

NEW: dict[str, tuple[dict[str, str], str, dict[str, Any]]] = {
    "accounts": ({"name": "Fenwick Pumps"}, "crm.create_account", {"name": "Fenwick Pumps"}),
    "contacts": (
        {"last_name": "Okafor", "account_id__text": "Aldercroft Ltd"},
        "crm.create_contact",
        {"last_name": "Okafor", "account_id": ALDERCROFT},
    ),
    "opportunities": (
        {"name": "Pump upgrade", "close_date": "30 June 2031", "amount": "12,345.67"},
        "crm.create_opportunity",
        {"name": "Pump upgrade", "close_date": "2031-06-30", "amount": "12345.67"},
    ),
    "tasks": ({"subject": "Call back"}, "crm.create_task", {"subject": "Call back"}),
    "events": (
        {"subject": "Visit", "start_at": "2031-03-20 09:00", "end_at": "2031-03-20 10:00"},
        "crm.create_event",
        {"subject": "Visit", "start_at": "2031-03-20T15:00:00Z", "end_at": "2031-03-20T16:00:00Z"},
    ),
    "calls": (
        {"subject": "Renewal", "duration_minutes": "25"},
        "crm.log_call",
        {"subject": "Renewal", "duration_minutes": 25},
    ),
}


@pytest.mark.parametrize("folder", NEW)
def test_a_new_form_creates_with_only_what_was_typed(site: Site, folder: str) -> None:
    typed, operation, arguments = NEW[folder]
    path = f"/crm/{folder}/new"
    response = site.post(path, site.form(path) | typed)
    assert response.status_code == 303, response.text
    assert site.command() == (operation, arguments)
    site.get(response.location)


def test_a_new_note_is_attached_to_the_record_it_was_begun_at(site: Site) -> None:
    fields = site.form(f"/crm/notes/new?record_id={KESTREL}") | {"title": "Terms", "body": "Net 30."}
    assert site.post("/crm/notes/new", fields).status_code == 303
    expected = {"title": "Terms", "body": "Net 30.", "record_ids": [KESTREL]}
    assert site.command() == ("crm.create_note", expected)


def test_x6_a_form_sent_twice_writes_once(site: Site) -> None:
    fields = site.form("/crm/tasks/new") | {"subject": "Call back"}
    first, second = site.post("/crm/tasks/new", fields), site.post("/crm/tasks/new", fields)
    assert first.location == second.location
    assert len(site.commands()) == 1


def test_x7_an_edit_sends_only_the_touched_field(site: Site) -> None:
    path = f"/crm/accounts/{ALDERCROFT}/edit"
    fields = site.form(path)
    assert site.post(path, fields | {"website": "www.example.com"}).status_code == 303
    version = int(fields["row_version"])
    expected = {"id": ALDERCROFT, "row_version": version, "values": {"website": "www.example.com"}}
    assert site.command() == ("crm.update_account", expected)


def test_an_edit_that_touches_nothing_writes_nothing(site: Site) -> None:
    path = f"/crm/accounts/{ALDERCROFT}/edit"
    assert site.post(path, site.form(path)).status_code == 303
    assert site.commands() == []


def test_an_inline_editor_sends_one_field(site: Site) -> None:
    page = site.get(f"/crm/opportunities/{KESTREL}")
    assert 'aria-label="Edit Next step"' in page
    path = f"/crm/opportunities/{KESTREL}/edit"
    fields = site.form(f"{path}?field=next_step")
    assert {"next_step", "row_version", "form_token"} < fields.keys()
    assert "name" not in fields
    site.post(path, fields | {"next_step": "Send the quote"})
    assert site.command()[1]["values"] == {"next_step": "Send the quote"}


def test_an_inline_edit_that_needs_another_field_comes_back_with_it(site: Site) -> None:
    path = f"/crm/opportunities/{KESTREL}/edit"
    refused = site.post(path, site.form(f"{path}?field=stage", path) | {"stage": "Closed Lost"})
    assert refused.status_code == 422
    assert 'href="#edit-opportunity-lost_reason"' in refused.text
    body = next(body for action, body in FORM.findall(refused.text) if action == path)
    fields = fields_of(body)
    assert {"stage", "lost_reason"} < fields.keys()
    assert "name" not in fields
    assert site.post(path, fields | {"lost_reason": "Price"}).status_code == 303
    assert site.command()[1]["values"] == {"stage": "Closed Lost", "lost_reason": "Price"}


def test_a_field_that_a_fault_adds_to_a_form_holds_what_the_record_has(site: Site) -> None:
    path = f"/crm/opportunities/{KESTREL}/edit"
    refused = site.post(path, site.form(f"{path}?field=currency", path) | {"currency": "JPY"})
    assert "must be given anew" in refused.text
    fields = fields_of(next(body for action, body in FORM.findall(refused.text) if action == path))
    assert fields["amount"] == "12345.67"


def test_x7_a_stale_edit_is_409_and_keeps_what_was_typed(site: Site) -> None:
    path = f"/crm/accounts/{ALDERCROFT}/edit"
    fields = site.form(path)
    version = int(fields["row_version"])
    changed = {"id": ALDERCROFT, "row_version": version, "values": {"rating": "Cold"}}
    run(site.store, "crm.update_account", changed, person_id=PRIYA, channel="ui")
    response = site.post(path, fields | {"website": "www.kept.example"})
    assert response.status_code == 409
    assert "Priya Raman" in response.text
    assert "www.kept.example" in response.text
    retry = re.search(r'<form class="one-button"[^>]*>(.*?)</form>', response.text, re.DOTALL)
    assert retry is not None
    assert site.post(path, fields_of(retry[1])).status_code == 303
    assert site.commands()[-1][1]["values"] == {"website": "www.kept.example"}


@pytest.mark.parametrize("folder", ["accounts", "contacts", "opportunities", "tasks", "events", "notes"])
def test_x12_a_refused_new_form_is_422_and_keeps_what_was_typed(site: Site, folder: str) -> None:
    path = f"/crm/{folder}/new"
    fields = site.form(path)
    long = next(name for name in ("description", "comments", "body") if name in fields)
    response = site.post(path, fields | {long: "typed before"})
    assert response.status_code == 422
    assert "Nothing was saved" in response.text
    assert "typed before" in response.text
    assert site.commands() == []


def test_a_text_that_two_records_are_called_lists_them(site: Site) -> None:
    fields = site.form("/crm/contacts/new") | {"last_name": "Okafor", "account_id__text": "No such company"}
    response = site.post("/crm/contacts/new", fields)
    assert response.status_code == 422
    assert "nothing is called" in response.text


def test_delete_asks_first_and_then_deletes(site: Site) -> None:
    path = f"/crm/tasks/{TODO}/delete"
    fields = site.form(path)
    response = site.post(path, fields)
    assert response.status_code == 303
    assert site.command() == ("crm.delete_task", {"id": TODO, "row_version": int(fields["row_version"])})
    assert "1 record was moved to the recycle bin" in site.get(response.location)
    assert site.post("/crm/recycle-bin", site.form("/crm/recycle-bin")).status_code == 303
    assert site.commands()[-1] == ("crm.undelete_task", {"id": TODO})


def test_a_task_is_completed_from_its_page(site: Site) -> None:
    path = f"/crm/tasks/{TODO}/edit"
    fields = site.form(f"/crm/tasks/{TODO}", path)
    assert site.post(path, fields).status_code == 303
    assert site.command()[1]["values"] == {"status": "Completed"}


def test_a_contact_role_is_added_changed_and_removed(site: Site) -> None:
    new = f"/crm/opportunities/{KESTREL}/contact-roles/new"
    fields = site.form(new) | {"contact_id__text": "Kofi Osei", "role": "Evaluator"}
    response = site.post(new, fields)
    assert response.status_code == 303, response.text
    given = {"opportunity_id": KESTREL, "contact_id": OSEI, "role": "Evaluator"}
    assert site.commands()[-1] == ("crm.set_contact_role", given)
    one = f"/crm/opportunities/{KESTREL}/contact-roles/{OSEI}"
    assert site.post(one, site.form(one) | {"role": "Influencer", "is_primary": "1"}).status_code == 303
    assert site.commands()[-1][1] == given | {"role": "Influencer", "is_primary": True}
    assert site.post(f"{one}/remove", site.form(f"{one}/remove")).status_code == 303
    assert site.commands()[-1][0] == "crm.remove_contact_role"


def test_a_contact_gets_a_further_account(site: Site) -> None:
    path = f"/crm/contacts/{MARTA}/accounts/new"
    response = site.post(path, site.form(path) | {"account_id__text": "Brightmoor Süd GmbH"})
    operation, arguments = site.command()
    assert response.status_code == 303
    assert (operation, arguments) == ("crm.set_account_contact", {"contact_id": MARTA, "account_id": BRIGHTMOOR})


def test_a_record_given_away_leads_back_to_the_list_once_it_cannot_be_read(site: Site) -> None:
    path = f"/crm/opportunities/{KESTREL}/edit"
    response = site.post(path, site.form(path) | {"owner_id__text": "Wes Halloran"})
    assert response.status_code == 303, response.text
    assert site.command()[1]["values"] == {"owner_id": WES}
    assert response.location == "/crm/opportunities?done=saved"
    site.get(response.location)


@pytest.mark.parametrize("told", ["[]", "null", "{", '{"website": [1]}', "[" * 100_000])
def test_c6_a_bent_hidden_field_is_refused_and_writes_nothing(site: Site, told: str) -> None:
    path = f"/crm/accounts/{ALDERCROFT}/edit"
    response = site.post(path, site.form(path) | {"rendered": told, "website": "www.example.com"})
    assert response.status_code == 400
    assert site.commands() == []


def test_a_list_holds_no_forms_of_its_cells_but_the_addresses_of_their_editors(site: Site) -> None:
    page = site.get("/crm/opportunities")
    assert f'href="/crm/opportunities/{KESTREL}/edit?field=amount" data-edit' in page
    assert f'action="/crm/opportunities/{KESTREL}/edit"' not in page


def test_a_script_gets_the_editor_of_one_value_alone_and_comes_back_to_its_list(site: Site) -> None:
    path, back = f"/crm/opportunities/{KESTREL}/edit", "/crm/opportunities?sort=amount&page=1"
    asked = f"{path}?field=stage&inline=1&back={quote(back)}"
    editor = site.get(asked)
    assert "<main" not in editor
    assert "Save Stage" in editor
    fields = site.form(asked, path)
    assert fields["back"] == back
    assert "name" not in fields
    assert int(fields["row_version"]) > 0
    response = site.post(path, fields | {"stage": "Prospecting"})
    assert response.status_code == 303
    assert response.location.startswith(back)
    assert site.command()[1]["values"] == {"stage": "Prospecting"}


def test_a_value_that_cannot_be_set_by_hand_has_no_editor_but_a_page(site: Site) -> None:
    page = site.get(f"/crm/opportunities/{LOST}/edit?field=probability&inline=1")
    assert "data-inline" not in page
    assert "<main" in page
