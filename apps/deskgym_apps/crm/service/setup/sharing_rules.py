"""Sharing rules: records owned in a role or group are shared with a role or group (CRM-3)."""

from __future__ import annotations

from ....kit.call import Context
from ....kit.operations import command
from ..inputs import Created, Deleted, DeleteInput, Updated
from ..kinds import KINDS
from .inputs import SharingRuleInput, UpdateSharingRuleInput
from .settings import SettingChange, SettingType, create_setting, delete_setting, update_setting


def _side(change: SettingChange, side: str) -> None:
    """Whether the source or the target is a role, or a public group, as its kind says."""
    kind, key = change.after[f"{side}_kind"], str(change.after[f"{side}_id"])
    wanted = "public group" if kind == "group" else "role"
    row = change.ctx.store.get("crm_group" if kind == "group" else "crm_role", key)
    if row is None or (kind == "group" and row["kind"] != "public_group"):
        change.refuse(f"{side}_id", f'there is no {wanted} "{key}"', said=f"this is no {wanted}")


def _rules(change: SettingChange) -> None:
    for side in ("source", "target"):
        _side(change, side)
    if not change.is_new:
        return
    same = " AND ".join(f"{name} = :{name}" for name in ("object", "source_kind", "source_id"))
    same += " AND target_kind = :target_kind AND target_id = :target_id"
    if change.ctx.store.one(f"SELECT 1 FROM crm_sharing_rule WHERE {same}", change.after) is not None:
        change.refuse("target_id", "there is such a rule already; change its access")


RULE = SettingType(KINDS["sharing_rule"], _rules)


@command("crm")
def create_sharing_rule(ctx: Context, values: SharingRuleInput) -> Created:
    """Share the records that people in a role or group own with those in another."""
    return create_setting(ctx, RULE, values)


@command("crm")
def update_sharing_rule(ctx: Context, values: UpdateSharingRuleInput) -> Updated:
    """Change the access that a sharing rule gives."""
    return update_setting(ctx, RULE, values.id, values.row_version, values.values)


@command("crm")
def delete_sharing_rule(ctx: Context, values: DeleteInput) -> Deleted:
    """Delete a sharing rule; the access it gave ends at once."""
    return delete_setting(ctx, RULE.kind, values)
