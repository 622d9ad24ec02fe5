"""X-5, X-16: the same job through services and tools ends in the same state; what tools publish is what they take."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from deskgym_apps.kit.canonical import state_hash
from deskgym_apps.kit.errors import ServiceError
from deskgym_apps.kit.operations import operation
from deskgym_apps.kit.tools import call_tool, tools

from .fixture import ANA, BEN, CHECKIN, CHECKOUT, HANNA, LOFT, ROOM, VISA, World

GUEST = (
    *("stays_whoami", "stays_places", "stays_search", "stays_listing", "stays_quote", "stays_book"),
    *("stays_reservations", "stays_cancel", "stays_alter", "stays_decide"),
)


def a_busy_day(world: World) -> None:
    """A booking that is changed and cancelled, an inquiry with an offer, and two requests of which one is accepted."""
    code = world.book(coupon="HELLO50")["code"]
    later = {"checkin": "2031-06-14", "checkout": "2031-06-17"}
    delta = world.do("alter_preview", ANA, code=code, **later)["delta"]["amount"]
    world.do("alter", ANA, code=code, action="propose", row_version=1, confirm_delta=delta, **later)
    world.do("alter", HANNA, code=code, action="accept")
    first = world.book(listing=ROOM)["code"]
    world.book(BEN, listing=ROOM)
    world.do("decide", HANNA, id=first, action="accept", message="Welcome")
    refund = world.do("cancel_preview", ANA, code=code)["refund"]["amount"]
    world.do("cancel", ANA, code=code, confirm_refund=refund, reason="Plans changed")
    world.do("cancel", HANNA, code=first, reason="Water damage")


def test_x_5_both_doors_end_in_the_same_state(image: bytes) -> None:
    hashes, journals = [], []
    for door in ("service", "tool"):
        world = World(image, door)
        a_busy_day(world)
        hashes.append(state_hash(world.store))
        journals.append(world.store.all("SELECT operation, arguments FROM jrn_command ORDER BY seq"))
        world.close()
    assert hashes[0] == hashes[1]
    assert journals[0] == journals[1]


@pytest.mark.parametrize("name", GUEST)
def test_each_tool_publishes_a_closed_schema_and_what_it_is_for(name: str) -> None:
    tool = tools(("stays",))[name]
    jsonschema.Draft202012Validator.check_schema(tool.schema)
    assert tool.schema["additionalProperties"] is False
    assert "x-widget" not in json.dumps(tool.schema)
    assert "$ref" not in json.dumps(tool.schema)
    assert len(tool.description) > 100


def test_there_are_at_most_20_tools() -> None:
    assert len([name for name in tools(("stays",)) if name.startswith("stays_")]) <= 20


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("stays_search", {"location": "Valencia", "checkin": CHECKIN, "checkout": CHECKOUT, "adults": 2}),
        ("stays_listing", {"id": LOFT, "from": CHECKIN, "months": 1}),
        ("stays_listing", {"id": LOFT, "checkin": CHECKIN, "checkout": CHECKOUT}),
        ("stays_quote", {"listing": LOFT, "checkin": CHECKIN, "checkout": CHECKOUT, "coupon": "HELLO50"}),
        ("stays_reservations", {"scope": "guest", "status": "upcoming"}),
        ("stays_reservations", {"code": "HB000001", "preview": "alter", "adults": 1}),
        ("stays_decide", {"action": "accept", "id": "HB000001"}),
        (
            "stays_decide",
            {"action": "inquire", "listing": LOFT, "checkin": CHECKIN, "checkout": CHECKOUT, "message": "Free?"},
        ),
    ],
)
def test_what_the_schema_allows_is_planned_as_one_operation(world: World, name: str, arguments: dict[str, Any]) -> None:
    tool = tools(("stays",))[name]
    jsonschema.validate(arguments, dict(tool.schema))
    assert tool.plan is not None
    target, given = tool.plan(world.store, ANA, arguments)
    operation(target).parse(given)


@pytest.mark.parametrize(
    ("name", "arguments", "field"),
    [
        ("stays_reservations", {"preview": "cancel"}, "code"),
        ("stays_reservations", {"code": "HB000001", "preview": "burn"}, "preview"),
        ("stays_reservations", {"code": "HB000001", "limit": 3}, "limit"),
        ("stays_listing", {"id": LOFT, "months": 2, "adults": 2}, "adults"),
        ("stays_decide", {"action": "inquire", "listing": LOFT, "total": "3"}, "total"),
        ("stays_decide", {"action": "accept", "id": "HB1"}, "id"),
        ("stays_quote", {"listing": "LST", "checkin": CHECKIN, "checkout": CHECKOUT}, "listing"),
        ("stays_book", {"quote_id": "AAAA", "payment_method": VISA, "accept_policy": True}, "quote_id"),
        ("stays_book", {"quote_id": "🏠", "payment_method": VISA, "accept_policy": True}, "quote_id"),
        ("stays_search", {"sort": "cheapest"}, "sort"),
    ],
)
def test_errors_name_the_field(world: World, name: str, arguments: dict[str, Any], field: str) -> None:
    with pytest.raises(ServiceError) as refused:
        call_tool(world.store, name, arguments, person_id=ANA, app_names=("stays",))
    assert refused.value.as_dict()["field"] == field
    assert refused.value.as_dict()["code"] in ("validation", "not_found")


def test_x_6_an_idempotency_key_books_once(world: World) -> None:
    given = {
        "quote_id": world.quote()["quote_id"],
        "payment_method": VISA,
        "accept_policy": True,
        "idempotency_key": "trip-1",
    }
    first, again = (call_tool(world.store, "stays_book", given, person_id=ANA, app_names=("stays",)) for _ in range(2))
    assert first == again
    assert len(world.rows("reservation")) == 1


def test_stay_14_15_the_calendar_goes_by_the_listings_clock(world: World) -> None:
    found = world.do("calendar", ANA, listing=LOFT, months=2)
    assert (found["today"], found["from"], found["to"], len(found["days"])) == (
        "2031-04-14",
        "2031-04-01",
        "2031-05-31",
        61,
    )
    days = {day["date"]: day for day in found["days"]}
    assert (days["2031-04-13"]["reason"], days["2031-04-14"]["available"]) == ("past", True)
    assert days["2031-04-18"]["price"] == {"amount": "150.00", "currency": "USD"}
    assert "Lisbon" not in json.dumps(found)
    assert world.quote()["policy"]["deadlines"][0] == (
        "Full refund if you cancel before 3:00 PM on Wed 11 June, New York time."
    )


def test_stay_14_past_dates_are_refused_by_the_listings_clock(world: World) -> None:
    faults = world.quote(checkin="2031-04-13", checkout="2031-04-15")["faults"]
    assert [fault["code"] for fault in faults] == ["past"]
    assert world.quote(checkin="2031-04-14", checkout="2031-04-15")["bookable"]
