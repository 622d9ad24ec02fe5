"""X-7 on every edit surface: of two people who change the same thing at once one wins, and the other is told (409),
with the typed values kept; tools get `conflict`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from html import unescape
from typing import Any

import pytest
from tests.crm.fixture import (
    ADA,
    ALDERCROFT,
    BRIGHTMOOR,
    DANA,
    JUN,
    KESTREL,
    MARTA,
    NOTE,
    OSEI,
    PRIYA,
    TODO,
    VISIT,
)

from .conftest import Doorway
from .doors import PageDoorway, ToolDoorway
from .house import FOLDERS, OBJECTS, Outcome, plain

# record -> what the one changes, what the other typed, and a word of that
CLASHES: dict[str, tuple[Mapping[str, Any], Mapping[str, Any], str]] = {
    ALDERCROFT: ({"rating": "Cold"}, {"website": "www.kept.example"}, "www.kept.example"),
    MARTA: ({"title": "Buyer II"}, {"department": "Kept department"}, "Kept department"),
    KESTREL: ({"stage": "Needs Analysis"}, {"next_step": "Kept step"}, "Kept step"),
    TODO: ({"priority": "High"}, {"comments": "Kept comment"}, "Kept comment"),
    VISIT: ({"location": "Leeds"}, {"description": "Kept text"}, "Kept text"),
    NOTE: ({"title": "Other terms"}, {"body": "Kept body"}, "Kept body"),
}


def conflict(outcome: Outcome, who: str, kept: str = "") -> None:
    assert outcome.code == "conflict", str(outcome)
    assert who in outcome.text
    assert kept in unescape(outcome.text)


def send_again(pages: PageDoorway, outcome: Outcome, path: str, by: str = DANA) -> Outcome:
    """The button of the conflict page."""
    from tests.crm.pages.conftest import fields_of

    form = re.search(r'<form class="one-button"[^>]*action="([^"]*)"[^>]*>(.*?)</form>', outcome.text, re.DOTALL)
    assert form is not None
    assert unescape(form[1]) == path
    return pages.outcome(pages.house.post(path, fields_of(form[2]), by))


@pytest.mark.parametrize("record", CLASHES)
def test_x_7_1_a_stale_form_is_a_conflict_and_nothing_of_it_is_written(door: Doorway, record: str) -> None:
    theirs, mine, kept = CLASHES[record]
    draft = door.draft(record)
    assert door.update(record, theirs, by=ADA).code == "done"
    with door.house.unchanged():
        refused = door.save(draft, mine)
    conflict(refused, "Ada Lindqvist", kept if door.name == "page" else "")
    again = door.draft(record)
    assert door.save(again, mine).code == "done"
    row = door.house.record(record)
    assert {name: row[name] for name in {**theirs, **mine}} == {**theirs, **mine}


@pytest.mark.parametrize("record", CLASHES)
def test_x_7_1_what_was_typed_can_be_sent_again_from_the_conflict_page(pages: PageDoorway, record: str) -> None:
    theirs, mine, _ = CLASHES[record]
    draft = pages.draft(record)
    assert pages.update(record, theirs, by=ADA).code == "done"
    kind = OBJECTS[record[:3]]
    done = send_again(pages, pages.save(draft, mine), f"/crm/{FOLDERS[kind]}/{record}/edit")
    assert done.code == "done", str(done)
    row = pages.house.record(record)
    assert {name: row[name] for name in {**theirs, **mine}} == {**theirs, **mine}


def _inline(pages: PageDoorway, field: str, value: str) -> Callable[[], Outcome]:
    path = f"/crm/opportunities/{KESTREL}/edit"
    form = pages.form(f"{path}?field={field}", DANA, path) | {field: value}
    return lambda: pages.outcome(pages.house.post(path, form))


def _board(pages: PageDoorway, stage: str) -> Callable[[], Outcome]:
    card = pages.card(KESTREL)
    assert card is not None
    return lambda: pages.outcome(pages.house.post(f"/crm/opportunities/{KESTREL}/stage", card | {"stage": stage}))


def _path(pages: PageDoorway, stage: str) -> Callable[[], Outcome]:
    path = f"/crm/opportunities/{KESTREL}/stage"
    form = pages.form(f"/crm/opportunities/{KESTREL}", DANA, path) | {"stage": stage}
    return lambda: pages.outcome(pages.house.post(path, form))


def _dialog(pages: PageDoorway) -> Callable[[], Outcome]:
    path = f"/crm/opportunities/{KESTREL}/stage"
    form = pages.form(f"{path}?stage=Closed+Lost", DANA, path) | {"lost_reason": "Other", "lost_detail": "Kept words"}
    return lambda: pages.outcome(pages.house.post(path, form))


def _delete(pages: PageDoorway) -> Callable[[], Outcome]:
    path = f"/crm/opportunities/{KESTREL}/delete"
    form = pages.form(path, DANA)
    return lambda: pages.outcome(pages.house.post(path, form))


SURFACES: dict[str, Callable[[PageDoorway], Callable[[], Outcome]]] = {
    "inline next step": lambda pages: _inline(pages, "next_step", "Kept step"),
    "inline stage": lambda pages: _inline(pages, "stage", "Value Proposition"),
    "board": lambda pages: _board(pages, "Value Proposition"),
    "path": lambda pages: _path(pages, "Perception Analysis"),
    "close dialog": _dialog,
    "delete": _delete,
}
KEPT = {"inline next step": "Kept step", "path": "Perception Analysis", "close dialog": "Kept words", "delete": ""}


@pytest.mark.parametrize("first", SURFACES)
@pytest.mark.parametrize("second", SURFACES)
def test_x_7_2_of_two_surfaces_at_once_exactly_one_wins(pages: PageDoorway, first: str, second: str) -> None:
    if first == second:
        second_send, first_send = SURFACES[second](pages), _as(pages, first)
    else:
        first_send, second_send = SURFACES[first](pages), SURFACES[second](pages)
    assert first_send().code == "done"
    with pages.house.unchanged():
        lost = second_send()
    if first == "delete":
        assert lost.code in ("not_found", "done"), str(lost)
        assert KEPT.get(second, "") in unescape(lost.text)
        return
    assert lost.code == "conflict", str(lost)
    assert KEPT.get(second, "Value Proposition") in unescape(lost.text)


def _as(pages: PageDoorway, surface: str) -> Callable[[], Outcome]:
    """The same surface in the hands of somebody else, who changes something else."""
    if surface == "delete":
        path = f"/crm/opportunities/{KESTREL}/delete"
        form = pages.form(path, PRIYA)
        return lambda: pages.outcome(pages.house.post(path, form, PRIYA))
    draft = pages.draft(KESTREL, by=PRIYA)
    return lambda: pages.save(draft, {"type": "Renewal"})


def test_x_7_3_tools_are_told_who_changed_what(tools: ToolDoorway) -> None:
    draft = tools.draft(KESTREL)
    assert tools.update(KESTREL, {"next_step": "First", "type": "Renewal"}, by=PRIYA).code == "done"
    with tools.house.unchanged():
        refused = tools.save(draft, {"next_step": "Second"})
        deleted = tools.delete(KESTREL, version=draft.version)
    for outcome in (refused, deleted):
        conflict(outcome, "Priya Raman")
        assert '"fields": ["next_step", "type"]' in outcome.text


def test_x_7_3_the_conflict_page_names_who_changed_what(pages: PageDoorway) -> None:
    draft = pages.draft(KESTREL)
    assert pages.update(KESTREL, {"next_step": "First", "type": "Renewal"}, by=PRIYA).code == "done"
    text = plain(pages.save(draft, {"next_step": "Second"}).text)
    assert "Next step – First Priya Raman" in text
    assert "Type – Renewal Priya Raman" in text
    assert "Second" in text


def test_x_7_3_a_conflict_does_not_name_a_field_that_the_profile_hides(door_with: Callable[..., Doorway]) -> None:
    holder = {"holder_kind": "profile", "holder_id": "PRF000000000004"}
    rights = holder | {"object": "opportunity", "field": "lead_source", "access": "hidden"}
    door = door_with({"crm_field_perm": [rights]})
    draft = door.draft(KESTREL)
    assert door.update(KESTREL, {"lead_source": "Web", "next_step": "First"}, by=ADA).code == "done"
    refused = door.save(draft, {"next_step": "Second"})
    assert refused.code == "conflict"
    assert "lead_source" not in refused.text
    assert "Lead source" not in refused.text


def test_x_7_4_two_people_attach_a_note_to_other_records(door: Doorway) -> None:
    draft = door.draft(NOTE)
    assert door.update(NOTE, {"record_ids": [KESTREL, MARTA, BRIGHTMOOR]}, by=ADA).code == "done"
    with door.house.unchanged():
        refused = door.save(draft, {"record_ids": [KESTREL, ALDERCROFT]})
    conflict(refused, "Ada Lindqvist", "Aldercroft Ltd" if door.name == "page" else "")
    links = {row["record_id"] for row in door.house.store.select("crm_note_link", note_id=NOTE)}
    assert links == {KESTREL, MARTA, BRIGHTMOOR}


def test_x_7_4_typed_attachments_can_be_sent_again_from_the_conflict_page(pages: PageDoorway) -> None:
    draft = pages.draft(NOTE)
    assert pages.update(NOTE, {"title": "Other"}, by=ADA).code == "done"
    refused = pages.save(draft, {"record_ids": [KESTREL, ALDERCROFT], "body": "Mine"})
    assert send_again(pages, refused, f"/crm/notes/{NOTE}/edit").code == "done"
    links = {row["record_id"] for row in pages.house.store.select("crm_note_link", note_id=NOTE)}
    assert links == {KESTREL, ALDERCROFT}
    assert (pages.house.record(NOTE)["title"], pages.house.record(NOTE)["body"]) == ("Other", "Mine")


def test_x_7_5_a_role_that_somebody_changed_meanwhile_is_not_overwritten(pages: PageDoorway) -> None:
    path = f"/crm/opportunities/{KESTREL}/contact-roles/{MARTA}"
    form = pages.form(path, DANA)
    assert pages.link("contact_role", KESTREL, MARTA, by=ADA, role="Decision Maker", is_primary=True).code == "done"
    with pages.house.unchanged():
        refused = pages.outcome(pages.house.post(path, form | {"role": "Business User"}))
    assert refused.code == "conflict", str(refused)
    assert 'value="Business User" selected' in refused.text
    assert "Decision Maker" in plain(refused.text)
    assert pages.link("contact_role", KESTREL, MARTA, role="Business User").code == "done"


def test_x_7_5_a_role_that_somebody_gave_meanwhile_is_not_overwritten(pages: PageDoorway) -> None:
    path = f"/crm/opportunities/{KESTREL}/contact-roles/new"
    form = pages.form(path, DANA) | {"contact_id__text": "Kofi Osei", "role": "Evaluator"}
    assert pages.link("contact_role", KESTREL, OSEI, by=ADA, role="Decision Maker").code == "done"
    with pages.house.unchanged():
        refused = pages.outcome(pages.house.post(path, form))
    assert (refused.code, set(refused.faults)) == ("validation", {"contact_id"}), str(refused)
    assert 'value="Evaluator" selected' in refused.text


def test_x_7_5_a_relation_that_somebody_made_meanwhile_is_not_overwritten(pages: PageDoorway) -> None:
    path = f"/crm/contacts/{MARTA}/accounts/new"
    form = pages.form(path, DANA) | {"account_id__text": "Brightmoor Süd GmbH", "role": "Evaluator"}
    assert pages.link("account_contact", BRIGHTMOOR, MARTA, by=ADA, role="Decision Maker").code == "done"
    with pages.house.unchanged():
        refused = pages.outcome(pages.house.post(path, form))
    assert (refused.code, set(refused.faults)) == ("validation", {"account_id"}), str(refused)


def test_x_7_5_a_role_at_an_account_that_somebody_changed_meanwhile_is_not_overwritten(pages: PageDoorway) -> None:
    path = f"/crm/contacts/{MARTA}/accounts/{ALDERCROFT}"
    form = pages.form(path, DANA)
    assert pages.link("account_contact", ALDERCROFT, MARTA, by=ADA, role="Decision Maker").code == "done"
    with pages.house.unchanged():
        refused = pages.outcome(pages.house.post(path, form | {"role": "Evaluator"}))
    assert refused.code == "conflict", str(refused)
    assert 'value="Evaluator" selected' in refused.text
    assert "Decision Maker" in plain(refused.text)
    assert pages.link("account_contact", ALDERCROFT, MARTA, role="Evaluator").code == "done"
    row = pages.house.row("account_contact", (ALDERCROFT, MARTA))
    assert (row["role"], row["is_direct"]) == ("Evaluator", 1)


def test_x_7_6_what_somebody_removed_meanwhile_is_not_there(door: Doorway) -> None:
    path = f"/crm/opportunities/{KESTREL}/contact-roles/{MARTA}/remove"
    form = door.form(path, DANA) if isinstance(door, PageDoorway) else {}
    assert door.unlink("contact_role", KESTREL, MARTA, by=ADA).code == "done"
    with door.house.unchanged():
        if isinstance(door, PageDoorway):
            assert door.outcome(door.house.post(path, form)).code == "not_found"
        else:
            assert door.unlink("contact_role", KESTREL, MARTA).code == "not_found"


def test_x_7_6_a_contact_deleted_meanwhile_gets_no_role(pages: PageDoorway) -> None:
    path = f"/crm/opportunities/{KESTREL}/contact-roles/new"
    chosen = {"contact_id": JUN, "contact_id__label": "Jun Arai", "contact_id__text": "Jun Arai", "role": "Evaluator"}
    form = pages.form(path, DANA) | chosen
    assert pages.delete(JUN, by=ADA).code == "done"
    with pages.house.unchanged():
        refused = pages.outcome(pages.house.post(path, form))
    assert (refused.code, set(refused.faults)) == ("validation", {"contact_id"}), str(refused)
    assert 'value="Evaluator" selected' in refused.text


def test_x_7_7_two_people_restore_the_same_record(door: Doorway) -> None:
    assert door.delete(TODO, by=DANA).code == "done"
    bin_form = door.form("/crm/recycle-bin", DANA) if isinstance(door, PageDoorway) else {}
    assert door.undelete(TODO, by=PRIYA).code == "done"
    with door.house.unchanged():
        if isinstance(door, PageDoorway):
            refused = door.outcome(door.house.post("/crm/recycle-bin", bin_form))
        else:
            refused = door.undelete(TODO)
    assert refused.code == "validation", str(refused)
    assert "not deleted" in plain(refused.text)


def test_x_7_8_two_people_delete_the_same_record(door: Doorway) -> None:
    path = f"/crm/tasks/{TODO}/delete"
    form = door.form(path, DANA) if isinstance(door, PageDoorway) else {}
    assert door.delete(TODO, by=PRIYA).code == "done"
    with door.house.unchanged():
        refused = door.outcome(door.house.post(path, form)) if isinstance(door, PageDoorway) else door.delete(TODO)
    assert refused.code == "not_found"
    assert "Priya Raman" in refused.text or door.name == "tool"


def test_x_7_9_only_the_touched_fields_are_sent(pages: PageDoorway) -> None:
    for record, (_, mine, _) in CLASHES.items():
        assert pages.update(record, mine).code == "done"
        row = pages.house.store.one("SELECT arguments FROM jrn_command ORDER BY seq DESC LIMIT 1")
        assert row is not None
        assert re.search(r'"values":\{"[a-z_]+":"[^"]*"\}\}$', row["arguments"]), row["arguments"]


def test_x_7_4_typed_attachments_of_a_note_deleted_meanwhile_can_be_saved_once_it_is_restored(
    pages: PageDoorway,
) -> None:
    from tests.crm.pages.conftest import FORM, fields_of

    draft = pages.draft(NOTE)
    assert pages.delete(NOTE, by=ADA).code == "done"
    lost = pages.save(type(draft)(NOTE, ADA, draft.version, draft.form), {"record_ids": [KESTREL, ALDERCROFT]})
    assert lost.code == "not_found"
    form = next(fields_of(body) for action, body in FORM.findall(lost.text) if action == "/crm/recycle-bin")
    restored = pages.house.post("/crm/recycle-bin", form, ADA)
    assert restored.status_code == 200
    done = send_again(pages, pages.outcome(restored), f"/crm/notes/{NOTE}/edit", ADA)
    assert done.code == "done"
    links = {row["record_id"] for row in pages.house.store.select("crm_note_link", note_id=NOTE)}
    assert links == {KESTREL, ALDERCROFT}
