"""Coupons: what they take off (STAY-10), and a stay that fits a limit with one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from deskgym_apps.kit.dates import add_days, local_date, long_date
from deskgym_apps.kit.money import exponent
from deskgym_apps.kit.store import Store
from deskgym_apps.stays.rules_prices import Party, Quote, converted, rate_between, share, with_coupon
from deskgym_graders.codec import SpecError
from deskgym_graders.spec import Call, Draft, Expectation, Variant
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from . import picks
from .booking import BECAUSE, Stay, booked, booking, card_name, good_cards, instant, party_text, quoting
from .picks import Row
from .prices import above, fits, priced, rates

_TRIES = 200
_WEEKS = 22
_FRIDAY = 5
_USED = ("pending", "confirmed", "completed")


def open_coupons(world: Store, guest: Row) -> list[Row]:
    """Coupons that a guest may use today, as far as that does not hang on the stay."""
    today = local_date(world.now, guest["tz"])
    rows = picks.every(world, "stays_reservation")
    found = []
    for coupon in picks.every(world, "stays_coupon"):
        mine = [
            row
            for row in rows
            if row["guest_id"] == guest["id"]
            and row["coupon_code"] == coupon["code"]
            and (row["status"] in _USED or (row["status"].startswith("cancelled") and row["total"] > 0))
        ]
        is_open = coupon["starts_on"] <= today <= coupon["ends_on"] and len(mine) < coupon["per_user"]
        if is_open and not coupon["first_booking_only"] and coupon["total_uses"] is None:
            found.append(coupon)
    return found


def taken_off(world: Store, coupon: Row, listing: Row, found: Quote) -> Quote | None:
    """The price less the coupon, or None where one of its conditions on the stay does not hold."""
    there, here = coupon["currency"], listing["currency"]
    nights = [night.night for night in found.nights]
    subtotal = converted(found.subtotal, here, there, rate_between(here, there, rates(world)))
    if coupon["place_id"] is not None and coupon["place_id"] not in above(world, listing["place_id"]):
        return None
    if coupon["stay_from"] is not None and nights[0] < coupon["stay_from"]:
        return None
    if coupon["stay_to"] is not None and nights[-1] >= coupon["stay_to"]:
        return None
    if len(nights) < coupon["min_nights"] or subtotal < coupon["min_subtotal"]:
        return None
    off = coupon["value"] if coupon["kind"] == "amount" else share(subtotal, coupon["value"])
    off = min(off, coupon["max_discount"] or off)
    return with_coupon(found, coupon["code"], converted(off, there, here, rate_between(there, here, rates(world))))


@dataclass(frozen=True)
class _Found:
    """Stays that begin on Fridays, the earliest first, with and without the coupon, and the limit one is to keep."""

    since: str
    stays: tuple[Stay, ...]
    limit: int
    right: Stay


def _fridays(world: Store, stream: Stream, coupon: Row, guest: Row) -> Iterator[_Found]:
    listing = picks.draw(stream, instant(world), "listing to book")
    party = Party(stream.uniform_int(1, max(1, min(3, int(listing["max_guests"])))))
    count = max(int(listing["min_nights"]), int(coupon["min_nights"]), stream.uniform_int(2, 4))
    since = add_days(picks.today(world, listing), stream.uniform_int(8, 60))
    friday = picks.next_weekday(add_days(since, -1), _FRIDAY)
    stays = []
    for week in range(_WEEKS):
        start = add_days(friday, 7 * week)
        end = add_days(start, count)
        if fits(world, listing, guest, start, end, party):
            plain = priced(world, listing, start, end, party, str(guest["display_currency"]))
            less = taken_off(world, coupon, listing, plain)
            if less is not None:
                stays.append(Stay(guest, listing, start, end, party, less, coupon=str(coupon["code"])))
    scale = int(10 ** exponent(str(guest["display_currency"])))
    for at in range(1, len(stays)):
        dearer = min(stay.quote.total for stay in stays[:at])
        limit = -(-stays[at].quote.total // scale) * scale
        if limit < dearer:
            yield _Found(since, tuple(stays), limit, stays[at])


def _draw(world: Store, stream: Stream) -> tuple[Row, _Found]:
    guests = [row for row in picks.travellers(world) if good_cards(world, row)]
    for _ in range(_TRIES):
        guest = picks.draw(stream, guests, "guest")
        coupons = [row for row in open_coupons(world, guest) if row["min_nights"] <= 7]
        found = list(_fridays(world, stream, picks.draw(stream, coupons, "coupon"), guest))
        if found:
            return guest, stream.choice(found)
    raise SpecError("no coupon was found that brings a stay below a limit")


@template("stays/coupon-weekend", kind="mutate", level=3)
def coupon_weekend(world: Store, stream: Stream) -> Draft:
    """Book the earliest stay from a Friday on that a coupon brings below a limit."""
    guest, found = _draw(world, stream)
    right, card = found.right, picks.draw(stream, good_cards(world, guest), "card")
    first, code = found.stays[0], right.currency
    limit = f"{found.limit // 10 ** exponent(code)} {code}"
    goal = booked(world, right, card)
    without = quoting(replace(right, coupon=None))

    def way(stay: Stay) -> tuple[Call, Call]:
        return quoting(stay), booking(card, coupon=stay.coupon)

    because = {
        "checkin": "the earliest Friday on which the stay is free and within the limit",
        "checkout": "so many nights later",
        "policy_code": "the listing's policy",
        "adults": "the instruction names them",
    }
    return Draft(
        instruction=f'I want to spend {right.nights} nights at "{right.listing["title"]}", beginning on a Friday, with '
        f"check-in on {long_date(found.since)} or later, for {party_text(right.party)}. Use the coupon {right.coupon}. "
        f"Please book the earliest such stay that is free and costs at most {limit} in all, with fees and taxes and "
        f"less the coupon, at the standard rate. Pay with {card_name(card)}; no credit, no message.",
        person_id=guest["id"],
        expectation=Expectation(any_of=(goal,)),
        oracle=way(right),
        variants=(
            Variant("after looking at a dearer one", (quoting(first), *way(right))),
            Variant("the earliest, over the limit", way(first), reason="MISSING"),
            Variant("without the coupon", (without, booking(card)), reason="MISSING"),
        ),
        distractors=(picks.distract("other listings", "stays_listing", picks.others(world, right.listing)),),
        because=picks.follows(goal, BECAUSE | because),
    )
