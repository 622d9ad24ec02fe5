"""Many records at once: change, give to another owner, delete (row 12 of the inventory, X-9).

The records are named by their ids, or by the filter of a list: then the filter travels, not what was loaded. Either
way the caller says how many there are; any other number is a conflict. All of them change, or none: each record goes
through the same rules as by itself, and where one is refused the answer names every one that would be.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from pydantic import BaseModel, Field

from ...kit.call import Context
from ...kit.errors import Conflict, FieldError, Forbidden, Invalid, NotFound, ServiceError
from ...kit.fields import Id
from ...kit.operations import command, parse_input
from ...kit.operations import query as reads
from .access import User, reader
from .catalog import MODELS
from .deletion import delete
from .duplicates import Duplicate
from .inputs import DeleteInput
from .kinds import RECORDS, Kind, kind_named
from .queries import Filtered, condition_of
from .records import TYPES, name_of, update
from .selection import Selection
from .view_definitions import definition

MOST = 2_000
_SHOWN = 20
_OWNED = ("account", "contact", "opportunity", "lead")
_NOT_AT_ONCE = frozenset({"record_ids"})


class Chosen(Filtered):
    """Which records are meant: those of `ids`, or all that match filter, scope and list view."""

    object: str = Field(description=f"One of {', '.join(RECORDS)}.")
    ids: list[Id] | None = Field(
        default=None, min_length=1, max_length=MOST, description="The records; or leave out and give a filter."
    )


class BulkInput(Chosen):
    """What to do with many records."""

    action: Literal["update", "delete"] = "update"
    values: dict[str, Any] = Field(
        default_factory=dict, description="Fields to set, as in crm_update; null clears one. None with delete."
    )
    expected_count: int = Field(ge=1, le=MOST, description="How many records this is about; another number refuses.")
    move_open_activities: bool = Field(
        default=False,
        description="With a new owner: the old owners' open tasks and coming events about the records go along.",
    )
    allow_duplicates: bool = Field(
        default=False, description="Save although matching rules warn of records like these; blocks stay refused."
    )


class BulkDone(BaseModel):
    """How many records were meant, how many of them changed, and how many were so already."""

    object: str
    matched: int
    changed: int
    unchanged: int


class Counted(BaseModel):
    """How many records are meant, and the names of the first."""

    object: str
    total: int
    names: list[str]


def _meant(user: User, kind: Kind, values: Chosen) -> list[str]:
    """The ids, in the order of ids. Raises NotFound for one that is not there, Invalid for too many."""
    selection = Selection(user, kind)
    if values.ids is not None:
        if values.filter or values.list_view is not None or values.logic or values.scope != "all":
            raise Invalid("give ids or a filter, not both", field="ids")
        wanted = sorted(set(values.ids))
        if len(wanted) != len(values.ids):
            raise Invalid("ids names a record twice", field="ids")
        for record_id in wanted:
            if record_id[:3] != kind.prefix:
                raise NotFound(f'"{record_id}" is no {kind.label.lower()}', field="ids")
            user.load(kind, record_id)
        return wanted
    view = None if values.list_view is None else definition(user, values.list_view, kind)
    condition = condition_of(selection, values, view)
    rows = selection.all(f"SELECT t.id FROM {selection.source(condition)} {condition} ORDER BY t.id")
    return [str(row[0]) for row in rows]


@reads("crm")
def count_chosen(ctx: Context, values: Chosen) -> Counted:
    """How many records a selection or a filter means, and the names of the first."""
    user, kind = reader(ctx), _record_kind(values.object)
    user.need(kind, "read")
    ids = _meant(user, kind, values)
    return Counted(object=kind.name, total=len(ids), names=[name_of(ctx, kind, key) for key in ids[:_SHOWN]])


def _record_kind(name: str) -> Kind:
    kind = kind_named(name)
    if kind.name not in RECORDS:
        raise Invalid(f"{kind.plural.lower()} cannot be changed here", field="object", allowed=RECORDS)
    return kind


def _checked(values: BulkInput, kind: Kind) -> BaseModel:
    """The values as the object's own input. Raises Invalid."""
    if values.action == "delete":
        if values.values or values.move_open_activities:
            raise Invalid("deleting sets no values", field="values")
        return parse_input(MODELS[kind.name][1], {})  # type: ignore[arg-type]
    if not values.values:
        raise Invalid("name at least one field to set", field="values")
    single = sorted(_NOT_AT_ONCE & values.values.keys())
    if single:
        raise Invalid(f"{single[0]} can be set for one record at a time only", field=f"values.{single[0]}")
    if values.move_open_activities and (kind.name not in _OWNED or "owner_id" not in values.values):
        message = "move_open_activities goes with the owner of accounts, contacts or opportunities"
        raise Invalid(message, field="move_open_activities")
    try:
        return parse_input(MODELS[kind.name][1], values.values)  # type: ignore[arg-type]
    except Invalid as error:
        raise Invalid(
            [FieldError(f"values.{one.field}", one.message, one.allowed, one.said) for one in error.errors]
        ) from None


@command("crm")
def bulk_update(ctx: Context, values: BulkInput) -> BulkDone:
    """Change, give away or delete many records at once: all of them, or none."""
    user, kind = User(ctx), _record_kind(values.object)
    user.need(kind, "mass")
    user.need(kind, "delete" if values.action == "delete" else "edit")
    wanted = _checked(values, kind)
    ids = _meant(user, kind, values)
    if len(ids) != values.expected_count:
        message = f"{_number(kind, len(ids))} match now, not {values.expected_count:,}; look at the list again"
        raise Conflict(message, field="expected_count", details={"count": len(ids)})
    if len(ids) > MOST:
        raise Invalid(f"{len(ids):,} records; at most {MOST:,} can be changed at once", field="expected_count")
    changed = _each(ctx, kind, ids, _act(ctx, kind, values, wanted))
    return BulkDone(object=kind.name, matched=len(ids), changed=changed, unchanged=len(ids) - changed)


def _number(kind: Kind, count: int) -> str:
    return f"{count:,} {(kind.label if count == 1 else kind.plural).lower()}"


def _version(ctx: Context, kind: Kind, record_id: str) -> int:
    row = ctx.store.get(kind.table, record_id)
    return 0 if row is None else int(row["row_version"])


def _act(ctx: Context, kind: Kind, values: BulkInput, wanted: BaseModel) -> Callable[[str], bool]:
    """What is done with one record; it says whether that changed anything."""

    def remove(record_id: str) -> bool:
        delete(ctx, kind, DeleteInput(id=record_id))
        return True

    def change(record_id: str) -> bool:
        version, moves = _version(ctx, kind, record_id), values.move_open_activities
        done = update(
            ctx,
            TYPES[kind.name],
            record_id,
            version,
            wanted,
            move_open_activities=moves,
            allow_duplicates=values.allow_duplicates,
        )
        return done.row_version != version

    return remove if values.action == "delete" else change


def _each(ctx: Context, kind: Kind, ids: list[str], act: Callable[[str], bool]) -> int:
    """Do it with each record. Returns how many changed. Raises Invalid that names each record that is refused."""
    changed = 0
    refused: list[dict[str, Any]] = []
    for record_id in ids:
        try:
            changed += act(record_id)
        except (Invalid, Forbidden) as error:
            may_save = isinstance(error, Duplicate) and bool(error.details["may_save"])
            refused.append(
                {"id": record_id, "name": name_of(ctx, kind, record_id), "message": _said(error)}
                | ({"may_save": True} if may_save else {})
            )
    if refused:
        shown = "; ".join(f"{one['name']}: {one['message']}" for one in refused[:_SHOWN])
        more = f"; and {len(refused) - _SHOWN} more" if len(refused) > _SHOWN else ""
        raise _all_refused(
            f"nothing was changed, because {_number(kind, len(refused))} cannot be: {shown}{more}", refused
        )
    return changed


def _said(error: ServiceError) -> str:
    return error.message


def _all_refused(message: str, refused: list[dict[str, Any]]) -> Invalid:
    error = Invalid(message)
    error.details = {"records": refused}
    return error
