"""Search (STAY-8): one place or map box, dates, guests, filters; exact counts; an order that is total."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from ...kit.call import Context
from ...kit.dates import local_date, month_end
from ...kit.errors import Invalid
from ...kit.money import exponent, round_half_up
from ...kit.operations import query
from ...kit.roles import Row
from ..rules_prices import Quote, average_night, converted, rate_between
from ..rules_ranking import distance_m, rating_text, recommended
from ..rules_stays import days_between, shifted
from .candidates import FREE_POLICIES, Area, area_of, candidates, check_known, ratings
from .checks import check_dates, party_of
from .inputs import SearchInput
from .people import me, money
from .places import degrees, shown
from .pricing import Pricing
from .rates import corporate_rates, rate

PAGE_SIZE = 18
RATED_FROM = 3
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
        self.area: Area = area_of(ctx, values)
        self.ratings = ratings(ctx)
        self.party = party_of(values)
        self._todays: dict[str, str] = {}
        self._pricing: dict[tuple[str, str], Pricing] = {}

    def hits(self) -> list[Hit]:
        """Every listing that fits but for its price."""
        found: dict[str, Hit] = {}
        for stay in _stays(self.values):
            rows = [row for row in candidates(self.ctx, self.values, self.area, stay) if row["id"] not in found]
            rows = [row for row in rows if self._rated(row)]
            pricing = None
            if stay is not None:
                pricing = self._pricing[stay] = Pricing(self.ctx, rows, *stay, self.currency)
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
        if self.values.price_mode == "total":
            hit.quote = pricing.quote(row, self.party, self._today(row["tz"]))
            hit.price = hit.quote.total
        else:
            average = average_night([night.price for night in pricing.nightly(row)])
            hit.price = converted(average, row["currency"], self.currency, pricing.rate(row["currency"]))
        return hit

    def _today(self, tz: str) -> str:
        if tz not in self._todays:
            self._todays[tz] = local_date(self.ctx.now, tz)
        return self._todays[tz]

    def priced(self, hits: list[Hit]) -> list[Hit]:
        """The same with the price of each, where there are dates."""
        for hit in hits:
            if hit.stay is not None and hit.quote is None:
                hit.quote = self._pricing[hit.stay].quote(hit.row, self.party, self._today(hit.row["tz"]))
        return hits

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
    check_known(ctx, values)
    if values.sort == "distance" and not (values.location or values.placeId):
        raise Invalid("an order by distance needs a place", field="sort")
    work = _Search(ctx, values)
    every = work.hits()
    fitting = work.ordered(work.in_price(every))
    first = (values.page - 1) * PAGE_SIZE
    shown_hits = work.priced(fitting[first : first + PAGE_SIZE])
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
    found["free_cancellation"] = sum(1 for hit in hits if hit.row["policy_code"] in FREE_POLICIES)
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
