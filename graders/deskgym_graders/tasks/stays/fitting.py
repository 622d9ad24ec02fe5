"""Booking for a party that the place takes, or does not: too many people, or pets that may not come (STAY-2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from deskgym_apps.kit.dates import add_days, long_date
from deskgym_apps.kit.money import plain_amount
from deskgym_apps.kit.store import Store
from deskgym_apps.stays.rules_prices import Party
from deskgym_graders.codec import SpecError
from deskgym_graders.comparators import Eq, Money
from deskgym_graders.expected import answer_spec
from deskgym_graders.spec import AnswerSpec, Call, Draft, Expectation, Submission, Variant
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from . import picks
from .booking import BECAUSE, Stay, booked, booking, card_name, good_cards, instant, quoting
from .picks import Row
from .prices import is_free, priced, takes

_TRIES = 300
_ALONE = Party(1)
_TITLES = {
    "most_guests": "How many guests the place takes at most",
    "most_pets": "How many pets",
    "alone": "Total of the stay of one adult alone",
    "currency": "ISO code of the currency of the total",
}


@dataclass(frozen=True)
class _Wish:
    """A stay somebody wants, whether the place takes them or not."""

    guest: Row
    listing: Row
    checkin: str
    checkout: str
    party: Party
    card: Row
    alone: tuple[str, str]  # check-in and checkout of a stay of one adult that is only asked about

    @property
    def reason(self) -> str | None:
        """Why it cannot be booked, or None."""
        if self.party.guests > self.listing["max_guests"]:
            return "too_many_guests"
        return "too_many_pets" if self.party.pets > _most_pets(self.listing) else None

    @property
    def words(self) -> str:
        pets = self.party.pets
        dogs = f" and {pets} dog{'s' if pets > 1 else ''}" if pets else ""
        return f"{self.party.adults} adults{dogs}"


def _most_pets(listing: Row) -> int:
    return int(listing["max_pets"]) if listing["pets_allowed"] else 0


def _total(world: Store, wish: _Wish, listing: Row, party: Party) -> int:
    return priced(world, listing, *wish.alone, party, str(wish.guest["display_currency"])).total


def _answer(world: Store, wish: _Wish, listing: Row, party: Party = _ALONE) -> dict[str, Any]:
    code = str(wish.guest["display_currency"])
    return {
        "most_guests": listing["max_guests"],
        "most_pets": _most_pets(listing),
        "alone": plain_amount(_total(world, wish, listing, party), code),
        "currency": code,
    }


def _spec(world: Store, wish: _Wish) -> AnswerSpec:
    given, code = _answer(world, wish, wish.listing), str(wish.guest["display_currency"])
    fields = {name: Eq(given[name]) for name in ("most_guests", "most_pets", "currency")}
    return answer_spec({**fields, "alone": Money(_total(world, wish, wish.listing, _ALONE), code)}, _TITLES)


def _wrong(world: Store, wish: _Wish) -> dict[str, dict[str, Any]]:
    """What comes of looking at the guests included in the price, at the nights alone, or at another listing."""
    right, code = _answer(world, wish, wish.listing), str(wish.guest["display_currency"])
    nights = priced(world, wish.listing, *wish.alone, _ALONE, code).lines[0].charge
    procedures = {
        "the guests included": right | {"most_guests": wish.listing["included_guests"]},
        "for everybody": _answer(world, wish, wish.listing, wish.party),
        "without fees and taxes": right | {"alone": plain_amount(nights, code)},
        "any number of pets": right | {"most_pets": max(wish.party.pets, _most_pets(wish.listing)) + 1},
        **{f"the place {row['title']}": _answer(world, wish, row) for row in picks.others(world, wish.listing)[:2]},
    }
    return picks.told_apart(right, procedures)


def _wish(world: Store, stream: Stream, wanted: Callable[[_Wish], bool]) -> _Wish:
    guests = [row for row in picks.travellers(world) if good_cards(world, row)]
    for _ in range(_TRIES):
        guest, listing = picks.draw(stream, guests, "guest"), picks.draw(stream, instant(world), "listing to book")
        start = add_days(picks.today(world, listing), stream.uniform_int(12, 150))
        end = add_days(start, max(int(listing["min_nights"]), stream.uniform_int(2, 8)))
        adults = max(2, int(listing["max_guests"]) + stream.uniform_int(-2, 2))
        party = Party(adults, 0, 0, stream.uniform_int(0, 2))
        first = add_days(picks.today(world, listing), stream.uniform_int(12, 150))
        alone = (first, add_days(first, int(listing["min_nights"]) + stream.uniform_int(1, 14)))
        wish = _Wish(guest, listing, start, end, party, picks.draw(stream, good_cards(world, guest), "card"), alone)
        is_open = is_free(world, listing, start, end) and is_free(world, listing, *alone)
        if listing["host_id"] != guest["id"] and is_open and wanted(wish):
            return wish
    raise SpecError("no stay was found for such a party")


def _wording(wish: _Wish) -> str:
    return (
        f'Please book "{wish.listing["title"]}" for {wish.words}, check-in on {long_date(wish.checkin)}, checkout on '
        f"{long_date(wish.checkout)}, at the standard rate, and pay with {card_name(wish.card)}; no coupon, no credit, "
        "no message. In any case hand in how many guests and how many pets the place takes at most, and what it would "
        f"cost one adult alone, in all, from {long_date(wish.alone[0])} to {long_date(wish.alone[1])}. If it cannot "
        "take us, book nothing, do not leave anybody out, and hand these in as infeasible, with the reason code "
        "too_many_guests, too_many_pets or dates_taken; where there are too many of both, with too_many_guests."
    )


def _asks_alone(wish: _Wish) -> Call:
    checkin, checkout = wish.alone
    return Call("stays_quote", {"listing": wish.listing["id"], "checkin": checkin, "checkout": checkout, "adults": 1})


def _asks(wish: _Wish, party: Party) -> Call:
    found = {name: getattr(party, name) for name in ("adults", "children", "infants", "pets")}
    given = {"listing": wish.listing["id"], "checkin": wish.checkin, "checkout": wish.checkout}
    return Call("stays_quote", given | {name: count for name, count in found.items() if count}, "q")


@template("stays/book-for-party", kind="mutate+answer", level=2)
def book_for_party(world: Store, stream: Stream) -> Draft:
    """Book for people and dogs whom the place takes."""
    wish = _wish(world, stream, lambda wish: takes(wish.listing, wish.party) and wish.reason is None)
    found = priced(world, wish.listing, wish.checkin, wish.checkout, wish.party, str(wish.guest["display_currency"]))
    stay = Stay(wish.guest, wish.listing, wish.checkin, wish.checkout, wish.party, found)
    goal, answer = booked(world, stay, wish.card), _answer(world, wish, wish.listing)
    return Draft(
        instruction=_wording(wish),
        person_id=wish.guest["id"],
        expectation=Expectation(any_of=(goal,), answer=_spec(world, wish)),
        oracle=(_look(wish), _asks_alone(wish), quoting(stay), booking(wish.card)),
        submission=Submission(answer=answer),
        variants=(
            Variant("without looking around", (quoting(stay), booking(wish.card))),
            Variant("for one adult", (_asks(wish, _ALONE), booking(wish.card)), reason="MISSING"),
            Variant("refused", (), Submission("infeasible", "too_many_pets", answer), "ANSWER_WRONG"),
        ),
        wrong_answers=_wrong(world, wish),
        distractors=(picks.distract("other listings", "stays_listing", picks.others(world, wish.listing)),),
        because=picks.follows(goal, BECAUSE | {"pets": "the dogs"}),
        twin="stays/book-for-party-refused@0",
    )


def _look(wish: _Wish) -> Call:
    return Call("stays_listing", {"id": wish.listing["id"]})


@template("stays/book-for-party-refused", kind="infeasible", level=2)
def book_for_party_refused(world: Store, stream: Stream) -> Draft:
    """Say that a place does not take the people or the dogs, and what it does take."""
    wish = _wish(world, stream, lambda wish: wish.reason is not None)
    answer, reason = _answer(world, wish, wish.listing), str(wish.reason)
    other = "too_many_pets" if reason == "too_many_guests" else "too_many_guests"
    most = Party(min(wish.party.adults, int(wish.listing["max_guests"])))
    refused = Submission("infeasible", reason, answer)
    return Draft(
        instruction=_wording(wish),
        person_id=wish.guest["id"],
        expectation=Expectation(answer=_spec(world, wish), status="infeasible", reason_code=reason),
        oracle=(_look(wish), _asks_alone(wish)),
        submission=refused,
        variants=(
            Variant("after asking for the price", (_look(wish), _asks(wish, wish.party)), refused),
            Variant("handed in as done", (), Submission("done", None, answer), "ANSWER_WRONG"),
            Variant("for another reason", (), Submission("infeasible", other, answer), "ANSWER_WRONG"),
            Variant("booked for fewer", (_asks(wish, most), booking(wish.card)), refused, "COLLATERAL"),
        ),
        wrong_answers=_wrong(world, wish),
        distractors=(picks.distract("other listings", "stays_listing", picks.others(world, wish.listing)),),
        twin="stays/book-for-party@0",
    )
