"""Cancelling by the guest (STAY-4) and by the host (STAY-5)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from ...kit.call import Context, check_version
from ...kit.dates import add_days, local_date
from ...kit.errors import Conflict, Invalid
from ...kit.money import exponent, plain_amount
from ...kit.operations import command
from ...kit.roles import Row
from ..rules_prices import share
from ..rules_refunds import Refund
from ..rules_stays import nights_between
from .access import Booking, booking
from .command_inputs import CancelInput
from .people import money, toucher
from .reservations import penalty_now, refund_now
from .stay_rows import free_nights, method_of, nightly_of, pay, schedule_payout, write_lines

CREDIT_BP = 1000
CREDIT_DAYS = 180


def check_echo(given: str | None, minor: int, currency: str, field: str, source: str) -> None:
    """A figure that must be given back as it was shown. Raises Invalid without one, Conflict for another one."""
    right = plain_amount(minor, currency)
    if given is None:
        raise Invalid(f"{field} is required: give the figure of {source} ({right} {currency} now)", field=field)
    if Decimal(given) != Decimal(minor).scaleb(-exponent(currency)):
        raise Conflict(f"{field} is {given}, but it is {right} {currency} now; look at {source}", field=field)


@command("stays")
def cancel(ctx: Context, values: CancelInput) -> dict[str, Any]:
    """Cancel a confirmed reservation. As guest, echo the refund of cancel_preview; as host, give a reason.

    A host's cancellation refunds everything, costs a penalty, closes the nights and leaves a note among the reviews.
    """
    found = booking(ctx, values.code)
    if values.row_version is not None:
        check_version(found.row, values.row_version)
    refund = refund_now(ctx, found)
    row = found.row
    if found.role == "guest":
        check_echo(values.confirm_refund, refund.refund, row["charge_currency"], "confirm_refund", "cancel_preview")
    elif not values.reason:
        raise Invalid("tell the guest the reason", field="reason")
    penalty = penalty_now(ctx, found)
    _cancelled(ctx, found, refund, values.reason)
    if found.role == "host":
        _host_pays(ctx, found, refund, penalty)
    return {
        "id": row["id"],
        "code": row["code"],
        "status": f"cancelled_{found.role}",
        "refund": money(refund.refund, row["charge_currency"]),
        "kept": money(refund.kept_total, row["charge_currency"]),
        **({"penalty": money(penalty[1], row["currency"])} if found.role == "host" else {}),
    }


def _cancelled(ctx: Context, found: Booking, refund: Refund, reason: str | None) -> None:
    row = found.row
    write_lines(ctx, row, refund.kept, nightly_of(ctx, row))
    free_nights(ctx, row)
    if refund.refund:
        pay(ctx, row, method_of(ctx, row["id"]), "refund", refund.refund, "cancelled")
    if refund.is_full:
        for use in ctx.store.all(
            "SELECT credit_id FROM stays_credit_use WHERE reservation_id = ? ORDER BY credit_id", (row["id"],)
        ):
            ctx.delete("stays_credit_use", (use["credit_id"], row["id"]))
    end_change(ctx, row["id"], "superseded")
    schedule_payout(ctx, row, found.listing, refund.gross)
    ctx.update(
        "stays_reservation",
        row["id"],
        {
            "status": f"cancelled_{found.role}",
            "total": refund.kept_total,
            "cancelled_at": ctx.now,
            "cancel_reason": reason or None,
        }
        | touch(ctx, row),
    )


def touch(ctx: Context, row: Row) -> dict[str, Any]:
    """What every change of a row sets besides."""
    return {"updated_at": ctx.now, "updated_by": toucher(ctx), "row_version": row["row_version"] + 1}


def end_change(ctx: Context, reservation_id: str, status: str) -> None:
    """End the change request that waits for an answer, if there is one."""
    pending = ctx.store.one(
        "SELECT id FROM stays_alteration WHERE reservation_id = ? AND status = 'pending' ORDER BY id", (reservation_id,)
    )
    if pending is not None:
        ctx.update("stays_alteration", pending["id"], {"status": status, "decided_at": ctx.now})


def _host_pays(ctx: Context, found: Booking, refund: Refund, penalty: tuple[int, int]) -> None:
    row, listing = found.row, found.listing
    ctx.insert(
        "stays_penalty",
        {
            "id": ctx.new_id("stays_penalty"),
            "reservation_id": row["id"],
            "host_id": listing["host_id"],
            "percent_bp": penalty[0],
            "amount": penalty[1],
            "currency": row["currency"],
            "created_at": ctx.now,
        },
    )
    credit = share(refund.refund, CREDIT_BP)
    if credit:
        ctx.insert(
            "stays_credit",
            {
                "id": ctx.new_id("stays_credit"),
                "user_id": row["guest_id"],
                "kind": "rebooking",
                "reservation_id": row["id"],
                "amount": credit,
                "currency": row["charge_currency"],
                "created_at": ctx.now,
                "expires_on": add_days(ctx.now[:10], CREDIT_DAYS),
            },
        )
    if listing["inventory"] == 1:
        _close_nights(ctx, row, listing)
    ctx.insert(
        "stays_review",
        {
            "id": ctx.new_id("stays_review"),
            "reservation_id": row["id"],
            "listing_id": listing["id"],
            "author_id": listing["host_id"],
            "direction": "system",
            "body": SYSTEM_REVIEW,
            "submitted_at": ctx.now,
            "is_published": 1,
            "published_at": ctx.now,
        },
    )


SYSTEM_REVIEW = "The host cancelled this reservation. This is an automated posting."


def _close_nights(ctx: Context, row: Row, listing: Row) -> None:
    """The nights of the stay that are still to come stay closed to the host (STAY-5)."""
    today = local_date(ctx.now, listing["tz"])
    for night in nights_between(row["checkin"], row["checkout"]):
        if night < today:
            continue
        if ctx.store.get("stays_calendar_override", (listing["id"], night)) is None:
            ctx.insert("stays_calendar_override", {"listing_id": listing["id"], "night": night, "blocked": 1})
        else:
            ctx.update("stays_calendar_override", (listing["id"], night), {"blocked": 1})
