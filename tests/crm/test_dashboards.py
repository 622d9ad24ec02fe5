"""Dashboards (CRM-13, row 24): widgets from reports, run as whoever looks."""

from __future__ import annotations

from typing import Any

import pytest

from deskgym_apps.kit.errors import Conflict, Forbidden, Invalid, NotFound

from .fixture import ADA, DANA, LUIS, World


def report(world: World, name: str = "Pipeline", by: str = DANA, **more: Any) -> str:
    values = {"object": "opportunity", "name": name, "rows": [{"field": "stage"}], "visibility": "public"} | more
    return world.create("report", by=by, **values)


def make(world: World, *reports: str, by: str = DANA, **more: Any) -> str:
    widgets = [{"report_id": item, "kind": "metric"} for item in reports]
    return world.create("dashboard", by=by, name="Board", widgets=widgets, visibility="public", **more)


def change(world: World, board: str, values: dict[str, Any], by: str = DANA, version: int = 1) -> Any:
    arguments = {"id": board, "row_version": version, "values": values}
    if world.door == "tool":
        return world.tool("update", arguments, by=by)
    return world.run("update_dashboard", arguments, by=by)


def remove(world: World, record_id: str, what: str, by: str = DANA) -> Any:
    if world.door == "tool":
        return world.tool("delete", {"id": record_id}, by=by)
    return world.run(f"delete_{what}", {"id": record_id}, by=by)


def test_crm_13_a_dashboard_keeps_its_widgets_in_order(world: World) -> None:
    first, second = report(world), report(world, "Other")
    board = make(world, first, second)
    record = world.ask("get", id=board)["record"]
    assert [item["report_id"] for item in record["widgets"]] == [first, second]
    change(world, board, {"widgets": [{"report_id": second, "kind": "bar", "title": "Bars"}]})
    record = world.ask("get", id=board)["record"]
    assert record["widgets"] == [{"report_id": second, "kind": "bar", "title": "Bars"}]
    assert (record["row_version"], record["folder"]) == (2, "Unfiled")
    with pytest.raises(Conflict):
        change(world, board, {"name": "New"}, version=1)


def test_crm_13_a_dashboard_runs_its_reports_as_the_person_who_looks(world: World) -> None:
    board = make(world, report(world))
    counts = {
        person: world.read("show_dashboard", {"id": board}, by=person)["widgets"][0]["report"]["record_count"]
        for person in (DANA, LUIS, ADA)
    }
    for person, count in counts.items():
        assert count == len(world.ids("opportunity", by=person))
    assert counts[ADA] > counts[DANA] > 0


def test_crm_13_a_widget_whose_report_one_may_not_run_says_so(world: World) -> None:
    board = make(world, report(world, visibility="private"))
    (widget,) = world.read("show_dashboard", {"id": board}, by=LUIS)["widgets"]
    assert widget["fault"] == "you may not run this report"
    assert widget["title"] is None
    assert "Pipeline" not in str(widget)


def test_crm_13_only_its_owner_changes_a_dashboard_and_private_ones_are_seen_by_nobody_else(world: World) -> None:
    board = make(world, report(world))
    for values in ({"name": "Mine"}, {"visibility": "private"}):
        with pytest.raises(Forbidden):
            change(world, board, values, by=LUIS)
    with pytest.raises(Forbidden):
        remove(world, board, "dashboard", by=LUIS)
    change(world, board, {"visibility": "private"})
    assert world.ids("dashboard", by=LUIS) == []
    with pytest.raises(NotFound):
        world.read("show_dashboard", {"id": board}, by=LUIS)
    remove(world, board, "dashboard")
    assert world.ids("dashboard", by=ADA) == []
    assert len(world.ids("report")) == 1


def test_crm_13_a_deleted_report_leaves_the_dashboards_that_showed_it(world: World) -> None:
    first, second = report(world), report(world, "Other")
    board = make(world, first, second)
    remove(world, first, "report")
    assert [item["report_id"] for item in world.ask("get", id=board)["record"]["widgets"]] == [second]


def test_crm_13_a_dashboard_shows_reports_that_its_maker_may_run(world: World) -> None:
    hidden = report(world, by=LUIS, visibility="private")
    with pytest.raises(Invalid, match="there is no report"):
        make(world, hidden)
    make(world, report(world))
    with pytest.raises(Invalid, match="already"):
        make(world, report(world, "Third"))
