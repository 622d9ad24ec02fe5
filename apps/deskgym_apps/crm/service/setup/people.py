"""Users and roles (row 33): profile, role, manager, active; the tree of roles."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ....kit.call import Context
from ....kit.operations import command
from ....kit.roles import Row
from ..inputs import Created, Deleted, DeleteInput, Updated
from ..kinds import KINDS
from .inputs import RoleInput, UpdateRoleInput, UpdateUserInput
from .settings import SettingChange, SettingType, create_setting, delete_setting, refuse, update_setting

_ADMINISTRATORS = """
SELECT count(*) AS number FROM crm_user u JOIN crm_profile p ON p.id = u.profile_id
WHERE p.is_admin = 1 AND u.is_active = 1 AND u.person_id <> :other
"""


def _user_rules(change: SettingChange) -> None:
    after, me = change.after, change.user.id
    if after["profile_id"] is None:
        change.refuse("profile_id", "Profile cannot be empty")
        return
    if _leads_back(change):
        change.refuse("manager_id", "nobody may stand above themselves: this would go in a circle")
    profile = change.ctx.store.get("crm_profile", after["profile_id"]) or {}
    is_administrator = bool(profile.get("is_admin")) and bool(after["is_active"])
    if after["person_id"] == me and change.moved("is_active") and not after["is_active"]:
        change.refuse("is_active", "you cannot deactivate yourself")
    elif after["person_id"] == me and change.moved("profile_id") and not profile.get("is_admin"):
        change.refuse("profile_id", "you cannot take administration from yourself; another administrator can")
    others = change.ctx.store.all(_ADMINISTRATORS, {"other": after["person_id"]})[0]["number"]
    if not is_administrator and not others:
        field = "is_active" if change.moved("is_active") else "profile_id"
        change.refuse(field, "this is the last active administrator; make another user one first")


def _leads_back(change: SettingChange) -> bool:
    above: Any = change.after["manager_id"]
    seen = {change.after["person_id"]}
    while above is not None and above not in seen:
        seen.add(above)
        row = change.ctx.store.get("crm_user", above)
        above = None if row is None else row["manager_id"]
    return above is not None and change.moved("manager_id")


USER = SettingType(replace(KINDS["user"], table="crm_user"), _user_rules, key="person_id")


@command("crm")
def update_user(ctx: Context, values: UpdateUserInput) -> Updated:
    """Change a user's profile, role or manager, deactivate or activate the user. Records keep their owner."""
    return update_setting(ctx, USER, values.id, values.row_version, values.values)


def _role_rules(change: SettingChange) -> None:
    change.need_unique("name")
    if change.leads_back("parent_role_id"):
        change.refuse("parent_role_id", "a role cannot stand above itself: this would go in a circle")


ROLE = SettingType(KINDS["role"], _role_rules)


@command("crm")
def create_role(ctx: Context, values: RoleInput) -> Created:
    """Create a role."""
    return create_setting(ctx, ROLE, values)


@command("crm")
def update_role(ctx: Context, values: UpdateRoleInput) -> Updated:
    """Change a role's name, place in the tree, or vice president mark."""
    return update_setting(ctx, ROLE, values.id, values.row_version, values.values)


_ROLE_USES = (
    ("crm_user", "role_id = :id", "users have it"),
    ("crm_role", "parent_role_id = :id", "roles report to it"),
    ("crm_group_member", "member_id = :id", "groups have it as a member"),
    ("crm_sharing_rule", "source_id = :id OR target_id = :id", "sharing rules name it"),
)


def _role_is_free(ctx: Context, row: Row) -> None:
    need_unused(ctx, row, _ROLE_USES)


def need_unused(ctx: Context, row: Row, uses: tuple[tuple[str, str, str], ...]) -> None:
    """Raises Invalid that says what stands in the way of removing a row."""
    found = []
    for table, test, said in uses:
        sql = f"SELECT count(*) AS number FROM {table} WHERE {test}"
        number = ctx.store.all(sql, {"id": row["id"]})[0]["number"]
        if number:
            found.append(f"{said} ({number})")
    if found:
        raise refuse("id", f"{row['name']} cannot be deleted: {', '.join(found)}")


@command("crm")
def delete_role(ctx: Context, values: DeleteInput) -> Deleted:
    """Delete a role that nobody has, for good."""
    return delete_setting(ctx, ROLE.kind, values, _role_is_free)
