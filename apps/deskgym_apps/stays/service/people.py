"""Who acts, and what people see of each other."""

from __future__ import annotations

import json
from typing import Any

from ...kit.call import Context
from ...kit.dates import local_date
from ...kit.errors import Forbidden, Invalid, NotFound
from ...kit.money import plain_amount
from ...kit.operations import query
from ...kit.roles import Row


class DatesTaken(Invalid):
    """Somebody else has the nights (STAY-1). Nothing was charged."""

    code = "dates_taken"
    status = 409


class PaymentDeclined(Invalid):
    """The card said no (STAY-11). Nothing was booked or charged."""

    code = "payment_declined"


class PolicyRefusal(Invalid):
    """A rule of the stay forbids it, whoever asks."""

    code = "policy"


def me(ctx: Context) -> Row:
    """The acting person's row of stays_user. Raises Forbidden for somebody who is not on Harbourstay."""
    row = ctx.store.get("stays_user", ctx.person_id)
    if row is None:
        raise Forbidden("you have no account on Harbourstay")
    return row


def toucher(ctx: Context) -> str | None:
    """Who changed a row last: NULL where a job did."""
    return None if ctx.channel == "job" else ctx.person_id


def money(minor: int, currency: str) -> dict[str, str]:
    """`{amount, currency}`: decimal text in major units."""
    return {"amount": plain_amount(minor, currency), "currency": currency}


def name_of(user: Row) -> str:
    return f"{user['first_name']} {user['last_name']}"


def person(ctx: Context, user_id: str) -> dict[str, Any]:
    """What others see of somebody."""
    row = ctx.store.get("stays_user", user_id)
    if row is None:
        raise NotFound(f"there is no person {user_id}")
    return {
        "id": row["id"],
        "name": name_of(row),
        "first_name": row["first_name"],
        "country": row["country"],
        "languages": json.loads(row["languages"]),
        "about": row["about"],
        "is_superhost": bool(row["is_superhost"]),
        "is_verified": bool(row["is_verified"]),
        "joined_on": row["joined_on"],
        "response_rate_percent": None if row["response_rate_bp"] is None else row["response_rate_bp"] // 100,
        "response_minutes": row["response_minutes"],
    }


@query("stays")
def whoami(ctx: Context) -> dict[str, Any]:
    """Who acts, with zone, currency, unread threads, credit that is left, cards and the instant."""
    from .credit import credit_left
    from .threads import unread_count

    row = me(ctx)
    found = person(ctx, row["id"])
    return found | {
        "email": row["email"],
        "is_host": bool(row["is_host"]),
        "tz": row["tz"],
        "display_currency": row["display_currency"],
        "now": ctx.now,
        "today": local_date(ctx.now, row["tz"]),
        "unread_threads": unread_count(ctx),
        "credit": money(credit_left(ctx, row["id"], row["display_currency"]), row["display_currency"]),
        "payment_methods": payment_methods(ctx)["rows"],
    }


@query("stays")
def payment_methods(ctx: Context) -> dict[str, Any]:
    """Own cards: id, brand, last4, expiry, is_default, is_expired. Default first."""
    rows = ctx.store.all(
        "SELECT id, brand, last4, exp_month, exp_year, is_default FROM stays_payment_method WHERE user_id = ? "
        "ORDER BY is_default DESC, brand, last4, id",
        (me(ctx)["id"],),
    )
    for row in rows:
        row["is_default"] = bool(row["is_default"])
        row["is_expired"] = is_expired(row, ctx.now)
        row["label"] = f"{row['brand']} ending {row['last4']}"
    return {"rows": rows, "total": len(rows)}


def is_expired(card: Row, now: str) -> bool:
    """Whether a card's last month is over (STAY-11)."""
    return f"{card['exp_year']:04d}-{card['exp_month']:02d}" < now[:7]
