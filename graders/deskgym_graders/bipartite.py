"""Complete matching of two sets (augmenting paths), where a greedy one would miss assignments that exist."""

from __future__ import annotations

from collections.abc import Sequence


def assignable(fits: Sequence[Sequence[bool]]) -> bool:
    """Whether every row can get a column of its own among those that fit it."""
    holder: dict[int, int] = {}

    def place(row: int, tried: set[int]) -> bool:
        for column, fit in enumerate(fits[row]):
            if fit and column not in tried:
                tried.add(column)
                if column not in holder or place(holder[column], tried):
                    holder[column] = row
                    return True
        return False

    return all(place(row, set()) for row in range(len(fits)))
