"""STAY-6: changes are asked for and answered, in both directions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deskgym_apps.kit.call import advance_clock
from deskgym_apps.kit.errors import ServiceError

from .fixture import ANA, BEN, HANNA, World, credit, ident

LATER = {"checkin": "2031-06-14", "checkout": "2031-06-17"}


def propose(world: World, code: str, person: str = ANA, **stay: Any) -> Any:
    preview = world.do("alter_preview", person, code=code, **stay)
    echo = {"confirm_delta": preview["delta"]["amount"]} if person == ANA else {}
    return world.do("alter", person, code=code, action="propose", row_version=preview["row_version"], **stay, **echo)


def test_stay_6_nothing_changes_until_it_is_accepted_and_then_nights_and_money_are_swapped(world: World) -> None:
    code = world.book()["code"]
    asked = propose(world, code, **LATER)
    assert (asked["status"], asked["delta"]["amount"]) == ("pending", "-37.50")
    assert [row["night"] for row in world.rows("reservation_night")] == ["2031-06-12", "2031-06-13", "2031-06-14"]
    world.do("alter", HANNA, code=code, action="accept")
    assert [row["night"] for row in world.rows("reservation_night")] == ["2031-06-14", "2031-06-15", "2031-06-16"]
    assert [(row["kind"], row["amount"]) for row in world.rows("payment")].count(("refund", 3750)) == 1
    found = world.do("reservation", ANA, code=code)
    assert (found["total"]["amount"], found["paid"]["amount"], found["checkin"]) == ("630.75", "630.75", "2031-06-14")
    assert max(row["rev"] for row in world.rows("price_line")) == 2
    assert [row["gross"] for row in world.rows("payout")] == [49500]


def test_stay_6_a_dearer_stay_is_charged_and_length_discounts_are_looked_at_anew(world: World) -> None:
    code = world.book(adults=2, children=0)["code"]
    asked = propose(world, code, checkout="2031-06-19")
    world.do("alter", HANNA, code=code, action="accept")
    assert asked["new_total"]["amount"] == "1115.50"
    assert world.do("reservation", ANA, code=code)["paid"]["amount"] == "1115.50"


def test_stay_6_a_new_proposal_takes_the_place_of_the_one_that_waits(world: World) -> None:
    code = world.book()["code"]
    propose(world, code, **LATER)
    propose(world, code, children=0)
    assert sorted(row["status"] for row in world.rows("alteration")) == ["pending", "superseded"]


def test_stay_6_the_host_proposes_and_the_guest_echoes_the_difference(world: World) -> None:
    code = world.book()["code"]
    propose(world, code, HANNA, **LATER)
    with pytest.raises(ServiceError) as refused:
        world.do("alter", HANNA, code=code, action="accept")
    assert refused.value.status == 403
    with pytest.raises(ServiceError) as refused:
        world.do("alter", ANA, code=code, action="accept")
    assert refused.value.field == "confirm_delta"
    assert world.do("alter", ANA, code=code, action="accept", confirm_delta="-37.5")["status"] == "accepted"


@pytest.mark.parametrize(
    ("action", "person", "status"), [("decline", HANNA, "declined"), ("withdraw", ANA, "withdrawn")]
)
def test_stay_6_declined_or_withdrawn_it_costs_nothing(world: World, action: str, person: str, status: str) -> None:
    code = world.book()["code"]
    propose(world, code, **LATER)
    assert world.do("alter", person, code=code, action=action)["status"] == status
    assert world.rows("penalty") == []
    assert world.do("reservation", ANA, code=code)["total"]["amount"] == "668.25"


def test_stay_6_it_expires_after_72_hours(world: World) -> None:
    code = world.book()["code"]
    propose(world, code, **LATER)
    advance_clock(world.store, 72 * 3600 - 1)
    assert [row["status"] for row in world.rows("alteration")] == ["pending"]
    advance_clock(world.store, 1)
    assert [row["status"] for row in world.rows("alteration")] == ["expired"]


def test_stay_6_own_nights_are_free_and_those_of_others_are_not(world: World) -> None:
    code = world.book()["code"]
    world.book(BEN, checkin="2031-06-16", checkout="2031-06-18")
    assert world.do("alter_preview", ANA, code=code, checkin="2031-06-13", checkout="2031-06-16")["possible"]
    taken = world.do("alter_preview", ANA, code=code, **LATER)
    assert [fault["code"] for fault in taken["faults"]] == ["dates_taken"]


def test_stay_6_guests_are_fixed_from_check_in_on_and_nothing_changes_after_checkout(world: World) -> None:
    code = world.book()["code"]
    advance_clock(world.store, 86400 * 60)  # 13 June
    with pytest.raises(ServiceError) as refused:
        world.do("alter_preview", ANA, code=code, adults=1)
    assert refused.value.code == "policy"
    assert world.do("alter_preview", ANA, code=code, checkout="2031-06-16")["possible"]
    advance_clock(world.store, 86400 * 3)
    with pytest.raises(ServiceError) as refused:
        world.do("alter_preview", ANA, code=code, checkout="2031-06-19")
    assert refused.value.code == "policy"


def test_x_7_a_stale_version_is_a_conflict(world: World) -> None:
    code = world.book()["code"]
    propose(world, code, **LATER)
    world.do("alter", HANNA, code=code, action="accept")
    with pytest.raises(ServiceError) as refused:
        world.do("alter", ANA, code=code, action="propose", row_version=1, confirm_delta="0", children=0)
    assert refused.value.status == 409


def test_stay_6_an_answer_is_to_the_proposal_that_was_read_not_to_a_newer_one(world: World) -> None:
    code = world.book()["code"]
    read = propose(world, code, **LATER)
    newer = propose(world, code, checkout="2031-06-20")
    with pytest.raises(ServiceError) as refused:
        world.do("alter", HANNA, code=code, action="accept", id=read["id"])
    assert refused.value.status == 409
    assert world.do("alter", HANNA, code=code, action="accept", id=newer["id"])["status"] == "accepted"


def test_stay_6_a_stay_that_has_begun_is_not_made_longer_than_the_listing_allows(
    world_with: Callable[..., World],
) -> None:
    world = world_with(max_nights=14)
    code = world.book()["code"]
    advance_clock(world.store, 86400 * 60)  # 13 June
    assert world.do("alter_preview", ANA, code=code, checkout="2031-06-26")["possible"]
    longer = world.do("alter_preview", ANA, code=code, checkout="2031-06-27")
    assert [fault["code"] for fault in longer["faults"]] == ["max_nights"]


def test_stay_2_a_service_animal_costs_nothing_after_a_change_either(world_with: Callable[..., World]) -> None:
    world = world_with(pets_allowed=1, max_pets=2, pet_fee=4000)
    code = world.book(pets=1, service_animals=1)["code"]
    changed = world.do("alter_preview", ANA, code=code, **LATER)
    assert "pet" not in [line["kind"] for line in changed["lines"]]
    more = world.do("alter_preview", ANA, code=code, pets=2)
    assert "pet" in [line["kind"] for line in more["lines"]]


def test_stay_6_credit_that_a_cheaper_stay_does_not_need_comes_back(world_with: Callable[..., World]) -> None:
    world = world_with({"stays_credit": [credit(1, 50_000, "2031-12-01"), credit(2, 10_000, "2032-01-01")]})
    code = world.book(use_credit=True)["code"]
    assert world.do("whoami", ANA)["credit"]["amount"] == "0.00"
    propose(world, code, checkout="2031-06-13")
    world.do("alter", HANNA, code=code, action="accept")
    used = world.rows("reservation")[0]["credit_amount"]
    assert 0 < used < 50_000
    assert [(row["credit_id"], row["amount"]) for row in world.rows("credit_use")] == [(ident("CRD", 1), used)]
