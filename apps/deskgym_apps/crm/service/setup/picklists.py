"""Picklist values: add, order, mark as default, retire. What the app's rules name cannot be retired."""

from __future__ import annotations

from ....kit.call import Context
from ....kit.operations import command
from ....kit.roles import Row
from ..inputs import Created, Updated
from ..kinds import KINDS
from .assignment_rules import renumber
from .inputs import PicklistValueInput, UpdatePicklistValueInput
from .settings import SettingChange, SettingType, create_setting, update_setting

_TABLE = "crm_picklist"
# What the app's own rules name: these lists are fixed, or the value is
FIXED_LISTS = {("case", "status"), ("lead", "status"), ("task", "status"), ("article", "status")}
_NAMED = {
    ("opportunity", "lost_reason"): ("Other",),
    ("case", "priority"): ("High", "Medium"),
    ("task", "priority"): ("Normal",),
    ("article", "visibility"): ("Internal", "Public"),
    ("account", "sla_tier"): ("Gold", "Silver", "Bronze"),
}


def _values(ctx: Context, row: Row) -> list[Row]:
    found = ctx.store.select(_TABLE, object=row["object"], field=row["field"])
    return sorted(found, key=lambda item: (int(item["sort"]), str(item["value"])))


def _rules(change: SettingChange) -> None:
    after, given = change.after, change.given
    listed = _values(change.ctx, after)
    name = (str(after["object"]), str(after["field"]))
    if not listed:
        change.refuse("field", f"{name[0]} has no picklist {name[1]}")
        return
    if name in FIXED_LISTS and (change.is_new or change.moved("is_active")):
        change.refuse("value", "the app's rules are about these values; none can be added or retired")
    if change.is_new and any(row["value"].casefold() == str(after["value"]).casefold() for row in listed):
        change.refuse("value", f'"{after["value"]}" is a value of this picklist already')
    if change.moved("is_active") and not after["is_active"]:
        if str(after["value"]) in _NAMED.get(name, ()):
            change.refuse("is_active", f'the app\'s rules are about "{after["value"]}"; it cannot be retired')
        if after["is_default"]:
            change.refuse("is_active", "a default value is active; make another one the default first")
    if after["is_default"] and not after["is_active"]:
        change.refuse("is_default", "only an active value can be the default")
    others = [row for row in listed if row["id"] != after["id"]]
    if given.get("position") is not None or change.is_new:
        after["sort"] = min(int(given.get("position") or len(others) + 1), len(others) + 1)


def _around(change: SettingChange) -> None:
    """Take the default mark from the value that had it, and number the others anew."""
    ctx, after = change.ctx, change.after
    others = [row for row in _values(ctx, after) if row["id"] != after["id"]]
    if after["is_default"]:
        for row in others:
            if row["is_default"]:
                ctx.update(_TABLE, row["id"], {"is_default": 0, "row_version": int(row["row_version"]) + 1})
        others = [row for row in _values(ctx, after) if row["id"] != after["id"]]
    if change.moved("sort"):
        renumber(ctx, _TABLE, others, at=int(after["sort"]))


VALUE = SettingType(KINDS["picklist_value"], _rules, _around)


@command("crm")
def create_picklist_value(ctx: Context, values: PicklistValueInput) -> Created:
    """Add a value to a picklist, at a place or at the end."""
    return create_setting(ctx, VALUE, values)


@command("crm")
def update_picklist_value(ctx: Context, values: UpdatePicklistValueInput) -> Updated:
    """Move a value of a picklist, make it the default, retire it or bring it back."""
    return update_setting(ctx, VALUE, values.id, values.row_version, values.values)
