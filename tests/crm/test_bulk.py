"""Many records at once (row 12, X-9, P3): the filter travels, the number is held, all change or none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deskgym_apps.kit.errors import BadQuery, Conflict, Forbidden, Invalid, NotFound

from .fixture import (
    ADA,
    ALDERCROFT,
    BRIGHTMOOR,
    DANA,
    HARBOUR,
    KESTREL,
    LOST,
    LUIS,
    MARTA,
    OLGA,
    OSEI,
    OVERDUE,
    PRIYA,
    ROWAN,
    TERN,
    TODO,
    WES,
    WON,
    YEN,
    World,
    account,
    ident,
)

OPEN = [{"field": "is_closed", "op": "equals", "value": False}]


def bulk(world: World, thing: str, count: int, by: str = ADA, **more: Any) -> Any:
    arguments = {"object": thing, "expected_count": count} | more
    return (
        world.tool("bulk_update", arguments, by=by)
        if world.door == "tool"
        else world.run("bulk_update", arguments, by=by)
    )


def commands(world: World) -> list[str]:
    return [row["operation"] for row in world.store.all("SELECT operation FROM jrn_command ORDER BY seq")]


def test_all_that_match_change_in_one_command_with_history(world: World) -> None:
    done = bulk(world, "opportunity", 3, filter=OPEN, values={"next_step": "Call", "close_date": "2031-06-30"})
    assert done == {"object": "opportunity", "matched": 3, "changed": 3, "unchanged": 0}
    for deal in (KESTREL, HARBOUR, YEN):
        assert world.record(deal)["close_date"] == "2031-06-30"
        assert [field for field, _, _ in world.history(deal)] == ["close_date"]
    assert world.record(WON)["close_date"] == "2031-01-20"
    assert commands(world) == ["crm.bulk_update"]


def test_those_that_are_so_already_stay_as_they_are(world: World) -> None:
    done = bulk(world, "task", 2, ids=[TODO, OVERDUE], values={"priority": "High"}, by=DANA)
    assert (done["changed"], done["unchanged"]) == (1, 1)
    assert (world.version(TODO), world.version(OVERDUE)) == (2, 1)


def test_p3_select_all_with_a_filter_deletes_what_the_filter_matches_and_nothing_else(world: World) -> None:
    made = [world.create("task", subject=f"Sweep {number}") for number in range(12)]
    before = len(world.ids("task"))
    sweep = [{"field": "subject", "op": "starts_with", "value": "sweep"}]
    assert world.read("count_chosen", {"object": "task", "filter": sweep})["total"] == 12
    done = bulk(world, "task", 12, filter=sweep, action="delete", by=DANA)
    assert done["changed"] == 12
    assert len(world.ids("task")) == before - 12
    assert set(world.ids("task", deleted=True)) == set(made)


def test_x_9_another_number_than_expected_is_a_conflict_and_writes_nothing(world: World) -> None:
    with pytest.raises(Conflict, match="3 opportunities match now, not 2") as refused:
        bulk(world, "opportunity", 2, filter=OPEN, values={"next_step": "Call"})
    assert refused.value.details == {"count": 3}
    with pytest.raises(Conflict, match="1 opportunity match"):
        bulk(world, "opportunity", 2, ids=[KESTREL], values={"next_step": "Call"})
    assert commands(world) == []


def test_where_one_record_is_refused_none_changes_and_each_is_named(world: World) -> None:
    values = {"stage": "Negotiation/Review"}
    world.update(KESTREL, {"amount": None}, by=DANA)
    world.update(YEN, {"amount": None}, by=DANA)
    before = {deal: world.record(deal) for deal in (KESTREL, YEN, HARBOUR)}
    with pytest.raises(Invalid, match="nothing was changed, because 2 opportunities cannot be") as refused:
        bulk(world, "opportunity", 3, filter=OPEN, values=values)
    named = refused.value.details["records"]
    assert [row["name"] for row in named] == ["Kestrel – FY26 renewal", "Osaka pilot"]
    assert all("needs an amount above 0" in row["message"] for row in named)
    assert {deal: world.record(deal) for deal in before} == before


def test_crm_1_closing_many_asks_for_what_closing_one_does(world: World) -> None:
    ids = [KESTREL, YEN]
    with pytest.raises(Invalid, match="Closed Lost needs a lost reason"):
        bulk(world, "opportunity", 2, ids=ids, values={"stage": "Closed Lost"}, by=DANA)
    with pytest.raises(Invalid, match="lost detail in words"):
        bulk(world, "opportunity", 2, ids=ids, values={"stage": "Closed Lost", "lost_reason": "Other"}, by=DANA)
    bulk(world, "opportunity", 2, ids=ids, values={"stage": "Closed Lost", "lost_reason": "Price"}, by=DANA)
    row = world.record(KESTREL)
    assert (row["probability"], row["close_date"], row["lost_reason"]) == (0, "2031-03-14", "Price")
    assert row["closed_at"] is not None


def test_many_records_go_to_another_owner_with_their_open_activities(world: World) -> None:
    mine = [{"field": "owner_id", "op": "equals", "value": DANA}, *OPEN]
    bulk(world, "opportunity", 2, filter=mine, values={"owner_id": LUIS}, move_open_activities=True)
    assert {world.record(deal)["owner_id"] for deal in (KESTREL, YEN)} == {LUIS}
    assert world.record(TODO)["owner_id"] == LUIS  # open, about Kestrel
    assert world.record(OVERDUE)["owner_id"] == DANA
    assert len(world.notes_to(LUIS)) == 2
    assert world.record(LOST)["owner_id"] == DANA


def test_crm_3_each_record_needs_the_level_that_it_needs_by_itself(world: World) -> None:
    """Priya stands above Dana, Luis and Wes; nobody else may give their deals away."""
    with pytest.raises(NotFound):
        bulk(world, "opportunity", 2, ids=[KESTREL, HARBOUR], values={"owner_id": WES}, by=LUIS)
    assert bulk(world, "opportunity", 2, ids=[KESTREL, HARBOUR], values={"owner_id": WES}, by=PRIYA)["changed"] == 2


def test_crm_3_what_may_be_read_but_not_changed_is_named(world_with: Callable[..., World]) -> None:
    """Accounts are open to all to read; a manager changes those of the people below."""
    world = world_with({"crm_account": [account(9, "Of Olga", OLGA)]})
    with pytest.raises(Invalid, match="Of Olga: you may read this account but not change"):
        bulk(world, "account", 2, ids=[ALDERCROFT, ident("ACC", 9)], values={"type": "Partner"}, by=PRIYA)
    assert world.record(ALDERCROFT)["type"] == "Customer"


@pytest.mark.parametrize(
    ("by", "thing", "message"),
    [
        (ROWAN, "task", "your profile, Read Only, may not change or delete many tasks at once"),
        (DANA, "account", "your profile, Sales Representative, may not change or delete many accounts at once"),
    ],
)
def test_many_at_once_needs_the_right_to(world: World, by: str, thing: str, message: str) -> None:
    with pytest.raises(Forbidden, match=message):
        bulk(world, thing, 1, ids=[TODO if thing == "task" else ALDERCROFT], values={"description": "x"}, by=by)


def test_deleting_many_is_held_to_the_rules_of_deleting_one(world: World) -> None:
    with pytest.raises(Invalid, match="Tern Logistics: this account cannot be deleted: 1 of its opportunities"):
        bulk(world, "account", 2, ids=[BRIGHTMOOR, TERN], action="delete")
    bulk(world, "account", 2, ids=[ALDERCROFT, BRIGHTMOOR], action="delete")
    assert {world.record(key)["is_deleted"] for key in (ALDERCROFT, BRIGHTMOOR, MARTA, KESTREL)} == {1}


def test_a_saved_view_says_which_records_are_meant(world: World) -> None:
    view = world.create(
        "list_view",
        object="task",
        name="Late",
        filters=[
            {"field": "due_date", "op": "lt", "value": "TODAY"},
            {"field": "is_closed", "op": "equals", "value": False},
        ],
    )
    assert bulk(world, "task", 1, list_view=view, values={"due_date": "2031-03-21"}, by=DANA)["changed"] == 1
    assert world.record(OVERDUE)["due_date"] == "2031-03-21"


@pytest.mark.parametrize(
    ("more", "error", "field"),
    [
        ({"values": {}}, Invalid, "values"),
        ({"values": {"colour": "red"}}, Invalid, "values.colour"),
        ({"values": {"amount": "much"}}, Invalid, "values.amount"),
        ({"values": {"next_step": "x"}, "action": "delete"}, Invalid, "values"),
        (
            {"values": {"next_step": "x"}, "filter": [{"field": "colour", "op": "equals", "value": 1}]},
            BadQuery,
            "filter",
        ),
        ({"values": {"next_step": "x"}, "ids": [KESTREL], "filter": OPEN}, Invalid, "ids"),
        ({"values": {"next_step": "x"}, "ids": [KESTREL, KESTREL]}, Invalid, "ids"),
        ({"values": {"next_step": "x"}, "ids": [MARTA]}, NotFound, "ids"),
        ({"values": {"next_step": "x"}, "ids": [ident("OPP", 99)]}, NotFound, "id"),
        ({"values": {"next_step": "x"}, "move_open_activities": True}, Invalid, "move_open_activities"),
        ({"values": {"next_step": "x"}, "action": "merge"}, Invalid, "action"),
        ({"values": {"next_step": "x"}, "expected_count": 0}, Invalid, "expected_count"),
        ({"values": {"next_step": "x"}, "expected_count": 2_001}, Invalid, "expected_count"),
        ({"values": {"next_step": "x"}, "object": "user"}, Invalid, "object"),
    ],
)
def test_what_makes_no_sense_is_refused(world: World, more: dict[str, Any], error: type[Exception], field: str) -> None:
    arguments: dict[str, Any] = {"thing": "opportunity", "count": 3} | {
        {"object": "thing", "expected_count": "count"}.get(name, name): value for name, value in more.items()
    }
    with pytest.raises(error) as refused:
        bulk(world, **arguments)
    assert refused.value.field == field  # type: ignore[attr-defined]
    assert commands(world) == []


def test_a_note_is_attached_one_at_a_time(world: World) -> None:
    with pytest.raises(Invalid, match="record_ids can be set for one record at a time only"):
        bulk(world, "note", 1, ids=[ident("NTE", 1)], values={"record_ids": [OSEI]})


def test_deleted_records_are_not_meant(world: World) -> None:
    world.delete(TODO)
    with pytest.raises(NotFound, match="recycle bin"):
        bulk(world, "task", 1, ids=[TODO], values={"priority": "High"}, by=DANA)
