"""Assignment rules of cases and leads (row 26): the first entry whose conditions all hold, else the default owner.

Criteria are JSON: `[{"field": "account.region", "op": "equals", "value": "EMEA"}, …]`. Fields are columns of the
record, or of its account, contact or product; operators are equals, in and contains, all without case and accents.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ...kit.call import Context
from ...kit.norm import norm

_PARENTS = {"account": "crm_account", "contact": "crm_contact", "product": "crm_product"}


def assign(ctx: Context, thing: str, record: Mapping[str, Any], otherwise: str) -> str:
    """The owner of a new record by the active rule; `otherwise` where there is none, or its owner may own nothing."""
    rule = ctx.store.one("SELECT * FROM crm_assignment_rule WHERE object = ? AND is_active = 1", (thing,))
    if rule is None:
        return otherwise
    entries = ctx.store.all("SELECT * FROM crm_assignment_entry WHERE rule_id = ? ORDER BY sort", (rule["id"],))
    first = next((row for row in entries if _holds(ctx, record, json.loads(row["criteria"]))), None)
    owner = str(first["owner_id"] if first else rule["default_owner_id"])
    return owner if _may_own(ctx, thing, owner) else otherwise


def _may_own(ctx: Context, thing: str, owner: str) -> bool:
    """I7: a queue of that kind of record, or an active user."""
    queue = ctx.store.get("crm_group", owner)
    if queue is not None:
        return bool(queue["queue_object"] == thing)
    user = ctx.store.get("crm_user", owner)
    return user is not None and bool(user["is_active"])


def _holds(ctx: Context, record: Mapping[str, Any], criteria: list[dict[str, Any]]) -> bool:
    return all(_meets(_value(ctx, record, item["field"]), item["op"], item["value"]) for item in criteria)


def _value(ctx: Context, record: Mapping[str, Any], field: str) -> Any:
    prefix, _, name = field.rpartition(".")
    if not prefix:
        return record[name]
    key = record[f"{prefix}_id"]
    parent = None if key is None else ctx.store.get(_PARENTS[prefix], key)
    return None if parent is None else parent[name]


def _meets(value: Any, op: str, wanted: Any) -> bool:
    if value is None:
        return False
    text = norm(str(value))
    if op == "equals":
        return text == norm(str(wanted))
    if op == "in":
        return text in [norm(str(item)) for item in wanted]
    if op == "contains":
        return norm(str(wanted)) in text
    raise ValueError(f'assignment rules know no operator "{op}"')
