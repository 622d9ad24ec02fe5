"""Roles and shapes of every graded table, as the grader needs them: no store is at hand, only the schema."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from functools import cache

from deskgym_apps.kit.apps import App, apps, registry
from deskgym_apps.kit.errors import nearest
from deskgym_apps.kit.image import create_tables
from deskgym_apps.kit.roles import ACTOR_VALUE, Role, Table
from deskgym_apps.kit.schema import TableShape, is_canonical, read_shapes

from .codec import SpecError

# Kinds that the server sets: an expectation need not name them, the matcher explains them by rule.
SERVER_SET = frozenset(
    {"id", "clock", "touch", "actor", "touch_actor", "version", "derived", "clock_when", "clock_if", "actor_if"}
    | {"batch_if", "worded"}
)
# Kinds that move with any change of a row.
TOUCHED = frozenset({"touch", "touch_actor", "version"})


@cache
def _shapes_of(names: tuple[str, ...]) -> Mapping[str, TableShape]:
    with closing(sqlite3.connect(":memory:")) as conn:
        create_tables(conn, names)
        return {name: shape for name, shape in read_shapes(conn).items() if is_canonical(name)}


_latest: list[tuple[Mapping[str, App], Mapping[str, TableShape]]] = []


def shapes() -> Mapping[str, TableShape]:
    """The shape of every canonical table of every app."""
    present = apps()
    if not _latest or _latest[0][0] is not present:
        _latest[:] = [(present, _shapes_of(tuple(present)))]
    return _latest[0][1]


def shape_of(table: str) -> TableShape:
    """The shape of a graded table. Raises SpecError with the nearest names."""
    known = shapes()
    if table not in known:
        raise SpecError(f'there is no table "{table}".{nearest(table, list(known))}')
    return known[table]


def table_of(table: str) -> Table:
    """The roles of a graded table. Raises SpecError with the nearest names."""
    shape_of(table)
    return registry()[table]


def role_of(table: str, column: str) -> Role:
    """The role of a column. Raises SpecError with the nearest names."""
    columns = table_of(table).columns
    if column not in columns:
        raise SpecError(f'table {table} has no column "{column}".{nearest(column, list(columns))}')
    return columns[column]


def is_server_set(table: str, column: str) -> bool:
    """Whether a new row's column is explained by rule: no expectation needs to name it.

    The key of a link table (note and record) is given by the person, though its columns are part of the key.
    """
    return role_of(table, column).kind in SERVER_SET


def default_of(table: str, column: str, person_id: str | None) -> str | int | None:
    """What a new row's column holds where the person gives nothing. Raises SpecError where nothing can stand there."""
    role, shape = role_of(table, column), shape_of(table)
    if role.initial == ACTOR_VALUE:
        return person_id
    if role.initial is not None:
        value: str | int = role.initial
        return value
    if column in shape.defaults:
        return shape.defaults[column]
    if column in shape.not_null:
        raise SpecError(f"{table}.{column} has no default; the expectation must say its value")
    return None
