"""Moving a stay: as late as fits and costs no more than a limit, with the exact difference confirmed (STAY-6)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from deskgym_apps.kit.dates import add_days, local_date, long_date
from deskgym_apps.kit.money import exponent, plain_amount
from deskgym_apps.kit.store import Store
from deskgym_apps.stays.rules_prices import Party
from deskgym_apps.stays.rules_stays import days_between
from deskgym_graders.codec import SpecError
from deskgym_graders.comparators import Money
from deskgym_graders.expected import expected_row
from deskgym_graders.spec import Call, Draft, Expectation, Insert, Variant
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from ..per_world import per_world
from . import picks
from .cancelling import held_nights
from .picks import Row
from .prices import is_free, priced, takes

_FARTHEST = 6
_TRIES = 200
_REASONS = ("The customer moved the audit", "The flight was put off", "The fair begins later", "Training was moved")
_GUESTS = ("adults", "children", "infants", "pets")


@dataclass(frozen=True)
class Move:
    """A stay so many days later, and what it costs more (or less, negative) in the currency that is charged."""

    row: Row
    days: int
    total: int

    @property
    def checkin(self) -> str:
        return add_days(self.row["checkin"], self.days)

    @property
    def checkout(self) -> str:
        return add_days(self.row["checkout"], self.days)

    @property
    def delta(self) -> int:
        return int(self.total - self.row["total"])

    @property
    def delta_text(self) -> str:
        return plain_amount(self.delta, self.row["charge_currency"])


def _moves(world: Store, row: Row) -> Iterator[Move]:
    """Moves by some days, the same length, that the calendar and the listing's rules allow."""
    listing = picks.listings(world)[row["listing_id"]]
    own = frozenset(str(night["night"]) for night in held_nights(world)[row["id"]])
    party = Party(*(row[name] for name in _GUESTS))
    for days in range(1, _FARTHEST + 1):
        start, end = add_days(row["checkin"], days), add_days(row["checkout"], days)
        if not is_free(world, listing, start, end, own) or not takes(listing, party):
            continue
        found = priced(
            world,
            listing,
            start,
            end,
            party,
            row["charge_currency"],
            row["rate_plan"] == "nonrefundable",
            row["fx_rate_ppm"],
        )
        yield Move(row, days, found.total)


@per_world
def movable(world: Store) -> list[tuple[Row, tuple[Move, ...]]]:
    """Trips to come without coupon, credit or change request, of one room, that can be moved in three ways or more."""
    can = {row["id"] for row in picks.travellers(world)}
    asked = {row["reservation_id"] for row in picks.every(world, "stays_alteration") if row["status"] == "pending"}
    found = []
    for row in picks.every(world, "stays_reservation"):
        listing = picks.listings(world)[row["listing_id"]]
        is_plain = not row["coupon_amount"] and not row["credit_amount"] and row["id"] not in asked
        if row["status"] != "confirmed" or row["guest_id"] not in can or not is_plain or listing["inventory"] != 1:
            continue
        if days_between(local_date(world.now, listing["tz"]), row["checkin"]) < 2 or listing["status"] != "listed":
            continue
        moves = tuple(_moves(world, row))
        if len(moves) >= 3 and row["currency"] == listing["currency"] and picks.has_clean_title(world, listing):
            found.append((row, moves))
    return found


def _asked(move: Move, note: str | None = None) -> Call:
    given = {
        "code": move.row["code"],
        "action": "propose",
        "checkin": move.checkin,
        "checkout": move.checkout,
        "confirm_delta": move.delta_text,
        "row_version": move.row["row_version"],
    }
    return Call("stays_alter", given if note is None else given | {"note": note})


def _request(move: Move, note: str) -> Insert:
    """The row of the change request."""
    code = move.row["charge_currency"]
    return expected_row(
        "stays_alteration",
        reservation_id=move.row["id"],
        checkin=move.checkin,
        checkout=move.checkout,
        **{name: move.row[name] for name in _GUESTS},
        charge_currency=code,
        new_total=Money(move.total, code),
        delta=Money(move.delta, code),
        note=note,
    )


def _draw(world: Store, stream: Stream) -> tuple[Move, Move, int]:
    """The right move, one farther that costs too much, and the limit in whole units."""
    for _ in range(_TRIES):
        row, moves = picks.draw(stream, movable(world), "trip that can be moved")
        scale = int(10 ** exponent(row["charge_currency"]))
        right, farther = sorted(stream.sample(list(moves), 2), key=lambda move: move.days)
        later = [move.delta for move in moves if move.days > right.days]
        limit = max(-(-right.delta // scale), 0) + stream.uniform_int(0, 25)
        if all(delta > limit * scale for delta in later) and right.delta <= limit * scale:
            return right, farther, limit
    raise SpecError("no trip was found that a limit keeps from being moved farther")


@template("stays/move-trip", kind="mutate", level=3)
def move_trip(world: Store, stream: Stream) -> Draft:
    """Ask the host to move a trip as far as the price allows."""
    right, farther, limit = _draw(world, stream)
    row, listing = right.row, picks.listings(world)[right.row["listing_id"]]
    note = f"{stream.choice(_REASONS)}, reference {stream.uniform_int(100, 999)}"
    goal = (_request(right, note),)
    propose, too_far = _asked(right, note), _asked(farther, note)
    look = {"code": row["code"], "preview": "alter", "checkin": right.checkin, "checkout": right.checkout}
    mine = [
        other
        for other in picks.every(world, "stays_reservation")
        if other["guest_id"] == row["guest_id"] and other["status"] == "confirmed" and other["id"] != row["id"]
    ]
    return Draft(
        instruction=f'Please move my stay at "{listing["title"]}" that begins on {long_date(row["checkin"])}: the same '
        f"number of nights, beginning as many days later as is possible, but at most {_FARTHEST}, and costing at most "
        f"{limit} {row['charge_currency']} more in all than now. Propose that change to the host with the note "
        f'"{note}". You need not wait for the answer.',
        person_id=row["guest_id"],
        expectation=Expectation(any_of=(goal,)),
        oracle=(Call("stays_reservations", look), propose),
        variants=(
            Variant("without looking first", (propose,)),
            Variant("farther, over the limit", (too_far,), reason="MISSING"),
            Variant("without the note", (_asked(right),), reason="MISSING"),
        ),
        distractors=(picks.distract("other trips", "stays_reservation", mine),)
        if mine
        else (picks.distract("other listings", "stays_listing", picks.others(world, listing)),),
        because=picks.follows(
            goal,
            {
                "checkin": "the latest that fits and keeps to the limit",
                "checkout": "as many nights later",
                "new_total": "as the preview shows it",
                "delta": "as the preview shows it",
                "charge_currency": "the reservation's",
                "reservation_id": "the stay at that place on that day",
                **dict.fromkeys(_GUESTS, "as before"),
            },
        ),
    )
