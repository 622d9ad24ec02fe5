"""CRM-12 and I11: activities, the timeline, and the day of the last activity."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from deskgym_apps.crm import rules
from deskgym_apps.kit.call import advance_clock
from deskgym_apps.kit.errors import BadQuery

from .fixture import (
    ADA,
    ALDERCROFT,
    BRIGHTMOOR,
    CALL,
    DANA,
    KESTREL,
    LUIS,
    MAIL,
    MARTA,
    MEI,
    NOTE,
    OSEI,
    OVERDUE,
    PAST_VISIT,
    PRIYA,
    TODO,
    VISIT,
    World,
    event,
    ident,
    task,
)

HOUR = 3600


def groups(world: World, record: str, *, by: str = DANA, **more: object) -> list[tuple[str, list[str]]]:
    """(label, ids) of a timeline, history rows as `field`."""
    answer = world.ask("timeline", id=record, by=by, **more)
    return [
        (group["label"], [item["field"] if item["kind"] == "history" else item["id"] for item in group["items"]])
        for group in answer["groups"]
    ]


def test_crm_12_overdue_then_upcoming_then_months_descending(world_with: Callable[..., World]) -> None:
    more = {
        "crm_task": [
            task(8, "Old one", DANA, status="Completed", due_date="2030-11-03", what_id=KESTREL),
            task(9, "Late", DANA, due_date="2031-03-13", what_id=KESTREL),
            task(10, "Some day", DANA, what_id=KESTREL),
        ]
    }
    world = world_with(more)
    assert groups(world, KESTREL) == [
        ("Overdue", [ident("TSK", 9)]),
        ("Upcoming", [TODO, ident("TSK", 10)]),
        ("March 2031", [MAIL, CALL]),
        ("November 2030", [NOTE, ident("TSK", 8)]),  # the same instant: by id
    ]


def test_crm_12_an_accounts_timeline_includes_its_deals(world: World) -> None:
    assert groups(world, ALDERCROFT, kinds=["task", "call", "event"]) == [
        ("Upcoming", [VISIT, TODO]),
        ("March 2031", [CALL]),
    ]
    assert groups(world, MARTA, kinds=["task", "email"]) == [("Overdue", [OVERDUE]), ("March 2031", [MAIL])]


def test_crm_12_changes_show_in_the_timeline(world: World) -> None:
    world.update(KESTREL, {"stage": "Needs Analysis"})
    answer = world.ask("timeline", id=KESTREL, kinds=["history"])
    assert [item["title"] for item in answer["groups"][0]["items"]] == ["Stage: Qualification → Needs Analysis"]


def test_crm_12_past_entries_come_in_pages(world: World) -> None:
    calls = [world.log_call(subject=f"Call {number}", what_id=KESTREL) for number in range(5)]
    first = world.ask("timeline", id=KESTREL, kinds=["call"], limit=4)
    assert (first["total"], first["next_offset"]) == (6, 4)
    second = world.ask("timeline", id=KESTREL, kinds=["call"], limit=4, offset=4)
    ids = [item["id"] for page in (first, second) for group in page["groups"] for item in group["items"]]
    assert ids == [*reversed(calls), CALL]
    assert second["next_offset"] is None


def test_crm_12_the_timeline_shows_only_what_the_person_may_read(world: World) -> None:
    seen = groups(world, ALDERCROFT, by=LUIS, kinds=["task", "call", "event"])
    assert seen == [("Upcoming", [VISIT]), ("March 2031", [CALL])]  # the call was with a contact he may read


def test_crm_12_only_accounts_contacts_and_deals_have_a_timeline(world: World) -> None:
    with pytest.raises(BadQuery, match="have a timeline"):
        world.ask("timeline", id=TODO)


def test_crm_12_completing_sets_the_instant_and_reopening_clears_it(world: World) -> None:
    world.update(TODO, {"status": "Completed"})
    assert world.record(TODO)["completed_at"] == world.store.now
    world.update(TODO, {"status": "In Progress"})
    assert world.record(TODO)["completed_at"] is None
    assert world.history(TODO)[0] == ("status", "Not Started", "Completed")


def test_crm_12_a_logged_call_is_a_completed_task_of_today(world: World) -> None:
    made = world.log_call(subject="Renewal", who_id=OSEI, what_id=KESTREL, duration_minutes=25, comments="Agreed.")
    row = world.record(made)
    assert (row["kind"], row["status"], row["completed_at"]) == ("Call", "Completed", world.store.now)
    assert (row["due_date"], row["duration_minutes"], row["priority"]) == ("2031-03-14", 25, "Normal")
    yesterday = world.log_call(subject="Renewal", due_date="2031-03-13")
    assert world.record(yesterday)["due_date"] == "2031-03-13"


def test_crm_12_a_new_task_takes_its_defaults(world: World) -> None:
    row = world.record(world.create("task", subject="Plan"))
    assert (row["kind"], row["status"], row["priority"], row["completed_at"]) == ("Task", "Not Started", "Normal", None)


def last_days(world: World) -> tuple[str | None, str | None]:
    """Stored last activity of the deal and its account, which must equal what the rule gives."""
    deal, account = world.record(KESTREL), world.record(ALDERCROFT)
    assert deal["last_activity_on"] == rules.opportunity_last_activity(world.store, deal)
    assert account["last_activity_on"] == rules.account_last_activity(world.store, account)
    return deal["last_activity_on"], account["last_activity_on"]


def test_i11_the_last_activity_follows_completed_tasks(world: World) -> None:
    assert last_days(world) == ("2031-03-10", "2031-03-10")
    made = world.log_call(subject="x", what_id=KESTREL, due_date="2031-03-12")
    assert last_days(world) == ("2031-03-12", "2031-03-12")
    world.update(made, {"status": "Deferred"})
    assert last_days(world) == ("2031-03-10", "2031-03-10")
    world.update(CALL, {"what_id": ALDERCROFT})
    assert last_days(world) == (None, "2031-03-10")
    world.delete(CALL)
    assert last_days(world) == (None, None)
    world.undelete(CALL)
    assert last_days(world) == (None, "2031-03-10")


def test_i11_the_last_activity_does_not_touch_the_record(world: World) -> None:
    world.log_call(subject="x", what_id=KESTREL)
    assert (world.version(KESTREL), world.version(ALDERCROFT)) == (1, 1)


def test_i11_an_event_counts_from_its_end_by_itself(world: World) -> None:
    advance_clock(world.store, 6 * HOUR - 1)  # 14:59:59
    assert last_days(world) == ("2031-03-10", "2031-03-10")
    advance_clock(world.store, 1)
    assert last_days(world) == ("2031-03-10", "2031-03-14")
    job = world.store.one("SELECT * FROM jrn_command WHERE channel = 'job'")
    assert job is not None
    assert (job["operation"], job["instant"]) == ("crm.count_activity", "2031-03-14T15:00:00Z")


def test_i11_an_event_counts_within_an_agents_command_too(world: World) -> None:
    advance_clock(world.store, 6 * HOUR - 1)
    world.create("account", name="Meanwhile")
    assert last_days(world) == ("2031-03-10", "2031-03-14")


def test_i11_a_task_completed_early_counts_from_its_due_date_in_its_owners_zone(
    world_with: Callable[..., World],
) -> None:
    early = task(9, "Early", DANA, status="Completed", due_date="2031-03-15", what_id=KESTREL)
    world = world_with({"crm_task": [early]})
    assert last_days(world) == ("2031-03-10", "2031-03-10")
    advance_clock(world.store, 21 * HOUR - 1)  # one second before midnight in Denver (UTC-6)
    assert last_days(world)[0] == "2031-03-10"
    advance_clock(world.store, 1)
    assert last_days(world) == ("2031-03-15", "2031-03-15")


def test_i11_several_moments_in_one_step_are_counted_in_order(world_with: Callable[..., World]) -> None:
    more = [
        event(7, "A", DANA, "2031-03-15T10:00:00Z", "2031-03-15T11:00:00Z", what_id=KESTREL),
        event(8, "B", MEI, "2031-03-15T10:00:00Z", "2031-03-15T11:00:00Z", what_id=BRIGHTMOOR),
        event(9, "C", DANA, "2031-03-17T10:00:00Z", "2031-03-17T11:00:00Z", what_id=ALDERCROFT),
    ]
    world = world_with({"crm_event": more})
    advance_clock(world.store, 7 * 24 * HOUR)
    assert last_days(world) == ("2031-03-15", "2031-03-17")
    jobs = world.store.all("SELECT instant FROM jrn_command WHERE channel = 'job' ORDER BY seq")
    assert [job["instant"] for job in jobs] == [
        "2031-03-14T15:00:00Z",
        "2031-03-15T11:00:00Z",
        "2031-03-15T11:00:00Z",
        "2031-03-17T11:00:00Z",
    ]
    assert world.record(BRIGHTMOOR)["last_activity_on"] == "2031-03-15"


def test_i11_a_deal_that_changes_accounts_takes_its_days_along(world: World) -> None:
    world.update(KESTREL, {"account_id": BRIGHTMOOR})
    assert world.record(ALDERCROFT)["last_activity_on"] is None
    assert world.record(BRIGHTMOOR)["last_activity_on"] == "2031-03-10"


def test_home_shows_what_waits(world: World) -> None:
    world.create("task", subject="Today", due_date="2031-03-14")
    home = world.read("home")
    assert [row["id"] for row in home["overdue"]] == [OVERDUE]
    assert [row["subject"] for row in home["due_today"]] == ["Today"]
    assert [row["id"] for row in home["events"]] == [VISIT]
    assert (home["pipeline"]["count"], home["pipeline"]["amount"]["approximate"]) == (2, True)
    assert [row["id"] for row in home["closing"]] == [ident("OPP", 5), KESTREL]
    assert home["recent"][0]["id"] == ident("ACC", 1)
    assert world.read("home", by=ADA)["events"] == []


def test_past_events_are_in_the_month_of_their_start(world: World) -> None:
    assert groups(world, ident("CON", 3), by=LUIS) == [("February 2031", [PAST_VISIT])]
    assert groups(world, ident("CON", 3), by=PRIYA) == [("February 2031", [PAST_VISIT])]
