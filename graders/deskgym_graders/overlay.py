"""A state as S0 with atoms laid over it: what role rules and mutants read, without a database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from deskgym_apps.kit.roles import Key, Reader, Row

from .diff import Atom, Del, Ins, same
from .shapes import shape_of


class Overlay:
    """Reader over `base` + atoms. Rows it gives are copies; `base` is never changed."""

    def __init__(self, base: Reader, atoms: Iterable[Atom]) -> None:
        self._base = base
        self._tables: dict[str, dict[Key, Row | None]] = {}
        for atom in atoms:
            rows = self._tables.setdefault(atom.table, {})
            if isinstance(atom, Ins):
                rows[atom.key] = dict(atom.row)
            elif isinstance(atom, Del):
                rows[atom.key] = None
            else:
                before = rows[atom.key] if atom.key in rows else base.get(atom.table, atom.key)
                rows[atom.key] = dict(before or {}) | {atom.column: atom.new}

    def get(self, table: str, key: Key) -> Row | None:
        """The row of that primary key, or None."""
        rows = self._tables.get(table)
        if rows is not None and key in rows:
            return rows[key]
        return self._base.get(table, key)

    def select(self, table: str, **equals: Any) -> Iterator[Row]:
        """Rows whose columns equal the given values, by primary key."""
        changed = self._tables.get(table)
        if changed is None:
            yield from self._base.select(table, **equals)
            return
        columns = shape_of(table).key
        found = {}
        for row in self._base.select(table, **equals):
            key = tuple(row[name] for name in columns)
            if key not in changed:
                found[key] = row
        for key, new in changed.items():
            if new is not None and all(same(new.get(name), value) for name, value in equals.items()):
                found[key] = new
        for key in sorted(found, key=lambda key: tuple((part is not None, part) for part in key)):
            yield found[key]
