"""Approvals (row 27): submit, decide, recall. A record is locked while its approval is pending.

One mechanism for all objects. A quote's status follows it: In Review while pending, then Approved, Rejected, or a
draft again (CRM-7).
"""

from __future__ import annotations

from typing import Any

from ...kit.call import Context
from ...kit.errors import Forbidden, Invalid
from ...kit.operations import command, query
from ...kit.roles import Row
from .. import rules_quotes
from ..rules_approvals import (
    APPROVABLE,
    APPROVED,
    GROUP,
    LEADER,
    MANAGER,
    ONE,
    OUTCOMES,
    PENDING,
    RECALLED,
    REJECTED,
)
from .access import READ, WRITE, User, reader
from .approval_inputs import (
    ApprovalKey,
    ApprovalOutcome,
    Approvals,
    ApprovalsInput,
    ApprovalState,
    DecideInput,
    RecallInput,
    SubmitInput,
)
from .approval_rows import (
    leads,
    manager_of,
    may_decide,
    members,
    owner_of,
    pending_of,
    process_for,
    requests,
    waits_for_me,
)
from .changes import Change
from .kinds import KINDS, Kind, kind_of
from .records import TYPES, name_of, save
from .setup.criteria import Everything

_TABLE = "crm_approval_request"
_QUOTE_STATUS = {
    PENDING: rules_quotes.IN_REVIEW,
    APPROVED: rules_quotes.APPROVED,
    REJECTED: rules_quotes.REJECTED,
    RECALLED: rules_quotes.DRAFT,
}


def _approvable(record_id: str) -> Kind:
    kind = kind_of(record_id)
    if kind.name not in APPROVABLE:
        raise Invalid(f"{kind.plural.lower()} are not submitted for approval", field="id", allowed=APPROVABLE)
    return kind


def submit(ctx: Context, user: User, kind: Kind, record: Row, comment: str | None) -> Row:
    """Write the request of a record that the person may change, and tell who decides. Raises Invalid."""
    process = process_for(ctx, kind, record["id"])
    if process is None:
        raise Invalid(f"no active approval process takes this {kind.label.lower()} as it is", field="id")
    approver = _approver(ctx, process)
    request = {
        "id": ctx.new_id(_TABLE),
        "process_id": process["id"],
        "object": kind.name,
        "record_id": record["id"],
        "status": PENDING,
        "approver_kind": process["approver_kind"],
        "approver_id": approver,
        "request_comment": comment,
        "submitted_at": ctx.now,
        "submitted_by": user.id,
    }
    ctx.insert(_TABLE, request)
    _follow_quote(ctx, kind, record["id"], PENDING)
    name = name_of(ctx, kind, record["id"])
    body = f"{ctx.person['name']} asks you to approve the {kind.label.lower()} {name}"
    for person_id in _told(ctx, request):
        _tell(ctx, person_id, "approval_asked", request, body)
    return _stored(ctx, request["id"])


def _approver(ctx: Context, process: Row) -> str | None:
    """Who decides on what the person submits; None for whoever leads the owner. Raises Invalid where nobody would."""
    if process["approver_kind"] == MANAGER:
        found = manager_of(ctx, ctx.person_id)
        if found is None:
            raise Invalid("you have no active manager who could approve this; ask an administrator", field="id")
        return found
    key = process["approver_id"]
    if process["approver_kind"] == ONE:
        user = ctx.store.get("crm_user", key)
        if user is None or not user["is_active"]:
            raise Invalid("the approver of this process is not active; ask an administrator", field="id")
    if process["approver_kind"] == GROUP and not members(ctx, str(key)):
        raise Invalid("nobody is in the group that approves this; ask an administrator", field="id")
    return None if key is None else str(key)


def _told(ctx: Context, request: Row) -> list[str]:
    if request["approver_kind"] == GROUP:
        return members(ctx, request["approver_id"])
    if request["approver_kind"] == LEADER:
        manager = manager_of(ctx, owner_of(ctx, request))
        return [manager] if manager else []
    return [request["approver_id"]]


def _tell(ctx: Context, person_id: str, kind: str, request: Row, body: str) -> None:
    if person_id == ctx.person_id:
        return
    row = {"person_id": person_id, "kind": kind, "object": request["object"], "record_id": request["record_id"]}
    made = {"id": ctx.new_id("crm_notification"), "created_at": ctx.now, "created_by": ctx.person_id}
    ctx.insert("crm_notification", row | made | {"body": body})


def _stored(ctx: Context, request_id: str) -> Row:
    row = ctx.store.get(_TABLE, request_id)
    if row is None:
        raise LookupError(f"there is no approval request {request_id}")
    return row


def _end(ctx: Context, request: Row, status: str, comment: str | None) -> None:
    end = {"status": status, "is_decided": 1, "decided_at": ctx.now, "decided_by": ctx.person_id, "comment": comment}
    ctx.update(_TABLE, request["id"], end)


def decide(ctx: Context, user: User, request: Row, status: str, comment: str | None) -> None:
    """Approve or reject: the end of the request, its final action, and a word to who submitted it. Raises Forbidden."""
    if not may_decide(user, request):
        raise Forbidden(_who_may(request))
    kind = KINDS[request["object"]]
    _end(ctx, request, status, comment)
    _follow_quote(ctx, kind, request["record_id"], status)
    _final_action(ctx, kind, request, "approve" if status == APPROVED else "reject")
    name = name_of(ctx, kind, request["record_id"])
    body = f"{ctx.person['name']} {status.lower()} the {kind.label.lower()} {name}"
    _tell(ctx, request["submitted_by"], "approval_decided", request, body)


def _who_may(request: Row) -> str:
    if request["approver_kind"] == LEADER:
        owner = "opportunity's owner" if request["object"] == "quote" else "owner"
        return f"only a manager above the {owner} or a vice president may approve or reject"
    return "only the approver may approve or reject this"


def recall(ctx: Context, request: Row, comment: str | None) -> None:
    """Take a request back; the record is as it was, and a quote a draft."""
    _end(ctx, request, RECALLED, comment)
    _follow_quote(ctx, KINDS[request["object"]], request["record_id"], RECALLED)


def _follow_quote(ctx: Context, kind: Kind, record_id: str, status: str) -> None:
    if kind.name == "quote":
        save(ctx, kind, _record(ctx, kind, record_id), {"status": _QUOTE_STATUS[status]})


def _record(ctx: Context, kind: Kind, record_id: str) -> Row:
    row = ctx.store.get(kind.table, record_id)
    if row is None:
        raise LookupError(f"there is no {kind.name} {record_id}")
    return row


def _final_action(ctx: Context, kind: Kind, request: Row, outcome: str) -> None:
    """Set what the process says, by the record's own rules and whoever decides. Raises Invalid."""
    process = ctx.store.get("crm_approval_process", request["process_id"])
    if process is None or process[f"{outcome}_field"] is None:
        return
    record, before = TYPES[kind.name], _record(ctx, kind, request["record_id"])
    given = {str(process[f"{outcome}_field"]): process[f"{outcome}_value"]}
    change = Change(Everything(ctx), kind, record.changes, given, before)
    change.check_fields()
    record.rules(change)
    change.raise_faults()
    if save(ctx, kind, before, change.columns()) != before["row_version"]:
        record.follow(change)


def _outcome(ctx: Context, request_id: str) -> ApprovalOutcome:
    found = requests(ctx, "t.id = :id", {"id": request_id})[0]
    return ApprovalOutcome(
        id=found["record_id"],
        request=found["id"],
        status=found["status"],
        process=found["process"],
        approver=found["approver"],
    )


def _pending(ctx: Context, kind: Kind, record_id: str) -> Row:
    request = pending_of(ctx, record_id)
    if request is None:
        raise Invalid(f"no approval of this {kind.label.lower()} is pending", field="id")
    return request


@command("crm")
def submit_approval(ctx: Context, values: SubmitInput) -> ApprovalOutcome:
    """Submit a record for approval: it is locked until it is approved, rejected or recalled."""
    user, kind = User(ctx), _approvable(values.id)
    if pending_of(ctx, values.id) is not None and user.reaches(kind, values.id, READ):
        raise Invalid(f"the approval of this {kind.label.lower()} is pending already", field="id")
    record = user.load(kind, values.id, WRITE)
    if kind.name == "quote" and record["status"] != rules_quotes.NEEDS_REVIEW:
        message = f"a quote that is {record['status']} cannot be submitted; mark it as {rules_quotes.NEEDS_REVIEW}"
        raise Invalid(message, field="id")
    return _outcome(ctx, submit(ctx, user, kind, record, values.comment)["id"])


@command("crm")
def decide_approval(ctx: Context, values: DecideInput) -> ApprovalOutcome:
    """Approve or reject what is pending. Only for its approver, whatever else they may do with the record."""
    user, kind = User(ctx), _approvable(values.id)
    request = pending_of(ctx, values.id)
    if request is None or not may_decide(user, request):
        user.load(kind, values.id)
    request = _pending(ctx, kind, values.id)
    decide(ctx, user, request, OUTCOMES[values.decision], values.comment)
    return _outcome(ctx, request["id"])


@command("crm")
def recall_approval(ctx: Context, values: RecallInput) -> ApprovalOutcome:
    """Take back what is pending. For who submitted it, and who could change the record if it were not locked."""
    user, kind = User(ctx), _approvable(values.id)
    request = pending_of(ctx, values.id)
    if request is None or request["submitted_by"] != user.id:
        user.load(kind, values.id)
    request = _pending(ctx, kind, values.id)
    if not may_recall(user, kind, request):
        raise Forbidden("only who submitted this, or who may change the record, may recall it")
    recall(ctx, request, values.comment)
    return _outcome(ctx, request["id"])


def may_recall(user: User, kind: Kind, request: Row) -> bool:
    """Whether a person may take a request back."""
    return bool(request["submitted_by"] == user.id) or user.reaches(kind, request["record_id"], WRITE)


@query("crm")
def approval_state(ctx: Context, values: ApprovalKey) -> ApprovalState:
    """What you may do about the approval of a record."""
    user, kind = reader(ctx), _approvable(values.id)
    record = user.load(kind, values.id)
    found = requests(ctx, "t.record_id = :about AND t.status = 'Pending'", {"about": values.id})
    if found:
        request = found[0]
        is_open = "edit" in user.rights(kind.name)
        return ApprovalState(
            process=request["process"],
            pending=request,
            may_submit=False,
            may_decide=is_open and may_decide(user, request),
            may_recall=is_open and may_recall(user, kind, request),
        )
    may_submit = record["level"] >= WRITE
    process = process_for(ctx, kind, values.id) if may_submit else None
    return ApprovalState(
        process=None if process is None else process["name"],
        pending=None,
        may_submit=process is not None,
        may_decide=False,
        may_recall=False,
    )


@query("crm")
def approvals(ctx: Context, values: ApprovalsInput) -> Approvals:
    """Approval requests that wait for you, that you sent, or that you decided; the newest first."""
    user = reader(ctx)
    condition = {
        "sent": "t.submitted_by = :me",
        "decided": "t.decided_by = :me AND t.status <> 'Recalled'",
        "waiting": waits_for_me(user),
    }[values.scope]
    total = ctx.store.one(f"SELECT count(*) AS n FROM crm_approval_request t WHERE {condition}", user.params)
    count = int(total["n"]) if total else 0
    page: dict[str, Any] = user.params | {"limit": values.limit, "offset": values.offset}
    rows = requests(ctx, condition, page, "LIMIT :limit OFFSET :offset")
    following = values.offset + values.limit
    return Approvals(rows=rows, total=count, next_offset=following if following < count else None)


__all__ = ["approval_state", "approvals", "decide_approval", "leads", "recall_approval", "submit_approval"]
