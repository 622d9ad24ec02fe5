"""A guest's trips: the list, one trip, its receipt, cancelling, changing and withdrawing (STAY-4, STAY-6, STAY-7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import g, request
from werkzeug.wrappers import Response

from ...kit.dates import local_date
from ...kit.errors import ServiceError
from ...kit.session import read, run
from ..pictures import picture_url
from ..rules_stays import days_between
from .addresses import chosen, page_number, pager
from .asked_faces import asked_shown, ways_of
from .cards import photos_of
from .faces import counted, span
from .prices import price_of
from .routing import blueprint, field_errors, href, may_be_mended, page, shown_money, status_of, to, token
from .shell import toasts
from .wishes import read_stay

STATUS = {
    "inquiry": ("Inquiry", "info"),
    "pending": ("Waiting for the host", "warning"),
    "confirmed": ("Confirmed", "success"),
    "declined": ("Declined", "neutral"),
    "expired": ("Expired", "neutral"),
    "withdrawn": ("Withdrawn", "neutral"),
    "cancelled_guest": ("Cancelled by guest", "danger"),
    "cancelled_host": ("Cancelled by host", "danger"),
    "completed": ("Completed", "neutral"),
}
_SIZE = 50
TABS = (
    ("upcoming", "Upcoming"),
    ("pending", "Requests"),
    ("inquiry", "Inquiries"),
    ("past", "Past"),
    ("cancelled", "Cancelled and declined"),
)


def guest_words(guests: Mapping[str, int]) -> str:
    """`2 guests, 1 infant`."""
    return read_stay({name: str(value) for name, value in guests.items()}).guests().words


def trip_card(row: Mapping[str, Any], base: str = "/stays/trips") -> dict[str, Any]:
    """A reservation as a card."""
    label, tone = STATUS[row["status"]]
    today = local_date(g.store.now, row["listing"]["tz"])
    ahead = days_between(today, row["checkin"])
    countdown = ""
    if row["status"] == "confirmed":
        countdown = "Today" if ahead == 0 else f"In {counted(ahead, 'day')}" if ahead > 0 else "Under way"
    return {
        "code": row["code"],
        "href": f"{base}/{row['code']}",
        "title": row["listing"]["title"],
        "place": row["listing"]["place"],
        "dates": span(row["checkin"], row["checkout"]),
        "guests": guest_words(row["guests"]),
        "guest": row["guest"]["name"],
        "host": row["host"]["name"],
        "status": label,
        "tone": tone,
        "total": shown_money(row["total"]),
        "countdown": countdown,
        "photo": picture_url("front", sum(map(ord, row["listing"]["id"]))),
    }


@blueprint.get("/trips")
def trips() -> tuple[str, int]:
    """Own trips by what is to come of them."""
    key, number = chosen("status", dict(TABS), "upcoming"), page_number()
    part = {"limit": _SIZE, "offset": (number - 1) * _SIZE}
    found = read("stays.reservations", {"scope": "guest", "status": key, **part})
    cards = []
    for row in found["rows"]:
        photos = read("stays.listing", {"id": row["listing"]["id"]})["photos"]
        cards.append(trip_card(row) | {"photo": photos_of(photos, row["listing"]["title"])[0].url})
    pages = pager("/stays/trips", {"status": key}, number, _SIZE, found["total"])
    return page(
        "stays/trips.html", trips=cards, tabs=TABS, current=key, total=found["total"], pager=pages, toasts=toasts()
    )


def payments_shown(found: Mapping[str, Any]) -> list[tuple[str, str, str, str]]:
    """Movements of money: what, card, when, amount."""
    words = {"authorise": "Held on card", "capture": "Charged", "refund": "Refunded", "void": "Hold released"}
    return [
        (
            words[one["kind"]],
            f"{one['brand']} ending {one['last4']}",
            one["at"],
            shown_money({"amount": one["amount"], "currency": one["currency"]}),
        )
        for one in found["payments"]
    ]


def changes_shown(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Changes asked for, newest first, with what the reader may do about them."""
    shown = []
    for one in found["alterations"]:
        mine = one["requested_by"] in (found["role"], found[found["role"]]["id"])
        shown.append(
            {
                "id": one["id"],
                "status": one["status"],
                "who": "You" if mine else found["host" if found["role"] == "guest" else "guest"]["first_name"],
                "mine": mine,
                "dates": span(one["checkin"], one["checkout"]),
                "guests": guest_words(one["guests"]),
                "total": shown_money(one["new_total"]),
                "delta": shown_money(one["delta"]),
                "raw_delta": one["delta"]["amount"],
                "note": one["note"],
                "expires_at": one["expires_at"],
            }
        )
    return shown


def offers_shown(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Open offers of the host, with the address where the guest books them."""
    shown = []
    for one in found["offers"]:
        if one["status"] == "open":
            stay = {"checkin": one["checkin"], "checkout": one["checkout"], **one["guests"]}
            shown.append(
                {
                    "title": "Special offer" if one["total"] else "Pre-approved",
                    "dates": span(one["checkin"], one["checkout"]),
                    "guests": guest_words(one["guests"]),
                    "total": shown_money(one["total"]) if one["total"] else "",
                    "expires_at": one["expires_at"],
                    "href": href(
                        f"/stays/book/{found['listing']['id']}", {name: value for name, value in stay.items() if value}
                    ),
                }
            )
    return shown


@blueprint.get("/trips/<code>")
def trip(code: str) -> tuple[str, int]:
    """One reservation, for its guest or its host."""
    found = read("stays.reservation", {"code": code})
    listing = read("stays.listing", {"id": found["listing"]["id"]})
    return page(
        "stays/trip.html",
        trip=found,
        card=trip_card(found),
        listing=listing,
        photo=photos_of(listing["photos"], listing["title"])[0],
        price=price_of({**found, "nights": []}),
        payments=payments_shown(found),
        changes=changes_shown(found),
        offers=offers_shown(found),
        ways=ways_of(found),
        asked=[asked_shown(row) for row in read("stays.resolutions", {"code": code})["rows"]],
        token=token("trip", code, found["row_version"]),
        is_host=found["role"] == "host",
        toasts=toasts(),
    )


@blueprint.get("/trips/<code>/receipt")
def receipt(code: str) -> tuple[str, int]:
    """What was charged and refunded, line by line."""
    found = read("stays.reservation", {"code": code})
    return page(
        "stays/receipt.html",
        trip=found,
        card=trip_card(found),
        price=price_of({**found, "nights": []}),
        payments=payments_shown(found),
    )


@blueprint.get("/trips/<code>/cancel")
def cancel_form(code: str) -> tuple[str, int]:
    """The exact refund, and the button."""
    return _cancel_page(code, {}, None)


@blueprint.post("/trips/<code>/cancel")
def cancel(code: str) -> Response | tuple[str, int]:
    """Cancel, with the refund that was shown echoed."""
    arguments = {"code": code}
    if "confirm_refund" in request.form:
        arguments["confirm_refund"] = request.form["confirm_refund"]
    if request.form.get("reason", "").strip():
        arguments["reason"] = request.form["reason"].strip()
    try:
        run("stays.cancel", arguments)
    except ServiceError as error:
        if not may_be_mended(error) or read("stays.reservation", {"code": code})["status"] != "confirmed":
            raise
        return _cancel_page(code, request.form, error)
    return to(f"/stays/trips/{code}", done="cancelled")


def _cancel_page(code: str, typed: Mapping[str, str], error: ServiceError | None) -> tuple[str, int]:
    found = read("stays.reservation", {"code": code})
    preview = read("stays.cancel_preview", {"code": code})
    errors, loose = field_errors(error, {"reason": "reason", "confirm_refund": "confirm_refund"})
    return page(
        "stays/cancel.html",
        status_of(error),
        trip=found,
        card=trip_card(found),
        preview=preview,
        photo=photos_of(read("stays.listing", {"id": found["listing"]["id"]})["photos"], found["listing"]["title"])[0],
        parts=[(part["label"], shown_money(part["amount"])) for part in preview["parts"]],
        kept=[(line["label"], shown_money(line["amount"])) for line in preview["kept_lines"]],
        refund=shown_money(preview["refund"]),
        paid=shown_money(preview["paid"]),
        kept_total=shown_money(preview["kept"]),
        penalty=shown_money(preview["penalty"]) if preview.get("penalty") else "",
        is_host=preview["role"] == "host",
        reason=typed.get("reason", ""),
        errors=errors,
        problems=[*errors.values(), *loose],
        token=token("cancel", code, found["row_version"]),
    )


@blueprint.post("/trips/<code>/withdraw")
def withdraw(code: str) -> Response:
    """Take a request or inquiry back."""
    run("stays.decide", {"id": code, "action": "withdraw"})
    return to(f"/stays/trips/{code}", done="withdrawn")


@blueprint.get("/trips/<code>/change")
def change_form(code: str) -> tuple[str, int]:
    """Other dates or guests; with them in the address, what they would cost."""
    return _change_page(code, request.args, None)


@blueprint.post("/trips/<code>/change")
def change(code: str) -> Response | tuple[str, int]:
    """Propose the change, with the difference that was shown echoed; or answer one."""
    form = request.form
    action = form.get("action", "propose")
    arguments: dict[str, Any] = {"code": code, "action": action}
    if action == "propose":
        version = form.get("row_version", "")
        arguments["row_version"] = int(version) if version.isascii() and version.isdigit() else 0
        arguments |= differing(read("stays.reservation", {"code": code}), read_stay(form).values)
        if form.get("note", "").strip():
            arguments["note"] = form["note"].strip()
    elif form.get("id"):
        arguments["id"] = form["id"]
    if form.get("confirm_delta"):
        arguments["confirm_delta"] = form["confirm_delta"]
    try:
        run("stays.alter", arguments)
    except ServiceError as error:
        if action != "propose" or not may_be_mended(error):
            raise
        return _change_page(code, form, error)
    told = {
        "propose": "proposed",
        "accept": "change-accepted",
        "decline": "change-declined",
        "withdraw": "change-withdrawn",
    }
    return to(f"/stays/trips/{code}", done=told.get(action, ""))


def differing(found: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """What is asked for that differs from the reservation."""
    held = {"checkin": found["checkin"], "checkout": found["checkout"], **found["guests"]}
    return {name: value for name, value in values.items() if value != held[name]}


def _change_page(code: str, source: Mapping[str, str], error: ServiceError | None) -> tuple[str, int]:
    found = read("stays.reservation", {"code": code})
    asked = read_stay(source)
    errors: dict[str, str] = dict(asked.errors)
    loose: tuple[str, ...] = ()
    preview = None
    wanted = differing(found, asked.values)
    if not errors and wanted:
        try:
            preview = read("stays.alter_preview", {"code": code, **wanted})
        except ServiceError as refused:
            if not may_be_mended(refused):
                raise
            errors, loose = field_errors(refused, {name: name for name in asked.typed})
    more, further = field_errors(error, {name: name for name in (*asked.typed, "note")})
    held = {
        "checkin": found["checkin"],
        "checkout": found["checkout"],
        **{name: str(value) for name, value in found["guests"].items()},
    }
    for name in asked.typed:
        asked.typed[name] = asked.typed[name] or str(held[name])
    problems = [*errors.items(), *more.items(), *(("", text) for text in (*loose, *further))]
    return page(
        "stays/change.html",
        status_of(error) if error else 422 if problems else 200,
        trip=found,
        card=trip_card(found),
        asked=asked,
        guests=asked.guests(),
        errors={**errors, **more},
        problems=problems,
        preview=preview,
        wanted=wanted,
        delta=shown_money(preview["delta"]) if preview else "",
        price=price_of(preview) if preview and preview.get("lines") else None,
        new_total=shown_money(preview["new_total"]) if preview and preview.get("new_total") else "",
        note=source.get("note", ""),
        token=token("change", code, found["row_version"]),
    )


__all__ = ["STATUS", "guest_words", "href", "trip_card"]
