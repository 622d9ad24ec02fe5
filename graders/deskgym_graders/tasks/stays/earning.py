"""Questions whose plausible wrong procedures give other answers: payouts of a month, refunds of two trips."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from deskgym_apps.kit.dates import long_date
from deskgym_apps.kit.money import plain_amount
from deskgym_apps.kit.store import Store
from deskgym_apps.stays.rules_refunds import Refund
from deskgym_graders.codec import SpecError
from deskgym_graders.comparators import Eq, Money
from deskgym_graders.expected import answer_spec
from deskgym_graders.spec import Call, Draft, Expectation, Submission
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from ..crm.per_world import per_world
from . import picks
from .cancelling import cancellable
from .picks import Row

_FEWEST = 3
_TRIES = 100


@per_world
def _payouts(world: Store) -> dict[str, list[Row]]:
    """Payouts by listing."""
    of = {row["id"]: row["listing_id"] for row in picks.every(world, "stays_reservation")}
    found: dict[str, list[Row]] = {}
    for row in picks.every(world, "stays_payout"):
        found.setdefault(str(of[row["reservation_id"]]), []).append(row)
    return found


@per_world
def _spans(world: Store) -> list[tuple[Row, str, str]]:
    """Listings of the company's hosts with two months, the first not after the second, in which payouts fell due."""
    owners = {row["id"] for row in picks.hosts(world)}
    found = []
    for listing in picks.listed(world):
        rows = _payouts(world).get(listing["id"], []) if listing["host_id"] in owners else []
        months = sorted({row["due_on"][:7] for row in rows})
        for first, last in combinations(months, 2):
            within = [row for row in rows if first <= row["due_on"][:7] <= last and row["status"] != "cancelled"]
            if len(within) >= _FEWEST and len({row["currency"] for row in within}) == 1:
                found.append((listing, first, last))
    return found


_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def _month(text: str) -> str:
    return f"{_MONTHS[int(text[5:7]) - 1]} {text[:4]}"


def _sums(rows: list[Row], column: str = "net") -> dict[str, Any]:
    code = rows[0]["currency"]
    fee = sum(row["host_fee"] for row in rows)
    total = sum(row[column] for row in rows)
    return {"earned": plain_amount(total, code), "fee": plain_amount(fee, code), "currency": code}


@template("stays/payouts-of-months", kind="answer", level=3)
def payouts_of_months(world: Store, stream: Stream) -> Draft:
    """Add up what a place earned over some months."""
    stays = {row["id"]: row for row in picks.every(world, "stays_reservation")}
    for _ in range(_TRIES):
        listing, first, last = picks.draw(stream, _spans(world), "listing with payouts in several months")
        own = _payouts(world)[listing["id"]]
        rows = [row for row in own if first <= row["due_on"][:7] <= last and row["status"] != "cancelled"]
        begun = [
            row
            for row in own
            if first <= stays[row["reservation_id"]]["checkout"][:7] <= last and row["status"] != "cancelled"
        ]
        paid = [row for row in rows if row["status"] == "paid"]
        right = _sums(rows)
        wrong = picks.told_apart(
            right,
            {
                "before the host fee": _sums(rows, "gross"),
                "one forgotten": _sums(rows[1:]),
                **({"by the month of checkout": _sums(begun)} if begun else {}),
                **({"only what was paid": _sums(paid)} if paid else {}),
                "without the last month": _sums([x for x in rows if x["due_on"][:7] < last] or rows[:1]),
            },
        )
        if len(wrong) >= _FEWEST:
            break
    else:
        raise SpecError("no months were found in which wrong procedures give other sums")
    code = right["currency"]
    return Draft(
        instruction=f'What do I get for "{listing["title"]}" from payouts that fall due from {_month(first)} to '
        f"{_month(last)}, both months whole, paid or still to be paid, but not cancelled? Hand in the sum after the "
        "host fee, and how much the host fee on them is in all.",
        person_id=listing["host_id"],
        expectation=Expectation(
            answer=answer_spec(
                {
                    "earned": Money(sum(row["net"] for row in rows), code),
                    "fee": Money(sum(row["host_fee"] for row in rows), code),
                    "currency": Eq(code),
                },
                {
                    "earned": "Sum after the host fee",
                    "fee": "Host fee in all",
                    "currency": "ISO code of the currency",
                },
            )
        ),
        oracle=(Call("stays_host", {"view": "payouts", "listing": listing["id"], "limit": 200}),),
        submission=Submission(answer=right),
        wrong_answers=wrong,
        distractors=(picks.distract("other listings", "stays_listing", picks.others(world, listing)),),
    )


@per_world
def _pairs(world: Store) -> list[tuple[tuple[Row, Refund], tuple[Row, Refund]]]:
    """Two trips of one guest that are paid in one currency and bring part of the money back."""
    return [
        (one, other)
        for one, other in combinations(cancellable(world), 2)
        if one[0]["guest_id"] == other[0]["guest_id"]
        and one[0]["charge_currency"] == other[0]["charge_currency"]
        and one[0]["listing_id"] != other[0]["listing_id"]
    ]


@template("stays/refund-of-two", kind="answer", level=2)
def refund_of_two(world: Store, stream: Stream) -> Draft:
    """Say what cancelling two trips would bring back, and cancel neither."""
    found = [pair for pair in _pairs(world) if all(picks.has_clean_title(world, _place(world, x)) for x, _ in pair)]
    (one, first), (other, second) = picks.draw(stream, found, "pair of trips that can be cancelled")
    code = one["charge_currency"]

    def answer(back: int, kept: int) -> dict[str, Any]:
        return {"back": plain_amount(back, code), "kept": plain_amount(kept, code), "currency": code}

    back, kept = first.refund + second.refund, first.kept_total + second.kept_total
    right = answer(back, kept)
    wrong = {
        "one trip alone": answer(first.refund, first.kept_total),
        "all of the money": answer(one["total"] + other["total"], 0),
        "the two mixed up": answer(kept, back),
        "without the taxes": answer(back - first.tax_refund - second.tax_refund, kept),
        "the nights alone": answer(first.nights_refund + second.nights_refund, kept),
    }
    names = [f'"{_place(world, row)["title"]}" on {long_date(row["checkin"])}' for row in (one, other)]
    return Draft(
        instruction=f"If I cancelled both of my trips to {names[0]} and to {names[1]} now, how much would come back in "
        f"all, and how much would be kept? Hand in both sums and cancel nothing.",
        person_id=one["guest_id"],
        expectation=Expectation(
            answer=answer_spec(
                {"back": Money(back, code), "kept": Money(kept, code), "currency": Eq(code)},
                {"back": "What comes back", "kept": "What is kept", "currency": "ISO code of the currency"},
            )
        ),
        oracle=tuple(Call("stays_reservations", {"code": row["code"], "preview": "cancel"}) for row in (one, other)),
        submission=Submission(answer=right),
        wrong_answers=picks.told_apart(right, wrong),
        distractors=(
            picks.distract(
                "other trips",
                "stays_reservation",
                [
                    row
                    for row in picks.every(world, "stays_reservation")
                    if row["guest_id"] == one["guest_id"] and row["id"] not in (one["id"], other["id"])
                ],
            ),
        ),
    )


def _place(world: Store, row: Row) -> Row:
    return picks.listings(world)[row["listing_id"]]
