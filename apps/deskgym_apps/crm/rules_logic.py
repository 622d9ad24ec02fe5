"""Filter logic such as `1 AND (2 OR 3)`: AND binds tighter than OR; every filter is mentioned exactly once (CRM-6)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, Union

from ..kit.errors import BadQuery

_TOKEN = re.compile(r"\s*(\d+|\(|\)|and\b|or\b)", re.I)
MAX_DEPTH = 10
Joint = tuple[Literal["AND", "OR"], tuple["Node", ...]]
Node = Union[int, Joint]  # noqa: UP007  (a name in quotes takes no |)
"""A filter by its number, counted from 1, or several nodes joined."""


def _tokens(text: str) -> list[str]:
    found, at = [], 0
    while at < len(text.rstrip()):
        match = _TOKEN.match(text, at)
        if match is None:
            rest = text[at:].strip()[:20]
            message = f'the filter logic "{text}" is not understood at "{rest}"; write it like 1 AND (2 OR 3)'
            raise BadQuery(message, field="logic")
        found.append(match[1].upper())
        at = match.end()
    return found


class _Reader:
    def __init__(self, text: str, count: int) -> None:
        self.text = text
        self.tokens = _tokens(text)
        self.count = count
        self.used: list[int] = []

    def fail(self, why: str) -> BadQuery:
        return BadQuery(f'the filter logic "{self.text}" {why}; write it like 1 AND (2 OR 3)', field="logic")

    def take(self, *wanted: str) -> bool:
        if self.tokens and self.tokens[0] in wanted:
            self.tokens.pop(0)
            return True
        return False

    def either(self, depth: int) -> Node:
        parts = [self.both(depth)]
        while self.take("OR"):
            parts.append(self.both(depth))
        return parts[0] if len(parts) == 1 else ("OR", tuple(parts))

    def both(self, depth: int) -> Node:
        parts = [self.single(depth)]
        while self.take("AND"):
            parts.append(self.single(depth))
        return parts[0] if len(parts) == 1 else ("AND", tuple(parts))

    def single(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise self.fail(f"is nested deeper than {MAX_DEPTH} levels")
        if self.take("("):
            inner = self.either(depth + 1)
            if not self.take(")"):
                raise self.fail("lacks a closing bracket")
            return inner
        if not self.tokens or not self.tokens[0].isdigit():
            raise self.fail(
                f'has "{self.tokens[0]}" where a filter number belongs' if self.tokens else "ends too early"
            )
        number = int(self.tokens.pop(0))
        if not 1 <= number <= self.count:
            raise self.fail(f"mentions filter {number}, and there are {self.count}")
        self.used.append(number)
        return number


def tree(text: str | None, count: int) -> Node:
    """How `count` filters are joined: by the logic, or all by AND. Raises BadQuery for faulty logic."""
    if text is None or not text.strip():
        return ("AND", tuple(range(1, count + 1)))
    reader = _Reader(text, count)
    joined = reader.either(0)
    if reader.tokens:
        raise reader.fail(f'goes on with "{reader.tokens[0]}" where it should end')
    for number in range(1, count + 1):
        if reader.used.count(number) != 1:
            raise reader.fail(f"mentions filter {number} {reader.used.count(number)} times, not once")
    return joined


def combine(clauses: Sequence[str], text: str | None) -> str:
    """One SQL condition of all clauses, joined by the logic or by AND. Raises BadQuery for faulty logic."""
    return _sql(tree(text, len(clauses)), clauses)


def _sql(node: Node, clauses: Sequence[str]) -> str:
    if isinstance(node, int):
        return f"({clauses[node - 1]})"
    word, parts = node
    return "(" + f" {word} ".join(_sql(part, clauses) for part in parts) + ")" if parts else "1"
