"""Fields of what administrators set up: users, roles, groups, permissions, sharing, rules, picklists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..rules_setup import RIGHT_COLUMNS
from .catalog_fields import Field, own
from .kinds import KINDS, party

_ID = own("id", "Record id", "id")
_VERSION = own("row_version", "Row version", "number")
_NAME = own("name", "Name", "text", writable=True, required=True)
_RIGHTS = ", ".join(f"'{right}', json(iif(o.{column}, 'true', 'false'))" for right, column in RIGHT_COLUMNS.items())


def _may(name: str, label: str, type: str, sql: str | None = None, **more: Any) -> Field:
    """A field that administrators set."""
    return own(name, label, type, sql, writable=True, **more)


def _link(name: str, label: str, target: str, sql: str | None = None, **more: Any) -> Field:
    return own(name, label, "ref", sql, target=target, writable=True, **more)


def _of_user(column: str) -> str:
    return f"(SELECT u.{column} FROM crm_user u WHERE u.person_id = {{t}}.id)"


def _counted(source: str) -> str:
    return f"(SELECT count(*) FROM {source})"


def _permissions(holder: str) -> tuple[Field, ...]:
    objects = (
        f"(SELECT json_group_array(json_object('object', o.object, {_RIGHTS})) FROM (SELECT * FROM crm_object_perm "
        f"WHERE holder_kind = '{holder}' AND holder_id = {{t}}.id ORDER BY object) o)"
    )
    fields = (
        "(SELECT json_group_array(json_object('object', f.object, 'field', f.field, 'access', f.access)) FROM "
        f"(SELECT * FROM crm_field_perm WHERE holder_kind = '{holder}' AND holder_id = {{t}}.id "
        "ORDER BY object, field) f)"
    )
    given = "Only the objects named change." if holder == "profile" else "What it adds to a profile; only those named."
    return (
        _may("object_permissions", "Object permissions", "json", objects, help=given),
        _may("field_permissions", "Field permissions", "json", fields, help="hidden, read or edit; only those named."),
    )


_USER = "'user'"
_MEMBERS = (
    "(SELECT json_group_array(json_object('id', m.id, 'member_kind', m.member_kind, 'member_id', m.member_id, "
    f"'name', {party('m.member_kind', 'm.member_id')})) FROM (SELECT * FROM crm_group_member "
    "WHERE group_id = {t}.id ORDER BY member_kind, member_id) m)"
)
_ENTRIES = (
    "(SELECT json_group_array(json_object('id', e.id, 'position', e.sort, 'criteria', json(e.criteria), "
    f"'owner_id', e.owner_id, 'owner', {party(_USER, 'e.owner_id')}, 'row_version', e.row_version)) FROM "
    "(SELECT * FROM crm_assignment_entry WHERE rule_id = {t}.id ORDER BY sort, id) e)"
)
_SETS_OF_USER = (
    "(SELECT json_group_array(json_object('id', g.id, 'permission_set_id', g.permission_set_id, 'name', g.name)) FROM "
    "(SELECT a.id, a.permission_set_id, s.name FROM crm_user_permset a JOIN crm_permset s "
    "ON s.id = a.permission_set_id WHERE a.person_id = {t}.id ORDER BY s.name) g)"
)
_HOLDERS = (
    "(SELECT json_group_array(json_object('id', g.id, 'person_id', g.person_id, 'name', g.name)) FROM "
    "(SELECT a.id, a.person_id, p.name FROM crm_user_permset a JOIN org_person p ON p.id = a.person_id "
    "WHERE a.permission_set_id = {t}.id ORDER BY p.name_norm, p.id) g)"
)
_PICKED = (
    _ID,
    own("object", "Object", "text"),
    own("field", "Field", "text"),
    own("value", "Value", "text"),
)
USER_FIELDS: tuple[Field, ...] = (
    _link("profile_id", "Profile (id)", "profile", _of_user("profile_id"), help="What the user may do."),
    _link("role_id", "Role (id)", "role", _of_user("role_id"), help="Whose records the user sees."),
    own("permission_sets", "Permission sets", "json", _SETS_OF_USER),
    own("row_version", "Row version", "number", _of_user("row_version")),
)
FIELDS: Mapping[str, tuple[Field, ...]] = {
    "role": (
        _ID,
        _NAME,
        _link("parent_role_id", "Reports to role", "role", help="People in roles above reach what those below own."),
        own("parent_name", "Role above", "text", "(SELECT r.name FROM crm_role r WHERE r.id = {t}.parent_role_id)"),
        _may("is_vp", "Vice president", "bool", help="May give discounts above 30 %."),
        own("users", "Users", "number", _counted("crm_user u WHERE u.role_id = {t}.id")),
        _VERSION,
    ),
    "profile": (
        _ID,
        own("name", "Name", "text"),
        own("is_admin", "Administrator", "bool"),
        _may("can_reopen", "May reopen closed deals", "bool"),
        own("users", "Users", "number", _counted("crm_user u WHERE u.profile_id = {t}.id")),
        *_permissions("profile"),
        _VERSION,
    ),
    "permission_set": (
        _ID,
        _NAME,
        _may("description", "Description", "text"),
        _may("can_reopen", "May reopen closed deals", "bool"),
        own("users", "Users", "number", _counted("crm_user_permset a WHERE a.permission_set_id = {t}.id")),
        *_permissions("permset"),
        own("assignments", "Assigned to", "json", _HOLDERS),
        _VERSION,
    ),
    "permission_set_assignment": (
        _ID,
        _link("permission_set_id", "Permission set", "permission_set", required=True),
        _link("person_id", "User", "user", required=True),
    ),
    "group": (
        _ID,
        _NAME,
        own("members", "Members", "json", _MEMBERS),
        own("people", "Number of members", "number", _counted("crm_group_member m WHERE m.group_id = {t}.id")),
        _VERSION,
    ),
    "group_member": (
        _ID,
        _may("group_id", "Group", "id", required=True, help="A public group or a queue."),
        own("group_name", "Group name", "text", "(SELECT g.name FROM crm_group g WHERE g.id = {t}.group_id)"),
        _may("member_kind", "Kind of member", "text", required=True, help="user, role or role_and_sub."),
        _may("member_id", "Member", "id", required=True),
        own("member_name", "Member name", "text", party("{t}.member_kind", "{t}.member_id")),
    ),
    "sharing_rule": (
        _ID,
        _may("object", "Object", "text", required=True),
        _may("source_kind", "Owned by (kind)", "text", required=True, help="role, role_and_sub or group."),
        _may("source_id", "Owned by (id)", "id", required=True),
        own("source_name", "Records owned by", "text", party("{t}.source_kind", "{t}.source_id")),
        _may("target_kind", "Shared with (kind)", "text", required=True, help="role, role_and_sub or group."),
        _may("target_id", "Shared with (id)", "id", required=True),
        own("target_name", "Shared with", "text", party("{t}.target_kind", "{t}.target_id")),
        _may("access", "Access", "text", required=True, help="read or write."),
        _VERSION,
    ),
    "assignment_rule": (
        _ID,
        _NAME,
        own("object", "Object", "text"),
        _may("is_active", "Active", "bool", help="One rule of an object is active at most."),
        _may("default_owner_id", "Otherwise to", "id", help="Who gets what no entry is about."),
        own("default_owner", "Default owner", "text", party(_USER, "{t}.default_owner_id")),
        own("entries", "Entries", "json", _ENTRIES, help="The first entry whose criteria all hold wins."),
        _VERSION,
    ),
    "assignment_entry": (
        _ID,
        _link("rule_id", "Rule", "assignment_rule", required=True),
        _may("position", "Position", "number", "{t}.sort", help="1 is asked first."),
        _may("criteria", "Criteria", "json", required=True, help="field, op (equals, in, contains) and value."),
        _may("owner_id", "Assign to", "id", required=True),
        own("owner_name", "Assigned to", "text", party(_USER, "{t}.owner_id")),
        _VERSION,
    ),
    "approval_process": (
        _ID,
        _may("object", "Object", "text", required=True, help="account, opportunity, lead, case or quote."),
        _NAME,
        _may("is_active", "Active", "bool"),
        _may("criteria", "Entry criteria", "json", required=True, help="Records for which all of them hold enter."),
        _may("approver_kind", "Approver (kind)", "text", required=True, help="manager, user, group or leader."),
        _may("approver_id", "Approver (id)", "id", help="Of the kinds user and group."),
        own("approver_name", "Approver", "text", party(_USER, "{t}.approver_id")),
        _may("approve_field", "On approval, field", "text"),
        _may("approve_value", "On approval, value", "text"),
        _may("reject_field", "On rejection, field", "text"),
        _may("reject_value", "On rejection, value", "text"),
        own(
            "pending",
            "Pending",
            "number",
            _counted("crm_approval_request q WHERE q.process_id = {t}.id AND q.status = 'Pending'"),
        ),
        _VERSION,
    ),
    "validation_rule": (
        _ID,
        _may("object", "Object", "text", required=True),
        _NAME,
        _may("is_active", "Active", "bool"),
        _may("criteria", "Criteria", "json", required=True, help="A record for which all of them hold is refused."),
        _may("message", "Error message", "text", required=True),
        _may("field", "Shown at field", "text", help="At the top of the page, where left out."),
        _VERSION,
    ),
    "picklist_value": (
        *(_may(item.name, item.label, item.type, required=True) if item.name != "id" else item for item in _PICKED),
        _may("position", "Position", "number", "{t}.sort"),
        _may("is_default", "Default", "bool"),
        _may("is_active", "Active", "bool", help="Retired values stay where they are, and cannot be chosen."),
        _VERSION,
    ),
}
QUEUE_FIELDS: tuple[Field, ...] = (own("member_list", "Member list", "json", _MEMBERS), _VERSION)
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "role": ("name", "parent_name", "is_vp", "users"),
    "profile": ("name", "is_admin", "can_reopen", "users"),
    "permission_set": ("name", "description", "can_reopen", "users"),
    "permission_set_assignment": ("permission_set_id", "permission_set.name", "person_id", "person.name"),
    "group": ("name", "members"),
    "group_member": ("group_id", "group_name", "member_kind", "member_id", "member_name"),
    "sharing_rule": ("object", "source_kind", "source_name", "target_kind", "target_name", "access"),
    "assignment_rule": ("name", "object", "is_active", "default_owner", "entries"),
    "assignment_entry": ("rule_id", "position", "criteria", "owner_name"),
    "approval_process": ("name", "object", "is_active", "criteria", "approver_kind", "approver_name", "pending"),
    "validation_rule": ("name", "object", "is_active", "criteria", "message", "field"),
    "picklist_value": ("object", "field", "value", "position", "is_default", "is_active"),
}
SORT: Mapping[str, tuple[tuple[str, bool], ...]] = dict.fromkeys(
    ("role", "profile", "permission_set", "group", "assignment_rule"), (("name", False),)
) | {
    "permission_set_assignment": (("permission_set.name", False), ("person.name", False)),
    "group_member": (("group_name", False), ("member_name", False)),
    "sharing_rule": (("object", False), ("source_name", False), ("target_name", False)),
    "assignment_entry": (("rule_id", False), ("position", False)),
    "approval_process": (("object", False), ("name", False)),
    "validation_rule": (("object", False), ("name", False)),
    "picklist_value": (("object", False), ("field", False), ("position", False)),
}
DETAILS: Mapping[str, tuple[tuple[str, str], ...]] = dict.fromkeys(FIELDS, ()) | {
    "group": (("name", "'public group'"),),
    "role": (("name", "'role'"),),
    "approval_process": (("object", "t.object"),),
    "validation_rule": (("object", "t.object"),),
    "assignment_rule": (("object", "t.object"),),
    "picklist_value": (("object", "t.object"), ("field", "t.field")),
}
NAME_NORMS: Mapping[str, str] = {kind: f"norm({KINDS[kind].name_sql.format(t='t')})" for kind in FIELDS}
