"""Reservations as guests and hosts see them: lists, one with its receipt, and what a cancellation would bring."""

from __future__ import annotations

from typing import Any

from ...kit.call import Context
from ...kit.dates import local_date
from ...kit.money import plain_amount
from ...kit.operations import query
from ...kit.roles import Row
from ..rules_prices import ACCOMMODATION
from ..rules_refunds import Refund, deadline_texts, free_until, full_refund, penalty_bp, refund_at, seconds_before
from ..rules_stays import days_between, deadline_text, hour_text, zone_place
from .access import Booking, booking, guests_of
from .inputs import ReservationInput, ReservationsInput
from .people import PolicyRefusal, me, money, person
from .stay_rows import balance, booked_of, checkin_at, lines_of, payments_of

_GROUPS = {
    "upcoming": "r.status = 'confirmed'",
    "past": "r.status = 'completed'",
    "cancelled": "r.status IN ('cancelled_guest', 'cancelled_host', 'declined', 'expired', 'withdrawn')",
}


@query("stays")
def reservations(ctx: Context, values: ReservationsInput) -> dict[str, Any]:
    """Own trips (scope guest) or reservations of own listings (scope host); `counts` by status over all of them.

    Upcoming ones come soonest first, others latest first.
    """
    me(ctx)
    column = "r.guest_id" if values.scope == "guest" else "l.host_id"
    clauses, params = [f"{column} = :me"], {"me": ctx.person_id}
    if values.listing is not None:
        clauses.append("r.listing_id = :listing")
        params["listing"] = values.listing
    base = " FROM stays_reservation r JOIN stays_listing l ON l.id = r.listing_id WHERE " + " AND ".join(clauses)
    counts = {row[0]: row[1] for row in ctx.conn.execute(f"SELECT r.status, count(*){base} GROUP BY r.status", params)}
    if values.status in _GROUPS:
        base += f" AND {_GROUPS[values.status]}"
    elif values.status is not None:
        base += " AND r.status = :status"
        params["status"] = values.status
    total = ctx.conn.execute(f"SELECT count(*){base}", params).fetchone()[0]
    order = "r.checkin, r.id" if values.status in ("upcoming", "confirmed", "pending") else "r.checkin DESC, r.id"
    rows = ctx.store.all(
        f"SELECT r.*{base} ORDER BY {order} LIMIT :limit OFFSET :offset",
        params | {"limit": values.limit, "offset": values.offset},
    )
    return {"rows": [_short(ctx, row) for row in rows], "total": total, "counts": dict(sorted(counts.items()))}


def _short(ctx: Context, row: Row) -> dict[str, Any]:
    listing = ctx.store.get("stays_listing", row["listing_id"])
    if listing is None:
        raise ValueError(f"reservation {row['code']} has no listing")
    place = ctx.store.get("stays_place", listing["place_id"])
    guest, host = (ctx.store.get("stays_user", user) for user in (row["guest_id"], listing["host_id"]))
    return {
        "id": row["id"],
        "code": row["code"],
        "status": row["status"],
        "listing": {
            "id": listing["id"],
            "title": listing["title"],
            "place": place["full_name"] if place else "",
            "tz": listing["tz"],
            "photo": ctx.store.one(
                "SELECT room, seed, caption FROM stays_listing_photo WHERE listing_id = ? AND pos = 1", (listing["id"],)
            ),
            "checkin_text": f"after {hour_text(row['checkin_from'])}, {zone_place(listing['tz'])} time",
            "checkout_text": f"before {hour_text(listing['checkout_by'])}, {zone_place(listing['tz'])} time",
        },
        "guest": {"id": row["guest_id"], "name": f"{guest['first_name']} {guest['last_name']}" if guest else ""},
        "host": {"id": listing["host_id"], "name": f"{host['first_name']} {host['last_name']}" if host else ""},
        "checkin": row["checkin"],
        "checkout": row["checkout"],
        "guests": guests_of(row),
        "total": money(row["total"], row["charge_currency"]),
        "expires_at": row["expires_at"] if row["status"] == "pending" else None,
        "row_version": row["row_version"],
    }


def actions_of(ctx: Context, found: Booking) -> list[str]:
    """What the person can do with the reservation now."""
    row, status, host = found.row, found.row["status"], found.role == "host"
    today = local_date(ctx.now, found.listing["tz"])
    if status == "pending":
        return ["accept", "decline"] if host else ["withdraw"]
    if status == "inquiry":
        return ["preapprove", "special_offer", "decline"] if host else ["withdraw"]
    if status == "confirmed" and today < row["checkout"]:
        return ["cancel", "alter"]
    return ["review"] if status == "completed" else []


@query("stays")
def reservation(ctx: Context, values: ReservationInput) -> dict[str, Any]:
    """One reservation: stay, guests, price line by line, payments, refunds, policy with deadlines, changes asked for.

    `actions`: what you can do now. `role`: guest or host. `row_version` goes with alter.
    """
    found = booking(ctx, values.code)
    row, listing = found.row, found.listing
    code = row["charge_currency"]
    payments = payments_of(ctx, row["id"])
    changes = ctx.store.all(
        "SELECT * FROM stays_alteration WHERE reservation_id = ? ORDER BY created_at DESC, id", (row["id"],)
    )
    offers = ctx.store.all(
        "SELECT * FROM stays_offer WHERE reservation_id = ? ORDER BY created_at DESC, id", (row["id"],)
    )
    thread = ctx.store.one(
        "SELECT id FROM stays_thread WHERE listing_id = ? AND guest_id = ?", (listing["id"], row["guest_id"])
    )
    return _short(ctx, row) | {
        "role": found.role,
        "guest": person(ctx, row["guest_id"]),
        "host": person(ctx, listing["host_id"]),
        "nights_count": days_between(row["checkin"], row["checkout"]),
        "rate_plan": row["rate_plan"],
        "policy": _policy(ctx, row, listing),
        "lines": [
            {
                "kind": line.kind,
                "label": line.label,
                "charge": money(line.charge, code),
                "listing_amount": money(line.amount, row["currency"]),
            }
            for line in lines_of(ctx, row["id"])
        ],
        "payments": [one | {"amount": plain_amount(one["amount"], one["currency"])} for one in payments],
        "paid": money(balance(ctx, row["id"]), code),
        "refunded": money(sum(one["amount"] for one in payments if one["kind"] == "refund"), code),
        "rate_ppm": row["fx_rate_ppm"],
        "coupon": row["coupon_code"],
        "alterations": [_change(one) for one in changes],
        "offers": [_offer(one) for one in offers],
        "thread": thread["id"] if thread else None,
        "reviews": _reviews(ctx, row),
        "street": listing["street"] if row["status"] in ("confirmed", "completed") else None,
        "actions": actions_of(ctx, found),
        "cancel_reason": row["cancel_reason"],
        **{name: row[name] for name in ("created_at", "requested_at", "confirmed_at", "cancelled_at")},
        **({"host_note": row["host_note"]} if found.role == "host" else {}),
    }


def _policy(ctx: Context, row: Row, listing: Row) -> dict[str, Any]:
    code, at = row["policy_code"], checkin_at(row, listing)
    found = ctx.store.get("stays_cancel_policy", code)
    booked = row["confirmed_at"] or ctx.now
    return {
        "code": code,
        "title": found["title"] if found else code,
        "summary": found["summary"] if found else "",
        "free_until": free_until(code, booked, at),
        "deadlines": list(deadline_texts(code, booked, at, listing["tz"])),
    }


def _change(row: Row) -> dict[str, Any]:
    return {
        "id": row["id"],
        "status": row["status"],
        "requested_by": row["requested_by"],
        "checkin": row["checkin"],
        "checkout": row["checkout"],
        "guests": guests_of(row),
        "new_total": money(row["new_total"], row["charge_currency"]),
        "delta": money(row["delta"], row["charge_currency"]),
        "note": row["note"],
        "created_at": row["created_at"],
        "expires_at": row["expires_at"],
        "decided_at": row["decided_at"],
    }


def _offer(row: Row) -> dict[str, Any]:
    return {
        "id": row["id"],
        "kind": row["kind"],
        "status": row["status"],
        "checkin": row["checkin"],
        "checkout": row["checkout"],
        "guests": guests_of(row),
        "total": None if row["total"] is None else money(row["total"], row["currency"]),
        "expires_at": row["expires_at"],
    }


def _reviews(ctx: Context, row: Row) -> list[dict[str, Any]]:
    rows = ctx.store.all(
        "SELECT id, direction, author_id, overall, body, is_published, submitted_at, reply FROM stays_review "
        "WHERE reservation_id = ? ORDER BY direction, id",
        (row["id"],),
    )
    return [
        one | {"is_published": bool(one["is_published"])}
        for one in rows
        if one["is_published"] or one["author_id"] == ctx.person_id
    ]


def refund_now(ctx: Context, found: Booking) -> Refund:
    """What a cancellation at this instant brings: of the guest by the policy, of the host all. Raises PolicyRefusal."""
    row, listing = found.row, found.listing
    if row["status"] != "confirmed":
        raise PolicyRefusal(
            f"only a confirmed reservation can be cancelled; {row['code']} is {row['status']}", field="code"
        )
    if local_date(ctx.now, listing["tz"]) >= row["checkout"]:
        raise PolicyRefusal("the stay is over; it cannot be cancelled", field="code")
    booked = booked_of(ctx, row, listing)
    return full_refund(booked) if found.role == "host" else refund_at(booked, ctx.now)


def penalty_now(ctx: Context, found: Booking) -> tuple[int, int]:
    """The share and amount of a host's penalty (STAY-5), in the listing's currency."""
    booked = booked_of(ctx, found.row, found.listing)
    bp = penalty_bp(seconds_before(booked, ctx.now))
    accommodation = sum(line.amount for line in booked.lines if line.kind in ACCOMMODATION)
    return bp, (accommodation * bp * 2 + 10_000) // 20_000


@query("stays")
def cancel_preview(ctx: Context, values: ReservationInput) -> dict[str, Any]:
    """What a cancellation at this instant would refund, with its parts; the figure that `cancel` wants echoed.

    For the host: the guest's full refund and the penalty.
    """
    found = booking(ctx, values.code)
    refund = refund_now(ctx, found)
    row, listing = found.row, found.listing
    code = row["charge_currency"]
    paid = sum(line.charge for line in lines_of(ctx, row["id"]))
    until = free_until(row["policy_code"], row["confirmed_at"], checkin_at(row, listing))
    result: dict[str, Any] = {
        "code": row["code"],
        "role": found.role,
        "row_version": row["row_version"],
        "paid": money(paid, code),
        "refund": money(refund.refund, code),
        "kept": money(refund.kept_total, code),
        "is_full": refund.is_full,
        "band": refund.band,
        "parts": [
            {"label": label, "amount": money(amount, code)}
            for label, amount in (
                ("Nights", refund.nights_refund),
                ("Cleaning and pet fee", refund.fees_refund),
                ("Service fee", refund.service_refund),
                ("Taxes", refund.tax_refund),
                ("Coupon and credit", -refund.coupon_off),
            )
            if amount
        ],
        "kept_lines": [
            {"kind": line.kind, "label": line.label, "amount": money(line.charge, code)}
            for line in refund.kept
            if line.charge
        ],
        "full_refund_until": None if until is None else deadline_text(until, listing["tz"]),
    }
    if found.role == "host":
        bp, amount = penalty_now(ctx, found)
        result |= {"penalty_percent": bp // 100, "penalty": money(amount, row["currency"])}
    return result
