"""Booking a quoted stay (STAY-1, STAY-7, STAY-11), and asking a host about one."""

from __future__ import annotations

from typing import Any

from ...kit import ids
from ...kit.call import Context
from ...kit.dates import add_seconds
from ...kit.errors import Invalid
from ...kit.operations import command
from ...kit.roles import Row
from ..roles.parts import ANSWER_SECONDS, code_text
from ..rules_prices import Quote
from ..rules_stays import applying_policy
from .access import guests_of
from .calendars import visible_listing
from .cards import card_of, check_card
from .checks import Wish, party_of, refuse, stay_faults
from .command_inputs import BookInput, InquireInput
from .credit import use_credit
from .inputs import QuoteInput
from .people import PolicyRefusal, me, money, toucher
from .quote_ids import Quoted, QuoteExpired, opened
from .quotes import Priced, priced
from .stay_rows import hold_nights, pay, schedule_payout, write_lines
from .talk import say

CODE_COUNTER = "stays_reservation.code"


def _requoted(ctx: Context, quoted: Quoted, coupon: str | None) -> Priced:
    """The stay as it is now. Raises QuoteExpired where something that the guest agreed to has changed since."""
    values = QuoteInput(
        listing=quoted.listing,
        checkin=quoted.checkin,
        checkout=quoted.checkout,
        adults=quoted.adults,
        children=quoted.children,
        infants=quoted.infants,
        pets=quoted.pets,
        service_animals=quoted.service_animals,
        rate_plan="nonrefundable" if quoted.rate_plan == "nonrefundable" else "standard",
        currency=quoted.currency,
    )
    found = priced(ctx, values, coupon, use_credit=quoted.use_credit)
    if found.before.total != quoted.total:
        raise QuoteExpired("the price has changed since the quote; ask for a new one", field="quote_id")
    if found.credit != quoted.credit:
        raise QuoteExpired("your credit has changed since the quote; ask for a new one", field="quote_id")
    if found.policy != quoted.policy:
        raise QuoteExpired("the cancellation policy has changed since the quote; ask for a new one", field="quote_id")
    if found.is_instant != quoted.is_instant:
        now = "confirms at once" if found.is_instant else "asks the host first"
        raise QuoteExpired(f"booking this listing {now} now; ask for a new quote", field="quote_id")
    return found


def _check(ctx: Context, found: Priced) -> None:
    """Whether the stay can be booked by the acting person at all."""
    if found.listing["host_id"] == ctx.person_id:
        raise PolicyRefusal("this is your own listing; you cannot book it", field="quote_id")
    if found.listing["status"] != "listed" and found.offer is None:
        raise PolicyRefusal("this listing takes no bookings at the moment", field="quote_id")
    refuse(stay_faults(ctx, found.listing, found.wish), booking=True)


@command("stays")
def book(ctx: Context, values: BookInput) -> dict[str, Any]:
    """Book what was quoted: an instant listing confirms and charges the card at once; any other gets a request.

    A request holds the amount on the card for 24 hours, not the nights. Nights that are gone are refused with
    `dates_taken`, a refused card with `payment_declined`; nothing is booked or charged then.
    """
    me(ctx)
    quoted = opened(ctx, values.quote_id)
    if not values.accept_policy:
        raise Invalid("accept the cancellation policy and the house rules to book", field="accept_policy")
    card = card_of(ctx, values.payment_method)
    found = _requoted(ctx, quoted, values.coupon)
    _check(ctx, found)
    check_card(ctx, card)
    instant = found.is_instant
    row = _reserve(ctx, found, quoted, confirmed=instant)
    nightly = [night.price for night in found.quote.nights]
    write_lines(ctx, row, found.quote.lines, None if instant else nightly)
    if instant:
        hold_nights(ctx, found.listing, row["id"], found.quote.nights)
        schedule_payout(ctx, row, found.listing, found.quote.subtotal)
    pay(ctx, row, card["id"], "capture" if instant else "authorise", row["total"])
    if row["credit_amount"]:
        use_credit(ctx, ctx.person_id, row["id"], row["charge_currency"], row["credit_amount"])
    if values.message:
        say(ctx, row["listing_id"], ctx.person_id, ctx.person_id, values.message)
    return {
        "id": row["id"],
        "code": row["code"],
        "status": row["status"],
        "total": money(row["total"], row["charge_currency"]),
        "expires_at": row["expires_at"],
    }


def _charged(priced_quote: Quote, kind: str) -> int:
    return -sum(line.charge for line in priced_quote.lines if line.kind == kind)


def _reserve(ctx: Context, found: Priced, quoted: Quoted, *, confirmed: bool) -> Row:
    """The row of the reservation; that of an inquiry becomes it where its offer is taken up."""
    listing, quote = found.listing, found.quote
    values = {
        "listing_id": listing["id"],
        "guest_id": ctx.person_id,
        "status": "confirmed" if confirmed else "pending",
        "checkin": quoted.checkin,
        "checkout": quoted.checkout,
        "checkin_from": listing["checkin_from"],
        "adults": quoted.adults,
        "children": quoted.children,
        "infants": quoted.infants,
        "pets": quoted.pets,
        "rate_plan": quoted.rate_plan,
        "policy_code": found.policy,
        "currency": quote.currency,
        "charge_currency": quote.charge_currency,
        "fx_rate_ppm": quote.rate_ppm,
        "total": quote.total,
        "coupon_code": found.coupon[0] if found.coupon else None,
        "coupon_amount": _charged(quote, "coupon"),
        "credit_amount": _charged(quote, "credit"),
        "confirmed_at": ctx.now if confirmed else None,
    }
    if found.offer is not None:
        inquiry = ctx.store.get("stays_reservation", found.offer["reservation_id"])
        if inquiry is not None and inquiry["status"] == "inquiry":
            ctx.update("stays_offer", found.offer["id"], {"status": "booked"})
            touched = {"updated_at": ctx.now, "updated_by": toucher(ctx), "row_version": inquiry["row_version"] + 1}
            ctx.update("stays_reservation", inquiry["id"], values | touched)
            return dict(inquiry) | values
    if not confirmed:
        values |= {"requested_at": ctx.now, "expires_at": add_seconds(ctx.now, ANSWER_SECONDS)}
    return new_reservation(ctx, values)


def new_reservation(ctx: Context, values: dict[str, Any]) -> Row:
    """Insert a reservation with a new id and the next code."""
    row = values | {
        "id": ctx.new_id("stays_reservation"),
        "code": code_text(ids.take(ctx.conn, CODE_COUNTER)),
        "created_at": ctx.now,
        "updated_at": ctx.now,
        "updated_by": toucher(ctx),
    }
    ctx.insert("stays_reservation", row)
    return {"expires_at": None, "row_version": 1} | row


@command("stays")
def inquire(ctx: Context, values: InquireInput) -> dict[str, Any]:
    """Ask a host about a stay: a message, and an inquiry that holds no nights and costs nothing (STAY-7)."""
    user = me(ctx)
    listing = visible_listing(ctx, values.listing)
    if listing["host_id"] == ctx.person_id:
        raise PolicyRefusal("this is your own listing", field="listing")
    if not values.body.strip():
        raise Invalid("write the host a message", field="body")
    wish = Wish(values.checkin, values.checkout, party_of(values))
    refuse(stay_faults(ctx, listing, wish))
    row = new_reservation(
        ctx,
        {
            "listing_id": listing["id"],
            "guest_id": user["id"],
            "status": "inquiry",
            "checkin": values.checkin,
            "checkout": values.checkout,
            "checkin_from": listing["checkin_from"],
            **guests_of(values.model_dump()),
            "policy_code": applying_policy(listing["policy_code"], "standard", len(wish.nights)),
            "currency": listing["currency"],
            "charge_currency": listing["currency"],
            "fx_rate_ppm": 1_000_000,
            "total": 0,
        },
    )
    thread_id, message_id = say(ctx, listing["id"], user["id"], user["id"], values.body)
    return {"id": row["id"], "code": row["code"], "status": "inquiry", "thread": thread_id, "message": message_id}
