"""Carrying comparators out on cells of rows. The stored value is inert: no coercion, no patterns in it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any as Data

from deskgym_apps.kit.money import EXPONENTS
from deskgym_apps.kit.norm import digits
from deskgym_apps.kit.roles import Key, Reader, Row

from .codec import SpecError
from .comparators import (
    Any,
    Between,
    Clock,
    Comparator,
    DateEq,
    Default,
    EmailEq,
    Eq,
    Facts,
    InstantEq,
    Money,
    Number,
    OneOf,
    PhoneEq,
    RefTo,
    TextEq,
)
from .diff import same
from .shapes import default_of, role_of

_SPACES = re.compile(r"\s+")
_MONTHS = (
    "January|February|March|April|May|June|July|August|September|October|November|December"
    "|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec"
)
_DATES = re.compile(
    rf"\d{{4}}-\d{{1,2}}-\d{{1,2}}|\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{_MONTHS})\b\.?(?:,?\s+\d{{4}})?"
    rf"|\b(?:{_MONTHS})\b\.?\s+\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s+\d{{4}})?",
    re.IGNORECASE,
)
_AMOUNTS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+|\d{3,}")


@dataclass(frozen=True)
class Cell:
    """Where a value stands: what a comparator may need beside the value itself.

    `actor`: person of the command that wrote the row; `clock`: instants that a Clock comparator accepts;
    `bound`: keys of rows that were saved under a name.
    """

    state: Reader
    table: str
    row: Row
    column: str
    bound: Mapping[str, Key] = field(default_factory=dict)
    actor: str | None = None
    clock: tuple[str, ...] = ()

    @property
    def value(self) -> Data:
        return self.row.get(self.column)


@lru_cache(maxsize=512)
def plain_text(text: str) -> str:
    """NFC with runs of whitespace (no-break spaces too) as one space, none outside. Letters stay as they are."""
    return _SPACES.sub(" ", unicodedata.normalize("NFC", text)).strip()


def currency_of(cell: Cell) -> str | None:
    """The currency of a money cell: the role's code, the row's column, or that of the row it belongs to."""
    of = role_of(cell.table, cell.column).of
    if of in EXPONENTS:
        return str(of)
    if of in cell.row:
        return str(cell.row[of])
    link = f"{of}_id"
    if link in cell.row and role_of(cell.table, link).kind == "ref":
        parent = cell.state.get(role_of(cell.table, link).of, (cell.row[link],))
        return None if parent is None else str(parent.get("currency"))
    raise SpecError(f"{cell.table}.{cell.column}: nothing says its currency; compare it with Eq")


def same_email(expected: str, given: str) -> bool:
    """Local part exact, domain without regard to case."""
    left, right = (unicodedata.normalize("NFC", text).strip().rpartition("@") for text in (expected, given))
    return left[0] == right[0] != "" and left[2].casefold() == right[2].casefold()


def same_phone(expected: str, given: str) -> bool:
    """Same digits, and a leading plus on both or neither; letters never match."""
    if re.search(r"[^\d\s()+./\-\u00a0]", given) or not digits(given):
        return False
    plus = [text.strip().startswith("+") for text in (expected, given)]
    return digits(expected) == digits(given) and plus[0] == plus[1]


def _occurs(needle: str, text: str) -> bool:
    wanted = re.escape(plain_text(needle))
    return re.search(rf"(?<!\w){wanted}(?!\w)", text, re.IGNORECASE) is not None


def states_facts(comparator: Facts, given: str) -> bool:
    """See `Facts`. Dates and amounts beyond the required texts fail it."""
    text = plain_text(given)
    if len(text) > comparator.max_length:
        return False
    if not all(_occurs(needle, text) for needle in comparator.required):
        return False
    if any(_occurs(needle, text) for needle in comparator.forbidden):
        return False
    rest = text
    for needle in sorted(comparator.required, key=len, reverse=True):
        rest = re.sub(rf"(?<!\w){re.escape(plain_text(needle))}(?!\w)", " ", rest, flags=re.IGNORECASE)
    return _DATES.search(rest) is None and _AMOUNTS.search(rest) is None


def _text(expected: TextEq, value: Data) -> bool:
    if not isinstance(value, str):
        return False
    left, right = plain_text(expected.value), plain_text(value)
    return left.casefold() == right.casefold() if expected.ci else left == right


def _money(expected: Money, cell: Cell) -> bool:
    return same(cell.value, expected.minor) and currency_of(cell) == expected.currency


def _between(expected: Between, value: Data) -> bool:
    return type(value) is int and expected.low <= value <= expected.high


def _any(cell: Cell) -> bool:
    kind = role_of(cell.table, cell.column).kind
    whole = kind in ("money", "int", "decimal", "bool")
    return cell.value is None or isinstance(cell.value, int if whole else str)


def _default(cell: Cell) -> bool:
    return same(cell.value, default_of(cell.table, cell.column, cell.actor))


_RULES: Mapping[type, Callable[[Data, Cell], bool]] = {
    Eq: lambda expected, cell: same(expected.value, cell.value),
    OneOf: lambda expected, cell: any(same(value, cell.value) for value in expected.values),
    TextEq: lambda expected, cell: _text(expected, cell.value),
    Money: _money,
    Between: lambda expected, cell: _between(expected, cell.value),
    DateEq: lambda expected, cell: same(expected.value, cell.value),
    InstantEq: lambda expected, cell: same(expected.value, cell.value),
    EmailEq: lambda expected, cell: isinstance(cell.value, str) and same_email(expected.value, cell.value),
    PhoneEq: lambda expected, cell: isinstance(cell.value, str) and same_phone(expected.value, cell.value),
    Facts: lambda expected, cell: isinstance(cell.value, str) and states_facts(expected, cell.value),
    RefTo: lambda expected, cell: expected.var in cell.bound and same((cell.value,), cell.bound[expected.var]),
    Any: lambda _expected, cell: _any(cell),
    Default: lambda _expected, cell: _default(cell),
    Clock: lambda _expected, cell: cell.value in cell.clock,
}


def satisfies(comparator: Comparator, cell: Cell) -> bool:
    """Whether a cell satisfies a comparator. Raises SpecError for one that only answers may use."""
    rule = _RULES.get(type(comparator))
    if rule is None or isinstance(comparator, Number):
        raise SpecError(f"{type(comparator).__name__} compares answers, not cells")
    return rule(comparator, cell)
