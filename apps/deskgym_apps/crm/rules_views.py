"""The normal form of a list view's conditions: equal for two definitions that mean the same, whatever rows there are.

    normal_form([Filter("amount", "money", "gte", "50000"), …], "1 AND (2 OR 3)", "all") -> JSON text

The conditions become a set of alternatives, each a set of simple tests, all of which hold in it:

    ["in", field, [value, …]]   ["not_in", field, [value, …]]   ["contains", field, text]   ["starts_with", field, text]
    ["from", field, edge]       ["until", field, edge]          ["blank", field]            ["not_blank", field]

`not_in` includes empty fields (CRM-6), `until` leaves its edge out. An edge is a number, a day, an instant, or a place
in the calendar that moves with the day: `["days", 0]` is where today begins, `["months", 1]` where next month does, so
`less than TODAY` equals `at most YESTERDAY`. Texts are normed, tests that follow from others and alternatives that
follow from others are left out. What is never there: [], what always is: [[]].
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

from ..kit.dates import add_days, add_seconds
from ..kit.errors import BadQuery
from ..kit.norm import digits, norm
from ..kit.roles import Reader, Row
from . import rules_logic

MAX_COLUMNS = 15
MAX_FILTERS = 10
MAX_SORTS = 3
_MOST_TERMS = 256  # beyond that, lists of values are compared as lists
_RELATIVE = re.compile(r"(LAST|NEXT) (\d+) DAYS|(THIS|LAST|NEXT) (.+)")
_DAY_WORDS = {"YESTERDAY": -1, "TODAY": 0, "TOMORROW": 1}
_SHIFTS = {"LAST": -1, "THIS": 0, "NEXT": 1}
_UNITS = {
    "WEEK": "weeks",
    "MONTH": "months",
    "QUARTER": "quarters",
    "FISCAL QUARTER": "fiscal quarters",
    "YEAR": "years",
    "FISCAL YEAR": "fiscal years",
}
_MATCHING = ("contains", "starts_with")

Edge = tuple[Any, ...]  # (family, place, …): edges of one family are in the order of their places
Literal = tuple[str, str, Any]
Term = frozenset[Literal]


class _TooMany(Exception):
    """Writing every value of a list as an alternative of its own would make too many."""


@dataclass(frozen=True)
class Filter:
    """One filter as it is kept: `type` is the field's, `value` plain JSON data in its canonical spelling."""

    field: str
    type: str
    op: str
    value: Any = None


def normal_form(filters: Sequence[Filter], logic: str | None, scope: str) -> str:
    """The conditions of a view in normal form, as JSON text. `scope` mine is the condition that the owner is me."""
    given, node = list(filters), rules_logic.tree(logic, len(filters))
    if scope == "mine":
        given.append(Filter("owner_id", "ref", "equals", "me"))
        node = ("AND", (node, len(given)))
    try:
        terms = _absorbed(_terms(node, given, spread=True))
    except _TooMany:
        terms = _absorbed(_terms(node, given, spread=False))
    written = sorted(_written(term) for term in _gathered(terms))
    return json.dumps([json.loads(term) for term in written], separators=(",", ":"), ensure_ascii=False)


def view_conditions(state: Reader, row: Row) -> str:
    """The normal form of a stored view (`crm_list_view.conditions`). Raises ValueError where its parts do not fit."""
    parts = sorted(state.select("crm_list_view_filter", list_view_id=row["id"]), key=lambda part: int(part["pos"]))
    filters = [
        Filter(part["field"], part["type"], part["op"], None if part["value"] is None else json.loads(part["value"]))
        for part in parts
    ]
    try:
        return normal_form(filters, row["filter_logic"], row["scope"])
    except BadQuery as error:
        raise ValueError(error.message) from error


def view_of_part(row: Row) -> tuple[str, tuple[Any, ...]]:
    """The view that a row of its filters belongs to."""
    return "crm_list_view", (row["list_view_id"],)


# From the tree to alternatives


def _terms(node: rules_logic.Node, filters: Sequence[Filter], *, spread: bool) -> frozenset[Term]:
    if isinstance(node, int):
        simple = (_simple(literals) for literals in _leaf(filters[node - 1], spread))
        return frozenset(term for term in simple if term is not None)
    word, parts = node
    if word == "OR":
        return frozenset().union(*(_terms(part, filters, spread=spread) for part in parts))
    found: frozenset[Term] = frozenset({frozenset()})
    for part in parts:
        others = _terms(part, filters, spread=spread)
        if spread and len(found) * len(others) > _MOST_TERMS:
            raise _TooMany
        joined = (_simple([*left, *right]) for left in found for right in others)
        found = frozenset(term for term in joined if term is not None)
    return found


def _leaf(item: Filter, spread: bool) -> Iterator[list[Literal]]:
    """The alternatives of one filter."""
    name, op = item.field, item.op
    if op in ("blank", "not_blank"):
        yield [(op, name, None)]
    elif item.type in ("number", "money", "date", "instant"):
        yield from _ordered(item)
    elif op in _MATCHING:
        yield [(op, name, _word(item.type, item.value))]
    else:
        listed = item.value if isinstance(item.value, list) else [item.value]
        values = tuple(sorted({_word(item.type, value) for value in listed}))
        wanted = op in ("equals", "in")
        if item.type == "bool" and not wanted:
            wanted, values = True, tuple("false" if value == "true" else "true" for value in values)
        if not wanted:
            yield [("not_in", name, values)]
        elif spread:
            if len(values) > _MOST_TERMS:
                raise _TooMany
            yield from ([("in", name, (value,))] for value in values)
        else:
            yield [("in", name, values)]


def _word(kind: str, value: Any) -> str:
    if kind == "bool":
        return "true" if value else "false"
    if kind == "phone":
        return digits(str(value)).lstrip("0")
    return str(value) if kind in ("ref", "id") else norm(str(value))


def _ordered(item: Filter) -> Iterator[list[Literal]]:
    name, op = item.field, item.op
    if op == "between":
        (first, _), (_, last) = (_span(item.type, value) for value in item.value)
        yield [("from", name, first), ("until", name, last)]
        return
    first, after = _span(item.type, item.value)
    if op == "not_equal":
        yield from ([("until", name, first)], [("from", name, after)], [("blank", name, None)])
    elif op == "equals":
        yield [("from", name, first), ("until", name, after)]
    else:
        yield [{"gte": ("from", name, first), "gt": ("from", name, after)}.get(op) or _before(name, op, first, after)]


def _before(name: str, op: str, first: Edge, after: Edge) -> Literal:
    return ("until", name, first if op == "lt" else after)


def _span(kind: str, value: Any) -> tuple[Edge, Edge]:
    """The edge at which a value begins, and the one at which it is over."""
    if kind == "number":
        number = Decimal(str(value))
        up = int(number.to_integral_value(ROUND_CEILING))
        return ("number", up), ("number", int(number.to_integral_value(ROUND_FLOOR)) + 1)
    if kind == "money":
        return ("amount", Decimal(str(value)), 0), ("amount", Decimal(str(value)), 1)
    text = str(value)
    if "T" in text and text.endswith("Z"):
        return ("instant", text), ("instant", add_seconds(text, 1))
    if text[:1].isdigit():
        return ("day", text), ("day", add_days(text, 1))
    return _moving(kind, text)


def _moving(kind: str, text: str) -> tuple[Edge, Edge]:
    if text in _DAY_WORDS:
        return ("days", _DAY_WORDS[text]), ("days", _DAY_WORDS[text] + 1)
    found = _RELATIVE.fullmatch(text)
    if found is None:
        raise ValueError(f'"{text}" is neither a day nor a period')
    if found[4]:
        unit, shift = _UNITS[found[4]], _SHIFTS[found[3]]
        return (unit, shift), (unit, shift + 1)
    count = int(found[2])
    if found[1] == "NEXT":
        return ("days", 1), ("days", count + 1)
    return ("days", -count), ("now", 0) if kind == "instant" else ("days", 1)


# What follows from what


def _simple(literals: Iterable[Literal]) -> Term | None:
    """The tests without those that follow from others; None where they cannot all hold."""
    by_field: dict[str, list[Literal]] = {}
    for literal in literals:
        by_field.setdefault(literal[1], []).append(literal)
    kept: list[Literal] = []
    for name, own in by_field.items():
        simple = _of_field(name, own)
        if simple is None:
            return None
        kept += simple
    return frozenset(kept)


def _of_field(name: str, own: Sequence[Literal]) -> list[Literal] | None:
    kinds = {literal[0] for literal in own}
    full = kinds - {"blank", "not_blank", "not_in"}
    if "blank" in kinds:
        return None if full or "not_blank" in kinds else [("blank", name, None)]
    out = {value for literal in own if literal[0] == "not_in" for value in literal[2]}
    found = _edges(name, own)
    if found is None:
        return None
    words = [literal for literal in own if literal[0] in _MATCHING]
    lists = [set(literal[2]) for literal in own if literal[0] == "in"]
    if lists:
        left = [value for value in sorted(set.intersection(*lists) - out) if all(_fits(word, value) for word in words)]
        return [*found, ("in", name, tuple(left))] if left else None
    found += sorted(set(words))
    if out:
        found.append(("not_in", name, tuple(sorted(out))))
    if "not_blank" in kinds and not full:
        found.append(("not_blank", name, None))
    return found


def _fits(word: Literal, value: str) -> bool:
    return str(word[2]) in value if word[0] == "contains" else value.startswith(str(word[2]))


def _edges(name: str, own: Sequence[Literal]) -> list[Literal] | None:
    """The tightest edges of each family; None where nothing lies between them."""
    low: dict[str, Edge] = {}
    high: dict[str, Edge] = {}
    for word, _, edge in own:
        if word == "from":
            low[edge[0]] = max(low[edge[0]], edge) if edge[0] in low else edge
        elif word == "until":
            high[edge[0]] = min(high[edge[0]], edge) if edge[0] in high else edge
    if any(family in high and low[family] >= high[family] for family in low):
        return None
    return [("from", name, edge) for edge in low.values()] + [("until", name, edge) for edge in high.values()]


def _follows(term: Term, literal: Literal) -> bool:
    return literal in term or _simple([*term, literal]) == term


def _absorbed(terms: frozenset[Term]) -> list[Term]:
    """The alternatives without those from which another one follows."""
    ordered = sorted(terms, key=_written)
    return [
        term
        for term in ordered
        if not any(other != term and all(_follows(term, literal) for literal in other) for other in ordered)
    ]


def _gathered(terms: Iterable[Term]) -> list[Term]:
    """Alternatives that differ in one field's list of values, as one."""
    left = list(terms)
    for name in sorted({literal[1] for term in left for literal in term if literal[0] == "in"}):
        groups: dict[Term, set[str]] = {}
        rest: list[Term] = []
        for term in left:
            own = next((literal for literal in term if literal[0] == "in" and literal[1] == name), None)
            if own is None:
                rest.append(term)
            else:
                groups.setdefault(term - {own}, set()).update(own[2])
        left = rest + [term | {("in", name, tuple(sorted(values)))} for term, values in groups.items()]
    return left


def _written(term: Term) -> str:
    """A term as JSON text: what alternatives are sorted by."""
    lines = [[word, name, *([] if value is None else [_plain(value)])] for word, name, value in term]
    return json.dumps(sorted(lines, key=repr), ensure_ascii=False)


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if isinstance(value, Decimal):
        return format(value.normalize(), "f") if value else "0"
    return value
