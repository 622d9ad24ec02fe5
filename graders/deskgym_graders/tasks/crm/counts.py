"""Questions: what is counted, summed and named by reading alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from deskgym_apps.kit.dates import add_days, long_date
from deskgym_apps.kit.money import format_amount, plain_amount
from deskgym_apps.kit.store import Store
from deskgym_graders.codec import SpecError
from deskgym_graders.comparators import Comparator, Eq, Money
from deskgym_graders.expected import answer_spec
from deskgym_graders.spec import Call, Draft, Expectation, Submission, Variant
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from ..per_world import per_world
from . import picks
from .picks import Row

_TRIES = 400
_FOUND = 5
_EVER = ("0001-01-01", "9999-12-31")
_APART = 6  # of eight wrong procedures, and the following among them
_MUST = {"gross instead of expected", "of every owner", "smaller ones too", "larger ones too"}
_MUCH = 10**12
_TITLES = {
    "count": "How many opportunities",
    "amount": "Total, in major units",
    "currency": "ISO code of the currency",
    "accounts": "How many accounts",
}


def _sums(rows: Iterable[Row], column: str, currency: str) -> dict[str, Any]:
    found = list(rows)
    total = sum(row[column] or 0 for row in found)
    return {"count": len(found), "amount": format_amount(total, currency), "currency": currency}


def _summed(rows: Sequence[Row], column: str, currency: str, accounts: int) -> Expectation:
    total = sum(row[column] or 0 for row in rows)
    fields: dict[str, Comparator] = {"count": Eq(len(rows)), "amount": Money(total, currency), "currency": Eq(currency)}
    return Expectation(answer=answer_spec(fields | {"accounts": Eq(accounts)}, _TITLES))


def query(**args: Any) -> Call:
    """A list as an agent would read it."""
    return Call("crm_query", args)


@dataclass(frozen=True)
class _Asked:
    """A question about open deals: in which currency, from which amount on up to which, closing when, without whose."""

    currency: str
    least: int
    below: int
    first: str
    last: str
    without: str | None

    def rows(self, some: Iterable[Row], **other: Any) -> list[Row]:
        """The rows asked for; `other` values ask for others."""
        least, below = other.get("least", self.least), other.get("below", self.below)
        without = other.get("without", self.without)
        first, last = other.get("first", self.first), other.get("last", self.last)
        return [
            row
            for row in some
            if row["currency"] == self.currency
            and row["owner_id"] != without
            and least <= (row["amount"] or 0) < below
            and first <= row["close_date"] <= last
        ]


@per_world
def _pools(world: Store) -> list[tuple[tuple[_Asked, list[str], list[int]], int]]:
    """Currency and owner to leave out, days and amounts of such deals, by the number of questions."""
    rows = picks.deals(world, is_open=True)
    pools = []
    for currency, without in sorted({(str(row["currency"]), str(row["owner_id"])) for row in rows}):
        asked = _Asked(currency, 0, _MUCH, *_EVER, without)
        found = asked.rows(rows)
        days = sorted({str(row["close_date"]) for row in found})
        amounts = sorted({int(row["amount"]) // 100 * 100 for row in found if row["amount"]})
        pools.append(((asked, days, amounts), (len(days) - 1) ** 2 * max(0, len(amounts) - _FOUND) ** 2))
    return [(pool, questions) for pool, questions in pools if questions]


def _questions(world: Store, stream: Stream) -> Iterator[_Asked]:
    """Questions with several owners, days and amounts to tell apart."""
    pools = _pools(world)
    for _ in range(_TRIES if pools else 0):
        asked, days, amounts = stream.weighted(pools)
        first, last = sorted(stream.sample(days, 2))
        last = add_days(last, -1) if stream.chance(500) else last
        least, below = sorted(stream.sample(amounts, 2))
        yield replace(asked, least=least, below=below, first=first, last=last)


def _slips(rows: Sequence[Row], everything: Sequence[Row], asked: _Asked) -> dict[str, dict[str, Any]]:
    """What comes of plausible wrong procedures."""
    inner = {"first": add_days(asked.first, 1), "last": add_days(asked.last, -1)}
    found = {
        "closed ones too": asked.rows(everything),
        "of every owner": asked.rows(rows, without=None),
        "without the days at both ends": asked.rows(rows, **inner),
        "whatever the close date": asked.rows(rows, first=_EVER[0], last=_EVER[1]),
        "smaller ones too": asked.rows(rows, least=0),
        "larger ones too": asked.rows(rows, below=_MUCH),
        "without the smallest": sorted(asked.rows(rows), key=lambda row: int(row["amount"]))[1:],
    }
    return {name: _sums(some, "expected_revenue", asked.currency) for name, some in found.items()} | {
        "gross instead of expected": _sums(asked.rows(rows), "amount", asked.currency)
    }


def _owner_of_accounts(world: Store, stream: Stream, without: str | None) -> tuple[Row, int]:
    """A colleague who owns some accounts, and how many."""
    owned = Counter(row["owner_id"] for row in picks.live(world, "crm_account") if row["owner_id"] != without)
    people = picks.named_once(world, "org_person", [picks.person(world, owner) for owner in sorted(owned)])
    chosen = picks.draw(stream, people, "owner of accounts")
    return chosen, owned[chosen["id"]]


@template("crm/open-expected", kind="answer", level=2, revision=3)
def open_expected(world: Store, stream: Stream) -> Draft:
    """Count and add up the middling open deals that close in a span of days; count the accounts of a colleague."""
    everything, rows = picks.live(world, "crm_opportunity"), picks.deals(world, is_open=True)
    for asked in _questions(world, stream):
        found = asked.rows(rows)
        right = _sums(found, "expected_revenue", asked.currency)
        kept = picks.told_apart(right, _slips(rows, everything, asked))
        if len(found) >= _FOUND and len(kept) >= _APART and set(kept) >= _MUST:
            break
    else:
        raise SpecError("this world has no open deals that can be told apart by close date, amount and owner")
    keeper, accounts = _owner_of_accounts(world, stream, asked.without)
    right, kept = (
        {**right, "accounts": accounts},
        {slip: {**sums, "accounts": accounts} for slip, sums in kept.items()},
    )
    kept["the accounts of everybody"] = right | {"accounts": len(picks.live(world, "crm_account"))}
    name = picks.person(world, str(asked.without))["name"]
    low, high = (f"{format_amount(minor, asked.currency)} {asked.currency}" for minor in (asked.least, asked.below))
    ids = {row["id"] for row in found}
    plain = plain_amount(sum(row["expected_revenue"] or 0 for row in found), asked.currency)
    return Draft(
        instruction=f"How many open opportunities of {low} or more, but less than {high}, close from "
        f"{long_date(asked.first)} to {long_date(asked.last)}, both days included, and what is their total expected "
        f"revenue in {asked.currency}? Count only those in {asked.currency}, and leave out those that {name} owns. "
        f"How many accounts, too, does {keeper['name']} own?",
        person_id=picks.administrator(world),
        expectation=_summed(found, "expected_revenue", asked.currency, accounts),
        oracle=(
            query(object="opportunity", filter=_span("close_date", asked.first, asked.last), limit=200),
            query(object="account", filter=[{"field": "owner_id", "op": "eq", "value": keeper["id"]}], limit=200),
        ),
        submission=Submission(answer=right),
        variants=(
            Variant("read deal by deal", tuple(Call("crm_get", {"id": row["id"]}) for row in found)),
            Variant("the total as a plain number", (), Submission(answer=right | {"amount": plain})),
            Variant("summed gross", (), Submission(answer=kept["gross instead of expected"]), "ANSWER_WRONG"),
        ),
        wrong_answers=kept,
        distractors=(
            picks.distract("of other days or owners", "crm_opportunity", [r for r in rows if r["id"] not in ids]),
        ),
    )


def _span(field: str, first: str, last: str) -> list[dict[str, str]]:
    return [{"field": field, "op": "gte", "value": first}, {"field": field, "op": "lte", "value": last}]
