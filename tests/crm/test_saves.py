"""What every save has in common (X-1, X-4, X-5, X-7, X-13, CRM-11): clock, ids, journal, lock, history, notices."""

from __future__ import annotations

import json
from typing import Any

import pytest

from deskgym_apps.kit.canonical import full_dump, state_hash
from deskgym_apps.kit.errors import BadQuery, Conflict, Forbidden, Invalid
from deskgym_apps.kit.undo import undo_all

from .fixture import (
    ADA,
    ALDERCROFT,
    CALL,
    DANA,
    KESTREL,
    LOST,
    LUIS,
    MARTA,
    NOW,
    OVERDUE,
    PRIYA,
    TODO,
    VISIT,
    WES,
    World,
    build_image,
)

MUTATING: list[tuple[str, str, dict[str, Any]]] = [
    ("create_account", "create", {"object": "account", "values": {"name": "Same Co", "phone": "+441632960555"}}),
    ("create_contact", "create", {"object": "contact", "values": {"last_name": "Same", "account_id": ALDERCROFT}}),
    (
        "create_opportunity",
        "create",
        {"object": "opportunity", "values": {"name": "Same", "close_date": "2031-06-30", "amount": "10"}},
    ),
    ("create_task", "create", {"object": "task", "values": {"subject": "Same", "what_id": KESTREL}}),
    ("log_call", "log_activity", {"kind": "call", "values": {"subject": "Same", "what_id": KESTREL}}),
    (
        "create_note",
        "log_activity",
        {"kind": "note", "values": {"title": "Same", "body": "Text", "record_ids": [KESTREL]}},
    ),
    ("update_opportunity", "update", {"id": KESTREL, "row_version": 1, "values": {"stage": "Closed Won"}}),
    ("update_contact", "update", {"id": MARTA, "row_version": 1, "values": {"title": "Head of Purchasing"}}),
    ("delete_contact", "delete", {"id": MARTA, "row_version": 1}),
]


@pytest.mark.parametrize(("operation", "tool", "arguments"), MUTATING, ids=[f"{row[0]}-{row[1]}" for row in MUTATING])
def test_x_5_both_doors_end_in_the_same_state_and_the_same_journal(
    image: bytes, operation: str, tool: str, arguments: dict[str, Any]
) -> None:
    service_arguments = arguments["values"] if tool in ("create", "log_activity") else arguments
    results, hashes, commands = [], [], []
    for door in ("service", "tool"):
        world = World(image, door)
        results.append(world.run(operation, service_arguments) if door == "service" else world.tool(tool, arguments))
        hashes.append(state_hash(world.store))
        commands.append(world.store.one("SELECT operation, arguments, instant FROM jrn_command"))
        world.close()
    assert results[0] == results[1]
    assert hashes[0] == hashes[1]
    assert commands[0] is not None
    assert commands[0] == commands[1]
    assert commands[0]["operation"] == f"crm.{operation}"


def test_x_1_a_command_moves_the_clock_by_a_second_and_its_rows_carry_that_instant(world: World) -> None:
    made = world.create("account", name="New")
    row = world.record(made)
    assert world.store.now == "2031-03-14T09:00:01Z"
    assert {row["created_at"], row["updated_at"]} == {world.store.now}
    assert {row["created_by"], row["updated_by"], row["owner_id"]} == {DANA}


def test_x_1_reads_and_refusals_move_and_write_nothing(world: World) -> None:
    before = full_dump(world.store)
    for name, arguments in (
        ("whoami", {}),
        ("describe", {"object": "opportunity"}),
        ("query", {"object": "account"}),
        ("get", {"id": KESTREL, "related": ["tasks"]}),
        ("search", {"text": "kestrel"}),
        ("timeline", {"id": ALDERCROFT}),
        ("history", {"id": KESTREL}),
    ):
        world.ask(name, **arguments)
    for name in ("home", "board", "notifications", "recycle_bin"):
        world.read(name)
    with pytest.raises(Invalid):
        world.update(KESTREL, {"stage": "Closed Lost"})
    assert full_dump(world.store) == before
    assert world.store.now == NOW


def test_x_4_the_same_commands_give_the_same_ids(image: bytes) -> None:
    made = []
    for _ in range(2):
        world = World(image)
        made.append([world.create("account", name=f"Number {number}") for number in range(3)])
        world.close()
    assert made[0] == made[1]
    assert len(set(made[0])) == 3
    assert all(record.startswith("ACC") and len(record) == 15 for record in made[0])


def test_x_7_a_stale_version_is_a_conflict_that_names_who_changed_what(world: World) -> None:
    world.update(KESTREL, {"next_step": "Call", "amount": "5"}, by=PRIYA)
    with pytest.raises(Conflict, match="Priya Raman changed this opportunity") as refused:
        world.update(KESTREL, {"next_step": "Write"}, row_version=1)
    details = refused.value.details
    assert details["changed_by"] == PRIYA
    assert details["fields"] == ["amount", "expected_revenue", "next_step"]
    assert details["yours"] == {"next_step": "Write"}
    assert details["row_version"] == 2
    assert world.record(KESTREL)["next_step"] == "Call"


def test_x_7_every_save_counts_the_version_and_only_the_given_fields_change(world: World) -> None:
    before = world.record(KESTREL)
    assert world.update(KESTREL, {"next_step": "Call"}) == {"id": KESTREL, "row_version": 2}
    after = world.record(KESTREL)
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"next_step", "updated_at", "row_version"}


def test_a_save_that_changes_nothing_writes_nothing(world: World) -> None:
    before = world.record(KESTREL)
    assert world.update(KESTREL, {"stage": "Qualification", "amount": "12345.670"})["row_version"] == 1
    assert world.record(KESTREL) == before
    assert world.history(KESTREL) == []


def test_x_13_the_journal_holds_what_was_asked_and_every_change(world: World) -> None:
    world.update(KESTREL, {"next_step": "Call"})
    command = world.store.one("SELECT * FROM jrn_command")
    assert command is not None
    assert json.loads(command["arguments"]) == {"id": KESTREL, "row_version": 1, "values": {"next_step": "Call"}}
    assert command["channel"] == ("mcp" if world.door == "tool" else "ui")
    tables = {row["tbl"] for row in world.store.all("SELECT tbl FROM jrn_effect")}
    assert tables == {"org_meta", "crm_opportunity"}


def test_x_6_a_repeated_token_answers_with_the_first_result(image: bytes) -> None:
    world = World(image)
    arguments = {"object": "account", "values": {"name": "Once"}, "idempotency_key": "k1"}
    first, second = world.tool("create", arguments), world.tool("create", arguments)
    assert first == second
    assert len(world.ids("account", ("name", "equals", "Once"))) == 1
    other = world.tool("create", arguments | {"values": {"name": "Twice"}})
    assert other["id"] != first["id"]
    world.close()


def test_crm_11_one_row_for_each_tracked_field_that_changed(world: World) -> None:
    world.update(KESTREL, {"stage": "Value Proposition", "amount": "20", "close_date": "2031-05-30", "next_step": "x"})
    assert world.history(KESTREL) == [
        ("amount", "1234567", "2000"),
        ("close_date", "2031-04-30", "2031-05-30"),
        ("stage", "Qualification", "Value Proposition"),
    ]


def test_crm_11_closing_records_the_capped_close_date_as_well(world: World) -> None:
    world.update(KESTREL, {"stage": "Closed Won"})
    assert [row[0] for row in world.history(KESTREL)] == ["close_date", "stage"]


@pytest.mark.parametrize(
    ("record", "values"),
    [
        (ALDERCROFT, {"name": "Aldercroft plc", "phone": "+441632960777", "account_number": "AAAABBBB"}),
        (MARTA, {"email": "marta@aldercroft.example", "mobile": "+447700900123", "account_id": None}),
        (TODO, {"status": "In Progress", "priority": "High", "due_date": "2031-03-21"}),
        (VISIT, {"start_at": "2031-03-14T12:00:00Z", "end_at": "2031-03-14T16:00:00Z"}),
    ],
)
def test_crm_11_every_object_tracks_its_fields(world: World, record: str, values: dict[str, str | None]) -> None:
    before = world.record(record)
    world.update(record, values)
    expected = sorted(
        (field, None if before[field] is None else str(before[field]), new) for field, new in values.items()
    )
    assert world.history(record) == expected


def test_crm_11_history_shows_names_and_money_and_its_newest_first(world: World) -> None:
    world.update(KESTREL, {"amount": "20"})
    world.update(KESTREL, {"owner_id": LUIS}, by=PRIYA)
    rows = world.ask("history", id=KESTREL, by=PRIYA)["rows"]
    shown = [(row["label"], row["old"], row["new"], row["changed_by_name"]) for row in rows]
    assert shown == [
        ("Opportunity owner", "Dana Whitcombe", "Luis Ortega", "Priya Raman"),
        ("Amount", "12345.67 USD", "20.00 USD", "Dana Whitcombe"),
    ]
    assert (rows[0]["old_value"], rows[0]["new_value"]) == (DANA, LUIS)


def test_a_new_owner_is_told_unless_it_is_oneself(world: World) -> None:
    world.update(KESTREL, {"owner_id": LUIS})
    assert world.notes_to(LUIS) == [
        "Dana Whitcombe made you the owner of the opportunity Kestrel – FY26 renewal",
    ]
    world.create("task", subject="Help", owner_id=WES)
    assert world.notes_to(WES) == ["Dana Whitcombe assigned you the task Help"]
    world.create("account", name="Own")
    assert world.notes_to(DANA) == []
    assert world.read("notifications", by=LUIS)["rows"][0]["record_id"] == KESTREL


def test_only_who_has_all_rights_gives_a_record_away(world: World) -> None:
    world.update(KESTREL, {"owner_id": LUIS}, by=PRIYA)
    with pytest.raises(Forbidden):
        world.update(TODO, {"owner_id": WES}, by=LUIS)  # he may write it through the deal, but does not own it
    world.update(TODO, {"comments": "Looking into it"}, by=LUIS)


def test_a_new_owner_takes_over_open_activities_on_request(world: World) -> None:
    coming = world.create(
        "event", subject="Demo", start_at="2031-03-20T09:00:00Z", end_at="2031-03-20T10:00:00Z", what_id=KESTREL
    )
    world.update(KESTREL, {"owner_id": LUIS}, move_open_activities=True)
    owners = {record: world.record(record)["owner_id"] for record in (TODO, CALL, OVERDUE, VISIT, coming)}
    assert owners == {TODO: LUIS, CALL: DANA, OVERDUE: DANA, VISIT: DANA, coming: LUIS}
    assert world.history(TODO) == [("owner_id", DANA, LUIS)]
    assert len(world.notes_to(LUIS)) == 1


def test_a_new_owner_leaves_open_activities_where_they_are_by_default(world: World) -> None:
    world.update(KESTREL, {"owner_id": LUIS})
    assert world.record(TODO)["owner_id"] == DANA


def test_undo_gives_the_full_dump_of_s0_back(world: World) -> None:
    before = full_dump(world.store)
    world.update(KESTREL, {"stage": "Closed Lost", "lost_reason": "Price", "owner_id": LUIS}, move_open_activities=True)
    world.delete(ALDERCROFT, by=ADA)
    world.undelete(ALDERCROFT, by=ADA)
    world.log_call(subject="x", what_id=LOST)
    undo_all(world.store)
    assert full_dump(world.store) == before


def test_the_fixture_is_the_same_every_time(image: bytes) -> None:
    assert build_image() == image


@pytest.mark.parametrize("blank", ["", "   ", "\u200b", "\ufeff"])
def test_x_9_a_name_of_which_nothing_can_be_seen_is_refused_and_optional_text_becomes_null(
    world: World, blank: str
) -> None:
    with pytest.raises(Invalid, match="name is required"):
        world.create("account", name=blank)
    made = world.create("account", name="Seen", website=blank)
    row = world.store.get("crm_account", made)
    assert row is not None
    assert row["website"] is None


@pytest.mark.parametrize("year", ["0001", "1899", "2200", "9999"])
def test_x_2_years_that_pages_could_not_show_are_refused(world: World, year: str) -> None:
    with pytest.raises(Invalid, match="years go from 1900 to 2199"):
        world.create("opportunity", name="Far", close_date=f"{year}-12-31")
    span = {"start_at": f"{year}-12-31T23:20:00Z", "end_at": f"{year}-12-31T23:50:00Z"}
    with pytest.raises(Invalid, match="years go from 1900 to 2199"):
        world.create("event", subject="Far", what_id=KESTREL, **span)
    for field in ("created_at", "close_date"):
        wanted = [{"field": field, "op": "gte", "value": f"{year}-12-31"}]
        with pytest.raises(BadQuery, match="years go from 1900 to 2199"):
            world.ask("query", object="opportunity", filter=wanted)


def test_x_7_a_version_beyond_any_integer_is_refused(world: World) -> None:
    with pytest.raises(Invalid, match="row_version"):
        world.update(KESTREL, {"next_step": "x"}, row_version=10**30)
