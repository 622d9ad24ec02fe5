"""Roles of payments, payouts, penalties and credit. Money that moved cannot be called back."""

from __future__ import annotations

from ...kit.roles import CLOCK, DATE, ID, Role, Table, decimal, enum, money, ref, text

_MONEY = money("currency")

TABLES: dict[str, Table] = {
    "stays_payment": Table(
        "payment",
        {
            "id": ID,
            "reservation_id": ref("stays_reservation"),
            "method_id": ref("stays_payment_method"),
            "kind": enum("authorise", "capture", "refund", "void"),
            "amount": _MONEY,
            "currency": ref("org_currency"),
            "status": enum("succeeded", "failed", initial="succeeded"),
            "reason": text("free"),
            "at": CLOCK,
        },
        prefix="PAY",
        irreversible=True,
    ),
    "stays_payout": Table(
        "payout",
        {
            "id": ID,
            "host_id": ref("stays_user"),
            "reservation_id": ref("stays_reservation"),
            "gross": _MONEY,
            "host_fee": _MONEY,
            "net": _MONEY,
            "currency": ref("org_currency"),
            "due_on": DATE,
            "status": enum("scheduled", "paid", "cancelled", initial="scheduled"),
            "paid_at": Role("clock_when", "status"),
        },
        prefix="PYO",
    ),
    "stays_penalty": Table(
        "penalty",
        {
            "id": ID,
            "reservation_id": ref("stays_reservation"),
            "host_id": ref("stays_user"),
            "percent_bp": decimal(4),
            "amount": _MONEY,
            "currency": ref("org_currency"),
            "created_at": CLOCK,
        },
        prefix="PEN",
    ),
    "stays_credit": Table(
        "credit",
        {
            "id": ID,
            "user_id": ref("stays_user"),
            "kind": enum("rebooking", "gift"),
            "reservation_id": ref("stays_reservation"),
            "amount": _MONEY,
            "currency": ref("org_currency"),
            "created_at": CLOCK,
            "expires_on": DATE,
        },
        prefix="CRD",
    ),
    "stays_credit_use": Table(
        "use of credit",
        {
            "credit_id": ref("stays_credit"),
            "reservation_id": ref("stays_reservation"),
            "amount": money("credit"),
            "used_at": CLOCK,
        },
    ),
}
