"""STAY-4 and STAY-5: the worked cases to the cent, and every policy at its exact thresholds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deskgym_apps.kit.dates import add_seconds
from deskgym_apps.stays.rules_prices import Party, Tax, nightly, quote, with_coupon
from deskgym_apps.stays.rules_refunds import (
    DAY,
    HOUR,
    POLICIES,
    Booked,
    accommodation_of_nights,
    deadline_texts,
    free_until,
    full_refund,
    penalty_bp,
    refund_at,
)
from deskgym_apps.stays.rules_stays import local_instant, nights_between

from .test_stay_03_prices import FAMILY, PRICES, TAXES

CHECKIN = local_instant("2025-06-12", "15:00", "America/New_York")


def booked(policy: str, coupon: int = 0, nights: int = 3, rate: tuple[str, int] = ("USD", 1_000_000)) -> Booked:
    """Row 1 of STAY-3, or a longer stay, booked half a year before."""
    checkout = f"2025-{6 + (11 + nights) // 30:02d}-{(11 + nights) % 30 + 1:02d}"
    chosen = nightly(PRICES, nights_between("2025-06-12", checkout), {}, ())
    found = quote(PRICES, chosen, FAMILY, TAXES, days_ahead=60, charge_currency=rate[0], rate_ppm=rate[1])
    if coupon:
        found = with_coupon(found, "HELLO50", coupon)
    return Booked(
        policy,
        "2025-06-12",
        checkout,
        FAMILY,
        "America/New_York",
        "2025-01-10T12:00:00Z",
        CHECKIN,
        tuple(night.price for night in chosen),
        found.lines,
        TAXES,
        "USD",
        rate[0],
        rate[1],
    )


def before(seconds: int) -> str:
    return add_seconds(CHECKIN, -seconds)


@pytest.mark.parametrize(
    ("policy", "ahead", "kept", "nights", "cleaning", "service", "tax", "refund"),
    [
        ("flexible", 30 * HOUR, 0, 46500, 6000, 7350, 6975, 66825),
        ("flexible", 10 * HOUR, 13500, 33000, 6000, 0, 5490, 44490),
        ("moderate", 2 * DAY, 30000, 16500, 6000, 0, 3675, 26175),
        ("firm", 10 * DAY, 23250, 23250, 6000, 0, 4417, 33667),
        ("firm", 3 * DAY, 46500, 0, 6000, 0, 1860, 7860),
    ],
)
def test_stay_4_the_worked_cases_hold_to_the_cent(
    policy: str, ahead: int, kept: int, nights: int, cleaning: int, service: int, tax: int, refund: int
) -> None:
    found = refund_at(booked(policy), before(ahead))
    assert (found.kept_nights, found.nights_refund, found.fees_refund) == (kept, nights, cleaning)
    assert (found.service_refund, found.tax_refund, found.refund) == (service, tax, refund)


def test_stay_4_the_coupon_comes_off_the_refund_first() -> None:
    found = refund_at(booked("flexible", coupon=5000), before(10 * HOUR))
    assert (found.kept_total, found.refund, found.coupon_off) == (22335, 39490, 5000)


def test_stay_4_each_night_carries_its_part_of_discounts_and_of_extra_guests() -> None:
    assert accommodation_of_nights(booked("flexible")) == (13500, 16500, 16500)
    week = accommodation_of_nights(booked("flexible", nights=7))
    assert week == (12300, 15000, 15000, 12300, 12300, 12300, 12300)


@pytest.mark.parametrize(
    ("policy", "ahead", "band"),
    [
        ("flexible", 24 * HOUR, "full"),
        ("flexible", 24 * HOUR - 1, "late"),
        ("flexible", 0, "late"),
        ("flexible", -1, "stayed"),
        ("moderate", 5 * DAY, "full"),
        ("moderate", 5 * DAY - 1, "late"),
        ("moderate", -1, "stayed"),
        ("limited", 14 * DAY, "full"),
        ("limited", 14 * DAY - 1, "half"),
        ("limited", 7 * DAY, "half"),
        ("limited", 7 * DAY - 1, "late"),
        ("firm", 30 * DAY, "full"),
        ("firm", 30 * DAY - 1, "half"),
        ("firm", 7 * DAY, "half"),
        ("firm", 7 * DAY - 1, "late"),
        ("firm", -1, "stayed"),
        ("strict", 100 * DAY, "half"),
        ("strict", 7 * DAY, "half"),
        ("strict", 7 * DAY - 1, "late"),
        ("long_stay", 30 * DAY, "full"),
        ("long_stay", 30 * DAY - 1, "late"),
        ("non_refundable", 100 * DAY, "late"),
    ],
)
def test_stay_4_every_policy_turns_at_its_exact_threshold(policy: str, ahead: int, band: str) -> None:
    assert refund_at(booked(policy), before(ahead)).band == band


def test_stay_4_within_24_hours_of_booking_all_comes_back_if_check_in_is_7_days_away() -> None:
    for policy in POLICIES:
        for ahead, since, full in ((7 * DAY, DAY, True), (7 * DAY - 1, DAY, False), (7 * DAY, DAY + 1, False)):
            at = before(ahead)
            found = refund_at(replace(booked(policy), booked_at=add_seconds(at, -since)), at)
            expected = full or POLICIES[policy].full in (24 * HOUR, 5 * DAY)
            assert found.is_full == expected, (policy, ahead, since)


def test_stay_4_strict_refunds_all_within_48_hours_of_booking_and_14_days_ahead() -> None:
    for ahead, since, band in (
        (14 * DAY, 2 * DAY, "full"),
        (14 * DAY - 1, 2 * DAY, "half"),
        (14 * DAY, 2 * DAY + 1, "half"),
    ):
        at = before(ahead)
        assert refund_at(replace(booked("strict"), booked_at=add_seconds(at, -since)), at).band == band


@pytest.mark.parametrize("policy", ["limited", "firm", "strict", "non_refundable"])
def test_stay_4_late_cancellations_of_firm_policies_keep_every_night_and_return_the_cleaning(policy: str) -> None:
    found = refund_at(booked(policy), before(DAY))
    assert (found.nights_refund, found.fees_refund, found.service_refund) == (0, 6000, 0)


def test_stay_4_after_check_in_the_cleaning_stays_and_nights_used_are_counted_at_the_listing() -> None:
    evening, morning = "2025-06-13T03:30:00Z", "2025-06-13T14:00:00Z"  # 23:30 on 12 June and 10:00 on 13 June there
    first, second = (refund_at(booked("flexible"), at) for at in (evening, morning))
    assert (first.kept_nights, first.fees_refund) == (13500, 0)
    assert (second.kept_nights, second.nights_refund) == (30000, 16500)
    moderate = refund_at(booked("moderate"), morning)
    assert moderate.kept_nights == 13500 + 16500 + 8250


def test_stay_4_taxes_per_night_come_back_for_nights_not_stayed() -> None:
    found = refund_at(booked("firm"), "2025-06-14T14:00:00Z")
    assert [line.amount for line in found.kept if line.label == "City tax"] == [2 * 2 * 200]
    assert found.tax_refund == 400


def test_stay_4_a_long_stay_keeps_the_first_30_nights_or_the_next_30() -> None:
    stay = booked("long_stay", nights=60)
    per_night = accommodation_of_nights(stay)
    assert refund_at(stay, before(29 * DAY)).kept_nights == sum(per_night[:30])
    assert refund_at(stay, add_seconds(CHECKIN, 5 * DAY)).kept_nights == sum(per_night[:35])


def test_stay_4_a_refund_never_exceeds_what_was_paid_in_any_currency() -> None:
    for rate in (1_000_000, 149_370_000, 3_333, 987_654):
        for policy in POLICIES:
            for ahead in (-50 * HOUR, -1, 0, 10 * HOUR, 2 * DAY, 6 * DAY, 10 * DAY, 20 * DAY, 60 * DAY):
                for coupon in (0, 5000, 90000):
                    stay = booked(policy, coupon, rate=("JPY", rate))
                    found = refund_at(stay, before(ahead))
                    assert 0 <= found.refund <= stay.paid
                    assert found.kept_total == stay.paid - found.refund
                    assert min(found.nights_refund, found.fees_refund, found.service_refund, found.tax_refund) >= 0


def test_stay_4_the_host_gets_3_percent_less_than_what_is_kept_of_nights_and_fees() -> None:
    found = refund_at(booked("flexible"), before(10 * HOUR))
    assert (found.gross, found.host_fee) == (13500, 405)


def test_stay_5_a_host_who_cancels_pays_by_notice_and_the_guest_gets_all_back() -> None:
    assert [penalty_bp(ahead) for ahead in (30 * DAY, 30 * DAY - 1, 2 * DAY, 2 * DAY - 1, -5)] == [
        1000,
        2500,
        2500,
        5000,
        5000,
    ]
    found = full_refund(booked("non_refundable"))
    assert (found.refund, found.kept_total, found.gross) == (66825, 0, 0)


def test_stay_14_deadlines_are_written_by_the_listings_clock() -> None:
    checkin = local_instant("2025-06-08", "15:00", "Europe/Lisbon")
    texts = deadline_texts("flexible", "2025-01-10T12:00:00Z", checkin, "Europe/Lisbon")
    assert texts[0] == "Full refund if you cancel before 3:00 PM on Sat 7 June, Lisbon time."
    assert free_until("non_refundable", "2025-06-07T12:00:00Z", checkin) is None
    assert free_until("strict", "2025-01-10T12:00:00Z", checkin) == "2025-01-12T12:00:00Z"


def test_stay_4_without_a_tax_line_no_tax_is_kept() -> None:
    stay = booked("firm")
    more = replace(stay, taxes=(*TAXES, Tax("New tax", "percent", 500, "accommodation")), party=Party(2, 1))
    assert all(line.label != "New tax" for line in refund_at(more, before(DAY)).kept)
