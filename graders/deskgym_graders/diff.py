"""What changed between two states, as atoms keyed by primary key, never by content (grading.md §3.2).

`Ins(table, key, row)`, `Del(table, key, row)`, `Upd(table, key, column, old, new)`. Values are compared with their
type: `1`, `"1"` and NULL all differ. Only canonical tables count. Two independent ways lead here: the journal's net
effects (`atoms_of_changes`) and a full comparison of two stores (`diff_stores`); integrity holds them to be equal.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from deskgym_apps.kit.roles import Key, Row
from deskgym_apps.kit.schema import TableShape, is_canonical, is_journaled
from deskgym_apps.kit.store import Store


@dataclass(frozen=True)
class Ins:
    """A row that S0 does not have."""

    table: str
    key: Key
    row: Row

    def __str__(self) -> str:
        return f"+{self.table}{list(self.key)}"


@dataclass(frozen=True)
class Del:
    """A row of S0 that is gone; `row` is what it was."""

    table: str
    key: Key
    row: Row

    def __str__(self) -> str:
        return f"-{self.table}{list(self.key)}"


@dataclass(frozen=True)
class Upd:
    """A cell that differs."""

    table: str
    key: Key
    column: str
    old: Any
    new: Any

    def __str__(self) -> str:
        return f"~{self.table}{list(self.key)}.{self.column}: {self.old!r} -> {self.new!r}"


Atom = Ins | Del | Upd
RowId = tuple[str, Key]
Changes = Mapping[RowId, tuple[Row | None, Row | None]]
_IMAGE = "deskgym_image"


def same(left: Any, right: Any) -> bool:
    """Equal in type and value."""
    return type(left) is type(right) and left == right


def sort_key(atom: Atom) -> tuple[str, str, str]:
    """A total order of atoms: table, key, column."""
    return atom.table, repr(atom.key), atom.column if isinstance(atom, Upd) else ""


def atoms_of_row(table: str, key: Key, old: Row | None, new: Row | None) -> list[Atom]:
    """The atoms that lead from one image of a row to another; None is absence."""
    if old is None:
        return [] if new is None else [Ins(table, key, dict(new))]
    if new is None:
        return [Del(table, key, dict(old))]
    columns = old if old.keys() == new.keys() else [*old, *(name for name in new if name not in old)]
    found: list[Atom] = []
    for column in columns:
        left, right = old.get(column), new.get(column)
        if left is not right and not same(left, right):
            found.append(Upd(table, key, column, left, right))
    return found


def atoms_of_changes(changes: Changes, *, journaled: bool = False) -> tuple[Atom, ...]:
    """The atoms of rows' first and last images, in the order of `sort_key`; what came back to S0 gives none.

    `journaled`: of every recorded table, counters and tokens included, not of canonical ones alone.
    """
    atoms: list[Atom] = []
    for (table, key), (old, new) in changes.items():
        if journaled or is_canonical(table):
            atoms += atoms_of_row(table, key, old, new)
    return tuple(sorted(atoms, key=sort_key))


def diff_rows(shape: TableShape, before: Iterable[Row], after: Iterable[Row]) -> list[Atom]:
    """The atoms between two sets of rows of one table."""
    old = {tuple(row[name] for name in shape.key): row for row in before}
    new = {tuple(row[name] for name in shape.key): row for row in after}
    atoms: list[Atom] = []
    for key in old.keys() | new.keys():
        atoms += atoms_of_row(shape.name, key, old.get(key), new.get(key))
    return atoms


def _rows(shape: TableShape, values: Iterable[tuple[Any, ...]]) -> list[Row]:
    return [dict(zip(shape.columns, tuple(row), strict=True)) for row in values]


def _apart(shape: TableShape, s0: Store, s1: Store) -> list[Atom]:
    """One table of two stores that no connection sees together."""
    sql = "SELECT {} FROM {}".format(", ".join(f'"{name}"' for name in shape.columns), f'"{shape.name}"')
    before = {tuple(row) for row in s0.conn.execute(sql)}
    after = {tuple(row) for row in s1.conn.execute(sql)}
    return diff_rows(shape, _rows(shape, before - after), _rows(shape, after - before))


def _together(shape: TableShape, conn: sqlite3.Connection) -> list[Atom]:
    """One table of a store and of the image attached to it."""
    name, columns = f'"{shape.name}"', [f'"{column}"' for column in shape.columns]
    on = " AND ".join(f'here."{column}" = there."{column}"' for column in shape.key)
    differs = " OR ".join(f"here.{column} IS NOT there.{column}" for column in columns)

    def rows(shown: str, first: str, second: str, where: str) -> list[Row]:
        wanted = ", ".join(f"{shown}.{column}" for column in columns)
        return _rows(shape, conn.execute(f"SELECT {wanted} FROM {first} LEFT JOIN {second} ON {on} WHERE {where}"))

    here, there = f"main.{name} here", f"{_IMAGE}.{name} there"
    absent = [f'{side}."{shape.key[0]}" IS NULL' for side in ("here", "there")]
    after = rows("here", here, there, f"{absent[1]} OR {differs}")
    before = rows("there", there, here, f"{absent[0]} OR {differs}")
    return diff_rows(shape, before, after)


@contextmanager
def beside(s0: Store, s1: Store) -> Iterator[bool]:
    """Attach S0's file to S1's connection, and say whether that was possible. Do it outside a transaction.

    `diff_stores` inside it compares in SQL, several times as fast.
    """
    if s0.path is None or s1.conn.in_transaction:
        yield False
        return
    s1.conn.execute(f"ATTACH DATABASE ? AS {_IMAGE}", (f"file:{quote(str(s0.path))}?mode=ro&immutable=1",))
    try:
        yield True
    finally:
        s1.conn.execute(f"DETACH DATABASE {_IMAGE}")


def diff_stores(
    s0: Store,
    s1: Store,
    *,
    attached: bool = False,
    journaled: bool = False,
    only: Collection[str] | None = None,
) -> tuple[Atom, ...]:
    """The atoms between two stores, every canonical table compared in full.

    `attached`: S0 is attached to S1 (`beside`). `journaled`: every recorded table, counters and tokens included.
    `only`: the tables that may differ at all (`pages.tables_that_may_differ`).
    Raises ValueError if the stores have different tables.
    """
    wanted = is_journaled if journaled else is_canonical
    names = [name for name in s0.shapes if wanted(name)]
    if list(s0.shapes) != list(s1.shapes):
        raise ValueError(f"the stores have different tables: {sorted(set(s0.shapes) ^ set(s1.shapes))}")
    atoms: list[Atom] = []
    for name in (name for name in names if only is None or name in only):
        atoms += _together(s0.shapes[name], s1.conn) if attached else _apart(s0.shapes[name], s0, s1)
    return tuple(sorted(atoms, key=sort_key))
