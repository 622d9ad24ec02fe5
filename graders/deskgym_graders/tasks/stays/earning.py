"""Questions whose plausible wrong procedures give other answers: payouts of months, one trip for another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from deskgym_apps.kit.dates import long_date
from deskgym_apps.kit.money import plain_amount
from deskgym_apps.kit.store import Store
from deskgym_graders.codec import SpecError
from deskgym_graders.comparators import Eq, Money
from deskgym_graders.expected import answer_spec
from deskgym_graders.spec import Call, Draft, Expectation, Submission
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from ..per_world import per_world
from . import picks
from .booking import draw_stay, party_text, quoting
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


@dataclass(frozen=True)
class _Span:
    """Two places of one host, and months in which payouts of them fall due."""

    places: tuple[Row, ...]
    first: str
    last: str

    def holds(self, day: str) -> bool:
        return self.first <= day[:7] <= self.last


@per_world
def _spans(world: Store) -> list[_Span]:
    """Pairs of listings of the company's hosts with two months in which payouts in one currency fall due for each."""
    owners = {row["id"] for row in picks.hosts(world)}
    mine = [
        row for row in picks.listed(world) if row["host_id"] in owners and len(_payouts(world).get(row["id"], [])) > 1
    ]
    found = []
    for one, other in combinations(mine, 2):
        if one["host_id"] != other["host_id"] or one["currency"] != other["currency"]:
            continue
        months = sorted({row["due_on"][:7] for listing in (one, other) for row in _payouts(world)[listing["id"]]})
        found += [_Span((one, other), *pair) for pair in combinations(months, 2)]
    return found


def _within(world: Store, span: _Span, *, other_days: Mapping[str, str] | None = None) -> list[Row]:
    """Payouts of the places that fall due within the months, or whose stays have the given day in them."""
    return [
        row
        for place in span.places
        for row in _payouts(world)[place["id"]]
        if row["status"] != "cancelled"
        and span.holds(row["due_on"] if other_days is None else other_days[row["reservation_id"]])
    ]


_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def _month(text: str) -> str:
    return f"{_MONTHS[int(text[5:7]) - 1]} {text[:4]}"


def _sums(rows: Sequence[Row], code: str, column: str = "net") -> dict[str, Any]:
    earned, fee = sum(row[column] for row in rows), sum(row["host_fee"] for row in rows)
    return {"earned": plain_amount(earned, code), "fee": plain_amount(fee, code), "currency": code}


@template("stays/payouts-of-months", kind="answer", level=3)
def payouts_of_months(world: Store, stream: Stream) -> Draft:
    """Add up what two places earn over some months."""
    out = {row["id"]: str(row["checkout"]) for row in picks.every(world, "stays_reservation")}
    for _ in range(_TRIES):
        span = picks.draw(stream, _spans(world), "pair of places with payouts in several months")
        rows, code = _within(world, span), str(span.places[0]["currency"])
        if len(rows) < _FEWEST or {row["currency"] for row in rows} != {code}:
            continue
        right = _sums(rows, code)
        procedures = {
            "before the host fee": _sums(rows, code, "gross"),
            "one forgotten": _sums(rows[1:], code),
            "by the month of checkout": _sums(_within(world, span, other_days=out), code),
            "only what was paid": _sums([row for row in rows if row["status"] == "paid"], code),
            "without the last month": _sums([row for row in rows if row["due_on"][:7] < span.last], code),
            "the first place alone": _sums(_within(world, replace(span, places=span.places[:1])), code),
        }
        wrong = picks.told_apart(right, procedures)
        if len(wrong) >= _FEWEST:
            return _payouts_draft(world, span, rows, wrong)
    raise SpecError("no months were found in which wrong procedures give other sums")


def _payouts_draft(world: Store, span: _Span, rows: Sequence[Row], wrong: dict[str, dict[str, Any]]) -> Draft:
    code = str(span.places[0]["currency"])
    names = " and ".join(f'"{place["title"]}"' for place in span.places)
    ids = {place["id"] for place in span.places}
    others = [
        row for row in picks.listed(world) if row["host_id"] == span.places[0]["host_id"] and row["id"] not in ids
    ]
    return Draft(
        instruction=f"What do I get for {names} together from payouts that fall due from {_month(span.first)} to "
        f"{_month(span.last)}, both months whole, paid or still to be paid, but not cancelled? Hand in the sum after "
        "the host fee, and how much the host fee on them is in all.",
        person_id=span.places[0]["host_id"],
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
        oracle=tuple(
            Call("stays_host", {"view": "payouts", "listing": place["id"], "limit": 200}) for place in span.places
        ),
        submission=Submission(answer=_sums(rows, code)),
        wrong_answers=wrong,
        distractors=(picks.distract("other listings", "stays_listing", others or picks.others(world, span.places[0])),),
    )


@template("stays/trade-trip", kind="answer", level=2)
def trade_trip(world: Store, stream: Stream) -> Draft:
    """Say what cancelling a trip brings back and what another one costs, and do neither."""
    row, refund = picks.draw(stream, cancellable(world), "trip that brings part of the money back")
    place, guest = picks.listings(world)[row["listing_id"]], picks.people(world)[row["guest_id"]]
    code = row["charge_currency"]
    new = draw_stay(world, stream, guest, [other for other in picks.listed(world) if other["id"] != place["id"]])

    def answer(back: int, price: int) -> dict[str, Any]:
        return {"back": plain_amount(back, code), "new_total": plain_amount(price, code), "currency": code}

    total = new.quote.total
    right = answer(refund.refund, total)
    wrong = {
        "all of the money": answer(row["total"], total),
        "what is kept": answer(refund.kept_total, total),
        "without the taxes": answer(refund.refund - refund.tax_refund, total),
        "the nights alone": answer(refund.nights_refund, total),
        "the new price without fees": answer(refund.refund, new.quote.lines[0].charge),
        "the two mixed up": answer(total, refund.refund),
    }
    preview = Call("stays_reservations", {"code": row["code"], "preview": "cancel"})
    mine = [
        other
        for other in picks.every(world, "stays_reservation")
        if other["guest_id"] == guest["id"] and other["id"] != row["id"]
    ]
    return Draft(
        instruction=f'I think of giving up my trip to "{place["title"]}" on {long_date(row["checkin"])} and going to '
        f'"{new.listing["title"]}" instead: {party_text(new.party)}, check-in on {long_date(new.checkin)}, checkout on '
        f"{long_date(new.checkout)}, standard rate. How much would come back if I cancelled now, and what would the "
        "new stay cost in all? Hand in both; cancel and book nothing.",
        person_id=guest["id"],
        expectation=Expectation(
            answer=answer_spec(
                {"back": Money(refund.refund, code), "new_total": Money(total, code), "currency": Eq(code)},
                {
                    "back": "What would come back",
                    "new_total": "Total of the new stay",
                    "currency": "ISO code of the currency of both",
                },
            )
        ),
        oracle=(preview, quoting(new)),
        submission=Submission(answer=right),
        wrong_answers=picks.told_apart(right, wrong),
        distractors=(picks.distract("other trips", "stays_reservation", mine),)
        if mine
        else (picks.distract("other listings", "stays_listing", picks.others(world, place)),),
    )
