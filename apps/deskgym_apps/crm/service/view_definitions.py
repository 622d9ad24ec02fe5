"""What a saved list view says (CRM-6): read from its rows, written in canonical spelling, carried out in a query."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from ...kit.errors import BadQuery, Invalid
from ...kit.operations import Input
from ..rules_views import Filter
from .access import User
from .conditions import Condition, FilterReader, where
from .kinds import KINDS, VIEW, Kind
from .periods import read_period, spelled
from .selection import Bound, Selection

_OWN_PARAMETERS = 100  # so that the parameters of a view's filters never meet those of other filters


class Sort(Input):
    """One key to sort by; empty values come last either way."""

    field: str = Field(max_length=80)
    direction: Literal["asc", "desc"] = "asc"


@dataclass(frozen=True)
class Definition:
    """A view as it is kept: filters by number, how they are joined, columns in order, keys to sort by."""

    name: str
    scope: str
    filters: tuple[Filter, ...]
    logic: str | None
    columns: tuple[str, ...]
    sort: tuple[Sort, ...]

    @property
    def conditions(self) -> list[Condition]:
        """The filters as a query takes them."""
        return [Condition(field=item.field, op=item.op, value=item.value) for item in self.filters]

    def where(self, selection: Selection) -> str:
        """SQL of the filters. Raises BadQuery where the person's profile hides a field that the view filters by."""
        try:
            return where(selection, self.conditions, self.logic, first=_OWN_PARAMETERS)
        except BadQuery as fault:
            message = f'the list view "{self.name}" cannot be shown to you: {fault.message}'
            raise BadQuery(message, field="list_view") from fault

    def shown(self, selection: Selection) -> list[str]:
        """The columns, without those that the person's profile hides."""
        return [key for key in self.columns if bound_or_none(selection, key) is not None]

    def keys(self, selection: Selection) -> list[tuple[Bound, bool]]:
        """The keys to sort by, without those that the person's profile hides."""
        found = [(bound_or_none(selection, item.field), item.direction == "desc") for item in self.sort]
        return [(bound, descending) for bound, descending in found if bound is not None]


def bound_or_none(selection: Selection, key: str) -> Bound | None:
    """The field called `key`, or None where the person has no such field."""
    try:
        return selection.bind(key)
    except BadQuery:
        return None


def definition(user: User, view_id: str, kind: Kind) -> Definition:
    """The view of that id. Raises NotFound where the person may not see it, BadQuery where it lists another object."""
    row = user.load(KINDS[VIEW], view_id)
    if row["object"] != kind.name:
        shown = KINDS[row["object"]].plural.lower()
        raise BadQuery(f'the list view "{row["name"]}" lists {shown}, not {kind.plural.lower()}', field="list_view")
    return stored(user, row)


def stored(user: User, row: Mapping[str, Any]) -> Definition:
    """The view of a row of crm_list_view."""
    parts = user.ctx.store.all("SELECT * FROM crm_list_view_filter WHERE list_view_id = ? ORDER BY pos", (row["id"],))
    filters = [
        Filter(part["field"], part["type"], part["op"], None if part["value"] is None else json.loads(part["value"]))
        for part in parts
    ]
    sort = [Sort(field=field, direction=direction) for field, direction in json.loads(row["sort"])]
    columns = tuple(json.loads(row["columns"]))
    return Definition(row["name"], row["scope"], tuple(filters), row["filter_logic"], columns, tuple(sort))


def kept_filters(selection: Selection, conditions: Sequence[Condition], logic: str | None) -> list[Filter]:
    """The filters in canonical spelling. Raises BadQuery that names the faulty one, or the faulty logic."""
    where(selection, conditions, logic)
    return [_kept(FilterReader(selection, number, item)) for number, item in enumerate(conditions)]


def _kept(reader: FilterReader) -> Filter:
    given = reader.condition.value
    if given is None:
        return Filter(reader.bound.key, reader.type, reader.op)
    value = [kept_value(reader, item) for item in given] if isinstance(given, list) else kept_value(reader, given)
    return Filter(reader.bound.key, reader.type, reader.op, value)


def kept_value(reader: FilterReader, value: Any) -> Any:
    """One value of a filter in canonical spelling."""
    if reader.type in ("number", "money"):
        number = reader.decimal(value).normalize()
        return format(number, "f") if number else "0"
    if reader.type == "picklist":
        return reader.choice(value)
    if reader.type in ("date", "instant"):
        return spelled(value) if read_period(reader.ctx, value) is not None else value
    return value.strip() if isinstance(value, str) else value


def checked_keys(selection: Selection, keys: Sequence[str], where: str, most: int) -> list[str]:
    """Fields of a list, each once, at most so many. Raises BadQuery, Invalid; `where` is the argument at fault."""
    if len(keys) > most:
        raise Invalid(f"{len(keys)} fields in {where}; at most {most} are possible", field=where)
    for at, key in enumerate(keys):
        if key in keys[:at]:
            raise Invalid(f"{where} names {key} twice", field=where)
        selection.bind(key, where)
    return list(keys)
