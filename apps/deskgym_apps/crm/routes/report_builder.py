"""Building a report (CRM-13): choosing its type, the form with a preview, saving, saving as."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flask import request

from ...kit.errors import BadQuery, Conflict, Forbidden, Invalid
from ...kit.session import read, run
from ...kit.web import Form, Link, PageHeader
from ..service.report_bases import BASES
from . import report_typed as typed_form
from .drawing import token
from .going import go, page
from .reading import may, posted_version
from .report_choices import report_types
from .report_form import Drawer
from .report_typed import EMPTY, Typed
from .reports import ICON, URL, drawn, report_at
from .routing import blueprint

_PREVIEWED = 100


def _posted() -> dict[str, str]:
    return {name: text for name, text in request.form.items() if name not in ("form_token", "row_version", "rendered")}


def _kind() -> str:
    kind = request.values.get("object", "")
    if kind not in [option.value for option in report_types()]:
        raise Invalid(f'there are no reports of "{kind}"', field="object", allowed=tuple(BASES))
    return kind


def _need_create() -> None:
    if not may("create", "report"):
        raise Forbidden("nothing can be saved any more")


def _preview(kind: str, typed: Typed) -> dict[str, Any]:
    """The result of what is typed, or what keeps it from running."""
    try:
        spec = {key: value for key, value in typed_form.parts(kind, typed).items() if value not in (None, [])}
        report = read("crm.run_report", {"spec": {"object": kind} | spec, "limit": 10, "max_groups": _PREVIEWED})
    except (Invalid, BadQuery) as error:
        return {"preview_fault": error.message}
    measures = [item["measure"] for item in report["measures"]]
    measure = typed.get("chart_measure") or (measures[0] if measures else None)
    return drawn(report, typed.get("chart") or "none", measure, URL)


def _builder(
    kind: str,
    typed: Typed,
    got: Mapping[str, Any] | None,
    problems: Mapping[str, str],
    status: int = 200,
    loose: Sequence[str] = (),
) -> Any:
    title = "New report" if got is None else f"Edit {got['name']}"
    here = f"{URL}/new" if got is None else f"{URL}/{got['id']}/edit"
    version = (
        None if got is None else (posted_version() if "row_version" in request.form else got["record"]["row_version"])
    )
    form = Form(
        id="report",
        title=title,
        action=here,
        submit_label="Save report",
        cancel_href=URL if got is None else f"{URL}/{got['id']}",
        sections=Drawer(kind, typed, problems).sections(),
        hidden=(("object", kind),),
        token=token("report", "new" if got is None else got["id"], version),
        row_version=version,
        errors=tuple(loose),
    )
    header = PageHeader(title=title, kicker=f"Reports · {BASES[kind].label}", icon=ICON)
    own = "" if got is None else f"&id={got['id']}"
    return page(
        "crm/report_builder.html",
        status,
        title=f"{title} · Reports",
        builder_header=header,
        form=form,
        preview_href=f"{URL}/preview?rows={request.values.get('rows', '')}{own}",
        more_href="" if request.values.get("rows") == "all" else f"{URL}/preview?rows=all{own}",
        crumbs=[Link("Reports", URL)],
        crumb_here=title,
        toasts=(),
        **_preview(kind, typed),
    )


@blueprint.get("/reports/new")
def new_report() -> Any:
    """Choose what the report is about, then the form: empty, or of a report to save as another."""
    _need_create()
    if request.args.get("copy"):
        got = report_at(request.args["copy"])
        typed = typed_form.from_report(got["record"])
        return _builder(
            got["record"]["object"], typed | {"name": f"{got['name']} copy"[:80], "visibility": "private"}, None, {}
        )
    if not request.args.get("object"):
        header = PageHeader(title="New report", kicker="Reports", icon=ICON, subtitle="What is it about?")
        crumbs = [Link("Reports", URL)]
        return page("crm/report_types.html", types_header=header, types=report_types(), crumbs=crumbs)
    return _builder(_kind(), EMPTY, None, {})


@blueprint.get("/reports/<report_id>/edit")
def edit_report(report_id: str) -> Any:
    """The form of a report."""
    got = _editable(report_id)
    return _builder(got["record"]["object"], typed_form.from_report(got["record"]), got, {})


def _editable(report_id: str) -> dict[str, Any]:
    got = report_at(report_id)
    if not got["access"]["edit"]:
        raise Forbidden("only the owner of this report and administrators may change it; save a copy of your own")
    return got


@blueprint.post("/reports/preview")
def preview_report() -> Any:
    """The form as typed with the result beside it; nothing is saved."""
    got = _editable(request.args["id"]) if request.args.get("id") else None
    return _builder(_kind() if got is None else got["record"]["object"], _posted(), got, {})


@blueprint.post("/reports/new")
def create_report() -> Any:
    """Save a report: `create_report`."""
    _need_create()
    kind, typed = _kind(), _posted()
    try:
        made = run("crm.create_report", {"object": kind} | typed_form.created(kind, typed))
    except (Invalid, BadQuery) as error:
        problems, loose = typed_form.problems(kind, typed, error)
        return _builder(kind, typed, None, problems, 422, loose)
    return go(f"{URL}/{made['id']}", "reported")


@blueprint.post("/reports/<report_id>/edit")
def update_report(report_id: str) -> Any:
    """Save a report's changes: `update_report`, with what differs from the form as it was drawn."""
    got, typed, version = _editable(report_id), _posted(), posted_version()
    kind = got["record"]["object"]
    try:
        values = typed_form.changed(kind, typed, typed_form.from_report(got["record"]))
        if values or version != got["record"]["row_version"]:
            run("crm.update_report", {"id": report_id, "row_version": version, "values": values})
    except (Invalid, BadQuery) as error:
        problems, loose = typed_form.problems(kind, typed, error)
        return _builder(kind, typed, got, problems, 422, loose)
    except Conflict as error:
        return _builder(kind, typed, got, {}, 409, (error.message,))
    return go(f"{URL}/{report_id}", "reported")
