"""J1 to J9 of Harbourstay, read from the rows of a store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from deskgym_apps.kit.dates import local_date
from deskgym_apps.kit.roles import Row
from deskgym_apps.kit.store import Store
from deskgym_apps.stays.rules_prices import HOST_ITEMS
from deskgym_apps.stays.rules_stays import nights_between

Rows = Mapping[str, Row]
HOLDS = ("confirmed", "completed")
CANCELLED = ("cancelled_guest", "cancelled_host")


def broken(store: Store) -> Iterator[str]:
    """Each violation as a sentence."""
    listings = {row["id"]: row for row in store.select("stays_listing")}
    stays = {row["id"]: row for row in store.select("stays_reservation")}
    yield from _nights(store, listings, stays)
    yield from _money(store, stays)
    for row in stays.values():
        home = listings[row["listing_id"]]
        if row["status"] in HOLDS and row["adults"] + row["children"] > home["max_guests"]:
            yield f"J4 {row['code']} has too many guests"
        if row["status"] == "completed" and row["checkout"] >= local_date(store.now, home["tz"]):
            yield f"J6 {row['code']} is completed too early"
    codes = sorted(row["code"] for row in stays.values())
    if codes != [f"HB{number:06d}" for number in range(1, len(codes) + 1)]:
        yield f"codes have gaps: {codes}"


def _nights(store: Store, listings: Rows, stays: Rows) -> Iterator[str]:
    held: dict[str, list[str]] = defaultdict(list)
    for row in store.select("stays_reservation_night"):
        held[row["reservation_id"]].append(row["night"])
        blocked = store.get("stays_calendar_override", (row["listing_id"], row["night"]))
        if blocked and blocked["blocked"]:
            yield f"J5 {row['night']} is blocked and reserved"
        if row["unit"] > listings[row["listing_id"]]["inventory"]:
            yield f"J1 there is no room {row['unit']}"
    for row in stays.values():
        wanted = list(nights_between(row["checkin"], row["checkout"])) if row["status"] in HOLDS else []
        if sorted(held[row["id"]]) != wanted:
            yield f"J1 {row['code']} ({row['status']}) holds {held[row['id']]}"


def _money(store: Store, stays: Rows) -> Iterator[str]:
    lines: dict[tuple[str, int], list[Any]] = defaultdict(list)
    paid: dict[str, int] = defaultdict(int)
    voided: dict[str, int] = defaultdict(int)
    for line in store.select("stays_price_line"):
        lines[line["reservation_id"], line["rev"]].append(line)
    captured: dict[str, int] = defaultdict(int)
    for row in store.select("stays_payment"):
        sign = {"capture": 1, "refund": -1}.get(row["kind"], 0)
        paid[row["reservation_id"]] += sign * row["amount"]
        captured[row["reservation_id"]] += row["amount"] if sign == 1 else 0
        voided[row["reservation_id"]] += {"authorise": row["amount"], "void": -row["amount"]}.get(row["kind"], 0)
    nets: dict[str, int] = defaultdict(int)
    fees: dict[str, int] = defaultdict(int)
    for row in store.select("stays_payout"):
        if row["status"] != "cancelled":
            nets[row["reservation_id"]] += row["net"]
            fees[row["reservation_id"]] += row["host_fee"]
    for row in stays.values():
        revisions = [rev for owner, rev in lines if owner == row["id"]]
        latest = lines[row["id"], max(revisions)] if revisions else []
        if sum(line["charge_amount"] for line in latest) != row["total"]:
            yield f"J2 {row['code']} lines do not add up to {row['total']}"
        if not 0 <= paid[row["id"]] <= captured[row["id"]]:
            yield f"J3 {row['code']} has {paid[row['id']]} of {captured[row['id']]}"
        if row["status"] in (*HOLDS, *CANCELLED):
            if paid[row["id"]] != row["total"]:
                yield f"J2 {row['code']} has {paid[row['id']]} paid and a total of {row['total']}"
            of = dict.fromkeys(("service_fee", "tax", "coupon", "credit"), 0)
            for line in latest:
                if line["kind"] in of:
                    of[line["kind"]] += line["listing_amount"]
            gross = sum(line["listing_amount"] for line in latest if line["kind"] in HOST_ITEMS)
            if nets[row["id"]] + fees[row["id"]] != gross:
                yield f"J8 {row['code']} pays the host {nets[row['id']]} of {gross}"
            if row["currency"] == row["charge_currency"] and gross + sum(of.values()) != paid[row["id"]]:
                yield f"J8 {row['code']} does not balance"
        elif row["status"] in ("declined", "expired", "withdrawn") and voided[row["id"]]:
            yield f"{row['code']} is {row['status']} and still holds {voided[row['id']]}"
