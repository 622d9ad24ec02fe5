"""Requests and inquiries (STAY-7): accepted, declined, withdrawn; pre-approved, or answered with a special offer."""

from __future__ import annotations

from typing import Any

from ...kit.call import Context, check_version
from ...kit.dates import add_seconds
from ...kit.errors import FieldError, Invalid
from ...kit.money import format_money, parse_money
from ...kit.operations import command
from ...kit.roles import Row
from ..roles.parts import ANSWER_SECONDS
from ..rules_prices import HOST_ITEMS, Night, Party
from ..rules_stays import nights_between, shifted
from .access import Booking, booking, guests_of, need
from .calendars import occupied, today_at, unavailable
from .cancelling import touch
from .checks import Wish, refuse, stay_faults
from .command_inputs import DecideInput
from .people import DatesTaken, PolicyRefusal, money
from .pricing import Pricing
from .stay_rows import hold_nights, lines_of, method_of, nightly_of, pay, schedule_payout, void_hold
from .talk import say

_OFFERED = ("checkin", "checkout", "adults", "children", "infants", "pets")
_TAKES = {"special_offer": ("total", *_OFFERED)}


@command("stays")
def decide(ctx: Context, values: DecideInput) -> dict[str, Any]:
    """Answer a request or an inquiry.

    accept (host, request): confirms and captures; requests for nights that are gone then are declined. decline (host).
    withdraw (guest). preapprove and special_offer (host, inquiry): it may be booked for 24 hours, at the ordinary price
    or for a fixed total. withdraw_offer (host).
    """
    found = booking(ctx, values.id, "id")
    if values.row_version is not None:
        check_version(found.row, values.row_version)
    given = values.model_dump(exclude_unset=True, exclude={"id", "action", "message", "row_version"})
    extra = [name for name in given if name not in _TAKES.get(values.action, ())]
    if extra:
        raise Invalid([FieldError(name, f"{values.action} takes no {name}") for name in extra])
    need(found, "guest" if values.action == "withdraw" else "host", values.action.replace("_", " "))
    result = _ACTIONS[values.action](ctx, found, values)
    if values.message:
        say(ctx, found.row["listing_id"], found.row["guest_id"], ctx.person_id, values.message)
    return {"id": found.id, "code": found.code} | result


def _need_status(found: Booking, *wanted: str) -> None:
    if found.row["status"] not in wanted:
        raise PolicyRefusal(f"{found.code} is {found.row['status']}; it must be {' or '.join(wanted)}", field="id")


def _accept(ctx: Context, found: Booking, _values: DecideInput | None = None) -> dict[str, Any]:
    _need_status(found, "pending")
    row, listing = found.row, found.listing
    if row["expires_at"] <= ctx.now:
        raise PolicyRefusal("this request has expired", field="id")
    if row["checkin"] < today_at(ctx, listing):
        raise PolicyRefusal(f"check-in was on {row['checkin']}; it is too late to accept", field="id")
    taken = gone_nights(ctx, listing, row)
    if taken:
        raise DatesTaken([FieldError("id", f"these nights are not free any more: {', '.join(taken)}")])
    prices = nightly_of(ctx, row)
    nights = nights_between(row["checkin"], row["checkout"])
    hold_nights(ctx, listing, row["id"], [Night(*pair, "") for pair in zip(nights, prices, strict=True)])
    pay(ctx, row, method_of(ctx, row["id"]), "capture", row["total"])
    ctx.update("stays_reservation", row["id"], {"status": "confirmed", "confirmed_at": ctx.now} | touch(ctx, row))
    subtotal = sum(line.amount for line in lines_of(ctx, row["id"]) if line.kind in HOST_ITEMS)
    schedule_payout(ctx, row, listing, subtotal)
    return {"status": "confirmed", "declined": _decline_rivals(ctx, found)}


def gone_nights(ctx: Context, listing: Row, row: Row) -> list[str]:
    """Nights of a stay that somebody else has, or that the host has closed."""
    taken = occupied(ctx, listing, row["checkin"], row["checkout"], row["id"])
    today = today_at(ctx, listing)
    return [
        night
        for night in nights_between(row["checkin"], row["checkout"])
        if unavailable(listing, taken, night, today) in ("blocked", "reserved")
    ]


def _decline_rivals(ctx: Context, found: Booking) -> list[str]:
    """Decline every other request for nights that are gone now (STAY-1). Returns their codes."""
    row, prep = found.row, found.listing["prep_days"]
    rivals = ctx.store.all(
        "SELECT * FROM stays_reservation WHERE listing_id = ? AND status = 'pending' AND id <> ? AND checkin < ? "
        "AND checkout > ? ORDER BY requested_at, id",
        (row["listing_id"], row["id"], shifted(row["checkout"], prep), shifted(row["checkin"], -prep)),
    )
    declined = []
    for rival in rivals:
        if gone_nights(ctx, found.listing, rival):
            end_request(ctx, rival, "declined", "other request accepted")
            declined.append(str(rival["code"]))
    return declined


def end_request(ctx: Context, row: Row, status: str, reason: str) -> None:
    """End a request or inquiry without a stay: the hold is voided, credit comes back."""
    void_hold(ctx, row, reason)
    for use in ctx.store.all(
        "SELECT credit_id FROM stays_credit_use WHERE reservation_id = ? ORDER BY credit_id", (row["id"],)
    ):
        ctx.delete("stays_credit_use", (use["credit_id"], row["id"]))
    _end_offer(ctx, row["id"], "withdrawn")
    ctx.update("stays_reservation", row["id"], {"status": status} | touch(ctx, row))


def _decline(ctx: Context, found: Booking, _values: DecideInput) -> dict[str, Any]:
    _need_status(found, "pending", "inquiry")
    end_request(ctx, found.row, "declined", "declined")
    return {"status": "declined"}


def _withdraw(ctx: Context, found: Booking, _values: DecideInput) -> dict[str, Any]:
    _need_status(found, "pending", "inquiry")
    end_request(ctx, found.row, "withdrawn", "withdrawn")
    return {"status": "withdrawn"}


def _end_offer(ctx: Context, reservation_id: str, status: str) -> bool:
    found = ctx.store.one(
        "SELECT id FROM stays_offer WHERE reservation_id = ? AND status = 'open' ORDER BY id", (reservation_id,)
    )
    if found is not None:
        ctx.update("stays_offer", found["id"], {"status": status})
    return found is not None


def _withdraw_offer(ctx: Context, found: Booking, _values: DecideInput) -> dict[str, Any]:
    if not _end_offer(ctx, found.id, "withdrawn"):
        raise PolicyRefusal(f"{found.code} has no open offer", field="id")
    return {"status": found.row["status"]}


def _offer(ctx: Context, found: Booking, values: DecideInput) -> dict[str, Any]:
    _need_status(found, "inquiry")
    row, listing = found.row, found.listing
    stay = {name: row[name] for name in _OFFERED}
    stay |= {name: getattr(values, name) for name in _OFFERED if getattr(values, name) is not None}
    wish = Wish(stay["checkin"], stay["checkout"], Party(**guests_of(stay)))
    refuse(stay_faults(ctx, listing, wish))
    total = _total(values, listing)
    if total is not None:
        _check_total(ctx, listing, wish, total)
    _end_offer(ctx, row["id"], "superseded")
    offer = stay | {
        "id": ctx.new_id("stays_offer"),
        "reservation_id": row["id"],
        "kind": "special_offer" if total is not None else "preapproval",
        "currency": listing["currency"],
        "total": total,
        "status": "open",
        "created_at": ctx.now,
        "expires_at": add_seconds(ctx.now, ANSWER_SECONDS),
    }
    ctx.insert("stays_offer", offer)
    shown = None if total is None else money(total, listing["currency"])
    return {"status": "inquiry", "offer": offer["id"], "total": shown, "expires_at": offer["expires_at"]}


def _total(values: DecideInput, listing: Row) -> int | None:
    if values.action == "preapprove":
        return None
    if values.total is None:
        raise Invalid(f"special_offer needs total, in {listing['currency']}", field="total")
    try:
        total = parse_money(values.total, listing["currency"])
    except ValueError as error:
        raise Invalid(str(error), field="total") from None
    if total <= 0:
        raise Invalid("total must be above 0", field="total")
    return total


def _check_total(ctx: Context, listing: Row, wish: Wish, total: int) -> None:
    """An offer leaves the host nothing below zero: taxes per night are due whatever the price. Raises Invalid."""
    code = str(listing["currency"])
    pricing = Pricing(ctx, [listing], wish.checkin, wish.checkout, code)
    offered = pricing.quote(listing, wish.party, today_at(ctx, listing), offer_total=total)
    if offered.subtotal < 0:
        raise Invalid(f"total must cover the taxes, {format_money(total - offered.subtotal, code)}", field="total")


_ACTIONS = {
    "accept": _accept,
    "decline": _decline,
    "withdraw": _withdraw,
    "preapprove": _offer,
    "special_offer": _offer,
    "withdraw_offer": _withdraw_offer,
}
