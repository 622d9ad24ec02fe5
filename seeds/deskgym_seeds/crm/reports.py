"""Saved reports as people make them: operations for the company, managers for their region, sellers for themselves.

The mess that is on purpose: copies under nearly the same name whose definition has gone stale.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

from deskgym_apps.crm.rules_reports import definition, format_of
from deskgym_apps.kit.norm import norm

from ..localtime import instant_text, working_moment
from ..organisation import Employee, Setting
from ..streams import Stream
from .ledger import Ids, Oracle, Row

_DEALS: Final = ("name", "account.name", "stage", "amount", "currency", "close_date", "owner.name")
_COLUMNS: Final = {
    "account": ("name", "type", "industry", "region", "owner.name", "last_activity_on"),
    "opportunity": _DEALS,
    "opportunity_line": ("product.name", "quantity", "total", "opportunity.name"),
    "lead": ("name", "company", "status", "rating", "lead_source", "owner.name"),
    "case": ("number", "subject", "account.name", "status", "priority", "owner_name"),
    "task": ("subject", "status", "priority", "due_date", "owner.name"),
}
_REGIONS: Final = {"AMER": "Americas", "EMEA": "EMEA", "APAC": "APAC"}


def _is(name: str, value: Any, kind: str = "picklist", op: str = "equals") -> Row:
    return {"field": name, "type": kind, "op": op, "value": value}


_OPEN: Final = _is("is_closed", False, "bool")
_WON: Final = _is("is_won", True, "bool")


def _closing(period: str) -> Row:
    return {"date_field": "close_date", "date_type": "date", "date_range": {"period": period}}


def _of(*fields: str) -> list[Row]:
    """Groupings: "stage", or "close_date by month"."""
    found = []
    for item in fields:
        name, _, unit = item.partition(" by ")
        found.append({"field": name} | ({"by": unit} if unit else {}))
    return found


@dataclass(frozen=True, slots=True)
class Report:
    """One report as somebody makes it."""

    name: str
    object: str
    folder: str
    spec: Row
    visibility: str = "private"
    chart: str = "none"
    measure: str | None = None
    about: str | None = None
    rule: str = field(default="", compare=False)


def _for_everybody() -> Iterator[Report]:
    """What sales operations made for the whole company."""
    yield Report("Pipeline by stage", "opportunity", "Sales", {
        "filters": [_OPEN], "rows": _of("stage"), "measures": ["count", "sum:amount", "sum:expected_revenue"],
    }, "public", "bar", "sum:amount", "Open deals of everybody, as they stand now")  # fmt: skip
    yield Report("Pipeline by stage (last year)", "opportunity", "Sales", {
        "filters": [_OPEN], "rows": _of("stage"), "measures": ["count", "sum:amount"], **_closing("LAST YEAR"),
    }, "public", rule="stale_report")  # fmt: skip
    yield Report("Won by fiscal quarter", "opportunity", "Sales", {
        "filters": [_WON], "rows": _of("account.region"), "across": _of("close_date by fiscal_quarter"),
        "measures": ["sum:amount", "count"], "date_field": "close_date", "date_type": "date",
        "date_range": {"period": "LAST 365 DAYS"},
    }, "public", "column", "sum:amount", "Closed won by region of the account")  # fmt: skip
    yield Report("Wins and losses by month", "opportunity", "Sales", {
        "filters": [_is("is_closed", True, "bool")], "rows": _of("close_date by month"), "across": _of("is_won"),
        "measures": ["count", "sum:amount"], "date_field": "close_date", "date_type": "date",
        "date_range": {"period": "LAST 365 DAYS"},
    }, "public", "line", "count")  # fmt: skip
    yield Report("Customers without open deals", "account", "Customers", {
        "filters": [_is("type", "Customer")], "rows": _of("region", "industry"), "measures": ["count"],
        "cross_filter": {"object": "opportunity", "has": False, "filters": [_OPEN]},
        "columns": list(_COLUMNS["account"]),
    }, "public")  # fmt: skip
    yield Report("Lead sources", "lead", "Marketing", {
        "rows": _of("lead_source"), "across": _of("status"), "measures": ["count"],
    }, "public", "column", "count", "Converted leads included")  # fmt: skip
    yield Report("Products sold", "opportunity_line", "Sales", {
        "filters": [_is("opportunity.stage", "Closed Won")], "rows": _of("product_id"),
        "measures": ["sum:total", "sum:quantity", "count"],
        "group_order": {"by": "sum:total", "direction": "desc"}, "top": 10,
    }, "public", "bar", "sum:total")  # fmt: skip


def _of_manager(one: Employee) -> Iterator[Report]:
    """A manager watches a region; two of them call it alike."""
    region, folder = _is("account.region", one.region), f"{_REGIONS[one.region]} team"
    yield Report("Pipeline by owner", "opportunity", folder, {
        "filters": [_OPEN, region], "rows": _of("owner_id", "stage"), "measures": ["count", "sum:amount"],
        "group_order": {"by": "sum:amount", "direction": "desc"},
    }, "public", "bar", "sum:amount")  # fmt: skip
    yield Report("Closing this fiscal quarter", "opportunity", folder, {
        "filters": [_OPEN, region], "rows": _of("forecast_category"), "measures": ["count", "sum:amount"],
        **_closing("THIS FISCAL QUARTER"), "details": True, "sort": [{"field": "close_date", "direction": "asc"}],
    }, "public" if one.region == "EMEA" else "private")  # fmt: skip


def _of_seller(one: Employee, stream: Stream) -> Iterator[Report]:
    """A seller's own: deals won, tasks that wait."""
    period = stream.choice(("THIS FISCAL QUARTER", "THIS YEAR", "LAST 365 DAYS"))
    mine = {"scope": "mine", "filters": [_WON], "measures": ["count", "sum:amount"], **_closing(period)}
    yield Report("My wins", "opportunity", "Unfiled", mine | {"rows": _of("close_date by month")}, "private",
                 "column", "sum:amount")  # fmt: skip
    if stream.uniform_int(0, 99) < 35:
        yield Report("My wins (copy)", "opportunity", "Unfiled", mine | {"rows": _of("close_date by quarter")},
                     rule="stale_report")  # fmt: skip
    if stream.uniform_int(0, 99) < 45:
        yield Report("My open tasks", "task", "Unfiled", {
            "scope": "mine", "filters": [_OPEN], "rows": _of("priority"), "measures": ["count", "min:due_date"],
        })  # fmt: skip


def _of_service() -> Iterator[Report]:
    """What the service desk looks at."""
    yield Report("Open cases by priority", "case", "Service", {
        "filters": [_OPEN], "rows": _of("priority", "status"), "measures": ["count", "min:created_at"],
    }, "editable", "column", "count")  # fmt: skip
    yield Report("Cases by account and type", "case", "Service", {
        "rows": _of("account_id"), "across": _of("type"), "measures": ["count"],
        "group_order": {"by": "count", "direction": "desc"}, "top": 15,
    }, "public")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Dashboard:
    """Reports of one person side by side: name of the report, how it is shown, title."""

    name: str
    post: str
    folder: str
    widgets: tuple[tuple[str, str, str | None], ...]


_DASHBOARDS: Final = (
    Dashboard(
        "Sales at a glance",
        "ops",
        "Sales",
        (
            ("Pipeline by stage", "metric", "Open pipeline"),
            ("Won by fiscal quarter", "metric", "Won in a year"),
            ("Pipeline by stage", "bar", None),
            ("Wins and losses by month", "line", None),
            ("Won by fiscal quarter", "column", "Won by region"),
            ("Products sold", "table", "Best sellers"),
        ),
    ),
    Dashboard(
        "Service desk",
        "service",
        "Service",
        (
            ("Open cases by priority", "metric", "Open cases"),
            ("Open cases by priority", "column", None),
            ("Cases by account and type", "table", None),
        ),
    ),
)


class ReportMaker:
    """Makes the reports of everybody, in an order that stays when others are added."""

    def __init__(self, setting: Setting, ids: Ids, oracle: Oracle) -> None:
        self._setting, self._ids, self._oracle = setting, ids, oracle
        self.rows: dict[str, list[Row]] = {"crm_report": [], "crm_dashboard": [], "crm_dashboard_widget": []}

    def make(self) -> dict[str, list[Row]]:
        """Every row."""
        for one in self._setting.staff.values():
            if one.left_on is not None:
                continue
            key, stream = one.post.key, Stream(self._setting.seed, "crm_report", one.post.key)
            reports: list[Report] = []
            if key == "ops":
                reports += _for_everybody()
            if key in ("vp_amer", "vp_emea", "ae_apac"):
                reports += _of_manager(one)
            if one.post.department == "Sales" and key != "cro":
                reports += _of_seller(one, stream)
            if key == "service":
                reports += _of_service()
            for report in reports:
                self._add(report, one, stream)
        for board in _DASHBOARDS:
            self._add_dashboard(board)
        return self.rows

    def _add_dashboard(self, board: Dashboard) -> None:
        one = next(one for one in self._setting.staff.values() if one.post.key == board.post)
        stream = Stream(self._setting.seed, "crm_dashboard", board.name)
        board_id = self._ids.new("crm_dashboard")
        day = max(self._setting.now.date() - timedelta(days=stream.uniform_int(3, 90)), one.hired_on)
        at = instant_text(working_moment(stream, day, one.zone))
        self.rows["crm_dashboard"].append(
            {
                "id": board_id, "name": board.name, "name_norm": norm(board.name), "folder": board.folder,
                "owner_id": one.id, "visibility": "public",
                "created_at": at, "created_by": one.id, "updated_at": at, "updated_by": one.id,
            }
        )  # fmt: skip
        known = {row["name"]: row["id"] for row in self.rows["crm_report"] if row["owner_id"] == one.id}
        self.rows["crm_dashboard_widget"] += [
            {"dashboard_id": board_id, "pos": pos, "report_id": known[name], "kind": kind, "title": title}
            for pos, (name, kind, title) in enumerate(board.widgets, 1)
        ]

    def _add(self, report: Report, one: Employee, stream: Stream) -> None:
        report_id = self._ids.new("crm_report")
        day = max(self._setting.now.date() - timedelta(days=stream.uniform_int(3, 240)), one.hired_on)
        at = instant_text(working_moment(stream, day, one.zone))
        spec = {"columns": list(_COLUMNS[report.object])} | report.spec
        self.rows["crm_report"].append(
            {
                "id": report_id, "object": report.object, "name": report.name, "name_norm": norm(report.name),
                "description": report.about, "folder": report.folder, "owner_id": one.id,
                "visibility": report.visibility, "format": format_of(spec),
                "spec": json.dumps(spec, sort_keys=True, separators=(",", ":"), ensure_ascii=False),
                "definition": definition(spec), "chart": report.chart, "chart_measure": report.measure,
                "created_at": at, "created_by": one.id, "updated_at": at, "updated_by": one.id,
            }
        )  # fmt: skip
        if report.rule:
            self._oracle.note(report.rule, "crm_report", report_id, name=report.name)
