"""Typed near misses of one value (grading.md §3.10): what a careless worker or a sloppy app would have written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from deskgym_apps.kit.dates import add_days, add_seconds
from deskgym_apps.kit.norm import norm
from deskgym_apps.kit.roles import Reader, Role, Row

from .journal import record_key
from .shapes import SERVER_SET, role_of, shape_of, shapes, table_of

_HOMOGLYPHS = {"a": "а", "e": "е", "o": "о", "c": "с", "p": "р", "i": "і", "A": "А", "E": "Е", "O": "О", "C": "С"}
_OPPOSITES = {"in": "not_in", "not_in": "in", "from": "until", "until": "from", "asc": "desc", "desc": "asc"}
_OPPOSITES |= {"blank": "not_blank", "not_blank": "blank"}
Change = tuple[str, Any]
MOST_SIBLINGS = 3


def siblings(state: Reader, table: str, column: str, value: Any, most: int = MOST_SIBLINGS) -> list[Any]:
    """Other values of a column in a state, the most alike first."""
    values = {row[column] for row in state.select(table)} - {value, None}
    return sorted(values, key=lambda other: (-alike(value, other), repr(other)))[:most]


def _pairs(text: str) -> frozenset[str]:
    plain = norm(text[:80])
    return frozenset(plain[at : at + 2] for at in range(max(1, len(plain) - 1)))


def alike(left: Any, right: Any) -> float:
    """How alike two values look, 0 to 1: the share of letter pairs that they have in common."""
    mine, other = _pairs(str(left)), _pairs(str(right))
    return len(mine & other) / max(1, len(mine | other))


def shown(row: Row, table: str) -> str:
    """What people see of a row: its names and codes."""
    columns = table_of(table).columns
    names = [name for name, role in columns.items() if role.kind == "text" and role.of in ("name", "code")]
    return " ".join(str(row[name]) for name in names if row.get(name))


def nearest_rows(state: Reader, table: str, row: Row, most: int) -> list[Row]:
    """Other rows of a table, those first that a careless eye takes for `row`."""
    key, text = record_key(table, row), shown(row, table)
    others = [other for other in state.select(table) if record_key(table, other) != key]
    return sorted(others, key=lambda other: (-alike(text, shown(other, table)), repr(record_key(table, other))))[:most]


def _texts(value: str, spaces: bool) -> Iterator[Change]:
    yield "suffix", value + " (copy)"
    yield "prefix", "Re: " + value
    yield "full stop", value + "."
    yield "case", value.swapcase()
    yield "empty", ""
    for position, letter in enumerate(value):
        if letter in _HOMOGLYPHS:
            yield "homoglyph", value[:position] + _HOMOGLYPHS[letter] + value[position + 1 :]
            break
    yield "zero-width", value + "\u200b"
    if len(value) > 1:
        yield "cut", value[:-1]
    if spaces:
        yield "whitespace", "  " + value.replace(" ", "\u00a0 ") + "\n"


def _numbers(value: int, role: Role) -> Iterator[Change]:
    yield "one more", value + 1
    yield "one less", value - 1
    if value:
        yield "zero", 0
    if role.kind == "money":
        yield "major for minor", value * 100
        yield "minor for major", value // 100


def _shapes(value: Any) -> Iterator[Change]:
    """JSON data with one part left out, said twice, exchanged with the next, or another value in one place."""
    if isinstance(value, list):
        for at, part in enumerate(value):
            yield "part left out", [*value[:at], *value[at + 1 :]]
            yield "part twice", [*value[: at + 1], *value[at:]]
            if at + 1 < len(value) and part != value[at + 1]:
                yield "parts exchanged", [*value[:at], value[at + 1], part, *value[at + 2 :]]
            yield from ((label, [*value[:at], other, *value[at + 1 :]]) for label, other in _shapes(part))
    elif isinstance(value, dict):
        for name, part in value.items():
            yield "member left out", {key: inner for key, inner in value.items() if key != name}
            yield from ((label, value | {name: other}) for label, other in _shapes(part))
    elif isinstance(value, str):
        yield "another word", value + "x"
        if value in _OPPOSITES:
            yield "opposite", _OPPOSITES[value]
    elif isinstance(value, int):
        yield from (("one more", value + 1), ("one less", value - 1))


def _documents(value: str) -> Iterator[Change]:
    """Near misses of JSON text, and other words of the same data."""
    data = json.loads(value)
    for label, other in _shapes(data):
        yield label, json.dumps(other, separators=(",", ":"), ensure_ascii=False)
    yield "written wider", json.dumps(data, indent=1, ensure_ascii=False)


def _enums(state: Reader, table: str, column: str, value: Any, role: Role) -> Iterator[Change]:
    known = list(role.of or ()) or siblings(state, table, column, value, 5)
    yield from (("other choice", other) for other in known if other != value)
    if isinstance(value, str):
        yield "case", value.swapcase()


def _refs(state: Reader, value: Any, role: Role) -> Iterator[Change]:
    if role.of not in shapes() or value is None:
        return
    row = state.get(role.of, (value,))
    if row is not None:
        for other in nearest_rows(state, role.of, row, MOST_SIBLINGS):
            yield "another record of a like name", record_key(role.of, other)[0]


def perturbations(state: Reader, table: str, column: str, value: Any) -> Iterator[Change]:
    """Near misses of a value by its column's role: label and value. Never the value itself."""
    seen = {(type(value), value)}
    for label, other in _all(state, table, column, value, role_of(table, column)):
        if (type(other), other) not in seen:
            seen.add((type(other), other))
            yield label, other
    if value is None and len(seen) == 1:
        yield "something", one_change(state, table, column, {column: None})


def _all(state: Reader, table: str, column: str, value: Any, role: Role) -> Iterator[Change]:
    yield "null", None
    if role.kind in ("enum", "ref"):
        yield from _refs(state, value, role) if role.kind == "ref" else _enums(state, table, column, value, role)
    elif role.kind == "bool":
        yield "flip", 1 - value if isinstance(value, int) else 1
    elif role.kind == "date" and isinstance(value, str):
        yield from (("a day later", add_days(value, 1)), ("a day earlier", add_days(value, -1)))
        yield "a week later", add_days(value, 7)
    elif role.kind == "instant" and isinstance(value, str):
        yield from (("an hour later", add_seconds(value, 3600)), ("an hour earlier", add_seconds(value, -3600)))
        yield "a day later", add_seconds(value, 86_400)
    elif isinstance(value, int):
        yield from _numbers(value, role)
    elif role.kind == "json" and isinstance(value, str):
        yield from _documents(value)
    elif isinstance(value, str):
        yield from _texts(value, spaces=True)
    if role.kind not in ("bool", "ref"):
        yield from (("a sibling's value", other) for other in siblings(state, table, column, value))
    if isinstance(value, int):
        yield "number as text", str(value)
    elif isinstance(value, str):
        yield "text as number", 0


def one_change(state: Reader, table: str, column: str, row: Row) -> Any:
    """Some other value that the column could well hold; the same one where there is no other."""
    role, value = role_of(table, column), row[column]
    if role.kind == "ref" and role.of in shapes():
        keys = (record_key(role.of, other)[0] for other in state.select(role.of))
        return next((key for key in keys if key != value), value)
    if role.kind == "enum" and role.of:
        return next((choice for choice in role.of if choice != value), value)
    if role.kind == "date":
        return "2030-01-01" if value is None else add_days(value, 1)
    if role.kind == "instant":
        return "2030-01-01T00:00:00Z" if value is None else add_seconds(value, 3600)
    if role.kind == "bool":
        return 1 - int(value or 0)
    if role.kind in ("money", "int", "decimal"):
        return int(value or 0) + 1
    return "other" if value is None else f"{value} (other)"


def neighbours(table: str, column: str) -> list[str]:
    """Columns of the same kind beside a column, in which its value could have landed."""
    role, names = role_of(table, column), shape_of(table).columns
    alike_columns = [
        name
        for name in names
        if name != column
        and role_of(table, name).kind == role.kind
        and (role.kind not in ("ref",) or role_of(table, name).of == role.of)
        and role_of(table, name).kind not in SERVER_SET
        and name not in shape_of(table).key
    ]
    return alike_columns[:2]
