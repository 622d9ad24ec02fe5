"""Public groups and queues with their members: users, roles, and roles with those below."""

from __future__ import annotations

from ....kit.call import Context
from ....kit.operations import command
from ....kit.roles import Row
from ..inputs import Created, Deleted, DeleteInput, Updated
from ..kinds import KINDS, kind_of
from .inputs import GroupInput, MemberInput, QueueInput, UpdateQueueInput
from .people import need_unused
from .settings import SettingChange, SettingType, create_setting, delete_setting, update_setting


def _group_rules(change: SettingChange) -> None:
    if change.is_new:
        change.after["kind"] = "queue" if change.after["queue_object"] else "public_group"
    change.need_unique("name")
    if change.after["kind"] != "queue" and change.after["email"] is not None:
        change.refuse("email", "only a queue has an e-mail address")


GROUP = SettingType(KINDS["group"], _group_rules)
QUEUE = SettingType(KINDS["queue"], _group_rules)


@command("crm")
def create_group(ctx: Context, values: GroupInput) -> Created:
    """Create a public group."""
    return create_setting(ctx, GROUP, values)


@command("crm")
def create_queue(ctx: Context, values: QueueInput) -> Created:
    """Create a queue."""
    return create_setting(ctx, QUEUE, values)


@command("crm")
def update_queue(ctx: Context, values: UpdateQueueInput) -> Updated:
    """Rename a queue or public group, or change a queue's e-mail."""
    return update_setting(ctx, QUEUE, values.id, values.row_version, values.values)


_USES = (
    ("crm_case", "owner_id = :id AND is_deleted = 0", "cases belong to it"),
    ("crm_sharing_rule", "source_id = :id OR target_id = :id", "sharing rules name it"),
    ("crm_record_share", "grantee_id = :id", "records are shared with it"),
    ("crm_assignment_rule", "default_owner_id = :id", "assignment rules end with it"),
    ("crm_assignment_entry", "owner_id = :id", "assignment entries name it"),
    ("crm_list_view_share", "group_id = :id", "list views are shared with it"),
    ("crm_group_member", "group_id = :id", "it has members"),
)


def _is_free(ctx: Context, row: Row) -> None:
    need_unused(ctx, row, _USES)


@command("crm")
def delete_queue(ctx: Context, values: DeleteInput) -> Deleted:
    """Delete a queue or public group that is empty and in no use, for good."""
    return delete_setting(ctx, QUEUE.kind, values, _is_free)


def _member_rules(change: SettingChange) -> None:
    after = change.after
    after |= {name: change.given[name] for name in ("group_id", "member_kind", "member_id")}
    if change.ctx.store.get("crm_group", after["group_id"]) is None:
        change.refuse("group_id", f'there is no group "{after["group_id"]}"')
    wanted = "user" if after["member_kind"] == "user" else "role"
    table = "crm_user" if wanted == "user" else "crm_role"
    prefix = after["member_id"][:3]
    if prefix != KINDS[wanted].prefix or change.ctx.store.get(table, after["member_id"]) is None:
        change.refuse("member_id", f'there is no {wanted} "{after["member_id"]}"; the kind of member is {wanted}')
    same = "group_id = :group_id AND member_kind = :member_kind AND member_id = :member_id"
    if change.ctx.store.one(f"SELECT 1 FROM crm_group_member WHERE {same}", after) is not None:
        change.refuse("member_id", "this is a member of the group already")


MEMBER = SettingType(KINDS["group_member"], _member_rules)


@command("crm")
def create_group_member(ctx: Context, values: MemberInput) -> Created:
    """Add a member to a public group or queue."""
    return create_setting(ctx, MEMBER, values)


@command("crm")
def delete_group_member(ctx: Context, values: DeleteInput) -> Deleted:
    """Take a member out of a public group or queue."""
    return delete_setting(ctx, MEMBER.kind, values)


def named_kind(ctx: Context, record_id: str) -> str:
    """The kind of a record by its id, public groups told apart from queues. Raises NotFound for an unknown prefix."""
    kind = kind_of(record_id).name
    row = ctx.store.get("crm_group", record_id) if kind == "queue" else None
    return "group" if row is not None and row["kind"] == "public_group" else kind
