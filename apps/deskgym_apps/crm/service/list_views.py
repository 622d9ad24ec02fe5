"""Saved list views (CRM-6): filters, columns and order under a name, for oneself, public groups, or everybody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from ...kit.call import Context, canonical_json
from ...kit.errors import Forbidden, Invalid
from ...kit.fields import Id, Line, Version
from ...kit.norm import norm
from ...kit.operations import Input, command
from ...kit.roles import Row
from ..rules_views import MAX_COLUMNS, MAX_FILTERS, MAX_SORTS, Filter, normal_form
from .access import WRITE, User
from .catalog import catalog
from .conditions import Condition
from .inputs import Created, Deleted, DeleteInput, RecordInput, Updated
from .kinds import KINDS, RECORDS, VIEW
from .records import check_lock
from .selection import Selection
from .view_definitions import Definition, Sort, checked_keys, kept_filters, stored

Visibility = Literal["private", "groups", "all"]
_TABLE, _FILTERS, _SHARES, _PINS = (
    "crm_list_view",
    "crm_list_view_filter",
    "crm_list_view_share",
    "crm_ui_pinned_view",
)


class ListViewChanges(RecordInput):
    """What a list view says."""

    name: Line | None = Field(default=None, title="View name", max_length=80)
    visibility: Visibility | None = Field(
        default=None, title="Who sees it", description="private: only you; groups: the groups of group_ids; all."
    )
    group_ids: list[Id] | None = Field(
        default=None, title="Groups", max_length=20, description="Public groups that see it; with visibility groups."
    )
    scope: Literal["all", "mine"] | None = Field(
        default=None, title="Scope", description="mine: only records that the person who looks owns."
    )
    filters: list[Condition] | None = Field(
        default=None, title="Filters", max_length=MAX_FILTERS, description="At most 10 conditions, as in crm_query."
    )
    filter_logic: Line | None = Field(
        default=None,
        title="Filter logic",
        max_length=200,
        description="How the filters are joined, by number: 1 AND (2 OR 3). Left out, all must hold.",
    )
    columns: list[str] | None = Field(
        default=None,
        title="Columns",
        min_length=1,
        max_length=MAX_COLUMNS,
        description="1 to 15 fields in order; the usual ones where left out.",
    )
    sort: list[Sort] | None = Field(default=None, title="Sort", max_length=MAX_SORTS)
    owner_id: Id | None = Field(default=None, title="Owner", description="You, where left out.")


class ListViewInput(ListViewChanges):
    """A new list view."""

    object: str = Field(description=f"One of {', '.join(RECORDS)}.", json_schema_extra={"enum": list(RECORDS)})
    name: Line = Field(title="View name", max_length=80)


class UpdateListViewInput(Input):
    """Changes of one list view: what is given replaces what was there, filters and columns as a whole."""

    id: Id
    row_version: Version
    values: ListViewChanges


class PinInput(Input):
    """Which view a list opens with."""

    object: str = Field(description=f"One of {', '.join(RECORDS)}.")
    list_view_id: Id | None = Field(default=None, description="The view; none: all records, as without views.")


class _Draft:
    """A view in the making: the row's columns, its filters and its groups."""

    def __init__(self, user: User, given: Mapping[str, Any], values: ListViewChanges, before: Row | None) -> None:
        self.user, self.given, self.values, self.before = user, given, values, before
        self.object = str(given["object"] if before is None else before["object"])
        if self.object not in RECORDS:
            raise Invalid(f'there are no lists of "{self.object}"', field="object", allowed=RECORDS)
        user.need(KINDS[self.object], "read")
        self.selection = Selection(user, KINDS[self.object])
        self.old: Definition | None = None if before is None else stored(user, before)
        self.filters = self._filters()
        self.groups = self._groups()
        self.row = self._row()

    def _was(self, column: str, fallback: Any) -> Any:
        return fallback if self.before is None else self.before[column]

    def _kept(self, name: str, fallback: Any) -> Any:
        given = getattr(self.values, name)
        if given is None and name in self.given and name != "filter_logic":
            raise Invalid(f"{name} cannot be empty", field=name)
        return self._was(name, fallback) if name not in self.given else given

    @property
    def logic(self) -> str | None:
        """The logic as it will stand; new filters without new logic are all to hold."""
        if "filter_logic" in self.given or self.old is None or "filters" in self.given:
            return self.values.filter_logic
        return self.old.logic

    def _filters(self) -> list[Filter]:
        if "filters" in self.given or self.old is None:
            return kept_filters(self.selection, self.values.filters or [], self.logic)
        kept_filters(self.selection, self.old.conditions, self.logic)
        return list(self.old.filters)

    def _groups(self) -> list[str]:
        visibility = self._kept("visibility", "private")
        had = [row["group_id"] for row in _shares(self.user.ctx, self.before)]
        wanted = sorted(set(self.values.group_ids or ())) if "group_ids" in self.given else had
        if visibility != "groups":
            if self.values.group_ids:
                raise Invalid(f"group_ids go with visibility groups, not with {visibility}", field="group_ids")
            return []
        known = {row["id"] for row in self.user.ctx.store.all("SELECT id FROM crm_group WHERE kind = 'public_group'")}
        for group_id in wanted:
            if group_id not in known:
                raise Invalid(f'there is no public group "{group_id}"', field="group_ids")
        if not wanted:
            raise Invalid("name at least one group that sees the view", field="group_ids")
        return wanted

    def _columns(self) -> list[str]:
        if "columns" in self.given and self.values.columns is not None:
            return checked_keys(self.selection, self.values.columns, "columns", MAX_COLUMNS)
        if self.old is not None:
            return list(self.old.columns)
        shown, parents = set(self.selection.names()), self.selection.parents()
        usual = catalog(self.object).columns
        return [key for key in usual if key in shown or ("." in key and key.partition(".")[0] in parents)]

    def _sort(self) -> list[list[str]]:
        wanted = self.values.sort if "sort" in self.given else self.old.sort if self.old is not None else ()
        if "sort" in self.given:
            checked_keys(self.selection, [item.field for item in wanted or ()], "sort", MAX_SORTS)
        return [[item.field, item.direction] for item in wanted or ()]

    def _row(self) -> dict[str, Any]:
        name, scope = self._kept("name", None), self._kept("scope", "all")
        owner = self._kept("owner_id", self.user.id)
        _check_owner(self.user, owner, self._was("owner_id", self.user.id))
        _check_name(self.user, self.object, owner, name, None if self.before is None else self.before["id"])
        return {
            "object": self.object,
            "name": name,
            "name_norm": norm(name),
            "owner_id": owner,
            "visibility": self._kept("visibility", "private"),
            "scope": scope,
            "filter_logic": self.logic,
            "conditions": normal_form(self.filters, self.logic, scope),
            "columns": canonical_json(self._columns()),
            "sort": canonical_json(self._sort()),
        }


def _check_owner(user: User, owner: str, before: str) -> None:
    if owner == before:
        return
    row = user.ctx.store.one("SELECT is_active FROM crm_user WHERE person_id = ?", (owner,))
    if row is None or not row["is_active"]:
        raise Invalid(f'there is no active user "{owner}"', field="owner_id")


def _check_name(user: User, kind: str, owner: str, name: str, own_id: str | None) -> None:
    sql = f"SELECT id FROM {_TABLE} WHERE object = ? AND owner_id = ? AND name_norm = ?"
    other = user.ctx.store.one(sql, (kind, owner, norm(name)))
    if other is not None and other["id"] != own_id:
        whose = "you have" if owner == user.id else "the owner has"
        raise Invalid(f'{whose} a list view called "{name}" already', field="name")


def _shares(ctx: Context, before: Row | None) -> list[Row]:
    if before is None:
        return []
    return list(ctx.store.all(f"SELECT * FROM {_SHARES} WHERE list_view_id = ? ORDER BY group_id", (before["id"],)))


def _part(view_id: str, pos: int, item: Filter) -> dict[str, Any]:
    value = None if item.value is None else canonical_json(item.value)
    return {"list_view_id": view_id, "pos": pos, "field": item.field, "type": item.type, "op": item.op, "value": value}


def _write_filters(ctx: Context, view_id: str, filters: Sequence[Filter]) -> bool:
    """Make the view's filters these. Returns whether any changed."""
    old = {int(row["pos"]): dict(row) for row in ctx.store.select(_FILTERS, list_view_id=view_id)}
    new = {pos: _part(view_id, pos, item) for pos, item in enumerate(filters, 1)}
    for pos in sorted(old.keys() - new.keys()):
        ctx.delete(_FILTERS, (view_id, pos))
    for pos, row in new.items():
        if pos not in old:
            ctx.insert(_FILTERS, row)
        elif row != old[pos]:
            changed = {name: value for name, value in row.items() if value != old[pos][name]}
            ctx.update(_FILTERS, (view_id, pos), changed)
    return old != new


def _write_shares(ctx: Context, view_id: str, groups: Sequence[str], before: Row | None) -> bool:
    old = {row["group_id"] for row in _shares(ctx, before)}
    for group_id in sorted(old - set(groups)):
        ctx.delete(_SHARES, (view_id, group_id))
    for group_id in sorted(set(groups) - old):
        ctx.insert(_SHARES, {"list_view_id": view_id, "group_id": group_id})
    return old != set(groups)


@command("crm")
def create_list_view(ctx: Context, values: ListViewInput) -> Created:
    """Save a list view."""
    user = User(ctx)
    user.need(KINDS[VIEW], "create")
    draft = _Draft(user, values.model_dump(exclude_unset=True), values, None)
    view_id = ctx.new_id(_TABLE)
    trail = {"created_at": ctx.now, "created_by": user.id, "updated_at": ctx.now, "updated_by": user.id}
    ctx.insert(_TABLE, {"id": view_id, **draft.row, **trail})
    _write_filters(ctx, view_id, draft.filters)
    _write_shares(ctx, view_id, draft.groups, None)
    return Created(id=view_id, row_version=1, name=draft.row["name"])


def _own(ctx: Context, view_id: str) -> tuple[User, Row]:
    user = User(ctx)
    user.need(KINDS[VIEW], "edit")
    row = user.load(KINDS[VIEW], view_id)
    if row["level"] < WRITE:
        raise Forbidden("only the owner of a list view and administrators may change it; save a copy of your own")
    return user, row


@command("crm")
def update_list_view(ctx: Context, values: UpdateListViewInput) -> Updated:
    """Change a list view: its name, who sees it, scope, filters, columns or order. Only its owner may."""
    user, before = _own(ctx, values.id)
    given = values.values.model_dump(exclude_unset=True)
    check_lock(ctx, KINDS[VIEW], before, values.row_version, given)
    draft = _Draft(user, given, values.values, before)
    moved = {name: value for name, value in draft.row.items() if value != before[name]}
    filtered = _write_filters(ctx, values.id, draft.filters)
    shared = _write_shares(ctx, values.id, draft.groups, before)
    version = int(before["row_version"])
    if moved or filtered or shared:
        version += 1
        touch = {"updated_at": ctx.now, "updated_by": ctx.person_id, "row_version": version}
        ctx.update(_TABLE, values.id, moved | touch)
    return Updated(id=values.id, row_version=version)


@command("crm")
def delete_list_view(ctx: Context, values: DeleteInput) -> Deleted:
    """Delete a list view, for good. The records it lists stay. Only its owner may."""
    _, row = _own(ctx, values.id)
    if values.row_version is not None:
        check_lock(ctx, KINDS[VIEW], row, values.row_version)
    _write_filters(ctx, values.id, ())
    _write_shares(ctx, values.id, (), row)
    for pin in ctx.store.all(f"SELECT * FROM {_PINS} WHERE list_view_id = ? ORDER BY person_id", (values.id,)):
        ctx.delete(_PINS, (pin["person_id"], pin["object"]))
    ctx.delete(_TABLE, values.id)
    return Deleted(id=values.id, deleted=1)


@command("crm")
def pin_list_view(ctx: Context, values: PinInput) -> dict[str, Any]:
    """Let a list open with a view, or without one again."""
    user = User(ctx)
    if values.object not in RECORDS:
        raise Invalid(f'there are no lists of "{values.object}"', field="object", allowed=RECORDS)
    if values.list_view_id is not None:
        row = user.load(KINDS[VIEW], values.list_view_id)
        if row["object"] != values.object:
            raise Invalid(f"this view lists {KINDS[row['object']].plural.lower()}", field="list_view_id")
    key = (user.id, values.object)
    known = ctx.store.one(f"SELECT 1 FROM {_PINS} WHERE person_id = ? AND object = ?", key) is not None
    if known:
        ctx.delete(_PINS, key)
    if values.list_view_id is not None:
        ctx.insert(_PINS, {"person_id": user.id, "object": values.object, "list_view_id": values.list_view_id})
    return {"object": values.object, "list_view_id": values.list_view_id}
