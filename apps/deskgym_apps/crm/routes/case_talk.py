"""The thread of a case: mails and comments in full, and the forms that add to it (CRM-8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import g, request

from ...kit.errors import Forbidden, Invalid
from ...kit.forms import show_form
from ...kit.operations import Input
from ...kit.session import filler, read, run
from ...kit.web import FieldSection, Form, Link, PageHeader
from ...kit.web.display import instant
from ..service.case_threads import CaseCommentInput, CaseReplyInput
from .drawing import token, typed_form
from .going import back_or, back_pair, go, page
from .routing import blueprint
from .specs import PAGES

_PAGES = PAGES["case"]
_MOST = 25


@dataclass(frozen=True)
class Message:
    """One mail or comment as the page shows it; `tone` colours its badge."""

    heading: str
    who: str
    when: str
    body: str
    badge: str
    tone: str
    icon: str


@dataclass(frozen=True)
class Thread:
    """The newest messages first; `more` counts older ones, which stand in the related lists."""

    messages: tuple[Message, ...]
    more: int


def thread(got: Mapping[str, Any]) -> Thread:
    """Mails and comments of a case, the newest first."""
    found = [(row["sent_at"], _mail(row)) for row in _mails(got["id"])]
    found += [(row["created_at"], _comment(row)) for row in got["related"]["comments"]["rows"]]
    found.sort(key=lambda item: item[0], reverse=True)
    return Thread(tuple(message for _, message in found[:_MOST]), max(0, len(found) - _MOST))


def _mails(case_id: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = read(
        "crm.query",
        {
            "object": "email",
            "filter": [{"field": "what_id", "op": "equals", "value": case_id}],
            "fields": ["subject", "direction", "from_addr", "to_addrs", "sent_at", "body"],
            "limit": 100,
        },
    )["rows"]
    return rows


def _mail(row: Mapping[str, Any]) -> Message:
    is_ours = row["direction"] == "out"
    return Message(
        heading=row["subject"],
        who=f"{row['from_addr']} to {row['to_addrs']}",
        when=instant(row["sent_at"], g.person["tz"]),
        body=row["body"],
        badge="E-mail sent" if is_ours else "E-mail received",
        tone="info" if is_ours else "neutral",
        icon="reply" if is_ours else "envelope",
    )


def _comment(row: Mapping[str, Any]) -> Message:
    return Message(
        heading="Public comment" if row["is_public"] else "Internal comment",
        who=str(row.get("created_by.name") or ""),
        when=instant(row["created_at"], g.person["tz"]),
        body=row["body"],
        badge="Customer sees it" if row["is_public"] else "Colleagues only",
        tone="success" if row["is_public"] else "warning",
        icon="chat-left-text",
    )


@dataclass(frozen=True)
class _Talk:
    """One form of the thread."""

    title: str
    model: type[Input]
    names: tuple[str, ...]
    operation: str
    submit: str
    done: str


_TALKS = {
    "comment": _Talk(
        "Add comment", CaseCommentInput, ("body", "is_public"), "crm.create_case_comment", "Save", "commented"
    ),
    "reply": _Talk("Send reply", CaseReplyInput, ("body",), "crm.send_case_reply", "Send", "replied"),
}


def _open(record_id: str) -> dict[str, Any]:
    got: dict[str, Any] = read("crm.get", {"id": record_id})
    if not got["access"]["edit"]:
        raise Forbidden("you may read this case but not write to it")
    return got


def _form_page(got: Mapping[str, Any], word: str, error: Invalid | None = None) -> Any:
    talk, number = _TALKS[word], got["record"]["number"]
    drawn = show_form(
        talk.model,
        filler(),
        values={},
        typed=request.form if error else None,
        faults=error.errors if error else (),
        only=list(talk.names),
    )
    intro = f"The answer goes by e-mail to the customer of case {number} and cannot be taken back."
    if word == "comment":
        intro = f"A comment on case {number} cannot be changed or withdrawn. Public ones are shown to the customer."
    form = Form(
        id=word,
        title=talk.title,
        action=f"{_PAGES.url}/{got['id']}/{word}",
        submit_label=talk.submit,
        cancel_href=back_or(f"{_PAGES.url}/{got['id']}"),
        sections=(FieldSection("", tuple(drawn[name] for name in talk.names), columns=1),),
        intro=intro,
        token=request.form.get("form_token", "") or token(word, got["id"]),
        hidden=back_pair(),
        errors=drawn.errors,
    )
    return page(
        "kit/form_page.html",
        422 if error else 200,
        title=f"{talk.title} · Case {number}",
        header=PageHeader(title=talk.title, kicker=f"Case {number}: {got['name']}", icon=_PAGES.icon),
        form=form,
        crumbs=[Link("Cases", _PAGES.url), Link(got["name"], f"{_PAGES.url}/{got['id']}")],
        crumb_here=talk.title,
        toasts=(),
    )


@blueprint.get("/cases/<record_id>/<any(comment, reply):word>")
def ask_talk(record_id: str, word: str) -> Any:
    """The form of a comment or of a reply."""
    return _form_page(_open(record_id), word)


@blueprint.post("/cases/<record_id>/<any(comment, reply):word>")
def talk(record_id: str, word: str) -> Any:
    """Add a comment (`create_case_comment`) or answer by e-mail (`send_case_reply`)."""
    got, wanted = _open(record_id), _TALKS[word]
    typed = typed_form(wanted.model, wanted.names, {"is_public": False})
    try:
        run(wanted.operation, {"case_id": record_id, **_given(typed.values)})
    except Invalid as error:
        return _form_page(got, word, error)
    return go(back_or(f"{_PAGES.url}/{record_id}"), wanted.done)


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    """What was filled in: neither an empty text nor the box that is off anyway."""
    return {name: value for name, value in values.items() if value not in (None, "", False)}
