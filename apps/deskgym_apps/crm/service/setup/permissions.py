"""Profiles and permission sets: object and field permissions; who has which set (CRM-3)."""

from __future__ import annotations

from typing import Any

from ....kit.call import Context
from ....kit.operations import command
from ....kit.roles import Row
from ...rules_setup import RIGHT_COLUMNS
from ..catalog import catalog
from ..inputs import Created, Deleted, DeleteInput, Updated
from ..kinds import KINDS
from .inputs import (
    AssignmentInput,
    FieldPermission,
    ObjectPermission,
    PermissionSetInput,
    ProfileChanges,
    UpdatePermissionSetInput,
    UpdateProfileInput,
)
from .people import need_unused
from .settings import (
    SettingChange,
    SettingType,
    administrator,
    check_version,
    create_setting,
    delete_setting,
    refuse,
    stored,
    update_setting,
)

_NEEDS = {"create": "read", "edit": "read", "delete": "edit", "view_all": "read", "modify_all": "delete"}
_NEEDS |= {"export": "read", "mass": "edit"}
_NEVER_HIDDEN = ("id", "row_version", "owner_id")


def _set_rules(change: SettingChange) -> None:
    change.need_unique("name")


def _nothing(_change: SettingChange) -> None:
    return None


PROFILE = SettingType(KINDS["profile"], _nothing)
SET = SettingType(KINDS["permission_set"], _set_rules)


def _object_row(holder: str, holder_id: str, item: ObjectPermission) -> dict[str, Any]:
    given = item.model_dump()
    for right, needed in _NEEDS.items():
        if given[right] and not given[needed]:
            raise refuse("object_permissions", f"{item.object}: {right} needs {needed}")
    rights = {column: int(given[right]) for right, column in RIGHT_COLUMNS.items()}
    return {"holder_kind": holder, "holder_id": holder_id, "object": item.object, **rights}


def _field_row(holder: str, holder_id: str, item: FieldPermission) -> dict[str, Any]:
    known = catalog(item.object).fields
    if item.field not in known:
        raise refuse("field_permissions", f'{item.object} has no field "{item.field}"')
    if holder == "permset" and item.access == "hidden":
        raise refuse("field_permissions", "a permission set only adds to a profile; it hides nothing")
    if item.access != "edit" and (known[item.field].required or item.field in _NEVER_HIDDEN):
        raise refuse("field_permissions", f"{known[item.field].label} is needed by every {item.object}")
    return {
        "holder_kind": holder,
        "holder_id": holder_id,
        "object": item.object,
        "field": item.field,
        "access": item.access,
    }


def _put(ctx: Context, table: str, key: tuple[str, ...], row: Row, *, gone: bool) -> bool:
    """Make the row of a key this one, or none. Returns whether that changed anything."""
    old = ctx.store.get(table, key)
    if gone:
        if old is not None:
            ctx.delete(table, key)
        return old is not None
    if old is None:
        ctx.insert(table, row)
        return True
    moved = {name: value for name, value in row.items() if value != old[name]}
    if moved:
        ctx.update(table, key, moved)
    return bool(moved)


def write_permissions(ctx: Context, holder: str, holder_id: str, values: ProfileChanges) -> bool:
    """Write what a profile or permission set is given, by object and by field. Returns whether any changed."""
    changed = []
    for item in values.object_permissions or ():
        row = _object_row(holder, holder_id, item)
        gone = not any(row[column] for column in RIGHT_COLUMNS.values())
        changed.append(_put(ctx, "crm_object_perm", (holder, holder_id, item.object), row, gone=gone))
    for one in values.field_permissions or ():
        field = _field_row(holder, holder_id, one)
        gone = holder == "profile" and one.access == "edit"
        changed.append(_put(ctx, "crm_field_perm", (holder, holder_id, one.object, one.field), field, gone=gone))
    return any(changed)


def _update(ctx: Context, setting: SettingType, holder: str, values: Any) -> Updated:
    administrator(ctx, setting.kind.name, "edit")
    row = stored(ctx, setting.kind, values.id)
    if row.get("is_admin"):
        raise refuse("id", f"{row['name']} may do everything, always; nothing of it can be changed")
    check_version(ctx, setting.kind, row, "id", values.row_version)
    parts = write_permissions(ctx, holder, values.id, values.values)
    return update_setting(ctx, setting, values.id, values.row_version, values.values, parts=parts)


@command("crm")
def update_profile(ctx: Context, values: UpdateProfileInput) -> Updated:
    """Change what the users of a profile may do. Objects and fields that are not named stay as they are."""
    return _update(ctx, PROFILE, "profile", values)


@command("crm")
def create_permission_set(ctx: Context, values: PermissionSetInput) -> Created:
    """Create a permission set: what it adds to the profiles of those it is assigned to."""
    made = create_setting(ctx, SET, values)
    write_permissions(ctx, "permset", made.id, values)
    return made


@command("crm")
def update_permission_set(ctx: Context, values: UpdatePermissionSetInput) -> Updated:
    """Change what a permission set adds. Objects and fields that are not named stay as they are."""
    return _update(ctx, SET, "permset", values)


@command("crm")
def delete_permission_set(ctx: Context, values: DeleteInput) -> Deleted:
    """Delete a permission set that nobody has, for good."""

    def free(ctx: Context, row: Row) -> None:
        need_unused(ctx, row, (("crm_user_permset", "permission_set_id = :id", "users have it"),))
        for table in ("crm_object_perm", "crm_field_perm"):
            for part in list(ctx.store.select(table, holder_kind="permset", holder_id=row["id"])):
                key = [part["holder_kind"], part["holder_id"], part["object"]]
                ctx.delete(table, (*key, part["field"]) if table == "crm_field_perm" else tuple(key))

    return delete_setting(ctx, SET.kind, values, free)


def _assignment_rules(change: SettingChange) -> None:
    given = change.after
    user = change.ctx.store.get("crm_user", given["person_id"] or "")
    if user is None or not user["is_active"]:
        change.faults = [fault for fault in change.faults if fault.field != "person_id"]
        change.refuse("person_id", "this is no active user")
    sql = "SELECT 1 FROM crm_user_permset WHERE person_id = :person_id AND permission_set_id = :permission_set_id"
    if change.ctx.store.one(sql, given) is not None:
        change.refuse("person_id", "this user has the permission set already")


ASSIGNMENT = SettingType(KINDS["permission_set_assignment"], _assignment_rules)


@command("crm")
def create_permission_set_assignment(ctx: Context, values: AssignmentInput) -> Created:
    """Give a permission set to a user."""
    return create_setting(ctx, ASSIGNMENT, values)


@command("crm")
def delete_permission_set_assignment(ctx: Context, values: DeleteInput) -> Deleted:
    """Take a permission set from a user."""
    return delete_setting(ctx, ASSIGNMENT.kind, values)
