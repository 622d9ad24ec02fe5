"""Sums of money over many rows: exact by currency, and one total in the viewer's currency (CRM-1, X-3)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from ...kit.call import Context
from ...kit.money import convert, plain_amount
from .selection import Selection


def rates(ctx: Context) -> dict[str, int]:
    """Corporate units per unit x 1e6, by currency, as of the simulated instant."""
    latest = "SELECT code, rate_ppm, max(valid_from) FROM org_fx_rate WHERE valid_from <= ? GROUP BY code ORDER BY code"
    found = {code: int(rate) for code, rate, _ in ctx.conn.execute(latest, (ctx.now[:10],)).fetchall()}
    return {ctx.store.meta("corp_currency"): 1_000_000} | found


def money_shown(selection: Selection) -> tuple[str, str]:
    """SQL of the sums of amount and expected revenue of deals; NULL for what the profile hides."""
    names = set(selection.names())
    amount = "sum(t.amount)" if "amount" in names else "NULL"
    expected = "sum(t.expected_revenue)" if {"amount", "expected_revenue"} <= names else "NULL"
    return amount, expected


class Totals:
    """Sums in one query: the rates are read once, where they are needed."""

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx

    @cached_property
    def _rates(self) -> dict[str, int]:
        return rates(self.ctx)

    def of(self, minor_by_currency: Mapping[str, int]) -> dict[str, Any]:
        """`{amounts, total, currency, approximate}`: amounts by currency, the total in the viewer's or the only one.

        A total over several currencies is converted, each subtotal once, and flagged approximate; it is None where
        a rate is missing.
        """
        codes, own = sorted(minor_by_currency), self.ctx.person["currency"]
        amounts = [{"amount": plain_amount(minor_by_currency[code], code), "currency": code} for code in codes]
        if len(codes) <= 1:
            code = codes[0] if codes else own
            total = plain_amount(minor_by_currency.get(code, 0), code)
            return {"amounts": amounts, "total": total, "currency": code, "approximate": False}
        if not {own, *codes} <= set(self._rates):
            return {"amounts": amounts, "total": None, "currency": own, "approximate": True}
        converted = sum(convert(minor, code, own, self._rates) for code, minor in minor_by_currency.items())
        return {"amounts": amounts, "total": plain_amount(converted, own), "currency": own, "approximate": True}
