"""Which nights of a listing are free, and why others are not (STAY-1, STAY-8, STAY-13, STAY-15)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...kit.call import Context
from ...kit.dates import local_date, month_end, parse_date
from ...kit.errors import NotFound
from ...kit.operations import query
from ...kit.roles import Row
from ..rules_prices import Prices, price_of_night
from ..rules_stays import StayRules, days_between, nights_between, shifted
from .inputs import CalendarInput
from .people import me, money
from .pricing import seasons_of


@dataclass(frozen=True)
class Occupied:
    """Nights of a listing: how many rooms of each are taken, and the host's own rows of the calendar."""

    taken: Mapping[str, int]
    overrides: Mapping[str, Row]


def visible_listing(ctx: Context, listing_id: str) -> Row:
    """A listing that the person may see: listed, their own, or one they have been at. Raises NotFound."""
    row = ctx.store.get("stays_listing", listing_id)
    if row is not None and (row["status"] == "listed" or row["host_id"] == ctx.person_id or _known(ctx, listing_id)):
        return row
    raise NotFound(f"there is no listing {listing_id}", field="listing")


def _known(ctx: Context, listing_id: str) -> bool:
    sql = "SELECT 1 FROM stays_reservation WHERE guest_id = ? AND listing_id = ? LIMIT 1"
    return ctx.conn.execute(sql, (ctx.person_id, listing_id)).fetchone() is not None


def occupied(ctx: Context, listing: Row, start: str, end: str, without: str | None = None) -> Occupied:
    """Nights in [start, end): the rooms that others than reservation `without` take, and the host's rows."""
    prep = listing["prep_days"]
    rows = ctx.conn.execute(
        "SELECT night, reservation_id FROM stays_reservation_night WHERE listing_id = ? AND night >= ? AND night < ? "
        "ORDER BY night, unit",
        (listing["id"], shifted(start, -prep), shifted(end, prep)),
    )
    taken: dict[str, set[str]] = {}
    for night, reservation_id in rows:
        if reservation_id == without:
            continue
        for step in range(-prep, prep + 1):
            taken.setdefault(shifted(night, step), set()).add(reservation_id)
    own = ctx.store.all(
        "SELECT * FROM stays_calendar_override WHERE listing_id = ? AND night >= ? AND night < ? ORDER BY night",
        (listing["id"], start, end),
    )
    return Occupied({night: len(found) for night, found in taken.items()}, {row["night"]: row for row in own})


def unavailable(listing: Row, occupied_nights: Occupied, night: str, today: str) -> str | None:
    """Why a night cannot be slept in: past, notice, window, blocked or reserved; None where it can."""
    if night < today:
        return "past"
    own = occupied_nights.overrides.get(night)
    if own is not None and own["blocked"]:
        return "blocked"
    if occupied_nights.taken.get(night, 0) >= listing["inventory"]:
        return "reserved"
    if days_between(today, night) > listing["window_days"]:
        return "window"
    return None


def today_at(ctx: Context, listing: Row) -> str:
    """Today by the listing's clock (STAY-14)."""
    return local_date(ctx.now, listing["tz"])


@query("stays")
def calendar(ctx: Context, values: CalendarInput) -> dict[str, Any]:
    """Whole months of a listing, a row a night: date, available, reason, price, min_nights, checkin and checkout.

    `reason` of an unavailable night: past, blocked, reserved or window. `checkin`: a stay may begin; `checkout`: one
    may end that day. Prices are in the listing's currency, without fees.
    """
    me(ctx)
    listing = visible_listing(ctx, values.listing)
    today = today_at(ctx, listing)
    first = (values.start or today)[:8] + "01"
    end = first
    for _ in range(values.months):
        end = shifted(month_end(end), 1)
    found = occupied(ctx, listing, shifted(first, -1), shifted(end, 1))
    prices, seasons, rules = Prices.of(listing), seasons_of(ctx, [listing["id"]]), StayRules.of(listing)
    days = []
    previous = unavailable(listing, found, shifted(first, -1), today)
    for night in nights_between(first, end):
        reason = unavailable(listing, found, night, today)
        own = found.overrides.get(night)
        price = price_of_night(prices, night, own["price"] if own else None, seasons.get(listing["id"], ()))
        least = own["min_nights"] if own and own["min_nights"] else listing["min_nights"]
        begins = reason is None and days_between(today, night) >= rules.advance_notice_days
        days.append(
            {
                "date": night,
                "available": reason is None,
                "reason": reason,
                "price": money(price.price, listing["currency"]),
                "min_nights": least,
                "checkin": begins and str(_weekday(night)) in rules.weekdays,
                "checkout": previous is None,
            }
        )
        previous = reason
    return {
        "listing": listing["id"],
        "from": first,
        "to": shifted(end, -1),
        "today": today,
        "tz": listing["tz"],
        "currency": listing["currency"],
        "max_nights": listing["max_nights"],
        "days": days,
    }


def _weekday(day: str) -> int:
    return parse_date(day).isoweekday()
