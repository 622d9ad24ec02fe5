"""Two places for one group: the pair, and who sleeps where, that costs the least of all that would do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from deskgym_apps.kit.dates import add_days, long_date
from deskgym_apps.kit.money import plain_amount
from deskgym_apps.kit.store import Store
from deskgym_apps.stays.rules_prices import Party
from deskgym_graders.codec import SpecError
from deskgym_graders.comparators import Eq, Money, SetOf, TextEq
from deskgym_graders.expected import answer_spec
from deskgym_graders.spec import Call, Draft, Expectation, Submission
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from . import picks
from .finding import cities
from .picks import Row
from .prices import fits, priced

_TRIES = 100
_FEWEST = 5


@dataclass(frozen=True)
class _Group:
    """Adults who need two places of a city for the same nights."""

    guest: Row
    city: Row
    checkin: str
    checkout: str
    adults: int

    @property
    def currency(self) -> str:
        return str(self.guest["display_currency"])


@dataclass(frozen=True)
class _Pair:
    """Two places with so many adults in the first and the rest in the second."""

    first: Row
    second: Row
    adults: tuple[int, int]
    total: int

    @property
    def ids(self) -> frozenset[str]:
        return frozenset({str(self.first["id"]), str(self.second["id"])})


Prices = dict[str, dict[int, int]]


def _prices(world: Store, group: _Group, rows: list[Row], *, taken_too: bool = False) -> Prices:
    """The total of each place by how many adults stay there."""
    found: Prices = {}
    for row in rows:
        if not taken_too and not fits(world, row, group.guest, group.checkin, group.checkout, Party(1)):
            continue
        found[str(row["id"])] = {
            count: priced(world, row, group.checkin, group.checkout, Party(count), group.currency).total
            for count in range(1, min(int(row["max_guests"]), group.adults - 1) + 1)
        }
    return found


def _pairs(world: Store, group: _Group, prices: Prices) -> list[_Pair]:
    """The cheapest division of the group over each two places, the cheapest pair first."""
    known, found = picks.listings(world), []
    for one, other in combinations(sorted(prices), 2):
        ways = [
            _Pair(known[one], known[other], (count, group.adults - count), price + prices[other][group.adults - count])
            for count, price in prices[one].items()
            if group.adults - count in prices[other]
        ]
        found += sorted(ways, key=lambda pair: (pair.total, pair.adults))[:1]
    return sorted(found, key=lambda pair: (pair.total, sorted(pair.ids)))


def _groups(world: Store, stream: Stream) -> Iterator[tuple[_Group, list[Row]]]:
    for _ in range(_TRIES):
        guest = picks.draw(stream, picks.travellers(world), "traveller")
        city, inside = picks.draw(stream, cities(world), "city with a dozen places")
        rows = [row for row in inside if row["room_type"] == "entire_home"]
        start = add_days(picks.today(world, guest), stream.uniform_int(14, 120))
        adults = stream.uniform_int(5, 9)
        yield _Group(guest, city, start, add_days(start, stream.uniform_int(2, 6)), adults), rows


def _answer(group: _Group, pair: _Pair) -> dict[str, Any]:
    titles = sorted(str(row["title"]) for row in (pair.first, pair.second))
    return {"places": titles, "total": plain_amount(pair.total, group.currency), "currency": group.currency}


def _wrong(world: Store, group: _Group, rows: list[Row], prices: Prices, pairs: list[_Pair]) -> dict[str, Any]:
    """What comes of plausible wrong procedures."""
    half, best = group.adults // 2, pairs[0]

    def divided(one: int, other: int) -> list[_Pair]:
        """The pairs with so many adults in each, the cheapest first."""
        found = [
            _Pair(pair.first, pair.second, (one, other), prices[str(pair.first["id"])][one] + second[other])
            for pair in pairs
            for second in [prices[str(pair.second["id"])]]
            if one in prices[str(pair.first["id"])] and other in second
        ]
        return sorted(found, key=lambda pair: (pair.total, sorted(pair.ids)))

    procedures = {
        "the second": pairs[1:2],
        "half of them in each": divided(half, group.adults - half)[:1],
        "the prices for one adult": divided(1, 1)[:1],
        "taken or not": _pairs(world, group, _prices(world, group, rows, taken_too=True))[:1],
    }
    found = {name: _answer(group, what[0]) for name, what in procedures.items() if what}
    nights = sum(
        priced(world, row, group.checkin, group.checkout, Party(count), group.currency).lines[0].charge
        for row, count in zip((best.first, best.second), best.adults, strict=True)
    )
    found["without fees and taxes"] = _answer(group, best) | {"total": plain_amount(nights, group.currency)}
    return picks.told_apart(_answer(group, best), found)


@template("stays/two-places", kind="answer", level=4)
def two_places(world: Store, stream: Stream) -> Draft:
    """Find the two places of a city in which a group costs the least."""
    for group, rows in _groups(world, stream):
        prices = _prices(world, group, rows)
        pairs = _pairs(world, group, prices)
        if len(pairs) < _FEWEST or pairs[0].total == pairs[1].total:
            continue
        if not all(picks.has_clean_title(world, row) for row in (pairs[0].first, pairs[0].second)):
            continue
        wrong = _wrong(world, group, rows, prices, pairs)
        if len(wrong) >= 3:
            return _draft(group, pairs, wrong)
    raise SpecError("no group was found that one pair of places suits best")


def _draft(group: _Group, pairs: list[_Pair], wrong: dict[str, Any]) -> Draft:
    best = pairs[0]
    given = {"checkin": group.checkin, "checkout": group.checkout}
    search = {"placeId": group.city["id"], **given, "propertyType": "entire_home", "sort": "price_low"}
    quotes = tuple(
        Call("stays_quote", {"listing": row["id"], **given, "adults": count})
        for row, count in zip((best.first, best.second), best.adults, strict=True)
    )
    others = {str(row["id"]): row for pair in pairs[1:] for row in (pair.first, pair.second)}
    return Draft(
        instruction=f"We are {group.adults} adults and want exactly two entire places in {group.city['full_name']}, "
        f"check-in on {long_date(group.checkin)}, checkout on {long_date(group.checkout)}, both for all nights at the "
        "standard rate. We divide in whatever way is cheapest, with at least one of us in each and no place above its "
        f"limit of guests. Which two places cost the least together? Hand in their names and the total of both with "
        f"all fees and taxes in {group.currency}. Book nothing.",
        person_id=group.guest["id"],
        expectation=Expectation(
            answer=answer_spec(
                {
                    "places": SetOf(tuple(TextEq(title) for title in _answer(group, best)["places"])),
                    "total": Money(best.total, group.currency),
                    "currency": Eq(group.currency),
                },
                {
                    "places": "Names of the places",
                    "total": "Total of both",
                    "currency": "ISO code of the currency",
                },
            )
        ),
        oracle=(Call("stays_search", search), *quotes),
        submission=Submission(answer=_answer(group, best)),
        wrong_answers=wrong,
        distractors=(
            picks.distract(
                "other places that fit", "stays_listing", [row for key, row in others.items() if key not in best.ids]
            ),
        ),
    )
