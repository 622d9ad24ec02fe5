"""Roles of who may do what (CRM-3), of picklists and stages."""

from __future__ import annotations

from ...kit.roles import BOOL, ID, INT, Table, enum, ref, text
from .. import rules

TABLES: dict[str, Table] = {
    "crm_role": Table(
        "role", {"id": ID, "name": text("name"), "parent_role_id": ref("crm_role"), "is_vp": BOOL}, prefix="ROL"
    ),
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
            "can_export": BOOL,
            "can_mass": BOOL,
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
    "crm_group": Table(
        "group",
        {
            "id": ID,
            "name": text("name"),
            "kind": enum("public_group", "queue"),
            "email": text("email"),
            "queue_object": enum("case"),
        },
        prefix="GRP",
    ),
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
