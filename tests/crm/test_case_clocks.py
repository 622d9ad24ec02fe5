"""Service levels in business minutes, stops while waiting, first response, comments and mails (CRM-8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from deskgym_apps.crm.rules_cases import LEVELS, business_minutes, due_after, may_reopen
from deskgym_apps.kit.call import advance_clock
from deskgym_apps.kit.errors import Forbidden, Invalid, NotFound

from .fixture import (
    ADA,
    ALDERCROFT,
    CASE_MAIL,
    HUGO,
    INES,
    INVOICE,
    LEAK,
    OLD_CASE,
    ROWAN,
    TECH_QUEUE,
    World,
    build_image,
    service_rows,
)
from .invariants import broken

FRIDAY_NOON = "2031-03-14T11:00:00Z"  # 12:00 in Hamburg


@pytest.fixture(scope="module")
def case_image() -> bytes:
    return build_image(service_rows())


@pytest.fixture(params=["service", "tool"])
def world(request: pytest.FixtureRequest, case_image: bytes) -> Iterator[World]:
    opened = World(case_image, request.param)
    yield opened
    opened.close()


def say(world: World, kind: str, *, by: str = INES, **values: Any) -> str:
    if world.door == "tool":
        return str(world.tool("log_activity", {"kind": kind, "values": values}, by=by)["id"])
    operation = {"case_comment": "create_case_comment", "email_reply": "send_case_reply"}[kind]
    return str(world.run(operation, values, by=by)["id"])


@pytest.mark.parametrize(
    ("level", "minutes", "due"),
    [
        ("Gold", 60, "2031-03-14T12:00:00Z"),  # day and night
        ("Gold", 3 * 24 * 60, "2031-03-17T11:00:00Z"),
        ("Silver", 240, "2031-03-14T15:00:00Z"),  # 7 to 19 o'clock
        ("Silver", 7 * 60, "2031-03-14T18:00:00Z"),  # to the end of the day
        ("Silver", 7 * 60 + 1, "2031-03-17T06:01:00Z"),  # over the weekend
        ("Bronze", 8 * 60, "2031-03-17T11:00:00Z"),  # 9 to 17 o'clock
        ("Bronze", 40 * 60, "2031-03-21T11:00:00Z"),
    ],
)
def test_crm_8_targets_count_the_business_minutes_of_the_level(level: str, minutes: int, due: str) -> None:
    assert due_after(FRIDAY_NOON, minutes, LEVELS[level]) == due
    assert business_minutes(FRIDAY_NOON, due, LEVELS[level]) == minutes


def test_crm_8_a_clock_that_starts_at_night_waits_for_the_morning() -> None:
    assert due_after("2031-03-15T03:00:00Z", 1, LEVELS["Bronze"]) == "2031-03-17T08:01:00Z"
    assert business_minutes("2031-03-15T03:00:00Z", "2031-03-16T23:00:00Z", LEVELS["Bronze"]) == 0


def test_crm_8_hours_follow_the_wall_clock_through_the_change_of_time() -> None:
    friday = "2031-03-28T15:00:00Z"  # 16:00; the clocks go forward on Sunday
    assert due_after(friday, 120, LEVELS["Bronze"]) == "2031-03-31T08:00:00Z"  # 10:00
    assert business_minutes("2031-03-30T00:00:00Z", "2031-03-30T22:00:00Z", LEVELS["Gold"]) == 22 * 60


def test_crm_8_a_case_takes_the_level_that_its_account_had(world: World) -> None:
    world.update(ALDERCROFT, {"sla_tier": "Silver"}, by=ADA)
    case = world.record(world.create("case", subject="x", account_id=ALDERCROFT, by=INES))
    assert case["sla_tier"] == "Silver"
    assert case["first_response_due"] == due_after(case["created_at"], 240, LEVELS["Silver"])
    assert case["resolution_due"] == due_after(case["created_at"], 1440, LEVELS["Silver"])
    world.update(ALDERCROFT, {"sla_tier": "Gold"}, by=ADA)
    assert world.record(case["id"])["resolution_due"] == case["resolution_due"]
    assert world.record(world.create("case", subject="y", by=INES))["resolution_due"] is None
    assert broken(world.store) == []


def test_crm_8_the_clocks_stand_while_the_case_waits(world: World) -> None:
    world.update(ALDERCROFT, {"sla_tier": "Silver"}, by=ADA)
    case = world.create("case", subject="x", account_id=ALDERCROFT, owner_id=INES, by=INES)
    born = world.record(case)["created_at"]
    world.update(case, {"status": "Waiting on Customer"}, by=INES)
    advance_clock(world.store, 3 * 3600 + 59)
    world.update(case, {"status": "Working"}, by=INES)
    row = world.record(case)
    assert row["paused_minutes"] == 181  # 3 hours, 59 seconds and the step of the command
    assert row["resolution_due"] == due_after(born, 1440 + 181, LEVELS["Silver"])
    assert row["first_response_due"] == due_after(born, 240 + 181, LEVELS["Silver"])
    say(world, "case_comment", case_id=case, body="We look into it.", is_public=True)
    world.update(case, {"status": "Waiting on Customer"}, by=INES)
    advance_clock(world.store, 3600)
    world.update(case, {"status": "Working"}, by=INES)
    later = world.record(case)
    assert later["paused_minutes"] == 181 + 60
    assert later["first_response_due"] == row["first_response_due"]
    assert broken(world.store) == []


def test_crm_8_time_between_closing_and_opening_again_does_not_count(world: World) -> None:
    world.update(ALDERCROFT, {"sla_tier": "Gold"}, by=ADA)
    case = world.create("case", subject="x", account_id=ALDERCROFT, owner_id=INES, by=INES)
    world.update(case, {"status": "Waiting on Customer"}, by=INES)
    world.update(case, {"status": "Closed", "reason": "Other", "resolution": "No answer."}, by=INES)
    advance_clock(world.store, 86_400)
    world.update(case, {"status": "Working"}, by=INES)
    assert world.record(case)["paused_minutes"] == 1440
    assert broken(world.store) == []


def test_crm_8_the_first_public_comment_is_the_first_response(world: World) -> None:
    say(world, "case_comment", case_id=LEAK, body="Ask the lab first.")
    assert world.record(LEAK)["first_response_at"] is None
    version = world.version(LEAK)
    say(world, "case_comment", case_id=LEAK, body="We are on it.", is_public=True)
    answered = world.store.now
    say(world, "email_reply", case_id=LEAK, body="The seal is on its way.")
    row = world.record(LEAK)
    assert (row["first_response_at"], row["row_version"]) == (answered, version)
    comments = world.ask("get", id=LEAK, related=["comments"], by=INES)["related"]["comments"]["rows"]
    said = [(row["body"], row["is_public"]) for row in comments]
    assert said == [("We are on it.", True), ("Ask the lab first.", False)]
    assert broken(world.store) == []


def test_crm_8_a_reply_goes_to_the_customer_of_the_thread(world: World) -> None:
    mail = world.row("email_message", say(world, "email_reply", case_id=LEAK, body="The seal is on its way."))
    asked = world.row("email_message", CASE_MAIL)
    assert mail["direction"] == "out"
    assert (mail["from_addr"], mail["to_addrs"]) == ("ines@northbeam.example", "m.ilic@aldercroft.example")
    assert (mail["subject"], mail["thread_id"]) == ("Re: Leak at the flange", asked["thread_id"])
    assert (mail["what_id"], mail["who_id"], mail["sent_at"]) == (LEAK, asked["who_id"], world.store.now)
    assert world.record(LEAK)["first_response_at"] == mail["sent_at"]


def test_crm_8_without_a_mail_a_reply_goes_to_the_contact(world: World) -> None:
    mail = world.row("email_message", say(world, "email_reply", case_id=INVOICE, body="Corrected.", by=HUGO))
    assert (mail["to_addrs"], mail["subject"]) == ("jun@brightmoor.example", "[00000002] Invoice shows the wrong VAT")
    case = world.create("case", subject="x", owner_id=INES, by=INES)
    with pytest.raises(Invalid, match="no contact with an e-mail address"):
        say(world, "email_reply", case_id=case, body="Hello?")


@pytest.mark.parametrize("kind", ["case_comment", "email_reply"])
def test_crm_3_writing_to_a_case_needs_write_access(world: World, kind: str) -> None:
    with pytest.raises(Forbidden):
        say(world, kind, case_id=LEAK, body="x", by=ROWAN)
    with pytest.raises(Invalid):
        say(world, kind, case_id=LEAK, body=" ")
    with pytest.raises((NotFound, Invalid)):
        say(world, kind, case_id="CAS000000000099", body="x")


def receive(world: World, case: str, subject: str = "Still dripping") -> dict[str, Any]:
    values = {"case_id": case, "from_addr": "m.ilic@aldercroft.example", "subject": subject, "body": "It drips again."}
    return dict(world.run("receive_case_mail", values, by=INES))


def test_crm_8_a_mail_within_14_days_opens_a_closed_case_again(world: World) -> None:
    world.update(LEAK, {"status": "Closed", "reason": "Other", "resolution": "Tightened."}, by=INES)
    advance_clock(world.store, 14 * 86_400 - 1)
    assert receive(world, LEAK) | {"id": ""} == {"id": "", "case_id": LEAK, "reopened": True}
    row = world.record(LEAK)
    assert (row["status"], row["closed_at"], row["resolution"]) == ("Working", None, None)
    assert broken(world.store) == []


def test_crm_8_a_later_mail_opens_a_child_case(world: World) -> None:
    got = receive(world, OLD_CASE)
    child, parent = world.record(got["case_id"]), world.record(OLD_CASE)
    assert (child["parent_id"], child["status"], child["number"]) == (OLD_CASE, "New", "00000004")
    assert (child["account_id"], child["contact_id"]) == (parent["account_id"], parent["contact_id"])
    assert child["owner_id"] == TECH_QUEUE
    assert parent["status"] == "Closed"
    assert world.row("email_message", got["id"])["what_id"] == child["id"]
    assert broken(world.store) == []


def test_crm_8_a_mail_to_an_open_case_joins_its_thread(world: World) -> None:
    got = receive(world, LEAK)
    assert (got["case_id"], got["reopened"]) == (LEAK, False)
    assert world.row("email_message", got["id"])["thread_id"] == "T2"


def test_crm_8_fourteen_days_are_counted_to_the_second() -> None:
    assert may_reopen("2031-03-01T10:00:00Z", "2031-03-15T10:00:00Z")
    assert not may_reopen("2031-03-01T10:00:00Z", "2031-03-15T10:00:01Z")
