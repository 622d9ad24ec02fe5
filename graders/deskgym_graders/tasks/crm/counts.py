"""Questions: what is counted, summed and named by reading alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from deskgym_apps.kit.dates import add_days, long_date
from deskgym_apps.kit.money import format_amount
from deskgym_apps.kit.store import Store
from deskgym_graders.codec import SpecError
from deskgym_graders.comparators import Comparator, Eq, Money
from deskgym_graders.expected import answer_spec
from deskgym_graders.spec import Call, Draft, Expectation, Submission
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from . import picks
from .picks import Row

_PAGE = 25
_TRIES = 200
_TITLES = {"count": "How many", "amount": "Total, in major units", "currency": "ISO code of the currency"}


def _sums(rows: Iterable[Row], column: str, currency: str) -> dict[str, Any]:
    found = list(rows)
    total = sum(row[column] or 0 for row in found)
    return {"count": len(found), "amount": format_amount(total, currency), "currency": currency}


def _summed(rows: Sequence[Row], column: str, currency: str) -> Expectation:
    total = sum(row[column] or 0 for row in rows)
    fields: dict[str, Comparator] = {"count": Eq(len(rows)), "amount": Money(total, currency), "currency": Eq(currency)}
    return Expectation(answer=answer_spec(fields, _TITLES))


def query(**args: Any) -> Call:
    """A list as an agent would read it."""
    return Call("crm_query", args)


def _different(
    right: dict[str, Any], wrong: dict[str, dict[str, Any]], needed: int
) -> dict[str, dict[str, Any]] | None:
    """The wrong answers that differ from the right one, or None where too few do."""
    kept = {name: answer for name, answer in wrong.items() if answer != right}
    return kept if len(kept) >= needed else None


@template("crm/open-expected", kind="answer", level=2)
def open_expected(world: Store, stream: Stream) -> Draft:
    """Count a colleague's open deals of one currency that close in a span of days, with their expected revenue."""
    everything = picks.live(world, "crm_opportunity")
    rows = picks.deals(world, is_open=True)
    for _ in range(_TRIES):
        one = stream.choice(rows)
        owner, currency = one["owner_id"], one["currency"]
        pool = [row for row in rows if row["owner_id"] == owner and row["currency"] == currency]
        days = sorted({row["close_date"] for row in pool})
        if len(days) < 3:
            continue
        first, last = sorted(stream.sample(days, 2))
        last = add_days(last, -1) if stream.chance(500) else last

        def within(some: Iterable[Row], low: str = first, high: str = last) -> list[Row]:
            return [row for row in some if low <= row["close_date"] <= high]

        found = within(pool)
        right = _sums(found, "expected_revenue", currency)
        mine = [row for row in everything if row["owner_id"] == owner and row["currency"] == currency]
        others = [row for row in rows if row["currency"] == currency]
        wrong = {
            "gross instead of expected": _sums(found, "amount", currency),
            "closed ones too": _sums(within(mine), "expected_revenue", currency),
            "of every owner": _sums(within(others), "expected_revenue", currency),
            "without the days at both ends": _sums(
                within(pool, add_days(first, 1), add_days(last, -1)), "expected_revenue", currency
            ),
            "whatever the close date": _sums(pool, "expected_revenue", currency),
        }
        kept = _different(right, wrong, 4)
        if len(found) >= 2 and kept is not None and any(row["expected_revenue"] for row in found):
            break
    else:
        raise SpecError("this world has no owner whose open deals can be told apart by close date")
    name = picks.person(world, owner)["name"]
    ids = {row["id"] for row in found}
    return Draft(
        instruction=f"How many open opportunities in {currency} does {name} own that close from {long_date(first)} to "
        f"{long_date(last)}, both days included, and what is their total expected revenue in {currency}? An "
        "opportunity without an amount counts, and adds nothing.",
        person_id=picks.administrator(world),
        expectation=_summed(found, "expected_revenue", currency),
        oracle=(
            query(
                object="opportunity",
                filter=[
                    {"field": "close_date", "op": "gte", "value": first},
                    {"field": "close_date", "op": "lte", "value": last},
                ],
                limit=200,
            ),
        ),
        submission=Submission(answer=right),
        wrong_answers=kept,
        distractors=(
            picks.distract("of other days or owners", "crm_opportunity", [r for r in rows if r["id"] not in ids]),
        ),
    )
