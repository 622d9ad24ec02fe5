"""Roles of the shared tables."""

from __future__ import annotations

from .norm import norm
from .roles import BOOL, DATE, ID, INT, Role, Table, decimal, derived, enum, ref, text

_VALUE = Role("meta")  # org_meta.value: `sim_now` is the clock, every other key never changes

TABLES = {
    "org_meta": Table("setting", {"key": ID, "value": _VALUE}),
    "org_currency": Table("currency", {"code": ID, "exponent": INT, "is_corporate": BOOL}),
    "org_fx_rate": Table("exchange rate", {"code": ref("org_currency"), "valid_from": DATE, "rate_ppm": decimal(6)}),
    "org_person": Table(
        "person",
        {
            "id": ID,
            "first_name": text("name"),
            "last_name": text("name"),
            "name": text("name"),
            "name_norm": derived(lambda _state, row: norm(row["name"])),
            "email": text("email"),
            "phone": text("phone"),
            "title": text("name"),
            "department": text("name"),
            "city": text("name"),
            "tz": text("code"),
            "locale": enum(),
            "currency": ref("org_currency"),
            "hired_on": DATE,
            "left_on": DATE,
        },
        prefix="PRS",
    ),
}
