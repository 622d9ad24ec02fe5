"""Questions about what was: calls held, deals won in a fiscal quarter, deals lost for a reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from deskgym_apps.kit.dates import add_days, fiscal_quarter, long_date
from deskgym_apps.kit.money import format_amount
from deskgym_apps.kit.store import Store
from deskgym_graders.codec import SpecError
from deskgym_graders.comparators import Comparator, Eq, Money, TextEq
from deskgym_graders.expected import answer_spec
from deskgym_graders.spec import Call, Draft, Expectation, Submission
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from . import picks
from .picks import Row

_PAGE = 25
_TRIES = 300


def _told_apart(right: Any, wrong: dict[str, Any]) -> dict[str, Any]:
    return {name: answer for name, answer in wrong.items() if answer != right}


@template("crm/call-minutes", kind="answer", level=3)
def call_minutes(world: Store, stream: Stream) -> Draft:
    """Count a colleague's calls of a span of days, more than fit on a page, and add up their minutes."""
    done = [row for row in picks.live(world, "crm_task") if row["kind"] == "Call" and row["status"] == "Completed"]
    tasks = [row for row in picks.live(world, "crm_task") if row["kind"] == "Task" and row["status"] == "Completed"]
    owners = sorted({row["owner_id"] for row in done if picks.active_owner(world, row)})

    def answer(rows: Sequence[Row]) -> dict[str, int]:
        return {"calls": len(rows), "minutes": sum(row["duration_minutes"] or 0 for row in rows)}

    for _ in range(_TRIES):
        owner = stream.choice(owners)
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
        kept = _told_apart(right, wrong)
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
        instruction=f"How many completed calls (tasks of kind Call) does {name} own with a date from "
        f"{long_date(first)} to {long_date(last)}, both days included, and how many minutes did they take altogether? "
        "A call without a duration counts as a call of no minutes.",
        person_id=picks.administrator(world),
        expectation=Expectation(answer=answer_spec(fields, titles)),
        oracle=pages,
        submission=Submission(answer=right),
        wrong_answers=kept,
        distractors=(
            picks.distract(
                "calls of others or of other days", "crm_task", [row for row in done if row["owner_id"] != owner]
            ),
        ),
    )


def _by_day(row: Row) -> tuple[str, str]:
    return str(row["due_date"]), str(row["id"])


def _quarters(world: Store, rows: Sequence[Row]) -> list[tuple[str, str]]:
    start = int(world.meta("fiscal_start_month"))
    return sorted({fiscal_quarter(row["close_date"], start) for row in rows})


@template("crm/won-quarter", kind="answer", level=3)
def won_quarter(world: Store, stream: Stream) -> Draft:
    """Add up what was won in a fiscal quarter above an amount, and name the largest deal."""
    closed = [row for row in picks.deals(world, is_open=False) if row["amount"]]
    won = [row for row in closed if row["stage"] == "Closed Won"]
    admin = picks.administrator(world)
    this = fiscal_quarter(picks.today(world, admin), int(world.meta("fiscal_start_month")))
    quarters = [span for span in _quarters(world, won) if span < this]

    for _ in range(_TRIES):
        (first, last), currency = stream.choice(quarters), stream.choice(won)["currency"]
        pool = [row for row in won if row["currency"] == currency and first <= row["close_date"] <= last]
        amounts = sorted(row["amount"] for row in pool)
        if len(pool) < 3:
            continue
        least = stream.choice(amounts[:-1]) // 100 * 100
        found = [row for row in pool if row["amount"] >= least]

        def answer(rows: Sequence[Row], code: str = currency) -> dict[str, Any]:
            top = max(rows, key=lambda row: (row["amount"], row["id"]), default=None)
            total = format_amount(sum(row["amount"] for row in rows), code)
            return {"count": len(rows), "amount": total, "currency": code, "largest": top["name"] if top else ""}

        def within(rows: Sequence[Row], low: str, high: str, code: str = currency, floor: int = least) -> list[Row]:
            return [
                row
                for row in rows
                if row["currency"] == code and low <= row["close_date"] <= high and row["amount"] >= floor
            ]

        right = answer(found)
        calendar = fiscal_quarter(add_days(first, 31), 1)
        wrong = {
            "lost ones too": answer(within(closed, first, last)),
            "the calendar quarter": answer(within(won, *calendar)),
            "the quarter before": answer(within(won, *fiscal_quarter(add_days(first, -1), int(first[5:7])))),
            "every amount": answer(pool),
            "of every year": answer(within(won, "0001-01-01", "9999-12-31")),
        }
        kept = _told_apart(right, wrong)
        tops = sorted(row["amount"] for row in found)
        if len(found) >= 2 and tops[-1] != tops[-2] and len(kept) >= 4:
            break
    else:
        raise SpecError("this world has no fiscal quarter with several deals won in one currency")
    total = sum(row["amount"] for row in found)
    fields: dict[str, Comparator] = {
        "count": Eq(len(found)),
        "amount": Money(total, currency),
        "currency": Eq(currency),
        "largest": TextEq(right["largest"]),
    }
    titles = {"count": "How many", "amount": "Total", "currency": "ISO code", "largest": "Name of the largest"}
    conditions = [{"field": "stage", "op": "equals", "value": "Closed Won"}]
    ids = {row["id"] for row in found}
    month = long_date(first).split(" ", 1)[1]
    return Draft(
        instruction=f"Our fiscal year does not follow the calendar. In the fiscal quarter that began in {month}, how "
        f"many opportunities in {currency} of {format_amount(least, currency)} {currency} or more were Closed Won, by "
        f"close date? Also tell me their total amount in {currency} and the name of the largest one.",
        person_id=admin,
        expectation=Expectation(answer=answer_spec(fields, titles)),
        oracle=(Call("crm_query", {"object": "opportunity", "filter": conditions, "limit": 200}),),
        submission=Submission(answer=right),
        wrong_answers=kept,
        distractors=(
            picks.distract(
                "closed in other quarters or lost", "crm_opportunity", [row for row in closed if row["id"] not in ids]
            ),
        ),
    )
