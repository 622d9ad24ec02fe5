"""STAY-8: places, filters, prices, order and counts; J7."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deskgym_apps.kit.errors import ServiceError

from .fixture import (
    ANA,
    BEN,
    CHECKIN,
    CHECKOUT,
    CITY,
    HANNA,
    HOTEL,
    LANDMARK,
    LOFT,
    OTTO,
    ROOM,
    TWIN,
    World,
    ident,
    listing,
)

DATES = {"checkin": CHECKIN, "checkout": CHECKOUT, "adults": 2, "children": 1}


def ids(found: Any) -> list[str]:
    return [row["id"] for row in found["rows"]]


def test_stay_8_a_name_is_one_place_and_others_of_the_name_are_offered(world: World) -> None:
    found = world.do("search", ANA, location="valencia")
    assert (found["place"]["id"], [row["id"] for row in found["others"]]) == (CITY, [TWIN])
    assert found["total"] == 3
    assert world.do("search", ANA, location="VLC")["place"]["id"] == CITY
    assert world.do("search", ANA, location="Quay")["place"]["id"] == LANDMARK
    assert world.do("search", ANA, placeId=TWIN)["total"] == 0
    assert world.do("search", ANA, location="Valencia, West Seamark")["place"]["id"] == TWIN


def test_stay_8_an_unknown_place_is_refused(world: World) -> None:
    with pytest.raises(ServiceError) as refused:
        world.do("search", ANA, location="Valensia City")
    assert refused.value.field == "location"


def test_stay_8_with_dates_each_result_has_its_total_and_without_there_is_none(world: World) -> None:
    found = world.do("search", ANA, **DATES)
    assert {row["id"]: row["total"]["amount"] for row in found["rows"]} == {
        LOFT: "668.25",
        ROOM: "668.25",
        HOTEL: "668.25",
    }
    plain = world.do("search", ANA)
    assert all(row["total"] is None for row in plain["rows"])
    assert plain["price_note"] is not None
    assert plain["rows"][0]["nightly"]["amount"] == "128.57"


def test_stay_8_the_price_filter_takes_its_bounds_and_the_mode(world: World) -> None:
    def total(**more: Any) -> int:
        return int(world.do("search", ANA, **DATES, **more)["total"])

    assert (total(maxPrice="140"), total(maxPrice="139.99"), total(minPrice="140.01")) == (3, 0, 0)
    assert (total(price_mode="total", maxPrice="668.25"), total(price_mode="total", maxPrice="668.24")) == (3, 0)


def test_stay_8_prices_are_in_the_currency_asked_for(world: World) -> None:
    found = world.do("search", ANA, **DATES, currency="EUR")
    assert (found["currency"], found["rows"][0]["total"]) == ("EUR", {"amount": "607.51", "currency": "EUR"})


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"propertyType": "private_room"}, [ROOM]),
        ({"amenities": ["wifi"]}, [LOFT, ROOM]),
        ({"amenities": ["wifi", "parking"]}, []),
        ({"instant_book": True}, [LOFT, HOTEL]),
        ({"free_cancellation": True}, [LOFT, ROOM]),
        ({"bedrooms": 2}, []),
        ({"baths": 1}, [LOFT, ROOM, HOTEL]),
        ({"host_language": "EN"}, [LOFT, ROOM, HOTEL]),
        ({"step_free": True}, []),
        ({"superhost": True}, []),
        ({"property_types": ["apartment"]}, [LOFT, ROOM, HOTEL]),
    ],
)
def test_stay_8_each_filter_leaves_what_fits(world: World, given: dict[str, Any], expected: list[str]) -> None:
    found = world.do("search", ANA, **given)
    assert (sorted(ids(found)), found["total"]) == (sorted(expected), len(expected))


def test_stay_8_a_map_box_finds_what_lies_in_it(world: World) -> None:
    box = {"south": "40.5105", "west": "-74.1", "north": "40.5115", "east": "-74"}
    assert ids(world.do("search", ANA, **box)) == [LOFT]
    with pytest.raises(ServiceError) as refused:
        world.do("search", ANA, south="40", west="-74.1", north="41")
    assert refused.value.field == "east"


def test_stay_8_own_listings_and_drafts_are_not_found(world: World) -> None:
    assert ids(world.do("search", HANNA)) == [HOTEL]
    assert sorted(ids(world.do("search", OTTO))) == [LOFT, ROOM]


def test_stay_8_any_weekend_of_a_month(world: World) -> None:
    world.book(BEN, checkin="2031-06-05", checkout="2031-06-08")
    found = world.do("search", ANA, weekend_in="2031-06")
    assert {row["id"]: row["checkin"] for row in found["rows"]}[LOFT] == "2031-06-13"
    assert {row["id"]: row["checkin"] for row in found["rows"]}[ROOM] == "2031-06-06"


def _reviews(listing_id: str, stars: list[int]) -> dict[str, list[dict[str, Any]]]:
    stays = [
        {
            "id": ident("RSV", number),
            "code": f"HB{number:06d}",
            "listing_id": listing_id,
            "guest_id": BEN,
            "status": "completed",
            "checkin": f"2030-0{number}-01",
            "checkout": f"2030-0{number}-03",
            "checkin_from": "15:00",
            "adults": 1,
            "policy_code": "flexible",
            "currency": "USD",
            "charge_currency": "USD",
            "fx_rate_ppm": 1_000_000,
            "total": 0,
            "created_at": "2030-01-01T00:00:00Z",
            "confirmed_at": "2030-01-01T00:00:00Z",
            "updated_at": "2030-01-01T00:00:00Z",
        }
        for number in range(1, len(stars) + 1)
    ]
    reviews = [
        {
            "id": ident("RVW", number),
            "reservation_id": ident("RSV", number),
            "listing_id": listing_id,
            "author_id": BEN,
            "direction": "guest_to_host",
            "overall": star,
            "body": "Fine",
            "submitted_at": "2030-09-01T00:00:00Z",
            "is_published": 1,
            "published_at": "2030-09-01T00:00:00Z",
        }
        for number, star in enumerate(stars, start=1)
    ]
    return {"stays_reservation": stays, "stays_review": reviews}


def test_j7_a_rating_is_the_mean_half_up_and_hidden_under_3_reviews(world_with: Callable[..., World]) -> None:
    three, two = world_with(_reviews(LOFT, [5, 4, 4])), world_with(_reviews(LOFT, [5, 4]))
    assert three.do("listing", ANA, id=LOFT)["rating"] == "4.33"
    assert three.do("reviews", ANA, listing=LOFT)["total"] == 3
    assert two.do("listing", ANA, id=LOFT)["rating"] is None
    assert ids(three.do("search", ANA, min_rating="4.33")) == [LOFT]
    assert ids(three.do("search", ANA, min_rating="4.34")) == []
    assert len(ids(three.do("search", ANA, min_rating="4.34", include_new=True))) == 2
    assert ids(two.do("search", ANA, min_rating="1")) == []


def test_stay_8_pages_hold_18_and_the_order_is_total(world_with: Callable[..., World]) -> None:
    more = [listing(number, OTTO, f"Flat {number}", base_price=9000 + 100 * (number % 7)) for number in range(10, 50)]
    world = world_with({"stays_listing": more})
    for sort in ("recommended", "price_low", "price_high", "rating", "newest"):
        pages = [world.do("search", ANA, **DATES, sort=sort, page=page) for page in (1, 2, 3, 4)]
        seen = [row for page in pages for row in ids(page)]
        assert [len(page["rows"]) for page in pages] == [18, 18, 7, 0]
        assert (len(set(seen)), pages[0]["total"]) == (43, 43)
    cheap = world.do("search", ANA, **DATES, sort="price_low")["rows"]
    prices = [(float(row["nightly"]["amount"]), row["id"]) for row in cheap]
    assert prices == sorted(prices)


def test_stay_8_search_agrees_with_the_quote_about_every_listing_and_stay(world_with: Callable[..., World]) -> None:
    seasons = [
        {
            "id": ident("SEA", 1),
            "listing_id": LOFT,
            "name": "Summer",
            "date_from": "2031-06-13",
            "date_to": "2031-06-20",
            "adjust_bp": 3000,
            "priority": 1,
        }
    ]
    nights = [{"listing_id": LOFT, "night": "2031-06-14", "price": 7700}]
    world = world_with({"stays_season": seasons, "stays_calendar_override": nights}, min_nights=2, prep_days=1)
    world.book(BEN, checkin="2031-06-20", checkout="2031-06-22")
    for first in range(8, 25):
        for last in range(first + 1, min(first + 9, 30)):
            dates = {"checkin": f"2031-06-{first:02d}", "checkout": f"2031-06-{last:02d}"}
            found = {row["id"]: row["total"] for row in world.do("search", ANA, **dates, adults=2)["rows"]}
            quoted = world.do("quote", ANA, listing=LOFT, **dates, adults=2)
            assert quoted["bookable"] == (LOFT in found), dates
            assert LOFT not in found or found[LOFT] == quoted["total"], dates


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"checkin": CHECKIN}, "checkout"),
        ({"checkin": CHECKOUT, "checkout": CHECKIN}, "checkout"),
        ({"checkin": CHECKIN, "checkout": CHECKIN}, "checkout"),
        ({"checkin": "2031-01-01", "checkout": "2032-02-05"}, "checkout"),
        ({"checkin": "9999-01-01", "checkout": "9999-01-02"}, "checkin"),
        ({"checkin": "2031-02-30", "checkout": "2031-03-01"}, "checkin"),
        ({"adults": -1}, "adults"),
        ({"adults": 0}, "adults"),
        ({"adults": 17}, "adults"),
        ({"location": "Nowhere at all"}, "location"),
        ({"location": "\u202egnp.exe"}, "location"),
        ({"amenities": ["jacuzzi'--"]}, "amenities"),
        ({"property_types": ["castle"]}, "property_types"),
        ({"minPrice": "-1"}, "minPrice"),
        ({"minPrice": "9", "maxPrice": "3"}, "minPrice"),
        ({"price_mode": "total"}, "price_mode"),
        ({"sort": "distance"}, "sort"),
        ({"currency": "XXX"}, "currency"),
        ({"weekend_in": "2031-13"}, "weekend_in"),
        ({"weekend_in": "2031-06", "checkin": CHECKIN, "checkout": CHECKOUT}, "weekend_in"),
        ({"page": 0}, "page"),
        ({"south": "91", "west": "0", "north": "91", "east": "0"}, "south"),
    ],
)
def test_x_9_what_search_does_not_understand_is_refused_with_its_field(
    world: World, given: dict[str, Any], field: str
) -> None:
    with pytest.raises(ServiceError) as refused:
        world.do("search", ANA, **given)
    assert (refused.value.field, refused.value.status // 100) == (field, 4)


def test_hostile_texts_find_nothing_and_break_nothing(world: World) -> None:
    for text in ("%", "_", "' OR 1=1 --", "Ω≈ç√", "🏠" * 30, "\\", "a" * 120):
        assert world.do("places", ANA, text=text)["total"] == 0
    assert world.do("search", ANA, checkin="2199-12-30", checkout="2199-12-31")["total"] == 0
    assert world.do("search", ANA, checkin="1999-12-30", checkout="1999-12-31")["total"] == 0
