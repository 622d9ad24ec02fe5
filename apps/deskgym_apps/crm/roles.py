"""Roles of the CRM's columns (grading.md §3.2)."""

from __future__ import annotations

from typing import Any

from ..kit.roles import (
    ACTOR,
    ACTOR_VALUE,
    BOOL,
    CLOCK,
    DATE,
    ID,
    INSTANT,
    INT,
    TOUCH,
    TOUCH_ACTOR,
    VERSION,
    Key,
    Role,
    Row,
    Table,
    decimal,
    derived,
    enum,
    money,
    ref,
    text,
)
from . import rules

TITLE = "Northbeam"

_CREATED: dict[str, Role] = {"created_at": CLOCK, "created_by": ACTOR}
_RECORD: dict[str, Role] = {
    **_CREATED,
    "updated_at": TOUCH,
    "updated_by": TOUCH_ACTOR,
    "row_version": VERSION,
    "is_deleted": BOOL,
    "deleted_at": Role("clock_if", "is_deleted"),
    "deleted_by": Role("actor_if", "is_deleted"),
    "delete_batch": Role("batch_if", "is_deleted"),
}
_OWNER = ref("org_person", initial=ACTOR_VALUE)


def _address(prefix: str) -> dict[str, Role]:
    return {f"{prefix}_{part}": text("name") for part in ("street", "city", "state", "postcode", "country")}


def _about(row: Row) -> tuple[str, Key]:
    return f"crm_{row['object']}", (row["record_id"],)


def _norm(column: str) -> Role:
    return derived(rules.norm_of(column))


def _digits(column: str) -> Role:
    return derived(rules.digits_of(column))


def _expected(_state: Any, row: Row) -> int | None:
    return rules.expected_revenue(row["amount"], row["probability"])


def _line_total(_state: Any, row: Row) -> int:
    return rules.line_total(row["qty_milli"], row["unit_price"], row["discount_bp"])


_ACCESS: dict[str, Table] = {
    "crm_role": Table("role", {"id": ID, "name": text("name"), "parent_role_id": ref("crm_role")}, prefix="ROL"),
    "crm_profile": Table(
        "profile", {"id": ID, "name": text("name"), "is_admin": BOOL, "can_reopen": BOOL}, prefix="PRF"
    ),
    "crm_object_perm": Table(
        "object permission",
        {
            "profile_id": ref("crm_profile"),
            "object": enum(*rules.OBJECTS),
            **{
                f"{verb}": BOOL
                for verb in ("can_create", "can_read", "can_edit", "can_delete", "view_all", "modify_all")
            },
        },
    ),
    "crm_field_perm": Table(
        "field permission",
        {"profile_id": ref("crm_profile"), "object": enum(), "field": text("code"), "access": enum("hidden", "read")},
    ),
    "crm_user": Table(
        "user",
        {
            "person_id": ref("org_person"),
            "profile_id": ref("crm_profile"),
            "role_id": ref("crm_role"),
            "manager_id": ref("org_person"),
            "is_active": BOOL,
        },
    ),
    "crm_group": Table("public group", {"id": ID, "name": text("name")}, prefix="GRP"),
    "crm_group_member": Table(
        "group member",
        {"group_id": ref("crm_group"), "member_kind": enum("user", "role", "role_and_sub"), "member_id": text("code")},
    ),
    "crm_owd": Table(
        "organisation-wide default",
        {"object": enum(*rules.OBJECTS), "access": enum("private", "read", "write", "parent"), "hierarchy": BOOL},
    ),
    "crm_sharing_rule": Table(
        "sharing rule",
        {
            "id": ID,
            "object": enum(*rules.OBJECTS),
            "source_role_id": ref("crm_role"),
            "target_group_id": ref("crm_group"),
            "access": enum("read", "write"),
        },
        prefix="SHR",
    ),
    "crm_record_share": Table(
        "record share",
        {
            "object": enum(*rules.OBJECTS),
            "record_id": text("code"),
            "person_id": ref("org_person"),
            "access": enum("read", "write"),
            "cause": enum("manual", "team"),
        },
    ),
    "crm_picklist": Table(
        "picklist value",
        {
            "object": enum(),
            "field": text("code"),
            "value": text("name"),
            "sort": INT,
            "is_default": BOOL,
            "is_active": BOOL,
        },
    ),
    "crm_stage": Table(
        "stage",
        {
            "name": text("name"),
            "sort": INT,
            "probability": INT,
            "forecast_category": enum("Pipeline", "Best Case", "Commit", "Closed", "Omitted"),
            "is_closed": BOOL,
            "is_won": BOOL,
        },
    ),
}
_RECORDS: dict[str, Table] = {
    "crm_account": Table(
        "account",
        {
            "id": ID,
            "name": text("name"),
            "name_norm": _norm("name"),
            "account_number": text("code"),
            "parent_id": ref("crm_account"),
            "type": enum(),
            "industry": enum(),
            "rating": enum(),
            "phone": text("phone"),
            "phone_digits": _digits("phone"),
            "website": text("url"),
            **_address("bill"),
            **_address("ship"),
            "annual_revenue": money("currency"),
            "employees": INT,
            "currency": ref("org_currency"),
            "region": enum(),
            "sla_tier": enum(),
            "last_activity_on": derived(rules.account_last_activity),
            "owner_id": _OWNER,
            "description": text("free"),
            **_RECORD,
        },
        prefix="ACC",
    ),
    "crm_contact": Table(
        "contact",
        {
            "id": ID,
            "salutation": enum(),
            "first_name": text("name"),
            "last_name": text("name"),
            "name_norm": derived(rules.contact_name_norm),
            "account_id": ref("crm_account"),
            "reports_to_id": ref("crm_contact"),
            "title": text("name"),
            "department": text("name"),
            "email": text("email"),
            "email_norm": _norm("email"),
            "phone": text("phone"),
            "phone_digits": _digits("phone"),
            "mobile": text("phone"),
            "mobile_digits": _digits("mobile"),
            **_address("mail"),
            "do_not_call": BOOL,
            "email_opt_out": BOOL,
            "lead_source": enum(),
            "owner_id": _OWNER,
            "description": text("free"),
            **_RECORD,
        },
        prefix="CON",
    ),
    "crm_account_contact": Table(
        "account contact",
        {"account_id": ref("crm_account"), "contact_id": ref("crm_contact"), "role": enum(), "is_direct": BOOL},
    ),
    "crm_opportunity": Table(
        "opportunity",
        {
            "id": ID,
            "name": text("name"),
            "name_norm": _norm("name"),
            "account_id": ref("crm_account"),
            "stage": ref("crm_stage"),
            "probability": INT,
            "forecast_category": enum("Pipeline", "Best Case", "Commit", "Closed", "Omitted"),
            "amount": money("currency"),
            "currency": ref("org_currency"),
            "expected_revenue": derived(_expected),
            "close_date": DATE,
            "type": enum(),
            "lead_source": enum(),
            "next_step": text("free"),
            "lost_reason": enum(),
            "lost_detail": text("free"),
            "closed_at": Role("clock_when", "stage"),
            "last_stage_change_at": Role("clock_when", "stage"),
            "pricebook_id": ref("crm_pricebook"),
            "last_activity_on": derived(rules.opportunity_last_activity),
            "owner_id": _OWNER,
            "description": text("free"),
            **_RECORD,
        },
        prefix="OPP",
    ),
    "crm_opportunity_contact_role": Table(
        "contact role",
        {
            "opportunity_id": ref("crm_opportunity"),
            "contact_id": ref("crm_contact"),
            "role": enum(),
            "is_primary": BOOL,
        },
    ),
    "crm_product": Table(
        "product",
        {"id": ID, "name": text("name"), "code": text("code"), "family": enum(), "is_active": BOOL},
        prefix="PRD",
    ),
    "crm_pricebook": Table("price book", {"id": ID, "name": text("name"), "is_standard": BOOL}, prefix="PBK"),
    "crm_pricebook_entry": Table(
        "price book entry",
        {
            "id": ID,
            "pricebook_id": ref("crm_pricebook"),
            "product_id": ref("crm_product"),
            "currency": ref("org_currency"),
            "unit_price": money("currency"),
        },
        prefix="PBE",
    ),
    "crm_opportunity_line": Table(
        "opportunity product",
        {
            "id": ID,
            "opportunity_id": ref("crm_opportunity"),
            "pricebook_entry_id": ref("crm_pricebook_entry"),
            "qty_milli": decimal(3),
            "list_price": money("opportunity"),
            "unit_price": money("opportunity"),
            "discount_bp": decimal(4),
            "total": derived(_line_total),
            "sort": INT,
        },
        prefix="OLI",
    ),
}
_ACTIVITIES: dict[str, Table] = {
    "crm_task": Table(
        "task",
        {
            "id": ID,
            "subject": text("name"),
            "subject_norm": _norm("subject"),
            "kind": enum("Task", "Call"),
            "status": enum(initial="Not Started"),
            "priority": enum(initial="Normal"),
            "due_date": DATE,
            "duration_minutes": INT,
            "completed_at": Role("clock_when", "status"),
            "who_id": ref("crm_contact"),
            "what_id": text("code"),
            "owner_id": _OWNER,
            "comments": text("free"),
            **_RECORD,
        },
        prefix="TSK",
    ),
    "crm_event": Table(
        "event",
        {
            "id": ID,
            "subject": text("name"),
            "subject_norm": _norm("subject"),
            "start_at": INSTANT,
            "end_at": INSTANT,
            "location": text("name"),
            "who_id": ref("crm_contact"),
            "what_id": text("code"),
            "owner_id": _OWNER,
            "description": text("free"),
            **_RECORD,
        },
        prefix="EVT",
    ),
    "crm_email_message": Table(
        "e-mail",
        {
            "id": ID,
            "thread_id": text("code"),
            "direction": enum("in", "out"),
            "from_addr": text("email"),
            "to_addrs": text("email"),
            "subject": text("name"),
            "subject_norm": _norm("subject"),
            "body": text("free"),
            "sent_at": CLOCK,
            "who_id": ref("crm_contact"),
            "what_id": text("code"),
        },
        prefix="EML",
        irreversible=True,
    ),
    "crm_note": Table(
        "note",
        {"id": ID, "title": text("name"), "body": text("free"), "owner_id": _OWNER, **_RECORD},
        prefix="NTE",
    ),
    "crm_note_link": Table("note link", {"note_id": ref("crm_note"), "record_id": text("code")}),
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
        record=_about,
    ),
    "crm_notification": Table(
        "notification",
        {
            "id": ID,
            "person_id": ref("org_person"),
            "kind": enum("owner_changed", "task_assigned"),
            "object": enum(*rules.OBJECTS),
            "record_id": text("code"),
            "body": text("free"),
            "created_at": CLOCK,
            "created_by": ACTOR,
        },
        prefix="NTF",
        system=True,
        record=_about,
    ),
}

TABLES: dict[str, Table] = {**_ACCESS, **_RECORDS, **_ACTIVITIES}
