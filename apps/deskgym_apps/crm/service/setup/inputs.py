"""What the services of the set-up take."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from ....kit.fields import Body, Id, Line, Version, widget
from ....kit.operations import Input
from ...rules import OBJECTS
from ...rules_setup import MAX_CRITERIA
from ..conditions import Condition
from ..inputs import RecordInput, body, line, lookup, optional
from ..kinds import RECORDS

MemberKind = Literal["user", "role", "role_and_sub"]
SharingKind = Literal["role", "role_and_sub", "group"]
SharedObject = Literal["account", "contact", "opportunity", "lead", "case"]
Level = Literal["read", "write"]
_ALL_HOLD = "All of them hold; operators as in lists."
_FIRST = "1 is asked first; the entries behind it move on. The last place, where left out."


def _needed(title: str, kind: str, help: str | None = None, **more: Any) -> Any:
    return Field(title=title, description=help, json_schema_extra=widget(kind, **more))


def _name(title: str, help: str | None = None) -> Any:
    return Field(title=title, max_length=80, description=help, json_schema_extra=widget("text"))


class UserChanges(RecordInput):
    """What administrators set of a user."""

    profile_id: Id | None = lookup("Profile", "profile", "What the user may do.")
    role_id: Id | None = lookup("Role", "role", "Whose records the user sees.")
    manager_id: Id | None = lookup("Manager", "user")
    is_active: bool | None = optional("Active", "checkbox", "An inactive user cannot enter, and gets nothing new.")


class RoleChanges(RecordInput):
    """Fields of a role."""

    name: Line | None = line("Role name", 80)
    parent_role_id: Id | None = lookup("Reports to role", "role", "Roles above reach what those below own.")
    is_vp: bool | None = optional("Vice president", "checkbox", "May give discounts above 30 %.")


class RoleInput(RoleChanges):
    """A new role."""

    name: Line = _name("Role name")


class GroupChanges(RecordInput):
    """Fields of a public group."""

    name: Line | None = line("Group name", 80)


class GroupInput(GroupChanges):
    """A new public group."""

    name: Line = _name("Group name")


class QueueChanges(RecordInput):
    """Fields of a queue, or the name of a public group."""

    name: Line | None = line("Queue name", 80)
    email: Line | None = line("Queue e-mail", 254, "Of queues alone.", "email")


class QueueInput(QueueChanges):
    """A new queue."""

    name: Line = _name("Queue name")
    queue_object: Literal["case"] = _needed("Holds", "picklist", "The kind of record the queue may own.")


class MemberInput(RecordInput):
    """A member of a public group or queue: a user, a role, or a role with all roles below it."""

    group_id: Id = _needed("Group", "id")
    member_kind: MemberKind = _needed("Kind of member", "picklist")
    member_id: Id = _needed("Member", "lookup", "A user or a role.", object="member")


class ObjectPermission(Input):
    """What may be done with records of one object; nothing where all are false."""

    object: Literal[OBJECTS]  # type: ignore[valid-type]
    create: bool = False
    read: bool = False
    edit: bool = False
    delete: bool = False
    view_all: bool = False
    modify_all: bool = False
    export: bool = False
    mass: bool = False


class FieldPermission(Input):
    """How far one field of an object shows."""

    object: Literal[OBJECTS]  # type: ignore[valid-type]
    field: str = Field(max_length=80)
    access: Literal["hidden", "read", "edit"]


_OBJECTS = optional("Object permissions", "permissions", "By object; objects that are not named stay as they are.")
_FIELDS = optional("Field permissions", "permissions", "By field; fields that are not named stay as they are.")


class ProfileChanges(RecordInput):
    """What may change of a profile."""

    can_reopen: bool | None = optional("May reopen closed deals", "checkbox")
    object_permissions: list[ObjectPermission] | None = _OBJECTS
    field_permissions: list[FieldPermission] | None = _FIELDS


class PermissionSetChanges(ProfileChanges):
    """Fields of a permission set: what it adds to a profile."""

    name: Line | None = line("Permission set name", 80)
    description: Body | None = body("Description", 400)


class PermissionSetInput(PermissionSetChanges):
    """A new permission set."""

    name: Line = _name("Permission set name")


class AssignmentInput(RecordInput):
    """A permission set for a user."""

    permission_set_id: Id = _needed("Permission set", "lookup", object="permission_set")
    person_id: Id = _needed("User", "lookup", object="user")


class SharingRuleInput(RecordInput):
    """Records of an object whose owner is in the source are shared with everybody in the target."""

    object: SharedObject = _needed("Object", "picklist")
    source_kind: SharingKind = _needed("Owned by", "picklist")
    source_id: Id = _needed("Role or group of the owners", "lookup", object="party")
    target_kind: SharingKind = _needed("Shared with", "picklist")
    target_id: Id = _needed("Role or group that it is shared with", "lookup", object="party")
    access: Level = _needed("Access", "picklist")


class SharingRuleChanges(RecordInput):
    """What may change of a sharing rule."""

    access: Level | None = optional("Access", "picklist")


class AssignmentRuleChanges(RecordInput):
    """Fields of an assignment rule."""

    name: Line | None = line("Rule name", 80)
    is_active: bool | None = optional("Active", "checkbox", "One rule of an object is active at most.")
    default_owner_id: Id | None = lookup("Otherwise to", "owner", "Who gets what no entry is about.")


class EntryChanges(RecordInput):
    """Fields of an entry of an assignment rule."""

    position: int | None = Field(
        default=None, title="Position", ge=1, le=200, description=_FIRST, json_schema_extra=widget("number")
    )
    criteria: list[Condition] | None = Field(
        default=None,
        title="Criteria",
        min_length=1,
        max_length=MAX_CRITERIA,
        description="All of them hold; operators are equals, in and contains.",
        json_schema_extra=widget("criteria"),
    )
    owner_id: Id | None = lookup("Assign to", "owner", "A user or a queue.")


class EntryInput(EntryChanges):
    """A new entry of an assignment rule."""

    rule_id: Id = _needed("Rule", "id")
    criteria: list[Condition] = Field(
        title="Criteria", min_length=1, max_length=MAX_CRITERIA, json_schema_extra=widget("criteria")
    )
    owner_id: Id = _needed("Assign to", "lookup", "A user or a queue.", object="owner")


class ValidationRuleChanges(RecordInput):
    """Fields of a validation rule."""

    name: Line | None = line("Rule name", 80)
    is_active: bool | None = optional("Active", "checkbox")
    criteria: list[Condition] | None = Field(
        default=None,
        title="Criteria",
        min_length=1,
        max_length=MAX_CRITERIA,
        description=_ALL_HOLD,
        json_schema_extra=widget("criteria"),
    )
    message: Line | None = line("Error message", 200, "What people read when a record is refused.")
    field: Line | None = line("Shown at field", 80, "A field of the object; at the top of the page, where left out.")


class ValidationRuleInput(ValidationRuleChanges):
    """A new validation rule: a record for which all criteria hold is refused."""

    object: Literal[RECORDS] = _needed("Object", "picklist")  # type: ignore[valid-type]
    name: Line = _name("Rule name")
    criteria: list[Condition] = Field(
        title="Criteria", min_length=1, max_length=MAX_CRITERIA, json_schema_extra=widget("criteria")
    )
    message: Line = Field(title="Error message", max_length=200, json_schema_extra=widget("text"))


class PicklistValueChanges(RecordInput):
    """What may change of a picklist value."""

    position: int | None = Field(
        default=None, title="Position", ge=1, le=500, description=_FIRST, json_schema_extra=widget("number")
    )
    is_default: bool | None = optional("Default", "checkbox", "What a new record holds; one value at most.")
    is_active: bool | None = optional("Active", "checkbox", "Retired values stay where they are.")


class PicklistValueInput(PicklistValueChanges):
    """A new value of a picklist."""

    object: str = Field(max_length=40, title="Object", json_schema_extra=widget("text"))
    field: str = Field(max_length=40, title="Field", json_schema_extra=widget("text"))
    value: Line = Field(title="Value", max_length=80, json_schema_extra=widget("text"))


class UpdateUserInput(Input):
    """Changes of one user."""

    id: Id = Field(title="User")
    row_version: Version
    values: UserChanges


class UpdateRoleInput(Input):
    """Changes of one role."""

    id: Id = Field(title="Role")
    row_version: Version
    values: RoleChanges


class UpdateQueueInput(Input):
    """Changes of one queue or public group."""

    id: Id = Field(title="Queue or public group")
    row_version: Version
    values: QueueChanges


class UpdateProfileInput(Input):
    """Changes of one profile."""

    id: Id = Field(title="Profile")
    row_version: Version
    values: ProfileChanges


class UpdatePermissionSetInput(Input):
    """Changes of one permission set."""

    id: Id = Field(title="Permission set")
    row_version: Version
    values: PermissionSetChanges


class UpdateSharingRuleInput(Input):
    """Changes of one sharing rule."""

    id: Id = Field(title="Sharing rule")
    row_version: Version
    values: SharingRuleChanges


class UpdateAssignmentRuleInput(Input):
    """Changes of one assignment rule."""

    id: Id = Field(title="Assignment rule")
    row_version: Version
    values: AssignmentRuleChanges


class UpdateEntryInput(Input):
    """Changes of one entry."""

    id: Id = Field(title="Entry")
    row_version: Version
    values: EntryChanges


class UpdateValidationRuleInput(Input):
    """Changes of one validation rule."""

    id: Id = Field(title="Validation rule")
    row_version: Version
    values: ValidationRuleChanges


class UpdatePicklistValueInput(Input):
    """Changes of one picklist value."""

    id: Id = Field(title="Picklist value")
    row_version: Version
    values: PicklistValueChanges
