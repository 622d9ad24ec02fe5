"""What the set-up of approval processes takes (row 27)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ....kit.fields import Id, Line, Version, widget
from ....kit.operations import Input
from ...rules_approvals import APPROVABLE, APPROVER_KINDS
from ...rules_setup import MAX_CRITERIA
from ..conditions import Condition
from ..inputs import RecordInput, line, lookup, optional

ApproverKind = Literal[APPROVER_KINDS]  # type: ignore[valid-type]
_KINDS = (
    "manager: the manager of who submits. user, group: the approver below, of a group or queue any member. leader: a "
    "role above the owner's, the owner's manager, or a vice president."
)


class ProcessChanges(RecordInput):
    """Fields of an approval process."""

    name: Line | None = line("Process name", 80)
    is_active: bool | None = optional("Active", "checkbox", "What is pending is decided even when it no longer is.")
    criteria: list[Condition] | None = Field(
        default=None,
        title="Criteria",
        min_length=1,
        max_length=MAX_CRITERIA,
        description="Records for which all of them hold may be submitted; operators as in lists.",
        json_schema_extra=widget("criteria"),
    )
    approver_kind: ApproverKind | None = optional("Who approves", "picklist", _KINDS)
    approver_id: Id | None = lookup("Approver", "approver", "A user, public group or queue, where one is named.")
    approve_field: Line | None = line("On approval, set field", 80)
    approve_value: Line | None = line("To the value, when approved", 80)
    reject_field: Line | None = line("On rejection, set field", 80)
    reject_value: Line | None = line("To the value, when rejected", 80)


class ProcessInput(ProcessChanges):
    """A new approval process."""

    object: Literal[APPROVABLE] = Field(title="Object", json_schema_extra=widget("picklist"))  # type: ignore[valid-type]
    name: Line = Field(title="Process name", max_length=80, json_schema_extra=widget("text"))
    criteria: list[Condition] = Field(
        title="Criteria", min_length=1, max_length=MAX_CRITERIA, json_schema_extra=widget("criteria")
    )
    approver_kind: ApproverKind = Field(title="Who approves", description=_KINDS, json_schema_extra=widget("picklist"))


class UpdateProcessInput(Input):
    """Changes of one approval process."""

    id: Id = Field(title="Approval process")
    row_version: Version
    values: ProcessChanges
