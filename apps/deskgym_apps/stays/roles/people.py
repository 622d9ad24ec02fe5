"""Roles of people, their payment methods, and what others do by themselves (X-15)."""

from __future__ import annotations

from ...kit.roles import BOOL, DATE, ID, INT, Table, decimal, derived, enum, json, ref, text
from .parts import user_name_norm

TABLES: dict[str, Table] = {
    "stays_user": Table(
        "person",
        {
            "id": ID,
            "person_id": ref("org_person"),
            "first_name": text("name"),
            "last_name": text("name"),
            "name_norm": derived(user_name_norm),
            "email": text("email"),
            "phone": text("phone"),
            "country": text("name"),
            "city": text("name"),
            "tz": text("code"),
            "languages": json("languages"),
            "display_currency": ref("org_currency"),
            "about": text("free"),
            "is_host": BOOL,
            "is_superhost": BOOL,
            "is_verified": BOOL,
            "response_rate_bp": decimal(4),
            "response_minutes": INT,
            "joined_on": DATE,
        },
        prefix="PRS",
    ),
    "stays_payment_method": Table(
        "payment method",
        {
            "id": ID,
            "user_id": ref("stays_user"),
            "brand": text("name"),
            "last4": text("code"),
            "exp_month": INT,
            "exp_year": INT,
            "behaviour": enum("approve", "decline", "insufficient", "3ds_approve", "3ds_fail"),
            "is_default": BOOL,
        },
        prefix="PMT",
    ),
    "stays_npc_rule": Table(
        "rule of a simulated person",
        {
            "id": ID,
            "user_id": ref("stays_user"),
            "trigger": enum("request", "inquiry", "alteration", "message", "offer", "resolution"),
            "condition_json": json("npc condition"),
            "action_json": json("npc action"),
            "delay_minutes": INT,
            "sort": INT,
        },
        prefix="NPC",
    ),
}
