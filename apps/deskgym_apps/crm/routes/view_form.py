"""The form of a saved list view: name, who sees it, filter rows with logic, columns in order, what to sort by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flask import request

from ...kit.errors import BadQuery, Invalid
from ...kit.session import read
from ...kit.web import FieldSection, FormField, Option
from ..rules_views import MAX_COLUMNS, MAX_FILTERS, MAX_SORTS
from . import filters as filtering
from .reading import described, field_info, label_of
from .specs import Pages

_WHO = (Option("private", "Only me"), Option("groups", "Public groups"), Option("all", "Everybody"))
_WAYS = (Option("asc", "Ascending"), Option("desc", "Descending"))
_ROOM = 3  # empty rows beside those that are filled
_LOGIC_HELP = "Such as 1 AND (2 OR 3), each filter once. Empty: all filters must hold."


@dataclass(frozen=True)
class Typed:
    """A view as its form says it; filters as typed, with empty rows left out."""

    name: str = ""
    visibility: str = "private"
    groups: tuple[str, ...] = ()
    scope: str = "all"
    filters: tuple[filtering.Typed, ...] = ()
    logic: str = ""
    columns: tuple[str, ...] = ()
    sort: tuple[tuple[str, str], ...] = ()

    @property
    def is_full(self) -> bool:
        """Whether the form shows every row that there can be."""
        return request.values.get("rows") == "all"

    def values(self, pages: Pages) -> dict[str, Any]:
        """What the service takes. Raises BadQuery for a number that could be two."""
        given = filtering.Filters("", "all", self.filters)
        return {
            "name": self.name,
            "visibility": self.visibility,
            "group_ids": list(self.groups) if self.visibility == "groups" else [],
            "scope": self.scope,
            "filters": filtering.conditions(pages, given),
            "filter_logic": self.logic or None,
            "columns": list(self.columns),
            "sort": [{"field": field, "direction": way} for field, way in self.sort],
        }

    def created(self, pages: Pages) -> dict[str, Any]:
        """What the service takes for a new view: not what a view holds anyway. Raises BadQuery."""
        plain = Typed().values(pages)
        return {key: value for key, value in self.values(pages).items() if key == "name" or value != plain[key]}

    def changed(self, pages: Pages, old: Typed) -> dict[str, Any]:
        """What the service takes for a change: what differs; logic goes with its filters. Raises BadQuery."""
        was, now = old.values(pages), self.values(pages)
        found = {key: value for key, value in now.items() if value != was[key]}
        if "filters" in found and now["filter_logic"]:
            found["filter_logic"] = now["filter_logic"]
        return found

    def problems(self, pages: Pages, error: Invalid | BadQuery) -> tuple[dict[str, str], tuple[str, ...]]:
        """What is wrong by the name of the control where it stands, and what belongs to none."""
        if isinstance(error, BadQuery) and error.field == "filter":
            return filtering.told_faults(pages, filtering.Filters("", "all", self.filters), error), ()
        faults = error.errors if isinstance(error, Invalid) else ()
        found, loose = {}, []
        for field, message in [(one.field, one.shown) for one in faults] or [(error.field, error.message)]:
            name = _CONTROLS.get((field or "").partition(".")[0].removeprefix("values."))
            if name is None:
                loose.append(message)
            else:
                found[name] = message
        return found, tuple(loose)


_CONTROLS = {
    "name": "name",
    "visibility": "visibility",
    "group_ids": "visibility",
    "scope": "scope",
    "logic": "logic",
    "filter_logic": "logic",
    "columns": "column1",
    "sort": "sort1",
}


def _shown_value(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_shown_value(item) for item in value)
    if isinstance(value, bool):
        return "Yes" if value else "No"
    return "" if value is None else str(value)


def from_view(pages: Pages, got: Mapping[str, Any]) -> Typed:
    """What the form of a stored view holds."""
    record = got["record"]
    return Typed(
        name=record["name"],
        visibility=record["visibility"],
        groups=tuple(record["group_ids"]),
        scope=record["scope"],
        filters=tuple(
            filtering.Typed(item["field"], item["op"], _shown_value(item["value"])) for item in record["filters"]
        ),
        logic=record["filter_logic"] or "",
        columns=tuple(record["columns"]),
        sort=tuple((field, way) for field, way in record["sort"]),
    )


def from_filters(pages: Pages, filters: filtering.Filters, based: Mapping[str, Any] | None) -> Typed:
    """What the form of a new view begins with: what the list was filtered by, and the view that this narrowed."""
    old = Typed(columns=_usual(pages)) if based is None else from_view(pages, based)
    quick = (filtering.Typed(pages.quick, "contains", filters.quick),) if filters.quick else ()
    added = (*quick, *filters.typed)
    first = len(old.filters)
    logic = old.logic
    if logic and added:
        logic = " AND ".join([f"({logic})", *(str(first + at) for at in range(1, len(added) + 1))])
    key = request.args.get("sort", "")
    sort = ((key, "desc" if request.args.get("dir") == "desc" else "asc"),) if key else old.sort
    scope = "mine" if "mine" in (filters.scope, old.scope) else "all"
    return Typed("", "private", (), scope, (*old.filters, *added)[:MAX_FILTERS], logic, old.columns, sort)


def _usual(pages: Pages) -> tuple[str, ...]:
    return tuple(key for key in pages.columns if field_info(pages.kind, key) is not None)


def posted(pages: Pages) -> Typed:
    """What the posted form says."""
    form = request.form
    rows = []
    for at in range(1, MAX_FILTERS + 1):
        if form.get(f"field{at}"):
            op = form.get(f"op{at}", "") or "equals"
            rows.append(filtering.Typed(form[f"field{at}"], op, form.get(f"value{at}", "").strip()))
    sorts = [(form.get(f"sort{at}", ""), form.get(f"way{at}", "asc")) for at in range(1, MAX_SORTS + 1)]
    columns = [form.get(f"column{at}", "") for at in range(1, MAX_COLUMNS + 1)]
    return Typed(
        name=form.get("name", ""),
        visibility=form.get("visibility", "private"),
        groups=tuple(group["id"] for group in _groups() if form.get(f"group_{group['id']}") == "1"),
        scope=form.get("scope", "all"),
        filters=tuple(rows),
        logic=form.get("logic", "").strip(),
        columns=tuple(key for key in columns if key),
        sort=tuple((key, way) for key, way in sorts if key),
    )


def _groups() -> list[dict[str, str]]:
    found: list[dict[str, str]] = read("crm.public_groups")["groups"]
    return found


def _select(
    name: str, label: str, value: str, options: Sequence[Option], problems: Mapping[str, str], **more: Any
) -> FormField:
    known = tuple(options) if value in [item.value for item in options] else (*options, Option(value, value))
    return FormField(
        name=name, label=label, kind="select", value=value, options=known, error=problems.get(name, ""), **more
    )


def column_choices(pages: Pages) -> tuple[Option, ...]:
    """The fields that a list can show, those of parents included."""
    found = {option.value: option.label for option in filtering.choices(pages) if option.value}
    for prefix, target in described(pages.kind)["parents"].items():
        if field_info(pages.kind, f"{prefix}.name") is not None and target == "user":
            found[f"{prefix}.name"] = label_of(pages.kind, f"{prefix}.name")
    return (Option("", "–"), *(Option(key, label) for key, label in found.items()))


def _room(used: int, least: int, most: int, is_full: bool) -> int:
    return most if is_full else min(most, max(least, used + _ROOM))


def drawn(pages: Pages, typed: Typed, problems: Mapping[str, str]) -> tuple[FieldSection, ...]:
    """The sections of the form."""
    everybody, mine = Option("all", f"All {pages.nouns}"), Option("mine", f"Only those of who looks: my {pages.nouns}")
    about = [
        FormField(
            name="name",
            label="View name",
            value=typed.name,
            required=True,
            max_length=80,
            error=problems.get("name", ""),
        ),
        _select("scope", "Whose records", typed.scope, (everybody, mine), problems),
        _select("visibility", "Who sees this view", typed.visibility, _WHO, problems, required=True),
    ]
    shares = [
        FormField(
            name=f"group_{group['id']}",
            label=f"Share with {group['name']}",
            kind="checkbox",
            value="1" if group["id"] in typed.groups else "",
        )
        for group in _groups()
    ]
    return (
        FieldSection("View", tuple(about)),
        FieldSection("Public groups", tuple(shares), note="They count where public groups see the view."),
        *_filter_sections(pages, typed, problems),
        _column_section(pages, typed, problems),
        _sort_section(pages, typed, problems),
    )


def _filter_sections(pages: Pages, typed: Typed, problems: Mapping[str, str]) -> tuple[FieldSection, ...]:
    fields: list[FormField] = []
    for at in range(1, _room(len(typed.filters), 4, MAX_FILTERS, typed.is_full) + 1):
        row = typed.filters[at - 1] if at <= len(typed.filters) else filtering.Typed("", "equals", "")
        fields += filtering.filter_row(pages, at, row, problems)
    logic = FormField(
        name="logic",
        label="Filter logic",
        value=typed.logic,
        max_length=200,
        help=_LOGIC_HELP,
        error=problems.get("logic", ""),
    )
    return (
        FieldSection("Filters", tuple(fields), columns=3, is_fixed=True),
        FieldSection("How the filters are joined", (logic,), columns=1),
    )


def _column_section(pages: Pages, typed: Typed, problems: Mapping[str, str]) -> FieldSection:
    options = column_choices(pages)
    count = _room(len(typed.columns), 6, MAX_COLUMNS, typed.is_full)
    fields = [
        _select(
            f"column{at}", f"Column {at}", typed.columns[at - 1] if at <= len(typed.columns) else "", options, problems
        )
        for at in range(1, count + 1)
    ]
    note = "From left to right; empty ones are passed over."
    return FieldSection("Columns", tuple(fields), columns=3, note=note, is_fixed=True)


def _sort_section(pages: Pages, typed: Typed, problems: Mapping[str, str]) -> FieldSection:
    options, fields = column_choices(pages), []
    for at in range(1, MAX_SORTS + 1):
        key, way = typed.sort[at - 1] if at <= len(typed.sort) else ("", "asc")
        fields.append(_select(f"sort{at}", "Sort by" if at == 1 else f"Then by ({at})", key, options, problems))
        fields.append(_select(f"way{at}", f"Direction {at}", way, _WAYS, problems))
    return FieldSection("Order", tuple(fields), is_fixed=True)
