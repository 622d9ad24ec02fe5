"""What can be chosen while a report is built: fields, groups, figures, periods, and children for cross filters."""

from __future__ import annotations

from collections.abc import Iterator

from ...kit.web import Option
from ..rules_reports import OBJECTS, UNITS
from ..service.catalog_fields import LONG
from ..service.kinds import KINDS, SEVERAL
from ..service.report_bases import BASES
from ..service.report_figures import measure_label
from ..service.report_groups import UNIT_LABELS
from .reading import described, fields_of, label_of, may
from .specs import PAGES, Pages

NOTHING = Option("", "–")
PERIODS = (
    *("TODAY", "YESTERDAY", "TOMORROW"),
    *(f"{when} {unit}" for unit in ("WEEK", "MONTH", "QUARTER", "FISCAL QUARTER", "YEAR", "FISCAL YEAR")
      for when in ("THIS", "LAST", "NEXT")),
    *("LAST 7 DAYS", "LAST 30 DAYS", "LAST 90 DAYS", "LAST 365 DAYS", "NEXT 7 DAYS", "NEXT 30 DAYS", "NEXT 90 DAYS"),
)  # fmt: skip
VISIBILITY = (
    Option("private", "Only me"),
    Option("public", "Everybody may run it"),
    Option("editable", "Everybody may run and change it"),
)
CHARTS = (Option("none", "No chart"), Option("column", "Columns"), Option("bar", "Bars"), Option("line", "Line"))
_BEHIND = frozenset(
    {"name", "subject", "region", "industry", "type", "stage", "close_date", "amount", "is_closed", "is_won"}
    | {"bill_city", "bill_country", "family", "code", "status", "priority", "rating", "currency", "number"}
)
_SUMMED = ("number", "money")
_DATED = ("date", "instant")


def report_types() -> tuple[Option, ...]:
    """The report types whose records the person may read."""
    return tuple(Option(name, BASES[name].label) for name in OBJECTS if may("read", name))


def report_pages(kind: str) -> Pages:
    """The pages of a report type's records; lines of deals have none of their own."""
    if kind in PAGES:
        return PAGES[kind]
    return Pages(kind, "reports", "bar-chart", "id", (), "id", (), ())


def _own(kind: str) -> Iterator[tuple[str, str, str]]:
    """(key, label, type) of the fields of a kind that stand alone."""
    for item in described(kind)["fields"]:
        if item["type"] not in ("id", "json", "ref"):
            yield item["name"], str(item["label"]), str(item["type"])


def _behind(kind: str) -> Iterator[tuple[str, str, str]]:
    """The same of records behind lookups."""
    for prefix, target in described(kind)["parents"].items():
        wanted = ("name",) if target == "user" else _BEHIND
        for item in described(target)["fields"]:
            if item["name"] in wanted and item["type"] not in ("id", "json", "ref"):
                key = f"{prefix}.{item['name']}"
                yield key, label_of(kind, key), str(item["type"])


def _options(found: Iterator[tuple[str, str, str]]) -> tuple[Option, ...]:
    seen: dict[str, str] = {}
    for key, label, _ in found:
        if label not in seen.values():
            seen[key] = label
    return tuple(Option(key, label) for key, label in seen.items())


def fields(kind: str) -> tuple[Option, ...]:
    """Fields to filter by, to list and to sort by."""
    return (NOTHING, *_options(item for source in (_own(kind), _behind(kind)) for item in source))


def dates(kind: str) -> tuple[Option, ...]:
    """Fields that a date range may be about."""
    found = (item for source in (_own(kind), _behind(kind)) for item in source if item[2] in _DATED)
    return (NOTHING, *_options(found))


def _groupable(kind: str) -> Iterator[tuple[str, str, str]]:
    for item in described(kind)["fields"]:
        is_record = item["type"] == "ref" and item["target"] not in SEVERAL
        if is_record and f"{item['name'].removesuffix('_id')}" in described(kind)["parents"]:
            yield item["name"], str(item["label"]), "ref"
    yield from (item for item in _own(kind) if item[0] not in LONG)
    yield from (item for item in _behind(kind) if not item[0].endswith((".name", ".subject")))


def groups(kind: str) -> tuple[Option, ...]:
    """Fields to group by; a lookup groups by the record behind it."""
    return (NOTHING, *_options(_groupable(kind)))


def units() -> tuple[Option, ...]:
    """Periods that dates are grouped by."""
    return (NOTHING, *(Option(unit, UNIT_LABELS[unit]) for unit in UNITS))


def figures(kind: str) -> tuple[Option, ...]:
    """Every figure that a report of this type can show."""
    found = [NOTHING, Option("count", measure_label("count", "count", ""))]
    for key, label, type_ in _own(kind):
        if key in ("row_version", *LONG):
            continue
        words = ("sum", "avg", "min", "max") if type_ in _SUMMED else ("min", "max") if type_ in _DATED else ()
        found += [Option(f"{word}:{key}", measure_label(word, type_, label)) for word in words]
    for key, label, type_ in _groupable(kind):
        if type_ in ("ref", "text", "picklist"):
            found.append(Option(f"unique:{key}", measure_label("unique", "count", label)))
    return tuple(found)


def periods() -> tuple[Option, ...]:
    """Periods of a date range."""
    return (Option("", "All time, or the days below"), *(Option(text, text.capitalize()) for text in PERIODS))


def children(kind: str) -> tuple[Option, ...]:
    """Records that a cross filter may ask for."""
    found = [Option(child.kind, child.label) for child in BASES[kind].children.values() if may("read", child.kind)]
    return (NOTHING, *found)


def child_fields(kind: str) -> tuple[Option, ...]:
    """Fields of these, each with the name of its records in front."""
    found = [NOTHING]
    for child in BASES[kind].children.values():
        if may("read", child.kind):
            found += [
                Option(f"{child.kind}|{key}", f"{child.label}: {label}")
                for key, label, _ in (*_own(child.kind), *_owner(child.kind))
            ]
    return tuple(found)


def _owner(kind: str) -> Iterator[tuple[str, str, str]]:
    if "owner" in described(kind)["parents"] and "owner_id" in fields_of(kind):
        yield "owner.name", label_of(kind, "owner.name"), "text"


def plural(kind: str) -> str:
    """accounts, opportunities with products, …"""
    return BASES[kind].label.lower() if kind in BASES else KINDS[kind].plural.lower()
