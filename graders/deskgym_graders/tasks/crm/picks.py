"""What CRM templates draw from a world: live rows that an instruction can name without doubt, people, days, calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from deskgym_apps.kit.dates import local_date
from deskgym_apps.kit.money import format_amount
from deskgym_apps.kit.norm import norm
from deskgym_apps.kit.store import Store
from deskgym_graders.codec import SpecError
from deskgym_graders.comparators import Clock
from deskgym_graders.expected import changed
from deskgym_graders.spec import Call, Update, Var

from ..drawing import Row, distract, draw, first_where, told_apart
from ..per_world import per_world

__all__ = ["Row", "distract", "draw", "first_where", "told_apart"]


def by_id(rows: Iterable[Row]) -> list[Row]:
    """Rows in the order of their ids, which says nothing about them."""
    return sorted((dict(row) for row in rows), key=lambda row: str(row["id"]))


@per_world
def every(world: Store, table: str) -> tuple[Row, ...]:
    """All rows of a table, deleted ones included, by primary key."""
    return tuple(world.select(table))


@per_world
def _every_live(world: Store, table: str) -> tuple[Row, ...]:
    return tuple(by_id(row for row in every(world, table) if not row["is_deleted"]))


@per_world
def _live_by(world: Store, table: str, column: str) -> dict[Any, list[Row]]:
    """Live rows by what stands in a column, in the order of their ids."""
    found: dict[Any, list[Row]] = {}
    for row in _every_live(world, table):
        found.setdefault(row[column], []).append(row)
    return found


def live(world: Store, table: str, **equal: Any) -> list[Row]:
    """Rows that are not in the recycle bin and have these values, in the order of their ids."""
    rows: Iterable[Row] = _every_live(world, table)
    if equal:
        column, value = next(iter(equal.items()))
        rows = _live_by(world, table, column).get(value, ())
    return [row for row in rows if all(row[name] == value for name, value in equal.items())]


def label(row: Row) -> str:
    """What people call a record: name, subject, or both names of a person."""
    if row.get("last_name") and "name" not in row:
        return f"{row['first_name'] or ''} {row['last_name']}".strip()
    return str(row["name"] if "name" in row else row["subject"])


@per_world
def _names(world: Store, table: str) -> Counter[str]:
    return Counter(norm(label(row)) for row in every(world, table))


def named_once(world: Store, table: str, rows: Iterable[Row]) -> list[Row]:
    """Those rows whose name no other row of the table has, deleted ones included, and holds no stray space."""
    count = _names(world, table)
    return [row for row in rows if count[norm(label(row))] == 1 and label(row) == " ".join(label(row).split())]


@per_world
def stages(world: Store) -> dict[str, Row]:
    """The stages by name."""
    return {str(row["name"]): row for row in every(world, "crm_stage")}


@per_world
def _deals(world: Store, is_open: bool) -> list[Row]:
    known = stages(world)
    return [row for row in live(world, "crm_opportunity") if bool(known[row["stage"]]["is_closed"]) != is_open]


def deals(world: Store, *, is_open: bool) -> list[Row]:
    """Live opportunities that are open, or that are closed."""
    return list(_deals(world, is_open))


@per_world
def _active(world: Store) -> frozenset[str]:
    return frozenset(str(row["person_id"]) for row in every(world, "crm_user") if row["is_active"] == 1)


def active_owner(world: Store, row: Row) -> bool:
    """Whether the owner of a record can still sign in."""
    return row["owner_id"] in _active(world)


@per_world
def _workable(world: Store, is_open: bool) -> list[Row]:
    rows = [row for row in deals(world, is_open=is_open) if active_owner(world, row)]
    return named_once(world, "crm_opportunity", rows)


def workable(world: Store, *, is_open: bool = True) -> list[Row]:
    """Opportunities named once whose owner is active: what their owners can be asked to work on."""
    return list(_workable(world, is_open))


def person(world: Store, person_id: str) -> Row:
    """A colleague."""
    row = world.get("org_person", (person_id,))
    if row is None:
        raise SpecError(f"there is no person {person_id}")
    return row


@per_world
def sellers(world: Store) -> list[Row]:
    """Active people who own open deals, in the order of their ids."""
    owners = {str(row["owner_id"]) for row in deals(world, is_open=True) if active_owner(world, row)}
    return [person(world, owner) for owner in sorted(owners)]


@per_world
def administrator(world: Store) -> str:
    """The person who may see and change every record."""
    profiles = {row["id"] for row in world.select("crm_profile", is_admin=1)}
    found = sorted(row["person_id"] for row in world.select("crm_user", is_active=1) if row["profile_id"] in profiles)
    if not found:
        raise SpecError("this world has no active administrator")
    return str(found[0])


def keeper(world: Store, row: Row) -> str:
    """Who can be asked to change a record: its owner, or the administrator where the owner has left."""
    return str(row["owner_id"]) if active_owner(world, row) else administrator(world)


def today(world: Store, person_id: str) -> str:
    """The day it is for a person."""
    return local_date(world.now, person(world, person_id)["tz"])


def accounts_by_id(world: Store) -> dict[str, Row]:
    """Live accounts by id."""
    return {str(row["id"]): row for row in live(world, "crm_account")}


def money_text(row: Row) -> str:
    """The amount of an opportunity as decimal text."""
    return format_amount(row["amount"], row["currency"])


def set_fields(row: Row, values: Mapping[str, Any], save_as: str | None = None, version: Any = None) -> Call:
    """The call that changes fields of a record, with the version of S0 or the one given.

    What S0 holds already is left out, as a form leaves out the fields that nobody changed.
    """
    if version is not None:
        return Call("crm_update", {"id": row["id"], "row_version": version, "values": dict(values)}, save_as)
    new = {name: value for name, value in values.items() if name not in row or row[name] != value}
    return Call(
        "crm_update", {"id": row["id"], "row_version": row["row_version"], "values": new or dict(values)}, save_as
    )


def slip(row: Row, wrong: Mapping[str, Any], right: Mapping[str, Any]) -> tuple[Call, Call]:
    """A change and the one that corrects it; `right` may be the old values."""
    return set_fields(row, wrong, "slip"), set_fields(row, right, "mended", Var("slip.row_version"))


def moved_to(world: Store, row: Row, stage: str, **more: Any) -> Update:
    """The opportunity after a move to a stage: its probability, forecast category and clocks (CRM-1)."""
    target = stages(world)[stage]
    given: dict[str, Any] = {"stage": stage, "last_stage_change_at": Clock()}
    for column in ("probability", "forecast_category"):
        if row[column] != target[column]:
            given[column] = target[column]
    if target["is_closed"]:
        given["closed_at"] = Clock()
    return changed("crm_opportunity", row["id"], **given, **more)


def stage_rules(goal: Update) -> dict[str, str]:
    """Why the columns that follow from a stage need not stand in the instruction."""
    return {name: "each stage has its own" for name in ("probability", "forecast_category") if name in goal.set}
