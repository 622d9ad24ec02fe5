"""Reviews of stays: of the place by its guest, of the guest by the host (STAY-9)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import request
from werkzeug.wrappers import Response

from ...kit.errors import ServiceError
from ...kit.session import read, run
from ...kit.web import FieldSection, Form, FormField, Link, Option
from .routing import blueprint, field_errors, form_page, may_be_mended, status_of, to, token

_STARS = tuple(Option(str(n), f"{n} of 5") for n in (5, 4, 3, 2, 1))
_CATEGORIES = (
    ("cleanliness", "Cleanliness"),
    ("accuracy", "Accuracy"),
    ("checkin", "Check-in"),
    ("communication", "Communication"),
    ("location", "Location"),
    ("value", "Value"),
)


@blueprint.get("/trips/<code>/review")
def review_form(code: str) -> tuple[str, int]:
    """Rate the stay, or the guest (STAY-9)."""
    return _review_page(code, {}, None)


@blueprint.post("/trips/<code>/review")
def review(code: str) -> Response | tuple[str, int]:
    """Submit the review; it cannot be changed."""
    arguments: dict[str, Any] = {"code": code}
    for name in ("overall", *(name for name, _ in _CATEGORIES)):
        if request.form.get(name, "").isdigit():
            arguments[name] = int(request.form[name])
    for name in ("body", "private_note"):
        if request.form.get(name, "").strip():
            arguments[name] = request.form[name].replace("\r\n", "\n").strip()
    try:
        run("stays.review", arguments)
    except ServiceError as error:
        if not may_be_mended(error):
            raise
        return _review_page(code, request.form, error)
    return to(f"/stays/trips/{code}", done="reviewed")


def _review_page(code: str, typed: Mapping[str, str], error: ServiceError | None) -> tuple[str, int]:
    found = read("stays.reservation", {"code": code})
    rated = (("overall", "Overall"), *(_CATEGORIES if found["role"] == "guest" else ()))
    names = [*(name for name, _ in rated), "body", "private_note"]
    errors, loose = field_errors(error, {name: name for name in names})
    stars = tuple(
        FormField(
            name=name,
            label=label,
            kind="select",
            required=name == "overall",
            value=typed.get(name, ""),
            options=(Option("", "Choose…"), *_STARS),
            error=errors.get(name, ""),
        )
        for name, label in rated
    )
    words = (
        FormField(
            name="body",
            label="Review",
            kind="textarea",
            required=True,
            value=typed.get("body", ""),
            error=errors.get("body", ""),
            help="Everybody can read it once it is published.",
            max_length=4000,
        ),
        FormField(
            name="private_note",
            label="Private note",
            kind="textarea",
            value=typed.get("private_note", ""),
            error=errors.get("private_note", ""),
            help="For the other side only.",
            max_length=1000,
        ),
    )
    form = Form(
        action=f"/stays/trips/{code}/review",
        sections=(FieldSection("Ratings", stars), FieldSection("In words", words, columns=1)),
        submit_label="Submit review",
        cancel_href=f"/stays/trips/{code}",
        token=token("review", code),
        errors=loose,
        id="review",
        title=f"Review {found['listing']['title']}"
        if found["role"] == "guest"
        else f"Review {found['guest']['first_name']}",
        intro="A review is published when both sides have written, or 14 days after checkout. It cannot be changed.",
    )
    return form_page(
        form,
        form.title,
        kicker=f"Reservation {code}",
        icon="star",
        crumbs=(Link("Trips", "/stays/trips"), Link(code, f"/stays/trips/{code}")),
        status=status_of(error),
    )
