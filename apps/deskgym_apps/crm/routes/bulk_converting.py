"""Converting several leads of the list: a preview lead by lead, then a report that leaves none out (CRM-2.9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flask import request

from ...kit.errors import BadQuery, Forbidden, Invalid
from ...kit.session import read, run
from ...kit.web import (
    Cell,
    Column,
    FieldSection,
    Form,
    FormField,
    Link,
    MenuItem,
    Option,
    PageHeader,
    Row,
    Table,
    Toast,
)
from ..service.conversions import MOST
from . import selecting
from .converting import TARGETS, options
from .drawing import token
from .going import go, page
from .reading import may, whole_number
from .routing import blueprint
from .specs import PAGES, record_href

_PAGES = PAGES["lead"]
_URL = f"{_PAGES.url}/convert"
_SKIP = "skip"


def _need() -> None:
    if not may("edit", "lead"):
        raise Forbidden("your profile may not change leads")


def _selected() -> list[str]:
    """Ids of the selected leads: those of the list's boxes, or all that its filters match. Raises BadQuery."""
    if request.form.get("scope") != "all":
        return list(dict.fromkeys(request.form.getlist("row")))
    found = read("crm.query", selecting.matching(_PAGES) | {"fields": [], "limit": MOST})
    if found["total"] > MOST:
        raise BadQuery(f"{found['total']} leads match; at most {MOST} are converted at a time. Filter them further.")
    return [row["id"] for row in found["rows"]]


def _sections(choices: Sequence[Mapping[str, Any]], faults: Mapping[str, str]) -> tuple[FieldSection, ...]:
    names = [f"{one['name']}, {one['company']}" for one in choices]
    titles = [f"{name} ({at})" if names.count(name) > 1 else name for at, name in enumerate(names, 1)]
    return tuple(
        _section(at, title, one, faults.get(one["lead_id"], ""))
        for at, (title, one) in enumerate(zip(titles, choices, strict=True), 1)
    )


def _section(at: int, title: str, choices: Mapping[str, Any], fault: str) -> FieldSection:
    """One lead: what it becomes, or why it cannot be converted."""
    if choices["refusal"]:
        why = FormField(name=f"refused{at}", label="Not converted", kind="static", value=choices["refusal"], wide=True)
        return FieldSection(title, (why,), columns=1)
    fields = []
    for target in TARGETS:
        name = f"{target}{at}"
        known = options(choices, target)
        if target == "account":
            known = (*known, Option(_SKIP, "Leave this lead as it is"))
        fields.append(
            FormField(
                name=name,
                label=target.capitalize(),
                kind="select",
                required=True,
                value=request.form.get(name) or choices[target],
                options=tuple(Option(one.value, ", ".join(filter(None, (one.label, one.detail)))) for one in known),
                error=fault if target == "account" else "",
            )
        )
    return FieldSection(title, tuple(fields), note=f"{choices['status']} · owner {choices['owner']}")


def _preview(ids: Sequence[str], faults: Mapping[str, str] | None = None, status: int = 200) -> Any:
    choices = read("crm.conversion_choices", {"ids": list(ids)})
    able = [one for one in choices if not one["refusal"]]
    count = f"{len(choices)} {'lead' if len(choices) == 1 else 'leads'}"
    title = f"Convert {count}"
    left = len(choices) - len(able)
    intro = f"{len(able)} of {count} can be converted; each becomes what is chosen here, wholly or not at all. "
    intro += f"{left} stay as they are, as said below. " if left else ""
    form = Form(
        id="convert-leads",
        title=title,
        action=f"{_URL}/all",
        submit_label="Convert leads",
        cancel_href=_PAGES.url,
        sections=_sections(choices, faults or {}),
        intro=intro + "New opportunities are named by the company. This cannot be undone.",
        token=request.form.get("form_token", "") if faults else token("convert-all", "-".join(ids)[:200]),
        hidden=tuple(pair for at, one in enumerate(choices, 1) for pair in _hidden(at, one)),
        errors=tuple(
            f"{one['name']}: {one['refusal']}" for one in choices if one["refusal"] and one["lead_id"] in (faults or {})
        ),
        guard=False,
    )
    header = PageHeader(title=title, kicker="Leads", icon=_PAGES.icon)
    crumbs = [Link("Leads", _PAGES.url)]
    return page(
        "kit/form_page.html",
        status,
        title=f"{title} · Leads",
        header=header,
        form=form,
        crumbs=crumbs,
        crumb_here=title,
        toasts=(),
    )


def _hidden(at: int, choices: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return ((f"lead{at}", choices["lead_id"]), (f"version{at}", str(choices["row_version"])))


@blueprint.post("/leads/convert")
def choose_conversions() -> Any:
    """The preview of the leads that are selected in the list. Nothing is written."""
    _need()
    ids = _selected()
    if not ids:
        return go(_PAGES.url, "unselected")
    if len(ids) > MOST:
        raise BadQuery(f"{len(ids)} leads are selected; at most {MOST} are converted at a time")
    return _preview(ids)


def _items() -> tuple[list[str], list[dict[str, Any]]]:
    """The leads of the posted preview, and what those become that are not left as they are."""
    ids: list[str] = []
    items: list[dict[str, Any]] = []
    at = 1
    while f"lead{at}" in request.form:
        lead_id = request.form[f"lead{at}"]
        ids.append(lead_id)
        chosen = {target: request.form.get(f"{target}{at}", "") for target in TARGETS}
        if chosen["account"] not in ("", _SKIP):
            version = whole_number(request.form.get(f"version{at}", ""), "version")
            items.append({"lead_id": lead_id, "row_version": version, **chosen})
        at += 1
    return ids, items


@blueprint.post("/leads/convert/all")
def convert_all() -> Any:
    """`convert_leads`, then the report of each."""
    _need()
    ids, items = _items()
    if not items:
        return _preview(ids, dict.fromkeys(ids[:1], "it was left as it is"), 422) if ids else go(_PAGES.url)
    try:
        run("crm.convert_leads", {"items": items})
    except Invalid as error:
        rows = error.details.get("rows", ())
        faults = {row["lead_id"]: row["message"] for row in rows} or dict.fromkeys(ids, error.message)
        return _preview(ids, faults, 422)
    return go(f"{_URL}/report?form={request.form['form_token']}")


_COLUMNS = (
    Column("name", "Lead"),
    Column("outcome", "Outcome", kind="badge"),
    Column("account", "Account"),
    Column("contact", "Contact"),
    Column("opportunity", "Opportunity"),
    Column("message", "Reason"),
)


def _row(row: Mapping[str, Any]) -> Row:
    done = row["is_converted"]
    cells: dict[str, Cell | str] = {
        "name": Cell(text=row["name"], href=record_href(row["lead_id"])),
        "outcome": Cell(text="Converted" if done else "Not converted", tone="success" if done else "danger"),
        "message": row["message"] or "",
    }
    for target in TARGETS:
        link = row["links"].get(target)
        cells[target] = Cell(text=link, href=record_href(row[f"{target}_id"])) if link else ""
    return Row(id=row["lead_id"], name=row["label"], cells=cells)


@blueprint.get("/leads/convert/report")
def conversion_report() -> Any:
    """What became of each lead of a bulk conversion."""
    found = read("crm.conversion_report", {"token": request.args.get("form", "")})
    table = Table(
        id="conversions",
        caption="Conversions",
        columns=_COLUMNS,
        rows=tuple(_row(row) for row in found["rows"]),
        url=f"{_URL}/report",
        noun=("lead", "leads"),
    )
    failed = found["failed"]
    told = Toast(
        f"{found['converted']} of {len(found['rows'])} leads were converted"
        + (f"; {failed} {'was' if failed == 1 else 'were'} not, as said below." if failed else "."),
        tone="warning" if failed else "success",
    )
    header = PageHeader(
        title="Conversion report",
        kicker="Leads",
        icon=_PAGES.icon,
        actions=(MenuItem(label="Go to leads", href=_PAGES.url, icon="arrow-left"),),
    )
    return page(
        "crm/list.html",
        list_header=header,
        table=table,
        heading="Conversion report",
        crumbs=[Link("Leads", _PAGES.url)],
        toasts=(told,),
    )
