"""Questions that a report answers: by fiscal quarter and in one currency, and with a cross filter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from deskgym_apps.kit.dates import add_days, fiscal_quarter, long_date
from deskgym_apps.kit.money import exponent, format_amount
from deskgym_apps.kit.store import Store
from deskgym_graders.codec import SpecError
from deskgym_graders.comparators import Comparator, DateEq, Eq, Money, TextEq
from deskgym_graders.expected import answer_spec
from deskgym_graders.spec import Call, Draft, Expectation, Submission, Variant
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from ..per_world import per_world
from . import picks
from .picks import Row

_TRIES = 300
_REGIONS = ("AMER", "EMEA", "APAC")
_QUARTER_DAYS = 91
_COUNTS = {2: "two", 3: "three", 4: "four"}


# Rates, as the rule says: the latest one by the close date, before the first one the first


@per_world
def _rates(world: Store) -> dict[str, list[tuple[str, int]]]:
    found: dict[str, list[tuple[str, int]]] = {}
    for row in world.select("org_fx_rate"):
        found.setdefault(str(row["code"]), []).append((str(row["valid_from"]), int(row["rate_ppm"])))
    return {code: sorted(rates) for code, rates in found.items()}


def rate_on(world: Store, code: str, day: str) -> int:
    """Corporate units per unit of a currency x 1e6 on a day."""
    if code == _meta(world, "corp_currency"):
        return 1_000_000
    rates = _rates(world)[code]
    return [rate for since, rate in rates if since <= day][-1] if rates[0][0] <= day else rates[0][1]


def _meta(world: Store, key: str) -> str:
    row = world.get("org_meta", (key,))
    if row is None:
        raise SpecError(f"this world has no {key}")
    return str(row["value"])


def converted(world: Store, row: Row, target: str, day: str | None = None) -> int:
    """A deal's amount in minor units of another currency, at the rate of its close date or of another day."""
    code, on = str(row["currency"]), day or str(row["close_date"])
    if code == target or row["amount"] is None:
        return int(row["amount"] or 0)
    value = Decimal(row["amount"]).scaleb(exponent(target) - exponent(code))
    value = value * rate_on(world, code, on) / rate_on(world, target, on)
    return int(value.quantize(Decimal(1), rounding=ROUND_HALF_UP))


# Who won most in a fiscal quarter


@dataclass(frozen=True)
class _Quarter:
    """Deals won from a day to another, of at least an amount in their own currency; what is left out."""

    day: str
    spans: int
    first: str
    last: str
    region: str
    trades: tuple[str, ...]
    without: str
    least: int

    def rows(self, world: Store, **other: Any) -> list[Row]:
        """The deals meant; `other` values mean others."""
        first, last = other.get("first", self.first), other.get("last", self.last)
        region, least = other.get("region", self.region), other.get("least", self.least)
        trades = other.get("trades", self.trades)
        accounts = picks.accounts_by_id(world)
        stages = picks.stages(world)
        wanted = other.get("won", True)
        found = []
        for row in picks.deals(world, is_open=False):
            account = accounts.get(str(row["account_id"]), {})
            is_out = account.get("region") == region or account.get("industry") in trades
            is_out = is_out or row["owner_id"] == other.get("without", self.without)
            is_won = bool(stages[row["stage"]]["is_won"]) or not wanted
            if not is_out and is_won and first <= row["close_date"] <= last and _major(row) >= least:
                found.append(row)
        return found


def _major(row: Row) -> Decimal:
    return Decimal(row["amount"] or 0).scaleb(-exponent(str(row["currency"])))


def _leader(world: Store, rows: Iterable[Row], target: str, day: str | None = None) -> dict[str, Any] | None:
    """Who owns most of the deals by amount, how much, of how many; None where two are level."""
    found, sums = list(rows), dict[str, tuple[int, int]]()
    for row in found:
        total, count = sums.get(str(row["owner_id"]), (0, 0))
        sums[str(row["owner_id"])] = total + converted(world, row, target, day), count + 1
    ranked = sorted(sums.items(), key=lambda item: (-item[1][0], item[0]))
    if not ranked or (len(ranked) > 1 and ranked[0][1][0] == ranked[1][1][0]):
        return None
    owner, (total, count) = ranked[0]
    name, whole = picks.person(world, owner)["name"], sum(full for full, _ in sums.values())
    best = _best_quarter(world, [row for row in found if row["owner_id"] == owner], target)
    if best is None:
        return None
    own = {"owner": name, "amount": format_amount(total, target), "deals": count, "best_quarter": best}
    return own | {"total": format_amount(whole, target), "currency": target}


def _best_quarter(world: Store, rows: Iterable[Row], target: str) -> str | None:
    """The first day of the fiscal quarter in which the deals brought in most; None where two are level."""
    sums: dict[str, int] = {}
    for row in rows:
        first = fiscal_quarter(str(row["close_date"]), int(_meta(world, "fiscal_start_month")))[0]
        sums[first] = sums.get(first, 0) + converted(world, row, target)
    ranked = sorted(sums, key=lambda first: (-sums[first], first))
    return None if len(ranked) > 1 and sums[ranked[0]] == sums[ranked[1]] else ranked[0]


def _quarters(world: Store, stream: Stream, today: str) -> Iterator[_Quarter]:
    month = int(_meta(world, "fiscal_start_month"))
    sellers = picks.named_once(world, "org_person", picks.sellers(world))
    for _ in range(_TRIES):
        day = add_days(today, -stream.uniform_int(1, 5 * _QUARTER_DAYS))
        last, spans = fiscal_quarter(day, month)[1], stream.uniform_int(2, 4)
        first = _quarters_before(fiscal_quarter(day, month)[0], spans - 1, month)
        trades = tuple(sorted(stream.sample(_trades(world), 2)))
        without = str(stream.choice(sellers)["id"])
        yield _Quarter(
            day, spans, first, last, stream.choice(_REGIONS), trades, without, 100 * stream.uniform_int(5, 120)
        )


@per_world
def _trades(world: Store) -> list[str]:
    """Industries of accounts."""
    return sorted({str(row["industry"]) for row in picks.live(world, "crm_account") if row["industry"]})


def _quarters_before(first: str, count: int, month: int) -> str:
    """The first day of the fiscal quarter so many before the one that begins on a day."""
    for _ in range(count):
        first = fiscal_quarter(add_days(first, -1), month)[0]
    return first


def _wrong_leaders(world: Store, asked: _Quarter, target: str, today: str) -> dict[str, Any]:
    month = int(_meta(world, "fiscal_start_month"))
    start, end = fiscal_quarter(asked.day, 1)
    calendar = _quarters_before(start, asked.spans - 1, 1), end
    readings = {
        "calendar quarters": asked.rows(world, first=calendar[0], last=calendar[1]),
        "a quarter too many": asked.rows(world, first=_quarters_before(asked.first, 1, month)),
        "up to that day": asked.rows(world, last=asked.day),
        "lost ones too": asked.rows(world, won=False),
        "smaller ones too": asked.rows(world, least=0),
        "every region": asked.rows(world, region="nowhere"),
        "every trade": asked.rows(world, trades=()),
        "of every owner": asked.rows(world, without=""),
    }
    found = {name: _leader(world, rows, target) for name, rows in readings.items()}
    found["at today's rates"] = _leader(world, asked.rows(world), target, today)
    return {name: answer for name, answer in found.items() if answer is not None}


@template("crm/quarter-leader", kind="answer", level=3)
def quarter_leader(world: Store, stream: Stream) -> Draft:
    """Find who won most in some fiscal quarters, and in which of them, converted at the rates of the close dates."""
    person = picks.person(world, picks.administrator(world))
    target, today = str(person["currency"]), picks.today(world, person["id"])
    must = {"calendar quarters", "at today's rates", "every region"}
    for asked in _quarters(world, stream, today):
        rows = asked.rows(world)
        right = _leader(world, rows, target)
        if right is None or len({row["owner_id"] for row in rows}) < 2 or len({row["currency"] for row in rows}) < 2:
            continue
        kept = picks.told_apart(right, _wrong_leaders(world, asked, target, today))
        if set(kept) >= must and len(kept) >= 5:
            return _leader_draft(world, person, asked, right, kept)
    raise SpecError("this world has no fiscal quarter that can be told apart from the others")


def _leader_draft(world: Store, person: Row, asked: _Quarter, right: dict[str, Any], kept: dict[str, Any]) -> Draft:
    target, rows = str(person["currency"]), asked.rows(world)
    winner = next(row for row in rows if picks.person(world, str(row["owner_id"]))["name"] == right["owner"])
    total = sum(converted(world, row, target) for row in rows if row["owner_id"] == winner["owner_id"])
    fields: dict[str, Comparator] = {
        "owner": TextEq(right["owner"]),
        "amount": Money(total, target),
        "deals": Eq(right["deals"]),
        "best_quarter": DateEq(right["best_quarter"]),
        "total": Money(sum(converted(world, row, target) for row in rows), target),
        "currency": Eq(target),
    }
    titles = {
        "owner": "Full name of the owner",
        "amount": "Total of the amounts of the owner's deals",
        "deals": "How many deals of the owner",
        "best_quarter": "First day of the fiscal quarter in which the owner's deals brought in most",
        "total": "Total of the amounts of all owners' deals",
        "currency": "ISO code of the currency",
    }
    spec = {
        "object": "opportunity",
        "filters": [
            {"field": "is_won", "op": "equals", "value": True},
            {"field": "account.region", "op": "not_equal", "value": asked.region},
            {"field": "account.industry", "op": "not_in", "value": list(asked.trades)},
            {"field": "owner_id", "op": "not_equal", "value": asked.without},
            {"field": "amount", "op": "gte", "value": str(asked.least)},
        ],
        "date_field": "close_date",
        "date_range": {"first": asked.first, "last": asked.last},
        "rows": [{"field": "owner_id"}],
        "across": [{"field": "close_date", "by": "fiscal_quarter"}],
        "measures": ["count", "sum:amount"],
        "group_order": {"by": "sum:amount", "direction": "desc"},
    }
    ids = {row["id"] for row in rows}
    return Draft(
        instruction=f"Whose deals brought in most in the {_COUNTS[asked.spans]} fiscal quarters of which the last is "
        f"the one that {long_date(asked.day)} lies in? Take the opportunities that are Closed Won with a close date in "
        f"these fiscal quarters and an amount of at least {asked.least:,}, whichever the currency, but leave out those "
        f"of accounts in the region {asked.region}, of accounts in the industries {asked.trades[0]} and "
        f"{asked.trades[1]}, and those that {picks.person(world, asked.without)['name']} owns. Compare the owners by "
        f"the sum of the amounts in {target}, each deal converted at the exchange rate of its close date and rounded "
        "by itself. Hand in the owner, this sum, of how many deals it is, the first day of the fiscal quarter in which "
        "this owner's deals brought in most, and the sum over all owners.",
        person_id=person["id"],
        expectation=Expectation(answer=answer_spec(fields, titles)),
        oracle=(Call("crm_run_report", {"spec": spec}),),
        submission=Submission(answer=right),
        variants=(
            Variant("read deal by deal", tuple(Call("crm_get", {"id": row["id"]}) for row in rows)),
            Variant("calendar quarters", (), Submission(answer=kept["calendar quarters"]), "ANSWER_WRONG"),
        ),
        wrong_answers=kept,
        distractors=(
            picks.distract(
                "closed deals of other quarters and regions",
                "crm_opportunity",
                [row for row in picks.deals(world, is_open=False) if row["id"] not in ids],
            ),
        ),
    )


# Accounts with lost deals


@dataclass(frozen=True)
class _Lost:
    """Accounts with a lost deal of at least an amount, to close from a day on; without some."""

    owner: str
    region: str
    trades: tuple[str, ...]
    since: str
    least: int

    def deals(self, world: Store, lost: bool = True) -> list[Row]:
        """The deals that count, or those with other outcomes too."""
        rows = picks.deals(world, is_open=False) if lost else picks.live(world, "crm_opportunity")
        stages = picks.stages(world)
        return [
            row
            for row in rows
            if row["close_date"] >= self.since
            and _major(row) >= self.least
            and not (lost and stages[row["stage"]]["is_won"])
        ]

    def accounts(self, world: Store, ids: Iterable[Any]) -> list[Row]:
        """The accounts among these ids that are not left out."""
        known = picks.accounts_by_id(world)
        found = [known[str(one)] for one in sorted({str(one) for one in ids if one is not None}) if str(one) in known]
        return [row for row in found if self.takes(row)]

    def takes(self, row: Row) -> bool:
        """Whether an account is not left out."""
        return row["owner_id"] != self.owner and row["region"] != self.region and row["industry"] not in self.trades


def _told(rows: Iterable[Row]) -> dict[str, int]:
    found = list(rows)
    return {"accounts": len(found), "employees": sum(int(row["employees"] or 0) for row in found)}


def _wrong_accounts(world: Store, asked: _Lost) -> dict[str, dict[str, int]]:
    known, deals = picks.accounts_by_id(world), asked.deals(world)
    each = [known[str(row["account_id"])] for row in deals if str(row["account_id"]) in known]
    ours = [row for row in each if asked.takes(row)]
    with_lost = asked.accounts(world, (row["account_id"] for row in deals))
    every = asked.accounts(world, known)
    left = [row for row in every if row["id"] not in {one["id"] for one in with_lost}]
    ever = replace(asked, since="0001-01-01")
    return {
        "an account for each deal": _told(ours),
        "accounts without such a deal": _told(left),
        "all but those left out": _told(every),
        "whatever became of the deal": _told(
            asked.accounts(world, (row["account_id"] for row in asked.deals(world, lost=False)))
        ),
        "smaller deals too": _told(
            asked.accounts(world, (row["account_id"] for row in replace(asked, least=0).deals(world)))
        ),
        "at any time": _told(asked.accounts(world, (row["account_id"] for row in ever.deals(world)))),
        "of every region": _told(
            [known[one] for one in sorted({str(row["account_id"]) for row in deals}) if one in known]
        ),
    }


_TRADES = 4
_ACCOUNTS = 10  # of few accounts there are few sets, and a guess would often be right


@template("crm/lost-accounts", kind="answer", level=3, revision=2)
def lost_accounts(world: Store, stream: Stream) -> Draft:
    """Count accounts, not deals: those of a region that lost us a deal of some size, and who works there."""
    person = picks.person(world, picks.administrator(world))
    today = picks.today(world, person["id"])
    must = {"an account for each deal", "accounts without such a deal", "of every region"}
    held = {str(row["owner_id"]) for row in picks.live(world, "crm_account")}
    owners = picks.named_once(world, "org_person", [picks.person(world, one) for one in sorted(held)])
    for _ in range(_TRIES):
        since = add_days(today, -stream.uniform_int(120, 900))
        owner = str(stream.choice(owners)["id"])
        trades = tuple(sorted(stream.sample(_trades(world), _TRADES)))
        asked = _Lost(owner, stream.choice(_REGIONS), trades, since, 250 * stream.uniform_int(2, 120))
        found = asked.accounts(world, (row["account_id"] for row in asked.deals(world)))
        right = _told(found)
        kept = picks.told_apart(right, _wrong_accounts(world, asked))
        if len(found) >= _ACCOUNTS and right["employees"] and set(kept) >= must and len(kept) >= 6:
            return _lost_draft(world, person, asked, found, kept)
    raise SpecError("this world has no accounts with lost deals that can be told apart")


def _lost_draft(world: Store, person: Row, asked: _Lost, found: list[Row], kept: dict[str, dict[str, int]]) -> Draft:
    right = _told(found)
    spec = {
        "object": "account",
        "filters": [
            {"field": "owner_id", "op": "not_equal", "value": asked.owner},
            {"field": "region", "op": "not_equal", "value": asked.region},
            {"field": "industry", "op": "not_in", "value": list(asked.trades)},
        ],
        "cross_filter": {
            "object": "opportunity",
            "has": True,
            "filters": [
                {"field": "stage", "op": "equals", "value": "Closed Lost"},
                {"field": "amount", "op": "gte", "value": str(asked.least)},
                {"field": "close_date", "op": "gte", "value": asked.since},
            ],
        },
        "rows": [{"field": "region"}],
        "measures": ["count", "sum:employees"],
    }
    ids = {row["id"] for row in found}
    fields: dict[str, Comparator] = {"accounts": Eq(right["accounts"]), "employees": Eq(right["employees"])}
    return Draft(
        instruction=f"How many accounts have at least one opportunity that is Closed Lost, has an amount of at least "
        f"{asked.least:,}, whichever the currency, and a close date on or after {long_date(asked.since)}? Leave out "
        f"accounts in the region {asked.region}, accounts in the industries {', '.join(asked.trades[:-1])} and "
        f"{asked.trades[-1]}, "
        f"and those that {picks.person(world, asked.owner)['name']} owns. And how many employees do these accounts "
        "have together, as far as we know? An account counts once, however many such opportunities it has.",
        person_id=person["id"],
        expectation=Expectation(
            answer=answer_spec(fields, {"accounts": "How many accounts", "employees": "Their employees together"})
        ),
        oracle=(Call("crm_run_report", {"spec": spec}),),
        submission=Submission(answer=right),
        variants=(
            Variant("read account by account", tuple(Call("crm_get", {"id": row["id"]}) for row in found)),
            Variant("counted by deal", (), Submission(answer=kept["an account for each deal"]), "ANSWER_WRONG"),
        ),
        wrong_answers=kept,
        distractors=(
            picks.distract(
                "accounts without such a deal",
                "crm_account",
                [row for row in picks.live(world, "crm_account") if row["id"] not in ids],
            ),
        ),
    )
