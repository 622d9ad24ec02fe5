"""STAY-3: the worked table to the cent, and each clause of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deskgym_apps.stays.rules_prices import (
    Party,
    Prices,
    Quote,
    Season,
    Tax,
    converted,
    in_order,
    nightly,
    promotion,
    quote,
    rate_between,
    season_price,
    with_coupon,
    with_credit,
)
from deskgym_apps.stays.rules_refunds import spread
from deskgym_apps.stays.rules_stays import nights_between

PRICES = Prices("USD", 12000, 15000, included_guests=2, extra_guest_fee=1500, cleaning_fee=6000, weekly_bp=1000)
TAXES = (
    Tax("State tax", "percent", 1100, "accommodation_and_fees"),
    Tax("City tax", "per_person_night", amount=200, max_nights=7),
)
FAMILY, COUPLE = Party(2, 1), Party(2)


def priced(checkin: str, checkout: str, party: Party, prices: Prices = PRICES, **more: object) -> Quote:
    nights = nightly(prices, nights_between(checkin, checkout), {}, ())
    return quote(prices, nights, party, TAXES, **{"days_ahead": 60, **more})  # type: ignore[arg-type]


def amounts(found: Quote) -> dict[str, int]:
    sums: dict[str, int] = {}
    for line in found.lines:
        name = line.label if line.kind == "tax" else line.kind
        sums[name] = sums.get(name, 0) + line.amount
    return sums


@pytest.mark.parametrize(
    ("checkout", "party", "nights", "discount", "extra", "subtotal", "service", "tax", "city", "total"),
    [
        ("2025-06-15", FAMILY, 42000, 0, 4500, 52500, 7350, 5775, 1200, 66825),
        ("2025-06-19", COUPLE, 90000, -9000, 0, 87000, 12180, 9570, 2800, 111550),
        ("2025-06-18", COUPLE, 78000, 0, 0, 84000, 11760, 9240, 2400, 107400),
    ],
)
def test_stay_3_the_worked_table_holds_to_the_cent(
    checkout: str,
    party: Party,
    nights: int,
    discount: int,
    extra: int,
    subtotal: int,
    service: int,
    tax: int,
    city: int,
    total: int,
) -> None:
    found = priced("2025-06-12", checkout, party)
    sums = amounts(found)
    assert (sums["nights"], sums.get("discount", 0), sums.get("extra_guest", 0)) == (nights, discount, extra)
    assert (sums["cleaning"], found.subtotal, sums["service_fee"]) == (6000, subtotal, service)
    assert (sums["State tax"], sums["City tax"], found.total) == (tax, city, total)


def test_stay_3_each_line_converts_and_rounds_before_the_sum() -> None:
    found = priced("2025-06-12", "2025-06-15", FAMILY, charge_currency="JPY", rate_ppm=149_370_000)
    assert found.total == 99816
    assert converted(found.listing_total, "USD", "JPY", 149_370_000) == 99817


def test_stay_3_a_coupon_reduces_the_subtotal_and_the_service_fee_but_no_tax() -> None:
    found = priced("2025-06-12", "2025-06-15", FAMILY)
    assert with_coupon(found, "HELLO50", 5000).total == 61825
    whole = with_coupon(found, "ALL", 10**9)
    assert whole.total == 5775 + 1200


def test_stay_3_a_coupon_never_goes_below_the_taxes_in_another_currency() -> None:
    found = priced("2025-06-12", "2025-06-15", FAMILY, charge_currency="JPY", rate_ppm=149_370_000)
    assert with_coupon(found, "ALL", 10**9).total == 8626 + 1792


def test_stay_3_credit_never_goes_below_zero() -> None:
    found = priced("2025-06-12", "2025-06-15", FAMILY)
    assert with_credit(found, 10000).total == 56825
    assert with_credit(found, 10**9).total == 0
    assert with_credit(found, 10**9).listing_total == 0


def test_stay_3_exactly_one_price_is_chosen_for_each_night() -> None:
    low, high = (
        Season("Low", "2025-06-13", "2025-06-15", 1, adjust_bp=2500),
        Season("Fair", "2025-06-14", "2025-06-14", 2, fixed_price=40000),
    )
    nights = nightly(PRICES, nights_between("2025-06-12", "2025-06-17"), {"2025-06-13": 9900}, in_order((low, high)))
    assert [(night.price, night.source) for night in nights] == [
        (12000, "base"),
        (9900, "override"),
        (40000, "season"),
        (15000, "season"),
        (12000, "base"),
    ]


def test_stay_3_friday_and_saturday_nights_are_the_weekend() -> None:
    nights = nightly(PRICES, nights_between("2025-06-09", "2025-06-16"), {}, ())
    assert [night.source for night in nights] == ["base"] * 4 + ["weekend"] * 2 + ["base"]


def test_stay_3_the_monthly_discount_replaces_the_weekly_one_from_28_nights_on() -> None:
    prices = replace(PRICES, monthly_bp=2500, weekend_price=None)
    labels = [line.label for line in priced("2025-06-01", "2025-06-29", COUPLE, prices).lines]
    assert "Monthly discount 25 %" in labels
    assert "Weekly discount 10 %" not in labels
    labels = [line.label for line in priced("2025-06-01", "2025-06-28", COUPLE, prices).lines]
    assert "Weekly discount 10 %" in labels


def test_stay_3_promotion_and_non_refundable_rate_apply_to_what_the_discount_left() -> None:
    prices = replace(PRICES, weekend_price=None, early_bird_days=30, early_bird_bp=500, nonrefundable_bp=1000)
    found = priced("2025-06-02", "2025-06-09", COUPLE, prices, nonrefundable=True)
    assert [line.amount for line in found.lines if line.kind == "discount"] == [-8400, -3780, -7182]


@pytest.mark.parametrize(
    ("ahead", "label"), [(2, "Last minute"), (3, "Last minute"), (4, ""), (29, ""), (30, "Early bird")]
)
def test_stay_3_promotions_hold_at_their_exact_day(ahead: int, label: str) -> None:
    prices = replace(PRICES, early_bird_days=30, early_bird_bp=500, last_minute_days=3, last_minute_bp=800)
    assert promotion(prices, ahead)[0] == label


def test_stay_3_of_two_promotions_the_larger_counts() -> None:
    prices = replace(PRICES, early_bird_days=2, early_bird_bp=500, last_minute_days=9, last_minute_bp=800)
    assert promotion(prices, 5) == ("Last minute", 800)


def test_stay_3_infants_and_pets_are_no_extra_guests_and_a_service_animal_costs_nothing() -> None:
    prices = replace(PRICES, pet_fee=2500)
    sums = amounts(priced("2025-06-12", "2025-06-15", Party(2, 0, 2, 1), prices))
    assert "extra_guest" not in sums
    assert sums["pet"] == 2500
    assert "pet" not in amounts(priced("2025-06-12", "2025-06-15", Party(2, 0, 0, 1), prices, service_pets=1))


def test_stay_3_a_tax_of_the_accommodation_leaves_the_fees_out() -> None:
    tax = Tax("VAT", "percent", 1000, "accommodation")
    nights = nightly(PRICES, nights_between("2025-06-12", "2025-06-15"), {}, ())
    found = quote(PRICES, nights, FAMILY, (tax,), days_ahead=60)
    assert amounts(found)["VAT"] == 4650


def test_stay_3_a_city_tax_ends_after_its_last_night_and_spares_long_stays() -> None:
    nights = nightly(PRICES, nights_between("2025-06-01", "2025-06-11"), {}, ())
    city = TAXES[1]
    assert amounts(quote(PRICES, nights, COUPLE, (city,), days_ahead=1))["City tax"] == 2 * 7 * 200
    spared = quote(PRICES, nights, COUPLE, (replace(city, exempt_from_nights=10),), days_ahead=1)
    assert "City tax" not in amounts(spared)
    everybody = quote(PRICES, nights, FAMILY, (replace(city, adults_only=False),), days_ahead=1)
    assert amounts(everybody)["City tax"] == 3 * 7 * 200


@pytest.mark.parametrize("wanted", [66825, 50000, 90001, 33333, 1])
def test_stay_7_a_special_offer_comes_to_its_fixed_total(wanted: int) -> None:
    found = priced("2025-06-12", "2025-06-15", FAMILY, offer_total=wanted)
    assert found.total == wanted


def test_stay_3_rates_go_through_the_corporate_currency() -> None:
    assert rate_between("USD", "USD", {}) == 1_000_000
    assert rate_between("USD", "JPY", {"USD": 1_000_000, "JPY": 6695}) == 149_365_198


def test_stay_3_a_season_price_is_rounded_half_up() -> None:
    assert season_price(12345, Season("x", "2025-01-01", "2025-02-01", 1, adjust_bp=1000)) == 13580


def test_stay_4_discounts_are_spread_by_largest_remainder_the_earliest_night_first() -> None:
    assert spread(46500, (12000, 15000, 15000)) == (13286, 16607, 16607)
    assert spread(100, (1, 1, 1)) == (34, 33, 33)
    assert sum(spread(99999, (7, 11, 13, 17))) == 99999
