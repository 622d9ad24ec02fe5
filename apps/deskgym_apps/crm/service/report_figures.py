"""The figures of a report: exact sums and averages, amounts of several currencies converted (CRM-13, X-3).

Where the amounts that a figure adds up are of more than one currency, each record's amount is converted to the viewer's
currency at the rate of the record's close date (today's, where it has none) and rounded half-up to minor units, once;
what follows is exact, so subtotals add up to their total. The rate of a day is the latest one that is valid by then,
before the first rate the first. An average is rounded half-up once, of numbers to two decimals. Empty values count
nowhere but in `count`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

from ...kit.call import Context
from ...kit.money import exponent, plain_amount
from ...kit.norm import norm
from ..rules_reports import measure_parts
from .report_groups import decimal_of, number_text
from .selection import Bound

_LABELS = {"unique": "Unique", "sum": "Sum of", "avg": "Average", "min": "Lowest", "max": "Highest"}
_EARLIEST = {"min": "Earliest", "max": "Latest"}


def half_up(value: Fraction) -> int:
    """The nearest integer, ties away from zero."""
    size = (2 * abs(value.numerator) + value.denominator) // (2 * value.denominator)
    return -size if value < 0 else size


class Rates:
    """Exchange rates by day, in corporate units per unit x 1e6."""

    def __init__(self, ctx: Context) -> None:
        self._corporate = ctx.store.meta("corp_currency")
        rows = ctx.conn.execute("SELECT code, valid_from, rate_ppm FROM org_fx_rate ORDER BY code, valid_from")
        self._days: dict[str, tuple[list[str], list[int]]] = {}
        for code, day, rate in rows:
            days, rates = self._days.setdefault(code, ([], []))
            days.append(day)
            rates.append(int(rate))

    def rate(self, code: str, day: str) -> int | None:
        """The rate of a currency on a day, None where the company has none."""
        if code == self._corporate:
            return 1_000_000
        if code not in self._days:
            return None
        days, rates = self._days[code]
        return rates[max(0, bisect_right(days, day) - 1)]

    def convert(self, minor: int, source: str, target: str, day: str) -> int | None:
        """Minor units of `target`, rounded half-up; None where a rate is missing."""
        if source == target:
            return minor
        ours, theirs = self.rate(source, day), self.rate(target, day)
        if ours is None or theirs is None:
            return None
        value = Fraction(minor * ours * 10 ** exponent(target), theirs * 10 ** exponent(source))
        return half_up(value)


@dataclass
class Tally:
    """What a figure has counted so far."""

    count: int = 0
    total: Any = 0
    lowest: Any = None
    highest: Any = None
    seen: set[Any] = field(default_factory=set)
    is_known: bool = True

    def add(self, value: Any) -> None:
        """Count a value; None is a value that could not be converted."""
        if value is None:
            self.is_known = False
            return
        self.count += 1
        if not isinstance(value, str):
            self.total += value
        self.lowest = value if self.lowest is None or value < self.lowest else self.lowest
        self.highest = value if self.highest is None or value > self.highest else self.highest


class Measure:
    """One figure: the SQL it reads, how it counts, and how its result is written."""

    def __init__(self, name: str, bound: Bound | None, label: str, own_currency: str) -> None:
        self.name, self.bound = name, bound
        self.function = measure_parts(name)[0]
        self.type = "count" if bound is None or self.function == "unique" else bound.field.type
        self.label = measure_label(self.function, self.type, label)
        self.currency: str | None = None
        self.is_converted = False
        self._own_currency = own_currency

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The SQL of the value, and of the currency of money."""
        if self.bound is None:
            return ()
        return (self.bound.sql, self.bound.currency) if self.is_money and self.bound.currency else (self.bound.sql,)

    @property
    def is_money(self) -> bool:
        """Whether the figure is an amount."""
        return self.type == "money"

    def settle(self, codes: Iterable[str]) -> None:
        """Choose the currency, once it is known which ones there are."""
        known = sorted(set(codes))
        self.is_converted = len(known) > 1
        self.currency = known[0] if len(known) == 1 else self._own_currency

    def count(self, tally: Tally, values: Sequence[Any], day: str, rates: Rates) -> None:
        """Count a record's values."""
        if self.bound is None:
            tally.count += 1
            return
        value = values[0]
        if value in (None, ""):
            return
        if self.function == "unique":
            tally.seen.add(norm(value) if isinstance(value, str) else tuple(values))
        elif self.is_money:
            tally.add(rates.convert(int(value), str(values[1]), str(self.currency), day))
        else:
            tally.add(decimal_of(value) if self.type == "number" else str(value))

    def result(self, tally: Tally) -> Any:
        """The figure: an integer, decimal text, a date; None where there is nothing to say."""
        if self.bound is None:
            return tally.count
        if self.function == "unique":
            return len(tally.seen)
        if not tally.is_known or (not tally.count and self.function != "sum"):
            return None
        return self._written(self._value(tally))

    def sortable(self, tally: Tally) -> Any:
        """The figure as groups are sorted by; None where there is none."""
        if self.bound is None:
            return tally.count
        if self.function == "unique":
            return len(tally.seen)
        if not tally.is_known or (not tally.count and self.function != "sum"):
            return None
        return self._value(tally)

    def _value(self, tally: Tally) -> Any:
        if self.function == "sum":
            return tally.total
        if self.function == "avg":
            return Fraction(tally.total) / tally.count
        return tally.lowest if self.function == "min" else tally.highest

    def _written(self, value: Any) -> Any:
        if self.is_money:
            return plain_amount(half_up(Fraction(value)), str(self.currency))
        if self.function == "avg":
            return number_text(Decimal(half_up(value * 100)).scaleb(-2))
        return number_text(Decimal(value)) if self.type == "number" else value


def measure_label(function: str, kind: str, field_label: str) -> str:
    """What a figure is called: "Sum of amount"; `kind` is the type of its field."""
    if function == "count":
        return "Record count"
    word = _EARLIEST.get(function, _LABELS[function]) if kind in ("date", "instant") else _LABELS[function]
    return f"{word} {field_label[:1].lower() + field_label[1:]}"
