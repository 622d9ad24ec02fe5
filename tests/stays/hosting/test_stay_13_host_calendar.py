"""STAY-13: the calendar of a host."""

from __future__ import annotations

from typing import Any

import pytest

from deskgym_apps.kit.errors import BadQuery, Conflict, Invalid, NotFound
from deskgym_apps.stays.service.people import PolicyRefusal

from .fixture import BARN, COMING, HANA, INN, LOFT, OTTO, ROOM, STAYS, World


def _edit(world: World, first: str, last: str, action: str, count: int, **more: Any) -> Any:
    given: dict[str, Any] = {
        "listing": LOFT,
        "from": first,
        "to": last,
        "action": action,
        "expected_nights": count,
    } | more
    return world.do("host_calendar", **given)


def _own(world: World, listing: str = LOFT) -> dict[str, dict[str, Any]]:
    return {row["night"]: row for row in world.rows("calendar_override", listing_id=listing)}


def test_stay_13_free_nights_are_blocked_and_no_longer_offered(world: World) -> None:
    done = _edit(world, "2031-12-20", "2031-12-27", "block", 8)
    assert (done["nights"], done["changed"], done["reserved"]) == (8, 8, 0)
    blocked = {night for night, row in _own(world).items() if row["blocked"] and night > "2031-12"}
    assert blocked == {f"2031-12-{day}" for day in range(20, 28)}
    view = world.ask("host_calendar_view", listing=LOFT, **{"from": "2031-12-19", "to": "2031-12-28"})
    statuses = [night["status"] for night in view["listings"][0]["nights"]]
    assert statuses == ["free", *["blocked"] * 8, "free"]


def test_stay_13_blocking_a_reserved_night_is_refused_and_names_the_reservation(world: World) -> None:
    before = world.dump()
    with pytest.raises(PolicyRefusal) as refused:
        _edit(world, "2031-07-08", "2031-07-11", "block", 4)
    assert COMING in refused.value.message
    assert "2 nights" in refused.value.message
    assert refused.value.code == "policy"
    assert world.dump() == before


def test_stay_13_one_room_of_several_reserved_is_enough_to_refuse(world: World) -> None:
    with pytest.raises(PolicyRefusal, match=ROOM):
        _edit(world, "2031-09-01", "2031-09-02", "block", 2, listing=INN)


def test_stay_13_the_checkout_day_of_a_stay_can_be_blocked(world: World) -> None:
    assert _edit(world, "2031-07-13", "2031-07-13", "block", 1)["changed"] == 1


def test_stay_13_the_count_of_nights_must_match_and_is_told(world: World) -> None:
    counted = world.ask(
        "host_calendar_count",
        listing=LOFT,
        action="price",
        value="210",
        weekdays="56",
        **{"from": "2031-07-01", "to": "2031-07-31"},
    )
    assert counted["nights"] == 8
    assert [one["code"] for one in counted["reserved"]] == [COMING, COMING]
    with pytest.raises(Conflict) as refused:
        _edit(world, "2031-07-01", "2031-07-31", "price", 31, value="210", weekdays="56")
    assert refused.value.details == {"nights": 8}
    assert "8 nights, not 31" in refused.value.message


def test_stay_13_the_count_says_beforehand_what_would_be_refused(world: World) -> None:
    given: dict[str, Any] = {"listing": LOFT, "action": "block", "from": "2031-07-08", "to": "2031-07-11"}
    counted = world.ask("host_calendar_count", **given)
    assert counted["nights"] == 4
    assert COMING in counted["refused"]


def test_stay_13_a_price_of_weekends_leaves_the_reservation_of_one_as_it_is(world: World) -> None:
    stay, nights = (
        world.row("reservation", STAYS[COMING]),
        world.rows("reservation_night", reservation_id=STAYS[COMING]),
    )
    done = _edit(world, "2031-07-01", "2031-07-31", "price", 8, value=210, weekdays="56")
    assert done["reserved"] == 2
    prices = {night: row["price"] for night, row in _own(world).items() if night > "2031-07"}
    expected = ("04", "05", "11", "12", "18", "19", "25", "26")
    assert prices == {f"2031-07-{day}": 21_000 for day in expected}
    assert world.row("reservation", STAYS[COMING]) == stay
    assert world.rows("reservation_night", reservation_id=STAYS[COMING]) == nights


@pytest.mark.parametrize("price", ["9.99", "0", "-20", "10.001", "ten", "1" + "0" * 14, "9" * 600, ""])
def test_stay_13_a_night_costs_at_least_ten_units(world: World, price: str) -> None:
    if price == "":  # takes the nights' own price away; there is none here
        assert _edit(world, "2031-06-10", "2031-06-11", "price", 2, value=price)["changed"] == 0
        return
    with pytest.raises(Invalid) as refused:
        _edit(world, "2031-06-10", "2031-06-11", "price", 2, value=price)
    assert refused.value.field == "value"


def test_stay_13_ten_units_are_enough(world: World) -> None:
    _edit(world, "2031-06-10", "2031-06-10", "price", 1, value="10")
    assert _own(world)["2031-06-10"]["price"] == 1_000


def test_stay_13_a_minimum_is_that_of_stays_that_begin_on_the_night(world: World) -> None:
    _edit(world, "2031-08-01", "2031-08-02", "min_nights", 2, value=3)
    days = (
        {row["date"]: row for row in world.ask("calendar", listing=LOFT, by=OTTO, **{"from": "2031-08-01"})["days"]}
        if world.door == "service"
        else None
    )
    assert _own(world)["2031-08-01"]["min_nights"] == 3
    if days is not None:
        assert (days["2031-08-02"]["min_nights"], days["2031-08-03"]["min_nights"]) == (3, 1)


@pytest.mark.parametrize("value", ["0", "366", "2.5", "many", "9" * 400])
def test_stay_13_a_minimum_is_a_number_of_nights(world: World, value: str) -> None:
    with pytest.raises(Invalid, match="from 1 to 365"):
        _edit(world, "2031-08-01", "2031-08-01", "min_nights", 1, value=value)


def test_stay_13_a_night_with_nothing_of_its_own_has_no_row(world: World) -> None:
    done = _edit(world, "2031-06-01", "2031-06-02", "open", 2)
    assert done["changed"] == 2
    assert "2031-06-01" not in _own(world)
    assert _own(world)["2031-06-02"] == {
        "listing_id": LOFT,
        "night": "2031-06-02",
        "blocked": 0,
        "price": 20_000,
        "min_nights": None,
        "note": None,
    }
    _edit(world, "2031-06-02", "2031-06-02", "price", 1, value=None)
    assert "2031-06-02" not in _own(world)


def test_stay_13_what_is_so_already_changes_nothing(world: World) -> None:
    before = world.dump()
    assert _edit(world, "2031-06-01", "2031-06-02", "block", 2)["changed"] == 0
    assert world.dump() == before


def test_stay_13_notes_are_kept_by_night(world: World) -> None:
    _edit(world, "2031-06-05", "2031-06-05", "note", 1, value="Painters")
    view = world.ask("host_calendar_view", listing=LOFT, **{"from": "2031-06-05", "to": "2031-06-05"})
    assert view["listings"][0]["nights"][0]["note"] == "Painters"


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"from": "2031-03-13", "to": "2031-03-20"}, "from"),
        ({"from": "2031-06-10", "to": "2031-06-09"}, "to"),
        ({"from": "2031-06-10", "to": "2033-06-09"}, "to"),
        ({"weekdays": "7", "from": "2031-06-09", "to": "2031-06-10"}, "weekdays"),
        ({"weekdays": "8"}, "weekdays"),
        ({"action": "close"}, "action"),
        ({"value": "100"}, "value"),
        ({"action": "price"}, "value"),
        ({"expected_nights": 0}, "expected_nights"),
        ({"from": "2031-02-30"}, "from"),
        ({"note": "x"}, "note"),
    ],
)
def test_stay_13_a_faulty_range_or_value_is_refused_by_field(world: World, given: dict[str, Any], field: str) -> None:
    whole: dict[str, Any] = {
        "listing": LOFT,
        "from": "2031-06-10",
        "to": "2031-06-11",
        "action": "block",
        "expected_nights": 2,
    }
    before = world.dump()
    with pytest.raises((Invalid, BadQuery)) as refused:
        world.do("host_calendar", **(whole | given))
    assert refused.value.field == field
    assert world.dump() == before


def test_stay_13_tonight_is_that_of_the_listing(world: World) -> None:
    world.wait(14 * 3600)  # 23:00 UTC on the 14th: the 15th in Ghent
    with pytest.raises(Invalid, match="today is 2031-03-15 at the listing"):
        _edit(world, "2031-03-14", "2031-03-15", "block", 2)


def test_stay_13_other_peoples_calendars_are_not_there(world: World) -> None:
    with pytest.raises(NotFound):
        _edit(world, "2031-06-10", "2031-06-11", "block", 2, listing=BARN)
    with pytest.raises(NotFound):
        world.ask("host_calendar_view", listing=BARN, **{"from": "2031-06-10", "to": "2031-06-11"})


def test_the_view_of_all_listings_shows_prices_and_their_source(world: World) -> None:
    view = world.ask("host_calendar_view", **{"from": "2031-06-01", "to": "2031-07-11"})
    assert [one["id"] for one in view["listings"]] == [LOFT, INN]
    nights = {night["night"]: night for night in view["listings"][0]["nights"]}
    seen = {
        day: (nights[day]["source"], nights[day]["price"]["amount"])
        for day in ("2031-06-02", "2031-06-05", "2031-06-06", "2031-07-11")
    }
    assert seen == {
        "2031-06-02": ("override", "200.00"),
        "2031-06-05": ("base", "120.00"),
        "2031-06-06": ("weekend", "150.00"),
        "2031-07-11": ("season", "150.00"),
    }
    assert (nights["2031-07-11"]["status"], nights["2031-07-11"]["codes"]) == ("reserved", [COMING])
    assert [stay["code"] for stay in view["listings"][0]["reservations"]] == [COMING]


def test_the_view_shows_at_most_92_nights(world: World) -> None:
    with pytest.raises(Invalid, match="at most 92 nights"):
        world.ask("host_calendar_view", by=HANA, **{"from": "2031-06-01", "to": "2031-09-01"})
