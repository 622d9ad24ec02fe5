"""Moving a case: its path, the dialog that closing asks for, and the buttons of its page (CRM-8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from flask import request

from ...kit.errors import BadQuery, Conflict, Forbidden, Invalid
from ...kit.forms import Typed
from ...kit.session import read, run
from ...kit.web import FieldSection, Form, Link, MenuItem, PageHeader, Stage, StagePath
from ..rules_cases import CLOSED, ESCALATED, STATUSES
from ..service.cases import CaseChanges
from .case_lists import accept_items
from .drawing import face, named_options, posted_rendered, rendered, token, typed_form
from .going import back_or, back_pair, conflict_page, go, page
from .reading import posted_version
from .routing import blueprint
from .specs import PAGES

_PAGES = PAGES["case"]
_ASKED = ("reason", "resolution")


def case_items(got: Mapping[str, Any], url: str) -> list[MenuItem]:
    """Accept, reply and comment, as far as the person may."""
    items = accept_items(got["record"], url) if got["access"]["transfer"] else []
    if got["access"]["edit"]:
        items.append(MenuItem(label="Send reply", dialog_href=f"{url}/reply", icon="reply"))
        items.append(MenuItem(label="Add comment", dialog_href=f"{url}/comment", icon="chat-left-text"))
    return items


def status_path(got: Mapping[str, Any]) -> StagePath:
    """The chevrons of a case. Any status may follow any other; Closed asks for reason and resolution."""
    record, url = got["record"], f"{_PAGES.url}/{got['id']}/status"
    here = STATUSES.index(record["status"])
    drawn = []
    for at, status in enumerate(STATUSES):
        state: Any = "done" if at < here and status != ESCALATED else "open"
        if at == here:
            state = "won" if status == CLOSED else "current"
        drawn.append(
            Stage(
                value=status, label=status, state=state, dialog_href=f"{url}?status=Closed" if status == CLOSED else ""
            )
        )
    return StagePath(
        label="Status",
        action=url,
        field="status",
        stages=tuple(drawn),
        hidden=(
            ("form_token", token("status", got["id"], record["row_version"])),
            ("row_version", str(record["row_version"])),
        ),
        submit_label="Mark as current status",
        locked=not got["access"]["edit"],
    )


def _dialog(
    got: Mapping[str, Any],
    status: str,
    typed: Typed | None = None,
    error: Invalid | None = None,
    version: int | None = None,
) -> Any:
    record, names = got["record"], list(_ASKED) if status == CLOSED else []
    before = typed.prefilled if typed else {name: record.get(name) for name in names}
    drawn = face(
        _PAGES,
        CaseChanges,
        names,
        before,
        named_options(_PAGES, record),
        typed=request.form if error else None,
        faults=error.errors if error else (),
    )
    title = "Close case" if names else f"Move to {status}"
    version = version or record["row_version"]
    fields = tuple(replace(drawn[name], required=True) for name in names)
    form = Form(
        id="status",
        title=title,
        action=f"{_PAGES.url}/{got['id']}/status",
        submit_label="Save",
        cancel_href=back_or(f"{_PAGES.url}/{got['id']}"),
        sections=(FieldSection("", fields, columns=1),) if names else (),
        intro=f"Case {record['number']}, {got['name']}, moves from {record['status']} to {status}.",
        token=token("status", got["id"], version),
        row_version=version,
        hidden=(("status", status), rendered(names, before), *back_pair()),
        errors=drawn.errors,
    )
    return page(
        "kit/form_page.html",
        422 if error else 200,
        title=f"{title} · Case",
        header=PageHeader(title=title, kicker=f"Case {record['number']}", icon=_PAGES.icon),
        form=form,
        crumbs=[Link("Cases", _PAGES.url), Link(got["name"], f"{_PAGES.url}/{got['id']}")],
        toasts=(),
    )


def _movable(record_id: str) -> dict[str, Any]:
    got: dict[str, Any] = read("crm.get", {"id": record_id})
    if not got["access"]["edit"]:
        raise Forbidden("you may read this case but not change it")
    return got


def _status(name: str) -> str:
    if name not in STATUSES:
        raise BadQuery(f'there is no status "{name}"', field="status", allowed=list(STATUSES))
    return name


@blueprint.get("/cases/<record_id>/status")
def ask_status(record_id: str) -> Any:
    """The dialog of a move: what closing needs, or just the question."""
    return _dialog(_movable(record_id), _status(request.args.get("status", CLOSED)))


@blueprint.post("/cases/<record_id>/status")
def set_status(record_id: str) -> Any:
    """Move a case: `update_case` with the status. A move to Closed first asks what it needs."""
    got, status, version = _movable(record_id), _status(request.form.get("status", "")), posted_version()
    record, names = got["record"], list(_ASKED) if status == CLOSED else []
    if names and "rendered" not in request.form:
        return _dialog(got, status, version=version)
    before = posted_rendered(names) or {name: record.get(name) for name in names}
    typed = typed_form(CaseChanges, names, before)
    values: dict[str, Any] = {}
    try:
        values = {"status": status} | typed.changed()
        if status != record["status"] or len(values) > 1 or version != record["row_version"]:
            run("crm.update_case", {"id": record_id, "row_version": version, "values": values})
    except Invalid as error:
        return _dialog(got, status, typed, error, version)
    except Conflict as error:
        kept = Typed(CaseChanges, {**typed.values, "status": status}, typed.prefilled)
        return conflict_page(_PAGES, record_id, error, kept, list(values))
    return go(back_or(f"{_PAGES.url}/{record_id}"), "status")
