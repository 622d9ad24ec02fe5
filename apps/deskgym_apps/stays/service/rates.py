"""Exchange rates of a day."""

from __future__ import annotations

from collections.abc import Mapping

from ...kit.call import Context
from ...kit.errors import Invalid
from ..rules_prices import rate_between

_RATE = "SELECT rate_ppm FROM org_fx_rate f WHERE f.code = c.code"
_RATES = (
    f"SELECT c.code, coalesce(({_RATE} AND f.valid_from <= ? ORDER BY f.valid_from DESC LIMIT 1), "
    f"({_RATE} ORDER BY f.valid_from LIMIT 1)) FROM org_currency c ORDER BY c.code"
)


def corporate_rates(ctx: Context) -> Mapping[str, int]:
    """Corporate units for one of each currency, x 1e6, as they hold on the simulated day."""
    found = {code: ppm for code, ppm in ctx.conn.execute(_RATES, (ctx.now[:10],)) if ppm is not None}
    return found | {ctx.store.meta("corp_currency"): 1_000_000}


def rate(ctx: Context, source: str, target: str) -> int:
    """Units of `target` for one of `source`, x 1e6. Raises Invalid for a currency without a rate."""
    rates = corporate_rates(ctx)
    if target not in rates:
        known = sorted(rates)
        raise Invalid(
            f'there is no rate for "{target}"; use one of {", ".join(known)}', field="currency", allowed=known
        )
    return rate_between(source, target, rates)
