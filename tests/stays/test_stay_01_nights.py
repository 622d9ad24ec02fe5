"""STAY-1 and STAY-2: half-open nights, one booking for each, and who may stay."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from deskgym_apps.kit.errors import ServiceError
from deskgym_apps.stays.rules_stays import conflict, nights_between

from .fixture import ANA, BEN, BENS, CHECKIN, CHECKOUT, HOTEL, LOFT, OTTO, ROOM, VISA, World, ident


def test_stay_1_a_stay_occupies_the_nights_from_checkin_to_the_one_before_checkout(world: World) -> None:
    booked = world.book()
    nights = [row["night"] for row in world.rows("reservation_night", reservation_id=booked["id"])]
    assert nights == ["2031-06-12", "2031-06-13", "2031-06-14"]


def test_stay_1_two_stays_conflict_exactly_where_they_share_a_night() -> None:
    days = [f"2031-06-{day:02d}" for day in range(1, 8)]
    stays = [(first, last) for first, last in product(days, days) if first < last]
    for one, other in product(stays, stays):
        shared = set(nights_between(*one)) & set(nights_between(*other))
        assert conflict(one, other) == bool(shared)


def test_stay_1_checkout_day_of_one_is_checkin_day_of_another(world: World) -> None:
    world.book()
    assert world.book(BEN, checkin=CHECKOUT, checkout="2031-06-17")["status"] == "confirmed"
    assert world.book(BEN, checkin="2031-06-10", checkout=CHECKIN)["status"] == "confirmed"


def test_stay_1_preparation_days_keep_a_gap_on_both_sides(world_with: Callable[..., World]) -> None:
    world = world_with(prep_days=1)
    world.book()
    for checkin, checkout in ((CHECKOUT, "2031-06-17"), ("2031-06-10", CHECKIN)):
        assert [fault["code"] for fault in world.quote(BEN, checkin=checkin, checkout=checkout)["faults"]] == [
            "dates_taken"
        ]
    assert world.quote(BEN, checkin="2031-06-16", checkout="2031-06-18")["bookable"]
    found = world.do("search", BEN, checkin=CHECKOUT, checkout="2031-06-17")
    assert LOFT not in [row["id"] for row in found["rows"]]


def test_stay_1_of_two_guests_who_book_the_same_nights_the_second_gets_409_and_pays_nothing(world: World) -> None:
    first, second = world.quote(), world.quote(BEN)
    world.do("book", ANA, quote_id=first["quote_id"], payment_method=VISA, accept_policy=True)
    with pytest.raises(ServiceError) as refused:
        world.do("book", BEN, quote_id=second["quote_id"], payment_method=BENS, accept_policy=True)
    assert (refused.value.code, refused.value.status) == ("dates_taken", 409)
    assert "just booked" in refused.value.message
    assert world.rows("payment", method_id=BENS) == []
    assert len(world.rows("reservation")) == 1


def test_stay_1_a_hotel_lets_as_many_rooms_as_it_has(world: World) -> None:
    stay: dict[str, Any] = {"listing": HOTEL, "children": 0}
    codes = [world.book(person, **stay)["code"] for person in (ANA, BEN)]
    assert codes == ["HB000001", "HB000002"]
    assert {row["unit"] for row in world.rows("reservation_night", night=CHECKIN)} == {1, 2}
    assert [fault["code"] for fault in world.quote(BEN, **stay)["faults"]] == ["dates_taken"]


def test_stay_1_a_blocked_night_is_not_free(world_with: Callable[..., World]) -> None:
    world = world_with({"stays_calendar_override": [{"listing_id": LOFT, "night": "2031-06-13", "blocked": 1}]})
    assert [fault["code"] for fault in world.quote()["faults"]] == ["dates_taken"]
    assert world.quote()["quote_id"] is None
    days = {day["date"]: day for day in world.do("calendar", ANA, listing=LOFT, **{"from": CHECKIN})["days"]}
    assert days["2031-06-13"]["reason"] == "blocked"
    assert (days["2031-06-13"]["checkout"], days["2031-06-14"]["checkout"]) == (True, False)


@pytest.mark.parametrize(
    ("guests", "codes"),
    [
        ({"adults": 2, "children": 2}, []),
        ({"adults": 4, "children": 1}, ["capacity"]),
        ({"adults": 2, "infants": 5}, []),
        ({"adults": 2, "infants": 6}, ["infants"]),
        ({"adults": 2, "pets": 1}, ["pets"]),
        ({"adults": 5, "children": 0, "pets": 1}, ["capacity", "pets"]),
        ({"adults": 2, "pets": 1, "service_animals": 1}, []),
    ],
)
def test_stay_2_who_may_stay(world: World, guests: dict[str, int], codes: list[str]) -> None:
    found = world.quote(**{"children": 0} | guests)
    assert [fault["code"] for fault in found["faults"]] == codes
    assert found["bookable"] == (not codes)


def test_stay_2_search_leaves_out_what_is_too_small(world: World) -> None:
    assert world.do("search", ANA, adults=4)["total"] == 3
    assert world.do("search", ANA, adults=4, children=1)["total"] == 0
    assert world.do("search", ANA, adults=1, pets=1)["total"] == 0


def test_stay_2_pets_up_to_the_listings_number(world_with: Callable[..., World]) -> None:
    world = world_with(pets_allowed=1, max_pets=1, pet_fee=2500)
    assert "pet" in [line["kind"] for line in world.quote(pets=1)["lines"]]
    assert [fault["code"] for fault in world.quote(pets=2)["faults"]] == ["pets"]


@pytest.mark.parametrize(
    ("columns", "stay", "code"),
    [
        ({"min_nights": 4}, {}, "min_nights"),
        ({"max_nights": 2}, {}, "max_nights"),
        ({"checkin_weekdays": "67"}, {}, "weekday"),
        ({"advance_notice_days": 60}, {}, "advance_notice"),
        ({"window_days": 60}, {}, "window"),
    ],
)
def test_stay_8_what_a_listing_asks_of_dates_holds_in_quote_search_and_booking(
    world_with: Callable[..., World], columns: dict[str, Any], stay: dict[str, str], code: str
) -> None:
    world = world_with(**columns)
    assert [fault["code"] for fault in world.quote(**stay)["faults"]] == [code]
    found = world.do("search", ANA, checkin=CHECKIN, checkout=CHECKOUT)
    assert LOFT not in [row["id"] for row in found["rows"]]
    assert ROOM in [row["id"] for row in found["rows"]]


def test_stay_8_the_minimum_of_the_checkin_night_wins(world_with: Callable[..., World]) -> None:
    override = [
        {"listing_id": LOFT, "night": CHECKIN, "min_nights": 2},
        {"listing_id": LOFT, "night": "2031-06-13", "min_nights": 9},
    ]
    world = world_with({"stays_calendar_override": override}, min_nights=5)
    assert world.quote()["bookable"]
    assert not world.quote(checkin="2031-06-13", checkout="2031-06-16")["bookable"]


def test_stay_1_own_listings_cannot_be_booked(world: World) -> None:
    found = world.quote(OTTO, listing=HOTEL)
    assert [fault["code"] for fault in found["faults"]] == ["own_listing"]


def test_a_draft_is_no_listing_for_others(world: World) -> None:
    with pytest.raises(ServiceError) as refused:
        world.quote(listing=ident("LST", 4))
    assert refused.value.status == 404
