"""Coupons (STAY-10): each condition that fails is named."""

from __future__ import annotations

from ...kit.call import Context
from ...kit.dates import local_date
from ...kit.errors import Invalid
from ...kit.money import format_money
from ...kit.roles import Row
from ..rules_prices import Quote, converted, rate_between, share
from ..rules_stays import counted
from .people import me
from .places import subtree
from .rates import corporate_rates

_USES = (
    "SELECT count(*) FROM stays_reservation WHERE coupon_code = ? AND (status IN ('pending', 'confirmed', 'completed') "
    "OR (status IN ('cancelled_guest', 'cancelled_host') AND total > 0))"
)
_BOOKED = (
    "SELECT 1 FROM stays_reservation WHERE guest_id = ? AND status IN "
    "('pending', 'confirmed', 'completed', 'cancelled_guest', 'cancelled_host') LIMIT 1"
)


class CouponRefused(Invalid):
    """A condition of the coupon does not hold; the message says which."""

    code = "coupon"

    def __init__(self, message: str) -> None:
        super().__init__(message, field="coupon")


def find(ctx: Context, code: str) -> Row:
    """The coupon of a code, in capitals or not. Raises CouponRefused."""
    row = ctx.store.get("stays_coupon", code.strip().upper())
    if row is None:
        raise CouponRefused(f'there is no coupon "{code.strip()}"')
    return row


def discount(ctx: Context, code: str, listing: Row, priced: Quote) -> tuple[str, int]:
    """The coupon's code and what it takes off, in the listing's currency. Raises CouponRefused."""
    coupon = find(ctx, code)
    today = local_date(ctx.now, me(ctx)["tz"])
    nights = [night.night for night in priced.nights]
    rates = corporate_rates(ctx)
    to_coupon = rate_between(listing["currency"], coupon["currency"], rates)
    subtotal = converted(priced.subtotal, listing["currency"], coupon["currency"], to_coupon)
    _check_days(coupon, today, nights)
    if subtotal < coupon["min_subtotal"]:
        least = format_money(coupon["min_subtotal"], coupon["currency"])
        had = format_money(subtotal, coupon["currency"])
        raise CouponRefused(f"{coupon['code']} needs a subtotal of {least} before fees and taxes; this stay has {had}")
    if coupon["place_id"] is not None and listing["place_id"] not in subtree(ctx, coupon["place_id"]):
        place = ctx.store.get("stays_place", coupon["place_id"])
        raise CouponRefused(f"{coupon['code']} holds for stays in {place['name'] if place else 'another place'} only")
    _check_uses(ctx, coupon)
    off = coupon["value"] if coupon["kind"] == "amount" else share(subtotal, coupon["value"])
    if coupon["max_discount"] is not None:
        off = min(off, coupon["max_discount"])
    back = rate_between(coupon["currency"], listing["currency"], rates)
    return coupon["code"], converted(off, coupon["currency"], listing["currency"], back)


def _check_days(coupon: Row, today: str, nights: list[str]) -> None:
    if today < coupon["starts_on"]:
        raise CouponRefused(f"{coupon['code']} can be used from {coupon['starts_on']} on; today is {today}")
    if today > coupon["ends_on"]:
        raise CouponRefused(f"{coupon['code']} ended on {coupon['ends_on']}; today is {today}")
    if len(nights) < coupon["min_nights"]:
        raise CouponRefused(f"{coupon['code']} needs {counted(coupon['min_nights'], 'night')}, not {len(nights)}")
    if coupon["stay_from"] is not None and nights[0] < coupon["stay_from"]:
        raise CouponRefused(f"{coupon['code']} holds for nights from {coupon['stay_from']} on")
    if coupon["stay_to"] is not None and nights[-1] >= coupon["stay_to"]:
        raise CouponRefused(f"{coupon['code']} holds for nights before {coupon['stay_to']}")


def _check_uses(ctx: Context, coupon: Row) -> None:
    if coupon["first_booking_only"] and ctx.conn.execute(_BOOKED, (ctx.person_id,)).fetchone():
        raise CouponRefused(f"{coupon['code']} is for a first booking only")
    mine = ctx.conn.execute(f"{_USES} AND guest_id = ?", (coupon["code"], ctx.person_id)).fetchone()[0]
    if mine >= coupon["per_user"]:
        raise CouponRefused(f"you have used {coupon['code']} already; it can be used {coupon['per_user']} time(s)")
    if coupon["total_uses"] is not None:
        used = ctx.conn.execute(_USES, (coupon["code"],)).fetchone()[0]
        if used >= coupon["total_uses"]:
            raise CouponRefused(f"{coupon['code']} is used up")
