"""Credit of a guest: after a host's cancellation, or a gift."""

from __future__ import annotations

from ...kit.call import Context
from ..rules_prices import converted, rate_between
from .rates import corporate_rates

_OPEN = (
    "SELECT c.id, c.currency, c.amount - coalesce((SELECT sum(u.amount) FROM stays_credit_use u "
    "WHERE u.credit_id = c.id), 0) AS left FROM stays_credit c WHERE c.user_id = ? AND c.expires_on >= ? "
    "ORDER BY c.expires_on, c.id"
)
_USED = (
    "SELECT u.credit_id, u.amount, c.currency FROM stays_credit_use u JOIN stays_credit c ON c.id = u.credit_id "
    "WHERE u.reservation_id = ? ORDER BY c.expires_on DESC, c.id DESC"
)


def open_credits(ctx: Context, user_id: str) -> list[tuple[str, str, int]]:
    """Credits with something left, the first to expire first: id, currency, minor units left."""
    rows = ctx.store.all(_OPEN, (user_id, ctx.now[:10]))
    return [(row["id"], row["currency"], row["left"]) for row in rows if row["left"] > 0]


def credit_left(ctx: Context, user_id: str, currency: str) -> int:
    """All that is left, in minor units of a currency."""
    rates = corporate_rates(ctx)
    return sum(
        converted(left, code, currency, rate_between(code, currency, rates))
        for _, code, left in open_credits(ctx, user_id)
    )


def return_credit(ctx: Context, reservation_id: str, currency: str, amount: int) -> None:
    """Give back an amount (minor units of `currency`) of what a reservation used, the last to expire first."""
    rates = corporate_rates(ctx)
    for use in ctx.store.all(_USED, (reservation_id,)):
        if amount <= 0:
            return
        key, code = (use["credit_id"], reservation_id), use["currency"]
        worth = converted(use["amount"], code, currency, rate_between(code, currency, rates))
        part = converted(amount, currency, code, rate_between(currency, code, rates))
        if worth <= amount or part >= use["amount"]:
            ctx.delete("stays_credit_use", key)
        elif part:
            ctx.update("stays_credit_use", key, {"amount": use["amount"] - part})
        amount -= min(worth, amount)


def use_credit(ctx: Context, user_id: str, reservation_id: str, currency: str, amount: int) -> None:
    """Take an amount (minor units of `currency`) from the credits, the first to expire first."""
    rates = corporate_rates(ctx)
    for credit_id, code, left in open_credits(ctx, user_id):
        if amount <= 0:
            return
        worth = converted(left, code, currency, rate_between(code, currency, rates))
        part = (
            left
            if worth <= amount
            else min(left, converted(amount, currency, code, rate_between(currency, code, rates)))
        )
        amount -= min(worth, amount)
        if part > 0:
            row = {"credit_id": credit_id, "reservation_id": reservation_id, "amount": part, "used_at": ctx.now}
            ctx.insert("stays_credit_use", row)
