"""STAY-10: each condition of a coupon, and the message that names it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deskgym_apps.kit.errors import ServiceError

from .fixture import ANA, BEN, HANNA, ROOM, TWIN, VISA, World, credit


def coupon(**more: Any) -> dict[str, list[dict[str, Any]]]:
    base = {
        "code": "TRY",
        "title": "Try",
        "kind": "amount",
        "value": 1000,
        "currency": "USD",
        "starts_on": "2031-01-01",
        "ends_on": "2031-12-31",
    }
    return {"stays_coupon": [base | more]}


def test_stay_10_hello50_takes_50_off_in_any_case(world: World) -> None:
    booked = world.book(coupon="Hello50")
    assert booked["total"]["amount"] == "618.25"
    row = world.rows("reservation")[0]
    assert (row["coupon_code"], row["coupon_amount"], row["total"]) == ("HELLO50", 5000, 61825)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"starts_on": "2031-04-15"}, "can be used from 2031-04-15 on"),
        ({"ends_on": "2031-04-13"}, "ended on 2031-04-13"),
        ({"min_subtotal": 52501}, "needs a subtotal of 525.01 USD"),
        ({"min_nights": 4}, "needs 4 nights, not 3"),
        ({"stay_from": "2031-06-13"}, "nights from 2031-06-13 on"),
        ({"stay_to": "2031-06-14"}, "nights before 2031-06-14"),
        ({"place_id": TWIN}, "stays in Valencia only"),
    ],
)
def test_stay_10_the_condition_that_fails_is_named(
    world_with: Callable[..., World], columns: dict[str, Any], said: str
) -> None:
    world = world_with(coupon(**columns))
    quoted = world.quote(coupon="TRY")
    assert said in quoted["coupon_error"]
    with pytest.raises(ServiceError) as refused:
        world.do("book", ANA, quote_id=quoted["quote_id"], payment_method=VISA, accept_policy=True, coupon="try")
    assert (refused.value.code, refused.value.field) == ("coupon", "coupon")
    assert said in refused.value.message
    assert world.rows("reservation") == []


@pytest.mark.parametrize(
    "columns",
    [{"starts_on": "2031-04-14"}, {"ends_on": "2031-04-14"}, {"min_subtotal": 52500}, {"stay_to": "2031-06-15"}],
)
def test_stay_10_bounds_are_included(world_with: Callable[..., World], columns: dict[str, Any]) -> None:
    assert world_with(coupon(**columns)).quote(coupon="TRY")["coupon_error"] is None


def test_stay_10_a_percentage_is_capped(world_with: Callable[..., World]) -> None:
    world = world_with(coupon(kind="percent", value=2000, max_discount=3000))
    assert world.quote(coupon="TRY")["total"]["amount"] == "638.25"
    world = world_with(coupon(kind="percent", value=1000))
    assert world.quote(coupon="TRY")["total"]["amount"] == "615.75"


def test_stay_10_it_is_used_once_a_person_until_a_full_refund_gives_it_back(world: World) -> None:
    later = {"checkin": "2031-07-03", "checkout": "2031-07-06"}
    code = world.book(coupon="HELLO50")["code"]
    assert "used HELLO50 already" in world.quote(coupon="HELLO50", **later)["coupon_error"]
    assert world.quote(BEN, coupon="HELLO50", **later)["coupon_error"] is None
    world.do("cancel", ANA, code=code, confirm_refund="618.25")
    assert world.quote(coupon="HELLO50", **later)["coupon_error"] is None


def test_stay_10_a_declined_request_gives_it_back(world: World) -> None:
    code = world.book(listing=ROOM, coupon="HELLO50")["code"]
    world.do("decide", HANNA, id=code, action="decline")
    assert world.quote(coupon="HELLO50")["coupon_error"] is None


def test_stay_10_used_up_and_for_first_bookings_only(world_with: Callable[..., World]) -> None:
    later = {"checkin": "2031-07-03", "checkout": "2031-07-06"}
    world = world_with(coupon(total_uses=1))
    world.book(BEN, coupon="TRY")
    assert "used up" in world.quote(coupon="TRY", **later)["coupon_error"]
    world = world_with(coupon(first_booking_only=1))
    world.book()
    assert "first booking" in world.quote(coupon="TRY", **later)["coupon_error"]


def test_coupon_check_says_what_it_takes_off(world: World) -> None:
    stay = {"listing": ROOM, "checkin": "2031-06-12", "checkout": "2031-06-15", "adults": 2, "children": 1}
    found = world.do("coupon_check", ANA, **stay, coupon="hello50")
    assert (found["valid"], found["discount"]["amount"], found["total"]["amount"]) == (True, "50.00", "618.25")
    assert "there is no coupon" in world.do("coupon_check", ANA, **stay, coupon="nope")["message"]


def test_stay_10_credit_that_another_booking_took_meanwhile_is_a_conflict_not_a_dearer_stay(
    world_with: Callable[..., World],
) -> None:
    world = world_with({"stays_credit": [credit(1, 5_000, "2032-01-01")]})
    first, second = (world.quote(use_credit=True, children=count) for count in (1, 0))
    given = {"payment_method": VISA, "accept_policy": True}
    world.do("book", ANA, quote_id=first["quote_id"], **given)
    with pytest.raises(ServiceError) as refused:
        world.do("book", ANA, quote_id=second["quote_id"], **given)
    assert refused.value.code == "quote_expired"
