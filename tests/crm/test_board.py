"""The pipeline board (CRM-1): columns over all rows, sums, conversions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deskgym_apps.crm import defaults
from deskgym_apps.kit.errors import BadQuery

from .fixture import ADA, DANA, HARBOUR, KESTREL, LUIS, PRIYA, YEN, World, opportunity


def column(world: World, stage: str, *, by: str = ADA, **more: Any) -> dict[str, Any]:
    """One column of the board."""
    columns = world.read("board", more, by=by)["columns"]
    found: dict[str, Any] = next(item for item in columns if item["stage"] == stage)
    return found


def test_crm_1_the_board_has_every_stage_in_order(world: World) -> None:
    columns = world.read("board", by=ADA)["columns"]
    assert [item["stage"] for item in columns] == [row["name"] for row in defaults.STAGES]
    assert sum(item["count"] for item in columns) == world.read("board", by=ADA)["total"] == 5


def test_crm_1_sums_cover_the_whole_column_not_the_cards(world_with: Callable[..., World]) -> None:
    deals = [opportunity(number, f"Deal {number}", DANA, "Qualification", amount=10_001) for number in range(10, 50)]
    world = world_with({"crm_opportunity": deals})
    found = column(world, "Qualification", limit=3)
    assert (found["count"], len(found["cards"])) == (41, 3)
    assert found["amount"]["total"] == "16346.07"  # 40 x 100.01 + 12,345.67
    assert found["expected_revenue"]["total"] == "1634.57"  # sum of rounded lines: 40 x 10.00 + 1,234.57


def test_crm_1_mixed_currencies_are_converted_to_the_viewers_and_flagged(world: World) -> None:
    world.update(YEN, {"stage": "Qualification"}, by=PRIYA)
    found = column(world, "Qualification", by=PRIYA)["amount"]
    assert found == {
        "amounts": [{"amount": "5000000", "currency": "JPY"}, {"amount": "12345.67", "currency": "USD"}],
        "total": "57345.67",
        "currency": "USD",
        "approximate": True,
    }
    world.store.conn.execute("INSERT INTO jrn_open VALUES (1, 0, 'inject')")
    world.store.conn.execute("INSERT INTO org_fx_rate VALUES ('JPY', '2031-03-14', 10000), ('JPY', '2031-03-15', 1)")
    world.store.conn.execute("DELETE FROM jrn_open")
    assert column(world, "Qualification", by=PRIYA)["amount"]["total"] == "62345.67"  # the rate of today


def test_crm_1_one_currency_is_exact_and_stays(world: World) -> None:
    found = column(world, "Negotiation/Review")["amount"]
    assert (found["total"], found["currency"], found["approximate"]) == ("500.00", "EUR", False)


def test_crm_1_the_board_takes_the_filters_of_lists(world: World) -> None:
    only_emea = [{"field": "account.region", "op": "equals", "value": "EMEA"}]
    assert world.read("board", {"filter": only_emea}, by=ADA)["total"] == 3
    assert world.read("board", {"scope": "mine"}, by=LUIS)["total"] == 1
    with pytest.raises(BadQuery):
        world.read("board", {"filter": [{"field": "regio", "op": "equals", "value": "EMEA"}]})


def test_x_10_cards_say_what_the_person_may_do_and_what_is_overdue(world: World) -> None:
    cards = {card["id"]: card for item in world.read("board", by=PRIYA)["columns"] for card in item["cards"]}
    assert (cards[YEN]["overdue"], cards[KESTREL]["overdue"]) == (True, False)
    assert cards[HARBOUR]["can_edit"] is True
    assert set(cards[KESTREL]) >= {"row_version", "account.name", "owner.name", "amount", "currency", "close_date"}
