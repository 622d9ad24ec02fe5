"""The normal form of a report's definition: equal for two definitions that mean the same, whatever rows there are.

A definition is kept twice (`crm_report`): in `spec` as its maker said it, in canonical spelling, and in `definition`
in normal form, which is what graders compare. The normal form is JSON with

    conditions   filters, logic, date range and scope together, as rules_views.py writes them
    rows, across groupings in order: [field], [field, "month"], or [field, {"buckets": …}]
    measures     the figures, sorted: their order is a matter of looks
    cross        [with or without, child, conditions of the child], or null
    order, top   which figure the first groups are sorted by, and how many of them stay
    details      whether the records are listed; only then `columns` and `sort` count
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from ..kit.errors import BadQuery
from ..kit.norm import norm
from ..kit.roles import Reader, Row
from .rules_views import Filter, normal_form

OBJECTS = ("account", "contact", "opportunity", "opportunity_line", "quote", "lead", "case", "task", "event")
UNITS = ("day", "week", "month", "quarter", "fiscal_quarter", "year", "fiscal_year")
FUNCTIONS = ("count", "unique", "sum", "avg", "min", "max")
CHARTS = ("none", "bar", "column", "line")
VISIBILITY = ("private", "public", "editable")
WIDGETS = ("metric", "bar", "column", "line", "table")
MAX_ROW_GROUPS = 3
MAX_COLUMN_GROUPS = 2
MAX_MEASURES = 6
MAX_BUCKETS = 8
MAX_TOP = 100
MAX_WIDGETS = 9
REST = "Other"
"""What the bucket of values is called that no other bucket names."""


def measure_parts(measure: str) -> tuple[str, str]:
    """`"sum:amount"` -> `("sum", "amount")`, `"count"` -> `("count", "")`."""
    function, _, field = measure.partition(":")
    return function, field


def format_of(spec: Mapping[str, Any]) -> str:
    """tabular without groups, matrix with groups across, else summary."""
    if spec.get("across"):
        return "matrix"
    return "summary" if spec.get("rows") else "tabular"


def filter_of(item: Mapping[str, Any]) -> Filter:
    """A filter as a definition keeps it."""
    return Filter(item["field"], item["type"], item["op"], item.get("value"))


def date_filter(spec: Mapping[str, Any]) -> Filter | None:
    """The date range of a definition as a filter: a period, or days of which one end may be open."""
    given = spec.get("date_range")
    if given is None:
        return None
    field, kind = spec["date_field"], spec["date_type"]
    if "period" in given:
        return Filter(field, kind, "equals", given["period"])
    if "first" in given and "last" in given:
        return Filter(field, kind, "between", [given["first"], given["last"]])
    if "first" in given:
        return Filter(field, kind, "gte", given["first"])
    return Filter(field, kind, "lte", given["last"])


def conditions_of(spec: Mapping[str, Any]) -> tuple[list[Filter], str | None]:
    """The filters of a definition with its date range, and how they are joined."""
    filters, logic = [filter_of(item) for item in spec.get("filters", ())], spec.get("filter_logic")
    dates = date_filter(spec)
    if dates is not None:
        filters.append(dates)
        logic = f"({logic}) AND {len(filters)}" if logic else None
    return filters, logic


def _listed(text: str) -> Any:
    return json.loads(text)


def _group(item: Mapping[str, Any]) -> list[Any]:
    if item.get("buckets"):
        return [item["field"], {"buckets": _buckets(item["buckets"])}]
    return [item["field"], item["by"]] if item.get("by") else [item["field"]]


def _buckets(buckets: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
    if any("values" in item for item in buckets):
        return sorted([item["label"], sorted(norm(value) for value in item["values"])] for item in buckets)
    return [[item["label"], None if "below" not in item else _number(item["below"])] for item in buckets]


def _number(text: str) -> str:
    number = Decimal(text)
    return format(number.normalize(), "f") if number else "0"


def _cross(item: Mapping[str, Any] | None) -> list[Any] | None:
    if item is None:
        return None
    filters = [filter_of(part) for part in item.get("filters", ())]
    word = "with" if item["has"] else "without"
    return [word, item["object"], _listed(normal_form(filters, item.get("filter_logic"), "all"))]


def definition(spec: Mapping[str, Any]) -> str:
    """The normal form of a definition, as JSON text. Raises BadQuery for faulty logic."""
    filters, logic = conditions_of(spec)
    details = bool(spec.get("details")) or format_of(spec) == "tabular"
    order = spec.get("group_order")
    found: dict[str, Any] = {
        "conditions": _listed(normal_form(filters, logic, spec.get("scope", "all"))),
        "rows": [_group(item) for item in spec.get("rows", ())],
        "across": [_group(item) for item in spec.get("across", ())],
        "measures": sorted(spec["measures"]),
        "cross": _cross(spec.get("cross_filter")),
        "order": None if order is None else [order["by"], order["direction"]],
        "top": spec.get("top"),
        "details": details,
    }
    if details:
        found["columns"] = list(spec["columns"])
        found["sort"] = [[item["field"], item["direction"]] for item in spec.get("sort", ())]
    return json.dumps(found, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _spec(row: Row) -> Mapping[str, Any]:
    found = json.loads(row["spec"])
    if not isinstance(found, dict):
        raise ValueError("the definition of a report is an object")
    return found


def report_definition(_state: Reader, row: Row) -> str:
    """The normal form of a stored report. Raises ValueError where its parts do not fit."""
    try:
        return definition(_spec(row))
    except BadQuery as error:
        raise ValueError(error.message) from error
    except (KeyError, TypeError, ArithmeticError) as error:
        raise ValueError(f"this is no definition of a report: {error}") from error


def report_format(_state: Reader, row: Row) -> str:
    """The format of a stored report. Raises ValueError where its definition is none."""
    return format_of(_spec(row))
