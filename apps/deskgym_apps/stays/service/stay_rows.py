"""The rows that belong to a reservation: nights, price lines, payments, payout."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

from ...kit.call import Context
from ...kit.dates import local_date
from ...kit.errors import FieldError
from ...kit.roles import Row
from ..rules_prices import HOST_FEE_BP, Line, Night, Party, share
from ..rules_refunds import Booked
from ..rules_stays import local_instant, shifted
from .people import DatesTaken
from .pricing import taxes_at
from .rates import corporate_rates


def lines_of(ctx: Context, reservation_id: str) -> tuple[Line, ...]:
    """The price lines of the latest revision (J2)."""
    rows = ctx.conn.execute(
        "SELECT kind, label, listing_amount, charge_amount FROM stays_price_line WHERE reservation_id = ? AND rev = "
        "(SELECT max(rev) FROM stays_price_line WHERE reservation_id = ?) ORDER BY pos",
        (reservation_id, reservation_id),
    )
    return tuple(Line(*row) for row in rows)


def write_lines(ctx: Context, row: Row, lines: Sequence[Line], nightly: Sequence[int] | None = None) -> None:
    """A new revision of the price. `nightly`: prices that no row of a night holds."""
    sql = "SELECT coalesce(max(rev), 0) + 1 FROM stays_price_line WHERE reservation_id = ?"
    rev = ctx.conn.execute(sql, (row["id"],)).fetchone()[0]
    for pos, line in enumerate(lines, start=1):
        detail = json.dumps(list(nightly), separators=(",", ":")) if nightly and line.kind == "nights" else None
        ctx.insert(
            "stays_price_line",
            {
                "reservation_id": row["id"],
                "rev": rev,
                "pos": pos,
                "kind": line.kind,
                "label": line.label,
                "listing_amount": line.amount,
                "charge_amount": line.charge,
                "charge_currency": row["charge_currency"],
                "detail_json": detail,
            },
        )


_NIGHTS = (
    "FROM stays_reservation_night WHERE listing_id = :listing_id AND night >= :checkin AND night < :checkout "
    "AND reservation_id = :id ORDER BY night, unit"
)


def nightly_of(ctx: Context, row: Row) -> tuple[int, ...]:
    """The nightly prices of a stay, in the listing's currency: of its nights, else of its line of nights."""
    rows = ctx.conn.execute(f"SELECT price {_NIGHTS}", dict(row)).fetchall()
    if rows:
        return tuple(found[0] for found in rows)
    detail = ctx.conn.execute(
        "SELECT detail_json FROM stays_price_line WHERE reservation_id = ? AND detail_json IS NOT NULL "
        "ORDER BY rev DESC, pos LIMIT 1",
        (row["id"],),
    ).fetchone()
    return tuple(json.loads(detail[0])) if detail else ()


def hold_nights(ctx: Context, listing: Row, reservation_id: str, nights: Sequence[Night]) -> None:
    """Take a free room for each night. Raises DatesTaken (STAY-1)."""
    for night in nights:
        used = {
            row[0]
            for row in ctx.conn.execute(
                "SELECT unit FROM stays_reservation_night WHERE listing_id = ? AND night = ?",
                (listing["id"], night.night),
            )
        }
        unit = next((number for number in range(1, listing["inventory"] + 1) if number not in used), None)
        try:
            if unit is None:
                raise sqlite3.IntegrityError("no room is free")
            ctx.insert(
                "stays_reservation_night",
                {
                    "listing_id": listing["id"],
                    "night": night.night,
                    "unit": unit,
                    "reservation_id": reservation_id,
                    "price": night.price,
                },
            )
        except sqlite3.IntegrityError:
            raise DatesTaken(
                [FieldError("checkin", f"These dates were just booked; {night.night} is not free")]
            ) from None


def free_nights(ctx: Context, row: Row) -> None:
    """Let go of all nights of a reservation."""
    rows = ctx.conn.execute(f"SELECT listing_id, night, unit {_NIGHTS}", dict(row)).fetchall()
    for found in rows:
        ctx.delete("stays_reservation_night", tuple(found))


def booked_of(ctx: Context, row: Row, listing: Row) -> Booked:
    """A confirmed stay as the rules of refunds want it."""
    taxes = taxes_at(ctx, listing["place_id"], row["currency"], row["checkin"], corporate_rates(ctx))
    return Booked(
        policy=row["policy_code"],
        checkin=row["checkin"],
        checkout=row["checkout"],
        party=Party(row["adults"], row["children"], row["infants"], row["pets"]),
        tz=listing["tz"],
        booked_at=row["confirmed_at"],
        checkin_at=checkin_at(row, listing),
        nights=nightly_of(ctx, row),
        lines=lines_of(ctx, row["id"]),
        taxes=taxes,
        currency=row["currency"],
        charge_currency=row["charge_currency"],
        rate_ppm=row["fx_rate_ppm"],
    )


def checkin_at(row: Row, listing: Row) -> str:
    """The instant of check-in, by the listing's clock."""
    return local_instant(row["checkin"], row["checkin_from"], listing["tz"])


def pay(ctx: Context, row: Row, method_id: str, kind: str, amount: int, reason: str | None = None) -> str:
    """A movement of money, in the reservation's charge currency. Returns its id."""
    payment_id = ctx.new_id("stays_payment")
    ctx.insert(
        "stays_payment",
        {
            "id": payment_id,
            "reservation_id": row["id"],
            "method_id": method_id,
            "kind": kind,
            "amount": amount,
            "currency": row["charge_currency"],
            "reason": reason,
            "at": ctx.now,
        },
    )
    return payment_id


def payments_of(ctx: Context, reservation_id: str) -> list[dict[str, Any]]:
    """All movements of a reservation's money, oldest first."""
    return ctx.store.all(
        "SELECT p.id, p.kind, p.amount, p.currency, p.status, p.reason, p.at, p.method_id, m.brand, m.last4 "
        "FROM stays_payment p JOIN stays_payment_method m ON m.id = p.method_id WHERE p.reservation_id = ? "
        "ORDER BY p.at, p.id",
        (reservation_id,),
    )


def method_of(ctx: Context, reservation_id: str) -> str:
    """The card that a reservation was paid with, the latest one."""
    rows = [row for row in payments_of(ctx, reservation_id) if row["kind"] in ("authorise", "capture")]
    if not rows:
        raise ValueError(f"reservation {reservation_id} has no payment")
    return str(rows[-1]["method_id"])


def balance(ctx: Context, reservation_id: str) -> int:
    """What was captured less what was refunded (J3)."""
    sql = (
        "SELECT coalesce(sum(CASE kind WHEN 'capture' THEN amount WHEN 'refund' THEN -amount ELSE 0 END), 0) "
        "FROM stays_payment WHERE reservation_id = ? AND status = 'succeeded'"
    )
    return int(ctx.conn.execute(sql, (reservation_id,)).fetchone()[0])


def void_hold(ctx: Context, row: Row, reason: str) -> None:
    """Let go of an authorisation that was neither captured nor voided."""
    rows = payments_of(ctx, row["id"])
    held = [one for one in rows if one["kind"] == "authorise"]
    done = [one for one in rows if one["kind"] in ("capture", "void")]
    if held and not done:
        pay(ctx, row, held[-1]["method_id"], "void", held[-1]["amount"], reason)


def schedule_payout(ctx: Context, row: Row, listing: Row, gross: int) -> None:
    """Bring the host's payout to what is kept of items 1 to 6 (`gross`), less what was paid out already.

    It is due the day after check-in, at once where that is past.
    """
    rows = ctx.store.all(
        "SELECT id, gross, host_fee, status FROM stays_payout WHERE reservation_id = ? ORDER BY id", (row["id"],)
    )
    paid = [one for one in rows if one["status"] == "paid"]
    open_row = next((one for one in rows if one["status"] == "scheduled"), None)
    due = gross - sum(one["gross"] for one in paid)
    fee = share(gross, HOST_FEE_BP) - sum(one["host_fee"] for one in paid)
    day = max(shifted(row["checkin"], 1), local_date(ctx.now, listing["tz"]))
    values: dict[str, Any] = {"gross": due, "host_fee": fee, "net": due - fee, "due_on": day}
    if open_row is not None:
        ctx.update("stays_payout", open_row["id"], values | ({"status": "cancelled"} if due == 0 else {}))
    elif due:
        ctx.insert(
            "stays_payout",
            values
            | {
                "id": ctx.new_id("stays_payout"),
                "host_id": listing["host_id"],
                "reservation_id": row["id"],
                "currency": row["currency"],
                "status": "scheduled",
            },
        )
