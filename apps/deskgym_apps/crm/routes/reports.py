"""The reports tab (CRM-13): the list by folders, a report that runs, its file, deleting it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import flask
from flask import request

from ...kit.errors import Forbidden, NotFound
from ...kit.session import read, run
from ...kit.web import Cell, Column, Form, Link, MenuItem, Page, PageHeader, Row, Table
from ...kit.web.display import long_date
from ..service.kinds import KINDS
from ..service.report_bases import BASES
from . import filters as filtering
from .drawing import token
from .going import go, page
from .reading import access_to, may, posted_version
from .report_chart import chart_of
from .report_choices import VISIBILITY, report_pages
from .report_table import highlights, records_table, result_table
from .routing import blueprint

URL = "/crm/reports"
ICON = "bar-chart"
FORMATS = {"tabular": "List", "summary": "Summary", "matrix": "Matrix"}
_SIZE = 50
_MOST_SHOWN = 500
_RECORDS = 50
_COLUMNS = (
    Column("name", "Report name", sortable=True),
    Column("object", "Report type"),
    Column("folder", "Folder", sortable=True, kind="choice"),
    Column("owner.name", "Owner", sortable=True, kind="person"),
    Column("visibility", "Shared with", kind="choice"),
    Column("updated_at", "Last modified", sortable=True, kind="date"),
)
_FIELDS = ["name", "description", "object", "folder", "owner.name", "owner_id", "visibility", "updated_at"]


def report_at(report_id: str) -> dict[str, Any]:
    """A report as `crm_get` tells it. Raises NotFound."""
    if report_id[:3] != KINDS["report"].prefix or len(report_id) != 15:
        raise NotFound(f'there is no report "{report_id}"')
    found: dict[str, Any] = read("crm.get", {"id": report_id})
    return found


# The list


def _wanted() -> dict[str, str]:
    return {name: request.args.get(name, "").strip() for name in ("q", "folder", "scope", "object")}


def _conditions(wanted: Mapping[str, str]) -> list[dict[str, Any]]:
    found = [{"field": "name", "op": "contains", "value": wanted["q"]}] if wanted["q"] else []
    for name in ("folder", "object"):
        if wanted[name]:
            found.append({"field": name, "op": "equals", "value": wanted[name]})
    return found


def _page_number() -> int:
    given = request.args.get("page", "1")[:6]
    return max(1, int(given)) if given.isascii() and given.isdigit() else 1


def _listed(wanted: Mapping[str, str]) -> dict[str, Any]:
    key = request.args.get("sort", "name")
    key = key if key in [column.key for column in _COLUMNS if column.sortable] else "name"
    way = "desc" if request.args.get("dir") == "desc" else "asc"
    number = request.args.get("page", "1")
    at = int(number) if number.isascii() and number.isdigit() and int(number[:6]) > 0 else 1
    found: dict[str, Any] = read(
        "crm.query",
        {
            "object": "report",
            "filter": _conditions(wanted),
            "scope": "mine" if wanted["scope"] == "mine" else "all",
            "fields": _FIELDS,
            "sort": [{"field": key, "direction": way}],
            "limit": _SIZE,
            "offset": (at - 1) * _SIZE,
        },
    )
    return found | {"key": key, "descending": way == "desc", "page": at}


def names_apart(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Names of reports, those of namesakes with their owner and folder."""
    plain = [str(row["name"]) for row in rows]
    longer = [f"{row['name']}, {row['owner.name']}" if plain.count(row["name"]) > 1 else row["name"] for row in rows]
    return [
        f"{name}, {row['folder']}" if longer.count(name) > 1 else name for name, row in zip(longer, rows, strict=True)
    ]


def _rows(rows: Sequence[Mapping[str, Any]]) -> tuple[Row, ...]:
    access = access_to("report", [row["id"] for row in rows])
    who = {"private": "Only me", "public": "Everybody", "editable": "Everybody, to change"}
    drawn = []
    for name, row in zip(names_apart(rows), rows, strict=True):
        url = f"{URL}/{row['id']}"
        items = [MenuItem(label="Edit", href=f"{url}/edit", icon="pencil")] if access[row["id"]]["edit"] else []
        if may("create", "report"):
            items.append(MenuItem(label="Save as", href=f"{URL}/new?copy={row['id']}", icon="files"))
        if access[row["id"]]["delete"]:
            items.append(MenuItem(label="Delete", dialog_href=f"{url}/delete", icon="trash3", danger=True))
        cells: dict[str, Cell | str] = {
            "name": Cell(text=row["name"], href=url, label=name),
            "object": BASES[row["object"]].label,
            "folder": row["folder"],
            "owner.name": row["owner.name"] or "",
            "visibility": who[row["visibility"]],
            "updated_at": long_date(row["updated_at"][:10]),
        }
        drawn.append(Row(id=row["id"], name=name, cells=cells, actions=tuple(items)))
    return tuple(drawn)


def _folders(wanted: Mapping[str, str]) -> list[dict[str, Any]]:
    """The folders that the person sees something in, with how many reports."""
    rows = read("crm.query", {"object": "report", "fields": ["folder"], "limit": 200})["rows"]
    counts: dict[str, int] = {}
    for row in rows:
        counts[row["folder"]] = counts.get(row["folder"], 0) + 1
    everything = not wanted["folder"] and wanted["scope"] != "mine"
    found = [
        {"label": "All reports", "href": URL, "current": everything, "count": len(rows), "icon": "collection"},
        {"label": "My reports", "href": f"{URL}?scope=mine", "current": wanted["scope"] == "mine", "icon": "person"},
    ]
    for name in sorted(counts, key=str.casefold):
        href = f"{URL}?{urlencode({'folder': name})}"
        is_here = wanted["folder"].casefold() == name.casefold()
        found.append({"label": name, "href": href, "current": is_here, "count": counts[name], "icon": "folder"})
    return found


@blueprint.get("/reports")
def reports() -> Any:
    """The reports that the person may run, by folder, with a search."""
    wanted = _wanted()
    found = _listed(wanted)
    is_narrow = bool(wanted["q"] or wanted["folder"] or wanted["scope"])
    new = MenuItem(label="New report", href=f"{URL}/new", icon="plus-lg", primary=True)
    table = Table(
        id="reports",
        caption="Reports",
        columns=_COLUMNS,
        rows=_rows(found["rows"]),
        url=URL,
        noun=("report", "reports"),
        query=tuple((name, text) for name, text in wanted.items() if text),
        page=Page(found["page"], _SIZE, found["total"], (_SIZE,)),
        sort=found["key"],
        descending=found["descending"],
        empty_title="No reports match" if is_narrow else "No reports yet",
        empty_text="Choose another folder, or clear the search."
        if is_narrow
        else "Reports that are saved appear here.",
        empty_action=MenuItem(label="All reports", href=URL) if is_narrow else None,
    )
    title = wanted["folder"] or ("My reports" if wanted["scope"] == "mine" else "All reports")
    header = PageHeader(title=title, kicker="Reports", icon=ICON, actions=(new,) if may("create", "report") else ())
    return page(
        "crm/reports.html", list_header=header, table=table, folders=_folders(wanted), wanted=wanted, heading=title
    )


# A report that runs


def _said(kind: str, record: Mapping[str, Any]) -> list[str]:
    """What the report is limited to, in words."""
    pages, found = report_pages(kind), []
    if record["scope"] == "mine":
        found.append("Owner is me")
    if record["date_range"]:
        field = filtering.field_label(pages, record["date_field"])
        found.append(f"{field} {_dates_said(record['date_range'])}")
    for item in record["filters"]:
        found.append(_filter_said(pages, item))
    if record["filters"] and record["filter_logic"]:
        found.append(f"joined by {record['filter_logic']}")
    cross = record["cross_filter"]
    if cross:
        child = BASES[kind].children[cross["object"]]
        inner = [_filter_said(report_pages(cross["object"]), item) for item in cross.get("filters") or ()]
        where = f" where {' and '.join(inner)}" if inner else ""
        found.append(f"{'with' if cross['has'] else 'without'} {child.label.lower()}{where}")
    if record["top"]:
        found.append(f"only the top {record['top']}")
    return found


def _dates_said(given: Mapping[str, str]) -> str:
    if "period" in given:
        return f"in {given['period'].lower()}"
    words = [f"from {long_date(given['first'])}"] if "first" in given else []
    return " ".join([*words, *([f"until {long_date(given['last'])}"] if "last" in given else [])])


def _filter_said(pages: Any, item: Mapping[str, Any]) -> str:
    value = item.get("value")
    shown = ", ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)
    shown = {"True": "yes", "False": "no"}.get(shown, shown)
    return f"{filtering.field_label(pages, item['field'])} {filtering.WORDS[item['op']]} {shown}".strip()


def _details_wanted(record: Mapping[str, Any]) -> bool:
    given = request.args.get("details")
    return bool(record["details"]) if given not in ("0", "1") else given == "1"


def drawn(
    report: Mapping[str, Any], chart: str, chart_measure: str | None, url: str, paging: Page | None = None
) -> dict[str, Any]:
    """What the template of a result takes."""
    query = (("details", "1"),) if report["row_levels"] else ()
    return {
        "result": result_table(report),
        "chart": chart_of(report, chart, chart_measure),
        "records": records_table(report, url, paging, query),
        "truncated": f"{len(report['groups']):,} of {report['group_count']:,}" if report["truncated"] else "",
        "left_out": report["left_out"],
        "facts": highlights(report),
        "notes": _notes(report),
    }


def _notes(report: Mapping[str, Any]) -> list[str]:
    codes = {item["currency"] for item in report["measures"] if item["converted"]}
    if not codes:
        return []
    dated = "its close date" if BASES[report["object"]].rated else "today"
    return [f"≈ Amounts of several currencies, each converted to {min(codes)} at the rate of {dated}."]


@blueprint.get("/reports/<report_id>")
def show_report(report_id: str) -> Any:
    """Run a report: chart, groups with subtotals and totals, records on request."""
    got = report_at(report_id)
    record, url = got["record"], f"{URL}/{report_id}"
    listed = _details_wanted(record)
    at = _page_number()
    wanted = {"id": report_id, "details": listed, "limit": _RECORDS, "offset": (at - 1) * _RECORDS}
    report = read("crm.run_report", wanted | {"max_groups": _MOST_SHOWN})
    paging = Page(at, _RECORDS, report["record_count"], (_RECORDS,))
    shown = drawn(report, report["chart"], report["chart_measure"], url, paging)
    header = PageHeader(
        title=got["name"],
        kicker=f"Report · {record['folder']}",
        icon=ICON,
        badge=FORMATS[record["format"]],
        subtitle=record["description"] or "",
        highlights=shown["facts"],
        actions=_actions(got, listed),
        more=_more(got),
    )
    who = {option.value: option.label for option in VISIBILITY}[record["visibility"]]
    about = f"{BASES[record['object']].label} · {record['owner.name'] or ''} · {who}"
    return page(
        "crm/report.html",
        title=f"{got['name']} · Report",
        report_header=header,
        about=about,
        said=_said(record["object"], record),
        crumbs=[Link("Reports", URL)],
        **shown,
    )


def _actions(got: Mapping[str, Any], listed: bool) -> tuple[MenuItem, ...]:
    url, found = f"{URL}/{got['id']}", []
    if got["record"]["format"] != "tabular":
        label = "Hide records" if listed else "Show records"
        found.append(MenuItem(label=label, href=f"{url}?details={int(not listed)}", icon="list-ul"))
    if may("create", "report"):
        found.append(MenuItem(label="Save as", href=f"{URL}/new?copy={got['id']}", icon="files"))
    if got["access"]["edit"]:
        found.append(MenuItem(label="Edit", href=f"{url}/edit", icon="pencil", primary=True))
    return tuple(found)


def _more(got: Mapping[str, Any]) -> tuple[MenuItem, ...]:
    url, found = f"{URL}/{got['id']}", []
    if may("export", _exported(got["record"]["object"])):
        found.append(MenuItem(label="Export result as CSV", href=f"{url}/export.csv", icon="download"))
        found.append(MenuItem(label="Export records as CSV", href=f"{url}/export.csv?details=1", icon="download"))
    if got["access"]["delete"]:
        found.append(MenuItem(label="Delete", dialog_href=f"{url}/delete", icon="trash3", danger=True))
    return tuple(found)


def _exported(kind: str) -> str:
    """The kind whose right to export counts: that of the whole, for a part."""
    return KINDS[kind].part_of or kind


@blueprint.get("/reports/<report_id>/export.csv")
def export_report(report_id: str) -> Any:
    """The result as a file, or its records."""
    got = report_at(report_id)
    wanted = {"id": report_id, "records": request.args.get("details") == "1"}
    made = read("crm.export_report", wanted)
    answer = flask.Response("\ufeff" + made["text"], content_type="text/csv; charset=utf-8")
    name = "".join(char if char.isascii() and char.isalnum() else "-" for char in got["name"].lower()).strip("-")
    answer.headers["Content-Disposition"] = f'attachment; filename="{name or "report"}.csv"'
    return answer


# Deleting


@blueprint.get("/reports/<report_id>/delete")
def ask_delete_report(report_id: str) -> Any:
    """Ask before deleting a report."""
    got = report_at(report_id)
    if not got["access"]["delete"]:
        raise Forbidden("only the owner of a report and administrators may delete it")
    title, version = f"Delete {got['name']}?", got["record"]["row_version"]
    form = Form(
        id="delete-report",
        title=title,
        action=f"{URL}/{report_id}/delete",
        submit_label="Delete",
        cancel_href=f"{URL}/{report_id}",
        sections=(),
        intro="The report goes for good, for everybody who runs it. The records in it stay.",
        danger=True,
        token=token("delete-report", report_id, version),
        row_version=version,
        guard=False,
    )
    header = PageHeader(title=title, kicker="Reports", icon=ICON)
    crumbs = [Link("Reports", URL), Link(got["name"], f"{URL}/{report_id}")]
    return page("kit/form_page.html", title=title, header=header, form=form, crumbs=crumbs, crumb_here=title, toasts=())


@blueprint.post("/reports/<report_id>/delete")
def delete_report(report_id: str) -> Any:
    """Delete a report: `delete_report`."""
    run("crm.delete_report", {"id": report_id, "row_version": posted_version()})
    return go(URL, "unreported")
