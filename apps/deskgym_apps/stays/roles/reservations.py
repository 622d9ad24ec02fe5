"""Roles of coupons, reservations, their nights and prices, and what is asked about them (STAY-1 to STAY-7)."""

from __future__ import annotations

from ...kit.roles import ACTOR_VALUE, CLOCK, DATE, ID, INT, Role, Table, decimal, derived, enum, json, money, ref, text
from .parts import ANSWER_SECONDS, CHANGED, after, alteration_expiry, reservation_code

_DECIDED = Role("clock_when", "status")
_CHARGED = money("charge_currency")
_GUESTS: dict[str, Role] = {"adults": INT, "children": INT, "infants": INT, "pets": INT}

TABLES: dict[str, Table] = {
    "stays_coupon": Table(
        "coupon",
        {
            "code": ID,
            "title": text("name"),
            "kind": enum("amount", "percent"),
            "value": INT,
            "currency": ref("org_currency"),
            "max_discount": money("currency"),
            "min_subtotal": money("currency"),
            "min_nights": INT,
            "starts_on": DATE,
            "ends_on": DATE,
            "stay_from": DATE,
            "stay_to": DATE,
            "first_booking_only": Role("bool"),
            "per_user": INT,
            "total_uses": INT,
            "place_id": ref("stays_place"),
        },
    ),
    "stays_reservation": Table(
        "reservation",
        {
            "id": ID,
            "code": derived(reservation_code),
            "listing_id": ref("stays_listing"),
            "guest_id": ref("stays_user", initial=ACTOR_VALUE),
            "status": enum(
                *("inquiry", "pending", "confirmed", "declined", "expired", "withdrawn"),
                *("cancelled_guest", "cancelled_host", "completed"),
            ),
            "checkin": DATE,
            "checkout": DATE,
            "checkin_from": text("code"),
            **_GUESTS,
            "rate_plan": enum("standard", "nonrefundable"),
            "policy_code": ref("stays_cancel_policy"),
            "currency": ref("org_currency"),
            "charge_currency": ref("org_currency"),
            "fx_rate_ppm": decimal(6),
            "total": _CHARGED,
            "coupon_code": ref("stays_coupon"),
            "coupon_amount": _CHARGED,
            "credit_amount": _CHARGED,
            "requested_at": _DECIDED,
            "expires_at": after("requested_at", ANSWER_SECONDS),
            "confirmed_at": _DECIDED,
            "cancelled_at": _DECIDED,
            "cancel_reason": text("free"),
            "host_note": text("free"),
            **CHANGED,
        },
        prefix="RSV",
    ),
    "stays_reservation_night": Table(
        "reserved night",
        {
            "listing_id": ref("stays_listing"),
            "night": DATE,
            "unit": INT,
            "reservation_id": ref("stays_reservation"),
            "price": money("reservation"),
        },
    ),
    "stays_price_line": Table(
        "price line",
        {
            "reservation_id": ref("stays_reservation"),
            "rev": INT,
            "pos": INT,
            "kind": enum(
                *("nights", "discount", "extra_guest", "cleaning", "pet", "service_fee", "tax", "coupon", "credit")
            ),
            "label": text("name"),
            "listing_amount": money("reservation"),
            "charge_amount": _CHARGED,
            "charge_currency": ref("org_currency"),
            "detail_json": json("nightly prices"),
        },
    ),
    "stays_alteration": Table(
        "change request",
        {
            "id": ID,
            "reservation_id": ref("stays_reservation"),
            "requested_by": ref("stays_user", initial=ACTOR_VALUE),
            "checkin": DATE,
            "checkout": DATE,
            **_GUESTS,
            "charge_currency": ref("org_currency"),
            "new_total": _CHARGED,
            "delta": _CHARGED,
            "status": enum("pending", "accepted", "declined", "withdrawn", "expired", "superseded", initial="pending"),
            "note": text("free"),
            "created_at": CLOCK,
            "expires_at": derived(alteration_expiry),
            "decided_at": _DECIDED,
        },
        prefix="ALT",
    ),
    "stays_offer": Table(
        "offer",
        {
            "id": ID,
            "reservation_id": ref("stays_reservation"),
            "kind": enum("preapproval", "special_offer"),
            "checkin": DATE,
            "checkout": DATE,
            **_GUESTS,
            "currency": ref("org_currency"),
            "total": money("currency"),
            "status": enum("open", "booked", "withdrawn", "expired", "superseded", initial="open"),
            "created_at": CLOCK,
            "expires_at": after("created_at", ANSWER_SECONDS),
        },
        prefix="OFR",
    ),
    "stays_resolution": Table(
        "resolution request",
        {
            "id": ID,
            "reservation_id": ref("stays_reservation"),
            "requested_by": ref("stays_user", initial=ACTOR_VALUE),
            "kind": enum("refund", "payment", "problem"),
            "reason": enum(),
            "body": text("free"),
            "charge_currency": ref("org_currency"),
            "amount": _CHARGED,
            "status": enum("open", "accepted", "declined", "withdrawn", initial="open"),
            "created_at": CLOCK,
            "decided_at": _DECIDED,
        },
        prefix="RSL",
    ),
}
