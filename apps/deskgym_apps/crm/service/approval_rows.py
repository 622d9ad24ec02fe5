"""Reading approvals: what is pending, who decides, and the history of a record's approvals (row 27)."""

from __future__ import annotations

import json
from typing import Any

from ...kit.call import Context
from ...kit.roles import Row
from ..rules_approvals import APPROVABLE, GROUP, LEADER, PENDING
from .access import User
from .conditions import Condition, where
from .kinds import KINDS, Kind
from .setup.criteria import whole

OWNER = (
    "CASE t.object "
    + " ".join(
        f"WHEN '{kind}' THEN (SELECT {str(KINDS[kind].owner_sql).format(t='r')} FROM {KINDS[kind].table} r "
        "WHERE r.id = t.record_id)"
        for kind in APPROVABLE
    )
    + " END"
)
RECORD_NAME = (
    "CASE t.object "
    + " ".join(
        f"WHEN '{kind}' THEN (SELECT {KINDS[kind].name_sql.format(t='r')} FROM {KINDS[kind].table} r "
        "WHERE r.id = t.record_id)"
        for kind in APPROVABLE
    )
    + " END"
)
_SHOWN = (
    "t.id, t.object, t.record_id, t.status, t.approver_kind, t.approver_id, t.request_comment, t.submitted_at, "
    "t.submitted_by, t.decided_at, t.decided_by, t.comment, a.name AS process, s.name AS submitted_by_name, "
    "d.name AS decided_by_name, coalesce(x.name, g.name) AS approver"
)
_SOURCE = (
    "crm_approval_request t JOIN crm_approval_process a ON a.id = t.process_id JOIN org_person s ON s.id = "
    "t.submitted_by LEFT JOIN org_person d ON d.id = t.decided_by LEFT JOIN org_person x ON x.id = t.approver_id "
    "LEFT JOIN crm_group g ON g.id = t.approver_id"
)
_MEMBERS = """
WITH RECURSIVE parts(kind, id) AS (
  SELECT member_kind, member_id FROM crm_group_member WHERE group_id = :group
), roles(id, deep) AS (
  SELECT id, kind = 'role_and_sub' FROM parts WHERE kind <> 'user'
  UNION SELECT r.id, 1 FROM crm_role r JOIN roles p ON p.deep = 1 AND r.parent_role_id = p.id
)
SELECT person_id FROM crm_user WHERE is_active = 1 AND (person_id IN (SELECT id FROM parts WHERE kind = 'user')
  OR role_id IN (SELECT id FROM roles)) ORDER BY person_id
"""


def pending_of(ctx: Context, record_id: str) -> Row | None:
    """The pending request of a record."""
    sql = "SELECT * FROM crm_approval_request WHERE record_id = ? AND status = 'Pending'"
    return ctx.store.one(sql, (record_id,))


def process_for(ctx: Context, kind: Kind, record_id: str) -> Row | None:
    """The active process that a record may enter: the first by name whose criteria all hold."""
    sql = "SELECT * FROM crm_approval_process WHERE object = ? AND is_active = 1 ORDER BY name, id"
    for process in ctx.store.all(sql, (kind.name,)):
        selection = whole(ctx, kind.name)
        parts = [
            Condition(field=item["field"], op=item["op"], value=item.get("value"))
            for item in json.loads(process["criteria"])
        ]
        test = where(selection, parts, None)
        rest = f"WHERE t.id = :id AND t.is_deleted = 0 AND ({test})"
        if selection.all(f"SELECT 1 FROM {selection.source(test)} {rest}", id=record_id):
            return process
    return None


def members(ctx: Context, group_id: str) -> list[str]:
    """The active users of a public group or queue."""
    return [str(row["person_id"]) for row in ctx.store.all(_MEMBERS, {"group": group_id})]


def manager_of(ctx: Context, person_id: str) -> str | None:
    """The active manager of a user."""
    sql = (
        "SELECT m.person_id FROM crm_user u JOIN crm_user m ON m.person_id = u.manager_id "
        "WHERE u.person_id = ? AND m.is_active = 1"
    )
    row = ctx.store.one(sql, (person_id,))
    return None if row is None else str(row["person_id"])


def owner_of(ctx: Context, request: Row) -> str:
    """Who owns the record of a request."""
    sql = f"SELECT {OWNER} AS owner FROM crm_approval_request t WHERE t.id = ?"
    row = ctx.store.one(sql, (request["id"],))
    return "" if row is None else str(row["owner"])


def leads(user: User, owner_id: str) -> bool:
    """Whether a person decides as a leader: a role above the owner's, the owner's manager, or a vice president."""
    manager = user.ctx.store.one("SELECT manager_id FROM crm_user WHERE person_id = ?", (owner_id,))
    return user.is_vp or owner_id in user.team or (manager is not None and manager["manager_id"] == user.id)


def may_decide(user: User, request: Row) -> bool:
    """Whether a person is the approver of a request, or one of them."""
    if request["approver_kind"] == LEADER:
        return leads(user, owner_of(user.ctx, request))
    if request["approver_kind"] == GROUP:
        return request["approver_id"] in user.groups or request["approver_id"] in user.queues
    return bool(request["approver_id"] == user.id)


def waits_for_me(user: User) -> str:
    """SQL: whether a request is pending and the person decides. Uses `user.params`."""
    led = [row["person_id"] for row in user.ctx.store.select("crm_user", manager_id=user.id)]
    user.params |= {
        "my_approver_ids": json.dumps(sorted({user.id, *user.groups, *user.queues})),
        "led": json.dumps(sorted({*led, *user.team})),
        "is_vp": int(user.is_vp),
    }
    named = "t.approver_id IN (SELECT value FROM json_each(:my_approver_ids))"
    leading = f"t.approver_kind = '{LEADER}' AND (:is_vp = 1 OR {OWNER} IN (SELECT value FROM json_each(:led)))"
    return f"(t.status = '{PENDING}' AND ({named} OR ({leading})))"


def requests(ctx: Context, condition: str, params: dict[str, Any], rest: str = "") -> list[dict[str, Any]]:
    """Requests with the names of people and process, the newest first."""
    sql = f"SELECT {_SHOWN}, {RECORD_NAME} AS record_name FROM {_SOURCE} WHERE {condition} "
    return ctx.store.all(f"{sql}ORDER BY t.submitted_at DESC, t.id {rest}", params)


def approvals_of(ctx: Context, record_id: str) -> list[dict[str, Any]]:
    """Every request about a record, the newest first, for who may read the record."""
    return requests(ctx, "t.record_id = :about", {"about": record_id})
