"""Saved list views (CRM-6): what they hold, who sees them, who changes them, and what a list shows with one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from deskgym_apps.crm.service.kinds import RECORDS
from deskgym_apps.kit.call import advance_clock
from deskgym_apps.kit.errors import BadQuery, Conflict, Forbidden, Invalid, NotFound

from .fixture import ADA, BILLING_QUEUE, DANA, DESK_GROUP, HARBOUR, KESTREL, LUIS, MEI, PRIYA, ROWAN, WES, YEN, World

AT_RISK: dict[str, Any] = {
    "object": "opportunity",
    "name": "EMEA at risk",
    "filters": [
        {"field": "is_closed", "op": "equals", "value": False},
        {"field": "account.region", "op": "equals", "value": "emea"},
        {"field": "amount", "op": ">=", "value": 100},
        {"field": "last_activity_on", "op": "lt", "value": "last 3 day"},
        {"field": "last_activity_on", "op": "blank"},
    ],
    "filter_logic": "1 AND 2 AND 3 AND (4 OR 5)",
    "columns": ["name", "account.name", "amount", "close_date"],
    "sort": [{"field": "amount", "direction": "desc"}],
}


def make(world: World, by: str = DANA, **more: Any) -> str:
    return world.create("list_view", by=by, **(AT_RISK | more))


def change(world: World, view: str, values: dict[str, Any], by: str = DANA, version: int | None = None) -> Any:
    arguments = {"id": view, "row_version": version or world.row("list_view", view)["row_version"], "values": values}
    if world.door == "tool":
        return world.tool("update", arguments, by=by)
    return world.run("update_list_view", arguments, by=by)


def remove(world: World, view: str, by: str = DANA) -> Any:
    return (
        world.tool("delete", {"id": view}, by=by)
        if world.door == "tool"
        else world.run("delete_list_view", {"id": view}, by=by)
    )


def test_crm_6_a_view_keeps_filters_logic_columns_order_and_says_them_again(world: World) -> None:
    view = make(world)
    got = world.ask("get", id=view)["record"]
    assert got["filters"] == [
        {"field": "is_closed", "op": "equals", "value": False},
        {"field": "account.region", "op": "equals", "value": "EMEA"},
        {"field": "amount", "op": "gte", "value": "100"},
        {"field": "last_activity_on", "op": "lt", "value": "LAST 3 DAYS"},
        {"field": "last_activity_on", "op": "blank", "value": None},
    ]
    assert got["filter_logic"] == "1 AND 2 AND 3 AND (4 OR 5)"
    assert got["columns"] == AT_RISK["columns"]
    assert got["sort"] == [["amount", "desc"]]
    assert (got["visibility"], got["scope"], got["group_ids"], got["owner_id"]) == ("private", "all", [], DANA)
    assert got["row_version"] == 1


def test_crm_6_a_list_with_a_view_shows_its_rows_columns_and_order(world: World) -> None:
    view = make(world, by=ADA)
    answer = world.ask("query", by=ADA, object="opportunity", list_view=view)
    assert [row["id"] for row in answer["rows"]] == [KESTREL, HARBOUR]
    assert set(answer["rows"][0]) == {"id", "row_version", "name", "account.name", "amount", "currency", "close_date"}
    assert answer["sums"]["amount"]["total"] is not None
    narrower = world.ask(
        "query",
        by=ADA,
        object="opportunity",
        list_view=view,
        filter=[{"field": "name", "op": "contains", "value": "harbour"}],
        fields=["name"],
        sort=[{"field": "name"}],
    )
    assert narrower["rows"] == [{"id": HARBOUR, "row_version": 1, "name": "Harbour retrofit"}]


def test_crm_6_scope_mine_is_that_of_the_person_who_looks(world: World) -> None:
    view = make(world, visibility="all", scope="mine", filters=[], filter_logic=None)
    assert set(world.ids("opportunity", list_view=view)) >= {KESTREL, YEN}
    assert world.ids("opportunity", list_view=view, by=LUIS) == [HARBOUR]


def test_p6_a_view_with_today_counts_in_the_zone_of_the_person_who_looks(world: World) -> None:
    """It is 14 March in Denver and 15 March in Tokyo when the clock says 20:00 of the 14th."""
    values: dict[str, Any] = {
        "object": "task",
        "name": "Due today",
        "filters": [{"field": "due_date", "op": "equals", "value": "TODAY"}],
        "visibility": "all",
    }
    view = world.create("list_view", **values)
    ours = world.create("task", subject="Of the 14th", due_date="2031-03-14")
    theirs = world.create("task", subject="Of the 15th", due_date="2031-03-15", owner_id=MEI)
    advance_clock(world.store, 11 * 3600)
    assert world.ids("task", list_view=view) == [ours]
    assert world.ids("task", list_view=view, by=MEI) == [theirs]


@pytest.mark.parametrize(
    ("more", "sees", "sees_not"),
    [
        ({"visibility": "private"}, [DANA, ADA], [LUIS, MEI, PRIYA]),
        ({"visibility": "groups", "group_ids": [DESK_GROUP]}, [DANA, ADA, MEI], [LUIS, WES, PRIYA]),
        ({"visibility": "all"}, [DANA, ADA, LUIS, MEI, ROWAN], []),
    ],
)
def test_crm_6_a_view_is_seen_as_far_as_it_is_shared(
    world: World, more: dict[str, Any], sees: list[str], sees_not: list[str]
) -> None:
    view = make(world, **more)
    for person in sees:
        assert world.ids("list_view", by=person) == [view]
        assert world.ask("get", id=view, by=person)["access"]["edit"] is (person in (DANA, ADA))
    for person in sees_not:
        assert world.ids("list_view", by=person) == []
        with pytest.raises(NotFound):
            world.ask("get", id=view, by=person)
        with pytest.raises(NotFound):
            world.ask("query", by=person, object="opportunity", list_view=view)


def test_crm_6_only_the_owner_and_administrators_change_and_delete_a_view(world: World) -> None:
    view = make(world, visibility="all")
    with pytest.raises(Forbidden, match="only the owner"):
        change(world, view, {"name": "Mine now"}, by=LUIS)
    with pytest.raises(Forbidden, match="only the owner"):
        remove(world, view, by=LUIS)
    hidden = make(world, name="Another")
    with pytest.raises(NotFound):
        change(world, hidden, {"name": "Mine now"}, by=LUIS)
    change(world, view, {"name": "By Ada", "owner_id": LUIS}, by=ADA)
    assert world.row("list_view", view)["owner_id"] == LUIS


def test_crm_6_a_change_replaces_filters_and_shares_as_a_whole(world: World) -> None:
    view = make(world, visibility="groups", group_ids=[DESK_GROUP])
    before = world.row("list_view", view)["conditions"]
    change(world, view, {"filters": AT_RISK["filters"][:2], "visibility": "all"})
    row = world.row("list_view", view)
    assert (row["filter_logic"], row["visibility"], row["row_version"]) == (None, "all", 2)
    assert row["conditions"] != before
    count = "SELECT count(*) AS n FROM crm_list_view_filter"
    assert world.store.all(count)[0]["n"] == 2
    assert world.store.all("SELECT * FROM crm_list_view_share") == []


def test_a_view_saved_as_it_is_writes_nothing(world: World) -> None:
    view = make(world)
    change(world, view, {key: value for key, value in AT_RISK.items() if key != "object"})
    assert world.row("list_view", view)["row_version"] == 1


def test_crm_6_the_other_spelling_of_a_view_keeps_its_normal_form(world: World) -> None:
    view = make(world)
    before = world.row("list_view", view)["conditions"]
    filters = AT_RISK["filters"][::-1]
    filters[-1] = {"field": "is_closed", "op": "not_equal", "value": True}
    change(world, view, {"filters": filters, "filter_logic": "(1 OR 2) AND 3 AND 4 AND 5"})
    row = world.row("list_view", view)
    assert (row["conditions"], row["row_version"]) == (before, 2)


def test_x_7_a_view_that_somebody_changed_meanwhile_is_a_conflict(world: World) -> None:
    view = make(world)
    change(world, view, {"name": "Renamed"}, by=ADA)
    with pytest.raises(Conflict, match="Ada Lindqvist changed this list view"):
        change(world, view, {"name": "Mine"}, version=1)


def test_a_deleted_view_is_gone_with_its_filters_shares_and_pins(world: World) -> None:
    view = make(world, visibility="groups", group_ids=[DESK_GROUP])
    world.run("pin_list_view", {"object": "opportunity", "list_view_id": view}, by=MEI)
    remove(world, view)
    for table in ("crm_list_view", "crm_list_view_filter", "crm_list_view_share", "crm_ui_pinned_view"):
        assert world.store.all(f"SELECT * FROM {table}") == []
    with pytest.raises(NotFound):
        world.ask("get", id=view)


def test_crm_6_a_view_by_a_hidden_field_is_refused_and_hidden_columns_are_left_out(world: World) -> None:
    own = {"object": "account", "visibility": "all"}
    by_field = world.create(
        "list_view", name="Big", filters=[{"field": "annual_revenue", "op": "gt", "value": 1}], **own
    )
    with_column = world.create("list_view", name="Columns", columns=["name", "annual_revenue"], **own)
    with pytest.raises(BadQuery, match='the list view "Big" cannot be shown to you'):
        world.ask("query", by=ROWAN, object="account", list_view=by_field)
    rows = world.ask("query", by=ROWAN, object="account", list_view=with_column)["rows"]
    assert set(rows[0]) == {"id", "row_version", "name"}


@pytest.mark.parametrize(
    ("more", "error", "field"),
    [
        ({"name": " "}, Invalid, "name"),
        ({"object": "email"}, Invalid, "object"),
        ({"filters": [{"field": "amout", "op": "gt", "value": 1}], "filter_logic": None}, BadQuery, "filter"),
        ({"filters": [{"field": "amount", "op": "contains", "value": 1}], "filter_logic": None}, BadQuery, "filter"),
        ({"filters": [{"field": "amount", "op": "gt", "value": "much"}], "filter_logic": None}, BadQuery, "filter"),
        ({"filters": [{"field": "amount", "op": "gt", "value": 1}] * 11, "filter_logic": None}, Invalid, "filters"),
        ({"filter_logic": "1 AND 2"}, BadQuery, "logic"),
        ({"filter_logic": "1 AND 2 AND 3 AND 4 AND 5 AND 5"}, BadQuery, "logic"),
        ({"filter_logic": "1 AND 2 AND 3 AND (4 OR 6)"}, BadQuery, "logic"),
        ({"columns": []}, Invalid, "columns"),
        ({"columns": ["name", "name"]}, Invalid, "columns"),
        ({"columns": ["name", "colour"]}, BadQuery, "columns"),
        ({"columns": ["name"] * 16}, Invalid, "columns"),
        ({"sort": [{"field": "colour"}]}, BadQuery, "sort"),
        ({"visibility": "team"}, Invalid, "visibility"),
        ({"visibility": "groups"}, Invalid, "group_ids"),
        ({"visibility": "groups", "group_ids": ["GRP000000000099"]}, Invalid, "group_ids"),
        ({"visibility": "groups", "group_ids": [BILLING_QUEUE]}, Invalid, "group_ids"),  # a queue is no public group
        ({"visibility": "all", "group_ids": [DESK_GROUP]}, Invalid, "group_ids"),
        ({"scope": "team"}, Invalid, "scope"),
        ({"owner_id": "PRS000000000008"}, Invalid, "owner_id"),  # has left
    ],
)
def test_crm_6_a_view_that_cannot_be_is_refused(
    world: World, more: dict[str, Any], error: type[Exception], field: str
) -> None:
    with pytest.raises(error) as refused:
        make(world, **more)
    assert str(refused.value.field).startswith(field)  # type: ignore[attr-defined]
    assert world.store.all("SELECT * FROM crm_list_view") == []


def test_an_owner_has_one_view_of_a_name_for_an_object(world: World) -> None:
    make(world)
    with pytest.raises(Invalid, match='you have a list view called "emea  AT risk" already'):
        make(world, name="emea  AT risk")
    make(world, by=LUIS)
    world.create("list_view", object="account", name="EMEA at risk")


def test_a_view_lists_its_own_object_only(world: World) -> None:
    view = make(world)
    with pytest.raises(BadQuery, match="lists opportunities, not accounts"):
        world.ask("query", object="account", list_view=view)


def test_a_person_pins_a_view_for_themselves_and_nothing_graded_changes(world: World) -> None:
    view = make(world, visibility="all")
    state = dict(world.row("list_view", view))
    for wanted in (view, None, view):
        world.run("pin_list_view", {"object": "opportunity", "list_view_id": wanted}, by=LUIS)
    pins = world.store.all("SELECT * FROM crm_ui_pinned_view")
    assert [(row["person_id"], row["list_view_id"]) for row in pins] == [(LUIS, view)]
    assert world.row("list_view", view) == state
    with pytest.raises(Invalid, match="lists opportunities"):
        world.run("pin_list_view", {"object": "task", "list_view_id": view}, by=LUIS)


def test_the_stored_normal_form_is_text_of_json(world: World) -> None:
    row = world.row("list_view", make(world))
    assert json.loads(row["conditions"]) == [
        [
            ["blank", "last_activity_on"],
            ["from", "amount", ["amount", "100", 0]],
            ["in", "account.region", ["emea"]],
            ["in", "is_closed", ["false"]],
        ],
        [
            ["from", "amount", ["amount", "100", 0]],
            ["in", "account.region", ["emea"]],
            ["in", "is_closed", ["false"]],
            ["until", "last_activity_on", ["days", -3]],
        ],
    ]


@pytest.mark.parametrize("thing", RECORDS)
def test_every_object_has_views_and_many_of_it_are_changed_at_once(world: World, thing: str) -> None:
    first = next(iter(world.read("describe", {"object": thing}, by=ADA)["columns"]))
    view = world.create("list_view", by=ADA, object=thing, name="All of them", columns=[first])
    found = world.ids(thing, list_view=view, by=ADA)
    assert world.read("count_chosen", {"object": thing, "list_view": view}, by=ADA)["total"] == len(found)
    if found:
        arguments = {"object": thing, "list_view": view, "values": {"owner_id": DANA}, "expected_count": len(found)}
        assert world.run("bulk_update", arguments, by=ADA)["matched"] == len(found)
