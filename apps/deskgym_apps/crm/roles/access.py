"""Roles of who may do what (CRM-3), of picklists and stages."""

from __future__ import annotations

from ...kit.roles import BOOL, ID, INT, VERSION, Table, enum, json, ref, text, worded
from .. import rules
from ..rules_setup import criteria_form

TABLES: dict[str, Table] = {
    "crm_role": Table(
        "role",
        {"id": ID, "name": text("name"), "parent_role_id": ref("crm_role"), "is_vp": BOOL, "row_version": VERSION},
        prefix="ROL",
    ),
    "crm_profile": Table(
        "profile",
        {"id": ID, "name": text("name"), "is_admin": BOOL, "can_reopen": BOOL, "row_version": VERSION},
        prefix="PRF",
    ),
    "crm_permset": Table(
        "permission set",
        {"id": ID, "name": text("name"), "description": text("free"), "can_reopen": BOOL, "row_version": VERSION},
        prefix="PMS",
    ),
    "crm_object_perm": Table(
        "object permission",
        {
            "holder_kind": enum("profile", "permset"),
            "holder_id": text("code"),
            "object": enum(*rules.OBJECTS),
            **{
                f"{verb}": BOOL
                for verb in ("can_create", "can_read", "can_edit", "can_delete", "view_all", "modify_all")
            },
            "can_export": BOOL,
            "can_mass": BOOL,
        },
    ),
    "crm_field_perm": Table(
        "field permission",
        {
            "holder_kind": enum("profile", "permset"),
            "holder_id": text("code"),
            "object": enum(),
            "field": text("code"),
            "access": enum("hidden", "read", "edit"),
        },
    ),
    "crm_user": Table(
        "user",
        {
            "person_id": ref("org_person"),
            "profile_id": ref("crm_profile"),
            "role_id": ref("crm_role"),
            "manager_id": ref("org_person"),
            "is_active": BOOL,
            "row_version": VERSION,
        },
    ),
    "crm_user_permset": Table(
        "permission set assignment",
        {"id": ID, "person_id": ref("crm_user"), "permission_set_id": ref("crm_permset")},
        prefix="PSA",
    ),
    "crm_group": Table(
        "group",
        {
            "id": ID,
            "name": text("name"),
            "kind": enum("public_group", "queue"),
            "email": text("email"),
            "queue_object": enum("case"),
            "row_version": VERSION,
        },
        prefix="GRP",
    ),
    "crm_group_member": Table(
        "group member",
        {
            "id": ID,
            "group_id": ref("crm_group"),
            "member_kind": enum("user", "role", "role_and_sub"),
            "member_id": text("code"),
        },
        prefix="GRM",
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
            "source_kind": enum("role", "role_and_sub", "group"),
            "source_id": text("code"),
            "target_kind": enum("role", "role_and_sub", "group"),
            "target_id": text("code"),
            "access": enum("read", "write"),
            "row_version": VERSION,
        },
        prefix="SHR",
    ),
    "crm_record_share": Table(
        "record share",
        {
            "object": enum(*rules.OBJECTS),
            "record_id": text("code"),
            "grantee_kind": enum("user", "group"),
            "grantee_id": text("code"),
            "access": enum("read", "write"),
            "cause": enum("manual", "team"),
        },
    ),
    "crm_validation_rule": Table(
        "validation rule",
        {
            "id": ID,
            "object": enum(),
            "name": text("name"),
            "is_active": BOOL,
            "criteria": worded("conditions", criteria_form),
            "conditions": json("conditions"),
            "message": text("free"),
            "field": text("code"),
            "row_version": VERSION,
        },
        prefix="VRL",
    ),
    "crm_picklist": Table(
        "picklist value",
        {
            "id": ID,
            "object": enum(),
            "field": text("code"),
            "value": text("name"),
            "sort": INT,
            "is_default": BOOL,
            "is_active": BOOL,
            "row_version": VERSION,
        },
        prefix="PKV",
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
