"""Roles of saved list views (CRM-6)."""

from __future__ import annotations

from ...kit.roles import ID, INT, TOUCH, TOUCH_ACTOR, VERSION, Table, enum, json, ref, text, worded
from .. import rules
from ..rules_views import view_conditions, view_of_part
from .parts import CREATED, OWNER, norm_of

_SAME = "conditions"

TABLES: dict[str, Table] = {
    "crm_list_view": Table(
        "list view",
        {
            "id": ID,
            "object": enum(*rules.OBJECTS),
            "name": text("name"),
            "name_norm": norm_of("name"),
            "owner_id": OWNER,
            "visibility": enum("private", "groups", "all"),
            "scope": worded(_SAME, view_conditions),
            "filter_logic": worded(_SAME, view_conditions),
            "conditions": json("conditions"),
            "columns": json("columns"),
            "sort": json("sort"),
            **CREATED,
            "updated_at": TOUCH,
            "updated_by": TOUCH_ACTOR,
            "row_version": VERSION,
        },
        prefix="LVW",
    ),
    "crm_list_view_filter": Table(
        "filter of a list view",
        {
            "list_view_id": ref("crm_list_view"),
            "pos": INT,
            "field": text("code"),
            "type": enum(),
            "op": enum(),
            "value": text("code"),
        },
        part_of=view_of_part,
    ),
    "crm_list_view_share": Table(
        "share of a list view", {"list_view_id": ref("crm_list_view"), "group_id": ref("crm_group")}
    ),
}
