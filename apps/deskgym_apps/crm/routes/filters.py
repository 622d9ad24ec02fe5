"""The filter panel of lists and of the board: GET parameters that are conditions of `query`.

`q` is a part of the name; `field1, op1, value1`, `field2, …` are conditions, all of which must hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from flask import request

from ...kit.entry import read_date, read_number
from ...kit.errors import BadQuery
from ...kit.session import filler
from ...kit.web import FilterChip, FilterPanel, FormField, Option
from .reading import described, field_info, label_of
from .specs import Pages

MOST = 10
_PARENT_FIELDS = ("name", "region", "industry", "type", "bill_city", "bill_country")
WORDS: Mapping[str, str] = {
    "equals": "equals",
    "not_equal": "does not equal",
    "contains": "contains",
    "starts_with": "starts with",
    "in": "is one of",
    "not_in": "is none of",
    "lt": "is less than or before",
    "lte": "is at most or until",
    "gt": "is more than or after",
    "gte": "is at least or from",
    "between": "is between",
    "blank": "is empty",
    "not_blank": "is not empty",
}
_HELP = "Several values with commas. Dates also as TODAY, THIS FISCAL QUARTER, LAST 30 DAYS and the like."


@dataclass(frozen=True)
class Typed:
    """One condition as typed into the panel."""

    field: str
    op: str
    value: str


@dataclass(frozen=True)
class Filters:
    """What a list is filtered by."""

    quick: str
    scope: str
    typed: tuple[Typed, ...]
    view: str = ""
    """The saved view that they narrow; "all" where a list that opens with one is to be without."""

    @property
    def kept(self) -> tuple[tuple[str, str], ...]:
        """What stays when the panel is sent again."""
        return (("view", self.view),) if self.view else ()

    @property
    def narrows(self) -> bool:
        """Whether anything is filtered by, the view aside."""
        return bool(self.quick or self.typed or self.scope == "mine")

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """As GET parameters."""
        found = [("view", self.view)] if self.view else []
        found += [("q", self.quick)] if self.quick else []
        found += [("scope", "mine")] if self.scope == "mine" else []
        for at, item in enumerate(self.typed, 1):
            found += [(f"field{at}", item.field), (f"op{at}", item.op), (f"value{at}", item.value)]
        return tuple(found)


def read_filters(given: Mapping[str, str] | None = None) -> Filters:
    """The filters of the URL, or of the pairs given; a row without a field counts for nothing."""
    pairs = request.args if given is None else given
    rows = []
    for at in range(1, MOST + 1):
        name = pairs.get(f"field{at}", "")
        if name:
            op = pairs.get(f"op{at}", "") or "equals"
            rows.append(Typed(name, op, pairs.get(f"value{at}", "").strip()))
    scope = "mine" if pairs.get("scope") == "mine" else "all"
    return Filters(pairs.get("q", "").strip(), scope, tuple(rows))


def conditions(pages: Pages, filters: Filters) -> list[dict[str, Any]]:
    """The conditions as `query` takes them. Raises BadQuery for a number that could be two."""
    found: list[dict[str, Any]] = []
    if filters.quick:
        found.append({"field": pages.quick, "op": "contains", "value": filters.quick})
    for item in filters.typed:
        try:
            found.append(condition(pages, item))
        except ValueError as error:
            details = {"filter": len(found) + 1, "part": "value", "rule": str(error)}
            raise BadQuery(f"{item.field}: {error}", field="filter", details=details) from None
    return found


def condition(pages: Pages, item: Typed) -> dict[str, Any]:
    if item.op in ("blank", "not_blank"):
        return {"field": item.field, "op": item.op}
    info = field_info(pages.kind, item.field)
    kind = "text" if info is None else str(info["type"])
    if item.op in ("in", "not_in", "between"):
        parts = [part.strip() for part in item.value.split(",") if part.strip()]
        return {"field": item.field, "op": item.op, "value": [_value(kind, part) for part in parts]}
    return {"field": item.field, "op": item.op, "value": _value(kind, item.value)}


def _value(kind: str, text: str) -> Any:
    if kind == "bool" and text.lower() in ("yes", "true", "no", "false"):
        return text.lower() in ("yes", "true")
    if kind in ("date", "instant"):
        try:
            return read_date(text, filler().locale)
        except ValueError:
            return text
    if kind in ("number", "money"):
        return _number(text.rstrip("% "))
    return text


def _number(text: str) -> str:
    """A number as the person writes it. What is none stays, and the query says so; raises ValueError for two."""
    try:
        return read_number(text, filler().locale)
    except ValueError:
        if text.lstrip("-").replace(".", "", 1).isdigit():
            raise
        return text


def choices(pages: Pages) -> tuple[Option, ...]:
    about = described(pages.kind)
    own = [(item["label"], item["name"]) for item in about["fields"] if item["type"] not in ("ref", "id")]
    for prefix, target in about["parents"].items():
        names = {item["name"] for item in described(target)["fields"]}
        wanted = _PARENT_FIELDS if target == "account" else ("name",)
        own += [(label_of(pages.kind, f"{prefix}.{name}"), f"{prefix}.{name}") for name in wanted if name in names]
    return (Option("", "–"), *(Option(name, label) for label, name in own))


def field_label(pages: Pages, key: str) -> str:
    info = field_info(pages.kind, key)
    return key if info is None else label_of(pages.kind, key) if "." in key else str(info["label"])


def chips(pages: Pages, filters: Filters, url: str) -> tuple[FilterChip, ...]:
    """The active filters in words, each with the way to go without it."""
    found = []
    if filters.quick:
        rest = replace(filters, quick="")
        found.append(FilterChip(f'{field_label(pages, pages.quick)} contains "{filters.quick}"', _url(url, rest)))
    if filters.scope == "mine":
        found.append(FilterChip("Owner is me", _url(url, replace(filters, scope="all"))))
    for at, item in enumerate(filters.typed):
        others = (*filters.typed[:at], *filters.typed[at + 1 :])
        words = f"{field_label(pages, item.field)} {WORDS.get(item.op, item.op)} {item.value}".strip()
        found.append(FilterChip(words, _url(url, replace(filters, typed=others))))
    return tuple(found)


def encoded(pairs: Sequence[tuple[str, str]]) -> str:
    """GET parameters as a URL writes them."""
    return urlencode(pairs)


def query_of(filters: Filters) -> str:
    """The filters behind a path: `?field1=…`, or nothing."""
    return f"?{urlencode(filters.pairs)}" if filters.pairs else ""


def export_query(filters: Filters) -> str:
    """The filters and the order of the list that is shown, behind a path."""
    order = [(name, request.args[name]) for name in ("sort", "dir") if request.args.get(name)]
    pairs = (*filters.pairs, *order)
    return f"?{urlencode(pairs)}" if pairs else ""


def _url(url: str, filters: Filters) -> str:
    return f"{url}?{urlencode(filters.pairs)}" if filters.pairs else url


def told_faults(pages: Pages, filters: Filters, fault: BadQuery | None) -> dict[str, str]:
    """What is wrong, in the panel's words, by the name of the input where it stands."""
    if fault is None:
        return {}
    at, part = fault.details.get("filter", 0) - bool(filters.quick), fault.details.get("part")
    if not 1 <= at <= len(filters.typed):
        return {"q": fault.message}
    item = filters.typed[at - 1]
    name = f"{part}{at}"
    if part == "op":
        known = ", ".join(WORDS[op] for op in fault.allowed)
        return {
            name: f'{field_label(pages, item.field)} has no operator "{WORDS.get(item.op, item.op)}". It has: {known}'
        }
    rule = fault.details.get("rule", fault.message)
    return {name: f"{field_label(pages, item.field)} {rule}" if rule.startswith(("takes ", "needs ")) else rule}


def filter_row(pages: Pages, at: int, row: Typed, told: Mapping[str, str]) -> tuple[FormField, ...]:
    """The inputs of one condition. What a URL names beyond the choices is among them too."""
    known, ops = choices(pages), tuple(Option(op, words) for op, words in WORDS.items())
    if row.field and row.field not in [option.value for option in known]:
        known = (*known, Option(row.field, field_label(pages, row.field)))
    if row.op not in WORDS:
        ops = (*ops, Option(row.op, row.op))
    hint = _HELP if at == 1 else ""
    inputs = (
        FormField(name=f"field{at}", label=f"Field {at}", kind="select", value=row.field, options=known),
        FormField(name=f"op{at}", label=f"Operator {at}", kind="select", value=row.op, options=ops),
        FormField(name=f"value{at}", label=f"Value {at}", value=row.value, help=hint),
    )
    return tuple(replace(item, error=told.get(item.name, "")) for item in inputs)


def panel(pages: Pages, filters: Filters, url: str, fault: BadQuery | None = None) -> FilterPanel:
    """The panel: name, whose, the conditions there are, and room for one or two more.

    A fault of the filters is told at the input that it is about.
    """
    told = told_faults(pages, filters, fault)
    label = f"{field_label(pages, pages.quick)} contains"
    fields = [FormField(name="q", label=label, value=filters.quick, max_length=200, error=told.get("q", ""))]
    if pages.kind != "email":
        whose = (Option("all", f"All {pages.nouns}"), Option("mine", f"My {pages.nouns}"))
        fields.append(FormField(name="scope", label="Show", kind="select", value=filters.scope, options=whose))
    for at in range(1, min(MOST, max(2, len(filters.typed) + 1)) + 1):
        row = filters.typed[at - 1] if at <= len(filters.typed) else Typed("", "equals", "")
        fields += filter_row(pages, at, row, told)
    found = chips(pages, filters, url)
    bare = _url(url, Filters("", "all", (), filters.view))
    is_open = bool(filters.typed) or request.args.get("panel") == "1" or bool(told)
    return FilterPanel(fields=tuple(fields), chips=found, clear_href=bare, open=is_open, hidden=filters.kept)
