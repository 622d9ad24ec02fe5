"""Where a page leads after a command, and the 409 page (X-7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import flask
from flask import g, request
from werkzeug.wrappers import Response

from ...kit.errors import Conflict
from ...kit.forms import Typed
from ...kit.session import read
from ...kit.web import Change
from ...kit.web import Conflict as ConflictPage
from ...kit.web.display import instant
from . import note_links
from .drawing import rendered, token
from .reading import fields_of, inside, text_of
from .shell import MESSAGE, announce, toasts
from .specs import Pages


def page(template: str, status: int = 200, **values: Any) -> tuple[str, int]:
    """A rendered page with the message of what led to it."""
    values.setdefault("toasts", toasts())
    return flask.render_template(template, **values), status


def go(path: str, done: str = "", **more: str | int) -> Response:
    """Redirect after a POST, with the message to show there."""
    parts = urlsplit(path)
    pairs = [(name, value) for name, value in parse_qsl(parts.query) if name not in MESSAGE]
    if not done:
        return flask.redirect(f"{parts.path}?{urlencode(pairs)}" if pairs else parts.path, 303)
    told = {"done": done} | {name: str(value) for name, value in more.items()}
    response = flask.redirect(f"{parts.path}?{urlencode([*pairs, *told.items()])}", 303)
    announce(response, told)
    return response


def back_or(path: str) -> str:
    """The page that the form came from, if it says, else `path`."""
    return inside(request.form.get("back", "") or request.args.get("back", "")) or path


def back_pair() -> tuple[tuple[str, str], ...]:
    """The hidden field that carries the way back through a form."""
    back = back_or("")
    return (("back", back),) if back else ()


def _written(pages: Pages, name: str, values: Mapping[str, Any], current: Mapping[str, Any]) -> str:
    """A value as text; of a lookup the name typed, or the one the record has."""
    if values.get(name) is None:
        return ""
    if fields_of(pages.kind)[name]["type"] == "ref":
        if values[name] == current.get(name):
            return text_of(pages.kind, name, current)
        return str(read("crm.get", {"id": values[name], "fields": ["id"]})["name"])
    return text_of(pages.kind, name, {"currency": current.get("currency"), name: values[name]})


def _posted_again(name: str) -> list[tuple[str, str]]:
    names = (name, f"{name}__label", f"{name}__text")
    return [(key, request.form[key]) for key in names if key in request.form]


def conflict_page(pages: Pages, record_id: str, error: Conflict, typed: Typed, changed: Sequence[str]) -> Any:
    """What others changed meanwhile, beside the values that were typed; these can be sent again."""
    return page("kit/conflict.html", 409, conflict=beside(pages, record_id, error.details, typed, changed), toasts=())


def beside(
    pages: Pages, record_id: str, details: Mapping[str, Any], typed: Typed, changed: Sequence[str], **texts: str
) -> ConflictPage:
    """The values that were typed beside those of the record; `details` say who changed which fields meanwhile."""
    got = read("crm.get", {"id": record_id, "related": ["records"] if pages.kind == "note" else []})
    record = got["record"]
    known = fields_of(pages.kind)
    others = list(details.get("fields", ()))
    who = str(details.get("changed_by_name", ""))
    when = instant(details["changed_at"], g.person["tz"]) if "changed_at" in details else ""
    changes = []
    for name in [*changed, *(name for name in others if name not in changed)]:
        if name not in known:
            continue
        theirs = name in others
        changes.append(
            Change(
                label=known[name]["label"],
                was=_written(pages, name, typed.prefilled, record),
                theirs=text_of(pages.kind, name, record),
                yours=_written(pages, name, typed.values, record) if name in changed else "not changed",
                who=who if theirs else "",
                when=when if theirs else "",
            )
        )
    fields = [pair for name in changed for pair in _posted_again(name)]
    if "record_ids" in changed:
        theirs = "record_ids" in others
        changes.append(note_links.change(got, who if theirs else "", when if theirs else ""))
        fields += note_links.posted_again()
    version = record["row_version"]
    return ConflictPage(
        record=got["name"],
        record_href=f"{pages.url}/{record_id}",
        changes=tuple(changes),
        retry_post=f"{pages.url}/{record_id}/edit",
        retry_fields=(
            ("form_token", token("edit", record_id, version)),
            ("row_version", str(version)),
            rendered(changed, record),
            *back_pair(),
            *fields,
        ),
        edit_href=f"{pages.url}/{record_id}/edit",
        **texts,
    )
