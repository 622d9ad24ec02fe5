"""Which listings fit a search, prices apart (STAY-8): the place or map box, filters, free nights, rules of dates."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from ...kit.call import Context
from ...kit.dates import local_date
from ...kit.errors import Invalid
from ...kit.money import round_half_up
from ...kit.roles import Row
from ..rules_prices import Prices
from ..rules_stays import StayRules, date_faults, days_between, shifted
from .inputs import SearchInput
from .places import place, resolve, subtree

FREE_POLICIES = ("flexible", "moderate")


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


def area_of(ctx: Context, values: SearchInput) -> Area:
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
        params["free"] = json.dumps(FREE_POLICIES)
    if values.host_language:
        clauses.append("EXISTS (SELECT 1 FROM json_each(u.languages) WHERE value = :language COLLATE NOCASE)")
        params["language"] = values.host_language
    for number, code in enumerate([*values.amenities, *(["step_free"] if values.step_free else [])]):
        clauses.append(
            f"EXISTS (SELECT 1 FROM stays_listing_amenity a WHERE a.listing_id = l.id AND a.amenity = :amenity{number})"
        )
        params[f"amenity{number}"] = code
    return clauses, params


def check_known(ctx: Context, values: SearchInput) -> None:
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


def candidates(ctx: Context, values: SearchInput, area: Area, stay: tuple[str, str] | None) -> list[Row]:
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
    todays = {tz: local_date(ctx.now, tz) for tz in sorted({row["tz"] for row in rows})}
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
