"""Moving a case: its path, the dialog that closing asks for, and the buttons of its page (CRM-8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import request

from ...kit.errors import BadQuery, Conflict, Invalid
from ...kit.forms import Typed
from ...kit.session import run
from ...kit.web import MenuItem, Stage, StagePath
from ..rules_cases import CLOSED, ESCALATED, STATUSES
from ..service.cases import CaseChanges
from .case_lists import accept_items
from .drawing import posted_rendered, typed_form
from .going import back_or, conflict_page, go
from .moving import MARK, Move, movable, move_dialog, path_of
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
    return path_of(_PAGES, got, "status", drawn, label="Status", locked=not got["access"]["edit"], submit_label=MARK)


def _dialog(
    got: Mapping[str, Any],
    status: str,
    typed: Typed | None = None,
    error: Invalid | None = None,
    version: int | None = None,
) -> Any:
    record, names = got["record"], list(_ASKED) if status == CLOSED else []
    move = Move(
        _PAGES,
        CaseChanges,
        "status",
        status,
        title="Close case" if names else f"Move to {status}",
        intro=f"Case {record['number']}, {got['name']}, moves from {record['status']} to {status}.",
        names=names,
        before={name: record.get(name) for name in names},
        required=_ASKED,
        kicker=f"Case {record['number']}",
    )
    return move_dialog(move, got, typed, error, version)


def _status(name: str) -> str:
    if name not in STATUSES:
        raise BadQuery(f'there is no status "{name}"', field="status", allowed=list(STATUSES))
    return name


@blueprint.get("/cases/<record_id>/status")
def ask_status(record_id: str) -> Any:
    """The dialog of a move: what closing needs, or just the question."""
    return _dialog(movable(_PAGES, record_id), _status(request.args.get("status", CLOSED)))


@blueprint.post("/cases/<record_id>/status")
def set_status(record_id: str) -> Any:
    """Move a case: `update_case` with the status. A move to Closed first asks what it needs."""
    got, status, version = movable(_PAGES, record_id), _status(request.form.get("status", "")), posted_version()
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
