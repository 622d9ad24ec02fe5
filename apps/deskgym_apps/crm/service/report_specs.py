"""A report's definition on its way from what somebody said to what is kept: checked, and in canonical spelling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from ...kit.errors import BadQuery, Invalid
from ...kit.norm import norm
from ..rules_reports import FUNCTIONS, REST, conditions_of, measure_parts
from ..rules_views import MAX_COLUMNS, MAX_FILTERS, MAX_SORTS, Filter
from .access import User
from .catalog import catalog
from .catalog_fields import LONG
from .conditions import Condition, FilterReader
from .kinds import KINDS, SEVERAL
from .report_bases import BASES, Base
from .report_inputs import Bucket, CrossFilter, DateRange, Grouping, GroupOrder, ReportParts
from .selection import Bound, Selection
from .view_definitions import Sort, checked_keys, kept_filters, kept_value

_SUMMED = ("number", "money")
_COMPARED = (*_SUMMED, "date", "instant")
_DATED = ("date", "instant")
_DATES_AT = 150


def base_of(user: User, name: str) -> Base:
    """The report type. Raises Invalid for none, Forbidden where the person may not read its records."""
    if name not in BASES:
        raise Invalid(f'there are no reports of "{name}"', field="object", allowed=tuple(BASES))
    user.need(KINDS[name], "read")
    return BASES[name]


def as_given(spec: Mapping[str, Any]) -> dict[str, Any]:
    """A stored definition as its maker would give it."""
    found = {key: value for key, value in spec.items() if key != "date_type"}
    found["filters"] = [_untyped(item) for item in spec.get("filters", ())]
    if spec.get("cross_filter"):
        cross = dict(spec["cross_filter"])
        found["cross_filter"] = cross | {"filters": [_untyped(item) for item in cross.get("filters", ())]}
    return found


def _untyped(item: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in item.items() if key != "type"}


class SpecMaker:
    """Checks the parts of a definition as one person may use them. Raises BadQuery or Invalid that names the part."""

    def __init__(self, user: User, base: Base) -> None:
        self.user, self.base = user, base
        self.selection = Selection(user, KINDS[base.object])

    def spec(self, parts: ReportParts) -> dict[str, Any]:
        """The definition in canonical spelling; what says nothing is left out."""
        rows = [self._group(item, "rows") for item in parts.rows or ()]
        across = [self._group(item, "across") for item in parts.across or ()]
        _check_groups(rows, across)
        measures = self._measures(parts.measures or ["count"])
        found: dict[str, Any] = {
            "scope": self._scope(parts.scope),
            "filters": [_stored(item) for item in self._filters(parts)],
            "filter_logic": parts.filter_logic,
            **self._dates(parts.date_field, parts.date_range),
            "rows": rows,
            "across": across,
            "measures": measures,
            "columns": self._columns(parts.columns),
            "sort": self._sort(parts.sort or ()),
            "group_order": _order(parts.group_order, measures, rows),
            "top": _top(parts, rows),
            "cross_filter": self._cross(parts.cross_filter),
            "details": parts.details or None,
        }
        kept = {key: value for key, value in found.items() if value not in (None, [], "all")}
        _check_count(kept)
        return kept

    def _scope(self, scope: str | None) -> str | None:
        if scope == "mine":
            self.selection.scope(mine=True)  # refuses kinds without owners
            if "owner_id" not in self.selection.catalog.fields:
                raise BadQuery(f"{self.selection.kind.plural.lower()} have no owner", field="scope")
        return scope

    def _filters(self, parts: ReportParts) -> list[Filter]:
        if parts.filter_logic and not parts.filters:
            raise BadQuery("filter logic without filters", field="logic")
        return kept_filters(self.selection, parts.filters or [], parts.filter_logic)

    def _dates(self, field: str | None, given: DateRange | None) -> dict[str, Any]:
        if given is None:
            return {}
        bound = self.selection.bind(field or self.base.dated, "date_field")
        if bound.field.type not in _DATED:
            raise Invalid(f"{bound.field.label} is no date", field="date_field")
        said = {"period": given.period, "first": given.first, "last": given.last}
        kept = {key: value for key, value in said.items() if value is not None}
        if not kept or ("period" in kept and len(kept) > 1):
            raise Invalid("a date range is a period, or a first day, a last day or both", field="date_range")
        if "first" in kept and "last" in kept and kept["first"] > kept["last"]:
            raise Invalid("the first day comes after the last", field="date_range")
        if "period" in kept:
            kept["period"] = self._period(bound, str(kept["period"]))
        return {"date_field": bound.key, "date_type": bound.field.type, "date_range": kept}

    def _period(self, bound: Bound, text: str) -> str:
        reader = FilterReader(self.selection, _DATES_AT, Condition(field=bound.key, op="equals", value=text))
        try:
            reader.sql()
        except BadQuery as error:
            raise Invalid(error.message, field="date_range") from error
        return str(kept_value(reader, text))

    def _group(self, item: Grouping, where: str) -> dict[str, Any]:
        bound = self.selection.bind(self._ref_of(item.field), where)
        kind = bound.field.type
        if kind in ("id", "json") or bound.field.name in LONG:
            raise Invalid(f"nothing is grouped by {item.field}", field=where)
        if kind == "ref" and bound.field.target in SEVERAL:
            name = bound.key.removesuffix("_id") + "_name"
            raise Invalid(f"nothing is grouped by {item.field}; group by {name}", field=where)
        if kind == "ref" and not bound.is_own and bound.field.target != "user":
            raise Invalid(f"nothing is grouped by {item.field}: it lies two records away", field=where)
        if item.by is not None and kind not in _DATED:
            raise Invalid(f"{item.field} is no date, so there are no periods of it", field=where)
        found: dict[str, Any] = {"field": bound.key}
        if kind in _DATED:
            found["by"] = item.by or "day"
        if item.buckets:
            found["buckets"] = _buckets(self.selection, bound, item.buckets, where)
        return found

    def _ref_of(self, key: str) -> str:
        """A lookup where the name of its record was given: namesakes are two groups."""
        prefix, _, name = key.partition(".")
        parent = self.selection.parents().get(prefix)
        return parent.name if parent is not None and name in ("name", "subject") else key

    def _measures(self, measures: Sequence[str]) -> list[str]:
        found: list[str] = []
        for measure in measures:
            function, key = measure_parts(measure)
            if function not in FUNCTIONS or (function == "count") == bool(key):
                message = f'"{measure}" is no figure; write count, or one of {", ".join(FUNCTIONS[1:])} with a field: '
                raise Invalid(message + "sum:amount", field="measures")
            if key:
                self._check_measure(function, self.selection.bind(key, "measures"))
            if measure in found:
                raise Invalid(f"{measure} stands there twice", field="measures")
            found.append(measure)
        return found

    def _check_measure(self, function: str, bound: Bound) -> None:
        kind = bound.field.type
        allowed = {"sum": _SUMMED, "avg": _SUMMED, "min": _COMPARED, "max": _COMPARED}.get(function)
        if (allowed is not None and kind not in allowed) or kind == "json":
            raise Invalid(f"there is no {function} of {bound.key}, a {kind} field", field="measures")

    def _columns(self, columns: list[str] | None) -> list[str]:
        if columns is not None:
            return checked_keys(self.selection, columns, "columns", MAX_COLUMNS)
        shown, parents = set(self.selection.names()), self.selection.parents()
        usual = catalog(self.base.object).columns
        return [key for key in usual if key in shown or ("." in key and key.partition(".")[0] in parents)]

    def _sort(self, sort: Sequence[Sort]) -> list[dict[str, str]]:
        checked_keys(self.selection, [item.field for item in sort], "sort", MAX_SORTS)
        return [{"field": item.field, "direction": item.direction} for item in sort]

    def _cross(self, given: CrossFilter | None) -> dict[str, Any] | None:
        if given is None:
            return None
        if given.object not in self.base.children:
            known = tuple(self.base.children)
            message = f'"{given.object}" are no records of {self.base.label.lower()}'
            raise Invalid(message, field="cross_filter", allowed=known)
        child = Selection(self.user, KINDS[given.object])
        self.user.need(child.kind, "read")
        try:
            filters = kept_filters(child, given.filters, given.filter_logic if given.filters else None)
        except BadQuery as error:
            raise BadQuery(error.message, field="cross_filter", details=error.details) from error
        found: dict[str, Any] = {"object": given.object, "has": given.has}
        if filters:
            found["filters"] = [_stored(item) for item in filters]
            if given.filter_logic:
                found["filter_logic"] = given.filter_logic
        return found


def _stored(item: Filter) -> dict[str, Any]:
    found = {"field": item.field, "type": item.type, "op": item.op}
    return found if item.value is None else found | {"value": item.value}


def _check_groups(rows: Sequence[Mapping[str, Any]], across: Sequence[Mapping[str, Any]]) -> None:
    if across and not rows:
        raise Invalid("groups across need groups of rows", field="across")
    known: list[Mapping[str, Any]] = []
    for where, items in (("rows", rows), ("across", across)):
        for item in items:
            if item in known:
                raise Invalid(f"grouped by {item['field']} twice", field=where)
            known.append(item)


def _check_count(spec: Mapping[str, Any]) -> None:
    filters, _ = conditions_of(spec)
    if len(filters) > MAX_FILTERS:
        message = f"{len(filters)} filters, the date range among them; at most {MAX_FILTERS} are possible"
        raise BadQuery(message, field="filter")


def _order(given: GroupOrder | None, measures: Sequence[str], rows: Sequence[Any]) -> dict[str, str] | None:
    if given is None:
        return None
    if not rows:
        raise Invalid("there are no groups to sort", field="group_order")
    if given.by not in measures:
        raise Invalid(f'"{given.by}" is none of the figures', field="group_order", allowed=tuple(measures))
    return {"by": given.by, "direction": given.direction}


def _top(parts: ReportParts, rows: Sequence[Any]) -> int | None:
    if parts.top is None:
        return None
    if rows and parts.group_order is None:
        raise Invalid("the top groups need an order (group_order): by which figure?", field="top")
    if not rows and not parts.sort:
        raise Invalid("the top records need an order (sort): by which field?", field="top")
    return parts.top


def _buckets(selection: Selection, bound: Bound, buckets: Sequence[Bucket], where: str) -> list[dict[str, Any]]:
    labels = [norm(item.label) for item in buckets]
    if len(set(labels)) < len(labels) or norm(REST) in labels or "-" in labels:
        raise Invalid(f'each bucket has a name of its own, other than "{REST}" and "-"', field=where)
    if bound.field.type in _SUMMED:
        return _number_buckets(bound, buckets, where)
    if bound.field.type not in ("text", "picklist"):
        raise Invalid(f"{bound.key} takes no buckets", field=where)
    found, seen = [], set()
    for item in buckets:
        if item.values is None or item.below is not None:
            raise Invalid(f"buckets of {bound.key} have values, not limits", field=where)
        values = list(item.values)
        if bound.field.type == "picklist":
            reader = FilterReader(selection, _DATES_AT, Condition(field=bound.key, op="in", value=values))
            values = [reader.choice(value) for value in values]
        for value in values:
            if norm(value) in seen:
                raise Invalid(f'"{value}" stands in two buckets', field=where)
            seen.add(norm(value))
        found.append({"label": item.label, "values": values})
    return found


def _number_buckets(bound: Bound, buckets: Sequence[Bucket], where: str) -> list[dict[str, Any]]:
    if any(item.values is not None for item in buckets):
        raise Invalid(f"buckets of {bound.key} have limits, not values", field=where)
    *limited, last = buckets
    limits = [item.below for item in limited]
    if last.below is not None or None in limits:
        raise Invalid("every bucket but the last has a limit, which numbers lie below", field=where)
    numbers = [Decimal(limit) for limit in limits if limit is not None]
    if numbers != sorted(set(numbers)):
        raise Invalid("the limits of buckets rise", field=where)
    return [{"label": item.label} | ({} if item.below is None else {"below": item.below}) for item in buckets]
