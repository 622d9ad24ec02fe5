"""What every save has in common (X-5): permission, lock (X-7), rules, write, history (CRM-11), notifications.

Each kind of record gives a `RecordType`: its input model, its own rules, and what follows from a save.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from ...kit.call import Context
from ...kit.errors import Conflict, Forbidden
from ...kit.roles import Row
from ..rules import TRACKED, history_text
from .access import ALL, WRITE, User, reader
from .activity_days import refresh
from .changes import Change
from .inputs import Created, Updated
from .kinds import KINDS, WHO, Kind, kind_of

if TYPE_CHECKING:
    from .duplicates import Finder

_LOCK_COLUMNS = frozenset({"row_version", "updated_at", "updated_by"})


_BIN_COLUMNS = frozenset({"is_deleted", "deleted_at", "deleted_by", "delete_batch"})
RULES: list[Callable[[Context, Kind, str], None]] = []
"""What is held against every record that was created or changed: validation rules, which may refuse it."""


def _hold_rules(ctx: Context, kind: Kind, record_id: str) -> None:
    for rule in RULES:
        rule(ctx, kind, record_id)


def _nothing(_change: Change) -> None:
    return None


@dataclass(frozen=True)
class RecordType:
    """One kind of record. `rules` fills and checks the columns to be; `follow` writes what depends on them.

    `begin` sets what a new record holds where nothing is given.
    """

    kind: Kind
    model: type[BaseModel]
    changes: type[BaseModel]
    rules: Callable[[Change], None]
    follow: Callable[[Change], None] = _nothing
    begin: Callable[[Change], None] = _nothing


GUARDS: list[Callable[[Change, bool, Finder | None], None]] = []
"""What may still refuse a save whose own rules hold (row 14): the save, whether duplicates are allowed, a finder that
the command has already."""
TYPES: dict[str, RecordType] = {}
"""The record types by kind, for what is done with records of any kind. Of two of one kind the first counts."""


def record_type(
    kind: str,
    model: type[BaseModel],
    changes: type[BaseModel],
    rules: Callable[[Change], None],
    follow: Callable[[Change], None] = _nothing,
    begin: Callable[[Change], None] = _nothing,
) -> RecordType:
    """The record type of the kind called `kind`."""
    made = RecordType(KINDS[kind], model, changes, rules, follow, begin)
    TYPES.setdefault(kind, made)
    return made


def name_of(ctx: Context, kind: Kind, record_id: str) -> str:
    """What a record is called."""
    row = ctx.store.one(f"SELECT {kind.name_sql.format(t='t')} AS name FROM {kind.table} t WHERE id = ?", (record_id,))
    return "" if row is None else str(row["name"])


def create(
    ctx: Context,
    record: RecordType,
    values: BaseModel,
    preset: dict[str, Any] | None = None,
    *,
    finder: Finder | None = None,
) -> Created:
    """Write a new record. `preset`: columns that the operation fixes. Raises Forbidden, Invalid, Duplicate."""
    user = User(ctx)
    user.need(record.kind, "create")
    given = values.model_dump(exclude_unset=True)
    allow = bool(given.pop("allow_duplicates", False))
    change = Change(user, record.kind, record.model, given, None)
    change.after |= ({"owner_id": user.id} if record.kind.is_owned else {}) | (preset or {})
    record.begin(change)
    change.check_fields()
    record.rules(change)
    change.raise_faults()
    for guard in GUARDS:
        guard(change, allow, finder)
    change.after |= {
        "id": ctx.new_id(record.kind.table),
        "created_at": ctx.now,
        "created_by": ctx.person_id,
        "updated_at": ctx.now,
        "updated_by": ctx.person_id,
    }
    ctx.insert(record.kind.table, change.columns())
    record.follow(change)
    _hold_rules(ctx, record.kind, str(change.after["id"]))
    tell_owner(change)
    record_id = str(change.after["id"])
    return Created(id=record_id, row_version=1, name=name_of(ctx, record.kind, record_id))


def update(
    ctx: Context,
    record: RecordType,
    record_id: str,
    row_version: int,
    values: BaseModel,
    *,
    move_open_activities: bool = False,
    allow_duplicates: bool = False,
    finder: Finder | None = None,
) -> Updated:
    """Change the given fields of a record. Nothing is written where nothing differs.

    Raises NotFound, Forbidden, Conflict (X-7), Invalid, Duplicate.
    """
    user = User(ctx)
    before = user.load(record.kind, record_id, WRITE)
    given = values.model_dump(exclude_unset=True)
    check_lock(ctx, record.kind, before, row_version, given)
    change = Change(user, record.kind, record.changes, given, before)
    change.check_fields()
    if record.kind.is_owned and change.moved("owner_id") and before["level"] < ALL:
        message = "only the owner, a manager above or an administrator may give this to someone else"
        raise Forbidden(message, field="owner_id")
    record.rules(change)
    change.raise_faults()
    for guard in GUARDS:
        guard(change, allow_duplicates, finder)
    written = save(ctx, record.kind, before, change.columns())
    if written == before["row_version"]:
        return Updated(id=record_id, row_version=written)
    record.follow(change)
    tell_owner(change)
    if move_open_activities and change.moved("owner_id"):
        _move_open_activities(change)
    return Updated(id=record_id, row_version=written)


def save(ctx: Context, kind: Kind, before: Row, columns: dict[str, Any], *, parts: bool = False) -> int:
    """Write changed columns of a row, its version, and its history. Returns the version, as before if none differs.

    `parts`: what belongs to the record has changed, so that it has a new version whatever its own columns hold.
    """
    moved = {name: value for name, value in columns.items() if value != before[name]}
    if not moved and not parts:
        return int(before["row_version"])
    version = int(before["row_version"]) + 1
    touch = {"updated_at": ctx.now, "updated_by": ctx.person_id, "row_version": version}
    ctx.update(kind.table, before["id"], moved | touch)
    if parts or moved.keys() - _BIN_COLUMNS:
        _hold_rules(ctx, kind, before["id"])
    for field in TRACKED.get(kind.name, ()):
        if field in moved:
            _write_history(ctx, kind, before["id"], field, before[field], moved[field])
    return version


def touch(ctx: Context, kind: Kind, record_id: str) -> int:
    """Count a change of what belongs to a record as one of the record (X-7). Returns the version."""
    row = ctx.store.get(kind.table, record_id)
    version = int(row["row_version"]) + 1 if row else 1
    ctx.update(kind.table, record_id, {"updated_at": ctx.now, "updated_by": ctx.person_id, "row_version": version})
    return version


def _write_history(ctx: Context, kind: Kind, record_id: str, field: str, old: Any, new: Any) -> None:
    ctx.insert(
        "crm_field_history",
        {
            "id": ctx.new_id("crm_field_history"),
            "object": kind.name,
            "record_id": record_id,
            "field": field,
            "old_value": history_text(old),
            "new_value": history_text(new),
            "changed_at": ctx.now,
            "changed_by": ctx.person_id,
        },
    )


def tell_owner(change: Change) -> None:
    """Notify a new owner who is somebody else."""
    ctx = change.ctx
    if not change.kind.is_owned or change.after["owner_id"] == ctx.person_id or not change.moved("owner_id"):
        return
    owner = change.after["owner_id"]
    if kind_of(owner).name != "user":
        return
    record_id = str(change.after["id"])
    name = name_of(ctx, change.kind, record_id)
    is_task = change.kind.name == "task"
    what = "assigned you the task" if is_task else f"made you the owner of the {change.kind.label.lower()}"
    ctx.insert(
        "crm_notification",
        {
            "id": ctx.new_id("crm_notification"),
            "person_id": owner,
            "kind": "task_assigned" if is_task else "owner_changed",
            "object": change.kind.name,
            "record_id": record_id,
            "body": f"{ctx.person['name']} {what} {name}",
            "created_at": ctx.now,
            "created_by": ctx.person_id,
        },
    )


def _move_open_activities(change: Change) -> None:
    """Give the old owner's open tasks and coming events about a record to its new owner."""
    ctx, column = change.ctx, "who_id" if change.kind.name in WHO else "what_id"
    still_open = {"task": "status <> 'Completed'", "event": "end_at > :now"}
    for kind, is_open in still_open.items():
        rows = ctx.store.all(
            f"SELECT * FROM {KINDS[kind].table} WHERE {column} = :id AND owner_id = :owner AND is_deleted = 0 "
            f"AND {is_open} ORDER BY id",
            {"id": change.after["id"], "owner": change.was("owner_id"), "now": ctx.now},
        )
        for row in rows:
            save(ctx, KINDS[kind], row, {"owner_id": change.after["owner_id"]})
            refresh(ctx, row["what_id"])


def check_lock(ctx: Context, kind: Kind, row: Row, given: int, yours: dict[str, Any] | None = None) -> None:
    """Optimistic locking (X-7). Raises Conflict that names who changed which fields since `given` was read."""
    if row["row_version"] == given:
        return
    person = ctx.store.get("org_person", row["updated_by"])
    who = person["name"] if person else row["updated_by"]
    fields = _changed_since(ctx, kind, row["id"], given)
    message = f"{who} changed this {kind.label.lower()} since you opened it"
    if fields:
        message += f": {', '.join(fields)}"
    message += f" (you have version {given}, it is now {row['row_version']})"
    details = {
        "changed_by": row["updated_by"],
        "changed_by_name": who,
        "changed_at": row["updated_at"],
        "row_version": row["row_version"],
        "fields": fields,
    }
    raise Conflict(message, field="row_version", details=details | ({"yours": yours} if yours else {}))


def _changed_since(ctx: Context, kind: Kind, record_id: str, version: int) -> list[str]:
    effects = ctx.store.all(
        "SELECT old, new FROM jrn_effect WHERE tbl = ? AND key = json_array(?) AND old IS NOT NULL "
        "AND json_extract(new, '$.row_version') > ? ORDER BY id",
        (kind.table, record_id, version),
    )
    names: set[str] = set()
    for effect in effects:
        old, new = json.loads(effect["old"]), json.loads(effect["new"])
        moved = {name for name in new if old[name] != new[name] and not name.endswith(("_norm", "_digits"))}
        names |= moved if moved - _LOCK_COLUMNS or kind.name != "note" else {"record_ids"}
    return sorted(names - _LOCK_COLUMNS - reader(ctx).hidden(kind.name))
