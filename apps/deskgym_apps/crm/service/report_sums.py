"""The groups of a report and what their figures come to, level by level (CRM-13)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .report_figures import Measure, Rates, Tally
from .report_groups import Place, shown
from .report_results import Group


@dataclass(frozen=True)
class Taken:
    """One record as the report reads it: its id, its places by row level and across, values by measure, its day."""

    id: str
    path: tuple[Place, ...]
    across: tuple[Place, ...]
    values: tuple[tuple[Any, ...], ...]
    day: str


Path = tuple[Place, ...]
_Keys = tuple[str | None, ...]


def _keys(path: Path) -> _Keys:
    return tuple(place.key for place in path)


class Sums:
    """Tallies by group and group across, of every level."""

    def __init__(self, measures: Sequence[Measure], order: Mapping[str, str] | None, rates: Rates) -> None:
        self.measures, self.order, self.rates = measures, order, rates
        self.is_matrix = False
        self._tallies: dict[tuple[_Keys, _Keys], list[Tally]] = {}
        self._paths: dict[_Keys, Path] = {}
        self._across: dict[_Keys, Path] = {}

    def add(self, record: Taken) -> None:
        """Count a record in all its groups."""
        cells: list[Path] = [()] if not record.across else [(), record.across]
        if record.across:
            self.is_matrix = True
            self._across.setdefault(_keys(record.across), record.across)
        for upto in range(len(record.path) + 1):
            path = record.path[:upto]
            self._paths.setdefault(_keys(path), path)
            for cell in cells:
                self._count(self._at(_keys(path), _keys(cell)), record)

    def _at(self, path: _Keys, cell: _Keys) -> list[Tally]:
        if (path, cell) not in self._tallies:
            self._tallies[path, cell] = [Tally() for _ in self.measures]
        return self._tallies[path, cell]

    def _count(self, tallies: Iterable[Tally], record: Taken) -> None:
        for item, tally, values in zip(self.measures, tallies, record.values, strict=True):
            item.count(tally, values, record.day, self.rates)

    def children(self, above: _Keys) -> list[Path]:
        """The groups within a group, in order."""
        found = [path for keys, path in self._paths.items() if len(keys) == len(above) + 1 and keys[:-1] == above]
        found.sort(key=lambda path: path[-1].order)
        order = self.order
        if order is None or above:
            return found
        at = [item.name for item in self.measures].index(order["by"])
        measure = self.measures[at]
        worth = {_keys(path): measure.sortable(self._at(_keys(path), ())[at]) for path in found}
        full = [path for path in found if worth[_keys(path)] is not None]
        full.sort(key=lambda path: worth[_keys(path)], reverse=order["direction"] == "desc")
        return full + [path for path in found if worth[_keys(path)] is None]

    def groups(self) -> list[Path]:
        """Every group, subtotals before what they add up."""
        found: list[Path] = []
        by_parent: dict[_Keys, list[Path]] = {}
        for keys in self._paths:
            if keys:
                by_parent.setdefault(keys[:-1], [])

        def walk(above: _Keys) -> None:
            for path in self.children(above):
                found.append(path)
                if _keys(path) in by_parent:
                    walk(_keys(path))

        walk(())
        return found

    def across(self) -> list[Path]:
        """The groups across, in order."""
        return sorted(self._across.values(), key=lambda path: [place.order for place in path])

    def figures(self, path: Path, cell: Path) -> dict[str, Any]:
        """The figures of a group, or of a cell."""
        tallies = self._tallies.get((_keys(path), _keys(cell))) or [Tally() for _ in self.measures]
        return {item.name: item.result(tally) for item, tally in zip(self.measures, tallies, strict=True)}

    def group(self, path: Path, across: Sequence[Path]) -> Group:
        """A group as the result shows it."""
        cells: list[dict[str, Any] | None] | None = None
        if self.is_matrix:
            cells = [
                self.figures(path, cell) if (_keys(path), _keys(cell)) in self._tallies else None for cell in across
            ]
        return Group(
            level=len(path), path=[shown(place) for place in path], figures=self.figures(path, ()), cells=cells
        )
