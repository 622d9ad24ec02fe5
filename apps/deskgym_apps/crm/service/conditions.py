"""The operators of filters, by type of field (CRM-6). Text is compared without case and accents; `not_equal`
and `not_in` include empty values; relative dates count in the viewer's zone."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

from pydantic import Field

from ...kit.call import Context
from ...kit.dates import add_seconds, kept, parse_date, parse_instant
from ...kit.errors import BadQuery, nearest
from ...kit.norm import digits, norm
from ...kit.operations import Input
from .. import rules_logic as logic
from ..rules_quotes import STATUSES
from ..rules_views import MAX_FILTERS
from .changes import currencies
from .periods import FORMS, Period, read_period
from .selection import Bound, Selection

MAX_VALUES = 200
_EMPTY = ("blank", "not_blank")
_ORDERED = ("equals", "not_equal", "lt", "lte", "gt", "gte", "between", *_EMPTY)
_CHOSEN = ("equals", "not_equal", "in", "not_in", *_EMPTY)
OPERATORS: Mapping[str, tuple[str, ...]] = {
    "text": ("equals", "not_equal", "contains", "starts_with", "in", "not_in", *_EMPTY),
    "phone": ("equals", "not_equal", "contains", *_EMPTY),
    "picklist": _CHOSEN,
    "ref": _CHOSEN,
    "id": _CHOSEN,
    "bool": ("equals", "not_equal"),
    "number": _ORDERED,
    "money": _ORDERED,
    "date": _ORDERED,
    "instant": _ORDERED,
    "json": _EMPTY,
}
_ALIASES = {
    "=": "equals",
    "==": "equals",
    "eq": "equals",
    "!=": "not_equal",
    "<>": "not_equal",
    "≠": "not_equal",
    "not_equals": "not_equal",
    "<": "lt",
    "<=": "lte",
    "≤": "lte",
    ">": "gt",
    ">=": "gte",
    "≥": "gte",
}
_SQL = {"equals": "=", "not_equal": "<>", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
FIXED_CHOICES = {
    "kind": ("Task", "Call"),
    "direction": ("in", "out"),
    "status": STATUSES,
    "forecast_category": ("Pipeline", "Best Case", "Commit", "Closed", "Omitted"),
}
_NUMBER = re.compile(r"-?\d{1,15}(\.\d{1,6})?")


class Condition(Input):
    """One filter: `{"field": "amount", "op": "gte", "value": 50000}`."""

    field: str = Field(max_length=80, description="A field, or a field of a record it points to: account.region.")
    op: str = Field(
        max_length=20,
        description="text: equals, not_equal, contains, starts_with, in, not_in · picklist and lookup: equals, "
        "not_equal, in, not_in · number, money, date, instant: equals, not_equal, lt, lte, gt, gte, between · "
        "bool: equals, not_equal · all but bool: blank, not_blank.",
    )
    value: Any = Field(
        default=None,
        description="What to compare with; a list for in, not_in and between, nothing for blank and not_blank. "
        f"Dates also take {FORMS}. Lookups take an id; to a user also me.",
    )


class FilterReader:
    """One condition on one bound field, on its way to SQL."""

    def __init__(self, selection: Selection, number: int, condition: Condition) -> None:
        self.selection = selection
        self.ctx: Context = selection.user.ctx
        self.condition = condition
        self.bound: Bound = selection.bind(condition.field, "filter")
        self.type = self.bound.field.type
        self.prefix = f"f{number}_"
        self.count = 0
        name = condition.op.strip().lower().replace(" ", "_")
        self.op = _ALIASES.get(name, name)
        known = OPERATORS[self.type]
        if self.op not in known:
            message = f'{condition.field} is a {self.type} field and has no operator "{condition.op}"'
            message += f".{nearest(self.op, known)} Operators: {', '.join(known)}"
            raise BadQuery(message, field="filter", allowed=known, details={"part": "op"})

    def bad(self, rule: str, allowed: Sequence[str] = ()) -> BadQuery:
        shown = json.dumps(self.condition.value, ensure_ascii=False)[:120]
        message = f"{self.condition.field} {self.op} {shown}: {rule}"
        return BadQuery(message, field="filter", allowed=allowed, details={"part": "value", "rule": rule})

    def put(self, value: Any) -> str:
        name = f"{self.prefix}{self.count}"
        self.count += 1
        self.selection.params[name] = value
        return f":{name}"

    def sql(self) -> str:
        if self.op in _EMPTY:
            if self.condition.value is not None:
                raise self.bad("takes no value")
            is_blank = f"coalesce({self.bound.sql}, '') = ''"
            return is_blank if self.op == "blank" else f"NOT ({is_blank})"
        if self.condition.value is None:
            raise self.bad('needs a value; use the operator "blank" for empty fields')
        test: str = getattr(self, f"_{self.type}")()
        return test

    def values(self, least: int = 1, most: int = MAX_VALUES) -> list[Any]:
        given = self.condition.value
        if not isinstance(given, list) or not least <= len(given) <= most:
            size = f"{least}" if least == most else f"{least} to {most}"
            raise self.bad(f"takes a list of {size} values")
        return given

    def word(self, value: Any) -> str:
        if not isinstance(value, str) or len(value) > 500:
            raise self.bad("takes text of at most 500 characters")
        return value

    def among(self, column: str, values: list[str]) -> str:
        """`in`, `equals`, or their opposites, which include empty values."""
        inside = f"{column} IN (SELECT value FROM json_each({self.put(json.dumps(values))}))"
        return inside if self.op in ("in", "equals") else f"({column} IS NULL OR NOT ({inside}))"

    def given_words(self) -> list[str]:
        listed = self.op in ("in", "not_in")
        return [self.word(value) for value in (self.values() if listed else [self.condition.value])]

    def _text(self) -> str:
        words = [norm(word) for word in self.given_words()]
        if self.op == "contains":
            return f"instr({self.bound.norm}, {self.put(words[0])}) > 0"
        if self.op == "starts_with":
            return f"instr({self.bound.norm}, {self.put(words[0])}) = 1"
        return self.among(self.bound.norm, words)

    def _phone(self) -> str:
        wanted = digits(self.word(self.condition.value)).lstrip("0")
        if not wanted:
            raise self.bad("takes a telephone number or a part of one")
        stored = f"{self.bound.sql}_digits"
        inside = f"instr({stored}, {self.put(wanted)}) > 0"
        if self.op == "contains":
            return inside
        ends = f"(length({stored}) - length({self.put(wanted)}) <= 3 AND substr({stored}, -{len(wanted)}) = "
        test = f"{ends}{self.put(wanted)})"
        return test if self.op == "equals" else f"({self.bound.sql} IS NULL OR NOT {test})"

    def _picklist(self) -> str:
        return self.among(self.bound.sql, [self.choice(word) for word in self.given_words()])

    def choice(self, word: str) -> str:
        """The value of a picklist that a word means, in its own spelling."""
        known = self.choices()
        by_norm = {norm(value): value for value in known}
        if norm(word) not in by_norm:
            raise self.bad(f'there is no value "{word}".{nearest(word, known)}', known)
        return by_norm[norm(word)]

    def choices(self) -> tuple[str, ...]:
        """Every value a picklist field may hold, retired ones included."""
        item = self.bound.field
        if item.name == "stage":
            sql, key = "SELECT name FROM crm_stage ORDER BY sort", {}
        elif item.choices:
            sql = "SELECT value FROM crm_picklist WHERE object = :o AND field = :f ORDER BY sort, value"
            key = {"o": item.choices[0], "f": item.choices[1]}
        elif item.name == "currency":
            return currencies(self.ctx)
        else:
            return FIXED_CHOICES[item.name]
        return tuple(row[0] for row in self.ctx.conn.execute(sql, key))

    def _id(self) -> str:
        return self.among(self.bound.sql, self.given_words())

    def _ref(self) -> str:
        words = self.given_words()
        if self.bound.field.target in ("user", "owner"):
            words = [self.ctx.person_id if word == "me" else word for word in words]
        for word in words:
            if not re.fullmatch(r"[A-Z0-9]{15}", word):
                rule = f'"{word}" is not a record id; filter by a name with {self.condition.field[:-3]}.name'
                raise self.bad(rule)
        return self.among(self.bound.sql, words)

    def _bool(self) -> str:
        if not isinstance(self.condition.value, bool):
            raise self.bad("takes true or false")
        wanted = self.condition.value == (self.op == "equals")
        return f"coalesce({self.bound.sql}, 0) = {int(wanted)}"

    def decimal(self, value: Any) -> Decimal:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise self.bad("takes a number")
        text = str(value).strip()
        if not _NUMBER.fullmatch(text):
            raise self.bad("takes a number like 12345.67")
        return Decimal(text)

    def _number(self) -> str:
        return self.ordered(lambda value, edge: self.put(_edge(self.decimal(value), edge)))

    def _money(self) -> str:
        return self.ordered(self.minor)

    def minor(self, value: Any, edge: str) -> str:
        """Minor units of an amount in the row's own currency, rounded so that the comparison stays exact."""
        number = self.decimal(value)
        rows = self.ctx.conn.execute("SELECT code, exponent FROM org_currency ORDER BY code").fetchall()
        cases = " ".join(
            f"WHEN '{code}' THEN {self.put(_edge(number.scaleb(exponent), edge))}" for code, exponent in rows
        )
        return f"CASE {self.bound.currency} {cases} END"

    def ordered(self, operand: Any) -> str:
        """Comparisons of numbers; `operand(value, edge)` gives the SQL of a value at the inner edge of the set."""
        column, op = self.bound.sql, self.op
        if op == "between":
            low, high = self.values(2, 2)
            return f"{column} BETWEEN {operand(low, 'gte')} AND {operand(high, 'lte')}"
        test = f"{column} {_SQL[op]} {operand(self.condition.value, op)}"
        return f"({column} IS NULL OR {test})" if op == "not_equal" else test

    def period(self, value: Any) -> Period | str:
        """A period, a single day included, or an instant as text."""
        text = self.word(value)
        found = read_period(self.ctx, text)
        if found is not None:
            return found
        if self.type == "instant" and "T" in text:
            return self.moment(text)
        try:
            parse_date(text)
        except ValueError:
            raise self.bad(f"takes a date like 2031-03-14, or {FORMS}") from None
        self.in_range(text)
        return Period(text, text)

    def moment(self, text: str) -> str:
        try:
            parse_instant(text)
        except ValueError as error:
            raise self.bad(str(error)) from None
        return self.in_range(text)

    def in_range(self, text: str) -> str:
        try:
            return kept(text)
        except ValueError as error:
            raise self.bad(str(error)) from None

    def bounds(self, value: Any) -> tuple[str, str]:
        """First and last value of the column's type that lie in what was given."""
        period = self.period(value)
        if isinstance(period, str):
            return period, period
        if self.type == "date":
            return period.first, period.last
        start, end = period.instants(self.ctx)
        return start, self.ctx.now if period.until_now else _second_before(end)

    def _date(self) -> str:
        column, op = self.bound.sql, self.op
        if op == "between":
            low, high = self.values(2, 2)
            return f"{column} BETWEEN {self.put(self.bounds(low)[0])} AND {self.put(self.bounds(high)[1])}"
        first, last = self.bounds(self.condition.value)
        if op in ("equals", "not_equal"):
            inside = f"{column} BETWEEN {self.put(first)} AND {self.put(last)}"
            return inside if op == "equals" else f"({column} IS NULL OR NOT ({inside}))"
        return f"{column} {_SQL[op]} {self.put(first if op in ('lt', 'gte') else last)}"

    _instant = _date


def _edge(number: Decimal, op: str) -> int | str:
    """A whole number that compares by `op` as `number` does; text, which equals no number, where none does."""
    if number == number.to_integral_value():
        return int(number)
    if op in ("equals", "not_equal"):
        return "none"
    return int(number.to_integral_value(ROUND_CEILING if op in ("gte", "lt") else ROUND_FLOOR))


def _second_before(instant: str) -> str:
    return add_seconds(instant, -1)


def where(selection: Selection, conditions: Sequence[Condition], joined: str | None, *, first: int = 0) -> str:
    """SQL of the filters, joined by the logic. `first`: where the numbers of their parameters begin.

    Raises BadQuery that names the faulty filter; its `details` have `filter`, counted from 1, and the faulty `part`
    of it: field, op or value (with the `rule` that the value breaks).
    """
    if len(conditions) > MAX_FILTERS:
        raise BadQuery(f"{len(conditions)} filters; at most {MAX_FILTERS} are possible", field="filter")
    clauses = [_clause(selection, number, item, first) for number, item in enumerate(conditions)]
    return logic.combine(clauses, joined)


def _clause(selection: Selection, number: int, condition: Condition, first: int) -> str:
    try:
        return FilterReader(selection, first + number, condition).sql()
    except BadQuery as fault:
        fault.details = {"filter": number + 1, "part": "field"} | fault.details
        raise
