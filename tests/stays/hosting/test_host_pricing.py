"""Prices and seasons of a host, and the example quote (STAY-3, STAY-13, J9)."""

from __future__ import annotations

from typing import Any

import pytest

from deskgym_apps.kit.errors import Conflict, Invalid, NotFound

from .fixture import BARN, COMING, HANA, INN, LOFT, OTTO, STAYS, SUMMER, World


def _price(world: World, values: dict[str, Any], **more: Any) -> Any:
    given: dict[str, Any] = {"listing": LOFT, "values": values, "row_version": world.version()}
    return world.do("host_pricing", **(given | more))


def test_prices_are_changed_one_by_one_and_reservations_keep_theirs(world: World) -> None:
    stay, nights = (
        world.row("reservation", STAYS[COMING]),
        world.rows("reservation_night", reservation_id=STAYS[COMING]),
    )
    before = world.row("listing", LOFT)
    done = _price(world, {"base_price": "135.50", "weekend_price": None, "monthly_percent": 17.5})
    after = world.row("listing", LOFT)
    assert done == {"id": LOFT, "row_version": before["row_version"] + 1}
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"base_price", "weekend_price", "monthly_bp", "row_version", "updated_at"}
    assert (after["base_price"], after["weekend_price"], after["monthly_bp"]) == (13_550, None, 1_750)
    assert after["updated_by"] == HANA
    assert world.row("reservation", STAYS[COMING]) == stay
    assert world.rows("reservation_night", reservation_id=STAYS[COMING]) == nights


def test_nothing_new_keeps_the_version(world: World) -> None:
    before = world.dump()
    assert _price(world, {"base_price": "120.00"})["row_version"] == world.version()
    assert world.dump() == before


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"base_price": "9.99"}, "base_price"),
        ({"base_price": None}, "base_price"),
        ({"base_price": "12.345"}, "base_price"),
        ({"weekend_price": "5"}, "weekend_price"),
        ({"cleaning_fee": "-1"}, "cleaning_fee"),
        ({"weekly_percent": "95"}, "weekly_percent"),
        ({"weekly_percent": "1.005"}, "weekly_percent"),
        ({"nonrefundable_percent": "0"}, "nonrefundable_percent"),
        ({"included_guests": 5}, "included_guests"),
        ({"early_bird_days": 60}, "early_bird_percent"),
        ({"last_minute_percent": "10"}, "last_minute_days"),
        ({"price": "100"}, "values.price"),
    ],
)
def test_a_faulty_price_is_refused_by_field(world: World, values: dict[str, Any], field: str) -> None:
    before = world.dump()
    with pytest.raises(Invalid) as refused:
        _price(world, values)
    assert refused.value.field == field
    assert world.dump() == before


def test_every_faulty_price_is_named(world: World) -> None:
    with pytest.raises(Invalid) as refused:
        _price(world, {"base_price": "1", "cleaning_fee": "-1"})
    assert {fault.field for fault in refused.value.errors} == {"base_price", "cleaning_fee"}


def test_an_old_version_is_a_conflict_that_says_who_changed_it(world: World) -> None:
    version = world.version()
    _price(world, {"base_price": "130"})
    with pytest.raises(Conflict) as refused:
        _price(world, {"base_price": "140"}, row_version=version)
    assert refused.value.details["changed_by"] == HANA
    assert world.row("listing", LOFT)["base_price"] == 13_000


def test_prices_of_others_listings_are_not_there(world: World) -> None:
    with pytest.raises(NotFound):
        _price(world, {"base_price": "50"}, listing=BARN)
    with pytest.raises(NotFound):
        world.ask("host_example_quote", listing=LOFT, by=OTTO)


def test_the_example_quote_is_the_worked_table_and_what_the_host_gets(world: World) -> None:
    found = world.ask("host_example_quote", listing=INN, checkin="2031-06-12", nights=3, adults=2, children=1)
    amounts = [(line["kind"], line["charge"]["amount"]) for line in found["lines"]]
    assert amounts == [
        ("nights", "420.00"),
        ("extra_guest", "45.00"),
        ("cleaning", "60.00"),
        ("service_fee", "73.50"),
    ]
    assert found["total"] == {"amount": "598.50", "currency": "EUR"}
    assert {name: one["amount"] for name, one in found["earnings"].items()} == {
        "subtotal": "525.00",
        "host_fee": "15.75",
        "net": "509.25",
    }


def test_the_example_quote_tries_prices_that_are_not_saved(world: World) -> None:
    before = world.dump()
    values = {"weekend_price": None, "cleaning_fee": "0"}
    found = world.ask("host_example_quote", listing=INN, checkin="2031-06-12", nights=3, adults=2, values=values)
    assert found["subtotal"]["amount"] == "360.00"
    assert world.dump() == before


def test_the_example_quote_says_when_guests_are_too_many(world: World) -> None:
    found = world.ask("host_example_quote", listing=LOFT, adults=5, pets=1)
    assert [fault["code"] for fault in found["faults"]] == ["capacity", "pets"]


def test_a_new_season_wins_over_older_ones_where_they_overlap(world: World) -> None:
    made = world.do(
        "create_season", listing=LOFT, name="Fair", date_from="2031-07-20", date_to="2031-07-22", fixed_price="240"
    )
    row = world.row("season", made["id"])
    assert (row["priority"], row["fixed_price"], row["adjust_bp"]) == (2, 24_000, None)
    view = world.ask("host_calendar_view", listing=LOFT, **{"from": "2031-07-19", "to": "2031-07-23"})
    prices = [(night["season"], night["price"]["amount"]) for night in view["listings"][0]["nights"]]
    assert prices == [("Summer", "150.00"), *[("Fair", "240.00")] * 3, ("Summer", "150.00")]


def test_a_season_is_changed_and_taken_away_by_its_version(world: World) -> None:
    done = world.do("update_season", id=SUMMER, values={"adjust_percent": "-10"}, row_version=1)
    assert done["row_version"] == 2
    assert world.row("season", SUMMER)["adjust_bp"] == -1_000
    with pytest.raises(Conflict):
        world.do("delete_season", id=SUMMER, row_version=1)
    world.do("delete_season", id=SUMMER, row_version=2)
    assert world.rows("season") == []


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({}, "adjust_percent"),
        ({"adjust_percent": "10", "fixed_price": "100"}, "fixed_price"),
        ({"fixed_price": "9"}, "fixed_price"),
        ({"adjust_percent": "-95"}, "adjust_percent"),
        ({"adjust_percent": "10", "date_to": "2031-09-01"}, "date_to"),
        ({"adjust_percent": "10", "date_to": "2031-08-01"}, "date_to"),
        ({"adjust_percent": "10", "name": " "}, "name"),
    ],
)
def test_a_faulty_season_is_refused_by_field(world: World, values: dict[str, Any], field: str) -> None:
    whole = {"listing": LOFT, "name": "Autumn", "date_from": "2031-09-01", "date_to": "2031-09-30"}
    with pytest.raises(Invalid) as refused:
        world.do("create_season", **(whole | values))
    assert refused.value.field == field
    assert len(world.rows("season")) == 1


def test_two_seasons_never_have_one_priority(world: World) -> None:
    with pytest.raises(Conflict, match="Summer has priority 1"):
        world.do(
            "create_season",
            listing=LOFT,
            name="Fair",
            date_from="2031-07-20",
            date_to="2031-07-22",
            fixed_price="240",
            priority=1,
        )


def test_a_season_needs_one_of_its_prices(world: World) -> None:
    with pytest.raises(Invalid, match="adjust_percent or fixed_price"):
        world.do("update_season", id=SUMMER, values={"adjust_percent": None}, row_version=1)


def test_stay_13_a_base_price_must_not_take_a_season_below_the_floor(world: World) -> None:
    world.do("update_season", id=SUMMER, values={"adjust_percent": "-50"}, row_version=1)
    with pytest.raises(Invalid, match="season Summer"):
        _price(world, {"base_price": "15"})


def test_seasons_of_others_are_not_there(world: World) -> None:
    with pytest.raises(NotFound):
        world.do("update_season", by=OTTO, id=SUMMER, values={"name": "Mine"}, row_version=1)
    with pytest.raises(NotFound):
        world.do("delete_season", by=OTTO, id=SUMMER, row_version=1)
