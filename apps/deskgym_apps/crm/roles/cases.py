"""Roles of cases, their comments, and assignment rules (CRM-8)."""

from __future__ import annotations

from ...kit.roles import ACTOR_VALUE, BOOL, ID, INT, VERSION, Role, Table, derived, enum, json, ref, text
from .. import rules_cases as rules
from .parts import CREATED, RECORD, norm_of

TABLES: dict[str, Table] = {
    "crm_case": Table(
        "case",
        {
            "id": ID,
            "number": derived(rules.gapless("crm_case", rules.NUMBER_DIGITS)),
            "subject": text("name"),
            "subject_norm": norm_of("subject"),
            "description": text("free"),
            "status": enum(initial=rules.NEW),
            "priority": enum(initial="Medium"),
            "origin": enum(),
            "type": enum(),
            "reason": enum(),
            "account_id": ref("crm_account"),
            "contact_id": ref("crm_contact"),
            "product_id": ref("crm_product"),
            "parent_id": ref("crm_case"),
            "owner_id": text("code", initial=ACTOR_VALUE),
            "is_escalated": derived(rules.was_escalated),
            "resolution": text("free"),
            "sla_tier": enum(),
            "first_response_at": derived(rules.first_response),
            "first_response_due": derived(rules.first_response_due),
            "resolution_due": derived(rules.resolution_due),
            "paused_minutes": derived(rules.paused_minutes),
            "closed_at": Role("clock_when", "status"),
            **RECORD,
        },
        prefix="CAS",
    ),
    "crm_case_comment": Table(
        "case comment",
        {"id": ID, "case_id": ref("crm_case"), "body": text("free"), "is_public": BOOL, **CREATED},
        prefix="CCM",
        irreversible=True,
    ),
    "crm_assignment_rule": Table(
        "assignment rule",
        {
            "id": ID,
            "object": enum("case", "lead"),
            "name": text("name"),
            "default_owner_id": text("code"),
            "is_active": BOOL,
            "row_version": VERSION,
        },
        prefix="ASR",
    ),
    "crm_assignment_entry": Table(
        "assignment entry",
        {
            "id": ID,
            "rule_id": ref("crm_assignment_rule"),
            "sort": INT,
            "criteria": json("conditions"),
            "owner_id": text("code"),
            "row_version": VERSION,
        },
        prefix="ASE",
    ),
}
