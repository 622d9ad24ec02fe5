"""Moving a deal: the path, and the dialogs that closing asks for (CRM-1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import request

from ...kit.errors import BadQuery, Conflict, Forbidden, Invalid
from ...kit.forms import Typed
from ...kit.session import run
from ...kit.web import FieldSection, Form, PageHeader, Stage, StagePath
from ..service.opportunities import OpportunityChanges
from .drawing import face, named_options, posted_rendered, rendered, token, typed_form
from .going import back_or, back_pair, conflict_page, go, page
from .moving import Move, movable, move_dialog, path_of
from .reading import described, posted_version, whoami
from .routing import blueprint
from .specs import PAGES

_PAGES = PAGES["opportunity"]


def stages() -> list[dict[str, Any]]:
    """The stages in order."""
    found: list[dict[str, Any]] = described("opportunity")["stages"]
    return found


def _stage(name: str) -> dict[str, Any]:
    for stage in stages():
        if stage["name"] == name:
            return stage
    raise BadQuery(f'there is no stage "{name}"', field="stage", allowed=[stage["name"] for stage in stages()])


def may_move(got: Mapping[str, Any]) -> bool:
    """Whether the person may move this deal from where it stands."""
    is_closed = _stage(got["record"]["stage"])["is_closed"]
    return bool(got["access"]["edit"]) and (not is_closed or whoami()["can_reopen"])


def stage_path(got: Mapping[str, Any]) -> StagePath:
    """The chevrons of a deal."""
    record = got["record"]
    url = f"{_PAGES.url}/{got['id']}/stage"
    order = [stage["name"] for stage in stages()]
    here = order.index(record["stage"])
    drawn = []
    for at, stage in enumerate(stages()):
        state: Any = "open"
        if at == here:
            state = ("won" if stage["is_won"] else "lost") if stage["is_closed"] else "current"
        elif at < here and not (stages()[here]["is_closed"] and (stage["is_closed"] or not stages()[here]["is_won"])):
            state = "done"
        asks = f"{url}?stage={stage['name'].replace(' ', '+')}" if stage["is_closed"] else ""
        drawn.append(Stage(value=stage["name"], label=stage["name"], state=state, dialog_href=asks))
    return path_of(_PAGES, got, "stage", drawn, label="Stage", locked=not may_move(got))


def _asked(stage: Mapping[str, Any]) -> list[str]:
    """What the dialog of a stage asks for."""
    if not stage["is_closed"]:
        return []
    return ["close_date"] if stage["is_won"] else ["lost_reason", "lost_detail", "close_date"]


def _prefilled(record: Mapping[str, Any], stage: Mapping[str, Any]) -> dict[str, Any]:
    """What the move would set by itself: a later close date becomes today."""
    if not stage["is_closed"]:
        return {}
    return {"close_date": min(record["close_date"], whoami()["today"]), "lost_reason": None, "lost_detail": None}


def _dialog(
    got: Mapping[str, Any],
    stage: Mapping[str, Any],
    typed: Typed | None = None,
    error: Invalid | None = None,
    version: int | None = None,
) -> Any:
    record, names, to = got["record"], _asked(stage), stage["name"]
    move = Move(
        _PAGES,
        OpportunityChanges,
        "stage",
        to,
        title=f"Close as {to.removeprefix('Closed ').lower()}" if names else f"Move to {to}",
        intro=f"{got['name']} moves from {record['stage']} to {to}.",
        names=names,
        before=_prefilled(record, stage),
        required=("lost_reason",),
        given={"currency": record["currency"]},
    )
    return move_dialog(move, got, typed, error, version)


@blueprint.get("/opportunities/<record_id>/stage")
def ask_stage(record_id: str) -> Any:
    """The dialog of a move: what closing needs, or just the question."""
    got = movable(_PAGES, record_id)
    if not may_move(got):
        raise Forbidden("your profile may not open a closed opportunity again")
    order = [stage["name"] for stage in stages()]
    following = order[min(order.index(got["record"]["stage"]) + 1, len(order) - 1)]
    return _dialog(got, _stage(request.args.get("stage", following)))


@blueprint.post("/opportunities/<record_id>/stage")
def set_stage(record_id: str) -> Any:
    """Move a deal: `update_opportunity` with the stage. A move into a closed stage first asks what it needs."""
    got = movable(_PAGES, record_id)
    stage, version = _stage(request.form.get("stage", "")), posted_version()
    names = _asked(stage)
    if names and "rendered" not in request.form:
        return _dialog(got, stage, version=version)
    before = posted_rendered(names) or _prefilled(got["record"], stage)
    typed = typed_form(OpportunityChanges, names, before)
    values: dict[str, Any] = {}
    try:
        values = {"stage": stage["name"]} | typed.changed()
        if stage["name"] != got["record"]["stage"] or len(values) > 1 or version != got["record"]["row_version"]:
            run("crm.update_opportunity", {"id": record_id, "row_version": version, "values": values})
    except Invalid as error:
        if names:
            return _dialog(got, stage, typed, error, version)
        return _refused(got, stage, error)
    except Conflict as error:
        kept = Typed(OpportunityChanges, {**typed.values, "stage": stage["name"]}, typed.prefilled)
        return conflict_page(_PAGES, record_id, error, kept, list(values))
    return go(back_or(f"{_PAGES.url}/{record_id}"), "moved")


def _refused(got: Mapping[str, Any], stage: Mapping[str, Any], error: Invalid) -> Any:
    """A move that lacks something, such as an amount: the form with the stage and that field."""
    names = ["stage", *dict.fromkeys(fault.field.removeprefix("values.") for fault in error.errors if fault.field)]
    names = [name for name in names if name in OpportunityChanges.model_fields]
    record = got["record"]
    drawn = face(
        _PAGES,
        OpportunityChanges,
        names,
        dict(record) | {"stage": stage["name"]},
        named_options(_PAGES, record),
        faults=error.errors,
    )
    title = f"Move to {stage['name']}"
    form = Form(
        id="edit-opportunity",
        title=title,
        action=f"{_PAGES.url}/{got['id']}/edit",
        submit_label="Save",
        cancel_href=f"{_PAGES.url}/{got['id']}",
        sections=(FieldSection("", tuple(drawn[name] for name in names), columns=1),),
        token=token("edit", got["id"], record["row_version"]),
        row_version=record["row_version"],
        hidden=(rendered(names, record), *back_pair()),
        errors=drawn.errors,
    )
    header = PageHeader(title=title, kicker="Opportunity", icon=_PAGES.icon)
    return page("kit/form_page.html", 422, title=f"{title} · Opportunity", header=header, form=form, toasts=())
