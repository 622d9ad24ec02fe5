"""The desk's pages: apps and what waits there, the instruction, the answer form, the submission.

An app's `routes` may say how its tile looks: `ICON`, `TAGLINE`, and `desk_tile(store, person_id)`, links to what waits.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import flask
from flask import g, request
from werkzeug.wrappers import Response

from ..kit.errors import FieldError, Invalid
from ..kit.session import filler, today
from ..kit.web import FieldSection, Form, FormField, Link, Option, PageHeader
from . import answers, service
from .entrance import DESK, icon_of, served_apps

blueprint = flask.Blueprint("desk", __name__, template_folder="templates", static_folder="static")

SUBMIT = f"{DESK}/submit"
_OUTCOMES = (Option("done", "Done"), Option("infeasible", "Cannot be done"))


@dataclass(frozen=True)
class Tile:
    """One app on the desk."""

    name: str
    href: str
    icon: str
    tagline: str
    waiting: tuple[Link, ...]


def _tiles() -> tuple[Tile, ...]:
    tiles = []
    for app in served_apps():
        routes = app.module("routes")
        waiting: Sequence[Link] = routes.desk_tile(g.store, g.person_id) if hasattr(routes, "desk_tile") else ()
        tagline = str(getattr(routes, "TAGLINE", ""))
        tiles.append(Tile(app.title, f"/{app.name}/", icon_of(app), tagline, tuple(waiting)))
    return tuple(tiles)


def _schema() -> Mapping[str, Any] | None:
    schema: Mapping[str, Any] | None = g.public.answer_schema
    return schema


def _reason_codes() -> tuple[Option, ...]:
    """Codes that the answer schema lists: `x-reason-codes`, a list, or an object of code -> meaning."""
    codes = (_schema() or {}).get("x-reason-codes", ())
    if isinstance(codes, Mapping):
        return tuple(Option(str(code), str(code), str(meaning)) for code, meaning in codes.items())
    return tuple(Option(str(code), str(code)) for code in codes)


def _outcome_fields(typed: Mapping[str, str], faults: Mapping[str, str]) -> FieldSection:
    codes = _reason_codes()
    status = FormField(
        name="status", label="Outcome", kind="radio", required=True, options=_OUTCOMES,
        value=typed.get("status", "done"), error=faults.get("status", ""),
    )  # fmt: skip
    reason = FormField(
        name="reason_code", label="Reason code", kind="select" if codes else "text",
        options=(Option("", "None"), *codes) if codes else (), max_length=None if codes else 60,
        value=typed.get("reason_code", ""), error=faults.get("reason_code", ""),
        help="Only where the work cannot be done: a code that the instruction lists.",
    )  # fmt: skip
    return FieldSection("Result", (status, reason))


def _answer_form(typed: Mapping[str, str], faults: Sequence[FieldError]) -> tuple[Form, tuple[answers.Group, ...]]:
    placed = {fault.field: fault.message for fault in reversed(faults) if fault.field}
    schema = _schema()
    groups = answers.answer_groups(schema, typed, placed) if schema is not None else ()
    groups = (*groups, answers.Group(_outcome_fields(typed, placed)))
    shown = {item.name for group in groups for item in group.section.fields}
    loose = tuple(fault.message for fault in faults if fault.field not in shown)
    sections = tuple(group.section for group in groups)
    form = Form(
        action=SUBMIT,
        sections=sections,
        submit_label="Submit",
        cancel_href=DESK,
        errors=loose,
        title="Hand in the work",
    )
    return form, groups


def _desk_page(typed: Mapping[str, str], faults: Sequence[FieldError] = ()) -> str:
    form, groups = _answer_form(typed, faults)
    header = PageHeader(title=g.store.meta("company"), kicker="Desk", icon="house")
    return flask.render_template(
        "desk/desk.html",
        header=header,
        now=g.store.now,
        today=today(),
        person=g.person,
        instruction=g.public.instruction,
        tiles=_tiles(),
        form=form,
        groups=groups,
        rows={group.rows_name: answers.row_count(group.rows_name, typed) for group in groups if group.rows_name},
        submitted=_handed_in(),
    )


def _handed_in() -> dict[str, Any] | None:
    row = service.submitted(g.store)
    if row is None:
        return None
    answer = None if row["answer"] is None else json.loads(row["answer"])
    return row | {"lines": _answer_lines(_in_schema_order(answer))}


def _in_schema_order(answer: Any) -> Any:
    """An answer with its fields in the order of the form; it is stored by name."""
    order = list((_schema() or {}).get("properties", ()))
    if not isinstance(answer, dict):
        return answer
    return {name: answer[name] for name in (*order, *answer) if name in answer}


def _answer_lines(answer: Any, label: str = "Answer") -> list[tuple[str, str]]:
    """An answer as label and text, for reading."""
    if answer is None:
        return []
    if isinstance(answer, dict):
        prefix = "" if label == "Answer" else f"{label}, "
        pairs = [_answer_lines(value, f"{prefix}{answers.label_of(str(key))}") for key, value in answer.items()]
        return [pair for lines in pairs for pair in lines]
    if isinstance(answer, list) and any(isinstance(item, dict | list) for item in answer):
        rows = [_answer_lines(item, f"{label} {position}") for position, item in enumerate(answer, 1)]
        return [pair for lines in rows for pair in lines]
    if isinstance(answer, list):
        return [(label, "\n".join(_plain(item) for item in answer) or "none")]
    return [(label, _plain(answer))]


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "Yes" if value else "No"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@blueprint.get("")
def desk() -> str:
    """The desk."""
    return _desk_page({})


def _submission(typed: Mapping[str, str]) -> dict[str, Any]:
    """What the posted form hands in, as `submit_answer` would take it. Raises Invalid."""
    status = typed.get("status", "")
    schema, given = _schema(), {"status": status}
    faults: list[FieldError] = []
    if status not in ("done", "infeasible"):
        faults.append(FieldError("status", "choose an outcome"))
    reason = typed.get("reason_code", "").strip()
    if status == "infeasible" and not reason:
        faults.append(FieldError("reason_code", "say why it cannot be done"))
    if reason:
        given["reason_code"] = reason
    if schema is not None:
        answer, wrong = answers.read_answer(schema, typed, filler(), required=status == "done")
        faults.extend(wrong)
        if answer is not None:
            given["answer"] = answer
    if faults:
        raise Invalid(faults)
    service.answer_text(given.get("answer"))
    return given


def _with_more_rows(typed: dict[str, str], name: str) -> dict[str, str]:
    return typed | {f"{name}.rows": str(answers.row_count(name, typed) + answers.MORE_ROWS)}


@blueprint.post("/submit")
def submit() -> Response | str | tuple[str, int]:
    """Show what will be handed in and ask; with `confirm`, hand it in. `rows` adds rows, `back` returns to the form."""
    typed = {name: value for name, value in request.form.items() if name not in ("confirm", "back", "rows")}
    if "rows" in request.form:
        return _desk_page(_with_more_rows(typed, request.form["rows"]))
    if "back" in request.form:
        return _desk_page(typed)
    try:
        given = _submission(typed)
        if "confirm" in request.form:
            service.submit(g.store, g.person_id, "ui", given)
            return flask.redirect(DESK, 303)
    except Invalid as error:
        return _desk_page(typed, error.errors), 422
    return flask.render_template(
        "desk/confirm.html",
        action=SUBMIT,
        given=given,
        outcome=next(option.label for option in _OUTCOMES if option.value == given["status"]),
        lines=_answer_lines(given.get("answer")),
        typed=tuple(typed.items()),
    )
