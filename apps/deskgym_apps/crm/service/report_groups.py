"""Into which group a record of a report falls: values, periods of dates in the viewer's zone, buckets (CRM-13)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from ...kit.dates import local_date, long_date, parse_date
from ...kit.money import format_amount, plain_amount
from ...kit.norm import norm
from ..rules_reports import REST
from .access import User
from .conditions import FIXED_CHOICES
from .periods import period_of
from .selection import Bound, Selection

NONE_LABEL = "-"
_UNITS = {
    "week": "WEEK",
    "month": "MONTH",
    "quarter": "QUARTER",
    "fiscal_quarter": "FISCAL QUARTER",
    "year": "YEAR",
    "fiscal_year": "FISCAL YEAR",
}
UNIT_LABELS = {
    "day": "Day",
    "week": "Week",
    "month": "Month",
    "quarter": "Quarter",
    "fiscal_quarter": "Fiscal quarter",
    "year": "Year",
    "fiscal_year": "Fiscal year",
}


@dataclass(frozen=True)
class Place:
    """One group of a level: `key` tells it from others (None: records without a value), `order` sorts it."""

    key: str | None
    label: str
    order: tuple[Any, ...]


def shown(place: Place) -> dict[str, Any]:
    """A group as results name it."""
    return {"key": place.key, "label": place.label}


_NOWHERE = Place(None, NONE_LABEL, (1,))
Placer = Callable[[tuple[Any, ...]], Place]


class Grouper:
    """One level of groups: the SQL it reads (`columns`), and where a record's values fall."""

    def __init__(self, selection: Selection, item: Mapping[str, Any]) -> None:
        self.item = item
        self.user: User = selection.user
        self.bound = selection.bind(item["field"], "rows")
        self.columns, self._place = self._ways(selection)
        self._known: dict[tuple[Any, ...], Place] = {}

    @property
    def by(self) -> str | None:
        """The period of a date, None for other fields."""
        by: str | None = self.item.get("by")
        return by

    def place(self, values: tuple[Any, ...]) -> Place:
        """The group of a record, by the values of `columns`."""
        if values not in self._known:
            self._known[values] = _NOWHERE if values[0] in (None, "") else self._place(values)
        return self._known[values]

    def tell_apart(self) -> None:
        """Give namesakes among the records met so far their ids, so that no two groups look the same."""
        keys: dict[str, set[str | None]] = {}
        for place in self._known.values():
            keys.setdefault(norm(place.label), set()).add(place.key)
        for values, place in self._known.items():
            if self.bound.field.type == "ref" and len(keys[norm(place.label)]) > 1:
                self._known[values] = replace(place, label=f"{place.label} ({place.key})")

    def _ways(self, selection: Selection) -> tuple[tuple[str, ...], Placer]:
        bound, kind = self.bound, self.bound.field.type
        if self.item.get("buckets"):
            return _bucketed(bound, self.item["buckets"])
        if kind == "ref":
            name = _name_sql(selection, bound)
            return (f"CASE WHEN {name} IS NOT NULL THEN {bound.sql} END", name), _by_record
        if kind in ("date", "instant"):
            return (bound.sql,), self._by_period
        if kind == "money":
            return (bound.sql, bound.currency or ""), _by_amount
        if kind == "number":
            return (bound.sql,), _by_number
        if kind == "bool":
            return (f"coalesce({bound.sql}, 0)",), _by_answer
        if kind == "picklist":
            ranks = {value: at for at, value in enumerate(_choices(selection, bound))}
            return (bound.sql,), lambda values: _by_choice(ranks, values)
        return (bound.sql,), _by_text

    def _by_period(self, values: tuple[Any, ...]) -> Place:
        day = str(values[0])
        if self.bound.field.type == "instant":
            day = local_date(day, self.user.ctx.person["tz"])
        if self.by in (None, "day"):
            return Place(day, long_date(day), (0, day))
        span = period_of(self.user.ctx, day, _UNITS[str(self.by)])
        return Place(span.first, _period_label(str(self.by), span.first, span.last), (0, span.first))


def _name_sql(selection: Selection, bound: Bound) -> str:
    """SQL of the name behind a lookup, NULL where the person may not read that record."""
    if not bound.is_own:  # a person: everybody sees people
        return f"(SELECT p.name FROM org_person p WHERE p.id = {bound.sql})"
    prefix = bound.key.removesuffix("_id")
    target = bound.field.target or ""
    return selection.bind(f"{prefix}.{'subject' if target in ('case', 'task', 'event') else 'name'}").sql


def _choices(selection: Selection, bound: Bound) -> list[str]:
    """Values of a picklist in their own order."""
    item = bound.field
    if item.name == "stage":
        return [row[0] for row in selection.all("SELECT name FROM crm_stage ORDER BY sort, name")]
    if item.choices:
        sql = "SELECT value FROM crm_picklist WHERE object = :po AND field = :pf ORDER BY sort, value"
        return [row[0] for row in selection.all(sql, po=item.choices[0], pf=item.choices[1])]
    return list(FIXED_CHOICES.get(item.name, ()))


def _by_record(values: tuple[Any, ...]) -> Place:
    record_id, name = values
    return Place(str(record_id), str(name), (0, norm(str(name)), record_id))


def _by_amount(values: tuple[Any, ...]) -> Place:
    minor, code = values
    return Place(f"{plain_amount(minor, code)} {code}", f"{format_amount(minor, code)} {code}", (0, code, minor))


def decimal_of(value: Any) -> Decimal:
    """A stored number, exact: a quantity or a percentage comes as a fraction of thousandths or hundredths."""
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)


def number_text(number: Decimal) -> str:
    """A number without needless zeros."""
    return format(number.normalize(), "f") if number else "0"


def _by_number(values: tuple[Any, ...]) -> Place:
    number = decimal_of(values[0])
    return Place(number_text(number), f"{number.normalize():,f}" if number else "0", (0, number))


def _by_answer(values: tuple[Any, ...]) -> Place:
    return Place("true", "Yes", (0, 0)) if values[0] else Place("false", "No", (0, 1))


def _by_choice(ranks: Mapping[str, int], values: tuple[Any, ...]) -> Place:
    text = str(values[0])
    return Place(text, text, (0, ranks.get(text, len(ranks)), norm(text)))


def _by_text(values: tuple[Any, ...]) -> Place:
    text = str(values[0])
    return Place(norm(text), text, (0, norm(text)))


def _bucketed(bound: Bound, buckets: list[Mapping[str, Any]]) -> tuple[tuple[str, ...], Placer]:
    if bound.field.type == "money":
        return (bound.sql, bound.currency or ""), lambda values: _below(
            buckets, Decimal(plain_amount(values[0], values[1]))
        )
    if bound.field.type == "number":
        return (bound.sql,), lambda values: _below(buckets, decimal_of(values[0]))
    ranked = sorted(buckets, key=lambda item: norm(item["label"]))
    found = {
        norm(value): Place(item["label"], item["label"], (0, at))
        for at, item in enumerate(ranked)
        for value in item["values"]
    }
    rest = Place(REST, REST, (0, len(ranked)))
    return (bound.sql,), lambda values: found.get(norm(str(values[0])), rest)


def _below(buckets: list[Mapping[str, Any]], number: Decimal) -> Place:
    at = next((at for at, item in enumerate(buckets) if "below" not in item or number < Decimal(item["below"])))
    return Place(buckets[at]["label"], buckets[at]["label"], (0, at))


def _month(day: str, form: str = "%B %Y") -> str:
    return parse_date(day).strftime(form)


def _period_label(by: str, first: str, last: str) -> str:
    if by == "week":
        return f"Week of {long_date(first)}"
    if by == "month":
        return _month(first)
    if by == "year":
        return first[:4]
    if by == "quarter":
        return f"Q{(int(first[5:7]) + 2) // 3} {first[:4]}"
    start = _month(first, "%b") if first[:4] == last[:4] else _month(first, "%b %Y")
    span = f"{start} – {_month(last, '%b %Y')}"
    return span if by == "fiscal_quarter" else f"FY {span}"
