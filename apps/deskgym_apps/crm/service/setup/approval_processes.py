"""Approval processes (row 27): which records may be submitted, who decides, what is set in the end."""

from __future__ import annotations

from ....kit.call import Context, canonical_json
from ....kit.operations import command
from ....kit.roles import Row
from ...rules_approvals import GROUP, NAMED, ONE, SET_TYPES
from ...rules_setup import criteria_form
from ..catalog import catalog
from ..changes import picklist_values
from ..inputs import Created, Deleted, DeleteInput, Updated
from ..kinds import KINDS
from .approval_inputs import ProcessInput, UpdateProcessInput
from .criteria import checked
from .settings import SettingChange, SettingType, create_setting, delete_setting, refuse, update_setting


def _rules(change: SettingChange) -> None:
    after, given = change.after, change.given
    change.need_unique("name", object=str(after["object"]))
    if given.get("criteria") is not None:
        after["criteria"] = canonical_json(checked(change, str(after["object"]), given["criteria"]))
        after["conditions"] = criteria_form(change.ctx.store, after)
    elif "criteria" in given:
        change.refuse("criteria", "Criteria cannot be empty")
    _check_approver(change)
    for outcome in ("approve", "reject"):
        _check_action(change, outcome)


def _check_approver(change: SettingChange) -> None:
    after, store = change.after, change.ctx.store
    kind, key = after["approver_kind"], after["approver_id"]
    if kind is None:
        change.refuse("approver_kind", "Who approves cannot be empty")
        return
    if kind not in NAMED:
        if key is not None and change.given.get("approver_id"):
            change.refuse("approver_id", "no approver is named where the manager or a leader decides")
        after["approver_id"] = None
        return
    if key is None:
        change.refuse("approver_id", "say who the approver is")
    elif kind == ONE:
        user = store.get("crm_user", key)
        is_needed = after["is_active"] or change.given.get("approver_id")  # else it waits for its next approver
        if user is None or (is_needed and not user["is_active"]):
            change.refuse("approver_id", f'"{key}" is no active user', said="this is no active user")
    elif kind == GROUP and store.get("crm_group", key) is None:
        change.refuse("approver_id", f'there is no public group or queue "{key}"', said="this is no group or queue")


def _check_action(change: SettingChange, outcome: str) -> None:
    """A final action sets a text or picklist of the record to a value that it may hold."""
    thing, after = str(change.after["object"]), change.after
    name, value = after[f"{outcome}_field"], after[f"{outcome}_value"]
    if (name is None) != (value is None):
        missing = "field" if name is None else "value"
        change.refuse(f"{outcome}_{missing}", "a field and a value go together")
        return
    if name is None:
        return
    field = catalog(thing).fields.get(name)
    if field is None or not field.writable or field.type not in SET_TYPES:
        change.refuse(f"{outcome}_field", f'{thing} has no text or picklist "{name}" that can be set')
    elif field.choices is not None:
        allowed = picklist_values(change.ctx, *field.choices)
        if allowed and value not in allowed:
            change.refuse(f"{outcome}_value", f"{field.label} must be one of {', '.join(allowed)}", allowed)


PROCESS = SettingType(KINDS["approval_process"], _rules)


@command("crm")
def create_approval_process(ctx: Context, values: ProcessInput) -> Created:
    """Create an approval process. Of several that a record may enter, the first by name takes it."""
    return create_setting(ctx, PROCESS, values)


@command("crm")
def update_approval_process(ctx: Context, values: UpdateProcessInput) -> Updated:
    """Change an approval process, or switch it on or off. What is pending keeps its approver."""
    return update_setting(ctx, PROCESS, values.id, values.row_version, values.values)


def _unused(ctx: Context, row: Row) -> None:
    if next(ctx.store.select("crm_approval_request", process_id=row["id"]), None) is not None:
        raise refuse("id", "records were submitted to this process; switch it off instead")


@command("crm")
def delete_approval_process(ctx: Context, values: DeleteInput) -> Deleted:
    """Delete an approval process that nothing was ever submitted to."""
    return delete_setting(ctx, PROCESS.kind, values, _unused)
