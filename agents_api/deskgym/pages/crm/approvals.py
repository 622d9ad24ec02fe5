"""Approvals by hand: submitting from a record's page, deciding and recalling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..filling import fill
from ..visit import Visit
from .records import Action, record_path, save

_BUTTONS = {"submit": "Submit", "approve": "Approve", "reject": "Reject", "recall": "Recall"}
_STATUSES = {"submit": "Pending", "approve": "Approved", "reject": "Rejected", "recall": "Recalled"}


async def approval(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """One action on the approval of a record: submit, approve, reject or recall, with a comment."""
    action = str(args["action"])
    await visit.go(f"{record_path(str(args['id']))}/approval/{action}")
    if args.get("comment"):
        await fill(visit, visit.main, "Comment", "textarea", args["comment"])
    await save(visit, _BUTTONS[action])
    return {"id": args["id"], "status": _STATUSES[action]}


ACTIONS: Mapping[str, Action] = {"approval": approval}
