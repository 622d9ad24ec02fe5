"""Texts that a host often writes: the list, a form for each, and the way into a message (STAY-12)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import request
from werkzeug.wrappers import Response

from ...kit.errors import NotFound, ServiceError
from ...kit.session import read, run
from ...kit.web import FieldSection, Form, FormField, Link
from .hosting import HOST, host_page, need_host
from .routing import blueprint, field_errors, form_page, may_be_mended, status_of, to, token

QUICK = f"{HOST}/quick-replies"
_PLAIN = {"title": "title", "body": "body"}


@blueprint.get("/host/quick-replies")
def quick_replies() -> tuple[str, int]:
    """The texts that the host keeps, by title."""
    need_host()
    return host_page(
        "stays/quick_replies.html", "quick-replies", rows=read("stays.quick_replies")["rows"], token=token("quick")
    )


def _one(reply_id: str) -> Mapping[str, Any]:
    need_host()
    for row in read("stays.quick_replies")["rows"]:
        if row["id"] == reply_id:
            found: Mapping[str, Any] = row
            return found
    raise NotFound(f"you have no quick reply {reply_id}")


@blueprint.get("/host/quick-replies/new")
def new_reply() -> tuple[str, int]:
    """A new text."""
    need_host()
    return _page("", {"title": "", "body": ""}, {}, None)


@blueprint.post("/host/quick-replies/new")
def create_reply() -> Response | tuple[str, int]:
    """Keep the text."""
    need_host()
    try:
        run("stays.quick_reply", {"action": "create", **_typed()})
    except ServiceError as error:
        if not may_be_mended(error):
            raise
        return _page("", {"title": "", "body": ""}, request.form, error)
    return to(QUICK, done="quick")


@blueprint.get("/host/quick-replies/<reply_id>")
def edit_reply(reply_id: str) -> tuple[str, int]:
    """Change one."""
    return _page(reply_id, _one(reply_id), {}, None)


@blueprint.post("/host/quick-replies/<reply_id>")
def save_reply(reply_id: str) -> Response | tuple[str, int]:
    """Save what was touched."""
    held = _one(reply_id)
    changed = {name: text for name, text in _typed().items() if text != held[name]}
    try:
        if changed:
            run("stays.quick_reply", {"action": "update", "id": reply_id, **changed})
    except ServiceError as error:
        if not may_be_mended(error):
            raise
        return _page(reply_id, held, request.form, error)
    return to(QUICK, done="quick")


@blueprint.post("/host/quick-replies/<reply_id>/delete")
def delete_reply(reply_id: str) -> Response:
    """Delete one."""
    run("stays.quick_reply", {"action": "delete", "id": reply_id})
    return to(QUICK, done="quick-deleted")


def _typed() -> dict[str, str]:
    return {name: request.form.get(name, "").replace("\r\n", "\n").strip() for name in _PLAIN}


def _page(
    reply_id: str, held: Mapping[str, Any], typed: Mapping[str, str], error: ServiceError | None
) -> tuple[str, int]:
    errors, loose = field_errors(error, _PLAIN)
    fields = (
        FormField(
            name="title",
            label="Title",
            required=True,
            value=typed.get("title", held["title"]),
            error=errors.get("title", ""),
            max_length=60,
            help="You pick the text by it.",
        ),
        FormField(
            name="body",
            label="Text",
            kind="textarea",
            required=True,
            value=typed.get("body", held["body"]),
            error=errors.get("body", ""),
            rows=6,
            max_length=2000,
        ),
    )
    form = Form(
        action=f"{QUICK}/{reply_id or 'new'}",
        sections=(FieldSection("", fields, columns=1, is_fixed=True),),
        submit_label="Save quick reply" if reply_id else "Create quick reply",
        cancel_href=QUICK,
        token=token("quick-reply", reply_id),
        errors=loose,
        id="quick",
        title=f"Edit {held['title']}" if reply_id else "New quick reply",
    )
    trail = (Link("Quick replies", QUICK),)
    return form_page(form, form.title, kicker="Hosting", icon="chat-dots", crumbs=trail, status=status_of(error))
