"""Cancelling a trip: what is kept, what comes back, and a trip that had better not be cancelled."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from deskgym_apps.kit.dates import add_seconds, local_date, long_date
from deskgym_apps.kit.money import plain_amount
from deskgym_apps.kit.store import Store
from deskgym_apps.stays.rules_prices import Line, Party
from deskgym_apps.stays.rules_refunds import Booked, Refund, refund_at
from deskgym_apps.stays.rules_stays import local_instant
from deskgym_graders.comparators import Clock, Eq, Money
from deskgym_graders.expected import answer_spec, changed, expected_row
from deskgym_graders.spec import Call, Delete, Draft, Expectation, Goal, Submission, Variant
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from ..per_world import per_world
from . import picks
from .booking import draw_stay, party_text, quoting
from .picks import Row
from .prices import taxes

_WHILE = 3600  # the refund must not depend on when within the hour somebody cancels
_REASONS = (
    "The customer moved the audit",
    "No replacement for shift",
    "The fair is off, hall",
    "Called back to project",
)
_PRICED = ("total", "amount", "listing_amount", "charge_amount", "gross", "host_fee", "net", "label")
_BECAUSE = dict.fromkeys(_PRICED, "what the policy keeps and gives back, as the preview shows it") | {
    "status": "cancelled by the guest",
    "reservation_id": "the trip",
    "rev": "the next revision of the price",
    "pos": "lines are numbered",
    "kind": "the lines that are kept, and a refund",
    "charge_currency": "the reservation's",
    "currency": "the reservation's",
    "method_id": "the card it was paid with",
    "reason": "why money moves",
    "detail_json": "the nightly prices",
}


def last_lines(world: Store, reservation_id: str) -> list[Row]:
    """The price lines of the latest revision, in order."""
    rows = price_lines(world).get(reservation_id, [])
    latest = max((row["rev"] for row in rows), default=0)
    return [row for row in rows if row["rev"] == latest]


@per_world
def price_lines(world: Store) -> dict[str, list[Row]]:
    """Price lines by reservation, in the order of their keys."""
    return _grouped(picks.every(world, "stays_price_line"), "reservation_id")


@per_world
def held_nights(world: Store) -> dict[str, list[Row]]:
    """Reserved nights by reservation."""
    return _grouped(picks.every(world, "stays_reservation_night"), "reservation_id")


@per_world
def payments(world: Store) -> dict[str, list[Row]]:
    """Movements of money by reservation, oldest first."""
    rows = sorted(picks.every(world, "stays_payment"), key=lambda row: (str(row["at"]), str(row["id"])))
    return _grouped(rows, "reservation_id")


def _grouped(rows: Iterable[Row], column: str) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(str(row[column]), []).append(row)
    return found


def as_booked(world: Store, row: Row) -> Booked:
    """A confirmed reservation as the rules of refunds want it."""
    listing = picks.listings(world)[row["listing_id"]]
    lines = last_lines(world, row["id"])
    return Booked(
        policy=row["policy_code"],
        checkin=row["checkin"],
        checkout=row["checkout"],
        party=Party(row["adults"], row["children"], row["infants"], row["pets"]),
        tz=listing["tz"],
        booked_at=row["confirmed_at"],
        checkin_at=local_instant(row["checkin"], row["checkin_from"], listing["tz"]),
        nights=tuple(int(night["price"]) for night in held_nights(world)[row["id"]]),
        lines=tuple(Line(x["kind"], x["label"], x["listing_amount"], x["charge_amount"]) for x in lines),
        taxes=taxes(world, listing["place_id"], row["currency"], row["checkin"]),
        currency=row["currency"],
        charge_currency=row["charge_currency"],
        rate_ppm=row["fx_rate_ppm"],
    )


@per_world
def cancellable(world: Store) -> list[tuple[Row, Refund]]:
    """Trips to come of people of the company that bring part of the money back, whenever within the hour they are
    cancelled; those with a change request or credit apart."""
    can = {row["id"] for row in picks.travellers(world)}
    asked = {row["reservation_id"] for row in picks.every(world, "stays_alteration") if row["status"] == "pending"}
    credit = {row["reservation_id"] for row in picks.every(world, "stays_credit_use")}
    found = []
    for row in picks.every(world, "stays_reservation"):
        if row["status"] != "confirmed" or row["guest_id"] not in can or row["id"] in asked | credit:
            continue
        listing = picks.listings(world)[row["listing_id"]]
        if local_date(world.now, listing["tz"]) > row["checkin"] or row["currency"] != listing["currency"]:
            continue
        stay = as_booked(world, row)
        now, later = refund_at(stay, world.now), refund_at(stay, add_seconds(world.now, _WHILE))
        if now == later and 0 < now.refund < row["total"] and now.kept_nights:
            found.append((row, now))
    return found


def cancelled(world: Store, row: Row, refund: Refund, reason: str) -> Goal:
    """Every row that the guest's cancellation changes or makes."""
    code = row["charge_currency"]
    latest = last_lines(world, row["id"])[0]["rev"]
    nights = held_nights(world)[row["id"]]
    goal: list[Any] = [
        changed(
            "stays_reservation",
            row["id"],
            status="cancelled_guest",
            total=Money(refund.kept_total, code),
            cancelled_at=Clock(),
            cancel_reason=reason,
        )
    ]
    goal += [Delete("stays_reservation_night", (x["listing_id"], x["night"], x["unit"])) for x in nights]
    for pos, line in enumerate(refund.kept, start=1):
        detail = json.dumps([x["price"] for x in nights], separators=(",", ":")) if line.kind == "nights" else None
        goal.append(
            expected_row(
                "stays_price_line",
                reservation_id=row["id"],
                rev=latest + 1,
                pos=pos,
                kind=line.kind,
                label=line.label,
                listing_amount=Money(line.amount, row["currency"]),
                charge_amount=Money(line.charge, code),
                charge_currency=code,
                **({} if detail is None else {"detail_json": detail}),
            )
        )
    paid = [x for x in payments(world)[row["id"]] if x["kind"] in ("authorise", "capture")]
    goal.append(
        expected_row(
            "stays_payment",
            reservation_id=row["id"],
            method_id=paid[-1]["method_id"],
            kind="refund",
            amount=Money(refund.refund, code),
            currency=code,
            reason="cancelled",
        )
    )
    payout = next(x for x in picks.every(world, "stays_payout") if x["reservation_id"] == row["id"])
    new = {"gross": refund.gross, "host_fee": refund.host_fee, "net": refund.gross - refund.host_fee}
    different = {name: Money(value, payout["currency"]) for name, value in new.items() if payout[name] != value}
    if different:
        goal.append(changed("stays_payout", payout["id"], **different))
    return tuple(goal)


@template("stays/cancel-trip", kind="mutate+answer", level=3)
def cancel_trip(world: Store, stream: Stream) -> Draft:
    """Cancel one trip of several and hand in what comes back."""
    row, refund = picks.draw(stream, cancellable(world), "trip that brings part of the money back")
    listing = picks.listings(world)[row["listing_id"]]
    code = row["charge_currency"]
    back = plain_amount(refund.refund, code)
    mine = [
        (other, found)
        for other, found in cancellable(world)
        if other["guest_id"] == row["guest_id"] and other["id"] != row["id"]
    ]
    reason = f"{stream.choice(_REASONS)} {stream.uniform_int(102, 989)}"
    cancel = Call("stays_cancel", {"code": row["code"], "confirm_refund": back, "reason": reason})
    goal = cancelled(world, row, refund, reason)
    silent = Call("stays_cancel", {"code": row["code"], "confirm_refund": back})
    wrong = {
        "the whole price": plain_amount(row["total"], code),
        "what is kept": plain_amount(refund.kept_total, code),
        "the nights alone": plain_amount(refund.nights_refund, code),
        "without the taxes": plain_amount(refund.refund - refund.tax_refund, code),
        "half of it all": plain_amount(row["total"] // 2, code),
    }

    places = [other for other in picks.listed(world) if other["id"] != listing["id"]]
    new = draw_stay(world, stream, picks.people(world)[row["guest_id"]], places)
    anew = plain_amount(new.quote.total, code)

    def answer(amount: str) -> dict[str, Any]:
        return {"refund": amount, "new_total": anew, "currency": code}

    others = tuple(
        Call("stays_cancel", {"code": x["code"], "confirm_refund": plain_amount(f.refund, x["charge_currency"])})
        for x, f in mine[:1]
    )
    return Draft(
        instruction=f'I cannot make it to "{listing["title"]}" on {long_date(row["checkin"])}. Please cancel that trip '
        f'with the reason "{reason}", and hand in how much of the money comes back. Hand in as well what '
        f'"{new.listing["title"]}" would cost in all for {party_text(new.party)} from {long_date(new.checkin)} to '
        f"{long_date(new.checkout)} at the standard rate; do not book it.",
        person_id=row["guest_id"],
        expectation=Expectation(
            any_of=(goal,),
            answer=answer_spec(
                {
                    "refund": Money(refund.refund, code),
                    "new_total": Money(new.quote.total, code),
                    "currency": Eq(code),
                },
                {
                    "refund": "What comes back",
                    "new_total": "Total of the other stay",
                    "currency": "ISO code of the currency of both",
                },
            ),
        ),
        oracle=(Call("stays_reservations", {"code": row["code"], "preview": "cancel"}), cancel, quoting(new)),
        submission=Submission(answer=answer(back)),
        variants=(
            Variant("not cancelled", (), reason="MISSING"),
            Variant("without the reason", (silent,), reason="MISSING"),
            *(Variant("another trip too", (cancel, other), reason="COLLATERAL") for other in others),
        ),
        wrong_answers=picks.told_apart(answer(back), {name: answer(text) for name, text in wrong.items()}),
        distractors=(
            picks.distract(
                "other trips of the guest",
                "stays_reservation",
                [
                    x
                    for x in picks.every(world, "stays_reservation")
                    if x["guest_id"] == row["guest_id"] and x["status"] == "confirmed" and x["id"] != row["id"]
                ],
            ),
        ),
        because=picks.follows(goal, _BECAUSE),
    )
