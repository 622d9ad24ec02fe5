"""Dashboards (CRM-13): saved reports side by side, as figures, charts or tables, each run as whoever looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, Field

from ...kit.call import Context
from ...kit.errors import BadQuery, Forbidden, Invalid, NotFound, ServiceError
from ...kit.fields import Id, Line, Version
from ...kit.norm import norm
from ...kit.operations import Input, command, query
from ...kit.roles import Row
from ..rules_reports import MAX_WIDGETS
from .access import WRITE, User, reader
from .inputs import Created, Deleted, DeleteInput, RecordInput, Updated
from .kinds import KINDS
from .records import check_lock
from .report_results import RunReportInput
from .report_run import run_report

_TABLE, _WIDGETS = "crm_dashboard", "crm_dashboard_widget"
_KIND = KINDS["dashboard"]
_PLAIN = {"folder": "Unfiled", "visibility": "private"}


class Widget(Input):
    """One report on a dashboard: its first figure over everything, a chart, or its table."""

    report_id: Id
    kind: Literal["metric", "bar", "column", "line", "table"] = "table"
    title: Line | None = Field(default=None, max_length=80, description="The report's name, where left out.")


class DashboardChanges(RecordInput):
    """What a dashboard shows, and who sees it."""

    name: Line | None = Field(default=None, title="Dashboard name", max_length=80)
    folder: Line | None = Field(default=None, title="Folder", max_length=40)
    visibility: Literal["private", "public"] | None = Field(default=None, title="Who sees it")
    widgets: list[Widget] | None = Field(default=None, title="Widgets", min_length=1, max_length=MAX_WIDGETS)


class DashboardInput(DashboardChanges):
    """A new dashboard."""

    name: Line = Field(title="Dashboard name", max_length=80)
    widgets: list[Widget] = Field(title="Widgets", min_length=1, max_length=MAX_WIDGETS)


class UpdateDashboardInput(Input):
    """Changes of one dashboard; widgets are replaced as a whole."""

    id: Id
    row_version: Version
    values: DashboardChanges


class DashboardKey(Input):
    """Which dashboard to show."""

    id: Id


class Shown(BaseModel):
    """A dashboard with the results of its reports; `fault` says why one cannot be shown to the person."""

    id: str
    name: str
    widgets: list[dict[str, Any]]


def _columns(user: User, given: Mapping[str, Any], before: Row | None) -> dict[str, Any]:
    found = {}
    for name, plain in (("name", None), *_PLAIN.items()):
        if name in given and given[name] is None:
            raise Invalid(f"{name} cannot be empty", field=name)
        found[name] = given.get(name, plain if before is None else before[name])
    owner = user.id if before is None else before["owner_id"]
    sql = f"SELECT id FROM {_TABLE} WHERE owner_id = ? AND name_norm = ?"
    other = user.ctx.store.one(sql, (owner, norm(found["name"])))
    if other is not None and (before is None or other["id"] != before["id"]):
        raise Invalid(f'there is a dashboard called "{found["name"]}" of this owner already', field="name")
    return found | {"name_norm": norm(found["name"]), "owner_id": owner}


def _write_widgets(user: User, dashboard_id: str, widgets: Sequence[Widget]) -> bool:
    """Make the dashboard's widgets these. Raises Invalid for a report that the person may not run."""
    store, ctx = user.ctx.store, user.ctx
    old = {int(row["pos"]): dict(row) for row in store.select(_WIDGETS, dashboard_id=dashboard_id)}
    kept = {row["report_id"] for row in old.values()}
    new = {}
    for pos, item in enumerate(widgets, 1):
        if item.report_id not in kept and not _is_runnable(user, item.report_id):
            raise Invalid(f'there is no report "{item.report_id}"', field="widgets")
        new[pos] = {"dashboard_id": dashboard_id, "pos": pos, **item.model_dump()}
    for pos in sorted(old.keys() - new.keys()):
        ctx.delete(_WIDGETS, (dashboard_id, pos))
    for pos, row in new.items():
        if pos not in old:
            ctx.insert(_WIDGETS, row)
        elif row != old[pos]:
            changed = {name: value for name, value in row.items() if value != old[pos][name]}
            ctx.update(_WIDGETS, (dashboard_id, pos), changed)
    return old != new


def _is_runnable(user: User, report_id: str) -> bool:
    try:
        user.load(KINDS["report"], report_id)
    except NotFound:
        return False
    return True


@command("crm")
def create_dashboard(ctx: Context, values: DashboardInput) -> Created:
    """Save a dashboard."""
    user = User(ctx)
    user.need(_KIND, "create")
    row = _columns(user, values.model_dump(exclude_unset=True), None)
    dashboard_id = ctx.new_id(_TABLE)
    trail = {"created_at": ctx.now, "created_by": user.id, "updated_at": ctx.now, "updated_by": user.id}
    ctx.insert(_TABLE, {"id": dashboard_id, **row, **trail})
    _write_widgets(user, dashboard_id, values.widgets)
    return Created(id=dashboard_id, row_version=1, name=row["name"])


def _own(ctx: Context, dashboard_id: str, verb: str) -> tuple[User, Row]:
    user = User(ctx)
    user.need(_KIND, verb)
    row = user.load(_KIND, dashboard_id)
    if row["level"] < WRITE:
        raise Forbidden("only the owner of a dashboard and administrators may change it")
    return user, row


@command("crm")
def update_dashboard(ctx: Context, values: UpdateDashboardInput) -> Updated:
    """Change a dashboard. Only its owner may."""
    user, before = _own(ctx, values.id, "edit")
    given = values.values.model_dump(exclude_unset=True)
    check_lock(ctx, _KIND, before, values.row_version, given)
    row = _columns(user, given, before)
    if "widgets" in given and values.values.widgets is None:
        raise Invalid("widgets cannot be empty", field="widgets")
    moved = {name: value for name, value in row.items() if value != before[name]}
    shown = values.values.widgets is not None and _write_widgets(user, values.id, values.values.widgets)
    version = int(before["row_version"])
    if moved or shown:
        version += 1
        touch = {"updated_at": ctx.now, "updated_by": ctx.person_id, "row_version": version}
        ctx.update(_TABLE, values.id, moved | touch)
    return Updated(id=values.id, row_version=version)


@command("crm")
def delete_dashboard(ctx: Context, values: DeleteInput) -> Deleted:
    """Delete a dashboard, for good. Its reports stay. Only its owner may."""
    user, row = _own(ctx, values.id, "delete")
    if values.row_version is not None:
        check_lock(ctx, _KIND, row, values.row_version)
    _write_widgets(user, values.id, ())
    ctx.delete(_TABLE, values.id)
    return Deleted(id=values.id, deleted=1)


@query("crm")
def show_dashboard(ctx: Context, values: DashboardKey) -> Shown:
    """A dashboard with its reports, each run with your access."""
    user = reader(ctx)
    row = user.load(_KIND, values.id)
    rows = sorted(ctx.store.select(_WIDGETS, dashboard_id=values.id), key=lambda item: int(item["pos"]))
    return Shown(id=row["id"], name=row["name"], widgets=[_ran(ctx, item) for item in rows])


def _ran(ctx: Context, widget: Row) -> dict[str, Any]:
    found = {"report_id": widget["report_id"], "kind": widget["kind"], "title": widget["title"]}
    try:
        report = run_report(ctx, RunReportInput(id=widget["report_id"], limit=10, max_groups=50, details=False))
    except (BadQuery, NotFound, Forbidden) as error:
        reason: ServiceError = error
        return found | {"fault": "you may not run this report" if isinstance(reason, NotFound) else reason.message}
    return found | {"report": report.model_dump(), "title": widget["title"] or report.name}
