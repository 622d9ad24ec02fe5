"""The blueprint that every module of the pages adds its routes to, and what they have in common."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import flask
from flask import g, request
from werkzeug.wrappers import Response

from ...kit.errors import BadQuery, Conflict, FieldError, Invalid, ServiceError
from ...kit.forms import form_token
from ...kit.money import format_money, parse_money
from ...kit.web import Form, Link, MenuItem, PageHeader
from ...kit.web.display import dated

_TOKEN = re.compile(r"[0-9a-f]{64}", re.ASCII)
blueprint = flask.Blueprint(
    "stays", __name__, template_folder="../templates", static_folder="../static", static_url_path="/static"
)


@blueprint.before_request
def _need_form_token() -> None:
    """Every form is sent with the token it was drawn with: without it, sending twice would write twice (X-6)."""
    if request.method == "POST" and not _TOKEN.fullmatch(request.form.get("form_token", "")):
        raise BadQuery(
            "nothing was saved, because the form came without its token; open its page again and send it from there",
            field="form_token",
        )


def token(form: str, record: str = "", version: int | None = None) -> str:
    """The token of a form: after a rejected POST the one that came with it."""
    posted = request.form.get("form_token", "") if request.method == "POST" else ""
    return posted or form_token(g.store, g.person_id, f"stays-{form}", record, version)


def page(template: str, status: int = 200, **values: Any) -> tuple[str, int]:
    """A page of Harbourstay."""
    return flask.render_template(template, **values), status


def form_page(
    form: Form,
    title: str,
    *,
    kicker: str = "",
    icon: str = "house-heart",
    crumbs: tuple[Link, ...] = (),
    status: int = 200,
    actions: tuple[MenuItem, ...] = (),
) -> tuple[str, int]:
    """A page that is one form."""
    header = PageHeader(title=title, kicker=kicker, icon=icon, actions=actions)
    return page("stays/form.html", status, title=title, header=header, form=form, crumbs=crumbs, crumb_here=title)


def status_of(error: ServiceError | None) -> int:
    """The status of a form drawn again: 422 for a rule, 409 where something changed meanwhile."""
    return 200 if error is None else 409 if error.status == 409 else 422


@blueprint.app_template_filter("dated")
def told(text: str) -> str:
    """What a service says, with its dates as people read them and instants in the reader's zone."""
    return dated(text, g.person["tz"])


def faults_of(error: ServiceError | None) -> tuple[FieldError, ...]:
    """What was wrong, by field, as pages say it."""
    if error is None:
        return ()
    if isinstance(error, Invalid):
        return tuple(replace(fault, said=told(fault.shown)) for fault in error.errors)
    return (FieldError(error.field, error.message, said=told(error.message)),)


def may_be_mended(error: ServiceError) -> bool:
    """Whether the form is drawn again with what was typed; other refusals are pages of their own."""
    return isinstance(error, Invalid | Conflict)


def field_errors(error: ServiceError | None, names: Mapping[str, str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Messages by control (`names`: field of the service -> control), and those that belong to none."""
    placed: dict[str, str] = {}
    loose: list[str] = []
    for fault in faults_of(error):
        name = (fault.field or "").removeprefix("values.").split(".")[0]
        if name in names:
            placed.setdefault(names[name], fault.shown)
        else:
            loose.append(fault.shown)
    return placed, tuple(loose)


def to(href: str, **told: str) -> Response:
    """After a POST: the page to go to, which says once what happened (`done`)."""
    query = urlencode({name: value for name, value in told.items() if value})
    return flask.redirect(f"{href}{'&' if '?' in href else '?'}{query}" if query else href, 303)


def href(path: str, values: Mapping[str, Any], **changes: Any) -> str:
    """An address with a query of what is not empty; lists are repeated."""
    merged = {name: value for name, value in {**values, **changes}.items() if value not in (None, "", [], ())}
    return f"{path}?{urlencode(merged, doseq=True)}" if merged else path


def shown_money(value: Mapping[str, str] | None) -> str:
    """`{"amount": "1234.5", "currency": "EUR"}` -> `1,234.50 EUR`."""
    if value is None:
        return "–"
    return format_money(parse_money(value["amount"], value["currency"]), value["currency"])


def round_money(value: Mapping[str, str] | None) -> str:
    """As `shown_money`, without decimals that are zero: for pins and calendars."""
    told = shown_money(value)
    return re.sub(r"\.0+ ", " ", told)
