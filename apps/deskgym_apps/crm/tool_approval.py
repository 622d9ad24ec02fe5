"""The MCP tool of approvals (row 27, mcp.md §8.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..kit.store import Store
from ..kit.tools import Planned, Tool
from .tool_actions import Actions, chosen

_ACTIONS: Actions = {
    "submit": ("crm.submit_approval", ("id",), ("comment",)),
    "approve": ("crm.decide_approval", ("id",), ("comment",)),
    "reject": ("crm.decide_approval", ("id",), ("comment",)),
    "recall": ("crm.recall_approval", ("id",), ("comment",)),
}


def _plan(_store: Store, _person_id: str, arguments: Mapping[str, Any]) -> Planned:
    operation, given = chosen(_ACTIONS, arguments)
    decides = arguments["action"] in ("approve", "reject")
    return operation, given | ({"decision": arguments["action"]} if decides else {})


APPROVAL_TOOL = Tool(
    name="crm_approval",
    title="Submit for approval, or decide",
    description="submit: asks for the approval of an account, opportunity, lead, case or quote; the active approval "
    "process whose criteria the record meets says who decides, and the record is locked meanwhile. approve, reject: "
    "for the approver alone; the process may then set a field. recall: takes the request back, for who submitted it "
    "and who may change the record. A quote that needs review is In Review while pending, then Approved or Rejected. "
    "crm_get with related approvals shows a record's requests. "
    'Example: {"action": "submit", "id": "OPP…", "comment": "Customer asks for 60 days."}.',
    schema={
        "type": "object",
        "properties": {
            "action": {"type": "string", "enum": list(_ACTIONS)},
            "id": {"type": "string", "pattern": "^[A-Z0-9]{15}$", "description": "The record."},
            "comment": {"type": "string", "maxLength": 2000},
        },
        "required": ["action", "id"],
        "additionalProperties": False,
    },
    writes=True,
    plan=_plan,
)
