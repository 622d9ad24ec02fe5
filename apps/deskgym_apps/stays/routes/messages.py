"""Conversations: the list, one thread, writing; reading one is a POST of its own (X-11, STAY-12)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import g, request
from werkzeug.wrappers import Response

from ...kit.errors import ServiceError
from ...kit.session import read, run
from ...kit.web import FieldSection, Form, FormField, Link
from .addresses import chosen, page_number, pager
from .faces import span
from .routing import blueprint, field_errors, form_page, may_be_mended, page, status_of, to, token
from .shell import toasts
from .wishes import DATES, GUESTS, read_stay

MESSAGES = "/stays/messages"
_SIZE = 50


@blueprint.get("/messages")
def messages() -> tuple[str, int]:
    """Own conversations, the newest first."""
    number = page_number()
    wanted: dict[str, Any] = {"limit": _SIZE, "offset": (number - 1) * _SIZE}
    if chosen("unread", ("1",)):
        wanted["unread"] = True
    if request.args.get("text", "").strip():
        wanted["text"] = request.args["text"].strip()[:100]
    found = read("stays.threads", wanted)
    return page(
        "stays/messages.html",
        threads=found["rows"],
        total=found["total"],
        pager=pager(
            MESSAGES, {name: request.args.get(name) for name in ("text", "unread")}, number, _SIZE, found["total"]
        ),
        text=request.args.get("text", ""),
        unread="unread" in wanted,
        toasts=toasts(),
    )


@blueprint.get("/messages/<thread_id>")
def thread(thread_id: str) -> tuple[str, int]:
    """One conversation."""
    return _thread_page(thread_id, {}, None)


def _thread_page(thread_id: str, typed: Mapping[str, str], error: ServiceError | None) -> tuple[str, int]:
    found = read("stays.thread", {"id": thread_id})
    errors, loose = field_errors(error, {"body": "body"})
    quick = next((one["body"] for one in found["quick_replies"] if one["id"] == request.args.get("reply")), "")
    return page(
        "stays/thread.html",
        status_of(error),
        thread=found,
        tz=g.person["tz"],
        body=typed.get("body", quick),
        problem=errors.get("body", "") or " ".join(loose),
        unread=any(one["unread"] for one in found["messages"]),
        token=token("message", thread_id),
        read_token=token("read", thread_id),
        toasts=toasts(),
    )


@blueprint.post("/messages/<thread_id>")
def send(thread_id: str) -> Response | tuple[str, int]:
    """Write into a conversation."""
    try:
        run("stays.message", {"thread": thread_id, "body": _body()})
    except ServiceError as error:
        if not may_be_mended(error):
            raise
        return _thread_page(thread_id, request.form, error)
    return to(f"{MESSAGES}/{thread_id}", done="sent")


@blueprint.post("/messages/<thread_id>/read")
def mark_read(thread_id: str) -> Response:
    """Mark a conversation as read."""
    run("stays.read_thread", {"id": thread_id})
    return to(f"{MESSAGES}/{thread_id}", done="read")


def _body() -> str:
    return request.form.get("body", "").replace("\r\n", "\n").strip()


def _about(source: Mapping[str, str]) -> tuple[dict[str, str], str, str]:
    """Whom a first message goes to: arguments, name of the thing, where it came from."""
    if source.get("code"):
        found = read("stays.reservation", {"code": source["code"]})
        return (
            {"code": source["code"]},
            f"{found['listing']['title']}, {source['code']}",
            f"/stays/trips/{source['code']}",
        )
    found = read("stays.listing", {"id": source.get("listing", "")})
    return {"listing": found["id"]}, found["title"], f"/stays/listings/{found['id']}"


@blueprint.get("/messages/new")
def new_message() -> tuple[str, int]:
    """A first message about a listing or a reservation."""
    return _new_page(request.args, None)


@blueprint.post("/messages/new")
def send_new() -> Response | tuple[str, int]:
    """Send it; the conversation opens. With dates it is an inquiry about that stay (STAY-7)."""
    about, _, _ = _about(request.form)
    stay = read_stay(request.form).values
    try:
        if "checkin" in stay and "checkout" in stay:
            asked = run("stays.inquire", {**about, **stay, "body": _body()})
            return to(f"/stays/trips/{asked['code']}", done="asked")
        done = run("stays.message", {**about, "body": _body()})
    except ServiceError as error:
        if not may_be_mended(error):
            raise
        return _new_page(request.form, error)
    return to(f"{MESSAGES}/{done['thread']}", done="sent")


def _stay_words(source: Mapping[str, str]) -> str:
    """The stay that is asked about."""
    asked = read_stay(source)
    if asked.stay is None:
        return ""
    return f"You ask about {span(*asked.stay)}, {asked.guests().words}. It holds no nights and costs nothing."


def _new_page(source: Mapping[str, str], error: ServiceError | None) -> tuple[str, int]:
    about, name, back = _about(source)
    errors, loose = field_errors(error, {"body": "body"})
    body = FormField(
        name="body",
        label="Message",
        kind="textarea",
        required=True,
        value=source.get("body", ""),
        error=errors.get("body", ""),
        rows=6,
        max_length=4000,
    )
    form = Form(
        action=f"{MESSAGES}/new",
        sections=(FieldSection("", (body,), columns=1),),
        submit_label="Send message",
        cancel_href=back,
        token=token("new-message", next(iter(about.values()))),
        hidden=(*about.items(), *((name, source[name]) for name in (*DATES, *GUESTS) if source.get(name))),
        errors=loose,
        id="message",
        title=f"Message about {name}",
        intro=_stay_words(source),
    )
    return form_page(
        form,
        form.title,
        kicker="Messages",
        icon="chat-dots",
        crumbs=(Link("Messages", MESSAGES),),
        status=status_of(error),
    )
