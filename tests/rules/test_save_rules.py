"""X-1 to X-6, X-11, X-13 to X-15 through both doors: clock, dates, money, ids, one write path, tokens, the journal."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from tests.crm.fixture import (
    ADA,
    ALDERCROFT,
    BRIGHTMOOR,
    DANA,
    KESTREL,
    MARTA,
    MEI,
    NOTE,
    OLGA,
    PEOPLE,
    TODO,
    VISIT,
)

from deskgym_apps.kit.canonical import full_dump, state_hash
from deskgym_apps.kit.money import convert, round_half_up

from .conftest import Doorway
from .doors import PageDoorway, ToolDoorway
from .house import FOLDERS, House, Lobby, plain
from .reads import GETS, READS

NOW = "2031-03-14T09:00:00Z"
WAYS_TO_WRITE: dict[str, Callable[[Any], Any]] = {
    "create": lambda door: door.create("account", name="Fenwick", type="Prospect", bill_city="Leeds"),
    "create deal": lambda door: door.create(
        "opportunity", name="Pump", close_date="2031-06-30", amount="12345.67", account_id=ALDERCROFT
    ),
    "create event": lambda door: door.create(
        "event", subject="Visit", start_at="2031-03-20T15:00:00Z", end_at="2031-03-20T16:00:00Z", what_id=KESTREL
    ),
    "create note": lambda door: door.create("note", title="Terms", body="Net 30", record_ids=[KESTREL, MARTA]),
    "log call": lambda door: door.create("call", subject="Renewal", duration_minutes=25, who_id=MARTA),
    "update": lambda door: door.update(ALDERCROFT, {"rating": "Hot", "phone": "+44 1632 960099"}),
    "update lookup": lambda door: door.update(MARTA, {"account_id": BRIGHTMOOR}),
    "clear": lambda door: door.update(MARTA, {"title": None, "email": None}),
    "stage": lambda door: door.move(door.draft(KESTREL), "Value Proposition"),
    "win": lambda door: door.move(door.draft(KESTREL), "Closed Won"),
    "lose": lambda door: door.move(door.draft(KESTREL), "Closed Lost", lost_reason="Other", lost_detail="Merged"),
    "give away": lambda door: door.update(KESTREL, {"owner_id": PEOPLE["wes"]}, moves=True),
    "complete": lambda door: door.update(TODO, {"status": "Completed"}),
    "attach": lambda door: door.update(NOTE, {"record_ids": [KESTREL, ALDERCROFT]}),
    "delete": lambda door: door.delete(KESTREL, version=1),
    "role": lambda door: door.link("contact_role", KESTREL, MARTA, role="Influencer", is_primary=True),
    "relation": lambda door: door.link("account_contact", BRIGHTMOOR, MARTA, role="Influencer"),
}


@pytest.mark.parametrize("way", WAYS_TO_WRITE)
def test_x_1_1_a_command_moves_the_clock_by_a_second_and_its_rows_carry_that_instant(door: Doorway, way: str) -> None:
    done = WAYS_TO_WRITE[way](door)
    assert done.code == "done", str(done)
    after = "2031-03-14T09:00:01Z"
    assert door.house.store.now == after
    effects = door.house.store.all("SELECT tbl, old, new FROM jrn_effect WHERE tbl <> 'org_meta'")
    written = {
        instant
        for effect in effects
        for name in ("created_at", "updated_at", "deleted_at", "changed_at", "closed_at", "completed_at")
        for instant in re.findall(rf'"{name}":"([^"]*)"', effect["new"] or "")
        if instant not in (effect["old"] or "")
    }
    assert written <= {after}


def test_x_1_2_reads_and_refusals_move_nothing(door: Doorway) -> None:
    with door.house.unchanged():
        door.sees(KESTREL)
        door.ids("opportunity")
        door.found("kestrel")
        door.timeline_text(ALDERCROFT)
        door.history_text(KESTREL)
        assert door.create("account", name="x", account_number="1").code == "validation"
        assert door.update(BRIGHTMOOR, {"rating": "Hot"}).code == "forbidden"
        assert door.delete(ALDERCROFT, version=99, by=ADA).code == "conflict"
    assert door.house.store.now == NOW


def test_x_2_1_instants_and_dates_are_stored_in_their_forms(door: Doorway) -> None:
    made = door.create("event", subject="Visit", start_at="2031-03-20T15:00:00Z", end_at="2031-03-20T16:00:00Z", by=MEI)
    row = door.house.record(made.id)
    assert (row["start_at"], row["end_at"]) == ("2031-03-20T15:00:00Z", "2031-03-20T16:00:00Z")
    made = door.create("task", subject="x", due_date="2031-07-01", by=MEI)
    assert door.house.record(made.id)["due_date"] == "2031-07-01"


@pytest.mark.parametrize("person", ["dana", "mei", "olga", "luis"])
@pytest.mark.parametrize("day", ["2031-03-09", "2031-03-30", "2031-06-12", "2031-11-02", "2031-12-31"])
def test_x_2_2_a_calendar_date_is_never_converted(door: Doorway, person: str, day: str) -> None:
    who = PEOPLE[person]
    made = door.create("task", subject="On that day", due_date=day, by=who)
    assert made.code == "done", str(made)
    assert door.house.record(made.id)["due_date"] == day
    assert door.update(made.id, {"priority": "High"}, by=who).code == "done"
    assert door.house.record(made.id)["due_date"] == day
    if isinstance(door, PageDoorway):
        assert door.draft(made.id, by=who).form["due_date"] == day
        months = ("", "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
                  "November", "December")  # fmt: skip
        shown = f"{int(day[8:])} {months[int(day[5:7])]} 2031"
        for path in (f"/crm/tasks/{made.id}", "/crm/tasks?q=On+that+day"):
            assert shown in door.house.get(path, who).text
    else:
        assert door.house.tool("get", {"id": made.id}, who)["record"]["due_date"] == day


def test_p9_dates_stay_the_same_on_every_page_and_in_the_database(door: Doorway) -> None:
    made = door.create("opportunity", name="Pump", close_date="2031-06-12")
    for person in (DANA, ADA):  # Denver and UTC
        assert door.house.record(made.id)["close_date"] == "2031-06-12"
        text = door.timeline_text(made.id, by=person)
        assert "11 June" not in text
        assert "2031-06-11" not in text
        assert made.id in door.ids("opportunity", ("close_date", "equals", "2031-06-12"), by=person)
        assert made.id not in door.ids("opportunity", ("close_date", "equals", "2031-06-11"), by=person)


def test_x_2_3_today_is_the_persons_own_day(
    house_with: Callable[..., House], enter: Callable[[House], Doorway]
) -> None:
    from tests.crm import fixture

    before, fixture.NOW = fixture.NOW, "2031-03-14T02:00:00Z"
    try:
        door = enter(house_with({"crm_note": []}))
    finally:
        fixture.NOW = before
    yesterday = {"due_date": "2031-03-13", "subject": "Held"}
    made = door.create("call", by=DANA, subject="Held")
    assert door.house.record(made.id)["due_date"] == "2031-03-13"
    assert door.create("call", by=DANA, **yesterday | {"due_date": "2031-03-14"}).code == "validation"
    made = door.create("call", by=MEI, subject="Held")
    assert door.house.record(made.id)["due_date"] == "2031-03-14"


@pytest.mark.parametrize(
    ("currency", "typed", "minor"),
    [("USD", "12345.67", 1_234_567), ("JPY", "99816", 99_816), ("KWD", "1.234", 1_234), ("EUR", "0.1", 10)],
)
def test_x_3_1_money_is_minor_units_by_the_currencys_exponent(
    door: Doorway, currency: str, typed: str, minor: int
) -> None:
    made = door.create("opportunity", name="Pump", close_date="2031-06-12", currency=currency, amount=typed)
    assert made.code == "done", str(made)
    assert door.house.record(made.id)["amount"] == minor
    if isinstance(door, ToolDoorway):
        assert float(door.house.tool("get", {"id": made.id})["record"]["amount"]) == float(typed)
    else:
        assert f"{currency}" in door.house.get(f"/crm/opportunities/{made.id}").text


@pytest.mark.parametrize(("currency", "typed"), [("JPY", "1.5"), ("USD", "0.001"), ("KWD", "0.0001")])
def test_x_3_2_more_decimals_than_a_currency_has_are_refused(door: Doorway, currency: str, typed: str) -> None:
    with door.house.unchanged():
        made = door.create("opportunity", name="Pump", close_date="2031-06-12", currency=currency, amount=typed)
    assert (made.code, set(made.faults)) == ("validation", {"amount"}), str(made)


def test_x_3_3_money_is_rounded_half_up_and_totals_are_sums_of_what_is_shown() -> None:
    from decimal import Decimal

    assert [round_half_up(Decimal(text)) for text in ("0.5", "1.5", "2.5", "-0.5", "0.4999")] == [1, 2, 3, -1, 0]
    rates = {"USD": 1_000_000, "JPY": 9_000}
    assert convert(10_000, "USD", "JPY", rates) == 11_111


def test_x_4_1_the_same_commands_give_the_same_ids(
    lobby: Lobby, image: bytes, enter: Callable[[House], Doorway]
) -> None:
    def made() -> list[str]:
        door = enter(lobby.house(image))
        first = door.create("account", name="One")
        door.create("account", name="Refused", account_number="1")
        second = door.create("account", name="Two")
        return [first.id, second.id]

    ids = made()
    assert made() == ids
    assert all(re.fullmatch(r"ACC[0-9A-HJKMNP-TV-Z]{12}", one) for one in ids)
    assert len(set(ids)) == 2


@pytest.mark.parametrize("way", WAYS_TO_WRITE)
def test_x_5_1_both_doors_run_the_same_operation_and_end_in_the_same_state(
    lobby: Lobby, image: bytes, way: str
) -> None:
    ends = []
    for enter in (PageDoorway, ToolDoorway):
        door = enter(lobby.house(image))
        assert WAYS_TO_WRITE[way](door).code == "done"
        commands = door.house.store.all("SELECT operation, arguments FROM jrn_command ORDER BY seq")
        ends.append((commands, state_hash(door.house.store)))
    assert ends[0] == ends[1]


NEW: dict[str, dict[str, Any]] = {
    "account": {"name": "Fenwick"},
    "contact": {"last_name": "Okafor"},
    "opportunity": {"name": "Pump", "close_date": "2031-06-12"},
    "task": {"subject": "Call"},
    "event": {"subject": "Visit", "start_at": "2031-03-20T15:00:00Z", "end_at": "2031-03-20T16:00:00Z"},
    "note": {"title": "Terms", "body": "Net", "record_ids": [KESTREL]},
    "call": {"subject": "Renewal"},
}


@pytest.mark.parametrize("kind", NEW)
def test_x_6_1_a_form_sent_twice_makes_one_record(pages: PageDoorway, kind: str) -> None:
    path = f"/crm/{FOLDERS[kind]}/new"
    fields = pages.form(path, DANA) | pages.typed(kind, NEW[kind], DANA, True)
    first, second = pages.house.post(path, fields), pages.house.post(path, fields)
    assert first.status_code == second.status_code == 303
    assert first.location == second.location
    assert pages.house.store.one("SELECT count(*) AS n FROM jrn_command") == {"n": 1}


@pytest.mark.parametrize("kind", NEW)
def test_x_6_2_a_call_repeated_with_its_key_makes_one_record(tools: ToolDoorway, kind: str) -> None:
    name, key = ("log_activity", "kind") if kind == "call" else ("create", "object")
    arguments = {key: kind, "values": NEW[kind], "idempotency_key": "k1"}
    assert tools.house.tool(name, arguments) == tools.house.tool(name, arguments)
    assert tools.house.store.one("SELECT count(*) AS n FROM jrn_command") == {"n": 1}
    changed = arguments | {"values": {**NEW[kind], next(iter(NEW[kind])): "Another"}}
    assert tools.house.tool(name, changed)["id"]
    assert tools.house.store.one("SELECT count(*) AS n FROM jrn_command") == {"n": 2}


def test_pk_2_a_double_click_writes_once_on_every_surface(pages: PageDoorway) -> None:
    deal, path = f"/crm/opportunities/{KESTREL}", f"/crm/opportunities/{KESTREL}/stage"
    card = pages.card(KESTREL)
    assert card is not None
    role = f"{deal}/contact-roles/new"
    surfaces = [
        (path, card | {"stage": "Needs Analysis"}),
        (f"/crm/tasks/{TODO}/edit", pages.form(f"/crm/tasks/{TODO}", DANA, f"/crm/tasks/{TODO}/edit")),
        (f"/crm/events/{VISIT}/delete", pages.form(f"/crm/events/{VISIT}/delete", DANA)),
        (f"/crm/contacts/{MARTA}/edit", dict(pages.draft(MARTA).form) | {"title": "CFO"}),
        (role, pages.form(role, DANA) | {"contact_id__text": "Kofi Osei"}),
    ]
    for count, (where, fields) in enumerate(surfaces, 1):
        answers = [pages.house.post(where, fields) for _ in range(2)]
        assert [answer.status_code for answer in answers] == [303, 303], plain(answers[1].text)[:300]
        assert answers[0].location == answers[1].location
        assert pages.house.store.one("SELECT count(*) AS n FROM jrn_command") == {"n": count}


def test_x_6_3_after_a_post_comes_a_redirect_that_can_be_reloaded(pages: PageDoorway) -> None:
    path = "/crm/tasks/new"
    answer = pages.house.post(path, pages.form(path, DANA) | {"subject": "Call"})
    assert answer.status_code == 303
    with pages.house.unchanged():
        assert [pages.house.get(answer.location).status_code for _ in range(2)] == [200, 200]


def test_x_11_1_no_read_writes_anything(door: Doorway) -> None:
    with door.house.unchanged():
        if isinstance(door, PageDoorway):
            assert [path for path in GETS if door.house.get(path).status_code != 200] == []
        else:
            assert [name for name, given in READS if "message" in door.house.tool(name, given)] == []


def test_x_13_1_the_journal_says_who_by_which_door_asked_for_what(door: Doorway) -> None:
    assert door.update(ALDERCROFT, {"rating": "Hot"}, by=OLGA).code == "done"
    row = door.house.store.one("SELECT * FROM jrn_command")
    assert row is not None
    assert (row["person_id"], row["channel"]) == (OLGA, {"page": "ui", "tool": "mcp"}[door.name])
    assert (row["operation"], row["instant"]) == ("crm.update_account", "2031-03-14T09:00:01Z")
    assert row["arguments"] == f'{{"id":"{ALDERCROFT}","row_version":1,"values":{{"rating":"Hot"}}}}'
    effect = door.house.store.one("SELECT old, new FROM jrn_effect WHERE tbl = 'crm_account'")
    assert effect is not None
    assert '"rating":null' in effect["old"]
    assert '"rating":"Hot"' in effect["new"]


def test_x_14_1_two_resets_are_equal_and_give_the_next_records_the_same_ids(
    lobby: Lobby, image: bytes, enter: Callable[[House], Doorway]
) -> None:
    doors = [enter(lobby.house(image)) for _ in range(2)]
    dumps = [full_dump(door.house.store) for door in doors]
    assert dumps[0] == dumps[1]
    made = [[door.create(kind, **values).id for kind, values in NEW.items()] for door in doors]
    assert made[0] == made[1]
    assert full_dump(doors[0].house.store) == full_dump(doors[1].house.store)


def test_x_15_1_pages_ask_nothing_of_other_machines(pages: PageDoorway) -> None:
    for path in GETS:
        text = pages.house.get(path).text
        outside = re.findall(r'(?:src|href|action|srcset|data-[a-z-]*url)="((?:https?:)?//[^"]*)"', text)
        assert [one for one in outside if "aldercroft" not in one] == [], path
