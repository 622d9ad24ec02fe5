"""Money asked for or given back around a stay, apart from what its policy says (row 24 of the inventory)."""

from __future__ import annotations

from typing import Any

from ...kit.call import Context
from ...kit.errors import FieldError, Forbidden, Invalid, NotFound
from ...kit.money import format_money, parse_money, plain_amount
from ...kit.operations import command, query
from ...kit.roles import Row
from ..rules_prices import HOST_ITEMS, ONE_PPM, Line, converted
from .access import Booking, booking
from .cancelling import check_echo, touch
from .cards import check_card
from .people import PolicyRefusal, me, money
from .social_inputs import ResolutionInput, ResolutionsInput
from .stay_rows import checkin_at, lines_of, method_of, pay, schedule_payout, write_lines

_ASKS = ("refund", "payment", "problem")
_NEEDS = {
    "refund": ("code", "amount", "reason", "body"),
    "payment": ("code", "amount", "reason", "body"),
    "problem": ("code", "reason", "body"),
    "accept": ("id", "amount"),
    "decline": ("id",),
    "withdraw": ("id",),
}
_OVER = ("completed", "cancelled_guest")  # nothing else changes the price of such a stay any more


def _check_arguments(values: ResolutionInput) -> None:
    needed = _NEEDS[values.action]
    given = values.model_dump(exclude_none=True, exclude={"action"})
    faults = [FieldError(name, f"{values.action} needs {name}") for name in needed if name not in given]
    faults += [FieldError(name, f"{values.action} takes no {name}") for name in given if name not in needed]
    if faults:
        raise Invalid(faults)


def returnable(ctx: Context, row: Row) -> int:
    """What the host can give back at most, in the charge currency: what is left of items 1 to 6 of STAY-3."""
    if row["status"] not in _OVER:
        return 0
    lines = lines_of(ctx, row["id"])
    return max(0, min(sum(line.charge for line in lines if line.kind in HOST_ITEMS), int(row["total"])))


def _amount(ctx: Context, row: Row, text: str) -> int:
    """Minor units of the charge currency. Raises Invalid."""
    try:
        amount = parse_money(text, row["charge_currency"])
    except ValueError as error:
        raise Invalid(str(error), field="amount") from None
    if amount <= 0:
        raise Invalid(f"amount is above 0, not {text}", field="amount")
    return amount


def _check_returnable(ctx: Context, row: Row, amount: int) -> None:
    most = returnable(ctx, row)
    if amount > most:
        said = f"the host can give back at most {format_money(most, row['charge_currency'])} of {row['code']}"
        raise PolicyRefusal(said, field="amount")


def _check_asked(ctx: Context, found: Booking, values: ResolutionInput) -> None:
    """Whether the person may ask for this now. Raises Forbidden, PolicyRefusal."""
    row = found.row
    if values.action == "payment" and found.role != "host":
        raise Forbidden("only the host asks for a payment; guests ask for a refund")
    begun = row["status"] == "confirmed" and ctx.now >= checkin_at(row, found.listing)
    if row["status"] not in _OVER and not (begun and values.action == "problem"):
        when = "from check-in on" if values.action == "problem" else "once the stay is over"
        raise PolicyRefusal(f"this can be asked for {when}; {row['code']} is {row['status']}", field="code")
    sql = (
        "SELECT id FROM stays_resolution WHERE reservation_id = ? AND requested_by = ? AND kind = ? "
        "AND status = 'open' ORDER BY id"
    )
    other = ctx.conn.execute(sql, (found.id, ctx.person_id, values.action)).fetchone()
    if other is not None:
        raise PolicyRefusal(f"your request {other[0]} is still open; withdraw it first", field="code")


@command("stays")
def resolution(ctx: Context, values: ResolutionInput) -> dict[str, Any]:
    """Ask for money back or for a payment, report a problem, or answer such a request.

    Money can be asked for once the stay is over, problems be told from check-in on. A host's own refund is paid at once
    to the card of the stay and comes off the payout. Who accepts echoes the amount:
    the host a refund, the guest a payment, which is charged to the card of the stay. Raises PolicyRefusal for more than
    there is to give back, PaymentDeclined.
    """
    me(ctx)
    _check_arguments(values)
    if values.action in _ASKS:
        return _ask(ctx, values)
    row, found = _request(ctx, str(values.id))
    is_own = row["requested_by"] == ctx.person_id
    if is_own != (values.action == "withdraw"):
        raise Forbidden("only who asked can withdraw a request; the other side accepts or declines it")
    if row["status"] != "open":
        raise PolicyRefusal(f"this request is {row['status']} already", field="id")
    if values.action == "accept":
        if row["amount"] is None:
            raise PolicyRefusal("a problem has no amount to accept; give a refund, or answer by message", field="id")
        check_echo(values.amount, row["amount"], row["charge_currency"], "amount", "the request's amount")
        _settle(ctx, found, row["kind"], row["amount"])
    status = {"accept": "accepted", "decline": "declined", "withdraw": "withdrawn"}[values.action]
    ctx.update("stays_resolution", row["id"], {"status": status, "decided_at": ctx.now})
    return {"id": row["id"], "code": found.code, "status": status}


def _ask(ctx: Context, values: ResolutionInput) -> dict[str, Any]:
    found = booking(ctx, str(values.code))
    _check_asked(ctx, found, values)
    amount = None if values.amount is None else _amount(ctx, found.row, values.amount)
    is_given = values.action == "refund" and found.role == "host"
    if values.action == "refund" and amount is not None:
        _check_returnable(ctx, found.row, amount)
        if is_given:
            _settle(ctx, found, "refund", amount)
    resolution_id = ctx.new_id("stays_resolution")
    ctx.insert(
        "stays_resolution",
        {
            "id": resolution_id,
            "reservation_id": found.id,
            "requested_by": ctx.person_id,
            "kind": values.action,
            "reason": values.reason,
            "body": values.body,
            "charge_currency": found.row["charge_currency"],
            "amount": amount,
            "status": "accepted" if is_given else "open",
            "created_at": ctx.now,
            "decided_at": ctx.now if is_given else None,
        },
    )
    return {"id": resolution_id, "code": found.code, "status": "accepted" if is_given else "open"}


def _request(ctx: Context, request_id: str) -> tuple[Row, Booking]:
    row = ctx.store.get("stays_resolution", request_id)
    if row is None:
        raise NotFound(f"there is no request {request_id}", field="id")
    try:
        return row, booking(ctx, row["reservation_id"])
    except NotFound:
        raise NotFound(f"there is no request {request_id}", field="id") from None


def _settle(ctx: Context, found: Booking, kind: str, amount: int) -> None:
    """Move the money: a payment row, a revision of the price that says so (J2), the payout (J8)."""
    row, method = found.row, method_of(ctx, found.id)
    lines = lines_of(ctx, found.id)
    if kind == "refund":
        _check_returnable(ctx, row, amount)
        line = Line("discount", "Refund by the host", -_in_listing_currency(row, lines, amount), -amount)
    else:
        card = ctx.store.get("stays_payment_method", method)
        if card is not None:
            check_card(ctx, card)
        line = Line("cleaning", "Payment to the host", _back(row, amount), amount)
    pay(ctx, row, method, "refund" if kind == "refund" else "capture", amount, "resolution")
    after = (*lines, line)
    write_lines(ctx, row, after)
    ctx.update("stays_reservation", found.id, {"total": row["total"] + line.charge} | touch(ctx, row))
    gross = sum(one.amount for one in after if one.kind in HOST_ITEMS)
    schedule_payout(ctx, row, found.listing, gross)


def _back(row: Row, amount: int) -> int:
    """An amount of the charge currency in the listing's, at the rate of the reservation."""
    rate = ONE_PPM * ONE_PPM // row["fx_rate_ppm"]
    return converted(amount, row["charge_currency"], row["currency"], rate)


def _in_listing_currency(row: Row, lines: tuple[Line, ...], amount: int) -> int:
    """The same, never more than the host has of the stay, and all of it where all is given back."""
    had = [line for line in lines if line.kind in HOST_ITEMS]
    whole = sum(line.amount for line in had)
    return whole if amount == sum(line.charge for line in had) else min(whole, _back(row, amount))


@query("stays")
def resolutions(ctx: Context, values: ResolutionsInput) -> dict[str, Any]:
    """Requests about own stays, as guest and as host, the newest first; `can`: what the person can answer.

    With code also `returnable`, what the host could give back at most.
    """
    me(ctx)
    sql = (
        "SELECT q.*, r.code, l.title, l.host_id FROM stays_resolution q JOIN stays_reservation r "
        "ON r.id = q.reservation_id JOIN stays_listing l ON l.id = r.listing_id "
        "WHERE (r.guest_id = :me OR l.host_id = :me)"
    )
    params: dict[str, Any] = {"me": ctx.person_id}
    more: dict[str, Any] = {}
    if values.code is not None:
        row = booking(ctx, values.code).row
        sql, params = sql + " AND r.id = :id", params | {"id": row["id"]}
        more = {"returnable": money(returnable(ctx, row), row["charge_currency"])}
    if values.status is not None:
        sql, params = sql + " AND q.status = :status", params | {"status": values.status}
    rows = ctx.store.all(f"{sql} ORDER BY q.created_at DESC, q.id", params)
    return {"rows": [_shown(ctx, row) for row in rows], "total": len(rows)} | more


def _shown(ctx: Context, row: Row) -> dict[str, Any]:
    is_own = row["requested_by"] == ctx.person_id
    answers = ["decline"] if row["amount"] is None else ["accept", "decline"]
    asked_by = "host" if row["requested_by"] == row["host_id"] else "guest"
    return {
        "id": row["id"],
        "code": row["code"],
        "listing": row["title"],
        "kind": row["kind"],
        "requested_by": asked_by,
        "is_own": is_own,
        "reason": row["reason"],
        "body": row["body"],
        "amount": None if row["amount"] is None else money(row["amount"], row["charge_currency"]),
        "amount_text": None if row["amount"] is None else plain_amount(row["amount"], row["charge_currency"]),
        "status": row["status"],
        "created_at": row["created_at"],
        "decided_at": row["decided_at"],
        "can": [] if row["status"] != "open" else ["withdraw"] if is_own else answers,
    }
