"""Sums of money over many rows: exact by currency, and one total in the viewer's currency (CRM-1, X-3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...kit.call import Context
from ...kit.money import convert, plain_amount


def rates(ctx: Context) -> dict[str, int]:
    """Corporate units per unit x 1e6, by currency, as of the simulated instant."""
    found = {
        row["code"]: int(row["rate_ppm"])
        for row in ctx.store.all(
            "SELECT code, rate_ppm FROM org_fx_rate WHERE valid_from <= ? ORDER BY code, valid_from", (ctx.now[:10],)
        )
    }
    return {ctx.store.meta("corp_currency"): 1_000_000} | found


def summed(ctx: Context, minor_by_currency: Mapping[str, int]) -> dict[str, Any]:
    """`{amounts, total, currency, approximate}`: amounts by currency, the total in the viewer's or the only currency.

    A total over several currencies is converted, each subtotal once, and flagged approximate.
    """
    amounts = [
        {"amount": plain_amount(minor, code), "currency": code} for code, minor in sorted(minor_by_currency.items())
    ]
    codes = sorted(minor_by_currency)
    if len(codes) <= 1:
        code = codes[0] if codes else ctx.person["currency"]
        total = minor_by_currency.get(code, 0)
        return {"amounts": amounts, "total": plain_amount(total, code), "currency": code, "approximate": False}
    own, known = ctx.person["currency"], rates(ctx)
    if not {own, *codes} <= set(known):
        return {"amounts": amounts, "total": None, "currency": own, "approximate": True}
    total = sum(convert(minor, code, own, known) for code, minor in minor_by_currency.items())
    return {"amounts": amounts, "total": plain_amount(total, own), "currency": own, "approximate": True}
