"""Moving a record along its path: the chevrons, and the dialog of what a move asks for."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from flask import request

from ...kit.errors import Forbidden, Invalid
from ...kit.forms import Typed
from ...kit.operations import Input
from ...kit.session import read
from ...kit.web import FieldSection, Form, Link, PageHeader, Stage, StagePath
from ..service.kinds import KINDS
from .drawing import face, named_options, rendered, token
from .going import back_or, back_pair, page
from .spec import Pages

MARK = "Mark as current status"


def path_of(
    pages: Pages, got: Mapping[str, Any], field: str, stages: Sequence[Stage], *, label: str, locked: bool, **more: Any
) -> StagePath:
    """The chevrons of a record; a move is posted to the page of the field."""
    version = got["record"]["row_version"]
    return StagePath(
        label=label,
        action=f"{pages.url}/{got['id']}/{field}",
        field=field,
        stages=tuple(stages),
        hidden=(("form_token", token(field, got["id"], version)), ("row_version", str(version))),
        locked=locked,
        **more,
    )


def movable(pages: Pages, record_id: str) -> dict[str, Any]:
    """A record that the person may change. Raises NotFound, Forbidden."""
    got: dict[str, Any] = read("crm.get", {"id": record_id})
    if not got["access"]["edit"]:
        raise Forbidden(f"you may read this {pages.noun} but not change it")
    return got


@dataclass(frozen=True)
class Move:
    """A move of a record to the value `to` of its path's `field`.

    `names`: the fields it asks for, `required` those that must be given; `before`: what they show at first; `given`:
    other values that the fields are read with.
    """

    pages: Pages
    model: type[Input]
    field: str
    to: str
    title: str
    intro: str
    names: Sequence[str]
    before: Mapping[str, Any]
    required: Collection[str] = ()
    kicker: str = ""
    given: Mapping[str, Any] | None = None


def move_dialog(
    move: Move,
    got: Mapping[str, Any],
    typed: Typed | None = None,
    error: Invalid | None = None,
    version: int | None = None,
) -> Any:
    """The dialog of a move: what it asks for, or just the question."""
    pages, kind = move.pages, KINDS[move.pages.kind]
    before = typed.prefilled if typed else move.before
    drawn = face(
        pages,
        move.model,
        list(move.names),
        {**before, **(move.given or {})},
        named_options(pages, got["record"]),
        typed=request.form if error else None,
        faults=error.errors if error else (),
    )
    version = version or got["record"]["row_version"]
    here = f"{pages.url}/{got['id']}"
    fields = tuple(replace(drawn[name], required=drawn[name].required or name in move.required) for name in move.names)
    form = Form(
        id=move.field,
        title=move.title,
        action=f"{here}/{move.field}",
        submit_label="Save",
        cancel_href=back_or(here),
        sections=(FieldSection("", fields, columns=1),) if fields else (),
        intro=move.intro,
        token=token(move.field, got["id"], version),
        row_version=version,
        hidden=((move.field, move.to), rendered(list(move.names), before), *back_pair()),
        errors=drawn.errors,
    )
    return page(
        "kit/form_page.html",
        422 if error else 200,
        title=f"{move.title} · {kind.label}",
        header=PageHeader(title=move.title, kicker=move.kicker or kind.label, icon=pages.icon),
        form=form,
        crumbs=[Link(kind.plural, pages.url), Link(got["name"], here)],
        toasts=(),
    )
