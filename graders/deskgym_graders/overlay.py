"""A state as S0 with atoms laid over it: what role rules and mutants read, without a database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
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
        self._by_value: dict[tuple[str, str], dict[tuple[type, Any], dict[Key, Row]]] = {}

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
        for key, new in self._candidates(table, equals).items():
            if new is not None and all(same(new.get(name), value) for name, value in equals.items()):
                found[key] = new
        for key in sorted(found, key=lambda key: tuple((part is not None, part) for part in key)):
            yield found[key]

    def _candidates(self, table: str, equals: Mapping[str, Any]) -> Mapping[Key, Row | None]:
        """The changed rows that can have these values: by the first of them, for there may be thousands of rows."""
        rows = self._tables[table]
        if not equals:
            return rows
        column, value = next(iter(equals.items()))
        if (table, column) not in self._by_value:
            found: dict[tuple[type, Any], dict[Key, Row]] = {}
            for key, row in rows.items():
                if row is not None:
                    found.setdefault((type(row.get(column)), row.get(column)), {})[key] = row
            self._by_value[table, column] = found
        return self._by_value[table, column].get((type(value), value), {})
