"""Rows that reports are tried on, and sums over them that use no service: plain arithmetic on the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from .fixture import ALDERCROFT, BRIGHTMOOR, DANA, LUIS, MEI, TERN, WES, World, opportunity

Row = dict[str, Any]
# name, owner, stage, account, amount in minor units, currency, close date, type
_DEALS: tuple[tuple[str, str, str, str, int | None, str, str, str | None], ...] = (
    ("Alpha", DANA, "Prospecting", ALDERCROFT, 1_000_050, "USD", "2031-01-31", "New Business"),
    ("Beta", DANA, "Closed Won", ALDERCROFT, 333_333, "EUR", "2031-02-01", "New Business"),
    ("Gamma", LUIS, "Closed Won", BRIGHTMOOR, 100_000, "JPY", "2031-02-14", None),
    ("Delta", LUIS, "Prospecting", BRIGHTMOOR, None, "EUR", "2031-03-10", None),
    ("Epsilon", WES, "Negotiation/Review", TERN, 2_500_001, "GBP", "2031-04-30", "Existing Business"),
    ("Zeta", WES, "Negotiation/Review", TERN, 777_777, "EUR", "2031-05-01", None),
    ("Eta", MEI, "Closed Won", TERN, 5_000, "USD", "2030-12-31", None),
)
_FIRST = 101
_COLUMNS = ("account_id", "amount", "currency", "close_date", "type")


def deal_rows() -> list[dict[str, Any]]:
    """Deals of four people in four currencies, one without an amount, on both sides of fiscal quarters."""
    return [
        opportunity(
            _FIRST + at,
            name,
            owner,
            stage,
            account_id=account,
            amount=amount,
            currency=currency,
            close_date=day,
            type=kind,
        )
        for at, (name, owner, stage, account, amount, currency, day, kind) in enumerate(_DEALS)
    ]


RATES = [
    {"code": "EUR", "valid_from": "2031-02-01", "rate_ppm": 1_234_567},
    {"code": "EUR", "valid_from": "2031-05-01", "rate_ppm": 1_050_001},
    {"code": "JPY", "valid_from": "2031-02-10", "rate_ppm": 7_777},
]
"""Rates besides those of the fixture, which hold from 1 January 2031."""


def all_deals(world: World) -> list[dict[str, Any]]:
    """Every live deal of the store."""
    return [dict(row) for row in world.store.select("crm_opportunity", is_deleted=0)]


def rate_on(world: World, code: str, day: str) -> int:
    """The rate of a currency on a day, read from the table."""
    if code == "USD":
        return 1_000_000
    rows = sorted((row["valid_from"], row["rate_ppm"]) for row in world.store.select("org_fx_rate", code=code))
    return int([rate for since, rate in rows if since <= day][-1] if rows[0][0] <= day else rows[0][1])


def in_usd(world: World, row: Mapping[str, Any]) -> int:
    """Cents of a deal's amount at the rate of its close date, half-up."""
    exponent = {"JPY": 0, "KWD": 3}.get(row["currency"], 2)
    value = Decimal(row["amount"]).scaleb(-exponent) * rate_on(world, row["currency"], row["close_date"]) / 1_000_000
    return int((value * 100).quantize(Decimal(1), rounding=ROUND_HALF_UP))


def money(minor: int) -> str:
    """Cents as decimal text."""
    return f"{Decimal(minor).scaleb(-2):.2f}"


def by(
    rows: Iterable[dict[str, Any]], key: Callable[[dict[str, Any]], Any]
) -> Iterator[tuple[Any, list[dict[str, Any]]]]:
    """Rows by a key, in the order of the keys."""
    found: dict[Any, list[Row]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    yield from sorted(found.items(), key=lambda item: (item[0] is None, item[0]))


def labels(answer: Mapping[str, Any], level: int = 1) -> list[str]:
    """The labels of the groups of a level, in order."""
    return [group["path"][-1]["label"] for group in answer["groups"] if group["level"] == level]


def figures(answer: Mapping[str, Any], *path: str) -> dict[str, Any]:
    """The figures of the group with those labels."""
    found = [group for group in answer["groups"] if [place["label"] for place in group["path"]] == list(path)]
    assert len(found) == 1, (path, [group["path"] for group in answer["groups"]])
    shown: dict[str, Any] = found[0]["figures"]
    return shown
