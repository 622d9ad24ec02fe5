"""STAY-7 and STAY-11: requests, holds, offers, cards; and what others do as the clock moves."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from deskgym_apps.kit.call import advance_clock
from deskgym_apps.kit.errors import ServiceError

from .fixture import (
    ANA,
    BEN,
    CHECKED,
    CHECKIN,
    CHECKOUT,
    DECLINED,
    EXPIRED,
    FAILS,
    HANNA,
    LOFT,
    POOR,
    ROOM,
    VISA,
    World,
    ident,
)


def kinds(world: World) -> list[str]:
    return sorted(row["kind"] for row in world.rows("payment"))


def test_stay_7_a_request_holds_the_amount_and_no_night(world: World) -> None:
    booked = world.book(listing=ROOM)
    assert (booked["status"], booked["expires_at"]) == ("pending", "2031-04-15T09:00:01Z")
    assert (kinds(world), world.rows("reservation_night")) == (["authorise"], [])
    assert world.quote(BEN, listing=ROOM)["bookable"]


def test_stay_1_accepting_a_request_declines_all_that_overlap_and_voids_their_holds(world: World) -> None:
    first = world.book(listing=ROOM)
    overlapping = world.book(BEN, listing=ROOM, checkin="2031-06-14", checkout="2031-06-16")
    apart = world.book(BEN, listing=ROOM, checkin=CHECKOUT, checkout="2031-06-17")
    result = world.do("decide", HANNA, id=first["code"], action="accept")
    assert result["declined"] == [overlapping["code"]]
    statuses = {row["code"]: row["status"] for row in world.rows("reservation")}
    assert statuses == {first["code"]: "confirmed", overlapping["code"]: "declined", apart["code"]: "pending"}
    assert kinds(world) == ["authorise", "authorise", "authorise", "capture", "void"]
    assert [row["gross"] for row in world.rows("payout")] == [52500]


@pytest.mark.parametrize(
    ("action", "person", "status"), [("decline", HANNA, "declined"), ("withdraw", ANA, "withdrawn")]
)
def test_stay_7_declined_or_withdrawn_the_hold_is_voided(world: World, action: str, person: str, status: str) -> None:
    code = world.book(listing=ROOM)["code"]
    assert world.do("decide", person, id=code, action=action)["status"] == status
    assert kinds(world) == ["authorise", "void"]


def test_stay_7_nobody_answers_for_24_hours_and_it_expires(world: World) -> None:
    world.book(listing=ROOM)
    advance_clock(world.store, 24 * 3600 - 1)
    assert kinds(world) == ["authorise"]
    advance_clock(world.store, 1)
    assert [row["status"] for row in world.rows("reservation")] == ["expired"]
    assert kinds(world) == ["authorise", "void"]


def test_stay_7_only_the_host_accepts_and_only_the_guest_withdraws(world: World) -> None:
    code = world.book(listing=ROOM)["code"]
    for person, action, status in ((ANA, "accept", 403), (HANNA, "withdraw", 403), (BEN, "accept", 404)):
        with pytest.raises(ServiceError) as refused:
            world.do("decide", person, id=code, action=action)
        assert refused.value.status == status


def inquiry(world: World) -> str:
    asked = {"listing": ROOM, "checkin": CHECKIN, "checkout": CHECKOUT, "adults": 2, "children": 1}
    return str(world.do("inquire", ANA, **asked, body="Is it quiet?")["code"])


def test_stay_7_an_inquiry_is_a_message_without_a_hold(world: World) -> None:
    inquiry(world)
    assert [row["status"] for row in world.rows("reservation")] == ["inquiry"]
    assert (world.rows("payment"), [row["body"] for row in world.rows("message")]) == ([], ["Is it quiet?"])


def test_stay_7_a_pre_approved_inquiry_is_booked_at_once(world: World) -> None:
    code = inquiry(world)
    world.do("decide", HANNA, id=code, action="preapprove", message="Very")
    assert world.quote(listing=ROOM)["mode"] == "instant"
    booked = world.book(listing=ROOM)
    assert (booked["code"], booked["status"], booked["total"]["amount"]) == (code, "confirmed", "668.25")
    assert [row["status"] for row in world.rows("offer")] == ["booked"]


def test_stay_7_a_special_offer_is_charged_at_its_fixed_total(world: World) -> None:
    code = inquiry(world)
    world.do("decide", HANNA, id=code, action="special_offer", total="500")
    booked = world.book(listing=ROOM)
    assert (booked["code"], booked["total"]["amount"]) == (code, "500.00")
    assert sum(row["charge_amount"] for row in world.rows("price_line")) == 50000


def test_stay_7_an_offer_ends_after_24_hours(world: World) -> None:
    world.do("decide", HANNA, id=inquiry(world), action="special_offer", total="500")
    advance_clock(world.store, 24 * 3600)
    assert [row["status"] for row in world.rows("offer")] == ["expired"]
    assert world.quote(listing=ROOM)["total"]["amount"] == "668.25"


@pytest.mark.parametrize("card", [DECLINED, POOR, FAILS, EXPIRED])
def test_stay_11_a_refused_card_leaves_nothing_behind(world: World, card: str) -> None:
    with pytest.raises(ServiceError) as refused:
        world.book(card=card)
    assert (refused.value.code, refused.value.field) == ("payment_declined", "payment_method")
    assert (world.rows("reservation"), world.rows("payment"), world.rows("reservation_night")) == ([], [], [])
    assert world.quote()["bookable"]


def test_stay_11_a_card_with_a_check_that_succeeds_is_charged(world: World) -> None:
    assert world.book(card=CHECKED)["status"] == "confirmed"
    with pytest.raises(ServiceError) as refused:
        world.book(BEN, card=CHECKED, checkin="2031-07-03", checkout="2031-07-06")
    assert refused.value.status == 404


def test_x_6_a_quote_is_valid_for_15_minutes_for_its_own_guest_and_as_it_was_given(world: World) -> None:
    quoted = world.quote()["quote_id"]
    book = {"payment_method": ident("PMT", 1), "accept_policy": True}
    with pytest.raises(ServiceError) as refused:
        world.do("book", ANA, quote_id=quoted[:-1] + ("A" if quoted[-1] != "A" else "B"), **book)
    assert (refused.value.code, refused.value.field) == ("validation", "quote_id")
    with pytest.raises(ServiceError) as refused:
        world.do("book", BEN, quote_id=quoted, payment_method=ident("PMT", 7), accept_policy=True)
    assert refused.value.field == "quote_id"
    with pytest.raises(ServiceError) as refused:
        world.do("book", ANA, quote_id=quoted, payment_method=ident("PMT", 1), accept_policy=False)
    assert refused.value.field == "accept_policy"
    advance_clock(world.store, 15 * 60 - 1)
    assert world.do("book", ANA, quote_id=quoted, **book)["status"] == "confirmed"


def test_a_quote_is_too_old_after_15_minutes(world: World) -> None:
    quoted = world.quote()["quote_id"]
    advance_clock(world.store, 15 * 60)
    with pytest.raises(ServiceError) as refused:
        world.do("book", ANA, quote_id=quoted, payment_method=ident("PMT", 1), accept_policy=True)
    assert (refused.value.code, refused.value.status) == ("quote_expired", 409)


def test_x_15_a_simulated_host_answers_what_is_new_after_their_delay(world_with: Callable[..., World]) -> None:
    rules = [
        {"trigger": "request", "condition_json": '{"nights_at_most":3}', "action_json": '{"action":"accept"}'},
        {"trigger": "alteration", "condition_json": '{"delta_at_least":0}', "action_json": '{"action":"accept"}'},
        {"trigger": "message", "condition_json": "{}", "action_json": '{"message":"Thanks"}'},
    ]
    more = [
        rule | {"id": ident("NPC", number), "user_id": HANNA, "delay_minutes": 30, "sort": number}
        for number, rule in enumerate(rules, start=1)
    ]
    world = world_with({"stays_npc_rule": more})
    short = world.book(listing=ROOM)["code"]
    long = world.book(BEN, listing=ROOM, checkin="2031-07-01", checkout="2031-07-06")["code"]
    advance_clock(world.store, 29 * 60)
    assert world.do("reservation", ANA, code=short)["status"] == "pending"
    advance_clock(world.store, 2 * 60)
    assert world.do("reservation", ANA, code=short)["status"] == "confirmed"
    assert world.do("reservation", BEN, code=long)["status"] == "pending"
    inquiry_code = world.do(
        "inquire", ANA, listing=ROOM, checkin="2031-08-07", checkout="2031-08-09", adults=1, body="Late arrival?"
    )["code"]
    advance_clock(world.store, 31 * 60)
    assert sorted(row["body"] for row in world.rows("message")) == ["Late arrival?", "Thanks"]
    assert world.do("reservation", ANA, code=inquiry_code)["status"] == "inquiry"


def test_x_15_a_simulated_host_declines_what_can_be_accepted_no_more(world_with: Callable[..., World]) -> None:
    rule = {"trigger": "request", "condition_json": "{}", "action_json": '{"action":"accept"}', "delay_minutes": 30}
    world = world_with({"stays_npc_rule": [rule | {"id": ident("NPC", 1), "user_id": HANNA, "sort": 1}]})
    code = world.book(listing=ROOM)["code"]
    with world.store.writing() as conn:
        conn.execute("INSERT INTO jrn_open(one, seq, mode) VALUES (1, 0, 'inject')")
        night = "INSERT INTO stays_calendar_override(listing_id, night, blocked) VALUES (?, '2031-06-13', 1)"
        conn.execute(night, (ROOM,))
        conn.execute("DELETE FROM jrn_open")
    advance_clock(world.store, 31 * 60)
    assert world.do("reservation", ANA, code=code)["status"] == "declined"
    assert (kinds(world), world.rows("reservation_night")) == (["authorise", "void"], [])


def test_j6_a_stay_is_completed_and_paid_out_as_the_clock_passes(world: World) -> None:
    code = world.book()["code"]
    advance_clock(world.store, 86400 * 60)  # 13 June 09:00 UTC, past midnight in New York
    assert [row["status"] for row in world.rows("payout")] == ["paid"]
    advance_clock(world.store, 86400 * 2)  # 15 June, the day of checkout
    assert world.do("reservation", ANA, code=code)["status"] == "confirmed"
    advance_clock(world.store, 86400)
    assert world.do("reservation", ANA, code=code)["status"] == "completed"


def test_stay_7_a_request_is_not_accepted_once_its_check_in_day_is_over(world: World) -> None:
    code = world.book(listing=ROOM, checkin="2031-04-14", checkout="2031-04-16")["code"]
    advance_clock(world.store, 23 * 3600)
    with pytest.raises(ServiceError) as refused:
        world.do("decide", HANNA, id=code, action="accept")
    assert refused.value.code == "policy"
    assert kinds(world) == ["authorise"]


def test_stay_7_a_special_offer_covers_at_least_the_taxes_per_night(world_with: Callable[..., World]) -> None:
    world = world_with()
    stay = {"listing": LOFT, "checkin": CHECKIN, "checkout": CHECKOUT, "adults": 2}
    code = world.do("inquire", ANA, **stay, body="Free?")["code"]
    with pytest.raises(ServiceError) as refused:
        world.do("decide", HANNA, id=code, action="special_offer", total="11.99")
    assert (refused.value.field, "12.00 USD" in refused.value.message) == ("total", True)
    world.do("decide", HANNA, id=code, action="special_offer", total="12.00")
    assert world.book(adults=2, children=0)["total"]["amount"] == "12.00"
    assert world.rows("payout") == []


@pytest.mark.parametrize("values", [{"policy": "strict"}, {"instant_book": False}])
def test_stay_7_a_quote_holds_for_the_policy_and_the_way_of_booking_that_it_showed(
    world_with: Callable[..., World], values: dict[str, object]
) -> None:
    world = world_with()
    quoted = world.quote()
    world.do("update_listing", HANNA, listing=LOFT, values=values, row_version=1)
    with pytest.raises(ServiceError) as refused:
        world.do("book", ANA, quote_id=quoted["quote_id"], payment_method=VISA, accept_policy=True)
    assert refused.value.code == "quote_expired"
    assert world.rows("reservation") == []
