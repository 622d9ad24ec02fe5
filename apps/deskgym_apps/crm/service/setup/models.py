"""The input models of the set-up by kind: what a new row takes, what may change, and what may be deleted."""

from __future__ import annotations

from collections.abc import Mapping

from ....kit.operations import Input
from . import approval_inputs, inputs

CREATED: Mapping[str, type[Input]] = {
    "role": inputs.RoleInput,
    "group": inputs.GroupInput,
    "queue": inputs.QueueInput,
    "group_member": inputs.MemberInput,
    "permission_set": inputs.PermissionSetInput,
    "permission_set_assignment": inputs.AssignmentInput,
    "sharing_rule": inputs.SharingRuleInput,
    "assignment_entry": inputs.EntryInput,
    "approval_process": approval_inputs.ProcessInput,
    "validation_rule": inputs.ValidationRuleInput,
    "picklist_value": inputs.PicklistValueInput,
}
CHANGED: Mapping[str, type[Input]] = {
    "user": inputs.UserChanges,
    "role": inputs.RoleChanges,
    "queue": inputs.QueueChanges,
    "profile": inputs.ProfileChanges,
    "permission_set": inputs.PermissionSetChanges,
    "sharing_rule": inputs.SharingRuleChanges,
    "assignment_rule": inputs.AssignmentRuleChanges,
    "assignment_entry": inputs.EntryChanges,
    "approval_process": approval_inputs.ProcessChanges,
    "validation_rule": inputs.ValidationRuleChanges,
    "picklist_value": inputs.PicklistValueChanges,
}
DELETED = frozenset(
    {
        "role",
        "queue",
        "group_member",
        "permission_set",
        "permission_set_assignment",
        "sharing_rule",
        "assignment_entry",
        "approval_process",
        "validation_rule",
    }
)
