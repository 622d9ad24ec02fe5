"""Comparators: how one expected value is compared with one stored or answered value (grading.md §3.3).

The expected side is data and may hold sets; the actual side is an inert typed value: nothing is coerced, no pattern
in it is honoured. `compare.py` carries them out on rows, `answers.py` on answers.
"""

from __future__ import annotations

import typing
from collections.abc import Mapping
from dataclasses import dataclass, field

from deskgym_apps.kit.dates import parse_date, parse_instant
from deskgym_apps.kit.money import exponent

from .codec import coded

Scalar = str | int | bool | None


def _refuse_float(value: typing.Any) -> None:
    if isinstance(value, float):
        raise ValueError(f"expected values hold no floats, not {value!r}; use minor units, or text for a Number")


@coded
@dataclass(frozen=True)
class Eq:
    """Same type and same value (`1`, `"1"` and `true` all differ)."""

    value: Scalar

    def __post_init__(self) -> None:
        _refuse_float(self.value)


@coded
@dataclass(frozen=True)
class OneOf:
    """Same type and value as a member of a closed set."""

    values: tuple[Scalar, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(self.values))
        for value in self.values:
            _refuse_float(value)
        if not self.values:
            raise ValueError("OneOf needs at least one value")


@coded
@dataclass(frozen=True)
class TextEq:
    """Same text after NFC and collapsed whitespace (no-break spaces too). `ci` folds case. Homoglyphs differ."""

    value: str
    ci: bool = False


@coded
@dataclass(frozen=True)
class Money:
    """Minor units and currency, exact. In an answer: a number in major units; the currency is a field of its own."""

    minor: int
    currency: str

    def __post_init__(self) -> None:
        _refuse_float(self.minor)
        exponent(self.currency)


@coded
@dataclass(frozen=True)
class Between:
    """An integer from `low` to `high`, both included (minor units of money included)."""

    low: int
    high: int

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError(f"nothing lies between {self.low} and {self.high}")


@coded
@dataclass(frozen=True)
class Number:
    """A decimal number, exact; an answer may have at most `decimals` decimals. `value` is text like `12.5`."""

    value: str
    decimals: int


@coded
@dataclass(frozen=True)
class DateEq:
    """A calendar date, `YYYY-MM-DD`."""

    value: str

    def __post_init__(self) -> None:
        parse_date(self.value)


@coded
@dataclass(frozen=True)
class InstantEq:
    """An instant, `YYYY-MM-DDTHH:MM:SSZ`. An answer may carry another offset from UTC."""

    value: str

    def __post_init__(self) -> None:
        parse_instant(self.value)


@coded
@dataclass(frozen=True)
class EmailEq:
    """The same e-mail address: local part exact, domain without regard to case."""

    value: str


@coded
@dataclass(frozen=True)
class PhoneEq:
    """The same phone number: its digits and a leading plus."""

    value: str


@coded
@dataclass(frozen=True)
class Facts:
    """Free prose: every `required` text on word boundaries, no `forbidden` one, at most `max_length` characters.

    No date and no amount may stand in it beyond those in `required`. `forbidden` lists every sibling value.
    """

    required: tuple[str, ...]
    forbidden: tuple[str, ...]
    max_length: int = 600

    def __post_init__(self) -> None:
        object.__setattr__(self, "required", tuple(self.required))
        object.__setattr__(self, "forbidden", tuple(self.forbidden))
        if not self.required:
            raise ValueError("Facts needs at least one required text")


@coded
@dataclass(frozen=True)
class RefTo:
    """The key of the row that an insert of the same goal saved under this name (`save_as`)."""

    var: str


@coded
@dataclass(frozen=True)
class Any:
    """Any value of the column's kind; the reason why it does not matter is compulsory (lint L5)."""

    reason: str


@coded
@dataclass(frozen=True)
class Default:
    """What the column holds where the person gives nothing: the role's `initial`, else the schema's default."""


@coded
@dataclass(frozen=True)
class Clock:
    """The instant at which a command last changed the column that a `clock_when` column follows."""


@coded
@dataclass(frozen=True)
class SetOf:
    """In an answer: exactly these items in any order; duplicates are an error of type."""

    items: tuple[Comparator, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", tuple(self.items))


@coded
@dataclass(frozen=True)
class BagOf:
    """In an answer: exactly these items in any order, each as often as listed."""

    items: tuple[Comparator, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", tuple(self.items))


@coded
@dataclass(frozen=True)
class ListOf:
    """In an answer: exactly these items in this order; only where the instruction names the order."""

    items: tuple[Comparator, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", tuple(self.items))


@coded
@dataclass(frozen=True)
class Fields:
    """In an answer: an object with exactly these keys."""

    fields: Mapping[str, Comparator] = field(default_factory=dict)


Comparator = (
    Eq
    | OneOf
    | TextEq
    | Money
    | Between
    | Number
    | DateEq
    | InstantEq
    | EmailEq
    | PhoneEq
    | Facts
    | RefTo
    | Any
    | Default
    | Clock
    | SetOf
    | BagOf
    | ListOf
    | Fields
)
COMPARATORS: tuple[type, ...] = typing.get_args(Comparator)
ANSWER_ONLY: tuple[type, ...] = (SetOf, BagOf, ListOf, Fields, Number)
CELLS_ONLY: tuple[type, ...] = (RefTo, Any, Default, Clock)
