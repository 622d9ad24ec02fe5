"""The host's side: today, reservations and their answers, reviews to answer, earnings (STAY-5, STAY-7, STAY-9)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import request
from werkzeug.wrappers import Response

from ...kit.dates import add_days
from ...kit.errors import Forbidden, ServiceError
from ...kit.session import read, run
from ...kit.web import Cell, Column, FieldSection, Form, FormField, Link, Page, Row, Table
from ...kit.web.display import long_date
from .addresses import chosen, chosen_month, page_number
from .faces import counted
from .routing import blueprint, field_errors, form_page, href, may_be_mended, page, shown_money, status_of, to, token
from .shell import toasts
from .trips import STATUS, trip_card

HOST = "/stays/host"
_PAYOUTS = 100
TABS = (
    ("today", "Today", f"{HOST}/"),
    ("reservations", "Reservations", f"{HOST}/reservations"),
    ("calendar", "Calendar", f"{HOST}/calendar"),
    ("listings", "Listings", f"{HOST}/listings"),
    ("reviews", "Reviews", f"{HOST}/reviews"),
    ("earnings", "Earnings", f"{HOST}/earnings"),
    ("quick-replies", "Quick replies", f"{HOST}/quick-replies"),
)
_TOLD = {"accept": "accepted", "preapprove": "preapproved", "withdraw_offer": "unoffered"}
_GROUPS = (
    ("pending", "Requests"),
    ("inquiry", "Inquiries"),
    ("upcoming", "Upcoming"),
    ("past", "Completed"),
    ("cancelled", "Cancelled and declined"),
)


def need_host() -> Mapping[str, Any]:
    """The acting person. Raises Forbidden for one who hosts nothing."""
    me: Mapping[str, Any] = read("stays.whoami")
    if not me["is_host"]:
        raise Forbidden("these pages are for hosts")
    return me


def host_page(template: str, key: str, status: int = 200, **values: Any) -> tuple[str, int]:
    """A page of the host's side, with its tabs."""
    return page(template, status, host_tabs=TABS, host_key=key, toasts=toasts(), **values)


@blueprint.get("/host/")
def today() -> tuple[str, int]:
    """What waits for the host, and who comes and goes."""
    me = need_host()
    pending = read("stays.reservations", {"scope": "host", "status": "pending", "limit": 50})
    inquiries = read("stays.reservations", {"scope": "host", "status": "inquiry", "limit": 50})
    ahead = read("stays.reservations", {"scope": "host", "status": "upcoming", "limit": 100})["rows"]
    soon = add_days(me["today"], 7)
    return host_page(
        "stays/host_today.html",
        "today",
        me=me,
        pending=[request_card(row) for row in pending["rows"]],
        inquiries=[request_card(row) for row in inquiries["rows"]],
        here=[trip_card(row) for row in ahead if row["checkin"] <= me["today"] < row["checkout"]],
        coming=[trip_card(row) for row in ahead if me["today"] < row["checkin"] <= soon],
        ahead=len(ahead),
        token=token("host"),
    )


def request_card(row: Mapping[str, Any]) -> dict[str, Any]:
    """A request or inquiry, with what its guest wrote first."""
    return trip_card(row) | {
        "expires_at": row["expires_at"],
        "tz": row["listing"]["tz"],
        "is_request": row["status"] == "pending",
        "version": row["row_version"],
    }


@blueprint.get("/host/reservations")
def host_reservations() -> tuple[str, int]:
    """Reservations of the own listings by status."""
    need_host()
    key, at = chosen("status", dict(_GROUPS), "pending"), page_number()
    found = read("stays.reservations", {"scope": "host", "status": key, "limit": 25, "offset": (at - 1) * 25})
    table = Table(
        id="reservations",
        caption=f"Reservations: {dict(_GROUPS)[key]}",
        columns=(
            Column("code", "Code"),
            Column("guest", "Guest", kind="person"),
            Column("listing", "Listing"),
            Column("dates", "Dates"),
            Column("guests", "Guests"),
            Column("status", "Status", kind="badge"),
            Column("total", "Total", kind="money"),
        ),
        rows=tuple(_row(row) for row in found["rows"]),
        url=f"{HOST}/reservations",
        query=(("status", key),),
        noun=("reservation", "reservations"),
        page=Page(at, 25, found["total"], (25,)),
        empty_title="Nothing here",
        empty_text="Requests and stays of your listings stand here.",
    )
    return host_page(
        "stays/host_table.html",
        "reservations",
        heading="Reservations",
        table=table,
        groups=_GROUPS,
        group=key,
        group_url=f"{HOST}/reservations",
    )


def _row(row: Mapping[str, Any]) -> Row:
    card = trip_card(row)
    return Row(
        id=row["id"],
        name=row["code"],
        cells={
            "code": Cell(text=row["code"], href=card["href"]),
            "guest": row["guest"]["name"],
            "listing": row["listing"]["title"],
            "dates": card["dates"],
            "guests": card["guests"],
            "status": Cell(text=STATUS[row["status"]][0], tone=STATUS[row["status"]][1]),
            "total": card["total"],
        },
    )


@blueprint.post("/host/reservations/<code>/<any(accept, preapprove, withdraw_offer):action>")
def decide(code: str, action: str) -> Response:
    """Accept a request, let the guest of an inquiry book for 24 hours, or take that back."""
    run("stays.decide", {"id": code, "action": action})
    return to(f"/stays/trips/{code}", done=_TOLD[action])


@blueprint.get("/host/reservations/<code>/decline")
def decline_form(code: str) -> tuple[str, int]:
    """Ask for words to the guest."""
    return _decline_page(code, {}, None)


@blueprint.post("/host/reservations/<code>/decline")
def decline(code: str) -> Response | tuple[str, int]:
    """Decline a request or inquiry."""
    message = request.form.get("message", "").replace("\r\n", "\n").strip()
    try:
        run("stays.decide", {"id": code, "action": "decline", **({"message": message} if message else {})})
    except ServiceError as error:
        if not may_be_mended(error):
            raise
        return _decline_page(code, request.form, error)
    return to(f"/stays/trips/{code}", done="declined")


def _decline_page(code: str, typed: Mapping[str, str], error: ServiceError | None) -> tuple[str, int]:
    found = read("stays.reservation", {"code": code})
    errors, loose = field_errors(error, {"message": "message"})
    words = FormField(
        name="message",
        label="Message to the guest",
        kind="textarea",
        value=typed.get("message", ""),
        error=errors.get("message", ""),
        help="You may leave it empty.",
    )
    return reservation_form(
        code,
        "decline",
        f"Decline {found['guest']['first_name']}'s request",
        (words,),
        "Decline",
        found,
        loose,
        error,
        danger=True,
    )


def reservation_form(
    code: str,
    what: str,
    title: str,
    fields: tuple[FormField, ...],
    submit: str,
    found: Mapping[str, Any],
    loose: tuple[str, ...],
    error: ServiceError | None,
    *,
    danger: bool = False,
) -> tuple[str, int]:
    """A form about a reservation, for its host."""
    card = trip_card(found)
    form = Form(
        action=f"{HOST}/reservations/{code}/{what}",
        sections=(FieldSection("", fields, columns=1),),
        submit_label=submit,
        cancel_href=f"/stays/trips/{code}",
        token=token(what, code, found["row_version"]),
        errors=loose,
        id=what,
        title=title,
        intro=f"{card['title']}, {card['dates']}, {card['guests']}.",
        danger=danger,
    )
    return form_page(
        form,
        title,
        kicker=f"Reservation {code}",
        crumbs=(Link("Reservations", f"{HOST}/reservations"), Link(code, f"/stays/trips/{code}")),
        status=status_of(error),
    )


@blueprint.get("/host/earnings")
def earnings() -> tuple[str, int]:
    """Payouts, sums by month, and the way to the year's report."""
    me = need_host()
    month, at = chosen_month(), page_number()
    wanted: dict[str, Any] = {"limit": _PAYOUTS, "offset": (at - 1) * _PAYOUTS}
    if month:
        wanted["month"] = month
    found = read("stays.payouts", wanted)
    table = Table(
        id="payouts",
        caption="Payouts",
        columns=(
            Column("code", "Reservation"),
            Column("listing", "Listing"),
            Column("guest", "Guest"),
            Column("due", "Due", kind="date"),
            Column("status", "Status", kind="badge"),
            Column("gross", "Gross", kind="money"),
            Column("fee", "Host fee", kind="money"),
            Column("net", "Net", kind="money"),
        ),
        rows=tuple(
            Row(
                id=row["id"],
                name=row["code"],
                cells={
                    "code": Cell(text=row["code"], href=f"/stays/trips/{row['code']}"),
                    "listing": row["listing"]["title"],
                    "guest": row["guest"],
                    "due": long_date(row["due_on"]),
                    "status": Cell(
                        text=row["status"].capitalize(), tone="success" if row["status"] == "paid" else "neutral"
                    ),
                    "gross": shown_money(row["gross"]),
                    "fee": shown_money(row["host_fee"]),
                    "net": shown_money(row["net"]),
                },
            )
            for row in found["rows"]
        ),
        url=f"{HOST}/earnings",
        query=(("month", month),) if month else (),
        noun=("payout", "payouts"),
        page=Page(at, _PAYOUTS, found["total"], (_PAYOUTS,)),
        empty_title="No payouts yet",
    )
    months = [
        {
            "month": one["month"],
            "count": counted(one["count"], "payout"),
            "href": href(f"{HOST}/earnings", {"month": one["month"]}),
            **{name: shown_money(one[name]) for name in ("gross", "host_fee", "net", "paid")},
        }
        for one in found["months"]
    ]
    return host_page(
        "stays/host_earnings.html", "earnings", table=table, months=months, month=month, year=me["today"][:4]
    )


@blueprint.get("/host/reviews")
def host_reviews() -> tuple[str, int]:
    """Reviews of guests about the own listings, to be answered once each."""
    need_host()
    listings = read("stays.host_listings")["rows"]
    chosen = request.args.get("listing", "") or (listings[0]["id"] if listings else "")
    rows = read("stays.reviews", {"listing": chosen, "limit": 100})["rows"] if chosen else []
    return host_page("stays/host_reviews.html", "reviews", listings=listings, chosen=chosen, reviews=rows)


@blueprint.get("/host/reviews/<review_id>/reply")
def reply_form(review_id: str) -> tuple[str, int]:
    """The one reply."""
    return _reply_page(review_id, {}, None)


@blueprint.post("/host/reviews/<review_id>/reply")
def reply(review_id: str) -> Response | tuple[str, int]:
    """Publish it; it cannot be changed."""
    try:
        run(
            "stays.reply_review",
            {"id": review_id, "reply": request.form.get("reply", "").replace("\r\n", "\n").strip()},
        )
    except ServiceError as error:
        if not may_be_mended(error):
            raise
        return _reply_page(review_id, request.form, error)
    return to(href(f"{HOST}/reviews", {"listing": request.form.get("listing", "")}), done="replied")


def _reply_page(review_id: str, typed: Mapping[str, str], error: ServiceError | None) -> tuple[str, int]:
    errors, loose = field_errors(error, {"reply": "reply"})
    listing = request.values.get("listing", "")
    words = FormField(
        name="reply",
        label="Reply",
        kind="textarea",
        required=True,
        value=typed.get("reply", ""),
        error=errors.get("reply", ""),
        help="Everybody can read it, and it cannot be changed.",
        max_length=2000,
    )
    form = Form(
        action=f"{HOST}/reviews/{review_id}/reply",
        sections=(FieldSection("", (words,), columns=1),),
        submit_label="Publish reply",
        cancel_href=href(f"{HOST}/reviews", {"listing": listing}),
        token=token("reply", review_id),
        hidden=(("listing", listing),) if listing else (),
        errors=loose,
        id="reply",
        title="Reply to the review",
    )
    return form_page(form, form.title, kicker="Reviews", icon="star", status=status_of(error))
