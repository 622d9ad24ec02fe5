"""What stays cost in a world, from its rows and the rules of STAY-3, without the services that agents call."""

from __future__ import annotations

from deskgym_apps.kit.store import Store
from deskgym_apps.stays.rules_prices import (
    ONE_PPM,
    Party,
    Prices,
    Quote,
    Season,
    Tax,
    converted,
    in_order,
    nightly,
    quote,
    rate_between,
)
from deskgym_apps.stays.rules_stays import StayRules, date_faults, days_between, nights_between, shifted

from ..per_world import per_world
from . import picks
from .picks import Row


@per_world
def rates(world: Store) -> dict[str, int]:
    """Corporate units for one of each currency, x 1e6, on the day of the world."""
    found = {str(world.meta("corp_currency")): ONE_PPM}
    for row in sorted(picks.every(world, "org_fx_rate"), key=lambda row: str(row["valid_from"])):
        if row["valid_from"] <= world.now[:10]:
            found[str(row["code"])] = int(row["rate_ppm"])
    return found | {str(world.meta("corp_currency")): ONE_PPM}


@per_world
def seasons(world: Store) -> dict[str, tuple[Season, ...]]:
    """Seasons by listing, the highest priority first."""
    found: dict[str, list[Season]] = {}
    for row in picks.every(world, "stays_season"):
        found.setdefault(str(row["listing_id"]), []).append(Season.of(row))
    return {key: in_order(rows) for key, rows in found.items()}


def above(world: Store, place_id: str) -> list[str]:
    """A place and all that it lies in."""
    found: list[str] = []
    here: str | None = place_id
    while here is not None:
        found.append(here)
        here = picks.places(world)[here]["parent_id"]
    return found


@per_world
def taxes(world: Store, place_id: str, currency: str, checkin: str) -> tuple[Tax, ...]:
    """The taxes of a stay that begins on a day, in the listing's currency, in the order of their lines."""
    inside = set(above(world, place_id))
    rows = [
        row
        for row in picks.every(world, "stays_tax_rule")
        if row["place_id"] in inside
        and row["valid_from"] <= checkin
        and (row["valid_to"] is None or row["valid_to"] > checkin)
    ]
    found = []
    for row in sorted(rows, key=lambda row: (row["kind"], row["name"], row["id"])):
        amount = row["amount"]
        if amount is not None:
            amount = converted(amount, row["currency"], currency, rate_between(row["currency"], currency, rates(world)))
        found.append(Tax.of({**row, "amount": amount}))
    return tuple(found)


def priced(
    world: Store,
    listing: Row,
    checkin: str,
    checkout: str,
    party: Party,
    currency: str,
    nonrefundable: bool = False,
    rate_ppm: int | None = None,
) -> Quote:
    """The price of a stay for a guest who pays in `currency`, without coupon and credit. `rate_ppm`: one agreed."""
    prices = Prices.of(listing)
    own = {
        night: int(row["price"])
        for night, row in picks.overrides(world).get(listing["id"], {}).items()
        if row["price"] is not None
    }
    return quote(
        prices,
        nightly(prices, nights_between(checkin, checkout), own, seasons(world).get(listing["id"], ())),
        party,
        taxes(world, listing["place_id"], listing["currency"], checkin),
        days_ahead=days_between(picks.today(world, listing), checkin),
        nonrefundable=nonrefundable,
        charge_currency=currency,
        rate_ppm=rate_ppm or rate_between(listing["currency"], currency, rates(world)),
    )


def is_free(world: Store, listing: Row, checkin: str, checkout: str, without: frozenset[str] = frozenset()) -> bool:
    """Whether the dates can be booked: the listing's rules, its calendar and other people's stays (STAY-1, STAY-8).
    `without`: nights of the one room of the listing that do not count, being those of the stay that is to be moved."""
    own = picks.overrides(world).get(listing["id"], {})
    first = own.get(checkin)
    least = None if first is None else first["min_nights"]
    if date_faults(StayRules.of(listing), checkin, checkout, picks.today(world, listing), least):
        return False
    stay = nights_between(checkin, checkout)
    if any(night in own and own[night]["blocked"] for night in stay):
        return False
    gap = listing["prep_days"]
    needed = nights_between(shifted(checkin, -gap), shifted(checkout, gap))
    used = used_units(world).get(listing["id"], {})
    return all(night in without or used.get(night, 0) < listing["inventory"] for night in needed)


@per_world
def used_units(world: Store) -> dict[str, dict[str, int]]:
    """How many rooms of each listing are reserved, by night."""
    found: dict[str, dict[str, int]] = {}
    for row in picks.every(world, "stays_reservation_night"):
        nights = found.setdefault(str(row["listing_id"]), {})
        nights[str(row["night"])] = nights.get(str(row["night"]), 0) + 1
    return found


def takes(listing: Row, party: Party) -> bool:
    """Whether a listing takes these guests (STAY-2)."""
    return bool(
        party.guests <= listing["max_guests"]
        and party.infants <= listing["max_infants"]
        and party.pets <= listing["max_pets"]
    )


def fits(world: Store, listing: Row, guest: Row, checkin: str, checkout: str, party: Party) -> bool:
    """Whether a guest could book the stay."""
    return (
        listing["host_id"] != guest["id"]
        and listing["status"] == "listed"
        and takes(listing, party)
        and is_free(world, listing, checkin, checkout)
    )
