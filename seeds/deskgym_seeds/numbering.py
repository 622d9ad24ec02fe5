"""What the seeds of every app share: ids and numbers of rows as they are made, and the private list of mess."""

from collections.abc import Mapping
from typing import Any

from .organisation import Setting

Row = dict[str, Any]


class Ids:
    """Numbers the rows of each table as they are made; ``next`` values become the world's counters.

    ``prefixes``: the id prefix of each table whose rows have opaque ids.
    """

    def __init__(self, setting: Setting, prefixes: Mapping[str, str]) -> None:
        self._setting = setting
        self._prefixes = prefixes
        self._last: dict[str, int] = {}

    def new(self, table: str) -> str:
        """The id of the next row of a table (X-4)."""
        return self._setting.id_of(table, self.take(table), self._prefixes[table])

    def order(self, key: str) -> str:
        """What orders take in place of an id, so that they are the same in every build."""
        return self._setting.order(key)

    def take(self, counter: str) -> int:
        """The next number of a counter."""
        number = self._last[counter] = self._last.get(counter, 0) + 1
        return number

    def counters(self) -> dict[str, int]:
        """The number that the next insert takes, by table."""
        return {table: last + 1 for table, last in sorted(self._last.items())}


class Oracle:
    """The private list of seeded mess: which rows break or bend which rule, and what the right handling is."""

    def __init__(self) -> None:
        self.entries: dict[str, list[Row]] = {}

    def note(self, rule: str, table: str, key: str, **facts: Any) -> None:
        """Note a row under a rule of mess."""
        self.entries.setdefault(rule, []).append({"table": table, "key": key, **facts})

    def keys(self, rule: str) -> set[str]:
        """The keys noted under a rule."""
        return {str(entry["key"]) for entry in self.entries.get(rule, [])}
