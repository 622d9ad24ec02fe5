"""What holds of the seeded Harbourstay before anybody acts: J1 to J9, and money by the app's own rules."""

import json
from collections import defaultdict
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from deskgym_apps.kit.dates import local_date
from deskgym_apps.kit.jobs import next_due
from deskgym_apps.kit.store import Store
from deskgym_apps.stays.roles import TABLES
from deskgym_apps.stays.rules_prices import HOST_FEE_BP, HOST_ITEMS, Line, Party, Tax, share
from deskgym_apps.stays.rules_refunds import Booked, full_refund, refund_at
from deskgym_apps.stays.rules_stays import applying_policy, local_instant, nights_between
from deskgym_seeds.world import World

Row = dict[str, Any]
HOLDING = ("confirmed", "completed")


@pytest.fixture(scope="module")
def listings(store: Store) -> dict[str, Row]:
    return {row["id"]: row for row in store.all("SELECT * FROM stays_listing")}


@pytest.fixture(scope="module")
def reservations(store: Store) -> list[Row]:
    return store.all("SELECT * FROM stays_reservation ORDER BY code")


@pytest.fixture(scope="module")
def revisions(store: Store) -> dict[str, dict[int, list[Row]]]:
    found: dict[str, dict[int, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in store.all("SELECT * FROM stays_price_line ORDER BY reservation_id, rev, pos"):
        found[row["reservation_id"]][row["rev"]].append(row)
    return found


@pytest.fixture(scope="module")
def payments(store: Store) -> dict[str, dict[str, int]]:
    """Sums of payments by reservation and kind."""
    found: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for row in store.all("SELECT * FROM stays_payment"):
        assert row["status"] == "succeeded"
        found[row["reservation_id"]][row["kind"]] += row["amount"]
    return found


def _lines(rows: list[Row]) -> tuple[Line, ...]:
    return tuple(Line(row["kind"], row["label"], row["listing_amount"], row["charge_amount"]) for row in rows)


def _taxes(store: Store, listing: Row, checkin: str) -> tuple[Tax, ...]:
    sql = (
        "WITH RECURSIVE line(id, parent_id, level) AS (SELECT id, parent_id, 0 FROM stays_place WHERE id = ? UNION ALL "
        "SELECT p.id, p.parent_id, line.level + 1 FROM stays_place p JOIN line ON p.id = line.parent_id) "
        "SELECT t.* FROM stays_tax_rule t JOIN line ON line.id = t.place_id WHERE t.valid_from <= ? "
        "AND (t.valid_to IS NULL OR t.valid_to > ?) ORDER BY line.level DESC, t.id"
    )
    rows = store.all(sql, (listing["place_id"], checkin, checkin))
    assert all(row["currency"] in (None, listing["currency"]) for row in rows)
    return tuple(Tax.of(row) for row in rows)


def test_j1_confirmed_and_completed_stays_hold_exactly_their_nights(store: Store, reservations: list[Row]) -> None:
    held: dict[str, list[Row]] = defaultdict(list)
    for row in store.all("SELECT * FROM stays_reservation_night ORDER BY night"):
        held[row["reservation_id"]].append(row)
    for row in reservations:
        nights = held.pop(row["id"], [])
        wanted = nights_between(row["checkin"], row["checkout"]) if row["status"] in HOLDING else ()
        assert tuple(night["night"] for night in nights) == wanted, row["code"]
        assert {night["listing_id"] for night in nights} <= {row["listing_id"]}
        assert len({night["unit"] for night in nights}) <= 1
    assert not held


def test_j1_units_and_days_of_preparation_are_kept(store: Store, listings: dict[str, Row]) -> None:
    stays = store.all(
        "SELECT listing_id, unit, reservation_id, min(night) AS first, max(night) AS last FROM stays_reservation_night "
        "GROUP BY listing_id, unit, reservation_id ORDER BY listing_id, unit, first"
    )
    for one, other in pairwise(stays):
        listing = listings[one["listing_id"]]
        assert one["unit"] <= listing["inventory"]
        if (one["listing_id"], one["unit"]) == (other["listing_id"], other["unit"]):
            gap = (date.fromisoformat(other["first"]) - date.fromisoformat(one["last"])).days - 1
            assert gap >= listing["prep_days"]


def test_j2_the_latest_price_lines_add_up_to_the_total(
    reservations: list[Row], revisions: dict[str, dict[int, list[Row]]]
) -> None:
    for row in reservations:
        lines = revisions[row["id"]]
        assert sorted(lines) == list(range(1, len(lines) + 1))
        latest = lines[max(lines)]
        assert sum(line["charge_amount"] for line in latest) == row["total"], row["code"]
        assert {line["charge_currency"] for line in latest} == {row["charge_currency"]}
        if row["currency"] == row["charge_currency"]:
            assert all(line["charge_amount"] == line["listing_amount"] for line in latest)


def test_j3_no_more_comes_back_than_was_taken(reservations: list[Row], payments: dict[str, dict[str, int]]) -> None:
    for row in reservations:
        sums = payments[row["id"]]
        assert 0 <= sums["refund"] <= sums["capture"]
        settled = row["confirmed_at"] is not None
        assert sums["capture"] - sums["refund"] == (row["total"] if settled else 0), row["code"]
        if row["status"] in ("declined", "expired", "withdrawn"):
            assert sums["void"] == sums["authorise"] == row["total"]
        if row["status"] == "pending":
            assert (sums["authorise"], sums["void"]) == (row["total"], 0)


def test_j4_guests_are_within_the_limits(reservations: list[Row], listings: dict[str, Row]) -> None:
    for row in reservations:
        listing = listings[row["listing_id"]]
        assert row["adults"] + row["children"] <= listing["max_guests"]
        assert row["infants"] <= listing["max_infants"]
        assert row["pets"] <= listing["max_pets"]
        assert row["guest_id"] != listing["host_id"]


def test_j5_no_reserved_night_is_closed(store: Store) -> None:
    assert not store.all(
        "SELECT n.* FROM stays_reservation_night n JOIN stays_calendar_override o "
        "ON o.listing_id = n.listing_id AND o.night = n.night WHERE o.blocked = 1"
    )


def test_j6_stays_are_completed_once_they_are_over(
    store: Store, reservations: list[Row], listings: dict[str, Row]
) -> None:
    for row in reservations:
        over = row["checkout"] < local_date(store.now, listings[row["listing_id"]]["tz"])
        if row["status"] in HOLDING:
            assert row["status"] == ("completed" if over else "confirmed"), row["code"]
        if row["status"] in ("pending", "inquiry"):
            assert row["checkin"] > store.now[:10]


def test_j8_what_is_kept_goes_to_host_platform_and_state(
    store: Store, reservations: list[Row], revisions: dict[str, dict[int, list[Row]]]
) -> None:
    payouts: dict[str, list[Row]] = defaultdict(list)
    for row in store.all("SELECT * FROM stays_payout"):
        payouts[row["reservation_id"]].append(row)
    for row in reservations:
        latest = revisions[row["id"]][max(revisions[row["id"]])]
        gross = sum(line["listing_amount"] for line in latest if line["kind"] in HOST_ITEMS)
        if row["confirmed_at"] is None:
            assert row["id"] not in payouts
            continue
        (payout,) = payouts[row["id"]]
        assert (payout["gross"], payout["host_fee"]) == (gross, share(gross, HOST_FEE_BP)), row["code"]
        assert payout["currency"] == row["currency"]
        platform = sum(line["listing_amount"] for line in latest if line["kind"] in ("service_fee", "coupon", "credit"))
        taxes = sum(line["listing_amount"] for line in latest if line["kind"] == "tax")
        kept = sum(line["listing_amount"] for line in latest)
        assert payout["net"] + payout["host_fee"] + platform + taxes == kept
        assert (payout["status"] == "cancelled") == (gross == 0)


def test_j9_reservations_keep_their_policy_when_the_listing_changes_its_own(
    small: World, reservations: list[Row], listings: dict[str, Row]
) -> None:
    former: dict[str, str] = {entry["key"]: entry["was"] for entry in small.oracle["stays.changed_policy"]}
    assert all(former[key] != listings[key]["policy_code"] for key in former)
    kept = 0
    for row in reservations:
        count = len(nights_between(row["checkin"], row["checkout"]))
        policy = former.get(row["listing_id"]) or str(listings[row["listing_id"]]["policy_code"])
        assert row["policy_code"] == applying_policy(policy, row["rate_plan"], count)
        kept += row["listing_id"] in former and row["status"] == "confirmed"
    assert kept


def test_stay_4_refunds_are_those_of_the_rules_at_the_instant_of_cancelling(
    store: Store,
    reservations: list[Row],
    listings: dict[str, Row],
    revisions: dict[str, dict[int, list[Row]]],
    payments: dict[str, dict[str, int]],
) -> None:
    bands = set()
    for row in reservations:
        if not row["status"].startswith("cancelled"):
            continue
        listing, lines = listings[row["listing_id"]], revisions[row["id"]]
        booked = Booked(
            policy=row["policy_code"],
            checkin=row["checkin"],
            checkout=row["checkout"],
            party=Party(row["adults"], row["children"], row["infants"], row["pets"]),
            tz=listing["tz"],
            booked_at=row["confirmed_at"],
            checkin_at=local_instant(row["checkin"], row["checkin_from"], listing["tz"]),
            nights=tuple(json.loads(lines[1][0]["detail_json"])),
            lines=_lines(lines[1]),
            taxes=_taxes(store, listing, row["checkin"]),
            currency=row["currency"],
            charge_currency=row["charge_currency"],
            rate_ppm=row["fx_rate_ppm"],
        )
        by_host = row["status"] == "cancelled_host"
        refund = full_refund(booked) if by_host else refund_at(booked, row["cancelled_at"])
        assert payments[row["id"]]["refund"] == refund.refund, row["code"]
        assert _lines(lines[2]) == refund.kept
        bands.add(refund.band)
    assert bands >= {"full", "half", "late", "stayed"}


def test_stay_5_host_cancellations_leave_penalty_credit_and_a_line_on_the_listing(
    store: Store, reservations: list[Row]
) -> None:
    cancelled = {row["id"]: row for row in reservations if row["status"] == "cancelled_host"}
    assert len(cancelled) > 10
    for table in ("stays_penalty", "stays_credit", "stays_review"):
        where = {"stays_credit": "kind = 'rebooking'", "stays_review": "direction = 'system'"}.get(table, "1")
        rows = store.all(f"SELECT * FROM {table} WHERE {where}")
        assert sorted(row["reservation_id"] for row in rows) == sorted(cancelled)
    for row in store.all("SELECT * FROM stays_credit WHERE kind = 'rebooking'"):
        assert row["user_id"] == cancelled[row["reservation_id"]]["guest_id"]


def test_stay_6_accepted_changes_became_the_second_revision(
    store: Store, revisions: dict[str, dict[int, list[Row]]], reservations: list[Row]
) -> None:
    rows = {row["id"]: row for row in reservations}
    statuses = set()
    for change in store.all("SELECT * FROM stays_alteration"):
        row, lines = rows[change["reservation_id"]], revisions[change["reservation_id"]]
        before = sum(line["charge_amount"] for line in lines[1])
        assert change["delta"] == change["new_total"] - before
        statuses.add(change["status"])
        if change["status"] == "accepted":
            assert (row["checkin"], row["checkout"], row["total"]) == (
                change["checkin"],
                change["checkout"],
                change["new_total"],
            )
        elif change["status"] == "pending":
            assert row["status"] == "confirmed"
            assert change["expires_at"] > store.now
    assert statuses >= {"accepted", "declined", "withdrawn", "expired", "pending"}


def test_derived_columns_are_what_their_roles_say(store: Store) -> None:
    for name, table in TABLES.items():
        columns = {column: role for column, role in table.columns.items() if role.derive is not None}
        columns.pop("code", None)  # of reservations: below, since each looks at all others
        for row in store.select(name) if columns else ():
            for column, role in columns.items():
                assert role.derive is not None
                assert row[column] == role.derive(store, row), (name, column, row)


def test_codes_of_reservations_follow_each_other_as_they_were_made(reservations: list[Row]) -> None:
    assert [row["code"] for row in reservations] == [f"HB{number + 1:06d}" for number in range(len(reservations))]
    made = [row["created_at"] for row in reservations]
    assert made == sorted(made)


def test_ids_have_the_prefix_of_their_table(store: Store) -> None:
    for name, table in TABLES.items():
        if table.prefix is None:
            continue
        for row in store.select(name):
            assert row["id"].startswith(table.prefix)
            assert len(row["id"]) == 15


def test_nothing_is_overdue_when_an_episode_begins(store: Store) -> None:
    now = store.now
    assert next_due(store, now) is None
    later = (datetime.fromisoformat(now) + timedelta(minutes=20)).strftime("%Y-%m-%dT%H:%M:%SZ")
    assert not store.all("SELECT 1 FROM stays_reservation WHERE status = 'pending' AND expires_at <= ?", (later,))
    assert not store.all("SELECT 1 FROM stays_alteration WHERE status = 'pending' AND expires_at <= ?", (later,))
    due = store.all(
        "SELECT p.due_on, l.tz FROM stays_payout p JOIN stays_reservation r ON r.id = p.reservation_id "
        "JOIN stays_listing l ON l.id = r.listing_id WHERE p.status = 'scheduled'"
    )
    assert all(row["due_on"] > local_date(now, row["tz"]) for row in due)
    waiting = store.all(
        "SELECT r.checkout FROM stays_review v JOIN stays_reservation r ON r.id = v.reservation_id "
        "WHERE v.is_published = 0"
    )
    assert waiting
    assert all((date.fromisoformat(now[:10]) - date.fromisoformat(row["checkout"])).days < 13 for row in waiting)
