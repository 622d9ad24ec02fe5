"""Saved reports: one built, one put right; graded by the normal form of their definitions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from deskgym_apps.crm.rules_reports import definition
from deskgym_apps.kit.store import Store
from deskgym_graders.comparators import Any as Whatever
from deskgym_graders.comparators import OneOf
from deskgym_graders.expected import changed, expected_row
from deskgym_graders.spec import Call, Draft, Expectation, Variant
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from ..per_world import per_world
from . import picks
from .picks import Row

Spec = Mapping[str, Any]
_REGIONS = ("AMER", "EMEA", "APAC")
_ROWS = (
    ("owner_id", "by owner of the opportunity"),
    ("account.industry", "by industry of the account"),
    ("lead_source", "by lead source"),
    ("type", "by type"),
    ("forecast_category", "by forecast category"),
)
_UNITS = (
    ("fiscal_quarter", "fiscal quarter", "quarter"),
    ("quarter", "calendar quarter", "fiscal_quarter"),
    ("month", "month", "week"),
)
_SPANS = (
    ("NEXT FISCAL YEAR", "in the next fiscal year", "NEXT YEAR"),
    ("THIS FISCAL YEAR", "in the current fiscal year", "THIS YEAR"),
    ("THIS YEAR", "in the current calendar year", "THIS FISCAL YEAR"),
    ("NEXT YEAR", "in the next calendar year", "NEXT FISCAL YEAR"),
)
_FIGURES = (
    ("sum:amount", "the sum of their amounts", "sum:expected_revenue"),
    ("avg:amount", "their average amount", "sum:amount"),
    ("max:amount", "the highest amount", "sum:amount"),
    ("sum:expected_revenue", "the sum of their expected revenue", "sum:amount"),
)
_NOUNS = ("outlook", "forecast review", "pipeline check", "board pack", "planning")
_FOLDERS = ("Sales", "Board", "Forecasts", "Planning")


def condition(field: str, kind: str, op: str, value: Any) -> dict[str, Any]:
    """A filter as a definition keeps it."""
    return {"field": field, "type": kind, "op": op, "value": value}


def asked(items: Iterable[Spec]) -> list[dict[str, Any]]:
    """Filters as a tool takes them."""
    return [{key: value for key, value in item.items() if key != "type"} for item in items]


OPEN = condition("is_closed", "bool", "equals", False)
_NOT_CLOSED = condition("stage", "picklist", "not_in", ["Closed Won", "Closed Lost"])
_NOT_OVER = condition("forecast_category", "picklist", "in", ["Pipeline", "Best Case", "Commit"])


def _people(world: Store) -> list[Row]:
    active = {row["person_id"] for row in picks.every(world, "crm_user") if row["is_active"]}
    return [picks.person(world, str(person)) for person in sorted(active)]


@template("crm/save-report", kind="mutate", level=2)
def save_report(world: Store, stream: Stream) -> Draft:
    """Build a matrix of open deals of a region and put it into a folder for everybody."""
    person = picks.draw(stream, _people(world), "active user")
    region, folder = stream.choice(_REGIONS), stream.choice(_FOLDERS)
    name = f"{region} {stream.choice(_NOUNS)} {stream.uniform_int(10, 99)}"
    row, row_words = stream.choice(_ROWS)
    unit, unit_words, other_unit = stream.choice(_UNITS)
    span, span_words, other_span = stream.choice(_SPANS)
    figure, figure_words, other_figure = stream.choice(_FIGURES)
    least = 1_000 * stream.uniform_int(4, 40)
    ours, large = (
        condition("account.region", "picklist", "equals", region),
        condition("amount", "money", "gte", str(least)),
    )
    closing = condition("close_date", "date", "equals", span)
    shape = {
        "rows": [{"field": row}],
        "across": [{"field": "close_date", "by": unit}],
        "measures": ["count", figure],
    }
    right = {definition(shape | {"filters": [first, ours, large, closing]}) for first in (OPEN, _NOT_CLOSED, _NOT_OVER)}

    def made(filters: Iterable[Spec] = (OPEN, ours, large), **more: Any) -> Call:
        values = {"object": "opportunity", "name": name, "folder": folder, "visibility": "public", **shape}
        values |= {"filters": asked(filters), "date_field": "close_date", "date_range": {"period": span}} | more
        values = {key: value for key, value in values.items() if value is not None}
        return Call("crm_create", {"object": "report", "values": values}, "r")

    namesakes = [item for item in picks.every(world, "crm_report") if item["object"] == "opportunity"]
    by_region_of_owner = condition("owner.city", "text", "contains", region)
    return Draft(
        instruction=f'Please save a report "{name}" in the folder {folder} that everybody may run, but only you may '
        f"change. It is about open opportunities of accounts in the region {region} with an amount of at least "
        f"{least:,}, whichever the currency, that close {span_words}; it has to stay right as time goes by. Its rows "
        f"are groups {row_words}, its columns groups by {unit_words} of the close date. It shows how many "
        f"opportunities there are and {figure_words}, and nothing else: no list of records, no chart.",
        person_id=person["id"],
        expectation=Expectation(
            any_of=(
                (
                    expected_row(
                        "crm_report",
                        object="opportunity",
                        name=name,
                        folder=folder,
                        visibility="public",
                        definition=OneOf(tuple(sorted(right))),
                        description=Whatever("a remark on what it is for is welcome"),
                    ),
                ),
            )
        ),
        oracle=(made(),),
        variants=(
            Variant("the dates as a filter", (made((closing, large, OPEN, ours), date_field=None, date_range=None),)),
            Variant("open in other words", (made((ours, _NOT_CLOSED, large), measures=[figure, "count"]),)),
            Variant("another period", (made(date_range={"period": other_span}),), reason="MISSING"),
            Variant("other columns", (made(across=[{"field": "close_date", "by": other_unit}]),), reason="MISSING"),
            Variant("another figure", (made(measures=["count", other_figure]),), reason="MISSING"),
            Variant("without the number of them", (made(measures=[figure]),), reason="MISSING"),
            Variant("closed ones too", (made((ours, large)),), reason="MISSING"),
            Variant("above for at least", (made((OPEN, ours, {**large, "op": "gt"})),), reason="MISSING"),
            Variant("where the owner sits", (made((OPEN, large, by_region_of_owner)),), reason="MISSING"),
            Variant(
                "rows and columns exchanged", (made(rows=shape["across"], across=shape["rows"]),), reason="MISSING"
            ),
            Variant("for oneself", (made(visibility="private"),), reason="MISSING"),
            Variant("everybody may change it", (made(visibility="editable"),), reason="MISSING"),
            Variant("with the records", (made(details=True),), reason="MISSING"),
        ),
        distractors=(picks.distract("other reports on deals", "crm_report", namesakes),),
        because={
            "object": "its rows are opportunities",
            "visibility": "everybody may run it, and only its owner change it",
            "definition": "what the instruction describes, in normal form",
        },
    )


_PERIODS = (
    ("LAST FISCAL QUARTER", "the last fiscal quarter"),
    ("THIS FISCAL QUARTER", "the current fiscal quarter"),
    ("LAST QUARTER", "the last calendar quarter"),
    ("THIS MONTH", "the current month"),
    ("LAST FISCAL YEAR", "the last fiscal year"),
    ("LAST YEAR", "the last calendar year"),
    ("THIS QUARTER", "the current calendar quarter"),
    ("THIS YEAR", "the current calendar year"),
    ("LAST MONTH", "the last month"),
)
_ADDED = (
    ("avg:amount", "the average amount"),
    ("max:amount", "the highest amount"),
    ("min:amount", "the lowest amount"),
    ("unique:account_id", "how many different accounts there are"),
    ("sum:expected_revenue", "the sum of the expected revenue"),
)


@per_world
def _mendable(world: Store) -> list[Row]:
    """Reports on deals that lie in one figure-by-group form, of people who can sign in."""
    rows = [row for row in picks.every(world, "crm_report") if row["object"] == "opportunity"]
    found = [row for row in rows if row["format"] == "summary" and picks.active_owner(world, row)]
    return sorted(found, key=lambda row: str(row["id"]))


@template("crm/mend-report", kind="mutate", level=2)
def mend_report(world: Store, stream: Stream) -> Draft:
    """Give a person's own report another period and one figure more."""
    report = picks.draw(stream, _mendable(world), "report on deals")
    spec: dict[str, Any] = json.loads(report["spec"])
    had = spec.get("date_range", {}).get("period")
    period, words = stream.choice([item for item in _PERIODS if item[0] != had])
    other = stream.choice([item[0] for item in _PERIODS if item[0] not in (had, period)])
    figure, figure_words = stream.choice([item for item in _ADDED if item[0] not in spec["measures"]])
    closing = {"date_field": "close_date", "date_type": "date", "date_range": {"period": period}}
    right = definition(spec | closing | {"measures": [*spec["measures"], figure]})

    def save(values: Mapping[str, Any], save_as: str | None = None, version: int = 0) -> Call:
        args = {"id": report["id"], "row_version": report["row_version"] + version, "values": dict(values)}
        return Call("crm_update", args, save_as)

    dates = {"date_field": "close_date", "date_range": {"period": period}}
    measures = {"measures": [*spec["measures"], figure]}
    both = dates | measures
    alone = [*([spec["group_order"]["by"]] if "group_order" in spec else []), figure]
    as_filter = {
        "filters": [*asked(spec["filters"]), {"field": "close_date", "op": "equals", "value": period}],
        "date_range": None,
    }
    others = [row for row in _mendable(world) if row["id"] != report["id"]]
    others.sort(key=lambda row: (row["name_norm"] != report["name_norm"], row["owner_id"] != report["owner_id"]))
    before = "instead of the period that it has now" if had else "since it has no period so far"
    whose = f'in the folder {report["folder"]}, "{report["name"]}",'
    return Draft(
        instruction=f"My report {whose} shall show opportunities that close in {words}, whenever it is run, {before}. "
        f"It shall also show {figure_words}, besides what it shows already. Please change it; everything else about "
        "it stays as it is.",
        person_id=str(report["owner_id"]),
        expectation=Expectation(any_of=((changed("crm_report", report["id"], definition=right),),)),
        oracle=(save(both),),
        variants=(
            Variant("the new figure first", (save(dates | {"measures": [figure, *spec["measures"]]}),)),
            Variant("the period as a filter", (save(as_filter | measures),)),
            Variant("one after the other", (save(dates, "first"), save(measures, None, 1))),
            Variant(
                "another period", (save(dates | measures | {"date_range": {"period": other}}),), None, "WRONG_VALUE"
            ),
            Variant("the new figure alone", (save(dates | {"measures": alone}),), None, "WRONG_VALUE"),
            Variant("the figure forgotten", (save(dates),), None, "WRONG_VALUE"),
            Variant(
                "when it was created", (save(dates | measures | {"date_field": "created_at"}),), None, "WRONG_VALUE"
            ),
            Variant("without its filters", (save(dates | measures | {"filters": []}),), None, "WRONG_VALUE"),
        ),
        distractors=(picks.distract("other reports on deals", "crm_report", others),),
        because={"definition": "what the report says then, in normal form"},
    )
