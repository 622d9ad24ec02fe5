"""A host's own listings as the editor shows them, and what there is to choose from."""

from __future__ import annotations

from typing import Any

from ...kit.call import Context
from ...kit.money import plain_amount
from ...kit.operations import query
from ...kit.roles import Row
from ..rules_ranking import rating_text
from .access import own_listing
from .calendars import today_at
from .host_inputs import ROOMS, ListingChanges
from .host_pricing import pricing_values, seasons_shown
from .inputs import HostListingInput, HostListingsInput
from .listings import facts, parts_of, rating_of
from .people import me, money
from .search import baths_text, card

_RULES = ("smoking", "parties", "children", "quiet_hours", "other")
_SAME = (
    *("title", "description", "street", "postcode", "property_type", "room_type", "inventory", "max_guests"),
    *("max_infants", "max_pets", "min_nights", "max_nights", "checkin_from", "checkin_to", "checkout_by"),
    *("checkin_weekdays", "advance_notice_days", "prep_days", "window_days", "status"),
)


def property_types(ctx: Context) -> list[str]:
    """Every kind of building on Harbourstay."""
    sql = "SELECT DISTINCT property_type FROM stays_listing ORDER BY property_type"
    return [row[0] for row in ctx.conn.execute(sql)]


def listing_values(ctx: Context, listing: Row) -> dict[str, Any]:
    """A listing under the names of `ListingChanges`, as forms and tools change it."""
    parts = parts_of(ctx, listing["id"])
    rules = {row["code"]: row["value"] for row in parts["rules"]}
    found = {name: listing[name] for name in _SAME} | {
        "baths": baths_text(listing["baths_half"]),
        "instant_book": bool(listing["instant_book"]),
        "self_checkin": bool(listing["self_checkin"]),
        "policy": listing["policy_code"],
        "rooms": [
            {name: row[name] for name in ("name", "double_beds", "single_beds", "sofa_beds")}
            | {"is_bedroom": bool(row["is_bedroom"])}
            for row in parts["rooms"]
        ],
        "amenities": [{"amenity": row["code"], "note": row["note"]} for row in parts["amenities"]],
        "rules": {code: rules.get(code) for code in _RULES},
        "photos": [{name: row[name] for name in ("pos", "room", "caption")} for row in parts["photos"]],
    }
    return {name: found[name] for name in ListingChanges.model_fields if name in found}


@query("stays")
def host_listings(ctx: Context, values: HostListingsInput) -> dict[str, Any]:
    """Own listings by title: status, facts, rating, base price, next check-in, how many requests wait.

    `counts`: how many there are by status, over all of them.
    """
    me(ctx)
    sql = "SELECT * FROM stays_listing WHERE host_id = ? ORDER BY title_norm, id"
    every = ctx.store.all(sql, (ctx.person_id,))
    counts: dict[str, int] = {}
    for row in every:
        counts[row["status"]] = counts.get(row["status"], 0) + 1
    rows = [_short(ctx, row) for row in every if values.status in (None, row["status"])]
    return {"rows": rows, "total": len(rows), "counts": dict(sorted(counts.items()))}


def _short(ctx: Context, row: Row) -> dict[str, Any]:
    place = ctx.store.get("stays_place", row["place_id"])
    rating, count = rating_of(ctx, row["id"])
    photos = ctx.store.all(
        "SELECT pos, caption, room, seed FROM stays_listing_photo WHERE listing_id = ? ORDER BY pos LIMIT 1",
        (row["id"],),
    )
    return card(row, place["full_name"] if place else "", rating, count) | {
        "status": row["status"],
        "listed_on": row["listed_on"],
        "currency": row["currency"],
        "base_price": money(row["base_price"], row["currency"]),
        "row_version": row["row_version"],
        "photos": photos,
        **_coming(ctx, row),
    }


def _coming(ctx: Context, listing: Row) -> dict[str, Any]:
    """What is to come at a listing, by its clock."""
    today = today_at(ctx, listing)
    upcoming, following = ctx.conn.execute(
        "SELECT count(*), min(CASE WHEN checkin >= :today THEN checkin END) FROM stays_reservation "
        "WHERE listing_id = :id AND status = 'confirmed' AND checkout > :today",
        {"id": listing["id"], "today": today},
    ).fetchone()
    sql = "SELECT count(*) FROM stays_reservation WHERE listing_id = ? AND status = ?"
    pending, inquiries = (
        ctx.conn.execute(sql, (listing["id"], status)).fetchone()[0] for status in ("pending", "inquiry")
    )
    return {"upcoming": upcoming, "next_checkin": following, "pending": pending, "inquiries": inquiries}


@query("stays")
def host_listing(ctx: Context, values: HostListingInput) -> dict[str, Any]:
    """One own listing: everything the editor shows.

    `values` holds what `update_listing` changes and `pricing` what `host_pricing` changes, under the names they use;
    both want `row_version`. `seasons` come with their own versions; `to_list`: what a draft lacks before it can be
    listed.
    """
    me(ctx)
    row = own_listing(ctx, values.id)
    place = ctx.store.get("stays_place", row["place_id"])
    rating, count = rating_of(ctx, row["id"])
    lowest = None if rating is None else rating_text(rating)
    return (
        facts(row)
        | parts_of(ctx, row["id"])
        | {
            "id": row["id"],
            "title": row["title"],
            "place": place["full_name"] if place else "",
            "street": row["street"],
            "postcode": row["postcode"],
            "bedrooms": row["bedrooms"],
            "beds": row["beds"],
            "rating": lowest,
            "reviews": count,
            "values": listing_values(ctx, row),
            "pricing": pricing_values(row),
            "seasons": seasons_shown(ctx, row),
            "to_list": lacking(ctx, row),
            "today": today_at(ctx, row),
            "updated_at": row["updated_at"],
            "row_version": row["row_version"],
            "base_price_text": plain_amount(row["base_price"], row["currency"]),
            **_coming(ctx, row),
        }
    )


def lacking(ctx: Context, listing: Row) -> list[str]:
    """What a listing lacks before guests may find it."""
    found = []
    for table, thing in (("stays_listing_photo", "a photo"), ("stays_listing_room", "a room")):
        sql = f"SELECT 1 FROM {table} WHERE listing_id = ? LIMIT 1"
        if ctx.conn.execute(sql, (listing["id"],)).fetchone() is None:
            found.append(thing)
    if not listing["street"]:
        found.append("a street")
    return found


@query("stays")
def listing_choices(ctx: Context) -> dict[str, Any]:
    """What there is to choose from in listings: amenities by group, policies, property types, places."""
    me(ctx)
    return {
        "amenities": ctx.store.all('SELECT code, label, grp AS "group" FROM stays_amenity ORDER BY sort'),
        "policies": ctx.store.all(
            "SELECT code, title, summary FROM stays_cancel_policy WHERE is_choice = 1 ORDER BY sort"
        ),
        "property_types": property_types(ctx),
        "room_types": ["entire_home", "private_room", "shared_room", "hotel_room"],
        "places": ctx.store.all(
            "SELECT id, full_name, currency, tz FROM stays_place WHERE kind IN ('city', 'district') "
            "ORDER BY name_norm, id"
        ),
        "photo_rooms": list(ROOMS),
        "rules": list(_RULES),
    }
