"""Requests for the same nights: the one that came first is accepted, which ends the others."""

from __future__ import annotations

import json
import re
from typing import Any

from deskgym_apps.kit.dates import long_date
from deskgym_apps.kit.store import Store
from deskgym_apps.stays.rules_prices import HOST_FEE_BP, HOST_ITEMS, share
from deskgym_apps.stays.rules_stays import nights_between, shifted
from deskgym_graders.comparators import Clock, Money, OneOf
from deskgym_graders.expected import changed, expected_row
from deskgym_graders.spec import Call, Draft, Expectation, Goal, Variant
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from ..per_world import per_world
from . import picks
from .cancelling import last_lines, payments
from .picks import Row

_WORDS = ("other request accepted", "declined")  # by the system, and by hand
_UNFIT = re.compile(r"\bDJ\b|\bsmoke\b|\blabrador\b", re.IGNORECASE)
_BECAUSE = {
    "status": "an accepted request is confirmed, and its rivals are declined with it",
    "night": "the nights of the request",
    "price": "the nightly prices that were agreed",
    "amount": "what was agreed, as the request shows it",
    "gross": "what was agreed, as the request shows it",
    "host_fee": "3 percent of what was agreed",
    "net": "what is left",
    "currency": "the request's",
    "method_id": "the card that was authorised",
    "kind": "the accepted one is captured, the others let go",
    "reason": "the words of the system",
    "due_on": "the day after check-in",
    "unit": "there is one of it",
    "thread_id": "the conversation with the guest who asked first",
    "reservation_id": "the request",
    "host_id": "the host of the place",
    "listing_id": "the place",
}


@per_world
def _threads(world: Store) -> dict[tuple[str, str], Row]:
    return {(row["listing_id"], row["guest_id"]): row for row in picks.every(world, "stays_thread")}


@per_world
def _said(world: Store) -> dict[str, str]:
    """All that was written in a thread."""
    found: dict[str, str] = {}
    for row in picks.every(world, "stays_message"):
        found[row["thread_id"]] = f"{found.get(row['thread_id'], '')} {row['body']}"
    return found


@per_world
def pending_of(world: Store) -> dict[str, list[Row]]:
    """Requests that wait at the company's listings of one room and no days of preparation, the earliest first."""
    owners = {row["id"] for row in picks.hosts(world)}
    mine = {
        row["id"]
        for row in picks.listed(world)
        if row["host_id"] in owners and row["inventory"] == 1 and not row["prep_days"]
    }
    found: dict[str, list[Row]] = {}
    rows = [row for row in picks.every(world, "stays_reservation") if row["status"] == "pending"]
    for row in sorted(rows, key=lambda row: (str(row["requested_at"]), str(row["id"]))):
        if row["listing_id"] in mine:
            found.setdefault(str(row["listing_id"]), []).append(row)
    return found


def overlap(one: Row, other: Row) -> bool:
    """Whether two requests are for some night alike."""
    return bool(other["checkin"] < one["checkout"] and other["checkout"] > one["checkin"])


def _is_free(world: Store, row: Row) -> bool:
    """Whether nobody has the nights of a request, and the host keeps none of them closed."""
    own = picks.overrides(world).get(row["listing_id"], {})
    gone = picks.taken(world).get(row["listing_id"], frozenset()) | {day for day in own if own[day]["blocked"]}
    return not gone.intersection(nights_between(row["checkin"], row["checkout"]))


@per_world
def contests(world: Store) -> list[tuple[Row, ...]]:
    """Requests for the same nights that break no house rule: the first that came, then all that it rules out."""
    found = []
    for rows in pending_of(world).values():
        for first in rows:
            others = [row for row in rows if row["id"] != first["id"] and overlap(first, row)]
            group = (first, *others)
            threads = [_threads(world).get((row["listing_id"], row["guest_id"])) for row in group]
            fit = all(thread and not _UNFIT.search(_said(world)[thread["id"]]) for thread in threads)
            is_first = all(first["requested_at"] < row["requested_at"] for row in others)
            if (
                others
                and is_first
                and fit
                and _is_free(world, first)
                and len({row["guest_id"] for row in group}) == len(group)
            ):
                found.append(group)
    return found


def accepted(world: Store, row: Row, rivals: tuple[Row, ...]) -> Goal:
    """Every row that accepting a request changes or makes."""
    listing = picks.listings(world)[row["listing_id"]]
    lines = last_lines(world, row["id"])
    prices = json.loads(next(line["detail_json"] for line in lines if line["kind"] == "nights"))
    gross = sum(line["listing_amount"] for line in lines if line["kind"] in HOST_ITEMS)
    fee = share(gross, HOST_FEE_BP)
    goal: list[Any] = [changed("stays_reservation", row["id"], status="confirmed", confirmed_at=Clock())]
    for night, price in zip(nights_between(row["checkin"], row["checkout"]), prices, strict=True):
        goal.append(
            expected_row(
                "stays_reservation_night",
                listing_id=listing["id"],
                night=night,
                unit=1,
                reservation_id=row["id"],
                price=Money(price, row["currency"]),
            )
        )
    goal.append(_moved(world, row, "capture"))
    goal.append(
        expected_row(
            "stays_payout",
            host_id=listing["host_id"],
            reservation_id=row["id"],
            gross=Money(gross, row["currency"]),
            host_fee=Money(fee, row["currency"]),
            net=Money(gross - fee, row["currency"]),
            currency=row["currency"],
            due_on=shifted(row["checkin"], 1),
        )
    )
    for rival in rivals:
        goal.append(changed("stays_reservation", rival["id"], status="declined"))
        goal.append(_moved(world, rival, "void", reason=OneOf(_WORDS)))
    return tuple(goal)


def _moved(world: Store, row: Row, kind: str, **more: Any) -> Any:
    """The capture or the end of what a request holds on a card."""
    held = next(found for found in payments(world)[row["id"]] if found["kind"] == "authorise")
    amount = row["total"] if kind == "capture" else held["amount"]
    return expected_row(
        "stays_payment",
        reservation_id=row["id"],
        method_id=held["method_id"],
        kind=kind,
        amount=Money(amount, row["charge_currency"]),
        currency=row["charge_currency"],
        **more,
    )


def _decide(row: Row, action: str) -> Call:
    return Call("stays_decide", {"id": row["code"], "action": action})


@template("stays/first-come", kind="mutate", level=3)
def first_come(world: Store, stream: Stream) -> Draft:
    """Accept the request that came first of those for the same nights, and tell its guest how to get in."""
    first, *rest = picks.draw(stream, contests(world), "contest of requests")
    rivals = tuple(rest)
    listing = picks.listings(world)[first["listing_id"]]
    thread = _threads(world)[first["listing_id"], first["guest_id"]]
    body = f"You are welcome! The key box beside the door opens with {stream.uniform_int(1000, 9999)}."
    accept, tell = _decide(first, "accept"), Call("stays_message", {"thread": thread["id"], "body": body})
    goal = (*accepted(world, first, rivals), expected_row("stays_message", thread_id=thread["id"], body=body))
    late = Call("stays_message", {"code": rivals[0]["code"], "body": body})
    nights = sorted({row["checkin"] for row in (first, *rivals)})
    rest_rows = [row for row in pending_of(world)[listing["id"]] if row not in (first, *rivals)]
    return Draft(
        instruction=f'Several guests have requested nights at "{listing["title"]}" that overlap, with check-in on '
        f"{' or '.join(long_date(day) for day in nights)}. Accept the one of these requests that came in first; the "
        f'others are then declined by themselves. Write to the guest whom you accepted: "{body}" Leave all other '
        "requests as they are.",
        person_id=listing["host_id"],
        expectation=Expectation(any_of=(goal,)),
        oracle=(accept, tell),
        variants=(
            Variant("the message first", (tell, accept)),
            Variant("the one that came later", (_decide(rivals[0], "accept"), late), reason="WRONG_VALUE"),
            Variant("without the message", (accept,), reason="MISSING"),
            Variant("the others declined by hand first", (_decide(rivals[0], "decline"), accept, tell)),
        ),
        distractors=(picks.distract("other requests", "stays_reservation", rest_rows),)
        if rest_rows
        else (picks.distract("other listings", "stays_listing", picks.others(world, listing)),),
        because=picks.follows(goal, _BECAUSE),
    )
