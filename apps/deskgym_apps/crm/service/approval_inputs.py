"""What approvals take and give back (row 27)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from ...kit.fields import Body, Id
from ...kit.operations import Input
from .inputs import body

_RECORD = Field(title="Record", description="An account, opportunity, lead, case or quote.")


class SubmitInput(Input):
    """A record that somebody else has to approve."""

    id: Id = _RECORD
    comment: Body | None = body("Comment", 2000, "What the approver should know.")


class DecideInput(Input):
    """The answer to what was submitted."""

    id: Id = _RECORD
    decision: Literal["approve", "reject"] = Field(title="Decision")
    comment: Body | None = body("Comment", 2000, "What who submitted it should know.")


class RecallInput(Input):
    """A record whose approval is no longer asked for."""

    id: Id = _RECORD
    comment: Body | None = body("Comment", 2000, "Why it is taken back.")


class ApprovalOutcome(BaseModel):
    """An approval request after the command. `approver` is who decides, None where several may."""

    id: str
    request: str
    status: str
    process: str
    approver: str | None


class ApprovalKey(Input):
    """A record."""

    id: Id = _RECORD


class ApprovalState(BaseModel):
    """What can be done about the approval of a record. `process` is the one that it would enter, or is in."""

    process: str | None
    pending: dict[str, Any] | None
    may_submit: bool
    may_decide: bool
    may_recall: bool


class ApprovalsInput(Input):
    """Which approval requests to show."""

    scope: Literal["waiting", "sent", "decided"] = Field(
        default="waiting", description="waiting for your decision, sent by you, or decided by you."
    )
    limit: int = Field(default=25, ge=1, le=200)
    offset: int = Field(default=0, ge=0, le=100_000)


class Approvals(BaseModel):
    """Newest first; `record_id` leads to the record."""

    rows: list[dict[str, Any]]
    total: int
    next_offset: int | None
