"""Assignment rules (row 26): entries in order, the first whose criteria all hold wins, else the default owner."""

from __future__ import annotations

from typing import Any

from ....kit.call import Context
from ....kit.operations import command
from ....kit.roles import Row
from ..inputs import Created, Deleted, DeleteInput, Updated
from ..kinds import KINDS
from .criteria import assignable
from .inputs import EntryInput, UpdateAssignmentRuleInput, UpdateEntryInput
from .settings import SettingChange, SettingType, create_setting, delete_setting, update_setting

_TABLE = "crm_assignment_entry"


def _check_owner(change: SettingChange, column: str, thing: str) -> None:
    """I7: an active user, or a queue of that kind of record."""
    owner = change.after[column]
    if owner is None or not change.moved(column):
        return
    queue = change.ctx.store.get("crm_group", owner)
    user = change.ctx.store.get("crm_user", owner)
    if queue is not None and queue["queue_object"] != thing:
        change.refuse(column, f"{queue['name']} is no queue of {KINDS[thing].plural.lower()}")
    elif queue is None and (user is None or not user["is_active"]):
        change.refuse(column, f'"{owner}" is neither an active user nor a queue')


def _rule_rules(change: SettingChange) -> None:
    change.need_unique("name")
    _check_owner(change, "default_owner_id", str(change.after["object"]))
    if change.moved("is_active") and change.after["is_active"]:
        sql = "SELECT name FROM crm_assignment_rule WHERE object = :object AND is_active = 1 AND id <> :id"
        other = change.ctx.store.one(sql, change.after)
        if other is not None:
            change.refuse("is_active", f'"{other["name"]}" is active; deactivate it first')


RULE = SettingType(KINDS["assignment_rule"], _rule_rules)


@command("crm")
def update_assignment_rule(ctx: Context, values: UpdateAssignmentRuleInput) -> Updated:
    """Rename an assignment rule, switch it on or off, or change who gets what no entry is about."""
    return update_setting(ctx, RULE, values.id, values.row_version, values.values)


def _entries(ctx: Context, rule_id: str) -> list[Row]:
    return sorted(ctx.store.select(_TABLE, rule_id=rule_id), key=lambda row: (int(row["sort"]), str(row["id"])))


def _entry_rules(change: SettingChange) -> None:
    after, given = change.after, change.given
    if change.is_new:
        after["rule_id"] = given["rule_id"]
    rule = change.ctx.store.get("crm_assignment_rule", after["rule_id"])
    if rule is None:
        change.refuse("rule_id", f'there is no assignment rule "{after["rule_id"]}"')
        return
    if given.get("criteria") is not None:
        after["criteria"] = assignable(change, rule["object"], given["criteria"])
    elif "criteria" in given:
        change.refuse("criteria", "Criteria cannot be empty")
    _check_owner(change, "owner_id", rule["object"])
    others = [row for row in _entries(change.ctx, rule["id"]) if row["id"] != after["id"]]
    if given.get("position") is not None or change.is_new:
        after["sort"] = min(int(given.get("position") or len(others) + 1), len(others) + 1)


def _make_room(change: SettingChange) -> None:
    """Number the entries of the rule anew around this one."""
    others = [row for row in _entries(change.ctx, change.after["rule_id"]) if row["id"] != change.after["id"]]
    renumber(change.ctx, _TABLE, others, at=int(change.after["sort"]))


def renumber(ctx: Context, table: str, rows: list[Row], at: int | None = None) -> None:
    """Give rows the places 1, 2, … in their order, leaving the place `at` free."""
    place = 0
    for row in rows:
        place += 2 if place + 1 == at else 1
        if row["sort"] != place:
            changes: dict[str, Any] = {"sort": place, "row_version": int(row["row_version"]) + 1}
            ctx.update(table, row["id"], changes)


ENTRY = SettingType(KINDS["assignment_entry"], _entry_rules, _make_room)


@command("crm")
def create_assignment_entry(ctx: Context, values: EntryInput) -> Created:
    """Add an entry to an assignment rule, at a place or at the end."""
    return create_setting(ctx, ENTRY, values)


@command("crm")
def update_assignment_entry(ctx: Context, values: UpdateEntryInput) -> Updated:
    """Change an entry's criteria, owner or place."""
    return update_setting(ctx, ENTRY, values.id, values.row_version, values.values)


@command("crm")
def delete_assignment_entry(ctx: Context, values: DeleteInput) -> Deleted:
    """Remove an entry of an assignment rule; those behind it move up."""
    row = ctx.store.get(_TABLE, values.id)
    gone = delete_setting(ctx, ENTRY.kind, values)
    if row is not None:
        renumber(ctx, _TABLE, _entries(ctx, row["rule_id"]))
    return gone
