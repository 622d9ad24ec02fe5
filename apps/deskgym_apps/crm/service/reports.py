"""Saved reports (CRM-13): a definition under a name, in a folder, for oneself or everybody."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ...kit.call import Context, canonical_json
from ...kit.errors import Forbidden, Invalid
from ...kit.norm import norm
from ...kit.operations import command
from ...kit.roles import Row
from ..rules_reports import definition, format_of
from .access import ALL, WRITE, User
from .inputs import Created, Deleted, DeleteInput, Updated
from .kinds import KINDS
from .records import check_lock
from .report_inputs import ReportInput, ReportParts, UpdateReportInput
from .report_specs import SpecMaker, as_given, base_of

_TABLE = "crm_report"
_KIND = KINDS["report"]
_PARTS = tuple(ReportParts.model_fields)
_PLAIN = {"visibility": "private", "folder": "Unfiled", "chart": "none"}


class _Draft:
    """A report in the making: the columns of its row."""

    def __init__(self, user: User, given: Mapping[str, Any], before: Row | None) -> None:
        self.user, self.given, self.before = user, dict(given), before
        base = base_of(user, str(given["object"] if before is None else before["object"]))
        self.spec = SpecMaker(user, base).spec(self._parts())
        self.row = self._row(base.object)

    def _parts(self) -> ReportParts:
        """The definition as it will stand: what is given over what was there."""
        was = {} if self.before is None else as_given(json.loads(self.before["spec"]))
        now = {name: self.given[name] for name in _PARTS if name in self.given}
        if "filters" in now and "filter_logic" not in now:
            was.pop("filter_logic", None)  # new filters without new logic are all to hold
        return ReportParts.model_validate({name: was[name] for name in _PARTS if name in was} | now)

    def _kept(self, name: str, fallback: Any = None) -> Any:
        if name in self.given and self.given[name] is None and name in ("name", "owner_id", *_PLAIN):
            raise Invalid(f"{name} cannot be empty", field=name)
        was = fallback if self.before is None else self.before[name]
        return self.given.get(name, was)

    def _row(self, object: str) -> dict[str, Any]:
        name, owner = self._kept("name"), self._kept("owner_id", self.user.id)
        was = self.user.id if self.before is None else self.before["owner_id"]
        _check_owner(self.user, owner, was, self.before)
        _check_name(self.user, owner, name, None if self.before is None else self.before["id"])
        chart = self._kept("chart", _PLAIN["chart"])
        return {
            "object": object,
            "name": name,
            "name_norm": norm(name),
            "description": self._kept("description"),
            "folder": self._kept("folder", _PLAIN["folder"]),
            "owner_id": owner,
            "visibility": self._kept("visibility", _PLAIN["visibility"]),
            "format": format_of(self.spec),
            "spec": canonical_json(self.spec),
            "definition": definition(self.spec),
            "chart": chart,
            "chart_measure": self._chart_measure(chart),
        }

    def _chart_measure(self, chart: str) -> str | None:
        measures = self.spec["measures"]
        if chart == "none":
            return None
        if not self.spec.get("rows"):
            raise Invalid("a chart needs groups", field="chart")
        given = self.given.get("chart_measure")
        if given is not None and given not in measures:
            raise Invalid(f'"{given}" is none of the figures', field="chart_measure", allowed=tuple(measures))
        kept = None if self.before is None or "chart_measure" in self.given else self.before["chart_measure"]
        return str(given or (kept if kept in measures else measures[0]))


def _check_owner(user: User, owner: str, was: str, before: Row | None) -> None:
    if owner == was:
        return
    if before is not None and before["level"] < ALL:
        raise Forbidden("only the owner of a report and administrators may give it to somebody else")
    row = user.ctx.store.one("SELECT is_active FROM crm_user WHERE person_id = ?", (owner,))
    if row is None or not row["is_active"]:
        raise Invalid(f'there is no active user "{owner}"', field="owner_id")


def _check_name(user: User, owner: str, name: str, own_id: str | None) -> None:
    other = user.ctx.store.one(f"SELECT id FROM {_TABLE} WHERE owner_id = ? AND name_norm = ?", (owner, norm(name)))
    if other is not None and other["id"] != own_id:
        whose = "you have" if owner == user.id else "the owner has"
        raise Invalid(f'{whose} a report called "{name}" already', field="name")


@command("crm")
def create_report(ctx: Context, values: ReportInput) -> Created:
    """Save a report."""
    user = User(ctx)
    user.need(_KIND, "create")
    draft = _Draft(user, values.model_dump(exclude_unset=True), None)
    report_id = ctx.new_id(_TABLE)
    trail = {"created_at": ctx.now, "created_by": user.id, "updated_at": ctx.now, "updated_by": user.id}
    ctx.insert(_TABLE, {"id": report_id, **draft.row, **trail})
    return Created(id=report_id, row_version=1, name=draft.row["name"])


@command("crm")
def update_report(ctx: Context, values: UpdateReportInput) -> Updated:
    """Change a report: its owner may, and everybody where it is editable. Private again only its owner makes it."""
    user = User(ctx)
    user.need(_KIND, "edit")
    before = user.load(_KIND, values.id)
    if before["level"] < WRITE:
        raise Forbidden("only the owner of this report and administrators may change it; save a copy of your own")
    given = values.values.model_dump(exclude_unset=True)
    check_lock(ctx, _KIND, before, values.row_version, given)
    if before["level"] < ALL and given.get("visibility", before["visibility"]) != before["visibility"]:
        raise Forbidden("only the owner of a report and administrators say who may use it")
    draft = _Draft(user, given, before)
    moved = {name: value for name, value in draft.row.items() if value != before[name]}
    version = int(before["row_version"])
    if moved:
        version += 1
        touch = {"updated_at": ctx.now, "updated_by": ctx.person_id, "row_version": version}
        ctx.update(_TABLE, values.id, moved | touch)
    return Updated(id=values.id, row_version=version)


@command("crm")
def delete_report(ctx: Context, values: DeleteInput) -> Deleted:
    """Delete a report, for good, with the widgets that show it. The records in it stay. Only its owner may."""
    user = User(ctx)
    user.need(_KIND, "delete")
    row = user.load(_KIND, values.id)
    if row["level"] < ALL:
        raise Forbidden("only the owner of a report and administrators may delete it")
    if values.row_version is not None:
        check_lock(ctx, _KIND, row, values.row_version)
    for widget in ctx.store.select("crm_dashboard_widget", report_id=values.id):
        ctx.delete("crm_dashboard_widget", (widget["dashboard_id"], widget["pos"]))
    ctx.delete(_TABLE, values.id)
    return Deleted(id=values.id, deleted=1)
