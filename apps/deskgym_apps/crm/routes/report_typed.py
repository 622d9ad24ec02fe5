"""The builder's form as text: what its controls hold of a stored report, and what they say to the service."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...kit.entry import read_date
from ...kit.errors import BadQuery, Invalid
from ...kit.session import filler
from ..rules_reports import MAX_COLUMN_GROUPS, MAX_MEASURES, MAX_ROW_GROUPS
from ..rules_views import MAX_COLUMNS, MAX_FILTERS, MAX_SORTS
from . import filters as filtering
from .report_choices import report_pages

Typed = Mapping[str, str]
CROSS_FILTERS = 3
_PLAIN = ("name", "description", "folder", "visibility", "chart")
_CONTROLS = {
    "rows": "row1",
    "across": "across1",
    "measures": "measure1",
    "date_range": "date_period",
    "cross_filter": "cross_object",
    "group_order": "order_by",
    "columns": "column1",
    "sort": "sort1",
    "filter_logic": "logic",
}
_ITSELF = (*_PLAIN, "scope", "date_field", "chart_measure", "top", "logic", "owner_id")
EMPTY: Typed = {"visibility": "private", "scope": "all", "folder": "", "chart": "none", "measure1": "count"}


def _said(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_said(item) for item in value)
    if isinstance(value, bool):
        return "Yes" if value else "No"
    return "" if value is None else str(value)


# What the controls hold of a stored report


def from_report(record: Mapping[str, Any]) -> dict[str, str]:
    """The controls of a stored report, as `crm_get` tells it."""
    found = {name: str(record[name] or "") for name in (*_PLAIN, "scope")}
    found |= {"logic": record["filter_logic"] or "", "chart_measure": record["chart_measure"] or ""}
    found |= {"date_field": record["date_field"] or "", "details": "1" if record["details"] else ""}
    dates = record["date_range"] or {}
    found |= {f"date_{name}": dates.get(name, "") for name in ("period", "first", "last")}
    _put_filters(found, "", [(item["field"], item) for item in record["filters"]])
    for side in ("row", "across"):
        for at, item in enumerate(record["rows" if side == "row" else "across"], 1):
            found |= {f"{side}{at}": item["field"], f"{side}{at}_by": item.get("by") or ""}
            found[f"{side}{at}_buckets"] = written_buckets(item.get("buckets") or ())
    found |= {f"measure{at}": item for at, item in enumerate(record["measures"], 1)}
    found |= {f"column{at}": item for at, item in enumerate(record["columns"], 1)}
    for at, item in enumerate(record["sort"], 1):
        found |= {f"sort{at}": item["field"], f"way{at}": item["direction"]}
    order, cross = record["group_order"] or {}, record["cross_filter"]
    found |= {"order_by": order.get("by", ""), "order_way": order.get("direction", "desc")}
    found["top"] = _said(record["top"])
    if cross:
        found |= {"cross_object": cross["object"], "cross_has": "with" if cross["has"] else "without"}
        found["cross_logic"] = cross.get("filter_logic") or ""
        _put_filters(
            found, "cross_", [(f"{cross['object']}|{item['field']}", item) for item in cross.get("filters") or ()]
        )
    return found


def _put_filters(found: dict[str, str], prefix: str, items: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
    for at, (key, item) in enumerate(items, 1):
        found |= {f"{prefix}field{at}": key, f"{prefix}op{at}": item["op"]}
        found[f"{prefix}value{at}"] = _said(item.get("value"))


def written_buckets(buckets: Sequence[Mapping[str, Any]]) -> str:
    """Buckets as the form writes them: `Small < 50000; Large`, or `Heavy = Machinery, Energy`."""
    parts = []
    for item in buckets:
        if "below" in item:
            parts.append(f"{item['label']} < {item['below']}")
        elif "values" in item:
            parts.append(f"{item['label']} = {', '.join(item['values'])}")
        else:
            parts.append(str(item["label"]))
    return "; ".join(parts)


# What the controls say to the service


def read_buckets(text: str) -> list[dict[str, Any]]:
    """The buckets that a text names."""
    found: list[dict[str, Any]] = []
    for part in (part.strip() for part in text.split(";") if part.strip()):
        limited, listed = re.fullmatch(r"([^<=]+)<(.+)", part), re.fullmatch(r"([^<=]+)=(.+)", part)
        if limited:
            found.append({"label": limited[1].strip(), "below": limited[2].strip().replace(",", "")})
        elif listed:
            values = [value.strip() for value in listed[2].split(",") if value.strip()]
            found.append({"label": listed[1].strip(), "values": values})
        else:
            found.append({"label": part})
    return found


def _groups(typed: Typed, side: str, most: int) -> list[dict[str, Any]]:
    found = []
    for at in range(1, most + 1):
        key = typed.get(f"{side}{at}", "")
        if not key:
            continue
        item: dict[str, Any] = {"field": key}
        if typed.get(f"{side}{at}_by"):
            item["by"] = typed[f"{side}{at}_by"]
        if typed.get(f"{side}{at}_buckets", "").strip():
            item["buckets"] = read_buckets(typed[f"{side}{at}_buckets"])
        found.append(item)
    return found


def typed_filters(typed: Typed, prefix: str = "", most: int = MAX_FILTERS) -> tuple[filtering.Typed, ...]:
    """The filter rows that have a field."""
    rows = []
    for at in range(1, most + 1):
        key = typed.get(f"{prefix}field{at}", "")
        if key:
            op = typed.get(f"{prefix}op{at}") or "equals"
            rows.append(filtering.Typed(key, op, typed.get(f"{prefix}value{at}", "").strip()))
    return tuple(rows)


def conditions(kind: str, rows: Sequence[filtering.Typed]) -> list[dict[str, Any]]:
    """Filter rows as the service takes them. Raises BadQuery for a number that could be two."""
    return filtering.conditions(report_pages(kind), filtering.Filters("", "all", tuple(rows)))


def _cross(typed: Typed) -> dict[str, Any] | None:
    child = typed.get("cross_object", "")
    if not child:
        return None
    rows = typed_filters(typed, "cross_", CROSS_FILTERS)
    bare = []
    for row in rows:
        kind, _, key = row.field.rpartition("|")
        if kind not in ("", child):
            message = "the fields of a cross filter are those of its own records"
            raise Invalid(message, field="cross_filter")
        bare.append(filtering.Typed(key, row.op, row.value))
    found: dict[str, Any] = {"object": child, "has": typed.get("cross_has") != "without"}
    if bare:
        found["filters"] = conditions(child, bare)
    if typed.get("cross_logic", "").strip():
        found["filter_logic"] = typed["cross_logic"].strip()
    return found


def _dates(typed: Typed) -> dict[str, str] | None:
    found = {name: typed.get(f"date_{name}", "").strip() for name in ("period", "first", "last")}
    return {name: text if name == "period" else _day(text) for name, text in found.items() if text} or None


def _day(text: str) -> str:
    """A day as the person writes it. What is none stays, and the service says so."""
    try:
        return read_date(text, filler().locale)
    except ValueError:
        return text


def _top(typed: Typed) -> int | None:
    text = typed.get("top", "").strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 6):
        raise Invalid(f'"{text}" is no number of groups', field="top")
    return int(text)


def parts(kind: str, typed: Typed) -> dict[str, Any]:
    """The definition as the service takes it. Raises BadQuery, Invalid."""
    measures = [typed[f"measure{at}"] for at in range(1, MAX_MEASURES + 1) if typed.get(f"measure{at}")]
    columns = [typed[f"column{at}"] for at in range(1, MAX_COLUMNS + 1) if typed.get(f"column{at}")]
    sorts = [
        {"field": typed[f"sort{at}"], "direction": typed.get(f"way{at}") or "asc"}
        for at in range(1, MAX_SORTS + 1)
        if typed.get(f"sort{at}")
    ]
    order = {"by": typed["order_by"], "direction": typed.get("order_way") or "desc"} if typed.get("order_by") else None
    return {
        "scope": typed.get("scope") or "all",
        "filters": conditions(kind, typed_filters(typed)),
        "filter_logic": typed.get("logic", "").strip() or None,
        "date_field": typed.get("date_field") or None,
        "date_range": _dates(typed),
        "rows": _groups(typed, "row", MAX_ROW_GROUPS),
        "across": _groups(typed, "across", MAX_COLUMN_GROUPS),
        "measures": measures or None,
        "columns": columns or None,
        "sort": sorts,
        "group_order": order,
        "top": _top(typed),
        "cross_filter": _cross(typed),
        "details": typed.get("details") == "1",
    }


def values(kind: str, typed: Typed) -> dict[str, Any]:
    """The whole report as the service takes it. Raises BadQuery, Invalid."""
    found = parts(kind, typed)
    found |= {name: typed.get(name, "").strip() for name in _PLAIN}
    found["description"] = found["description"] or None
    found["folder"] = found["folder"] or "Unfiled"
    chart = found["chart"] = found["chart"] or "none"
    found["chart_measure"] = (typed.get("chart_measure") or None) if chart != "none" else None
    return found


def created(kind: str, typed: Typed) -> dict[str, Any]:
    """A new report: only what says something. Raises BadQuery, Invalid."""
    plain = values(kind, {})
    plain |= {"visibility": "private", "measures": None}
    return {key: value for key, value in values(kind, typed).items() if key == "name" or value != plain[key]}


def changed(kind: str, typed: Typed, old: Typed) -> dict[str, Any]:
    """What differs from the form as it was drawn; logic goes with its filters, a field with its dates.

    Raises BadQuery, Invalid.
    """
    was, now = values(kind, old), values(kind, typed)
    found = {key: value for key, value in now.items() if value != was[key]}
    if "filters" in found and now["filter_logic"]:
        found["filter_logic"] = now["filter_logic"]
    if found.get("date_range") and now["date_field"]:
        found["date_field"] = now["date_field"]
    return found


def problems(kind: str, typed: Typed, error: Invalid | BadQuery) -> tuple[dict[str, str], tuple[str, ...]]:
    """What is wrong by the name of the control where it stands, and what belongs to none."""
    if isinstance(error, BadQuery) and error.field == "filter" and "filter" in error.details:
        rows = filtering.Filters("", "all", typed_filters(typed))
        return filtering.told_faults(report_pages(kind), rows, error), ()
    faults = error.errors if isinstance(error, Invalid) else ()
    found: dict[str, str] = {}
    loose = []
    for field, message in [(one.field, one.shown) for one in faults] or [(error.field, error.message)]:
        name = (field or "").removeprefix("values.").partition(".")[0]
        control = _CONTROLS.get(name, name if name in _ITSELF else "")
        if control:
            found[control] = message
        else:
            loose.append(message)
    return found, tuple(loose)
