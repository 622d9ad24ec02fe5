"""What every change of the set-up has in common: administrators only, lock (X-7), rules, one write.

A kind of setting gives a `SettingType`: its input models and its own rules. Who changed a row last stands in the
journal, so that these tables carry a version but no trail.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from ....kit.call import Context
from ....kit.errors import Conflict, FieldError, Invalid, NotFound
from ....kit.roles import Row
from ..access import User
from ..changes import Change
from ..inputs import Created, Deleted, DeleteInput, Updated
from ..kinds import KINDS, Kind
from ..selection import give_functions

_CHECKED_BY_RULES = (
    "party",
    "owner",
    "member",
    "approver",
)  # lookups of several kinds, which the rules of each setting look at


class SettingChange(Change):
    """One save of a setting in progress. Closed sets are those of the input model, not of picklists."""

    def _take_picklist(self, name: str, value: str, details: Mapping[str, Any]) -> None:
        if "object" in details:
            super()._take_picklist(name, value, details)
        elif name in self.after:
            self.after[name] = value

    def _take_lookup(self, name: str, value: str, details: Mapping[str, Any]) -> None:
        if details["object"] in _CHECKED_BY_RULES:
            self.after[name] = value
        else:
            super()._take_lookup(name, value, details)

    def need_unique(self, column: str, **within: Any) -> None:
        """Refuse a value that another row has, in letters of either case."""
        if not self.moved(column) or not isinstance(self.after[column], str):
            return
        key = self.ctx.store.shapes[self.kind.table].key[0]
        give_functions(self.ctx.store)
        same = "".join(f" AND {name} = :{name}" for name in within)
        sql = f"SELECT {key} FROM {self.kind.table} WHERE norm({column}) = norm(:value) AND {key} IS NOT :own{same}"
        found = self.ctx.conn.execute(sql, {"value": self.after[column], "own": self.after[key], **within}).fetchone()
        if found is not None:
            said = f'there is another {self.kind.label.lower()} called "{self.after[column]}"'
            self.refuse(column, said)


@dataclass(frozen=True)
class SettingType:
    """One kind of setting. `rules` fills and checks the columns to be; `follow` writes what goes with them."""

    kind: Kind
    rules: Callable[[SettingChange], None]
    follow: Callable[[SettingChange], None] | None = None
    key: str = "id"


def administrator(ctx: Context, kind: str, verb: str) -> User:
    """The acting administrator. Raises Forbidden."""
    user = User(ctx)
    user.need(KINDS[kind], verb)
    return user


def create_setting(ctx: Context, setting: SettingType, values: BaseModel) -> Created:
    """Write a new row of the set-up. Raises Forbidden, Invalid."""
    user = administrator(ctx, setting.kind.name, "create")
    change = SettingChange(user, setting.kind, type(values), values.model_dump(exclude_unset=True), None)
    change.check_fields()
    setting.rules(change)
    change.raise_faults()
    change.after[setting.key] = ctx.new_id(setting.kind.table)
    ctx.insert(setting.kind.table, change.columns())
    if setting.follow:
        setting.follow(change)
    return Created(
        id=str(change.after[setting.key]), row_version=1, name=name_of(ctx, setting.kind, change.after["id"])
    )


def update_setting(
    ctx: Context, setting: SettingType, row_id: str, row_version: int, values: BaseModel, *, parts: bool = False
) -> Updated:
    """Change given columns of a row. `parts`: what goes with the row has changed too, so that it has a new version.

    Raises NotFound, Forbidden, Conflict (X-7), Invalid. Nothing is written where nothing differs.
    """
    user = administrator(ctx, setting.kind.name, "edit")
    before = stored(ctx, setting.kind, row_id)
    check_version(ctx, setting.kind, before, setting.key, row_version)
    change = SettingChange(user, setting.kind, type(values), values.model_dump(exclude_unset=True), before)
    change.check_fields()
    setting.rules(change)
    change.raise_faults()
    columns = change.columns()
    if not columns and not parts:
        return Updated(id=row_id, row_version=row_version)
    ctx.update(setting.kind.table, row_id, columns | {"row_version": row_version + 1})
    if setting.follow:
        setting.follow(change)
    return Updated(id=row_id, row_version=row_version + 1)


def delete_setting(
    ctx: Context, kind: Kind, values: DeleteInput, check: Callable[[Context, Row], None] | None = None
) -> Deleted:
    """Remove a row of the set-up for good. `check` may refuse it. Raises NotFound, Forbidden, Conflict, Invalid."""
    administrator(ctx, kind.name, "delete")
    row = stored(ctx, kind, values.id)
    if values.row_version is not None and "row_version" in row:
        check_version(ctx, kind, row, "id", values.row_version)
    if check is not None:
        check(ctx, row)
    ctx.delete(kind.table, values.id)
    return Deleted(id=values.id, deleted=1)


def stored(ctx: Context, kind: Kind, row_id: str) -> Row:
    """A row of the set-up. Raises NotFound."""
    row = ctx.store.get(kind.table, row_id)
    if row is None:
        raise NotFound(f'there is no {kind.label.lower()} "{row_id}"', field="id")
    return row


def name_of(ctx: Context, kind: Kind, row_id: str) -> str:
    """What a row of the set-up is called."""
    sql = f"SELECT {kind.name_sql.format(t='t')} AS name FROM {kind.table} t WHERE t.id = ?"
    row = ctx.store.one(sql, (row_id,))
    return "" if row is None else str(row["name"])


def check_version(ctx: Context, kind: Kind, row: Row, key: str, given: int) -> None:
    """Optimistic locking (X-7). Raises Conflict that names who changed which fields since `given` was read."""
    if row["row_version"] == given:
        return
    effects = ctx.store.all(
        "SELECT e.old, e.new, c.person_id, c.instant, p.name FROM jrn_effect e JOIN jrn_command c ON c.seq = e.seq "
        "LEFT JOIN org_person p ON p.id = c.person_id WHERE e.tbl = ? AND e.key = json_array(?) "
        "AND e.old IS NOT NULL AND e.new IS NOT NULL AND json_extract(e.new, '$.row_version') > ? ORDER BY e.id",
        (kind.table, row[key], given),
    )
    fields: set[str] = set()
    for effect in effects:
        old, new = json.loads(effect["old"]), json.loads(effect["new"])
        fields |= {name for name in new if old[name] != new[name]} - {"row_version"}
    who = effects[-1]["name"] if effects else "somebody"
    told = f": {', '.join(sorted(fields))}" if fields else ""
    message = f"{who} changed this {kind.label.lower()} since you opened it{told}"
    details: dict[str, Any] = {"row_version": row["row_version"], "fields": sorted(fields), "changed_by_name": who}
    if effects:
        details |= {"changed_by": effects[-1]["person_id"], "changed_at": effects[-1]["instant"]}
    raise Conflict(
        f"{message} (you have version {given}, it is now {row['row_version']})", field="row_version", details=details
    )


def refuse(field: str, message: str) -> Invalid:
    """One fault of one field."""
    return Invalid([FieldError(field, message)])
