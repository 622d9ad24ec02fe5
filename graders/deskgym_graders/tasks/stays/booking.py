"""Booking a stay: the rows that a booking leaves, and tasks that end in one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from deskgym_apps.kit.dates import add_days, long_date
from deskgym_apps.kit.store import Store
from deskgym_apps.stays.rules_prices import HOST_FEE_BP, Party, Quote, share
from deskgym_apps.stays.rules_stays import applying_policy, shifted
from deskgym_graders.codec import SpecError
from deskgym_graders.comparators import Money, RefTo
from deskgym_graders.expected import expected_row
from deskgym_graders.spec import Call, Draft, Expectation, Insert, Var, Variant
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from . import picks
from .picks import Row
from .prices import fits, priced

_PRICED = (
    "total",
    "coupon_amount",
    "amount",
    "listing_amount",
    "charge_amount",
    "gross",
    "host_fee",
    "net",
    "label",
    "price",
)
BECAUSE = dict.fromkeys(_PRICED, "the price of the stay, line by line, as the quote shows it") | {
    "night": "the nights of the stay",
    "children": "none are named",
    "infants": "none are named",
    "pets": "none are named",
    "checkin_from": "the listing's hour",
    "policy_code": "the listing's policy",
    "currency": "the listing's currency",
    "charge_currency": "the guest's currency",
    "fx_rate_ppm": "the rate of the day",
    "method_id": "the card with that brand and ending",
    "due_on": "the day after check-in",
    "kind": "an instant booking is paid at once",
    "status": "an instant booking is confirmed at once",
    "rev": "the first price",
    "pos": "lines are numbered",
    "unit": "there is one of it",
    "host_id": "the listing's host",
}
_TRIES = 300


@dataclass(frozen=True)
class Stay:
    """A stay somebody may book, and what it costs them."""

    guest: Row
    listing: Row
    checkin: str
    checkout: str
    party: Party
    quote: Quote
    rate_plan: str = "standard"
    coupon: str | None = None

    @property
    def currency(self) -> str:
        return self.quote.charge_currency

    @property
    def nights(self) -> int:
        return len(self.quote.nights)


def booked(world: Store, stay: Stay, method: Row, message: str | None = None) -> tuple[Insert, ...]:
    """Every row that booking an instant listing makes: reservation, nights, price lines, payment, payout, message."""
    coupon: dict[str, Any] = {}
    if stay.coupon is not None:
        off = -sum(line.charge for line in stay.quote.lines if line.kind == "coupon")
        coupon = {"coupon_code": stay.coupon, "coupon_amount": Money(off, stay.currency)}
    listing, found = stay.listing, stay.quote
    gross = found.subtotal
    fee = share(gross, HOST_FEE_BP)
    local = str(listing["currency"])
    rows = [
        expected_row(
            "stays_reservation",
            save_as="r",
            listing_id=listing["id"],
            status="confirmed",
            checkin=stay.checkin,
            checkout=stay.checkout,
            checkin_from=listing["checkin_from"],
            adults=stay.party.adults,
            children=stay.party.children,
            infants=stay.party.infants,
            pets=stay.party.pets,
            rate_plan=stay.rate_plan,
            policy_code=applying_policy(listing["policy_code"], stay.rate_plan, stay.nights),
            currency=local,
            charge_currency=stay.currency,
            fx_rate_ppm=found.rate_ppm,
            total=Money(found.total, stay.currency),
            **coupon,
        )
    ]
    for night in found.nights:
        rows.append(
            expected_row(
                "stays_reservation_night",
                listing_id=listing["id"],
                night=night.night,
                unit=1,
                reservation_id=RefTo("r"),
                price=Money(night.price, local),
            )
        )
    for pos, line in enumerate(found.lines, start=1):
        rows.append(
            expected_row(
                "stays_price_line",
                reservation_id=RefTo("r"),
                rev=1,
                pos=pos,
                kind=line.kind,
                label=line.label,
                listing_amount=Money(line.amount, local),
                charge_amount=Money(line.charge, stay.currency),
                charge_currency=stay.currency,
            )
        )
    rows.append(
        expected_row(
            "stays_payment",
            reservation_id=RefTo("r"),
            method_id=method["id"],
            kind="capture",
            amount=Money(found.total, stay.currency),
            currency=stay.currency,
        )
    )
    rows.append(
        expected_row(
            "stays_payout",
            host_id=listing["host_id"],
            reservation_id=RefTo("r"),
            gross=Money(gross, local),
            host_fee=Money(fee, local),
            net=Money(gross - fee, local),
            currency=local,
            due_on=shifted(stay.checkin, 1),
        )
    )
    return (*rows, *_said(world, stay, message))


def _said(world: Store, stay: Stay, message: str | None) -> tuple[Insert, ...]:
    """The message to the host, in a thread that begins with it where there is none yet."""
    if message is None:
        return ()
    known = [
        row
        for row in picks.every(world, "stays_thread")
        if row["listing_id"] == stay.listing["id"] and row["guest_id"] == stay.guest["id"]
    ]
    if known:
        return (expected_row("stays_message", thread_id=known[0]["id"], body=message),)
    thread = expected_row("stays_thread", save_as="t", listing_id=stay.listing["id"], host_id=stay.listing["host_id"])
    return thread, expected_row("stays_message", thread_id=RefTo("t"), body=message)


def quoting(stay: Stay, save_as: str = "q", **other: Any) -> Call:
    """The call that prices a stay; `other` values ask for another one."""
    party = {name: getattr(stay.party, name) for name in ("adults", "children", "infants", "pets")}
    given = {
        "listing": stay.listing["id"],
        "checkin": stay.checkin,
        "checkout": stay.checkout,
        **{name: count for name, count in party.items() if count},
        **({} if stay.rate_plan == "standard" else {"rate_plan": stay.rate_plan}),
        **({} if stay.coupon is None else {"coupon": stay.coupon}),
    }
    return Call("stays_quote", given | other, save_as)


def booking(method: Row, quoted: str = "q", save_as: str | None = None, **more: Any) -> Call:
    """The call that books what was quoted."""
    given = {"quote_id": Var(f"{quoted}.quote_id"), "payment_method": method["id"], "accept_policy": True}
    return Call("stays_book", given | more, save_as)


def methods(world: Store, guest: Row) -> list[Row]:
    """The cards of a guest."""
    return [row for row in picks.every(world, "stays_payment_method") if row["user_id"] == guest["id"]]


def good_cards(world: Store, guest: Row) -> list[Row]:
    """Cards that pay, each of another ending."""
    month = world.now[:7]
    rows = [
        row
        for row in methods(world, guest)
        if row["behaviour"] in ("approve", "3ds_approve") and f"{row['exp_year']}-{row['exp_month']:02d}" >= month
    ]
    endings = [row["last4"] for row in methods(world, guest)]
    return [row for row in rows if endings.count(row["last4"]) == 1]


def card_name(row: Row) -> str:
    """`the Tessera card ending in 4242`."""
    return f"the {row['brand']} card ending in {row['last4']}"


def draw_stay(world: Store, stream: Stream, guest: Row, listings: list[Row], **wanted: Any) -> Stay:
    """A stay that the guest can book at one of the listings. Raises SpecError where none was found."""
    for _ in range(_TRIES):
        listing = picks.draw(stream, listings, "listing to book")
        start = add_days(picks.today(world, listing), stream.uniform_int(12, 150))
        count = max(int(listing["min_nights"]), stream.uniform_int(2, 6))
        adults = stream.uniform_int(1, max(1, min(3, int(listing["max_guests"]))))
        children = stream.uniform_int(0, max(0, min(2, int(listing["max_guests"]) - adults)))
        party = wanted.get("party") or Party(adults, children)
        if fits(world, listing, guest, start, add_days(start, count), party):
            found = priced(world, listing, start, add_days(start, count), party, str(guest["display_currency"]))
            return Stay(guest, listing, start, add_days(start, count), party, found)
    raise SpecError("no stay was found that can be booked")


def party_text(party: Party) -> str:
    """`2 adults and 1 child`."""
    words = [f"{party.adults} adult{'s' if party.adults > 1 else ''}"]
    if party.children:
        words.append(f"{party.children} child{'ren' if party.children > 1 else ''}")
    return " and ".join(words)


def instant(world: Store) -> list[Row]:
    """Homes that can be booked at once, without a host's answer, of which there is one and nobody has written."""
    spoken = {row["listing_id"] for row in picks.every(world, "stays_thread")}
    rows = [row for row in picks.listed(world) if row["instant_book"] and row["inventory"] == 1]
    return [row for row in rows if row["id"] not in spoken]


_ARRIVALS = ("by train", "by car", "from the airport", "by ferry", "on foot from the station")


@template("stays/book-and-tell", kind="mutate", level=2)
def book_and_tell(world: Store, stream: Stream) -> Draft:
    """Book a stay with a certain card and tell the host when the guests arrive."""
    guest = picks.draw(stream, [row for row in picks.travellers(world) if len(good_cards(world, row)) > 1], "guest")
    stay = draw_stay(world, stream, guest, instant(world))
    card, wrong = stream.sample(good_cards(world, guest), 2)
    at = f"{stream.uniform_int(16, 23)}:{stream.uniform_int(10, 59)}"
    message = f"We come {stream.choice(_ARRIVALS)} and will be at the door at {at}."
    goal = booked(world, stay, card, message)
    quote = quoting(stay)
    other = quoting(stay, checkout=add_days(stay.checkout, 1))
    return Draft(
        instruction=f'Please book "{stay.listing["title"]}" for {party_text(stay.party)}, check-in on '
        f"{long_date(stay.checkin)}, checkout on {long_date(stay.checkout)}, at the standard rate. Pay with "
        f'{card_name(card)}, without coupon or credit. Tell the host while booking: "{message}"',
        person_id=guest["id"],
        expectation=Expectation(any_of=(goal,)),
        oracle=(quote, booking(card, message=message)),
        variants=(
            Variant("a quote for other dates before", (other, quoting(stay, "p"), booking(card, "p", message=message))),
            Variant("without the message", (quote, booking(card)), reason="MISSING"),
            Variant("with another card", (quote, booking(wrong, message=message)), reason="MISSING"),
            Variant("a night too long", (other, booking(card, message=message)), reason="MISSING"),
        ),
        distractors=(picks.distract("other listings", "stays_listing", picks.others(world, stay.listing)),),
        because=picks.follows(goal, BECAUSE),
    )
