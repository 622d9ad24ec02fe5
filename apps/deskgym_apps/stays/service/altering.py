"""Changing a confirmed reservation (STAY-6): one side asks, the other answers; until then nothing changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...kit.call import Context, check_version
from ...kit.dates import local_date
from ...kit.errors import Conflict, Forbidden, Invalid
from ...kit.operations import command, query
from ...kit.roles import Row
from ..roles.parts import alteration_expiry
from ..rules_prices import Party, Quote, with_coupon, with_credit
from .access import Booking, booking, guests_of
from .cancelling import check_echo, end_change, touch
from .cards import check_card
from .checks import Wish, as_result, check_dates, refuse, stay_faults
from .command_inputs import AlterInput
from .credit import return_credit
from .inputs import AlterPreviewInput
from .people import PolicyRefusal, money
from .pricing import Pricing, shown_quote
from .stay_rows import (
    checkin_at,
    free_nights,
    hold_nights,
    lines_of,
    method_of,
    pay,
    schedule_payout,
    write_lines,
)

_STAY = ("checkin", "checkout", "adults", "children", "infants", "pets")
_BEGUN = {"past", "advance_notice", "weekday"}


@dataclass(frozen=True)
class Changed:
    """A stay as it would be. `delta`: new total less the present one, in the charge currency."""

    stay: dict[str, Any]
    quote: Quote
    delta: int

    @property
    def wish(self) -> Wish:
        return Wish(self.stay["checkin"], self.stay["checkout"], Party(**guests_of(self.stay)))


def changed(ctx: Context, found: Booking, stay: dict[str, Any], asked_at: str) -> Changed:
    """The changed stay at the listing's current prices, with the reservation's own rate, plan, coupon and credit."""
    row, listing = found.row, found.listing
    check_dates(stay["checkin"], stay["checkout"])
    lines = lines_of(ctx, row["id"])
    free_pets = 0 if any(line.kind == "pet" for line in lines) else row["pets"]  # service animals stay without a fee
    pricing = Pricing(ctx, [listing], stay["checkin"], stay["checkout"], row["charge_currency"])
    quote = pricing.quote(
        listing,
        Party(**guests_of(stay)),
        local_date(asked_at, listing["tz"]),
        nonrefundable=row["rate_plan"] == "nonrefundable",
        rate_ppm=row["fx_rate_ppm"],
        service_pets=free_pets,
    )
    for line in (line for line in lines if line.kind == "coupon"):
        quote = with_coupon(quote, line.label, -line.amount)
    if row["credit_amount"]:
        quote = with_credit(quote, row["credit_amount"])
    return Changed(stay, quote, quote.total - row["total"])


def _check(ctx: Context, found: Booking, change: Changed) -> None:
    refuse(_faults(ctx, found, change))


def _faults(ctx: Context, found: Booking, change: Changed) -> list[Any]:
    """What speaks against the changed stay; what holds of the present one is no fault."""
    row = found.row
    faults = stay_faults(ctx, found.listing, change.wish, without=row["id"])
    if change.stay["checkin"] == row["checkin"]:
        faults = [fault for fault in faults if fault.code not in _BEGUN]
    if change.stay["pets"] <= row["pets"]:
        faults = [fault for fault in faults if fault.code != "pets"]
    return faults


def _check_open(ctx: Context, found: Booking, stay: dict[str, Any]) -> None:
    """Whether this reservation can be changed so now (STAY-6). Raises PolicyRefusal."""
    row, listing = found.row, found.listing
    if row["status"] != "confirmed":
        raise PolicyRefusal(
            f"only a confirmed reservation can be changed; {found.code} is {row['status']}", field="code"
        )
    if local_date(ctx.now, listing["tz"]) >= row["checkout"]:
        raise PolicyRefusal("the stay is over; it cannot be changed", field="code")
    if ctx.now >= checkin_at(row, listing):
        if guests_of(stay) != guests_of(row):
            raise PolicyRefusal("the number of guests is fixed from check-in on", field="adults")
        if stay["checkin"] != row["checkin"]:
            raise PolicyRefusal("the stay has begun; only checkout can move", field="checkin")
        if stay["checkout"] <= local_date(ctx.now, listing["tz"]):
            raise PolicyRefusal("checkout cannot move to a day that has begun", field="checkout")


def _wanted(found: Booking, values: AlterPreviewInput) -> dict[str, Any]:
    stay = {name: found.row[name] for name in _STAY}
    stay |= {name: getattr(values, name) for name in _STAY if getattr(values, name) is not None}
    if all(stay[name] == found.row[name] for name in _STAY):
        raise Invalid("nothing would change; give other dates or guests", field="checkin")
    return stay


@query("stays")
def alter_preview(ctx: Context, values: AlterPreviewInput) -> dict[str, Any]:
    """What other dates or guests would cost: the new price line by line, `delta` to be echoed, `faults` if any."""
    found = booking(ctx, values.code)
    stay = _wanted(found, values)
    _check_open(ctx, found, stay)
    change = changed(ctx, found, stay, ctx.now)
    faults = _faults(ctx, found, change)
    code = found.row["charge_currency"]
    return {
        "code": found.code,
        "role": found.role,
        "row_version": found.row["row_version"],
        "possible": not faults,
        "faults": as_result(faults),
        "checkin": stay["checkin"],
        "checkout": stay["checkout"],
        "guests": guests_of(stay),
        "old_total": money(found.row["total"], code),
        "new_total": money(change.quote.total, code),
        "delta": money(change.delta, code),
    } | shown_quote(change.quote)


@command("stays")
def alter(ctx: Context, values: AlterInput) -> dict[str, Any]:
    """Ask for other dates or guests (propose), or answer what the other side asked (accept, decline), or withdraw.

    Guests echo the difference as confirm_delta with propose and accept. A new proposal takes the place of one that
    waits. Accepting swaps the nights and charges or refunds the difference.
    """
    found = booking(ctx, values.code)
    if values.row_version is not None:
        check_version(found.row, values.row_version)
    if values.action == "propose":
        if values.id is not None:
            raise Invalid("propose takes no id", field="id")
        return _propose(ctx, found, values)
    if any(getattr(values, name) is not None for name in _STAY) or values.note is not None:
        raise Invalid(f"{values.action} takes no dates, guests or note", field="action")
    pending = ctx.store.one(
        "SELECT * FROM stays_alteration WHERE reservation_id = ? AND status = 'pending' ORDER BY id", (found.id,)
    )
    if pending is None or pending["expires_at"] <= ctx.now:
        raise PolicyRefusal(f"{found.code} has no change request that waits for an answer", field="code")
    if values.id is not None and values.id != pending["id"]:
        raise Conflict(f"another change of {found.code} was asked for meanwhile; look at it first", field="id")
    mine = pending["requested_by"] == ctx.person_id
    if mine != (values.action == "withdraw"):
        said = "only the other side can answer it; you can withdraw" if mine else "it is not yours to withdraw"
        raise Forbidden(f"this change request: {said}", field="action")
    if values.action == "accept":
        if found.role == "guest":
            check_echo(values.confirm_delta, pending["delta"], pending["charge_currency"], "confirm_delta", "delta")
        accept_change(ctx, found, pending)
    else:
        end_change(ctx, found.id, {"decline": "declined", "withdraw": "withdrawn"}[values.action])
    return _result(ctx, found, pending["id"])


def _result(ctx: Context, found: Booking, alteration_id: str) -> dict[str, Any]:
    row = ctx.store.get("stays_alteration", alteration_id)
    now = ctx.store.get("stays_reservation", found.id)
    if row is None or now is None:
        raise ValueError(f"change request {alteration_id} is gone")
    code = row["charge_currency"]
    return {
        "id": row["id"],
        "code": found.code,
        "status": row["status"],
        "new_total": money(row["new_total"], code),
        "delta": money(row["delta"], code),
        "row_version": now["row_version"],
    }


def _propose(ctx: Context, found: Booking, values: AlterInput) -> dict[str, Any]:
    if values.row_version is None:
        raise Invalid("propose needs the reservation's row_version", field="row_version")
    stay = _wanted(found, values)
    _check_open(ctx, found, stay)
    change = changed(ctx, found, stay, ctx.now)
    _check(ctx, found, change)
    code = found.row["charge_currency"]
    if found.role == "guest":
        check_echo(values.confirm_delta, change.delta, code, "confirm_delta", "alter_preview")
    end_change(ctx, found.id, "superseded")
    row: dict[str, Any] = stay | {
        "id": ctx.new_id("stays_alteration"),
        "reservation_id": found.id,
        "requested_by": ctx.person_id,
        "charge_currency": code,
        "new_total": change.quote.total,
        "delta": change.delta,
        "status": "pending",
        "note": values.note or None,
        "created_at": ctx.now,
    }
    ctx.insert("stays_alteration", row | {"expires_at": alteration_expiry(ctx.store, row)})
    return _result(ctx, found, row["id"])


def accept_change(ctx: Context, found: Booking, pending: Row) -> None:
    """Swap the nights and settle the difference, at the prices of the day on which it was asked for."""
    row, listing = found.row, found.listing
    stay = {name: pending[name] for name in _STAY}
    _check_open(ctx, found, stay)
    change = changed(ctx, found, stay, pending["created_at"])
    if change.quote.total != pending["new_total"]:
        raise Conflict("prices have changed since it was asked for; ask anew", field="code")
    _check(ctx, found, change)
    method = method_of(ctx, row["id"])
    if change.delta > 0:
        card = ctx.store.get("stays_payment_method", method)
        if card is not None:
            check_card(ctx, card)
        pay(ctx, row, method, "capture", change.delta, "alteration")
    elif change.delta < 0:
        pay(ctx, row, method, "refund", -change.delta, "alteration")
    free_nights(ctx, row)
    hold_nights(ctx, listing, row["id"], change.quote.nights)
    write_lines(ctx, row, change.quote.lines)
    ctx.update("stays_alteration", pending["id"], {"status": "accepted", "decided_at": ctx.now})
    after: dict[str, Any] = stay | {"total": change.quote.total}
    for kind in ("coupon", "credit"):
        after[f"{kind}_amount"] = -sum(line.charge for line in change.quote.lines if line.kind == kind)
    if after["credit_amount"] < row["credit_amount"]:
        return_credit(ctx, row["id"], row["charge_currency"], row["credit_amount"] - after["credit_amount"])
    ctx.update("stays_reservation", row["id"], after | touch(ctx, row))
    schedule_payout(ctx, dict(row) | after, listing, change.quote.subtotal)
