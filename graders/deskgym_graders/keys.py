"""Foreign keys of a copy whose image breaks none: only what changed can break one.

A row breaks a key where its columns name no row of the parent. In the image none does; so in the copy either the row
is new or has other columns, or the parent that it named in the image has gone. Only those rows are looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeGuard
from weakref import WeakKeyDictionary

from deskgym_apps.kit.roles import Key
from deskgym_apps.kit.store import Store

from .diff import Atom, Ins, Upd


@dataclass(frozen=True)
class Link:
    """One foreign key: `columns` of `child` name a row of `parent` by its columns `named`."""

    child: str
    columns: tuple[str, ...]
    parent: str
    named: tuple[str, ...]

    @cached_property
    def by_name(self) -> str:
        """SQL that finds the parent's row by the columns that are named."""
        where = " AND ".join(f'"{name}" = ?' for name in self.named)
        return f'SELECT 1 FROM main."{self.parent}" WHERE {where}'


_known: WeakKeyDictionary[Store, tuple[Link, ...] | None] = WeakKeyDictionary()


def links_of(world: Store) -> tuple[Link, ...] | None:
    """Every foreign key of an image that nobody writes; None where the image itself breaks one."""
    if world not in _known:
        broken = world.conn.execute("PRAGMA main.foreign_key_check").fetchone()
        _known[world] = None if broken is not None else tuple(_links(world))
    return _known[world]


def _links(world: Store) -> Iterator[Link]:
    sql = 'SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?) ORDER BY id, seq'
    for child in world.shapes:
        found: dict[int, list[tuple[str, str, str | None]]] = {}
        for number, parent, column, named in world.conn.execute(sql, (child,)):
            found.setdefault(number, []).append((parent, column, named))
        for parts in found.values():
            parent = parts[0][0]
            explicit = tuple(named for _, _, named in parts if named is not None)
            yield Link(child, tuple(column for _, column, _ in parts), parent, explicit or world.shapes[parent].key)


def broken_keys(world: Store, copy: Store, found: Iterable[Atom]) -> list[str]:
    """The tables of the copy whose rows break a foreign key, once per row. `found`: all it differs in from `world`."""
    atoms, links = tuple(found), links_of(world)
    if links is None:
        return [row[0] for row in copy.conn.execute("PRAGMA main.foreign_key_check")]
    by_table: dict[str, list[Atom]] = {}
    for atom in atoms:
        by_table.setdefault(atom.table, []).append(atom)
    broken, parents = [], _Parents(copy)
    for link in (link for link in links if link.child in by_table or link.parent in by_table):
        moved = [atom for atom in by_table.get(link.child, ()) if _moves(atom, link)]
        lost = {atom.key for atom in moved if not parents.has_that_of(link, atom)}
        left = {key for atom in by_table.get(link.parent, ()) for key in _bereft(world, link, atom)}
        broken += [link.child] * len(lost | {key for key in left - lost if _is_broken(copy, link, key)})
    return broken


class _Parents:
    """Which parents a copy has; each is asked for once."""

    def __init__(self, copy: Store) -> None:
        self._copy = copy
        self._known: dict[tuple[str, tuple[Any, ...]], bool] = {}

    def has_that_of(self, link: Link, atom: Ins | Upd) -> bool:
        """Whether the row that an atom tells of names a parent that is there, or none."""
        values = self._named(link, atom)
        if None in values:
            return True
        place = link.by_name, values
        if place not in self._known:
            self._known[place] = self._copy.conn.execute(link.by_name, values).fetchone() is not None
        return self._known[place]

    def _named(self, link: Link, atom: Ins | Upd) -> tuple[Any, ...]:
        if isinstance(atom, Upd) and link.columns == (atom.column,):
            return (atom.new,)
        row = atom.row if isinstance(atom, Ins) else self._copy.get(atom.table, atom.key) or {}
        return tuple(row[name] for name in link.columns)


def _moves(atom: Atom, link: Link) -> TypeGuard[Ins | Upd]:
    return isinstance(atom, Ins) or (isinstance(atom, Upd) and atom.column in link.columns)


def _bereft(world: Store, link: Link, atom: Atom) -> list[Key]:
    """The rows that named the parent in the image, where it has gone or goes by another name."""
    if isinstance(atom, Ins) or (isinstance(atom, Upd) and atom.column not in link.named):
        return []
    parent = world.get(link.parent, atom.key) or {}
    key = ", ".join(f'"{name}"' for name in world.shapes[link.child].key)
    where = " AND ".join(f'"{column}" = ?' for column in link.columns)
    sql = f'SELECT {key} FROM "{link.child}" WHERE {where} ORDER BY {key}'
    return [tuple(row) for row in world.conn.execute(sql, [parent[name] for name in link.named])]


def _is_broken(copy: Store, link: Link, key: Key) -> bool:
    here = [f'child."{name}" = ?' for name in copy.shapes[link.child].key]
    given = [f'child."{name}" IS NOT NULL' for name in link.columns]
    same = " AND ".join(
        f'parent."{name}" = child."{column}"' for name, column in zip(link.named, link.columns, strict=True)
    )
    lost = f'NOT EXISTS (SELECT 1 FROM main."{link.parent}" parent WHERE {same})'
    sql = f'SELECT 1 FROM main."{link.child}" child WHERE {" AND ".join((*here, *given, lost))}'
    return copy.conn.execute(sql, key).fetchone() is not None
