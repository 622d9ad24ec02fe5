"""Quotes: what a stay costs a guest, and the id with which it can be booked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...kit.call import Context
from ...kit.errors import Invalid
from ...kit.operations import query
from ...kit.roles import Row
from ..rules_prices import Quote, with_coupon, with_credit
from ..rules_refunds import deadline_texts, free_until
from ..rules_stays import Fault, applying_policy, local_instant
from .calendars import today_at, visible_listing
from .checks import Wish, as_result, check_dates, party_of, stay_faults
from .coupons import CouponRefused, discount
from .credit import credit_left
from .inputs import CouponInput, QuoteInput
from .people import me, money
from .pricing import Pricing, shown_quote
from .quote_ids import VALID_SECONDS, Quoted, sealed
from .rates import rate


@dataclass(frozen=True)
class Priced:
    """A stay at a listing, priced for a guest. `before`: without coupon and credit; `credit`: what is left of it."""

    listing: Row
    wish: Wish
    before: Quote
    quote: Quote
    coupon: tuple[str, int] | None
    credit: int
    offer: Row | None
    rate_plan: str

    @property
    def is_instant(self) -> bool:
        """Whether booking it confirms it at once."""
        return bool(self.listing["instant_book"]) or self.offer is not None

    @property
    def policy(self) -> str:
        """The code of the cancellation policy it would have."""
        return applying_policy(self.listing["policy_code"], self.rate_plan, len(self.wish.nights))


def open_offer(ctx: Context, listing: Row, wish: Wish) -> Row | None:
    """The host's offer to this guest that is open for exactly this stay."""
    return ctx.store.one(
        "SELECT o.* FROM stays_offer o JOIN stays_reservation r ON r.id = o.reservation_id WHERE o.status = 'open' "
        "AND r.guest_id = ? AND r.listing_id = ? AND o.checkin = ? AND o.checkout = ? AND o.adults = ? "
        "AND o.children = ? AND o.infants = ? AND o.pets = ? AND o.expires_at > ? ORDER BY o.created_at DESC, o.id",
        (
            ctx.person_id,
            listing["id"],
            wish.checkin,
            wish.checkout,
            wish.party.adults,
            wish.party.children,
            wish.party.infants,
            wish.party.pets,
            ctx.now,
        ),
    )


def priced(ctx: Context, values: QuoteInput, coupon: str | None, *, use_credit: bool) -> Priced:
    """The price of a stay for the acting guest. Raises Invalid for dates that are no stay, CouponRefused."""
    user = me(ctx)
    listing = visible_listing(ctx, values.listing)
    check_dates(values.checkin, values.checkout)
    if values.service_animals > values.pets:
        raise Invalid("service animals are some of the pets; count them there too", field="service_animals")
    if values.rate_plan == "nonrefundable" and listing["nonrefundable_bp"] is None:
        raise Invalid("this listing has no non-refundable rate", field="rate_plan", allowed=("standard",))
    wish = Wish(values.checkin, values.checkout, party_of(values), values.service_animals)
    currency = values.currency or user["display_currency"]
    rate(ctx, listing["currency"], currency)
    pricing = Pricing(ctx, [listing], values.checkin, values.checkout, currency)
    offer = open_offer(ctx, listing, wish) if values.rate_plan == "standard" else None
    before = pricing.quote(
        listing,
        wish.party,
        today_at(ctx, listing),
        nonrefundable=values.rate_plan == "nonrefundable",
        offer_total=offer["total"] if offer else None,
        service_pets=wish.service_animals,
    )
    found, taken = before, None
    if coupon:
        taken = discount(ctx, coupon, listing, before)
        found = with_coupon(found, *taken)
    left = credit_left(ctx, user["id"], currency) if use_credit else 0
    if left:
        found = with_credit(found, left)
    return Priced(listing, wish, before, found, taken, left, offer, values.rate_plan)


@query("stays")
def quote(ctx: Context, values: QuoteInput) -> dict[str, Any]:
    """The price of a stay line by line, whether it can be booked and why not, and a quote_id for booking it.

    `bookable`, `faults` (code, field, message); `mode` instant or request; `total` and `lines` are what is charged,
    coupon and credit in them; `quote_id` is there where it is bookable, valid for 15 minutes. `coupon_error` says why
    a coupon does not hold. `rate_plans` compares the totals. `policy` holds the cancellation deadlines.
    """
    error = None
    try:
        found = priced(ctx, values, values.coupon, use_credit=values.use_credit)
    except CouponRefused as refused:
        error = refused.message
        found = priced(ctx, values, None, use_credit=values.use_credit)
    faults = stay_faults(ctx, found.listing, found.wish)
    if found.listing["status"] != "listed" and found.offer is None:
        faults = [*faults, _unlisted()]
    if found.listing["host_id"] == ctx.person_id:
        faults = [*faults, _own()]
    return (
        {
            "listing": found.listing["id"],
            "title": found.listing["title"],
            "checkin": values.checkin,
            "checkout": values.checkout,
            "nights_count": len(found.wish.nights),
            "guests": _guests(values),
            "rate_plan": values.rate_plan,
            "bookable": not faults,
            "faults": as_result(faults),
            "mode": "instant" if found.is_instant else "request",
            "coupon": found.coupon[0] if found.coupon else None,
            "coupon_error": error,
            "quote_id": None if faults else quote_id(ctx, values, found),
            "valid_seconds": VALID_SECONDS,
            "rate_plans": _rate_plans(ctx, values, found),
            "policy": policy_of(ctx, found.listing, values.checkin, values.rate_plan, len(found.wish.nights)),
        }
        | shown_quote(found.quote)
        | {"before_coupon": money(found.before.total, found.before.charge_currency)}
    )


def _unlisted() -> Fault:
    return Fault("not_listed", "listing", "this listing takes no bookings at the moment")


def _own() -> Fault:
    return Fault("own_listing", "listing", "this is your own listing")


def _guests(values: QuoteInput) -> dict[str, int]:
    return {name: getattr(values, name) for name in ("adults", "children", "infants", "pets", "service_animals")}


def _rate_plans(ctx: Context, values: QuoteInput, found: Priced) -> list[dict[str, Any]]:
    """The plans of the listing with their totals, coupon and credit apart."""
    if found.listing["nonrefundable_bp"] is None or found.offer is not None:
        return []
    plans: list[dict[str, Any]] = []
    for plan in ("standard", "nonrefundable"):
        other = found.before
        if plan != values.rate_plan:
            changed = values.model_copy(update={"rate_plan": plan, "coupon": None, "use_credit": False})
            other = priced(ctx, changed, None, use_credit=False).before
        plans.append({"rate_plan": plan, "total": money(other.total, other.charge_currency)})
    return plans


def quote_id(ctx: Context, values: QuoteInput, found: Priced) -> str:
    """The id with which the stay can be booked at this price."""
    return sealed(
        ctx,
        Quoted(
            listing=values.listing,
            checkin=values.checkin,
            checkout=values.checkout,
            adults=values.adults,
            children=values.children,
            infants=values.infants,
            pets=values.pets,
            service_animals=values.service_animals,
            rate_plan=values.rate_plan,
            currency=found.before.charge_currency,
            use_credit=values.use_credit,
            person=ctx.person_id,
            at=ctx.now,
            total=found.before.total,
            credit=found.credit,
            policy=found.policy,
            is_instant=found.is_instant,
        ),
    )


def policy_of(ctx: Context, listing: Row, checkin: str, rate_plan: str, nights: int) -> dict[str, Any]:
    """The cancellation policy of a stay that is booked now, with deadlines by the listing's clock (STAY-14)."""
    code = applying_policy(listing["policy_code"], rate_plan, nights)
    row = ctx.store.get("stays_cancel_policy", code)
    at = local_instant(checkin, listing["checkin_from"], listing["tz"])
    return {
        "code": code,
        "title": row["title"] if row else code,
        "summary": row["summary"] if row else "",
        "free_until": free_until(code, ctx.now, at),
        "deadlines": list(deadline_texts(code, ctx.now, at, listing["tz"])),
    }


@query("stays")
def coupon_check(ctx: Context, values: CouponInput) -> dict[str, Any]:
    """Whether a coupon holds for a stay: `valid`, `message` (the condition that fails), `discount` and `total`."""
    try:
        found = priced(ctx, values, values.coupon, use_credit=values.use_credit)
    except CouponRefused as refused:
        return {"valid": False, "message": refused.message, "discount": None, "total": None}
    off = sum(line.charge for line in found.quote.lines if line.kind == "coupon")
    currency = found.quote.charge_currency
    code = found.coupon[0] if found.coupon else values.coupon
    return {
        "valid": True,
        "message": f"{code} holds",
        "discount": money(-off, currency),
        "total": money(found.quote.total, currency),
    }
