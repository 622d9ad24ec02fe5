"""Saved reports (CRM-13): what they hold, who sees and changes them, and when two definitions are the same."""

from __future__ import annotations

import json
from typing import Any

import pytest

from deskgym_apps.crm.rules_reports import OBJECTS, definition, format_of
from deskgym_apps.kit.errors import Conflict, Forbidden, Invalid, NotFound

from .fixture import ADA, DANA, LUIS, MEI, OLGA, PRIYA, ROWAN, TOM, World

PIPELINE: dict[str, Any] = {
    "object": "opportunity",
    "name": "Pipeline by stage",
    "folder": "Sales",
    "filters": [
        {"field": "is_closed", "op": "equals", "value": False},
        {"field": "amount", "op": ">=", "value": 1000},
    ],
    "date_range": {"period": "this fiscal quarter"},
    "rows": [{"field": "stage"}],
    "measures": ["count", "sum:amount"],
}


def make(world: World, by: str = DANA, **more: Any) -> str:
    return world.create("report", by=by, **(PIPELINE | more))


def change(world: World, report: str, values: dict[str, Any], by: str = DANA, version: int | None = None) -> Any:
    now = world.store.get("crm_report", (report,))
    assert now is not None
    arguments = {"id": report, "row_version": version or now["row_version"], "values": values}
    if world.door == "tool":
        return world.tool("update", arguments, by=by)
    return world.run("update_report", arguments, by=by)


def remove(world: World, report: str, by: str = DANA, **more: Any) -> Any:
    if world.door == "tool":
        return world.tool("delete", {"id": report, **more}, by=by)
    return world.run("delete_report", {"id": report, **more}, by=by)


def normal(world: World, report: str) -> Any:
    row = world.store.get("crm_report", (report,))
    assert row is not None
    return json.loads(row["definition"])


def same(world: World, left: dict[str, Any], right: dict[str, Any]) -> bool:
    """Whether two ways to say a report are one in normal form."""
    base = {"object": "opportunity", "rows": [{"field": "stage"}]}
    first = world.create("report", **(base | {"name": "Left"} | left))
    second = world.create("report", **(base | {"name": "Right"} | right))
    return bool(normal(world, first) == normal(world, second))


def test_crm_13_a_report_keeps_its_definition_and_says_it_again(world: World) -> None:
    report = make(world)
    got = world.ask("get", id=report)
    record = got["record"]
    assert (got["name"], record["folder"], record["visibility"], record["format"]) == (
        "Pipeline by stage", "Sales", "private", "summary",
    )  # fmt: skip
    assert record["filters"] == [
        {"field": "is_closed", "op": "equals", "value": False},
        {"field": "amount", "op": "gte", "value": "1000"},
    ]
    assert (record["date_field"], record["date_range"]) == ("close_date", {"period": "THIS FISCAL QUARTER"})
    assert (record["rows"], record["across"]) == ([{"field": "stage"}], [])
    assert (record["measures"], record["chart"], record["details"]) == (["count", "sum:amount"], "none", False)
    assert (record["owner_id"], record["row_version"]) == (DANA, 1)
    assert got["access"] == {"edit": True, "delete": True, "transfer": True}


def test_crm_13_what_a_report_says_can_be_given_back(world: World) -> None:
    """Every part that `crm_get` shows is a part that `crm_create` takes."""
    done = {"field": "status", "op": "equals", "value": "completed"}
    sizes = [{"label": "A", "below": 5}, {"label": "B"}]
    report = make(
        world,
        cross_filter={"object": "task", "has": False, "filters": [done]},
        rows=[{"field": "close_date", "by": "month"}, {"field": "amount", "buckets": sizes}],
        group_order={"by": "sum:amount"},
        top=3,
        sort=[{"field": "name"}],
    )
    record = world.ask("get", id=report)["record"]
    parts = (
        *("filters", "filter_logic", "date_field", "date_range", "rows", "across", "measures", "columns", "sort"),
        *("group_order", "top", "cross_filter", "scope", "details"),
    )
    again = world.create("report", object="opportunity", name="Again", **{name: record[name] for name in parts})
    assert normal(world, again) == normal(world, report)
    assert world.store.get("crm_report", (again,))["spec"] == world.store.get("crm_report", (report,))["spec"]  # type: ignore[index]


@pytest.mark.parametrize("kind", OBJECTS)
def test_crm_13_every_report_type_runs_with_its_usual_columns(world: World, kind: str) -> None:
    report = world.create("report", by=ADA, object=kind, name=f"All {kind}")
    answer = world.ask("run_report", by=ADA, id=report)
    assert (answer["name"], answer["format"]) == (f"All {kind}", "tabular")
    assert answer["record_count"] == answer["details"]["total"]


@pytest.mark.parametrize(
    ("visibility", "sees", "sees_not"),
    [("private", (DANA, ADA), (LUIS, PRIYA)), ("public", (DANA, ADA, LUIS, ROWAN), ()), ("editable", (LUIS, MEI), ())],
)
def test_crm_13_a_report_is_seen_as_far_as_it_is_public(
    world: World, visibility: str, sees: tuple[str, ...], sees_not: tuple[str, ...]
) -> None:
    report = make(world, visibility=visibility)
    for person in sees:
        assert world.ids("report", by=person) == [report]
        assert world.ask("run_report", by=person, id=report)["name"] == "Pipeline by stage"
    for person in sees_not:
        assert world.ids("report", by=person) == []
        with pytest.raises(NotFound):
            world.ask("run_report", by=person, id=report)
        with pytest.raises(NotFound):
            change(world, report, {"name": "Mine now"}, by=person)
        with pytest.raises(NotFound):
            remove(world, report, by=person)


def test_crm_13_others_change_only_editable_reports_and_only_the_owner_deletes_them(world: World) -> None:
    public, open_ = make(world, visibility="public"), make(world, name="Open", visibility="editable")
    with pytest.raises(Forbidden, match="only the owner"):
        change(world, public, {"folder": "Mine"}, by=LUIS)
    change(world, open_, {"measures": ["count"]}, by=LUIS)
    assert normal(world, open_)["measures"] == ["count"]
    for values in ({"visibility": "private"}, {"owner_id": LUIS}):
        with pytest.raises(Forbidden):
            change(world, open_, values, by=LUIS)
    for person in (LUIS, ROWAN):
        with pytest.raises(Forbidden):
            remove(world, open_, by=person)
    assert world.ask("get", by=LUIS, id=open_)["access"] == {"edit": True, "delete": False, "transfer": False}
    remove(world, open_, by=ADA)
    remove(world, public)
    assert world.ids("report", by=ADA) == []


def test_crm_13_a_change_replaces_the_parts_that_are_given_and_no_others(world: World) -> None:
    report = make(world)
    change(world, report, {"measures": ["avg:amount"], "description": "Averages"})
    record = world.ask("get", id=report)["record"]
    assert (record["measures"], record["description"], record["row_version"]) == (["avg:amount"], "Averages", 2)
    assert len(record["filters"]) == 2
    assert record["date_range"] == {"period": "THIS FISCAL QUARTER"}
    change(world, report, {"date_range": None, "filters": [PIPELINE["filters"][0]]})
    record = world.ask("get", id=report)["record"]
    assert (record["date_range"], record["date_field"], len(record["filters"])) == (None, None, 1)
    assert change(world, report, {"measures": ["avg:amount"]})["row_version"] == record["row_version"]


def test_x_7_a_report_that_changed_meanwhile_is_a_conflict(world: World) -> None:
    report = make(world, visibility="editable")
    change(world, report, {"folder": "Team"}, by=LUIS)
    with pytest.raises(Conflict):
        change(world, report, {"folder": "Mine"}, version=1)
    with pytest.raises(Conflict):
        remove(world, report, row_version=1)


def test_crm_13_a_person_has_one_report_of_a_name(world: World) -> None:
    report = make(world)
    with pytest.raises(Invalid, match="already"):
        make(world, name="PIPELINE BY STAGE")
    theirs = make(world, by=LUIS)
    with pytest.raises(Invalid, match="already"):
        change(world, theirs, {"owner_id": DANA}, by=LUIS)
    with pytest.raises(Invalid, match="no active user"):
        change(world, report, {"owner_id": TOM})


@pytest.mark.parametrize("name", ["name", "folder", "visibility", "chart", "owner_id"])
def test_x_12_what_a_report_always_has_cannot_be_emptied(world: World, name: str) -> None:
    with pytest.raises(Invalid):
        change(world, make(world), {name: None})


def test_crm_13_a_chart_shows_a_figure_of_the_report(world: World) -> None:
    report = make(world, chart="column")
    assert world.ask("get", id=report)["record"]["chart_measure"] == "count"
    change(world, report, {"chart_measure": "sum:amount"})
    assert world.ask("run_report", id=report)["chart_measure"] == "sum:amount"
    with pytest.raises(Invalid, match="none of the figures"):
        change(world, report, {"chart_measure": "avg:amount"})
    change(world, report, {"measures": ["avg:amount"]})
    assert world.ask("get", id=report)["record"]["chart_measure"] == "avg:amount"
    change(world, report, {"chart": "none"})
    assert world.ask("get", id=report)["record"]["chart_measure"] is None
    with pytest.raises(Invalid, match="needs groups"):
        world.create("report", object="task", name="Tasks", chart="bar")


def test_x_11_running_a_report_writes_nothing(world: World) -> None:
    report = make(world)
    before = world.store.conn.total_changes
    world.ask("run_report", id=report)
    assert world.store.conn.total_changes == before


OPEN = {"field": "is_closed", "op": "equals", "value": False}
MONTH = {"field": "close_date", "op": "equals", "value": "THIS MONTH"}
BIG = {"field": "amount", "op": "gte", "value": "5000"}


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"filters": [OPEN, BIG]}, {"filters": [BIG, OPEN], "filter_logic": "2 AND 1"}),
        ({"filters": [MONTH]}, {"date_field": "close_date", "date_range": {"period": "THIS MONTH"}}),
        ({"date_range": {"first": "2031-01-01", "last": "2031-01-31"}},
         {"filters": [{"field": "close_date", "op": "between", "value": ["2031-01-01", "2031-01-31"]}]}),
        ({"date_range": {"first": "2031-02-01"}},
         {"filters": [{"field": "close_date", "op": "gt", "value": "2031-01-31"}]}),
        ({"measures": ["count", "sum:amount"]}, {"measures": ["sum:amount", "count"]}),
        ({"rows": [{"field": "owner.name"}]}, {"rows": [{"field": "owner_id"}]}),
        ({"rows": [{"field": "close_date"}]}, {"rows": [{"field": "close_date", "by": "day"}]}),
        ({"scope": "mine"}, {"filters": [{"field": "owner_id", "op": "equals", "value": "me"}]}),
        ({"columns": ["name"]}, {"columns": ["stage", "amount"], "sort": [{"field": "name"}]}),
        ({"cross_filter": {"object": "task"}}, {"cross_filter": {"object": "task", "has": True, "filters": []}}),
        ({"rows": [{"field": "amount", "buckets": [{"label": "A", "below": "10.0"}, {"label": "B"}]}]},
         {"rows": [{"field": "amount", "buckets": [{"label": "A", "below": 10}, {"label": "B"}]}]}),
    ],
)  # fmt: skip
def test_crm_13_equal_definitions_have_one_normal_form(world: World, left: Any, right: Any) -> None:
    assert same(world, left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"filters": [OPEN]}, {"filters": [OPEN, BIG]}),
        ({"date_range": {"period": "THIS MONTH"}}, {"date_range": {"period": "THIS FISCAL QUARTER"}}),
        ({"date_range": {"period": "THIS MONTH"}}, {"date_range": {"first": "2031-03-01", "last": "2031-03-31"}}),
        ({"date_field": "created_at", "date_range": {"period": "TODAY"}}, {"date_range": {"period": "TODAY"}}),
        ({"measures": ["sum:amount"]}, {"measures": ["sum:expected_revenue"]}),
        ({"rows": [{"field": "close_date", "by": "month"}]}, {"rows": [{"field": "close_date", "by": "quarter"}]}),
        ({"rows": [{"field": "stage"}, {"field": "type"}]}, {"rows": [{"field": "type"}, {"field": "stage"}]}),
        ({"rows": [{"field": "stage"}], "across": [{"field": "type"}]},
         {"rows": [{"field": "stage"}, {"field": "type"}]}),
        ({"cross_filter": {"object": "task"}}, {"cross_filter": {"object": "task", "has": False}}),
        ({"cross_filter": {"object": "task"}}, {}),
        ({"details": True}, {}),
        ({"group_order": {"by": "count"}}, {"group_order": {"by": "count"}, "top": 5}),
        ({"columns": ["name"], "details": True}, {"columns": ["name", "stage"], "details": True}),
    ],
)  # fmt: skip
def test_crm_13_other_definitions_have_another_normal_form(world: World, left: Any, right: Any) -> None:
    """Though all of them may show the same rows today."""
    assert not same(world, left, right)


def test_crm_13_the_format_follows_from_the_groups() -> None:
    groups = [{"field": "stage"}]
    assert format_of({}) == "tabular"
    assert format_of({"rows": groups}) == "summary"
    assert format_of({"rows": groups, "across": groups}) == "matrix"
    plain = {"measures": ["count"], "columns": ["name"]}
    assert json.loads(definition(plain))["details"] is True
    assert "columns" not in json.loads(definition(plain | {"rows": groups}))


def test_crm_13_reports_are_listed_by_folder_and_owner(world: World) -> None:
    first = make(world, visibility="public")
    second = make(world, name="Other", folder="Support", visibility="public", by=OLGA)
    assert world.ids("report", ("folder", "equals", "sales")) == [first]
    assert world.ids("report", ("owner.name", "contains", "brandt")) == [second]
    assert world.ids("report", scope="mine") == [first]
