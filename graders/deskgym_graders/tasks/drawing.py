"""What the templates of every app draw with: one of some rows, answers told apart, rows to be taken for the targets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from deskgym_graders.codec import SpecError
from deskgym_graders.spec import Distractors
from deskgym_seeds.streams import Stream

Row = Mapping[str, Any]
Item = TypeVar("Item")
_FEW = 5


def draw(stream: Stream, rows: Sequence[Item], what: str) -> Item:
    """One of the rows. Raises SpecError where this world has none."""
    if not rows:
        raise SpecError(f"this world has no {what}")
    return stream.choice(rows)


def told_apart(right: Item, wrong: Mapping[str, Item]) -> dict[str, Item]:
    """The answers of wrong procedures that differ from the right one on this world."""
    return {name: answer for name, answer in wrong.items() if answer != right}


def distract(text: str, table: str, rows: Iterable[Row]) -> Distractors:
    """Up to five rows that a careless worker would confuse with the targets."""
    return Distractors(text, table, tuple((row["id"],) for row in list(rows)[:_FEW]))


def first_where(rows: Iterable[Row], test: Callable[[Row], bool], what: str) -> Row:
    """The first row that passes. Raises SpecError where none does."""
    for row in rows:
        if test(row):
            return row
    raise SpecError(f"this world has no {what}")
