"""Roles of matching rules (row 14)."""

from __future__ import annotations

from ...kit.roles import BOOL, ID, Table, enum, json, text

_ACTIONS = enum("allow", "warn", "block")
TABLES: dict[str, Table] = {
    "crm_matching_rule": Table(
        "matching rule",
        {
            "id": ID,
            "object": enum("account", "contact", "lead"),
            "name": text("name"),
            "criteria": json("criteria"),
            "action_create": _ACTIONS,
            "action_edit": _ACTIONS,
            "is_active": BOOL,
        },
        prefix="MRU",
    ),
}
