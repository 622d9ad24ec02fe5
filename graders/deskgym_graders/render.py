"""Whether a graded value stands in an instruction, as people write it (lints L11 and L12)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any as Data

from deskgym_apps.kit.dates import long_date
from deskgym_apps.kit.money import EXPONENTS, exponent, format_amount, plain_amount
from deskgym_apps.kit.norm import digits
from deskgym_apps.kit.store import Store

from .comparators import (
    Between,
    Comparator,
    DateEq,
    EmailEq,
    Eq,
    Facts,
    InstantEq,
    Money,
    OneOf,
    PhoneEq,
    TextEq,
)
from .compare import plain_text
from .shapes import role_of

_LOCAL_DIGITS = 7  # a number is shown national and stored E.164
_SHOWN = ("name", "code", "email")
_CLEARED = ("clear", "empty", "remove", "blank", "unassign", "reopen")


def _words(column: str) -> list[str]:
    return [word for word in column.removeprefix("is_").split("_") if len(word) > 2]


def _amounts(minor: int, currency: str) -> list[str]:
    whole = f"{Decimal(minor).scaleb(-exponent(currency)):,f}".rstrip("0").rstrip(".")
    return [format_amount(minor, currency), plain_amount(minor, currency), whole, whole.replace(",", "")]


def _days(day: str) -> list[str]:
    shown = long_date(day)
    number, month, year = shown.split(" ")
    return [day, shown, f"{month} {number}, {year}", f"{number} {month}"]


def _labels(world: Store, table: str, value: str) -> list[str]:
    """What people call a row and no other of its table: its name, code or e-mail, or both names of a person."""
    row = world.get(table, (value,)) if table in world.shapes else None
    if row is None:
        return [value]
    columns = [name for name, role in world.tables[table].columns.items() if role.kind == "text" and role.of in _SHOWN]
    labels = [{name: row[name]} for name in columns if row[name]]
    if row.get("first_name") and row.get("last_name"):
        labels.append({"first_name": row["first_name"], "last_name": row["last_name"]})
    only = [label for label in labels if len(list(world.select(table, **label))) == 1]
    return [value, *(" ".join(map(str, label.values())) for label in only)]


def _owner_of(world: Store, value: str) -> str | None:
    prefix = value[:3] if len(value) == 15 else None
    tables = [name for name, table in world.tables.items() if prefix is not None and table.prefix == prefix]
    return next((name for name in tables if world.get(name, (value,)) is not None), None)


def _of_value(world: Store, table: str, column: str, value: Data) -> list[str]:
    role = role_of(table, column)
    if value is None:
        return [*_CLEARED, *_words(column)]
    if role.kind == "bool":
        return [word[:5] for word in _words(column)]
    if role.kind == "ref":
        return _labels(world, role.of, str(value))
    if role.kind == "money" and role.of in EXPONENTS:
        return _amounts(int(value), role.of)
    if isinstance(value, int):
        return [str(value), f"{value:,}"]
    owner = _owner_of(world, str(value))
    return [str(value)] if owner is None else _labels(world, owner, str(value))


def _renderings(world: Store, table: str, column: str, comparator: Comparator) -> Iterator[tuple[Data, list[str]]]:
    if isinstance(comparator, Eq):
        yield comparator.value, _of_value(world, table, column, comparator.value)
    elif isinstance(comparator, OneOf):
        yield from ((value, _of_value(world, table, column, value)) for value in comparator.values)
    elif isinstance(comparator, TextEq | EmailEq | PhoneEq):
        yield comparator.value, [comparator.value]
    elif isinstance(comparator, Money):
        yield comparator.minor, _amounts(comparator.minor, comparator.currency)
    elif isinstance(comparator, DateEq):
        yield comparator.value, _days(comparator.value)
    elif isinstance(comparator, InstantEq):
        yield comparator.value, [comparator.value, comparator.value.replace("T", " ").removesuffix("Z")]
    elif isinstance(comparator, Facts):
        yield from ((text, [text]) for text in comparator.required)
    elif isinstance(comparator, Between):
        bounds = [*_of_value(world, table, column, comparator.low), *_of_value(world, table, column, comparator.high)]
        yield (comparator.low, comparator.high), bounds


def _stands(needle: str, text: str) -> bool:
    """Whether a text stands in another, not inside a longer word or number."""
    wanted = plain_text(needle).casefold()
    if not wanted:
        return True
    return re.search(rf"(?<![\w.,]){re.escape(wanted)}(?![\w])(?![.,]\d)", text) is not None or (
        wanted in _CLEARED and wanted in text
    )


def unsaid(instruction: str, world: Store, table: str, column: str, comparator: Comparator) -> Iterator[Data]:
    """Values of a comparator that do not stand in the instruction in any way people write them."""
    text = plain_text(instruction).casefold()
    role = role_of(table, column)
    if role.kind == "text" and role.of == "phone" and isinstance(comparator, Eq | PhoneEq) and comparator.value:
        if digits(str(comparator.value))[-_LOCAL_DIGITS:] not in digits(instruction):
            yield comparator.value
        return
    stem = role.kind == "bool"
    for value, ways in _renderings(world, table, column, comparator):
        said = any(way.casefold() in text for way in ways) if stem else any(_stands(way, text) for way in ways)
        if not said:
            yield value
