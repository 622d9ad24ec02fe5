"""Roles of places, taxes, amenities and cancellation policies, which nobody can change."""

from __future__ import annotations

from ...kit.roles import BOOL, DATE, ID, INT, Table, decimal, enum, money, ref, text
from .parts import norm_of

_DEGREES = decimal(6)

TABLES: dict[str, Table] = {
    "stays_place": Table(
        "place",
        {
            "id": ID,
            "kind": enum("country", "region", "city", "district", "landmark"),
            "name": text("name"),
            "name_norm": norm_of("name"),
            "full_name": text("name"),
            "parent_id": ref("stays_place"),
            "lat_e6": _DEGREES,
            "lng_e6": _DEGREES,
            "s_e6": _DEGREES,
            "w_e6": _DEGREES,
            "n_e6": _DEGREES,
            "e_e6": _DEGREES,
            "tz": text("code"),
            "currency": ref("org_currency"),
            "popularity": INT,
        },
        prefix="PLC",
    ),
    "stays_place_alias": Table("place name", {"place_id": ref("stays_place"), "alias_norm": text("name")}),
    "stays_tax_rule": Table(
        "tax",
        {
            "id": ID,
            "place_id": ref("stays_place"),
            "name": text("name"),
            "kind": enum("percent", "per_person_night"),
            "percent_bp": decimal(4),
            "amount": money("currency"),
            "currency": ref("org_currency"),
            "base": enum("accommodation", "accommodation_and_fees"),
            "adults_only": BOOL,
            "max_nights": INT,
            "exempt_from_nights": INT,
            "valid_from": DATE,
            "valid_to": DATE,
        },
        prefix="TAX",
    ),
    "stays_amenity": Table("amenity", {"code": ID, "label": text("name"), "grp": enum(), "sort": INT}),
    "stays_cancel_policy": Table(
        "cancellation policy",
        {"code": ID, "title": text("name"), "summary": text("free"), "sort": INT, "is_choice": BOOL},
    ),
}
