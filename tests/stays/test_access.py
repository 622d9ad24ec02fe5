"""X-10: a guest sees only own reservations, a host those of own listings; all else is 404, through both doors."""

from __future__ import annotations

from typing import Any

import pytest

from deskgym_apps.kit.errors import ServiceError

from .fixture import ANA, BEN, HANNA, OTTO, ROOM, World

_CODE = "HB000001"


@pytest.mark.parametrize("person", [BEN, OTTO])
@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("reservation", {"code": _CODE}),
        ("cancel_preview", {"code": _CODE}),
        ("alter_preview", {"code": _CODE, "adults": 1}),
        ("cancel", {"code": _CODE, "confirm_refund": "668.25"}),
        ("alter", {"code": _CODE, "action": "accept"}),
        ("decide", {"id": _CODE, "action": "accept"}),
    ],
)
def test_x_10_what_one_has_no_part_in_is_not_there(
    world: World, person: str, operation: str, arguments: dict[str, Any]
) -> None:
    world.book(listing=ROOM)
    with pytest.raises(ServiceError) as refused:
        world.do(operation, person, **arguments)
    with pytest.raises(ServiceError) as unknown:
        world.do(
            operation, person, **{name: "HB999999" if value == _CODE else value for name, value in arguments.items()}
        )
    assert refused.value.status == unknown.value.status == 404
    assert refused.value.message.replace(_CODE, "") == unknown.value.message.replace("HB999999", "")


def test_x_10_lists_hold_own_rows_only(world: World) -> None:
    world.book(listing=ROOM)
    world.book(BEN, listing=ROOM, checkin="2031-07-03", checkout="2031-07-06")
    totals = {
        (person, scope): world.do("reservations", person, scope=scope)["total"]
        for person in (ANA, BEN, HANNA, OTTO)
        for scope in ("guest", "host")
    }
    assert totals == {
        (ANA, "guest"): 1,
        (BEN, "guest"): 1,
        (HANNA, "guest"): 0,
        (OTTO, "guest"): 0,
        (ANA, "host"): 0,
        (BEN, "host"): 0,
        (HANNA, "host"): 2,
        (OTTO, "host"): 0,
    }


def test_x_10_reading_writes_nothing_and_moves_no_clock(world: World) -> None:
    code = world.book(listing=ROOM)["code"]
    before = (world.store.now, world.store.conn.total_changes)
    world.quote()
    world.do("search", ANA)
    world.do("reservation", HANNA, code=code)
    world.do("listing", ANA, id=ROOM)
    world.do("calendar", ANA, listing=ROOM)
    assert (world.store.now, world.store.conn.total_changes) == before


def test_the_street_is_told_with_a_confirmed_reservation_only(world: World) -> None:
    code = world.book(listing=ROOM)["code"]
    assert world.do("listing", ANA, id=ROOM)["street"] is None
    world.do("decide", HANNA, id=code, action="accept")
    assert world.do("listing", ANA, id=ROOM)["street"] == "1 Quay Road"
    assert world.do("listing", BEN, id=ROOM)["street"] is None


def test_jobs_are_nobodys_to_run(world: World) -> None:
    from deskgym_apps.kit.call import run

    world.book(listing=ROOM)
    reservation_id = world.rows("reservation")[0]["id"]
    for name in ("expire_request", "complete_reservation"):
        with pytest.raises(ServiceError):
            run(world.store, f"stays.{name}", {"id": reservation_id}, person_id=ANA, channel="ui")
    assert world.rows("reservation")[0]["status"] == "pending"
