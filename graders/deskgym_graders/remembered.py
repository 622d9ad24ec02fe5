"""A state that nobody changes, read once: what hundreds of mutants of one task are graded on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from deskgym_apps.kit.roles import Key, Reader, Row


class Remembered:
    """Reader over `source`, which asks it only once for each row and each selection. Rows it gives are copies.

    Make one for a piece of work during which `source` stays as it is, such as an image, and let it go with that.
    """

    def __init__(self, source: Reader) -> None:
        self._source = source
        self._rows: dict[tuple[str, Key], Row | None] = {}
        self._selections: dict[tuple[str, tuple[tuple[str, type, Any], ...]], tuple[Row, ...]] = {}

    def get(self, table: str, key: Key) -> Row | None:
        """The row of that primary key, or None."""
        place = (table, key)
        if place not in self._rows:
            self._rows[place] = self._source.get(table, key)
        row = self._rows[place]
        return None if row is None else dict(row)

    def select(self, table: str, **equals: Any) -> Iterator[Row]:
        """Rows whose columns equal the given values, by primary key."""
        wanted = (table, tuple((name, type(value), value) for name, value in sorted(equals.items())))
        if wanted not in self._selections:
            self._selections[wanted] = tuple(self._source.select(table, **equals))
        for row in self._selections[wanted]:
            yield dict(row)
