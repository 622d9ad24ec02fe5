"""CRM-1: stage, probability, forecast category, closing and reopening, whatever the path."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from deskgym_apps.crm import defaults
from deskgym_apps.crm.rules import expected_revenue
from deskgym_apps.kit.errors import Forbidden, Invalid

from .fixture import (
    ADA,
    ALDERCROFT,
    DANA,
    HARBOUR,
    KESTREL,
    LOST,
    PRIYA,
    TODAY,
    WON,
    YEN,
    World,
    ident,
    opportunity,
    with_lines,
)


@pytest.mark.parametrize("stage", [row for row in defaults.STAGES if not row["is_closed"]], ids=lambda row: row["name"])
def test_crm_1_a_change_of_stage_sets_probability_and_forecast_category(world: World, stage: dict[str, int]) -> None:
    world.update(HARBOUR, {"stage": "Closed Won"}, by=PRIYA)
    world.update(HARBOUR, {"stage": stage["name"]}, by=PRIYA)
    row = world.record(HARBOUR)
    assert (row["stage"], row["probability"]) == (stage["name"], stage["probability"])
    assert row["forecast_category"] == stage["forecast_category"]
    assert row["expected_revenue"] == expected_revenue(50_000, stage["probability"])
    assert row["last_stage_change_at"] == world.store.now


def test_crm_1_the_stage_table_is_the_specified_one() -> None:
    table = [(row["name"], row["probability"], row["forecast_category"]) for row in defaults.STAGES]
    assert table == [
        ("Prospecting", 10, "Pipeline"),
        ("Qualification", 10, "Pipeline"),
        ("Needs Analysis", 20, "Pipeline"),
        ("Value Proposition", 50, "Best Case"),
        ("Id. Decision Makers", 60, "Best Case"),
        ("Perception Analysis", 70, "Best Case"),
        ("Proposal/Price Quote", 75, "Commit"),
        ("Negotiation/Review", 90, "Commit"),
        ("Closed Won", 100, "Closed"),
        ("Closed Lost", 0, "Omitted"),
    ]


def test_crm_1_probability_in_the_same_save_wins_on_open_stages(world: World) -> None:
    world.update(KESTREL, {"stage": "Value Proposition", "probability": 35})
    row = world.record(KESTREL)
    assert (row["probability"], row["forecast_category"]) == (35, "Best Case")


def test_crm_1_probability_in_the_same_save_does_not_win_on_closed_stages(world: World) -> None:
    world.update(KESTREL, {"stage": "Closed Won", "probability": 35})
    assert world.record(KESTREL)["probability"] == 100


def test_crm_1_probability_alone_may_change_while_open(world: World) -> None:
    world.update(KESTREL, {"probability": 15})
    row = world.record(KESTREL)
    assert (row["stage"], row["probability"], row["expected_revenue"]) == ("Qualification", 15, 185_185)


def test_crm_1_probability_of_a_closed_deal_is_fixed(world: World) -> None:
    with pytest.raises(Invalid, match="reopen it") as refusal:
        world.update(WON, {"probability": 50}, by=ADA)
    assert refusal.value.field == "probability"


def test_crm_1_expected_revenue_is_rounded_half_up_to_minor_units(world: World) -> None:
    world.update(KESTREL, {"stage": "Proposal/Price Quote", "amount": "12345.67"})
    assert world.record(KESTREL)["expected_revenue"] == 925_925


def test_crm_1_a_new_deal_begins_in_the_first_open_stage_with_its_defaults(world: World) -> None:
    made = world.create("opportunity", name="Fresh", close_date="2031-05-01", account_id=ALDERCROFT)
    row = world.record(made)
    assert (row["stage"], row["probability"], row["forecast_category"]) == ("Prospecting", 10, "Pipeline")
    assert (row["amount"], row["expected_revenue"], row["closed_at"]) == (None, None, None)


def test_crm_1_a_deal_may_be_created_in_a_closed_stage_under_the_same_rules(world: World) -> None:
    made = world.create("opportunity", name="Walk-in", close_date="2031-05-01", stage="Closed Won", amount="10")
    row = world.record(made)
    assert (row["close_date"], row["closed_at"], row["probability"]) == (TODAY, world.store.now, 100)
    with pytest.raises(Invalid, match="needs a lost reason"):
        world.create("opportunity", name="Gone", close_date=TODAY, stage="Closed Lost")


def test_crm_1_entering_a_closed_stage_caps_the_close_date_at_today(world: World) -> None:
    world.update(KESTREL, {"stage": "Closed Won"})
    row = world.record(KESTREL)
    assert (row["close_date"], row["closed_at"]) == (TODAY, world.store.now)


def test_crm_1_entering_a_closed_stage_keeps_an_earlier_close_date(world: World) -> None:
    world.update(KESTREL, {"stage": "Closed Won", "close_date": "2031-03-02"})
    assert world.record(KESTREL)["close_date"] == "2031-03-02"


def test_crm_1_today_of_the_cap_is_the_persons_own_day(world_with: Callable[..., World]) -> None:
    world = world_with({"crm_opportunity": [opportunity(9, "Night deal", DANA, "Qualification", amount=100)]})
    world.store.conn.execute("INSERT INTO jrn_open VALUES (1, 0, 'inject')")
    world.store.conn.execute("UPDATE org_meta SET value = '2031-03-15T03:00:00Z' WHERE key = 'sim_now'")
    world.store.conn.execute("DELETE FROM jrn_open")
    world.update(ident("OPP", 9), {"stage": "Closed Won"})
    assert world.record(ident("OPP", 9))["close_date"] == "2031-03-14"  # Denver is still in the 14th


def test_crm_1_closed_lost_needs_a_reason_and_names_the_choices(world: World) -> None:
    with pytest.raises(Invalid) as refusal:
        world.update(KESTREL, {"stage": "Closed Lost"})
    assert refusal.value.field == "lost_reason"
    assert refusal.value.allowed == defaults.PICKLISTS["opportunity", "lost_reason"]
    assert world.record(KESTREL)["stage"] == "Qualification"


def test_crm_1_closed_lost_with_reason_other_needs_words(world: World) -> None:
    with pytest.raises(Invalid) as refusal:
        world.update(KESTREL, {"stage": "Closed Lost", "lost_reason": "Other"})
    assert refusal.value.field == "lost_detail"
    world.update(KESTREL, {"stage": "Closed Lost", "lost_reason": "Other", "lost_detail": "Moved abroad"})
    row = world.record(KESTREL)
    assert (row["lost_reason"], row["lost_detail"], row["probability"]) == ("Other", "Moved abroad", 0)
    assert row["forecast_category"] == "Omitted"
    assert row["expected_revenue"] == 0


def test_crm_1_only_a_lost_deal_has_a_lost_reason(world: World) -> None:
    with pytest.raises(Invalid, match="only a lost deal"):
        world.update(KESTREL, {"lost_reason": "Price"})


def test_crm_1_the_reason_of_a_lost_deal_cannot_be_cleared(world: World) -> None:
    with pytest.raises(Invalid, match="needs a lost reason"):
        world.update(LOST, {"lost_reason": None})


def test_crm_1_leaving_closed_won_applies_stage_defaults(world: World) -> None:
    world.update(WON, {"stage": "Negotiation/Review"}, by=PRIYA)
    row = world.record(WON)
    assert (row["probability"], row["forecast_category"], row["closed_at"]) == (90, "Commit", None)
    assert row["expected_revenue"] == 810_000


def test_crm_1_leaving_closed_lost_clears_reason_and_detail(world: World) -> None:
    world.update(LOST, {"stage": "Qualification"}, by=PRIYA)
    row = world.record(LOST)
    assert (row["closed_at"], row["lost_reason"], row["lost_detail"]) == (None, None, None)
    assert row["probability"] == 10


def test_crm_1_leaving_a_closed_stage_needs_the_permission(world: World) -> None:
    with pytest.raises(Forbidden, match="may not move a deal out of Closed Lost") as refusal:
        world.update(LOST, {"stage": "Qualification"}, by=DANA)
    assert refusal.value.field == "stage"
    assert world.record(LOST)["stage"] == "Closed Lost"


def test_crm_1_from_won_to_lost_is_leaving_and_entering(world: World) -> None:
    world.update(WON, {"stage": "Closed Lost", "lost_reason": "Timing"}, by=PRIYA)
    row = world.record(WON)
    assert (row["closed_at"], row["lost_reason"], row["probability"]) == (world.store.now, "Timing", 0)


def test_crm_1_an_unknown_stage_is_answered_with_the_nearest(world: World) -> None:
    with pytest.raises(Invalid, match='Did you mean "Negotiation/Review"') as refusal:
        world.update(KESTREL, {"stage": "Negotiation"})
    assert len(refusal.value.allowed) == 10


def test_crm_1_an_amount_has_the_currencys_decimals(world: World) -> None:
    with pytest.raises(Invalid, match="at most 0 decimals"):
        world.update(YEN, {"amount": "10.5"})
    world.update(YEN, {"amount": "99816"})
    assert (world.record(YEN)["amount"], world.record(YEN)["expected_revenue"]) == (99_816, 9_982)


def test_crm_1_another_currency_keeps_the_number_or_asks_for_it(world: World) -> None:
    with pytest.raises(Invalid, match="must be given anew"):
        world.update(KESTREL, {"currency": "JPY"})
    world.update(KESTREL, {"currency": "KWD"})
    assert world.record(KESTREL)["amount"] == 12_345_670


def test_i3_products_fix_amount_and_currency(world_with: Callable[..., World]) -> None:
    world = world_with(with_lines(KESTREL))
    for field, value in (("amount", "1"), ("currency", "EUR")):
        with pytest.raises(Invalid, match="has products") as refusal:
            world.update(KESTREL, {field: value})
        assert refusal.value.field == field
    world.update(KESTREL, {"amount": "12345.67", "next_step": "Sign"})
    product = world.ask("get", id=KESTREL, related=["products"])["related"]["products"]["rows"][0]
    assert (product["quantity"], product["total"], product["currency"]) == ("1", "12345.67", "USD")
