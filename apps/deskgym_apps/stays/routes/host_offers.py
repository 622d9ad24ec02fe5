"""Special offers: a fixed total for what a guest asked about, or for other dates and guests (STAY-7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import request
from werkzeug.wrappers import Response

from ...kit.errors import FieldError, Invalid, ServiceError
from ...kit.session import read, run
from ...kit.web import FormField
from .hosting import reservation_form
from .routing import blueprint, field_errors, may_be_mended, to
from .trips import differing
from .wishes import read_stay

_STAY = (
    ("checkin", "Check-in", "date"),
    ("checkout", "Check-out", "date"),
    ("adults", "Adults", "number"),
    ("children", "Children", "number"),
    ("infants", "Infants", "number"),
    ("pets", "Pets", "number"),
)
_NAMES = {name: name for name in ("message", "total", *(name for name, _, _ in _STAY))}


@blueprint.get("/host/reservations/<code>/offer")
def offer_form(code: str) -> tuple[str, int]:
    """A fixed total for what the guest asked about, whose dates and guests stand in the form."""
    return _page(code, {}, None)


@blueprint.post("/host/reservations/<code>/offer")
def offer(code: str) -> Response | tuple[str, int]:
    """Send a special offer; dates and guests are sent where they differ from what was asked."""
    found = read("stays.reservation", {"code": code})
    asked = read_stay(request.form)
    arguments: dict[str, Any] = {"id": code, "action": "special_offer", "total": request.form.get("total", "").strip()}
    arguments |= differing(found, asked.values)
    if request.form.get("message", "").strip():
        arguments["message"] = request.form["message"].replace("\r\n", "\n").strip()
    try:
        if asked.errors:
            raise Invalid([FieldError(name, text) for name, text in asked.errors.items()])
        run("stays.decide", arguments)
    except ServiceError as error:
        if not may_be_mended(error):
            raise
        return _page(code, request.form, error)
    return to(f"/stays/trips/{code}", done="offered")


def _page(code: str, typed: Mapping[str, str], error: ServiceError | None) -> tuple[str, int]:
    found = read("stays.reservation", {"code": code})
    errors, loose = field_errors(error, _NAMES)
    held = {"checkin": found["checkin"], "checkout": found["checkout"], **found["guests"]}

    def box(name: str, label: str, kind: Any, **more: Any) -> FormField:
        value = typed.get(name, str(held.get(name, "")))
        return FormField(name=name, label=label, kind=kind, value=value, error=errors.get(name, ""), **more)

    unit = read("stays.listing", {"id": found["listing"]["id"]})["currency"]
    fields = (
        box("total", "Total", "money", required=True, unit=unit, help="All fees and taxes in it."),
        *(box(name, label, kind, required=name in ("checkin", "checkout", "adults")) for name, label, kind in _STAY),
        box("message", "Message to the guest", "textarea"),
    )
    title = f"Special offer to {found['guest']['first_name']}"
    return reservation_form(code, "offer", title, fields, "Send special offer", found, loose, error)
