"""Roles of approval processes and of what was submitted to them (row 27)."""

from __future__ import annotations

from ...kit.roles import ACTOR, BOOL, CLOCK, ID, VERSION, Role, Table, enum, json, ref, text, worded
from ..rules_approvals import APPROVABLE, APPROVER_KINDS, PENDING, STATUSES
from ..rules_setup import criteria_form

TABLES: dict[str, Table] = {
    "crm_approval_process": Table(
        "approval process",
        {
            "id": ID,
            "object": enum(*APPROVABLE),
            "name": text("name"),
            "is_active": BOOL,
            "criteria": worded("conditions", criteria_form),
            "conditions": json("conditions"),
            "approver_kind": enum(*APPROVER_KINDS),
            "approver_id": text("code"),
            "approve_field": text("code"),
            "approve_value": text("name"),
            "reject_field": text("code"),
            "reject_value": text("name"),
            "row_version": VERSION,
        },
        prefix="APC",
    ),
    "crm_approval_request": Table(
        "approval request",
        {
            "id": ID,
            "process_id": ref("crm_approval_process"),
            "object": enum(*APPROVABLE),
            "record_id": text("code"),
            "status": enum(*STATUSES, initial=PENDING),
            "approver_kind": enum(*APPROVER_KINDS),
            "approver_id": text("code"),
            "request_comment": text("free"),
            "submitted_at": CLOCK,
            "submitted_by": ACTOR,
            "is_decided": BOOL,
            "decided_at": Role("clock_if", "is_decided"),
            "decided_by": Role("actor_if", "is_decided"),
            "comment": text("free"),
        },
        prefix="APR",
    ),
}
