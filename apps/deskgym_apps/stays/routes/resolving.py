"""The resolution centre: money asked for or given back around a stay, and problems (row 24)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import g, request
from werkzeug.wrappers import Response

from ...kit.errors import FieldError, Forbidden, Invalid, NotFound, ServiceError
from ...kit.session import read, run
from ...kit.web import FieldSection, Form, FormField, Link, Option
from .asked_faces import REASONS, RESOLUTIONS, STATES, asked_shown, ways_of
from .routing import blueprint, field_errors, form_page, href, may_be_mended, page, shown_money, status_of, to, token
from .shell import toasts
from .trips import trip_card

_TABS = (("", "All"), ("open", "Open"), ("accepted", "Accepted"), ("declined", "Declined"), ("withdrawn", "Withdrawn"))
_PLAIN = {name: name for name in ("amount", "reason", "body")}


@blueprint.get("/resolutions")
def resolutions() -> tuple[str, int]:
    """Requests about own stays, as guest and as host."""
    key = request.args.get("status", "")
    key = key if key in STATES else ""
    rows = read("stays.resolutions", {"status": key} if key else {})["rows"]
    tabs = [{"label": label, "href": href(RESOLUTIONS, {"status": one}), "on": one == key} for one, label in _TABS]
    return page(
        "stays/resolutions.html",
        asked=[asked_shown(row) for row in rows],
        tabs=tabs,
        is_filtered=bool(key),
        token=token("resolutions"),
        zone=g.person["tz"],
        toasts=toasts(),
    )


@blueprint.get("/trips/<code>/resolution")
def stay_resolutions(code: str) -> tuple[str, int]:
    """What was asked about one stay, and what can be."""
    found = read("stays.reservation", {"code": code})
    asked = read("stays.resolutions", {"code": code})
    return page(
        "stays/stay_resolutions.html",
        trip=found,
        card=trip_card(found),
        asked=[asked_shown(row) for row in asked["rows"]],
        ways=ways_of(found),
        token=token("resolutions"),
        zone=g.person["tz"],
        toasts=toasts(),
    )


@blueprint.get("/trips/<code>/resolution/<any(refund, payment, problem):action>")
def ask_form(code: str, action: str) -> tuple[str, int]:
    """Ask for a refund or a payment, give money back, or report a problem."""
    return _ask_page(code, action, {}, None)


@blueprint.post("/trips/<code>/resolution/<any(refund, payment, problem):action>")
def ask(code: str, action: str) -> Response | tuple[str, int]:
    """Send the request; a host's refund is paid at once."""
    arguments: dict[str, Any] = {"action": action, "code": code}
    for name in ("amount", "reason", "body"):
        text = request.form.get(name, "").replace("\r\n", "\n").strip()
        if text and not (name == "amount" and action == "problem"):
            arguments[name] = text
    try:
        _check_told(arguments)
        done = run("stays.resolution", arguments)
    except ServiceError as error:
        if not may_be_mended(error):
            raise
        return _ask_page(code, action, request.form, error)
    return to(f"/stays/trips/{code}/resolution", done="refunded" if done["status"] == "accepted" else "raised")


def _check_told(arguments: Mapping[str, Any]) -> None:
    """Say what is missing beside its control before the service is asked."""
    wanted = {"amount": "say how much", "reason": "choose a reason", "body": "say what happened"}
    if arguments["action"] == "problem":
        del wanted["amount"]
    faults = [FieldError(name, text) for name, text in wanted.items() if name not in arguments]
    if faults:
        raise Invalid(faults)


def _ask_page(code: str, action: str, typed: Mapping[str, str], error: ServiceError | None) -> tuple[str, int]:
    found = read("stays.reservation", {"code": code})
    is_host = found["role"] == "host"
    if action == "payment" and not is_host:
        raise Forbidden("only the host asks for a payment; guests ask for a refund")
    card = trip_card(found)
    title, submit, intro = _words(found, action)
    errors, loose = field_errors(error, _PLAIN)
    form = Form(
        action=f"/stays/trips/{code}/resolution/{action}",
        sections=(FieldSection("", _fields(found, action, typed, errors), columns=1, is_fixed=True),),
        submit_label=submit,
        cancel_href=f"/stays/trips/{code}/resolution",
        token=token(f"resolution-{action}", code),
        errors=loose,
        id="ask",
        title=title,
        intro=f"{card['title']}, {card['dates']}. {intro}",
    )
    trail = (Link("Trips", "/stays/trips"), Link(code, f"/stays/trips/{code}"))
    return form_page(form, title, kicker=f"Reservation {code}", icon="shield", crumbs=trail, status=status_of(error))


def _words(found: Mapping[str, Any], action: str) -> tuple[str, str, str]:
    """Title, button and sentence of a form."""
    guest, host = found["guest"]["first_name"], found["host"]["first_name"]
    if action == "problem":
        other = guest if found["role"] == "host" else host
        return "Report a problem", "Report problem", f"{other} reads it here; no money moves."
    if action == "payment":
        return f"Ask {guest} for a payment", "Ask for payment", f"{guest} is charged only on accepting."
    if found["role"] == "guest":
        return f"Ask {host} for a refund", "Ask for refund", f"{host} accepts or declines."
    most = shown_money(read("stays.resolutions", {"code": found["code"]})["returnable"])
    said = f"It is paid at once to the card of the stay and comes off your payout. At most {most}."
    return f"Give money back to {guest}", "Give money back", said


def _fields(
    found: Mapping[str, Any], action: str, typed: Mapping[str, str], errors: Mapping[str, str]
) -> tuple[FormField, ...]:
    def box(name: str, label: str, kind: Any, **more: Any) -> FormField:
        return FormField(
            name=name,
            label=label,
            kind=kind,
            required=True,
            value=typed.get(name, ""),
            error=errors.get(name, ""),
            **more,
        )

    reasons = (Option("", "Choose…"), *(Option(key, label) for key, label in REASONS.items()))
    words = (
        box("reason", "Reason", "select", options=reasons),
        box("body", "What happened", "textarea", rows=5, max_length=2000),
    )
    if action == "problem":
        return words
    return (box("amount", "Amount", "money", unit=found["total"]["currency"]), *words)


@blueprint.get("/resolutions/<request_id>/accept")
def accept_form(request_id: str) -> tuple[str, int]:
    """The amount once more, and the button that moves it."""
    return _accept_page(_one(request_id), None)


@blueprint.post("/resolutions/<request_id>/accept")
def accept(request_id: str) -> Response | tuple[str, int]:
    """Accept, with the amount that was shown echoed."""
    one = _one(request_id)
    amount = request.form.get("amount", "").strip()
    try:
        run("stays.resolution", {"action": "accept", "id": request_id, "amount": amount})
    except ServiceError as error:
        if not may_be_mended(error) or "accept" not in one["can"]:
            raise
        return _accept_page(one, error)
    return to(f"/stays/trips/{one['code']}/resolution", done="settled")


@blueprint.post("/resolutions/<request_id>/<any(decline, withdraw):action>")
def close(request_id: str, action: str) -> Response:
    """Decline the other side's request, or take the own one back."""
    done = run("stays.resolution", {"action": action, "id": request_id})
    told = {"decline": "request-declined", "withdraw": "request-withdrawn"}[action]
    return to(f"/stays/trips/{done['code']}/resolution", done=told)


def _one(request_id: str) -> dict[str, Any]:
    for row in read("stays.resolutions")["rows"]:
        if row["id"] == request_id:
            return asked_shown(row)
    raise NotFound(f"there is no request {request_id}")


def _accept_page(one: Mapping[str, Any], error: ServiceError | None) -> tuple[str, int]:
    if error is None and "accept" not in one["can"]:
        raise Forbidden("this request is not waiting for your yes")
    errors, loose = field_errors(error, {})
    amount = shown_money(one["amount"])
    card = "the card of the stay"
    moved = f"{amount} go back to {card}" if one["kind"] == "refund" else f"{amount} are charged to {card}"
    form = Form(
        action=f"{one['href']}/accept",
        sections=(),
        submit_label=f"{'Refund' if one['kind'] == 'refund' else 'Pay'} {amount}",
        cancel_href=f"/stays/trips/{one['code']}/resolution",
        token=token("resolution-accept", one["id"]),
        hidden=(("amount", one["amount_text"]),),
        errors=(*errors.values(), *loose),
        id="accept",
        title=f"Accept {one['what'][:1].lower()}{one['what'][1:]}?",
        intro=f"{one['listing']}, {one['code']}. On accepting, {moved}. It cannot be called back.",
    )
    trail = (Link("Resolution centre", RESOLUTIONS),)
    return form_page(
        form, form.title, kicker=f"Reservation {one['code']}", icon="shield", crumbs=trail, status=status_of(error)
    )
