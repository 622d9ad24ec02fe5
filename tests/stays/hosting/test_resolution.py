"""Money asked for or given back after a stay (row 24; J2, J3, J8)."""

from __future__ import annotations

from typing import Any

import pytest

from deskgym_apps.kit.errors import Conflict, Forbidden, Invalid, NotFound
from deskgym_apps.stays.service.people import PaymentDeclined, PolicyRefusal

from .fixture import COMING, GIL, HANA, NIA, OTTO, STAYED, STAYS, World, ident

WORDS = {"reason": "price", "body": "Priced with the old weekend rate."}
STAY = STAYS[STAYED]


def _ask(world: World, action: str = "refund", by: str = HANA, **more: Any) -> Any:
    given: dict[str, Any] = {"action": action, "code": STAYED} | WORDS | more
    return world.do("resolution", by=by, **given)


def _sums(world: World) -> tuple[int, int, int, int]:
    """Captured less refunded, the latest price lines, the total, and the payouts' gross of the stay."""
    signs = {"capture": 1, "refund": -1}
    paid = sum(signs[row["kind"]] * row["amount"] for row in world.rows("payment", reservation_id=STAY))
    lines = world.rows("price_line", reservation_id=STAY)
    latest = max(line["rev"] for line in lines)
    priced = sum(line["charge_amount"] for line in lines if line["rev"] == latest)
    gross = sum(row["gross"] for row in world.rows("payout", reservation_id=STAY) if row["status"] != "cancelled")
    return paid, priced, world.row("reservation", STAY)["total"], gross


def test_a_host_gives_money_back_at_once_and_it_comes_off_the_payout(world: World) -> None:
    done = _ask(world, amount="41.50")
    row = world.row("resolution", done["id"])
    assert (row["status"], row["amount"], row["requested_by"]) == ("accepted", 4_150, HANA)
    assert row["decided_at"] == row["created_at"]
    refund = next(one for one in world.rows("payment", reservation_id=STAY) if one["kind"] == "refund")
    assert (refund["amount"], refund["currency"], refund["method_id"]) == (4_150, "EUR", ident("PMT", 3))
    assert _sums(world) == (45_850, 45_850, 45_850, 35_850)
    payouts = world.rows("payout", reservation_id=STAY)
    assert sum(one["host_fee"] for one in payouts) == 1_076  # 3 % of 358.50, rounded half-up
    assert sum(one["net"] for one in payouts) == 34_774


def test_a_guest_asks_and_the_host_echoes_the_amount(world: World) -> None:
    asked = _ask(world, by=GIL, amount="100")
    assert asked["status"] == "open"
    assert _sums(world) == (50_000, 50_000, 50_000, 40_000)
    shown = world.ask("resolutions", code=STAYED)
    assert [(row["id"], row["can"]) for row in shown["rows"]] == [(asked["id"], ["accept", "decline"])]
    assert shown["returnable"] == {"amount": "400.00", "currency": "EUR"}
    with pytest.raises(Conflict, match=r"100\.00"):
        world.do("resolution", action="accept", id=asked["id"], amount="90")
    world.do("resolution", action="accept", id=asked["id"], amount="100")
    assert _sums(world) == (40_000, 40_000, 40_000, 30_000)
    with pytest.raises(PolicyRefusal, match="accepted already"):
        world.do("resolution", action="accept", id=asked["id"], amount="100")


def test_a_host_asks_and_the_guests_card_is_charged_on_accept(world: World) -> None:
    asked = _ask(world, "payment", amount="60")
    world.do("resolution", by=GIL, action="accept", id=asked["id"], amount="60.00")
    assert _sums(world) == (56_000, 56_000, 56_000, 46_000)


def test_stay_11_a_card_that_says_no_leaves_the_request_open(world: World) -> None:
    asked = _ask(world, "payment", amount="60")
    world.wait(1_200 * 24 * 3600)  # the card has expired
    before = world.dump()
    with pytest.raises(PaymentDeclined):
        world.do("resolution", by=GIL, action="accept", id=asked["id"], amount="60")
    assert world.dump() == before


def test_j3_no_more_is_given_back_than_the_host_has(world: World) -> None:
    _ask(world, amount="400")
    assert _sums(world) == (10_000, 10_000, 10_000, 0)
    before = world.dump()
    with pytest.raises(PolicyRefusal, match=r"at most 0\.00 EUR"):
        _ask(world, amount="0.01")
    assert world.dump() == before


def test_a_request_is_declined_or_withdrawn_and_asked_once_at_a_time(world: World) -> None:
    asked = _ask(world, by=GIL, amount="100")
    with pytest.raises(PolicyRefusal, match="still open"):
        _ask(world, by=GIL, amount="50")
    with pytest.raises(Forbidden):
        world.do("resolution", by=GIL, action="accept", id=asked["id"], amount="100")
    with pytest.raises(Forbidden):
        world.do("resolution", action="withdraw", id=asked["id"])
    world.do("resolution", by=GIL, action="withdraw", id=asked["id"])
    again = _ask(world, by=GIL, amount="50")
    world.do("resolution", action="decline", id=again["id"])
    assert [row["status"] for row in world.ask("resolutions", by=GIL)["rows"]] == ["declined", "withdrawn"]
    assert _sums(world) == (50_000, 50_000, 50_000, 40_000)


def test_a_problem_has_no_amount(world: World) -> None:
    asked = _ask(world, "problem", by=GIL, reason="amenity", body="No hot water.")
    with pytest.raises(Invalid):
        _ask(world, "problem", amount="10")
    with pytest.raises(PolicyRefusal, match="no amount"):
        world.do("resolution", action="accept", id=asked["id"], amount="10")


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"amount": "0"}, "amount"),
        ({"amount": "-5"}, "amount"),
        ({"amount": "1.005"}, "amount"),
        ({"amount": None}, "amount"),
        ({"amount": "5", "reason": "mood"}, "reason"),
        ({"amount": "5", "body": " "}, "body"),
        ({"amount": "5", "id": "RSL000000000001"}, "id"),
    ],
)
def test_a_faulty_request_is_refused_by_field(world: World, given: dict[str, Any], field: str) -> None:
    before = world.dump()
    with pytest.raises(Invalid) as refused:
        _ask(world, **given)
    assert refused.value.field == field
    assert world.dump() == before


def test_stays_to_come_and_guests_payments_are_refused(world: World) -> None:
    with pytest.raises(PolicyRefusal, match="once the stay is over"):
        _ask(world, code=COMING, amount="10")
    with pytest.raises(Forbidden):
        _ask(world, "payment", by=GIL, amount="10")


def test_x_10_requests_about_others_stays_are_not_there(world: World) -> None:
    asked = _ask(world, by=GIL, amount="100")
    for by in (NIA, OTTO):
        with pytest.raises(NotFound):
            _ask(world, by=by, amount="10")
        with pytest.raises(NotFound):
            world.do("resolution", by=by, action="decline", id=asked["id"])
        assert world.ask("resolutions", by=by)["total"] == 0
