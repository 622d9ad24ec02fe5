"""A listing as guests see it, and its reviews (J7)."""

from __future__ import annotations

from typing import Any

from ...kit.call import Context
from ...kit.dates import local_date
from ...kit.errors import Invalid
from ...kit.norm import norm
from ...kit.operations import query
from ...kit.roles import Row
from ..rules_ranking import rating_text
from ..rules_stays import applying_policy, hour_text, weekday_names, zone_place
from .calendars import visible_listing
from .inputs import ListingInput, QuoteInput, ReviewsInput
from .people import me, money, person
from .quotes import quote
from .search import RATED_FROM, card

CATEGORIES = ("cleanliness", "accuracy", "checkin", "communication", "location", "value")
_PUBLISHED = "r.listing_id = ? AND r.direction IN ('guest_to_host', 'system') AND r.is_published = 1"


def rating_of(ctx: Context, listing_id: str) -> tuple[int | None, int]:
    """The mean in hundredths, hidden under 3 reviews (J7), and how many there are."""
    sql = (
        "SELECT count(*), coalesce(sum(overall), 0) FROM stays_review WHERE listing_id = ? "
        "AND direction = 'guest_to_host' AND is_published = 1"
    )
    count, total = ctx.conn.execute(sql, (listing_id,)).fetchone()
    return ((total * 200 + count) // (2 * count) if count >= RATED_FROM else None), count


def _categories(ctx: Context, listing_id: str) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for name in CATEGORIES:
        sql = (
            f'SELECT count("{name}"), sum("{name}") FROM stays_review WHERE listing_id = ? '
            "AND direction = 'guest_to_host' AND is_published = 1"
        )
        count, total = ctx.conn.execute(sql, (listing_id,)).fetchone()
        found[name] = rating_text((total * 200 + count) // (2 * count)) if count >= RATED_FROM else None
    return found


def parts_of(ctx: Context, listing_id: str) -> dict[str, Any]:
    """Rooms, amenities, house rules, photos and seasons of a listing."""
    key = (listing_id,)
    amenities = ctx.store.all(
        'SELECT a.code, a.label, a.grp AS "group", l.note FROM stays_listing_amenity l JOIN stays_amenity a '
        "ON a.code = l.amenity WHERE l.listing_id = ? ORDER BY a.sort",
        key,
    )
    rooms = ctx.store.all(
        "SELECT pos, name, is_bedroom, double_beds, single_beds, sofa_beds FROM stays_listing_room "
        "WHERE listing_id = ? ORDER BY pos",
        key,
    )
    rules = ctx.store.all("SELECT code, value FROM stays_listing_rule WHERE listing_id = ? ORDER BY code", key)
    photos = ctx.store.all(
        "SELECT pos, caption, room, seed FROM stays_listing_photo WHERE listing_id = ? ORDER BY pos", key
    )
    return {"amenities": amenities, "rooms": rooms, "rules": rules, "photos": photos}


@query("stays")
def listing(ctx: Context, values: ListingInput) -> dict[str, Any]:
    """A listing: facts, rooms, amenities, house rules, hours, policy, host, rating, photos.

    `quote` is what `quote` gives for the dates; without dates it is null and `price_note` says so. Location is that of
    the neighbourhood; the street is told to guests with a confirmed reservation.
    """
    me(ctx)
    row = visible_listing(ctx, values.id)
    if (values.checkin is None) != (values.checkout is None):
        raise Invalid("dates need both checkin and checkout", field="checkin" if values.checkin is None else "checkout")
    rating, count = rating_of(ctx, row["id"])
    place = ctx.store.get("stays_place", row["place_id"])
    found = None
    if values.checkin is not None and values.checkout is not None:
        given = values.model_dump(exclude={"id"}, exclude_none=True)
        found = quote(ctx, QuoteInput(listing=values.id, **given))
    return (
        card(row, place["full_name"] if place else "", rating, count)
        | facts(row)
        | parts_of(ctx, row["id"])
        | {
            "host": person(ctx, row["host_id"]),
            "is_own": row["host_id"] == ctx.person_id,
            "street": _street(ctx, row),
            "categories": _categories(ctx, row["id"]),
            "policy_title": _policy_title(ctx, applying_policy(row["policy_code"], "standard", 1)),
            "today": local_date(ctx.now, row["tz"]),
            "quote": found,
            "price_note": None if found else "Give checkin and checkout for a price; prices here are nightly, no fees.",
            "wishlists": _saved_in(ctx, row["id"]),
        }
    )


def _saved_in(ctx: Context, listing_id: str) -> list[str]:
    sql = (
        "SELECT w.id FROM stays_wishlist w JOIN stays_wishlist_item i ON i.wishlist_id = w.id "
        "WHERE w.user_id = ? AND i.listing_id = ? ORDER BY w.name_norm, w.id"
    )
    return [row[0] for row in ctx.conn.execute(sql, (ctx.person_id, listing_id))]


def _street(ctx: Context, row: Row) -> str | None:
    sql = (
        "SELECT 1 FROM stays_reservation WHERE guest_id = ? AND listing_id = ? "
        "AND status IN ('confirmed', 'completed') LIMIT 1"
    )
    if row["host_id"] == ctx.person_id or ctx.conn.execute(sql, (ctx.person_id, row["id"])).fetchone():
        return str(row["street"]) if row["street"] else None
    return None


def _policy_title(ctx: Context, code: str) -> str:
    row = ctx.store.get("stays_cancel_policy", code)
    return str(row["title"]) if row else code


def facts(row: Row) -> dict[str, Any]:
    """The listing's own figures; money in its currency."""
    code = row["currency"]
    names = ("base_price", "weekend_price", "extra_guest_fee", "cleaning_fee", "pet_fee")
    plain = (
        *("description", "place_id", "tz", "inventory", "included_guests", "max_infants", "max_pets", "currency"),
        *("weekly_bp", "monthly_bp", "early_bird_days", "early_bird_bp", "last_minute_days", "last_minute_bp"),
        *("nonrefundable_bp", "min_nights", "max_nights", "checkin_from", "checkin_to", "checkout_by"),
        *("checkin_weekdays", "advance_notice_days", "prep_days", "window_days", "policy_code", "status", "listed_on"),
        "row_version",
    )
    return (
        {name: row[name] for name in plain}
        | {name: None if row[name] is None else money(row[name], code) for name in names}
        | {
            "checkin_text": f"after {hour_text(row['checkin_from'])}, {zone_place(row['tz'])} time",
            "checkout_text": f"before {hour_text(row['checkout_by'])}, {zone_place(row['tz'])} time",
            "checkin_days": None if len(set(row["checkin_weekdays"])) == 7 else weekday_names(row["checkin_weekdays"]),
        }
    )


_ORDERS = {
    "newest": "r.published_at DESC, r.id",
    "oldest": "r.published_at, r.id",
    "highest": "r.overall IS NULL, r.overall DESC, r.published_at DESC, r.id",
    "lowest": "r.overall IS NULL, r.overall, r.published_at DESC, r.id",
}


@query("stays")
def reviews(ctx: Context, values: ReviewsInput) -> dict[str, Any]:
    """Published reviews of a listing, with the host's replies; `direction` system: what a host's cancellation left."""
    me(ctx)
    row = visible_listing(ctx, values.listing)
    rows = ctx.store.all(
        "SELECT r.id, r.direction, r.overall, r.cleanliness, r.accuracy, r.checkin, r.communication, r.location, "
        "r.value, r.body, r.published_at, r.reply, r.reply_at, r.author_id, u.first_name AS author, v.checkin AS stay, "
        "v.code FROM stays_review r JOIN stays_user u ON u.id = r.author_id "
        f"JOIN stays_reservation v ON v.id = r.reservation_id WHERE {_PUBLISHED} ORDER BY {_ORDERS[values.sort]}",
        (row["id"],),
    )
    if values.text and norm(values.text):
        wanted = norm(values.text)
        rows = [one for one in rows if wanted in norm(f"{one['body']} {one['reply'] or ''}")]
    is_host = row["host_id"] == ctx.person_id
    for one in rows:
        one["stayed_in"] = one.pop("stay")[:7]
        code = one.pop("code")
        if is_host:
            one["code"] = code
    rating, count = rating_of(ctx, row["id"])
    return {
        "rows": rows[values.offset : values.offset + values.limit],
        "total": len(rows),
        "rating": None if rating is None else rating_text(rating),
        "count": count,
        "categories": _categories(ctx, row["id"]),
    }
