"""Merging two or three records of one object into one of them (CRM-4).

The survivor keeps its own values but for those that are chosen from another record. What pointed to the others points
to it afterwards. The others go to the recycle bin, each by itself, and say which record they were merged into.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, Field

from ...kit.call import Context
from ...kit.errors import FieldError, Forbidden, Invalid, NotFound, nearest
from ...kit.fields import Id
from ...kit.operations import Input, command, query
from .access import ALL, WRITE, User, reader
from .activity_days import refresh
from .catalog import MODELS
from .changes import Change
from .inputs import label
from .kinds import KINDS, Kind, kind_of
from .naming import name_columns, named
from .records import TYPES, check_lock, name_of, save, tell_owner
from .selection import Selection

MERGED = ("account", "contact", "lead")
FEWEST, MOST = 2, 3
# The columns that say which record a row belongs to, by kind of the record
_POINTERS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "account": (
        ("account", "parent_id"),
        ("contact", "account_id"),
        ("opportunity", "account_id"),
        ("case", "account_id"),
        ("task", "what_id"),
        ("event", "what_id"),
        ("lead", "converted_account_id"),
    ),
    "contact": (
        ("contact", "reports_to_id"),
        ("case", "contact_id"),
        ("quote", "contact_id"),
        ("task", "who_id"),
        ("event", "who_id"),
        ("lead", "converted_contact_id"),
    ),
    "lead": (("task", "who_id"), ("event", "who_id")),
}
_MAIL = {"account": "what_id", "contact": "who_id", "lead": "who_id"}
# Tables whose key holds the record
_KEYED: Mapping[str, tuple[tuple[str, str], ...]] = {
    "account": (("crm_account_contact", "account_id"),),
    "contact": (("crm_account_contact", "contact_id"), ("crm_opportunity_contact_role", "contact_id")),
    "lead": (),
}
_OF_ANY = (("crm_note_link", "record_id"), ("crm_record_share", "record_id"))
_ABOVE = {"account": "parent_id", "contact": "reports_to_id"}
_WITH = {"annual_revenue": "currency"}  # an amount is chosen together with its currency
_NOT_CHOSEN = frozenset({*_WITH.values(), "unread"})

Row = Mapping[str, Any]


class MergeInput(Input):
    """Records to merge, and whose value of which field wins."""

    survivor: Id = Field(title="Survivor", description="The record that stays.")
    losers: list[Id] = Field(
        min_length=1, max_length=MOST - 1, title="Losers", description="One or two others of the same object."
    )
    field_choices: dict[str, Id] = Field(
        default_factory=dict,
        title="Field choices",
        description="Field -> id of the record whose value wins, an empty one too. The survivor's own, where left "
        "out. annual_revenue brings its currency along.",
    )
    row_versions: dict[str, int] = Field(
        title="Row versions", description="Id -> the row_version you read, for every record of the merge."
    )


class Merged(BaseModel):
    """The survivor after the merge, the records that went, and how many rows point to it now that did not before."""

    id: str
    row_version: int
    name: str
    merged: list[str]
    moved: dict[str, int]


class CompareInput(Input):
    """The records to compare."""

    ids: list[Id] = Field(min_length=FEWEST, max_length=MOST)


class Compared(BaseModel):
    """What a merge of these records is about: `records` in the order of ids, each with `may_keep` and `may_lose`,
    `related` rows by kind; `differing` and `same` are fields that may be chosen."""

    object: str
    records: list[dict[str, Any]]
    differing: list[str]
    same: list[str]


@command("crm")
def merge_records(ctx: Context, values: MergeInput) -> Merged:
    """Merge records of one object into one of them; everything about the others is about it afterwards (CRM-4)."""
    user, kind = User(ctx), _kind(values)
    survivor, losers = _loaded(user, kind, values)
    group = {str(row["id"]): row for row in (survivor, *losers)}
    change = _choose(user, kind, survivor, group, values.field_choices)
    for row in losers:
        _bury(ctx, kind, row, survivor)
    moved = _repoint(ctx, kind, survivor["id"], set(group))
    _finish(change, set(group))
    written = save(ctx, kind, survivor, change.columns(), parts=True)
    if kind.name != "lead":
        _set_direct(ctx, kind, survivor["id"])
    tell_owner(change)
    if kind.name == "account":
        refresh(ctx, *group)
    name = name_of(ctx, kind, survivor["id"])
    return Merged(id=survivor["id"], row_version=written, name=name, merged=list(values.losers), moved=moved)


def _kind(values: MergeInput) -> Kind:
    """The kind of all the records. Raises Invalid where they are of several, or one is named twice."""
    ids = [values.survivor, *values.losers]
    if len(set(ids)) != len(ids):
        raise Invalid("each record can be named once only", field="losers")
    kind = kind_of(values.survivor)
    if kind.name not in MERGED:
        nouns = ", ".join(KINDS[name].plural.lower() for name in MERGED)
        raise Invalid(f"{kind.plural.lower()} cannot be merged; {nouns} can", field="survivor")
    other = next((record_id for record_id in values.losers if record_id[:3] != kind.prefix), None)
    if other is not None:
        raise Invalid(f'"{other}" is no {kind.label.lower()}; only records of one object can be merged', field="losers")
    return kind


def _loaded(user: User, kind: Kind, values: MergeInput) -> tuple[Row, list[Row]]:
    """The rows, as far as the person may do this to them at the versions they read."""
    rows = {record_id: user.load(kind, record_id) for record_id in (values.survivor, *values.losers)}
    user.need(kind, "delete")
    survivor = user.load(kind, values.survivor, WRITE)
    losers = [_deletable(user, kind, rows[record_id]) for record_id in values.losers]
    unknown = sorted(set(values.row_versions) - set(rows))
    if unknown:
        raise Invalid(f'row_versions names "{unknown[0]}", which is not among the records', field="row_versions")
    for record_id, row in rows.items():
        if record_id not in values.row_versions:
            raise Invalid(f"give the row_version of {record_id} that you read", field="row_versions")
        check_lock(user.ctx, kind, row, values.row_versions[record_id])
    return survivor, losers


def _deletable(user: User, kind: Kind, row: Row) -> Row:
    if row.get("is_converted"):
        raise Forbidden(f"{name_of(user.ctx, kind, row['id'])} was converted; it can only be read", field="losers")
    if row["level"] < ALL:
        name = name_of(user.ctx, kind, row["id"])
        raise Forbidden(f"you may read {name} but not delete it, which merging it away does", field="losers")
    return row


def choosable(user: User, kind: str) -> list[str]:
    """The fields whose value may be chosen, in the order of the form."""
    kept = user.hidden(kind) | user.locked(kind) | _NOT_CHOSEN
    return [name for name in MODELS[kind][1].model_fields if name not in kept]


def _columns(name: str) -> tuple[str, ...]:
    return (name, _WITH[name]) if name in _WITH else (name,)


def _choose(user: User, kind: Kind, survivor: Row, group: Mapping[str, Row], choices: Mapping[str, str]) -> Change:
    """The survivor with the values that were chosen. Raises Invalid, Forbidden."""
    model, faults = MODELS[kind.name][1], []
    known = choosable(user, kind.name)
    given: dict[str, Any] = {}
    for name, record_id in choices.items():
        if name in user.locked(kind.name):
            raise Forbidden(f"your profile may read {label(model, name)} but not set it", field="field_choices")
        if name not in known:
            message = f'{kind.label.lower()} has no field "{name}" to choose.{nearest(name, known)}'
            faults.append(FieldError("field_choices", message, tuple(known)))
        elif record_id not in group:
            message = f'{name}: "{record_id}" is not among the records that are merged'
            faults.append(FieldError("field_choices", message, tuple(group)))
        else:
            given |= {column: group[record_id][column] for column in _columns(name)}
    if faults:
        raise Invalid(faults)
    change = Change(user, kind, model, {name: value for name, value in given.items() if name in known}, dict(survivor))
    change.after |= given
    return change


def _bury(ctx: Context, kind: Kind, row: Row, survivor: Row) -> None:
    """Delete a loser by itself: its batch is its own row."""
    marks = {"is_deleted": 1, "deleted_at": ctx.now, "deleted_by": ctx.person_id, "delete_batch": row["id"]}
    save(ctx, kind, row, marks | {"master_record_id": survivor["id"]})


def _repoint(ctx: Context, kind: Kind, survivor: str, group: set[str]) -> dict[str, int]:
    """Let what belongs to the losers belong to the survivor, what is in the recycle bin too. Counts rows by kind."""
    counts: dict[str, int] = {}
    for loser in sorted(group - {survivor}):
        for child, column in _POINTERS[kind.name]:
            for row in list(ctx.store.select(KINDS[child].table, **{column: loser})):
                if row["id"] not in group:
                    save(ctx, KINDS[child], row, {column: survivor})
                    counts[child] = counts.get(child, 0) + 1
        column = _MAIL[kind.name]
        for row in list(ctx.store.select("crm_email_message", **{column: loser})):
            ctx.update("crm_email_message", row["id"], {column: survivor})
            counts["email"] = counts.get("email", 0) + 1
        for row in list(
            ctx.store.select("crm_approval_request", record_id=loser)
        ):  # none is pending: it would be locked
            ctx.update("crm_approval_request", row["id"], {"record_id": survivor})
            counts["approval_request"] = counts.get("approval_request", 0) + 1
        for table, column in (*_KEYED[kind.name], *_OF_ANY):
            for row in list(ctx.store.select(table, **{column: loser})):
                _rekey(ctx, table, column, row, survivor)
                name = table.removeprefix("crm_")
                counts[name] = counts.get(name, 0) + 1
    return counts


def _rekey(ctx: Context, table: str, column: str, row: Row, survivor: str) -> None:
    """Move one row to the survivor's key. Where the survivor has one, that one wins and its blanks are filled."""
    shape = ctx.store.shapes[table]
    ctx.delete(table, tuple(row[name] for name in shape.key))
    moved = dict(row) | {column: survivor}
    there = ctx.store.get(table, tuple(moved[name] for name in shape.key))
    if there is None:
        ctx.insert(table, moved)
        return
    filled = {name: value for name, value in moved.items() if there[name] is None and value is not None}
    if row.get("is_primary") and not there["is_primary"]:  # the person is the deal's primary contact still
        filled["is_primary"] = 1
    if filled:
        ctx.update(table, tuple(moved[name] for name in shape.key), filled)


def _finish(change: Change, group: set[str]) -> None:
    """The rules of the survivor as it will be, the others being gone (I6, I7, X-8). Raises Invalid, Forbidden."""
    kind, after = change.kind, change.after
    above = _ABOVE.get(kind.name)
    if above is not None:
        after[above] = _outside(change.ctx, kind, above, after[above], group)
        if change.leads_back(above):
            name = name_of(change.ctx, kind, str(after[above]))
            message = f"{name} would stand above and below the same record; choose another survivor or change it first"
            change.refuse("field_choices", message)
    if change.moved("owner_id"):
        if change.before is not None and change.before["level"] < ALL:
            message = "only the owner, a manager above or an administrator may give this to someone else"
            raise Forbidden(message, field="field_choices")
        change.check_owner("owner_id", str(after["owner_id"]))
    change.derive_text()
    TYPES[kind.name].rules(change)
    change.raise_faults()


def _outside(ctx: Context, kind: Kind, column: str, record_id: str | None, group: set[str]) -> str | None:
    """The first record above that is none of those that are merged."""
    seen: set[str] = set()
    while record_id in group and record_id not in seen:
        seen.add(str(record_id))
        row = ctx.store.get(kind.table, str(record_id))
        record_id = None if row is None else row[column]
    return None if record_id in group else record_id


def _set_direct(ctx: Context, kind: Kind, survivor: str) -> None:
    """I8: of the survivor's links between accounts and contacts, those to a contact's own account are direct."""
    for row in list(ctx.store.select("crm_account_contact", **{f"{kind.name}_id": survivor})):
        contact = ctx.store.get("crm_contact", row["contact_id"])
        is_direct = int(contact is not None and contact["account_id"] == row["account_id"])
        if row["is_direct"] != is_direct:
            ctx.update("crm_account_contact", (row["account_id"], row["contact_id"]), {"is_direct": is_direct})


@query("crm")
def compare_records(ctx: Context, values: CompareInput) -> Compared:
    """Records side by side before they are merged: where they differ, and what the person may do with each.

    Raises NotFound, Invalid where they are of several objects or named twice.
    """
    user = reader(ctx)
    kind = _kind(MergeInput(survivor=values.ids[0], losers=values.ids[1:], row_versions={}))
    rows = [user.load(kind, record_id) for record_id in values.ids]
    fields = choosable(user, kind.name)
    differing = [name for name in fields if _differs(rows, name)]
    return Compared(
        object=kind.name,
        records=[_described(user, kind, row) for row in rows],
        differing=differing,
        same=[name for name in fields if name not in differing],
    )


def _differs(rows: Sequence[Row], name: str) -> bool:
    return len({tuple(row[column] for column in _columns(name)) if row[name] is not None else None for row in rows}) > 1


def _described(user: User, kind: Kind, row: Row) -> dict[str, Any]:
    selection = Selection(user, kind)
    found = selection.rows(name_columns(selection), "WHERE t.id = :id", id=row["id"])
    if not found:
        raise NotFound(f'there is no {kind.label.lower()} "{row["id"]}"', field="ids")
    may_write = row["level"] >= WRITE
    return named(kind.name, found[0]) | {
        "row_version": row["row_version"],
        "created_at": row["created_at"],
        "may_keep": may_write,
        "may_lose": row["level"] >= ALL and "delete" in user.rights(kind.name) and not row.get("is_converted"),
        "related": _related(user, kind, row["id"]),
    }


def _related(user: User, kind: Kind, record_id: str) -> dict[str, int]:
    """How many live records that the person may read belong to it, by kind; those of converted leads left out."""
    counts = {}
    for child, column in _POINTERS[kind.name]:
        if child == "lead" or "read" not in user.rights(child):
            continue
        sql = (
            f"SELECT count(*) AS n FROM {KINDS[child].table} t WHERE t.{column} = :id AND t.is_deleted = 0 "
            f"AND {user.visible(child, 't')}"
        )
        found = user.ctx.store.one(sql, user.params | {"id": record_id})
        counts[child] = int(found["n"]) if found else 0
    return {child: count for child, count in counts.items() if count}
