"""Exchange rates of a day."""

from __future__ import annotations

from collections.abc import Mapping

from ...kit.call import Context
from ...kit.errors import Invalid
from ..rules_prices import rate_between


def corporate_rates(ctx: Context) -> Mapping[str, int]:
    """Corporate units for one of each currency, x 1e6, as they hold on the simulated day."""
    sql = "SELECT code, rate_ppm FROM org_fx_rate WHERE valid_from <= ? ORDER BY code, valid_from"
    found = dict(ctx.conn.execute(sql, (ctx.now[:10],)).fetchall())
    first = "SELECT code, rate_ppm FROM org_fx_rate ORDER BY code, valid_from DESC"
    earliest = dict(ctx.conn.execute(first).fetchall())
    return earliest | found | {ctx.store.meta("corp_currency"): 1_000_000}


def rate(ctx: Context, source: str, target: str) -> int:
    """Units of `target` for one of `source`, x 1e6. Raises Invalid for a currency without a rate."""
    rates = corporate_rates(ctx)
    if target not in rates:
        known = sorted(rates)
        raise Invalid(
            f'there is no rate for "{target}"; use one of {", ".join(known)}', field="currency", allowed=known
        )
    return rate_between(source, target, rates)
