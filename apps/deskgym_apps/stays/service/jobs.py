"""What happens at Harbourstay by itself as the clock moves (X-1): expiries, ends of stays, reviews, payouts, others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import Field

from ...kit.call import Context
from ...kit.dates import add_days, local_midnight
from ...kit.errors import Invalid
from ...kit.fields import Id
from ...kit.jobs import Job, job_source
from ...kit.operations import Input, command
from ...kit.store import Store
from .cancelling import touch
from .deciding import end_request

REVIEW_DAYS = 14
_ZONES_APART = 2  # midnights of one date lie less than so many days apart


class DueInput(Input):
    """The row whose time has come."""

    id: Id = Field(description="Of the reservation, change request, offer, review or payout.")


def _expiring(store: Store, until: str) -> Iterator[Job]:
    for table, operation in (
        ("stays_reservation", "stays.expire_request"),
        ("stays_alteration", "stays.expire_alteration"),
        ("stays_offer", "stays.expire_offer"),
    ):
        status = "open" if table == "stays_offer" else "pending"
        row = store.one(
            f"SELECT id, expires_at FROM {table} WHERE status = '{status}' AND expires_at <= ? "
            "ORDER BY expires_at, id LIMIT 1",
            (until,),
        )
        if row is not None:
            yield Job(row["expires_at"], table, row["id"], operation, {"id": row["id"]})


def _ending(store: Store, until: str) -> Iterator[Job]:
    """Stays whose checkout was yesterday by the listing's clock (J6)."""
    rows = store.all(
        "SELECT r.id, r.checkout, l.tz FROM stays_reservation r JOIN stays_listing l ON l.id = r.listing_id "
        "WHERE r.status = 'confirmed' AND r.checkout <= ? ORDER BY r.checkout, r.id",
        (until[:10],),
    )
    for row in rows:
        if row["checkout"] > add_days(rows[0]["checkout"], _ZONES_APART):
            break
        due = local_midnight(add_days(row["checkout"], 1), row["tz"])
        if due <= until:
            yield Job(due, "stays_reservation", row["id"], "stays.complete_reservation", {"id": row["id"]})


def _publishing(store: Store, until: str) -> Iterator[Job]:
    """Reviews whose window is closed, the other side's missing (STAY-9)."""
    rows = store.all(
        "SELECT w.id, r.checkout FROM stays_review w JOIN stays_reservation r ON r.id = w.reservation_id "
        "WHERE w.is_published = 0 AND r.checkout <= ? ORDER BY r.checkout, w.id LIMIT 1",
        (add_days(until[:10], -REVIEW_DAYS),),
    )
    for row in rows:
        due = f"{add_days(row['checkout'], REVIEW_DAYS)}T00:00:00Z"
        yield Job(due, "stays_review", row["id"], "stays.publish_review", {"id": row["id"]})


def _paying(store: Store, until: str) -> Iterator[Job]:
    rows = store.all(
        "SELECT p.id, p.due_on, l.tz FROM stays_payout p JOIN stays_reservation r ON r.id = p.reservation_id "
        "JOIN stays_listing l ON l.id = r.listing_id WHERE p.status = 'scheduled' AND p.due_on <= ? "
        "ORDER BY p.due_on, p.id",
        (add_days(until[:10], 1),),
    )
    for row in rows:
        if row["due_on"] > add_days(rows[0]["due_on"], _ZONES_APART):
            break
        due = local_midnight(row["due_on"], row["tz"])
        if due <= until:
            yield Job(due, "stays_payout", row["id"], "stays.pay_payout", {"id": row["id"]})


@job_source
def next_job(store: Store, until: str) -> Job | None:
    """The earliest thing that is due at Harbourstay."""
    if "stays_reservation" not in store.shapes:
        return None
    found = [job for source in (_expiring, _ending, _publishing, _paying) for job in source(store, until)]
    return min(found, default=None)


def _due(ctx: Context, table: str, row_id: str, *statuses: str) -> Any:
    """The row, for a job alone. Raises Invalid where it is not due."""
    row = ctx.store.get(table, row_id)
    if ctx.channel != "job" or row is None or (statuses and row["status"] not in statuses):
        raise Invalid("this happens by itself when its time has come", field="id")
    return row


@command("stays")
def expire_request(ctx: Context, values: DueInput) -> dict[str, Any]:
    """A request that nobody answered for 24 hours expires, and its hold is voided (STAY-7)."""
    row = _due(ctx, "stays_reservation", values.id, "pending")
    end_request(ctx, row, "expired", "expired")
    return {"id": row["id"], "status": "expired"}


@command("stays")
def expire_alteration(ctx: Context, values: DueInput) -> dict[str, Any]:
    """A change request that nobody answered expires after 72 hours, or at check-in (STAY-6)."""
    row = _due(ctx, "stays_alteration", values.id, "pending")
    ctx.update("stays_alteration", row["id"], {"status": "expired", "decided_at": ctx.now})
    return {"id": row["id"], "status": "expired"}


@command("stays")
def expire_offer(ctx: Context, values: DueInput) -> dict[str, Any]:
    """An offer that was not taken up for 24 hours expires (STAY-7)."""
    row = _due(ctx, "stays_offer", values.id, "open")
    ctx.update("stays_offer", row["id"], {"status": "expired"})
    return {"id": row["id"], "status": "expired"}


@command("stays")
def complete_reservation(ctx: Context, values: DueInput) -> dict[str, Any]:
    """A confirmed stay is completed once its checkout day is over at the listing (J6)."""
    row = _due(ctx, "stays_reservation", values.id, "confirmed")
    ctx.update("stays_reservation", row["id"], {"status": "completed"} | touch(ctx, row))
    return {"id": row["id"], "status": "completed"}


@command("stays")
def publish_review(ctx: Context, values: DueInput) -> dict[str, Any]:
    """A review alone is published when the 14 days are over (STAY-9)."""
    row = _due(ctx, "stays_review", values.id)
    ctx.update("stays_review", row["id"], {"is_published": 1, "published_at": ctx.now})
    return {"id": row["id"], "is_published": True}


@command("stays")
def pay_payout(ctx: Context, values: DueInput) -> dict[str, Any]:
    """A payout is paid on the day after check-in, at midnight of the listing's zone."""
    row = _due(ctx, "stays_payout", values.id, "scheduled")
    ctx.update("stays_payout", row["id"], {"status": "paid", "paid_at": ctx.now})
    return {"id": row["id"], "status": "paid"}
