"""Questions about places to stay: the cheapest that fits, where plausible wrong procedures give other answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from deskgym_apps.kit.dates import add_days, long_date
from deskgym_apps.kit.money import exponent, plain_amount
from deskgym_apps.kit.store import Store
from deskgym_apps.stays.rules_prices import Party
from deskgym_graders.codec import SpecError
from deskgym_graders.comparators import Eq, Money, TextEq
from deskgym_graders.expected import answer_spec
from deskgym_graders.spec import Call, Draft, Expectation, Submission
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from ..per_world import per_world
from . import picks
from .booking import party_text
from .picks import Row
from .prices import fits, priced

_TRIES = 200
_KINDS = {"entire_home": "entire place", "private_room": "private room"}
_WISHES = {
    ("wifi", "parking"): "Wi-Fi and parking",
    ("wifi", "kitchen"): "Wi-Fi and a kitchen",
    ("wifi", "washer"): "Wi-Fi and a washer",
    ("kitchen", "parking"): "a kitchen and parking",
}


@per_world
def _amenities(world: Store) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for row in picks.every(world, "stays_listing_amenity"):
        found.setdefault(str(row["listing_id"]), set()).add(str(row["amenity"]))
    return {key: frozenset(value) for key, value in found.items()}


@per_world
def cities(world: Store) -> list[tuple[Row, list[Row]]]:
    """Cities whose name no other place has, and their listings, where there are a dozen."""
    names = [row["name_norm"] for row in picks.places(world).values()]
    cities = [row for row in picks.places(world).values() if row["kind"] == "city"]
    found = [(row, picks.in_city(world, row["id"])) for row in cities if names.count(row["name_norm"]) == 1]
    return [(row, rows) for row, rows in found if len(rows) >= 8]


@dataclass(frozen=True)
class _Asked:
    """Where, when, who and what."""

    guest: Row
    city: Row
    checkin: str
    checkout: str
    party: Party
    kind: str
    wishes: tuple[str, str]

    def offers(self, world: Store, rows: list[Row], **other: Any) -> list[tuple[int, int, Row]]:
        """What fits with its total and average night, the cheapest first; `other` leaves a condition out."""
        party = other.get("party", self.party)
        found = []
        for row in rows:
            if not other.get("any_kind") and row["room_type"] != self.kind:
                continue
            if not other.get("any_amenity") and not _amenities(world).get(row["id"], frozenset()) >= set(self.wishes):
                continue
            if not other.get("taken_too") and not fits(world, row, self.guest, self.checkin, self.checkout, party):
                continue
            quote = priced(world, row, self.checkin, self.checkout, party, str(self.guest["display_currency"]))
            found.append((quote.total, quote.average * quote.rate_ppm, row))
        return sorted(found, key=lambda item: (item[0], item[2]["id"]))


def _questions(world: Store, stream: Stream) -> Iterator[tuple[_Asked, list[Row]]]:
    for _ in range(_TRIES):
        guest = picks.draw(stream, picks.travellers(world), "traveller")
        city, rows = picks.draw(stream, cities(world), "city with a dozen places")
        start = add_days(picks.today(world, guest), stream.uniform_int(14, 120))
        party = Party(stream.uniform_int(1, 3), stream.uniform_int(0, 1))
        wishes = stream.choice(sorted(_WISHES))
        kind = stream.choice(sorted(_KINDS))
        yield _Asked(guest, city, start, add_days(start, stream.uniform_int(3, 14)), party, kind, wishes), rows


@template("stays/cheapest-place", kind="answer", level=1)
def cheapest_place(world: Store, stream: Stream) -> Draft:
    """Find the cheapest place of a kind in a city, all costs together."""
    for asked, rows in _questions(world, stream):
        offers = asked.offers(world, rows)
        if len(offers) < 3 or offers[0][0] == offers[1][0] or not picks.has_clean_title(world, offers[0][2]):
            continue
        wrong = _wrong(world, asked, rows, offers)
        if len(wrong) >= 3:
            return _draft(asked, offers, wrong)
    raise SpecError("no question about the cheapest place was found")


@template("stays/within-limit", kind="answer", level=2)
def within_limit(world: Store, stream: Stream) -> Draft:
    """Count the places of a kind that fit a limit, all costs together, and name the dearest of them."""
    for asked, rows in _questions(world, stream):
        offers = asked.offers(world, rows)
        if len(offers) < 4:
            continue
        code = str(asked.guest["display_currency"])
        at = stream.uniform_int(2, len(offers) - 1)
        scale = int(10 ** exponent(code))
        limit = -(-offers[at - 1][0] // scale)
        best = offers[at - 1][2]
        if not offers[at - 2][0] < offers[at - 1][0] < limit * scale < offers[at][0]:
            continue
        if not picks.has_clean_title(world, best):
            continue
        wrong = _wrong_within(world, asked, rows, limit * scale, _within(asked, offers, limit * scale))
        if len(wrong) >= 3:
            return _draft_within(asked, offers, at, limit, wrong)
    raise SpecError("no question about places within a limit was found")


def _within(asked: _Asked, offers: list[tuple[int, int, Row]], limit: int) -> dict[str, Any]:
    """How many offers keep to a limit, and the dearest of them with its total."""
    code = str(asked.guest["display_currency"])
    found = [offer for offer in offers if offer[0] <= limit]
    title, total = (found[-1][2]["title"], found[-1][0]) if found else ("none", 0)
    return {"places": len(found), "dearest": title, "total": plain_amount(total, code), "currency": code}


def _wrong_within(
    world: Store, asked: _Asked, rows: list[Row], limit: int, right: dict[str, Any]
) -> dict[str, dict[str, Any]]:
    """What comes of plausible wrong procedures."""
    code = str(asked.guest["display_currency"])
    bare = [
        (priced(world, row, asked.checkin, asked.checkout, asked.party, code).lines[0].charge, 0, row)
        for _, _, row in asked.offers(world, rows)
    ]
    return picks.told_apart(
        right,
        {
            "of any kind": _within(asked, asked.offers(world, rows, any_kind=True), limit),
            "whatever it has": _within(asked, asked.offers(world, rows, any_amenity=True), limit),
            "taken or not": _within(asked, asked.offers(world, rows, taken_too=True), limit),
            "one adult": _within(asked, asked.offers(world, rows, party=Party(1)), limit),
            "without fees and taxes": _within(asked, sorted(bare, key=lambda item: (item[0], item[2]["id"])), limit),
        },
    )


def _draft_within(
    asked: _Asked, offers: list[tuple[int, int, Row]], at: int, limit: int, wrong: dict[str, dict[str, Any]]
) -> Draft:
    code = str(asked.guest["display_currency"])
    right = _within(asked, offers[:at], offers[at - 1][0])
    return Draft(
        instruction=f"How many {_KINDS[asked.kind]}s in {asked.city['full_name']} with {_WISHES[asked.wishes]} can I "
        f"have for at most {limit} {code} in all, fees and taxes in it, for {party_text(asked.party)}, check-in "
        f"{long_date(asked.checkin)}, checkout {long_date(asked.checkout)}? Hand in their number, and the name and "
        "the total of the dearest of them. Book nothing.",
        person_id=asked.guest["id"],
        expectation=Expectation(
            answer=answer_spec(
                {
                    "places": Eq(at),
                    "dearest": TextEq(right["dearest"]),
                    "total": Money(offers[at - 1][0], code),
                    "currency": Eq(code),
                },
                {
                    "places": "How many places",
                    "dearest": "Name of the dearest of them",
                    "total": "Its total",
                    "currency": "ISO code of the currency",
                },
            )
        ),
        oracle=(Call("stays_search", _search(asked)),),
        submission=Submission(answer=right),
        wrong_answers=wrong,
        distractors=(picks.distract("dearer places that fit", "stays_listing", [offer[2] for offer in offers[at:]]),),
    )


def _search(asked: _Asked) -> dict[str, Any]:
    """The search that lists what fits, the cheapest first."""
    party = {name: getattr(asked.party, name) for name in ("adults", "children")}
    return {
        "placeId": asked.city["id"],
        "checkin": asked.checkin,
        "checkout": asked.checkout,
        **{name: count for name, count in party.items() if count},
        "propertyType": asked.kind,
        "amenities": list(asked.wishes),
        "price_mode": "total",
        "sort": "price_low",
    }


def _answer(asked: _Asked, offer: tuple[int, int, Row]) -> dict[str, Any]:
    code = str(asked.guest["display_currency"])
    return {"place": offer[2]["title"], "total": plain_amount(offer[0], code), "currency": code}


def _wrong(
    world: Store, asked: _Asked, rows: list[Row], offers: list[tuple[int, int, Row]]
) -> dict[str, dict[str, Any]]:
    """What comes of plausible wrong procedures."""
    code = str(asked.guest["display_currency"])
    by_night = min(offers, key=lambda offer: (offer[1], offer[2]["id"]))
    nights = priced(world, offers[0][2], asked.checkin, asked.checkout, asked.party, code).lines[0].charge
    procedures: dict[str, Any] = {
        "the lowest price a night": _answer(asked, by_night),
        "the second": _answer(asked, offers[1]),
        "without fees and taxes": _answer(asked, offers[0]) | {"total": plain_amount(nights, code)},
        "of any kind": asked.offers(world, rows, any_kind=True),
        "whatever it has": asked.offers(world, rows, any_amenity=True),
        "taken or not": asked.offers(world, rows, taken_too=True),
        "one adult": asked.offers(world, rows, party=Party(1)),
    }
    found = {
        name: _answer(asked, what[0]) if isinstance(what, list) else what for name, what in procedures.items() if what
    }
    return picks.told_apart(_answer(asked, offers[0]), found)


def _draft(asked: _Asked, offers: list[tuple[int, int, Row]], wrong: dict[str, dict[str, Any]]) -> Draft:
    code, best = str(asked.guest["display_currency"]), offers[0]
    return Draft(
        instruction=f"Which {_KINDS[asked.kind]} in {asked.city['full_name']} with {_WISHES[asked.wishes]} costs the "
        f"least in all for {party_text(asked.party)}, check-in {long_date(asked.checkin)}, checkout "
        f"{long_date(asked.checkout)}? Hand in its name and the total with all fees and taxes in {code}. Book nothing.",
        person_id=asked.guest["id"],
        expectation=Expectation(
            answer=answer_spec(
                {"place": TextEq(best[2]["title"]), "total": Money(best[0], code), "currency": Eq(code)},
                {"place": "Name of the place", "total": "All-in total", "currency": "ISO code of the currency"},
            )
        ),
        oracle=(Call("stays_search", _search(asked)),),
        submission=Submission(answer=_answer(asked, best)),
        wrong_answers=wrong,
        distractors=(picks.distract("other places that fit", "stays_listing", [offer[2] for offer in offers[1:]]),),
    )
