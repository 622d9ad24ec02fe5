"""Questions about what was: calls held, deals won in a fiscal quarter, deals lost for a reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from typing import Any

from deskgym_apps.kit.dates import add_days, fiscal_quarter, long_date
from deskgym_apps.kit.money import format_amount, plain_amount
from deskgym_apps.kit.store import Store
from deskgym_graders.codec import SpecError
from deskgym_graders.comparators import Comparator, Eq, Money, TextEq
from deskgym_graders.expected import answer_spec
from deskgym_graders.spec import Call, Draft, Expectation, Submission, Variant
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from ..per_world import per_world
from . import picks
from .picks import Row

_PAGE = 25
_TRIES = 400
_QUARTERS = 6
_FOUND = 5
_MUCH = 10**12
_APART = 7  # of ten wrong procedures, and the following among them
_MUST = {
    "the calendar quarters",
    "smaller ones too",
    "larger ones too",
    "with those to be left out",
    "without the smallest",
}
_WON = [{"field": "stage", "op": "equals", "value": "Closed Won"}]


@template("crm/call-minutes", kind="answer", level=3, revision=2)
def call_minutes(world: Store, stream: Stream) -> Draft:
    """Count a colleague's calls of a span of days, more than fit on a page, and add up their minutes."""
    done = [row for row in picks.live(world, "crm_task") if row["kind"] == "Call" and row["status"] == "Completed"]
    tasks = [row for row in picks.live(world, "crm_task") if row["kind"] == "Task" and row["status"] == "Completed"]
    held = [row for row in done if picks.active_owner(world, row)]

    def answer(rows: Sequence[Row]) -> dict[str, int]:
        return {"calls": len(rows), "minutes": sum(row["duration_minutes"] or 0 for row in rows)}

    for _ in range(_TRIES):
        owner = stream.choice(held)["owner_id"]
        mine = sorted((row for row in done if row["owner_id"] == owner and row["due_date"]), key=_by_day)
        days = sorted({row["due_date"] for row in mine})
        if len(mine) <= _PAGE + 5 or len(days) < 10:
            continue
        first, last = sorted(stream.sample(days, 2))
        found = [row for row in mine if first <= row["due_date"] <= last]
        inner = [row for row in found if first < row["due_date"] < last]
        others = [row for row in done if row["due_date"] and first <= row["due_date"] <= last]
        also = [row for row in tasks if row["owner_id"] == owner and first <= (row["due_date"] or "") <= last]
        right = answer(found)
        wrong = {
            "the first page only": answer(found[:_PAGE]),
            "the last page only": answer(found[-_PAGE:]),
            "without the days at both ends": answer(inner),
            "of every owner": answer(others),
            "tasks too": answer([*found, *also]),
            "whatever the day": answer(mine),
        }
        kept = picks.told_apart(right, wrong)
        if len(found) > _PAGE and len(kept) >= 5:
            break
    else:
        raise SpecError("this world has no owner with more calls than a page holds")
    name = picks.person(world, owner)["name"]
    fields: dict[str, Comparator] = {"calls": Eq(right["calls"]), "minutes": Eq(right["minutes"])}
    titles = {"calls": "How many calls", "minutes": "Their minutes in total"}
    conditions = [
        {"field": "due_date", "op": "gte", "value": first},
        {"field": "due_date", "op": "lte", "value": last},
    ]
    pages = tuple(
        Call("crm_query", {"object": "task", "filter": conditions, "limit": 200, "offset": offset})
        for offset in (0, 200)
    )
    return Draft(
        instruction=f"How many completed calls (tasks of kind Call) does {name} own with a due date from "
        f"{long_date(first)} to {long_date(last)}, both days included, and how many minutes did they take altogether? "
        "A call without a duration counts as a call of no minutes.",
        person_id=picks.administrator(world),
        expectation=Expectation(answer=answer_spec(fields, titles)),
        oracle=pages,
        submission=Submission(answer=right),
        variants=(
            Variant("page by page from the end", pages[::-1]),
            Variant("the first page only", pages[:1], Submission(answer=wrong["the first page only"]), "ANSWER_WRONG"),
        ),
        wrong_answers=kept,
        distractors=(
            picks.distract(
                "calls of others or of other days", "crm_task", [row for row in done if row["owner_id"] != owner]
            ),
        ),
    )


def _by_day(row: Row) -> tuple[str, str]:
    return str(row["due_date"]), str(row["id"])


@dataclass(frozen=True)
class _Asked:
    """A question about won deals: in which currency and quarters, from which amount on up to which, without whose."""

    currency: str
    first: str
    last: str
    least: int
    below: int
    without: str | None

    def rows(self, some: Iterable[Row], **other: Any) -> list[Row]:
        """The rows asked for; `other` values ask for others."""
        first, last = other.get("first", self.first), other.get("last", self.last)
        least, below = other.get("least", self.least), other.get("below", self.below)
        without = other.get("without", self.without)
        return [
            row
            for row in some
            if row["currency"] == self.currency
            and first <= row["close_date"] <= last
            and least <= row["amount"] < below
            and row["owner_id"] != without
        ]

    def answer(self, rows: Sequence[Row], column: str = "amount") -> dict[str, Any]:
        """How many, their total and the name of the largest."""
        top = max(rows, key=lambda row: (row["amount"], row["id"]), default=None)
        total = format_amount(sum(row[column] or 0 for row in rows), self.currency)
        return {
            "count": len(rows),
            "amount": total,
            "currency": self.currency,
            "largest": top["name"] if top else "",
        }


@per_world
def _closed(world: Store) -> list[Row]:
    return [row for row in picks.deals(world, is_open=False) if row["amount"]]


def _won(world: Store) -> list[Row]:
    return [row for row in _closed(world) if row["stage"] == "Closed Won"]


@per_world
def _quarters(world: Store) -> list[tuple[str, str]]:
    """The fiscal quarters that are over and in which something was won, in order."""
    start = int(world.meta("fiscal_start_month"))
    this = fiscal_quarter(picks.today(world, picks.administrator(world)), start)
    known = {fiscal_quarter(row["close_date"], start) for row in _won(world)}
    return sorted(span for span in known if span < this)


@per_world
def _pools(world: Store) -> list[tuple[tuple[_Asked, int, list[int]], int]]:
    """Currency, consecutive quarters and owner to leave out, their number and amounts, by the number of ranges."""
    won, quarters = _won(world), _quarters(world)
    pools = []
    for at, count in product(range(len(quarters)), range(1, _QUARTERS + 1)):
        span = quarters[at : at + count]
        if len(span) < count or any(low != add_days(high, 1) for (_, high), (low, _) in pairwise(span)):
            continue
        for currency in sorted({str(row["currency"]) for row in won}):
            pool = _Asked(currency, span[0][0], span[-1][1], 0, _MUCH, None).rows(won)
            for without in sorted({str(row["owner_id"]) for row in pool}):
                asked = _Asked(currency, span[0][0], span[-1][1], 0, _MUCH, without)
                amounts = sorted({int(row["amount"]) // 100 * 100 for row in asked.rows(pool)})
                pools.append(((asked, count, amounts), max(0, len(amounts) - _FOUND) ** 2))
    return [(pool, ranges) for pool, ranges in pools if ranges]


def _questions(world: Store, stream: Stream) -> Iterator[tuple[_Asked, int]]:
    """Questions, each with the number of its quarters."""
    pools = _pools(world)
    for _ in range(_TRIES if pools else 0):
        asked, count, amounts = stream.weighted(pools)
        least, below = sorted(stream.sample(amounts, 2))
        yield replace(asked, least=least, below=below), count


def _wrong_quarters(world: Store, asked: _Asked) -> dict[str, dict[str, Any]]:
    """What comes of plausible slips."""
    won, month = _won(world), int(asked.first[5:7])
    before = fiscal_quarter(add_days(asked.first, -1), month)
    after = fiscal_quarter(add_days(asked.last, 1), month)
    alone = fiscal_quarter(asked.first, month)
    calendar = fiscal_quarter(add_days(asked.first, 31), 1)[0], fiscal_quarter(add_days(asked.last, -31), 1)[1]
    spans = {
        "the calendar quarters": calendar,
        "a quarter too early": (before[0], fiscal_quarter(add_days(asked.last, -100), month)[1]),
        "a quarter too many": (asked.first, after[1]),
        "the first quarter alone": alone,
        "of every year": ("0001-01-01", "9999-12-31"),
    }
    found = asked.rows(won)
    return {name: asked.answer(asked.rows(won, first=low, last=high)) for name, (low, high) in spans.items()} | {
        "lost ones too": asked.answer(asked.rows(_closed(world))),
        "smaller ones too": asked.answer(asked.rows(won, least=0)),
        "larger ones too": asked.answer(asked.rows(won, below=_MUCH)),
        "without the smallest": asked.answer(sorted(found, key=lambda row: row["amount"])[1:]),
        "with those to be left out": asked.answer(asked.rows(won, without=None)),
    }


@template("crm/won-quarter", kind="answer", level=3, revision=2)
def won_quarter(world: Store, stream: Stream) -> Draft:
    """Add up the middling deals won in fiscal quarters, without one colleague's, and name the largest."""
    for asked, quarters in _questions(world, stream):
        found = asked.rows(_won(world))
        if not _reaches(asked, found):
            continue
        tops = sorted(row["amount"] for row in found)
        kept = picks.told_apart(asked.answer(found), _wrong_quarters(world, asked))
        if len(found) >= _FOUND and tops[-1] != tops[-2] and len(kept) >= _APART and set(kept) >= _MUST:
            return _won_draft(world, asked, quarters, kept)
    raise SpecError("this world has no fiscal quarters with several deals won in one currency")


def _reaches(asked: _Asked, found: Sequence[Row]) -> bool:
    """Whether the first and the last quarter have one: else fewer quarters would have the same answer."""
    month = int(asked.first[5:7])
    days = sorted(str(row["close_date"]) for row in found)
    _, end = fiscal_quarter(asked.first, month)
    begin, _ = fiscal_quarter(asked.last, month)
    return bool(days) and days[0] <= end and days[-1] >= begin


def _won_draft(world: Store, asked: _Asked, quarters: int, kept: dict[str, Any]) -> Draft:
    currency, found = asked.currency, asked.rows(_won(world))
    right, total = asked.answer(found), sum(row["amount"] for row in found)
    fields: dict[str, Comparator] = {
        "count": Eq(len(found)),
        "amount": Money(total, currency),
        "currency": Eq(currency),
        "largest": TextEq(right["largest"]),
    }
    titles = {"count": "How many", "amount": "Total", "currency": "ISO code", "largest": "Name of the largest"}
    month = long_date(asked.first).split(" ", 1)[1]
    when = "fiscal quarter that" if quarters == 1 else f"{quarters} consecutive fiscal quarters of which the first"
    low, high = (f"{format_amount(minor, currency)} {currency}" for minor in (asked.least, asked.below))
    ids = {row["id"] for row in found}
    return Draft(
        instruction=f"Our fiscal year does not follow the calendar. Take the {when} began in {month}: how many "
        f"opportunities of {low} or more, but less than {high}, are Closed Won with a close date in that time? Count "
        f"only those in {currency}, and leave out those that {picks.person(world, str(asked.without))['name']} owns. "
        f"Also tell me their total amount in {currency} and the name of the largest of them.",
        person_id=picks.administrator(world),
        expectation=Expectation(answer=answer_spec(fields, titles)),
        oracle=(Call("crm_query", {"object": "opportunity", "filter": _WON, "limit": 200}),),
        submission=Submission(answer=right),
        variants=(
            Variant("read deal by deal", tuple(Call("crm_get", {"id": row["id"]}) for row in found)),
            Variant(
                "the total as a plain number", (), Submission(answer=right | {"amount": plain_amount(total, currency)})
            ),
            Variant(
                "with those to be left out",
                (),
                Submission(answer=kept["with those to be left out"]),
                "ANSWER_WRONG",
            ),
        ),
        wrong_answers=kept,
        distractors=(
            picks.distract(
                "closed in other quarters or lost",
                "crm_opportunity",
                [row for row in _closed(world) if row["id"] not in ids],
            ),
        ),
    )
