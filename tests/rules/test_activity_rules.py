"""CRM-11 and CRM-12 through both doors: field history, activities, timelines; I9 and I11."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from tests.crm.fixture import (
    ADA,
    ALDERCROFT,
    BRIGHTMOOR,
    CALL,
    DANA,
    HARBOUR,
    KESTREL,
    LUIS,
    MARTA,
    OVERDUE,
    PRIYA,
    TODO,
    VISIT,
    WES,
    event,
    ident,
    task,
)
from tests.crm.invariants import broken

from deskgym_apps.crm.rules import TRACKED, history_text
from deskgym_apps.kit.call import advance_clock

from .conftest import Doorway
from .doors import PageDoorway
from .house import House

TRACES: dict[str, Mapping[str, Any]] = {
    ALDERCROFT: {"owner_id": LUIS, "account_number": "ABCDEFGH", "name": "Alder", "phone": "+441632960099"},
    MARTA: {"owner_id": LUIS, "email": "marta@b.example", "phone": "+441632960098", "account_id": BRIGHTMOOR},
    KESTREL: {"owner_id": LUIS, "stage": "Needs Analysis", "amount": "99.50", "close_date": "2031-05-01"},
    TODO: {"owner_id": LUIS, "status": "In Progress", "priority": "High", "due_date": "2031-03-25"},
    VISIT: {"owner_id": LUIS, "start_at": "2031-03-14T14:00:00Z", "end_at": "2031-03-14T16:00:00Z"},
}


@pytest.mark.parametrize("record", TRACES)
def test_crm_11_1_every_tracked_field_leaves_its_trace(door: Doorway, record: str) -> None:
    before = door.house.record(record)
    saved = door.update(record, TRACES[record], by=ADA)
    assert saved.code == "done", str(saved)
    after = door.house.record(record)
    expected = {name: (history_text(before[name]), history_text(after[name])) for name in TRACES[record]}
    assert {name: (old, new) for name, old, new in door.house.history(record)} == expected


def test_crm_11_1_owner_stage_amount_close_date_status_priority_account_email_phone_are_tracked() -> None:
    tracked = {name for names in TRACKED.values() for name in names}
    wanted = {"owner_id", "stage", "amount", "close_date", "status", "priority", "account_id", "email", "phone"}
    assert wanted <= tracked


def test_crm_11_2_one_row_for_each_changed_field_of_a_save_and_none_for_the_same_value(door: Doorway) -> None:
    amount = door.house.record(KESTREL)["amount"]
    assert amount == 1_234_567
    saved = door.update(KESTREL, {"amount": "12345.67", "stage": "Needs Analysis", "next_step": "Call"})
    assert saved.code == "done"
    assert door.house.history(KESTREL) == [("stage", "Qualification", "Needs Analysis")]
    rows = door.house.store.all("SELECT changed_at, changed_by FROM crm_field_history")
    assert rows == [{"changed_at": door.house.store.now, "changed_by": DANA}]


def test_crm_11_2_a_save_of_the_same_values_writes_nothing(door: Doorway) -> None:
    row = door.house.record(MARTA)
    draft = door.draft(MARTA)
    with_clock = door.name == "tool"
    before = door.house.store.now
    assert door.save(draft, {"email": row["email"], "phone": row["phone"], "title": row["title"]}).code == "done"
    assert door.house.history(MARTA) == []
    assert door.house.record(MARTA) == row
    assert (door.house.store.now > before) == with_clock


def test_crm_11_4_history_stands_in_its_tab_and_in_the_timeline(door: Doorway) -> None:
    assert door.update(KESTREL, {"stage": "Needs Analysis"}).code == "done"
    for text in (door.history_text(KESTREL), door.timeline_text(KESTREL)):
        assert "Stage" in text
        assert "Qualification" in text
        assert "Needs Analysis" in text
        assert "Dana Whitcombe" in text


def test_crm_11_5_history_cannot_be_changed_or_deleted(door: Doorway) -> None:
    assert door.update(KESTREL, {"stage": "Needs Analysis"}).code == "done"
    change = door.house.store.all("SELECT id FROM crm_field_history")[0]["id"]
    with door.house.unchanged():
        if door.name == "tool":
            codes = {
                door.house.tool(name, {"id": change} | more)["code"]
                for name, more in (
                    ("delete", {}),
                    ("undelete", {}),
                    ("update", {"row_version": 1, "values": {"new_value": "x"}}),
                )
            }
        else:
            page = door.house.get(f"/crm/opportunities/{KESTREL}/history").text
            assert change not in [word for word in page.split('"') if word.startswith("/crm")]
            paths = [f"/crm/history/{change}/{verb}" for verb in ("edit", "delete")]
            codes = {door.house.post(path, {"form_token": "0" * 64}).status_code for path in paths}
    assert codes <= {"not_found", 404}


def test_crm_12_1_who_is_a_contact_and_what_an_account_or_a_deal(door: Doorway) -> None:
    for kind, more in (("task", {}), ("call", {}), ("event", {"start_at": "2031-03-20T09:00:00Z",
                                                             "end_at": "2031-03-20T10:00:00Z"})):  # fmt: skip
        for what in (ALDERCROFT, KESTREL):
            assert door.create(kind, subject="x", who_id=MARTA, what_id=what, **more).code == "done"
        for wrong in ({"who_id": ALDERCROFT}, {"what_id": MARTA}, {"what_id": TODO}, {"who_id": ident("CON", 999)}):
            with door.house.unchanged():
                refused = door.create(kind, subject="x", **wrong, **more)
            assert (refused.code, set(refused.faults)) == ("validation", set(wrong)), str(refused)


def test_crm_12_2_overdue_then_upcoming_then_months_descending(door_with: Callable[..., Doorway]) -> None:
    rows = {
        "crm_task": [
            task(10, "Late thing", DANA, due_date="2031-03-01", what_id=ALDERCROFT),
            task(11, "Next thing", DANA, due_date="2031-04-01", what_id=ALDERCROFT),
            task(
                12,
                "Done in January",
                DANA,
                what_id=ALDERCROFT,
                status="Completed",
                completed_at="2031-01-05T10:00:00Z",
            ),
        ],
        "crm_event": [event(12, "February", DANA, "2031-02-03T09:00:00Z", "2031-02-03T10:00:00Z", what_id=ALDERCROFT)],
    }
    text = door_with(rows).timeline_text(ALDERCROFT)
    order = ["Overdue", "Late thing", "Upcoming", "Next thing", "March 2031", "Call about renewal", "February 2031"]
    at = 0
    for word in (*order, "January 2031", "Done in January"):
        at = text.find(word, at)
        assert at >= 0, word


def test_crm_12_3_completing_sets_the_instant_and_reopening_clears_it(door: Doorway) -> None:
    assert door.update(TODO, {"status": "Completed"}).code == "done"
    assert door.house.record(TODO)["completed_at"] == door.house.store.now
    assert door.update(TODO, {"status": "Deferred"}).code == "done"
    assert door.house.record(TODO)["completed_at"] is None


def test_crm_12_3_the_button_completes_as_the_form_does(pages: PageDoorway) -> None:
    path = f"/crm/tasks/{OVERDUE}/edit"
    done = pages.outcome(pages.house.post(path, pages.form(f"/crm/tasks/{OVERDUE}", DANA, path)))
    assert done.code == "done"
    assert pages.house.record(OVERDUE)["completed_at"] == pages.house.store.now


def test_crm_12_5_a_logged_call_is_a_completed_task_of_kind_call(door: Doorway) -> None:
    made = door.create("call", subject="Renewal", due_date="2031-03-13", duration_minutes=25, who_id=MARTA)
    row = door.house.record(made.id)
    assert (row["kind"], row["status"], row["due_date"], row["duration_minutes"]) == (
        "Call",
        "Completed",
        "2031-03-13",
        25,
    )
    assert row["completed_at"] == door.house.store.now
    with door.house.unchanged():
        refused = door.create("call", subject="Renewal", due_date="2031-03-15")
    assert (refused.code, set(refused.faults)) == ("validation", {"due_date"})


def test_crm_12_6_a_note_is_attached_to_one_to_ten_records(door: Doorway) -> None:
    made = door.create("note", title="Terms", body="Net 30", record_ids=[KESTREL, MARTA, ALDERCROFT])
    links = {
        row["record_id"] for row in door.house.store.all("SELECT * FROM crm_note_link WHERE note_id = ?", (made.id,))
    }
    assert links == {KESTREL, MARTA, ALDERCROFT}
    for wrong in ([], [TODO], [ident("ACC", 999)], [KESTREL, HARBOUR]):
        with door.house.unchanged():
            refused = door.create("note", title="Terms", body="Net 30", record_ids=wrong)
        assert refused.code == "validation", str(refused)


def test_i9_history_ends_at_the_present_value(door: Doorway) -> None:
    for stage in ("Needs Analysis", "Closed Won"):
        assert door.update(KESTREL, {"stage": stage}, by=ADA).code == "done"
    assert door.update(KESTREL, {"stage": "Prospecting", "owner_id": PRIYA}, by=ADA).code == "done"
    ends = [new for name, _, new in door.house.history(KESTREL) if name == "stage"]
    assert ends == ["Needs Analysis", "Closed Won", "Prospecting"]
    assert [fault for fault in broken(door.house.store) if fault.startswith("I9")] == []


def test_i11_the_last_activity_is_the_latest_completed_task_or_past_event(door: Doorway) -> None:
    def days() -> tuple[Any, Any]:
        return tuple(door.house.record(record)["last_activity_on"] for record in (KESTREL, ALDERCROFT))

    assert days() == ("2031-03-10", "2031-03-10")
    made = door.create("call", subject="Today", what_id=KESTREL, due_date="2031-03-13")
    assert days() == ("2031-03-13", "2031-03-13")
    assert door.update(made.id, {"status": "Not Started"}).code == "done"
    assert days() == ("2031-03-10", "2031-03-10")
    assert door.delete(CALL).code == "done"
    assert days() == (None, None)
    advance_clock(door.house.store, 7 * 3600)  # the visit of the day has ended
    assert days() == (None, "2031-03-14")
    assert broken(door.house.store) == []


def test_x_1_3_what_comes_due_runs_in_the_transaction_of_the_command(
    enter: Callable[[House], Doorway], house_with: Callable[..., House]
) -> None:
    soon = event(9, "About to end", WES, "2031-03-14T08:00:00Z", "2031-03-14T09:00:01Z", what_id=HARBOUR)
    door = enter(house_with({"crm_event": [soon]}))
    assert door.house.record(HARBOUR)["last_activity_on"] is None
    assert door.create("task", subject="Anything").code == "done"
    assert door.house.record(HARBOUR)["last_activity_on"] == "2031-03-14"
    channels = [row["channel"] for row in door.house.store.all("SELECT channel FROM jrn_command ORDER BY seq")]
    assert channels == [{"page": "ui", "tool": "mcp"}[door.name], "job"]


def test_crm_12_7_a_new_owner_is_told_and_takes_open_activities_on_request(door: Doorway) -> None:
    assert door.update(KESTREL, {"owner_id": LUIS}, moves=True).code == "done"
    assert door.house.record(TODO)["owner_id"] == LUIS
    assert door.house.record(CALL)["owner_id"] == DANA
    told = door.house.store.all("SELECT person_id, record_id FROM crm_notification")
    assert told == [{"person_id": LUIS, "record_id": KESTREL}]
