"""The calendar of a host: nights closed, opened, priced, with a minimum or a note of their own (STAY-13)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ...kit.call import Context
from ...kit.errors import Conflict, FieldError, Invalid
from ...kit.fields import Amount
from ...kit.money import format_money, parse_money
from ...kit.operations import command, query
from ...kit.roles import Row
from ..rules_calendar import nights_on, price_floor
from ..rules_prices import Prices, Season, price_of_night
from ..rules_stays import counted, days_between, nights_between, shifted
from .access import guests_of, own_listing
from .calendars import Occupied, occupied, today_at
from .host_inputs import MAX_EDIT_NIGHTS, MAX_VIEW_NIGHTS, HostCalendarInput, NightsInput
from .inputs import HostCalendarViewInput
from .people import PolicyRefusal, me, money, name_of
from .pricing import seasons_of

_EMPTY = {"blocked": 0, "price": None, "min_nights": None, "note": None}
_LONGEST_NOTE = 300
_AMOUNT: TypeAdapter[str] = TypeAdapter(Amount)
_RESERVED = (
    "SELECT n.night, r.code, r.checkin, r.checkout FROM stays_reservation_night n "
    "JOIN stays_reservation r ON r.id = n.reservation_id WHERE n.listing_id = ? AND n.night >= ? AND n.night <= ? "
    "ORDER BY n.night, n.unit"
)


def _check_range(first: str, last: str, longest: int) -> None:
    if last < first:
        raise Invalid(f"the last night {last} is before the first, {first}", field="to")
    if days_between(first, last) >= longest:
        raise Invalid(f"at most {longest} nights at once, not {days_between(first, last) + 1}", field="to")


def _nights(ctx: Context, listing: Row, values: NightsInput) -> tuple[str, ...]:
    """The nights that are meant. Raises Invalid for a range that is none, past nights, or no such weekday."""
    _check_range(values.start, values.end, MAX_EDIT_NIGHTS)
    today = today_at(ctx, listing)
    if values.start < today:
        raise Invalid(f"the night of {values.start} is past; today is {today} at the listing", field="from")
    nights = nights_on(values.start, values.end, values.weekdays)
    if not nights:
        said = f"no night from {values.start} to {values.end} is on those weekdays"
        raise Invalid(said, field="weekdays")
    return nights


def _reserved(ctx: Context, listing: Row, nights: tuple[str, ...]) -> list[Row]:
    """Rows of those nights that are reserved, with their reservations."""
    rows = ctx.store.all(_RESERVED, (listing["id"], nights[0], nights[-1]))
    meant = set(nights)
    return [row for row in rows if row["night"] in meant]


def _own_price(listing: Row, text: str) -> int:
    try:
        price = parse_money(_AMOUNT.validate_python(text), listing["currency"])
    except ValidationError:
        raise Invalid(f"a price is a decimal number such as 210 or 189.50, not {text[:40]}", field="value") from None
    except ValueError as error:
        raise Invalid(str(error), field="value") from None
    if price < (floor := price_floor(listing["currency"])):
        least = format_money(floor, listing["currency"])
        raise Invalid(f"a night costs at least {least}, not {text}", field="value")
    return price


def _own_minimum(listing: Row, text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 3 or not 1 <= int(text) <= listing["max_nights"]:
        said = f"min_nights is a whole number from 1 to {listing['max_nights']}, the listing's maximum, not {text[:40]}"
        raise Invalid(said, field="value")
    return int(text)


def _change(listing: Row, values: NightsInput) -> dict[str, Any]:
    """The column to set and its value. Raises Invalid for a value that does not go with the action."""
    text = values.value
    if values.action in ("block", "open"):
        if text is not None:
            raise Invalid(f"{values.action} takes no value", field="value")
        return {"blocked": int(values.action == "block")}
    if "value" not in values.model_fields_set:
        raise Invalid(f"{values.action} needs a value; null takes the nights' own away", field="value")
    if not text:
        return {values.action: None}
    if values.action == "price":
        return {"price": _own_price(listing, text)}
    if values.action == "min_nights":
        return {"min_nights": _own_minimum(listing, text)}
    if len(text) > _LONGEST_NOTE:
        raise Invalid(f"a note has at most {_LONGEST_NOTE} characters, not {len(text)}", field="value")
    return {"note": text}


def _names(rows: Iterable[Row]) -> list[str]:
    """Reservations as refusals name them, each once."""
    return list(dict.fromkeys(f"{row['code']} ({row['checkin']} to {row['checkout']})" for row in rows))


@query("stays")
def host_calendar_count(ctx: Context, values: NightsInput) -> dict[str, Any]:
    """How many nights a change of the calendar means, and which of them are reserved, before it is made.

    `nights` is what `host_calendar` wants as expected_nights. `refused` says why it would be refused, or is null.
    """
    me(ctx)
    listing = own_listing(ctx, values.listing)
    nights = _nights(ctx, listing, values)
    _change(listing, values)
    rows = _reserved(ctx, listing, nights)
    refused = _refusal(rows) if rows and values.action == "block" else None
    return {
        "listing": listing["id"],
        "nights": len(nights),
        "first": nights[0],
        "last": nights[-1],
        "reserved": [{"night": row["night"], "code": row["code"]} for row in rows],
        "refused": refused,
    }


def _refusal(rows: list[Row]) -> str:
    named = _names(rows)
    nights = len({row["night"] for row in rows})
    verb = "is" if nights == 1 else "are"
    return f"{counted(nights, 'night')} {verb} reserved and cannot be blocked: {', '.join(named)}"


@command("stays")
def host_calendar(ctx: Context, values: HostCalendarInput) -> dict[str, Any]:
    """Close, open, price or annotate nights of one's own listing; all of them, or none where one is refused (STAY-13).

    Reserved nights are never blocked (J5); a price or minimum of such a night leaves its reservation as it is (J9).
    Returns how many nights were meant and how many changed.
    """
    me(ctx)
    listing = own_listing(ctx, values.listing)
    nights = _nights(ctx, listing, values)
    change = _change(listing, values)
    if len(nights) != values.expected_nights:
        said = f"this is {counted(len(nights), 'night')}, not {values.expected_nights}; look at the range again"
        raise Conflict(said, field="expected_nights", details={"nights": len(nights)})
    rows = _reserved(ctx, listing, nights)
    if rows and values.action == "block":
        raise PolicyRefusal([FieldError("from", _refusal(rows))])
    changed = sum(_set_night(ctx, listing["id"], night, change) for night in nights)
    return {
        "listing": listing["id"],
        "action": values.action,
        "nights": len(nights),
        "changed": changed,
        "reserved": len({row["night"] for row in rows}),
    }


def _set_night(ctx: Context, listing_id: str, night: str, change: dict[str, Any]) -> bool:
    """Set a column of a night; a night with nothing of its own has no row. Returns whether that changed any."""
    key = (listing_id, night)
    before = ctx.store.get("stays_calendar_override", key)
    kept = {name: before[name] for name in _EMPTY} if before is not None else dict(_EMPTY)
    after = kept | change
    if after == kept:
        return False
    if before is None:
        ctx.insert("stays_calendar_override", {"listing_id": listing_id, "night": night, **after})
    elif after == _EMPTY:
        ctx.delete("stays_calendar_override", key)
    else:
        ctx.update("stays_calendar_override", key, change)
    return True


@query("stays")
def host_calendar_view(ctx: Context, values: HostCalendarViewInput) -> dict[str, Any]:
    """Nights of one own listing, or of all that are listed or snoozed, and the reservations and requests on them.

    `status` of a night: free, blocked, reserved, preparation (kept free beside a stay) or past; `codes`: the
    reservations that hold it; `own`: what the host set for this night, or null; `source` of the price: override,
    season, weekend or base. Prices are in the listing's currency.
    """
    me(ctx)
    _check_range(values.start, values.end, MAX_VIEW_NIGHTS)
    if values.listing is not None:
        listings = [own_listing(ctx, values.listing)]
    else:
        sql = (
            "SELECT * FROM stays_listing WHERE host_id = ? AND status IN ('listed', 'snoozed') ORDER BY title_norm, id"
        )
        listings = [*ctx.store.all(sql, (ctx.person_id,))]
    seasons = seasons_of(ctx, [row["id"] for row in listings])
    return {
        "from": values.start,
        "to": values.end,
        "listings": [_calendar_of(ctx, row, values, seasons.get(row["id"], ())) for row in listings],
    }


def _calendar_of(
    ctx: Context, listing: Row, values: HostCalendarViewInput, seasons: tuple[Season, ...]
) -> dict[str, Any]:
    after = shifted(values.end, 1)
    found = occupied(ctx, listing, values.start, after)
    codes: dict[str, list[str]] = {}
    for row in ctx.store.all(_RESERVED, (listing["id"], values.start, values.end)):
        codes.setdefault(row["night"], []).append(row["code"])
    today, prices = today_at(ctx, listing), Prices.of(listing)
    nights = []
    for night in nights_between(values.start, after):
        own = found.overrides.get(night)
        chosen = price_of_night(prices, night, own["price"] if own else None, seasons)
        nights.append(
            {
                "night": night,
                "status": _status(listing, found, night, today, codes.get(night, [])),
                "price": money(chosen.price, listing["currency"]),
                "source": chosen.source,
                "season": chosen.name or None,
                "min_nights": own["min_nights"] if own and own["min_nights"] else listing["min_nights"],
                "note": own["note"] if own else None,
                "own": _own(own, listing["currency"]) if own else None,
                "codes": codes.get(night, []),
            }
        )
    return {
        "id": listing["id"],
        "title": listing["title"],
        "status": listing["status"],
        "currency": listing["currency"],
        "tz": listing["tz"],
        "today": today,
        "inventory": listing["inventory"],
        "reservations": _stays(ctx, listing, values.start, after),
        "nights": nights,
    }


def _status(listing: Row, found: Occupied, night: str, today: str, codes: list[str]) -> str:
    own = found.overrides.get(night)
    if len(codes) >= listing["inventory"]:
        return "reserved"
    if night < today:
        return "past"
    if own is not None and own["blocked"]:
        return "blocked"
    return "preparation" if found.taken.get(night, 0) >= listing["inventory"] else "free"


def _own(row: Row, currency: str) -> dict[str, Any]:
    return {
        "blocked": bool(row["blocked"]),
        "price": None if row["price"] is None else money(row["price"], currency),
        "min_nights": row["min_nights"],
        "note": row["note"],
    }


def _stays(ctx: Context, listing: Row, start: str, end: str) -> list[dict[str, Any]]:
    """Confirmed, completed and pending stays that have a night in [start, end), the first to begin first."""
    rows = ctx.store.all(
        "SELECT r.*, u.first_name, u.last_name FROM stays_reservation r JOIN stays_user u ON u.id = r.guest_id "
        "WHERE r.listing_id = ? AND r.checkin < ? AND r.checkout > ? AND r.status IN "
        "('confirmed', 'completed', 'pending') ORDER BY r.checkin, r.id",
        (listing["id"], end, start),
    )
    return [
        {
            "code": row["code"],
            "status": row["status"],
            "guest": name_of(row),
            "checkin": row["checkin"],
            "checkout": row["checkout"],
            "guests": guests_of(row),
        }
        for row in rows
    ]
