"""Changes of a host's listing and of what belongs to it. Reservations keep their own terms (J9)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from ...kit.call import Context, check_version
from ...kit.errors import FieldError, Invalid
from ...kit.norm import norm
from ...kit.operations import command
from ...kit.roles import Row
from .access import own_listing
from .calendars import today_at
from .host_inputs import ListingChanges, ListingInput, PricingChanges, UpdateListingInput
from .host_listings import lacking, property_types
from .host_pricing import pricing_columns, touch_listing
from .listing_parts import room_sums, set_parts
from .people import me, toucher

_OPTIONAL = ("street", "postcode", "checkin_to")
_PLAIN = (
    *("title", "description", "street", "postcode", "property_type", "room_type", "inventory", "max_guests"),
    *("max_infants", "max_pets", "min_nights", "max_nights", "checkin_from", "checkin_to", "checkout_by"),
    *("checkin_weekdays", "advance_notice_days", "prep_days", "window_days", "status"),
)
_PARTS = ("rooms", "amenities", "remove_amenities", "rules", "photos")
_STATUSES = {
    "draft": ("draft", "listed"),
    "listed": ("listed", "snoozed", "unlisted"),
    "snoozed": ("snoozed", "listed", "unlisted"),
    "unlisted": ("unlisted", "listed", "snoozed"),
}
_DEFAULTS = {
    "street": None,
    "postcode": None,
    "inventory": 1,
    "max_infants": 5,
    "max_pets": 0,
    "pets_allowed": 0,
    "baths_half": 2,
    "weekend_price": None,
    "min_nights": 1,
    "max_nights": 365,
    "checkin_from": "15:00",
    "checkin_to": None,
    "checkout_by": "11:00",
    "checkin_weekdays": "1234567",
    "advance_notice_days": 1,
    "prep_days": 0,
    "window_days": 365,
    "instant_book": 0,
    "self_checkin": 0,
    "policy_code": "flexible",
    "status": "draft",
    "listed_on": None,
}


def _known(ctx: Context, name: str, value: str, known: list[str], thing: str) -> None:
    if value not in known:
        raise Invalid(f'there is no {thing} "{value}"; use one of {", ".join(known)}', field=name, allowed=known)


def _columns(ctx: Context, values: ListingChanges) -> dict[str, Any]:
    """The columns of the listing itself that are given. Raises Invalid that names every faulty field."""
    columns: dict[str, Any] = {}
    faults: list[FieldError] = []
    for name, value in values.model_dump(exclude_unset=True, include=set(ListingChanges.model_fields)).items():
        if value is None and name not in (*_OPTIONAL, *_PARTS):
            faults.append(FieldError(name, f"{name} cannot be empty"))
            continue
        try:
            columns |= _column(ctx, name, value)
        except Invalid as refused:
            faults += refused.errors
    if faults:
        raise Invalid(faults)
    return columns


def _column(ctx: Context, name: str, value: Any) -> dict[str, Any]:
    if name == "title":
        return {"title": value, "title_norm": norm(value)}
    if name == "property_type":
        _known(ctx, name, value, property_types(ctx), "property type")
    elif name == "policy":
        sql = "SELECT code FROM stays_cancel_policy WHERE is_choice = 1 ORDER BY sort"
        _known(ctx, name, value, [row[0] for row in ctx.conn.execute(sql)], "cancellation policy to choose")
        return {"policy_code": value}
    elif name == "baths":
        half = Decimal(value) * 2
        if half != half.to_integral_value() or not 0 <= half <= 40:
            raise Invalid(f"baths are counted in halves from 0 to 20, such as 1.5, not {value}", field="baths")
        return {"baths_half": int(half)}
    elif name == "max_pets":
        return {"max_pets": value, "pets_allowed": int(value > 0)}
    elif name == "checkin_weekdays":
        return {name: "".join(sorted(set(value)))}
    elif name in ("instant_book", "self_checkin"):
        return {name: int(value)}
    return {name: value} if name in _PLAIN else {}


def _check_together(ctx: Context, before: Row | None, after: Row) -> None:
    """What several columns must keep together. Raises Invalid."""
    faults = []
    if after["max_nights"] < after["min_nights"]:
        said = f"nights at most, {after['max_nights']}, are fewer than nights at least, {after['min_nights']}"
        faults.append(FieldError("max_nights", said))
    if after["included_guests"] > after["max_guests"]:
        said = f"the price includes {after['included_guests']} guests; change that first, or allow as many"
        faults.append(FieldError("max_guests", said))
    if after["checkin_to"] is not None and after["checkin_to"] <= after["checkin_from"]:
        said = f"check-in until {after['checkin_to']} must be later than from {after['checkin_from']}"
        faults.append(FieldError("checkin_to", said))
    if before is not None and after["inventory"] < before["inventory"]:
        faults += _rooms_in_use(ctx, before, after["inventory"])
    if faults:
        raise Invalid(faults)


def _rooms_in_use(ctx: Context, listing: Row, inventory: int) -> list[FieldError]:
    sql = (
        "SELECT r.code FROM stays_reservation_night n JOIN stays_reservation r ON r.id = n.reservation_id "
        "WHERE n.listing_id = ? AND n.night >= ? AND n.unit > ? ORDER BY n.night, r.code LIMIT 1"
    )
    row = ctx.conn.execute(sql, (listing["id"], today_at(ctx, listing), inventory)).fetchone()
    if row is None:
        return []
    return [FieldError("inventory", f"reservation {row[0]} holds a room beyond {inventory}")]


def _status(ctx: Context, before: Row, columns: dict[str, Any]) -> dict[str, Any]:
    """What goes with a new status. Raises Invalid for a step that there is not, or a listing that lacks something."""
    status = columns.get("status", before["status"])
    allowed = _STATUSES[before["status"]]
    if status not in allowed:
        said = f"a listing that is {before['status']} becomes {' or '.join(allowed[1:])}, not {status}"
        raise Invalid(said, field="status", allowed=allowed)
    if status != "listed" or before["status"] == "listed":
        return {}
    missing = lacking(ctx, {**before, **columns})
    if missing:
        raise Invalid(f"before it can be listed, this listing needs {', '.join(missing)}", field="status")
    return {"listed_on": today_at(ctx, before)} if before["listed_on"] is None else {}


@command("stays")
def update_listing(ctx: Context, values: UpdateListingInput) -> dict[str, Any]:
    """Change one's own listing: texts, rules of stays, hours, policy, status, rooms, amenities, house rules, photos.

    Only what is given changes; null clears street, postcode, checkin_to, a note or a house rule. Rooms and photos are
    given whole; amenities one by one. Reservations keep their own policy and check-in hour (J9).
    """
    me(ctx)
    before = own_listing(ctx, values.listing)
    check_version(before, values.row_version)
    columns = _columns(ctx, values.values)
    if values.values.rooms is not None:
        columns |= room_sums(values.values.rooms)
    _check_together(ctx, before, {**before, **columns})
    moved = set_parts(ctx, before["id"], values.values)
    columns |= _status(ctx, before, columns)
    changes = {name: value for name, value in columns.items() if before[name] != value}
    return touch_listing(ctx, before, changes, parts=moved)


@command("stays")
def create_listing(ctx: Context, values: ListingInput) -> dict[str, Any]:
    """Begin a listing as a draft, at the place's centre, in its zone and currency. Returns its id and row_version.

    It is found by guests once its status is listed, which wants a photo and a street. Prices other than base_price:
    `host_pricing`.
    """
    host = me(ctx)
    place = ctx.store.get("stays_place", values.place)
    if place is None or place["kind"] not in ("city", "district"):
        raise Invalid("place is the id of a city or district; `places` finds it", field="place")
    listing_id = ctx.new_id("stays_listing")
    row: dict[str, Any] = {
        **_DEFAULTS,
        "id": listing_id,
        "host_id": host["id"],
        "place_id": place["id"],
        **{name: place[name] for name in ("lat_e6", "lng_e6", "tz", "currency")},
        "included_guests": min(2, values.max_guests),
        "base_price": 0,
        "created_at": ctx.now,
        "updated_at": ctx.now,
        "updated_by": toucher(ctx),
    }
    row |= _columns(ctx, values) | room_sums(values.rooms)
    row |= _first_price(row, values.base_price)
    _check_together(ctx, None, row)
    if not host["is_host"]:
        ctx.update("stays_user", host["id"], {"is_host": 1})
    ctx.insert("stays_listing", row)
    set_parts(ctx, listing_id, values)
    return {"id": listing_id, "row_version": 1, "title": row["title"], "currency": row["currency"]}


def _first_price(row: Row, base_price: str) -> dict[str, Any]:
    empty = {"early_bird_days": None, "early_bird_bp": None, "last_minute_days": None, "last_minute_bp": None}
    return pricing_columns({**row, **empty}, PricingChanges(base_price=base_price))
