"""Roles of what the app writes by itself: field history (CRM-11) and notifications."""

from __future__ import annotations

from ...kit.roles import ACTOR, CLOCK, ID, Table, enum, ref, text
from .. import rules
from .parts import about

TABLES: dict[str, Table] = {
    "crm_field_history": Table(
        "field history",
        {
            "id": ID,
            "object": enum(*rules.OBJECTS),
            "record_id": text("code"),
            "field": text("code"),
            "old_value": text("free"),
            "new_value": text("free"),
            "changed_at": CLOCK,
            "changed_by": ACTOR,
        },
        prefix="FHI",
        system=True,
        record=about,
    ),
    "crm_notification": Table(
        "notification",
        {
            "id": ID,
            "person_id": ref("org_person"),
            "kind": enum("owner_changed", "task_assigned", "approval_asked", "approval_decided"),
            "object": enum(*rules.OBJECTS),
            "record_id": text("code"),
            "body": text("free"),
            "created_at": CLOCK,
            "created_by": ACTOR,
        },
        prefix="NTF",
        system=True,
        record=about,
    ),
}
