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
_TITLES = {
    "most_guests": "How many guests the place takes at most",
    "most_pets": "How many pets",
    "cleaning_fee": "Its cleaning fee",
    "currency": "ISO code of the currency of the fee",
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

    @property
    def reason(self) -> str | None:
        """Why it cannot be booked, or None."""
        if self.party.guests > self.listing["max_guests"]:
            return "too_many_guests"
        return "too_many_pets" if self.party.pets > _most_pets(self.listing) else None

    @property
    def words(self) -> str:
        pets = self.party.pets
        return f"{self.party.adults} adults and {pets} dog{'s' if pets > 1 else ''}"


def _most_pets(listing: Row) -> int:
    return int(listing["max_pets"]) if listing["pets_allowed"] else 0


def _fee(listing: Row) -> tuple[int, str]:
    return int(listing["cleaning_fee"] or 0), str(listing["currency"])


def _answer(listing: Row) -> dict[str, Any]:
    fee, code = _fee(listing)
    return {
        "most_guests": listing["max_guests"],
        "most_pets": _most_pets(listing),
        "cleaning_fee": plain_amount(fee, code),
        "currency": code,
    }


def _spec(listing: Row) -> AnswerSpec:
    given, (fee, code) = _answer(listing), _fee(listing)
    fields = {name: Eq(given[name]) for name in ("most_guests", "most_pets", "currency")}
    return answer_spec({**fields, "cleaning_fee": Money(fee, code)}, _TITLES)


def _wrong(world: Store, listing: Row) -> dict[str, dict[str, Any]]:
    """What comes of looking at the guests included in the price, at another listing, or at the fee for pets."""
    right = _answer(listing)
    fee, code = int(listing["pet_fee"] or 0), str(listing["currency"])
    procedures = {
        "the guests included": right | {"most_guests": listing["included_guests"]},
        "the pet fee": right | {"cleaning_fee": plain_amount(fee, code)},
        "the fee in whole units with another currency": right | {"currency": "USD" if code != "USD" else "EUR"},
        **{f"the place {row['title']}": _answer(row) for row in picks.others(world, listing)[:2]},
    }
    return picks.told_apart(right, procedures)


def _wish(world: Store, stream: Stream, wanted: Callable[[_Wish], bool]) -> _Wish:
    guests = [row for row in picks.travellers(world) if good_cards(world, row)]
    places = [row for row in instant(world) if row["cleaning_fee"]]
    for _ in range(_TRIES):
        guest, listing = picks.draw(stream, guests, "guest"), picks.draw(stream, places, "listing to book")
        start = add_days(picks.today(world, listing), stream.uniform_int(12, 150))
        end = add_days(start, max(int(listing["min_nights"]), stream.uniform_int(2, 6)))
        adults = max(2, int(listing["max_guests"]) + stream.uniform_int(-2, 2))
        party = Party(adults, 0, 0, stream.uniform_int(1, 2))
        wish = _Wish(guest, listing, start, end, party, picks.draw(stream, good_cards(world, guest), "card"))
        if listing["host_id"] != guest["id"] and is_free(world, listing, start, end) and wanted(wish):
            return wish
    raise SpecError("no stay was found for such a party")


def _wording(wish: _Wish) -> str:
    return (
        f'Please book "{wish.listing["title"]}" for {wish.words}, check-in on {long_date(wish.checkin)}, checkout on '
        f"{long_date(wish.checkout)}, at the standard rate, and pay with {card_name(wish.card)}; no coupon, no credit, "
        "no message. In any case hand in how many guests and how many pets the place takes at most, and its cleaning "
        "fee in its own currency. If it cannot take us, book nothing, do not leave anybody out, and hand these in as "
        "infeasible, with the reason code too_many_guests, too_many_pets or dates_taken; where there are too many of "
        "both, with too_many_guests."
    )


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
    goal, answer = booked(world, stay, wish.card), _answer(wish.listing)
    alone = Party(wish.party.adults)
    return Draft(
        instruction=_wording(wish),
        person_id=wish.guest["id"],
        expectation=Expectation(any_of=(goal,), answer=_spec(wish.listing)),
        oracle=(quoting(stay), booking(wish.card)),
        submission=Submission(answer=answer),
        variants=(
            Variant("after reading the listing", (_look(wish), quoting(stay), booking(wish.card))),
            Variant("without the dogs", (_asks(wish, alone), booking(wish.card)), reason="MISSING"),
            Variant("refused", (), Submission("infeasible", "too_many_pets", answer), "ANSWER_WRONG"),
        ),
        wrong_answers=_wrong(world, wish.listing),
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
    answer, reason = _answer(wish.listing), str(wish.reason)
    other = "too_many_pets" if reason == "too_many_guests" else "too_many_guests"
    most = Party(min(wish.party.adults, int(wish.listing["max_guests"])))
    refused = Submission("infeasible", reason, answer)
    return Draft(
        instruction=_wording(wish),
        person_id=wish.guest["id"],
        expectation=Expectation(answer=_spec(wish.listing), status="infeasible", reason_code=reason),
        oracle=(_look(wish),),
        submission=refused,
        variants=(
            Variant("after asking for the price", (_look(wish), _asks(wish, wish.party)), refused),
            Variant("handed in as done", (), Submission("done", None, answer), "ANSWER_WRONG"),
            Variant("for another reason", (), Submission("infeasible", other, answer), "ANSWER_WRONG"),
            Variant("booked for fewer", (_asks(wish, most), booking(wish.card)), refused, "COLLATERAL"),
        ),
        wrong_answers=_wrong(world, wish.listing),
        distractors=(picks.distract("other listings", "stays_listing", picks.others(world, wish.listing)),),
        twin="stays/book-for-party@0",
    )
