"""Search (STAY-8): one place or map box, dates, guests, filters; exact counts; an order that is total."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from ...kit.call import Context
from ...kit.dates import local_date, month_end
from ...kit.errors import Invalid
from ...kit.money import exponent, round_half_up
from ...kit.operations import query
from ...kit.roles import Row
from ..rules_prices import Prices, Quote, average_night, converted, rate_between
from ..rules_ranking import distance_m, rating_text, recommended
from ..rules_stays import StayRules, date_faults, days_between, shifted
from .checks import check_dates, party_of
from .inputs import SearchInput
from .people import me, money
from .places import degrees, place, resolve, shown, subtree
from .pricing import Pricing
from .rates import corporate_rates, rate

PAGE_SIZE = 18
RATED_FROM = 3
_FREE_POLICIES = ("flexible", "moderate")
_BUCKETS = 12


@dataclass(slots=True)
class Hit:
    """A listing that fits. `price`: in the currency shown, nightly or total as asked; minor units."""

    row: Row
    score: int
    price: int
    rating: int | None
    distance: int
    stay: tuple[str, str] | None = None
    quote: Quote | None = None


@dataclass
class Area:
    """Where is searched."""

    place: Row | None = None
    others: list[Row] = field(default_factory=list)
    clauses: list[str] = field(default_factory=list)
    params: dict[str, Any] = field(default_factory=dict)


def _e6(text: str, side: str) -> int:
    value = Decimal(text)
    if abs(value) > (180 if side in ("west", "east") else 90):
        raise Invalid(f"{side} is {text}; degrees go to 180 east and west, to 90 north and south", field=side)
    return round_half_up(value * 1_000_000)


def _area(ctx: Context, values: SearchInput) -> Area:
    area = Area()
    if values.placeId is not None:
        area.place = place(ctx, values.placeId)
    elif values.location:
        area.place, area.others = resolve(ctx, values.location)
    sides = {side: getattr(values, side) for side in ("south", "west", "north", "east")}
    given = {side: _e6(text, side) for side, text in sides.items() if text is not None}
    if given and len(given) < 4:
        missing = next(side for side in sides if side not in given)
        raise Invalid("a map box needs south, west, north and east", field=missing)
    if given:
        if given["south"] > given["north"] or given["west"] > given["east"]:
            raise Invalid("south must not be above north, nor west beyond east", field="south")
        area.clauses.append("l.lat_e6 BETWEEN :south AND :north AND l.lng_e6 BETWEEN :west AND :east")
        area.params |= given
    elif area.place is not None:
        _inside(ctx, area, area.place)
    return area


def _inside(ctx: Context, area: Area, found: Row) -> None:
    """A place's subtree; around a landmark, all of its city or district."""
    root = found["parent_id"] if found["kind"] == "landmark" and found["parent_id"] else found["id"]
    area.clauses.append("l.place_id IN (SELECT value FROM json_each(:places))")
    area.params["places"] = json.dumps(subtree(ctx, root))


def _filters(values: SearchInput) -> tuple[list[str], dict[str, Any]]:
    clauses = ["l.status = 'listed'", "l.host_id <> :me", "l.max_guests >= :guests", "l.max_infants >= :infants"]
    params: dict[str, Any] = {"guests": values.adults + values.children, "infants": values.infants}
    if values.pets:
        clauses.append("l.pets_allowed = 1 AND l.max_pets >= :pets")
        params["pets"] = values.pets
    for column, least in (("bedrooms", values.bedrooms), ("beds", values.beds), ("baths_half", values.baths * 2)):
        if least:
            clauses.append(f"l.{column} >= :{column}")
            params[column] = least
    for column in ("instant_book", "self_checkin"):
        if getattr(values, column):
            clauses.append(f"l.{column} = 1")
    if values.superhost:
        clauses.append("u.is_superhost = 1")
    if values.propertyType:
        clauses.append("l.room_type = :room_type")
        params["room_type"] = values.propertyType
    if values.property_types:
        clauses.append("l.property_type IN (SELECT value FROM json_each(:property_types))")
        params["property_types"] = json.dumps(values.property_types)
    if values.free_cancellation:
        clauses.append("l.policy_code IN (SELECT value FROM json_each(:free))")
        params["free"] = json.dumps(_FREE_POLICIES)
    if values.host_language:
        clauses.append("EXISTS (SELECT 1 FROM json_each(u.languages) WHERE value = :language COLLATE NOCASE)")
        params["language"] = values.host_language
    for number, code in enumerate([*values.amenities, *(["step_free"] if values.step_free else [])]):
        clauses.append(
            f"EXISTS (SELECT 1 FROM stays_listing_amenity a WHERE a.listing_id = l.id AND a.amenity = :amenity{number})"
        )
        params[f"amenity{number}"] = code
    return clauses, params


def _check_known(ctx: Context, values: SearchInput) -> None:
    """Refuse codes that do not exist (X-9)."""
    codes = [row[0] for row in ctx.conn.execute("SELECT code FROM stays_amenity ORDER BY sort")]
    for code in values.amenities:
        if code not in codes:
            raise Invalid(f'there is no amenity "{code}"', field="amenities", allowed=codes)
    if values.property_types:
        sql = "SELECT DISTINCT property_type FROM stays_listing ORDER BY property_type"
        known = [row[0] for row in ctx.conn.execute(sql)]
        for kind in values.property_types:
            if kind not in known:
                raise Invalid(f'there is no property type "{kind}"', field="property_types", allowed=known)


_COLUMNS = ", ".join(
    f"l.{name}"
    for name in (
        *Prices.__slots__,
        *("id", "host_id", "title", "place_id", "lat_e6", "lng_e6", "tz", "property_type", "room_type", "max_guests"),
        *("bedrooms", "beds", "baths_half", "instant_book", "self_checkin", "pets_allowed", "policy_code", "listed_on"),
        *("min_nights", "max_nights", "checkin_weekdays", "advance_notice_days", "window_days", "prep_days"),
    )
)
_FREE = (
    "NOT EXISTS (SELECT 1 FROM stays_calendar_override c WHERE c.listing_id = l.id AND c.night >= :checkin "
    "AND c.night < :checkout AND c.blocked = 1)",
    "CASE WHEN l.inventory = 1 THEN NOT EXISTS (SELECT 1 FROM stays_reservation_night n WHERE n.listing_id = l.id "
    "AND n.night >= CASE l.prep_days WHEN 0 THEN :checkin WHEN 1 THEN :in1 ELSE :in2 END "
    "AND n.night < CASE l.prep_days WHEN 0 THEN :checkout WHEN 1 THEN :out1 ELSE :out2 END) "
    "ELSE NOT EXISTS (SELECT 1 FROM stays_reservation_night n WHERE n.listing_id = l.id AND n.night >= :checkin "
    "AND n.night < :checkout GROUP BY n.night HAVING count(*) >= l.inventory) END",
    "coalesce(m.min_nights, l.min_nights) <= :count AND l.max_nights >= :count",
    "instr(l.checkin_weekdays, :weekday) > 0",
)


def _candidates(ctx: Context, values: SearchInput, area: Area, stay: tuple[str, str] | None) -> list[Row]:
    clauses, params = _filters(values)
    clauses += area.clauses
    params |= area.params | {"me": ctx.person_id}
    joins = "JOIN stays_user u ON u.id = l.host_id"
    if stay is not None:
        checkin, checkout = stay
        joins += " LEFT JOIN stays_calendar_override m ON m.listing_id = l.id AND m.night = :checkin"
        clauses += _FREE
        params |= {
            "checkin": checkin,
            "checkout": checkout,
            "in1": shifted(checkin, -1),
            "in2": shifted(checkin, -2),
            "out1": shifted(checkout, 1),
            "out2": shifted(checkout, 2),
            "count": days_between(checkin, checkout),
            "weekday": str(date.fromisoformat(checkin).isoweekday()),
        }
    sql = (
        f"SELECT {_COLUMNS}, u.is_superhost, u.first_name AS host_name FROM stays_listing l {joins} "
        f"WHERE {' AND '.join(clauses)} ORDER BY l.id"
    )
    rows = ctx.store.all(sql, params)
    if stay is None:
        return list(rows)
    todays = {row["tz"]: local_date(ctx.now, row["tz"]) for row in rows}
    return [row for row in rows if _in_time(row, stay, todays[row["tz"]])]


def _in_time(row: Row, stay: tuple[str, str], today: str) -> bool:
    """Past dates, notice and window, by the listing's clock; the rest was asked already."""
    late = {"past", "advance_notice", "window"}
    return not any(fault.code in late for fault in date_faults(StayRules.of(row), *stay, today, None))


def ratings(ctx: Context) -> dict[str, tuple[int, int]]:
    """Count and sum of the published guests' reviews, by listing."""
    sql = (
        "SELECT listing_id, count(*), sum(overall) FROM stays_review WHERE direction = 'guest_to_host' "
        "AND is_published = 1 GROUP BY listing_id"
    )
    return {listing_id: (count, total) for listing_id, count, total in ctx.conn.execute(sql)}


def _weekends(values: SearchInput) -> list[tuple[str, str]]:
    first = date.fromisoformat(f"{values.weekend_in}-01")
    last = date.fromisoformat(month_end(first.isoformat()))
    days = (first + timedelta(days=step) for step in range((last - first).days + 1))
    return [(day.isoformat(), shifted(day.isoformat(), 2)) for day in days if day.isoweekday() == 5]


def _stays(values: SearchInput) -> list[tuple[str, str] | None]:
    if (values.checkin is None) != (values.checkout is None):
        missing = "checkout" if values.checkout is None else "checkin"
        raise Invalid("dates need both checkin and checkout", field=missing)
    if values.weekend_in is not None:
        if values.checkin is not None:
            raise Invalid("give dates or a month of weekends, not both", field="weekend_in")
        return [*_weekends(values)]
    if values.checkin is None or values.checkout is None:
        if values.price_mode == "total":
            raise Invalid("totals need dates; give checkin and checkout", field="price_mode")
        return [None]
    check_dates(values.checkin, values.checkout)
    return [(values.checkin, values.checkout)]


class _Search:
    def __init__(self, ctx: Context, values: SearchInput) -> None:
        self.ctx = ctx
        self.values = values
        self.currency = values.currency or me(ctx)["display_currency"]
        rate(ctx, self.currency, self.currency)
        self.rates = corporate_rates(ctx)
        self.area = _area(ctx, values)
        self.ratings = ratings(ctx)
        self.party = party_of(values)

    def hits(self) -> list[Hit]:
        """Every listing that fits but for its price."""
        found: dict[str, Hit] = {}
        for stay in _stays(self.values):
            rows = [row for row in _candidates(self.ctx, self.values, self.area, stay) if row["id"] not in found]
            rows = [row for row in rows if self._rated(row)]
            pricing = Pricing(self.ctx, rows, *stay, self.currency) if stay else None
            for row in rows:
                found[row["id"]] = self._hit(row, stay, pricing)
        return list(found.values())

    def _rated(self, row: Row) -> bool:
        if self.values.min_rating is None:
            return True
        count, total = self.ratings.get(row["id"], (0, 0))
        if count < RATED_FROM:
            return self.values.include_new
        return _mean(count, total) >= round_half_up(Decimal(self.values.min_rating) * 100)

    def _hit(self, row: Row, stay: tuple[str, str] | None, pricing: Pricing | None) -> Hit:
        count, total = self.ratings.get(row["id"], (0, 0))
        rating = _mean(count, total) if count >= RATED_FROM else None
        centre = self.area.place
        away = distance_m(centre["lat_e6"], centre["lng_e6"], row["lat_e6"], row["lng_e6"]) if centre else 0
        score = recommended(
            count, total, superhost=row["is_superhost"], instant=row["instant_book"], self_checkin=row["self_checkin"]
        )
        hit = Hit(row, score, 0, rating, away, stay)
        if pricing is None:
            weekend = row["weekend_price"] or row["base_price"]
            average = average_night([row["base_price"]] * 5 + [weekend] * 2)
            hit.price = converted(
                average, row["currency"], self.currency, rate_between(row["currency"], self.currency, self.rates)
            )
            return hit
        today = local_date(self.ctx.now, row["tz"])
        hit.quote = found = pricing.quote(row, self.party, today)
        hit.price = found.total if self.values.price_mode == "total" else nightly_shown(found)
        return hit

    def in_price(self, hits: list[Hit]) -> list[Hit]:
        """Those within the prices asked for, bounds included."""
        low, high = (self._bound(name) for name in ("minPrice", "maxPrice"))
        if low is not None and high is not None and low > high:
            raise Invalid("minPrice must not be above maxPrice", field="minPrice")
        return [hit for hit in hits if (low is None or hit.price >= low) and (high is None or hit.price <= high)]

    def _bound(self, name: str) -> int | None:
        text = getattr(self.values, name)
        if text is None:
            return None
        value = Decimal(text).scaleb(exponent(self.currency))
        if value < 0:
            raise Invalid(f"{name} is not below 0", field=name)
        return int(value.to_integral_value("ROUND_CEILING" if name == "minPrice" else "ROUND_FLOOR"))

    def ordered(self, hits: list[Hit]) -> list[Hit]:
        """In the order asked for; ids break every tie."""
        return sorted(hits, key=lambda hit: (*self._key(hit), hit.row["id"]))

    def _key(self, hit: Hit) -> tuple[int, ...]:
        match self.values.sort:
            case "recommended":
                return (-hit.score,)
            case "price_low":
                return (hit.price,)
            case "price_high":
                return (-hit.price,)
            case "rating":
                return (hit.rating is None, -(hit.rating or 0), -self.ratings.get(hit.row["id"], (0, 0))[0])
            case "distance":
                return (hit.distance,)
            case "newest":
                return (-days_between("1900-01-01", hit.row["listed_on"] or "1900-01-01"),)


def nightly_shown(found: Quote) -> int:
    """The label "a night" in the currency that is shown."""
    return converted(found.average, found.currency, found.charge_currency, found.rate_ppm)


def _mean(count: int, total: int) -> int:
    """Hundredths of a point, half-up (J7)."""
    return (total * 200 + count) // (2 * count)


@query("stays")
def search(ctx: Context, values: SearchInput) -> dict[str, Any]:
    """Listings that fit, 18 a page; `total` is exact. Without dates there is an average nightly price, no total.

    `place`: what location was understood as; `others`: places of exactly that name (STAY-8). `facets`: how many of
    the results are of each room_type, instant_book, self_checkin, pets, free_cancellation. `histogram`: how many
    listings lie in each of 12 buckets of price, the price filter apart. Rows: id, title, room_type, property_type,
    place, lat, lng, facts, rating (null under 3 reviews: "New"), reviews, host, nightly, total (null without dates),
    distance_m from the place's centre, photo.
    """
    _check_known(ctx, values)
    if values.sort == "distance" and not (values.location or values.placeId):
        raise Invalid("an order by distance needs a place", field="sort")
    work = _Search(ctx, values)
    every = work.hits()
    fitting = work.ordered(work.in_price(every))
    first = (values.page - 1) * PAGE_SIZE
    shown_hits = fitting[first : first + PAGE_SIZE]
    return {
        "place": None if work.area.place is None else shown(work.area.place),
        "others": [shown(row) for row in work.area.others],
        "total": len(fitting),
        "page": values.page,
        "page_size": PAGE_SIZE,
        "pages": -(-len(fitting) // PAGE_SIZE),
        "currency": work.currency,
        "price_mode": values.price_mode,
        "price_note": None if _stays(values)[:1] != [None] else "Totals need dates; prices are nightly, before fees.",
        "facets": _facets(fitting),
        "histogram": _histogram([hit.price for hit in every], work.currency),
        "rows": _rows(ctx, work, shown_hits),
    }


def _facets(hits: list[Hit]) -> dict[str, Any]:
    """How many of the results are of each kind."""
    rooms = dict.fromkeys(("entire_home", "private_room", "shared_room", "hotel_room"), 0)
    found: dict[str, Any] = {"room_type": rooms}
    for hit in hits:
        rooms[hit.row["room_type"]] += 1
    for name, column in (("instant_book", "instant_book"), ("self_checkin", "self_checkin"), ("pets", "pets_allowed")):
        found[name] = sum(1 for hit in hits if hit.row[column])
    found["free_cancellation"] = sum(1 for hit in hits if hit.row["policy_code"] in _FREE_POLICIES)
    return found


def _histogram(prices: list[int], currency: str) -> list[dict[str, Any]]:
    if not prices:
        return []
    low, high = min(prices), max(prices)
    step = max(1, -(-(high - low + 1) // _BUCKETS))
    found = []
    for number in range(_BUCKETS):
        start = low + number * step
        if start > high:
            break
        count = sum(1 for price in prices if start <= price < start + step)
        found.append({"from": money(start, currency), "to": money(start + step - 1, currency), "count": count})
    return found


def _rows(ctx: Context, work: _Search, hits: list[Hit]) -> list[dict[str, Any]]:
    ids = json.dumps([hit.row["id"] for hit in hits])
    photos: dict[str, list[dict[str, Any]]] = {}
    for row in ctx.store.all(
        "SELECT listing_id, pos, caption, room, seed FROM stays_listing_photo WHERE listing_id IN "
        "(SELECT value FROM json_each(?)) ORDER BY listing_id, pos",
        (ids,),
    ):
        photos.setdefault(row["listing_id"], []).append(row)
    names = {row["id"]: row["full_name"] for row in ctx.store.all("SELECT id, full_name FROM stays_place ORDER BY id")}
    saved = {
        row[0]
        for row in ctx.conn.execute(
            "SELECT i.listing_id FROM stays_wishlist_item i JOIN stays_wishlist w ON w.id = i.wishlist_id "
            "WHERE w.user_id = ?",
            (ctx.person_id,),
        )
    }
    return [_row(work, hit, photos.get(hit.row["id"], []), names, hit.row["id"] in saved) for hit in hits]


def _row(work: _Search, hit: Hit, photos: list[dict[str, Any]], names: dict[str, str], saved: bool) -> dict[str, Any]:
    row, found = hit.row, hit.quote
    count, _ = work.ratings.get(row["id"], (0, 0))
    return card(row, names[row["place_id"]], hit.rating, count) | {
        "host": {"id": row["host_id"], "first_name": row["host_name"], "is_superhost": bool(row["is_superhost"])},
        "checkin": hit.stay[0] if hit.stay else None,
        "checkout": hit.stay[1] if hit.stay else None,
        "nightly": money(nightly_shown(found) if found else hit.price, work.currency),
        "total": money(found.total, work.currency) if found else None,
        "distance_m": hit.distance if work.area.place is not None else None,
        "photos": [{key: photo[key] for key in ("pos", "caption", "room", "seed")} for photo in photos],
        "saved": saved,
    }


def card(row: Row, place_name: str, rating: int | None, reviews: int) -> dict[str, Any]:
    """What lists show of a listing."""
    return {
        "id": row["id"],
        "title": row["title"],
        "room_type": row["room_type"],
        "property_type": row["property_type"],
        "place": place_name,
        "lat": degrees(row["lat_e6"]),
        "lng": degrees(row["lng_e6"]),
        "max_guests": row["max_guests"],
        "bedrooms": row["bedrooms"],
        "beds": row["beds"],
        "baths": baths_text(row["baths_half"]),
        "instant_book": bool(row["instant_book"]),
        "self_checkin": bool(row["self_checkin"]),
        "pets_allowed": bool(row["pets_allowed"]),
        "policy": row["policy_code"],
        "rating": None if rating is None else rating_text(rating),
        "reviews": reviews,
    }


def baths_text(half: int) -> str:
    """`3` -> `1.5`."""
    return f"{half // 2}.5" if half % 2 else str(half // 2)
