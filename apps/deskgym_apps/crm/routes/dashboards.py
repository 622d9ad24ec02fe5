"""Dashboards in the pages: the list, one with its widgets, building and deleting it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flask import request

from ...kit.errors import BadQuery, Conflict, Forbidden, Invalid, NotFound
from ...kit.session import read, run
from ...kit.web import Cell, Column, FieldSection, Form, FormField, Link, MenuItem, Option, PageHeader, Row, Table
from ...kit.web.display import long_date
from ..rules_reports import MAX_WIDGETS
from ..service.kinds import KINDS
from .drawing import token
from .going import go, page
from .reading import access_to, may, posted_version
from .report_chart import chart_of
from .report_table import figure_text, measure_head, result_table
from .reports import names_apart
from .routing import blueprint

URL = "/crm/dashboards"
ICON = "grid"
WIDGETS = (
    Option("metric", "Figure"),
    Option("column", "Columns"),
    Option("bar", "Bars"),
    Option("line", "Line"),
    Option("table", "Table"),
)
WHO = (Option("private", "Only me"), Option("public", "Everybody"))
_SHOWN_LINES = 12
_CHART_WIDTH = 480
Typed = Mapping[str, str]


def _dashboard_at(dashboard_id: str) -> dict[str, Any]:
    if dashboard_id[:3] != KINDS["dashboard"].prefix or len(dashboard_id) != 15:
        raise NotFound(f'there is no dashboard "{dashboard_id}"')
    found: dict[str, Any] = read("crm.get", {"id": dashboard_id})
    return found


@blueprint.get("/dashboards")
def dashboards() -> Any:
    """The dashboards that the person may see."""
    fields = ["name", "folder", "owner.name", "visibility", "updated_at"]
    rows = read("crm.query", {"object": "dashboard", "fields": fields, "limit": 200})["rows"]
    access = access_to("dashboard", [row["id"] for row in rows])
    who = {option.value: option.label for option in WHO}
    drawn = []
    for name, row in zip(names_apart(rows), rows, strict=True):
        url = f"{URL}/{row['id']}"
        items = [MenuItem(label="Edit", href=f"{url}/edit", icon="pencil")] if access[row["id"]]["edit"] else []
        if access[row["id"]]["delete"]:
            items.append(MenuItem(label="Delete", dialog_href=f"{url}/delete", icon="trash3", danger=True))
        cells: dict[str, Cell | str] = {
            "name": Cell(text=row["name"], href=url, label=name),
            "folder": row["folder"],
            "owner.name": row["owner.name"] or "",
            "visibility": who[row["visibility"]],
            "updated_at": long_date(row["updated_at"][:10]),
        }
        drawn.append(Row(id=row["id"], name=name, cells=cells, actions=tuple(items)))
    table = Table(
        id="dashboards",
        caption="Dashboards",
        columns=(
            Column("name", "Dashboard name"),
            Column("folder", "Folder"),
            Column("owner.name", "Owner", kind="person"),
            Column("visibility", "Shared with"),
            Column("updated_at", "Last modified", kind="date"),
        ),
        rows=tuple(drawn),
        url=URL,
        noun=("dashboard", "dashboards"),
        empty_title="No dashboards yet",
        empty_text="A dashboard shows reports side by side.",
    )
    new = MenuItem(label="New dashboard", href=f"{URL}/new", icon="plus-lg", primary=True)
    header = PageHeader(
        title="Dashboards", kicker="Northbeam", icon=ICON, actions=(new,) if may("create", "dashboard") else ()
    )
    return page("crm/list.html", list_header=header, table=table, views=None, heading="Dashboards")


def _drawn(widget: Mapping[str, Any]) -> dict[str, Any]:
    """What the template of one widget takes."""
    shown: dict[str, Any] = {"title": widget["title"] or "Report", "kind": widget["kind"], "fault": widget.get("fault")}
    report = widget.get("report")
    if report is None:
        return shown
    shown["href"] = f"/crm/reports/{widget['report_id']}"
    measure = report["chart_measure"] or report["measures"][-1]["measure"]
    item = next(one for one in report["measures"] if one["measure"] == measure)
    if widget["kind"] == "metric":
        mark = "≈ " if item["converted"] else ""
        shown |= {"figure": mark + figure_text(item, report["totals"][measure], code=True), "label": item["label"]}
    elif widget["kind"] == "table":
        table = result_table(report)
        shown["table"] = table
        shown["lines"] = [line for line in (table.lines if table else ()) if line.level == 1][:_SHOWN_LINES]
        shown["heads"] = [measure_head(one) for one in report["measures"]]
        shown["width"] = len(report["measures"])
    else:
        shown["chart"] = chart_of(report, widget["kind"], measure, _CHART_WIDTH)
    return shown


@blueprint.get("/dashboards/<dashboard_id>")
def show_dashboard(dashboard_id: str) -> Any:
    """A dashboard: each widget runs its report as the person who looks."""
    got = _dashboard_at(dashboard_id)
    found, url = read("crm.show_dashboard", {"id": dashboard_id}), f"{URL}/{dashboard_id}"
    edit = MenuItem(label="Edit", href=f"{url}/edit", icon="pencil", primary=True)
    delete = MenuItem(label="Delete", dialog_href=f"{url}/delete", icon="trash3", danger=True)
    header = PageHeader(
        title=got["name"],
        kicker=f"Dashboard · {got['record']['folder']}",
        icon=ICON,
        subtitle=f"{got['record']['owner.name'] or ''} · run as you",
        actions=(edit,) if got["access"]["edit"] else (),
        more=(delete,) if got["access"]["delete"] else (),
    )
    return page(
        "crm/dashboard.html",
        title=f"{got['name']} · Dashboard",
        dashboard_header=header,
        widgets=[_drawn(widget) for widget in found["widgets"]],
        crumbs=[Link("Dashboards", URL)],
    )


def _reports() -> tuple[Option, ...]:
    fields = ["name", "folder", "owner.name"]
    rows = read("crm.query", {"object": "report", "fields": fields, "limit": 200})["rows"]
    return (Option("", "–"), *(Option(row["id"], name) for row, name in zip(rows, names_apart(rows), strict=True)))


def _typed(record: Mapping[str, Any]) -> dict[str, str]:
    found = {name: str(record[name]) for name in ("name", "folder", "visibility")}
    for at, item in enumerate(record["widgets"], 1):
        found |= {f"report{at}": item["report_id"], f"kind{at}": item["kind"], f"title{at}": item["title"] or ""}
    return found


def _values(typed: Typed) -> dict[str, Any]:
    widgets = []
    for at in range(1, MAX_WIDGETS + 1):
        if typed.get(f"report{at}"):
            widget = {"report_id": typed[f"report{at}"], "kind": typed.get(f"kind{at}") or "table"}
            title = typed.get(f"title{at}", "").strip()
            widgets.append(widget | ({"title": title} if title else {}))
    found = {"name": typed.get("name", "").strip(), "folder": typed.get("folder", "").strip() or "Unfiled"}
    return found | {"visibility": typed.get("visibility") or "private", "widgets": widgets}


def _sections(typed: Typed, problems: Mapping[str, str]) -> tuple[FieldSection, ...]:
    about = (
        FormField(name="name", label="Dashboard name", value=typed.get("name", ""), required=True, max_length=80,
                  error=problems.get("name", "")),
        FormField(name="folder", label="Folder", value=typed.get("folder", ""), max_length=40,
                  error=problems.get("folder", "")),
        FormField(name="visibility", label="Who sees it", kind="select", options=WHO,
                  value=typed.get("visibility") or "private"),
    )  # fmt: skip
    reports, fields = _reports(), []
    for at in range(1, MAX_WIDGETS + 1):
        value = typed.get(f"report{at}", "")
        known = reports if value in [item.value for item in reports] else (*reports, Option(value, "Another's report"))
        error = problems.get("widgets", "") if at == 1 else ""
        fields += [
            FormField(name=f"report{at}", label=f"Report {at}", kind="select", value=value, options=known, error=error),
            FormField(name=f"kind{at}", label=f"Shown {at} as", kind="select", options=WIDGETS,
                      value=typed.get(f"kind{at}") or "table"),
            FormField(name=f"title{at}", label=f"Title {at}", value=typed.get(f"title{at}", ""), max_length=80),
        ]  # fmt: skip
    note = "From left to right; a widget without a title has the report's name."
    return (
        FieldSection("Dashboard", about, columns=3),
        FieldSection("Widgets", tuple(fields), columns=3, note=note, is_fixed=True),
    )


def _form(
    typed: Typed,
    got: Mapping[str, Any] | None,
    problems: Mapping[str, str],
    status: int = 200,
    loose: Sequence[str] = (),
) -> Any:
    title = "New dashboard" if got is None else f"Edit {got['name']}"
    version = None if got is None else got["record"]["row_version"]
    if got is not None and "row_version" in request.form:
        version = posted_version()
    form = Form(
        id="dashboard",
        title=title,
        action=f"{URL}/new" if got is None else f"{URL}/{got['id']}/edit",
        submit_label="Save dashboard",
        cancel_href=URL if got is None else f"{URL}/{got['id']}",
        sections=_sections(typed, problems),
        token=token("dashboard", "new" if got is None else got["id"], version),
        row_version=version,
        errors=tuple(loose),
    )
    header = PageHeader(title=title, kicker="Dashboards", icon=ICON)
    crumbs = [Link("Dashboards", URL)]
    return page(
        "kit/form_page.html", status, title=title, header=header, form=form, crumbs=crumbs, crumb_here=title, toasts=()
    )


def _problems(error: Invalid | BadQuery) -> tuple[dict[str, str], tuple[str, ...]]:
    faults = error.errors if isinstance(error, Invalid) else ()
    found, loose = {}, []
    for field, message in [(one.field, one.shown) for one in faults] or [(error.field, error.message)]:
        name = (field or "").removeprefix("values.").partition(".")[0]
        if name in ("name", "folder", "widgets"):
            found[name] = message
        else:
            loose.append(message)
    return found, tuple(loose)


@blueprint.get("/dashboards/new")
def new_dashboard() -> Any:
    """The form of a new dashboard."""
    if not may("create", "dashboard"):
        raise Forbidden("nothing can be saved any more")
    return _form({}, None, {})


@blueprint.post("/dashboards/new")
def create_dashboard() -> Any:
    """Save a dashboard: `create_dashboard`."""
    try:
        made = run("crm.create_dashboard", _values(request.form))
    except (Invalid, BadQuery) as error:
        problems, loose = _problems(error)
        return _form(request.form, None, problems, 422, loose)
    return go(f"{URL}/{made['id']}", "dashed")


def _editable(dashboard_id: str) -> dict[str, Any]:
    got = _dashboard_at(dashboard_id)
    if not got["access"]["edit"]:
        raise Forbidden("only the owner of a dashboard and administrators may change it")
    return got


@blueprint.get("/dashboards/<dashboard_id>/edit")
def edit_dashboard(dashboard_id: str) -> Any:
    """The form of a dashboard."""
    got = _editable(dashboard_id)
    return _form(_typed(got["record"]), got, {})


@blueprint.post("/dashboards/<dashboard_id>/edit")
def update_dashboard(dashboard_id: str) -> Any:
    """Save a dashboard's changes: `update_dashboard`, with what differs."""
    got, version = _editable(dashboard_id), posted_version()
    old, now = _values(_typed(got["record"])), _values(request.form)
    values = {key: value for key, value in now.items() if value != old[key]}
    try:
        if values or version != got["record"]["row_version"]:
            run("crm.update_dashboard", {"id": dashboard_id, "row_version": version, "values": values})
    except (Invalid, BadQuery) as error:
        problems, loose = _problems(error)
        return _form(request.form, got, problems, 422, loose)
    except Conflict as error:
        return _form(request.form, got, {}, 409, (error.message,))
    return go(f"{URL}/{dashboard_id}", "dashed")


@blueprint.get("/dashboards/<dashboard_id>/delete")
def ask_delete_dashboard(dashboard_id: str) -> Any:
    """Ask before deleting a dashboard."""
    got = _editable(dashboard_id)
    title, version = f"Delete {got['name']}?", got["record"]["row_version"]
    form = Form(
        id="delete-dashboard",
        title=title,
        action=f"{URL}/{dashboard_id}/delete",
        submit_label="Delete",
        cancel_href=f"{URL}/{dashboard_id}",
        sections=(),
        intro="The dashboard goes for good, for everybody who sees it. Its reports stay.",
        danger=True,
        token=token("delete-dashboard", dashboard_id, version),
        row_version=version,
        guard=False,
    )
    header = PageHeader(title=title, kicker="Dashboards", icon=ICON)
    crumbs = [Link("Dashboards", URL), Link(got["name"], f"{URL}/{dashboard_id}")]
    return page("kit/form_page.html", title=title, header=header, form=form, crumbs=crumbs, crumb_here=title, toasts=())


@blueprint.post("/dashboards/<dashboard_id>/delete")
def delete_dashboard(dashboard_id: str) -> Any:
    """Delete a dashboard: `delete_dashboard`."""
    run("crm.delete_dashboard", {"id": dashboard_id, "row_version": posted_version()})
    return go(URL, "undashed")
