"""The MCP tool of what happened around a record: its timeline, or the changes of its tracked fields alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..kit.store import Store
from ..kit.tools import Planned, Tool
from .service.history import HistoryInput
from .service.timeline import TimelineInput
from .tool_actions import Actions, chosen
from .tool_schemas import schema_of

_ACTIONS: Actions = {
    "activities": ("crm.timeline", ("id",), ("kinds", "limit", "offset")),
    "history": ("crm.history", ("id",), ("limit", "offset")),
}


def _plan(_store: Store, _person_id: str, arguments: Mapping[str, Any]) -> Planned:
    return chosen(_ACTIONS, {"action": "activities"} | dict(arguments))


def _schema() -> dict[str, Any]:
    action = {"type": "string", "enum": list(_ACTIONS), "default": "activities"}
    properties = schema_of(HistoryInput)["properties"] | schema_of(TimelineInput)["properties"]
    properties["id"] = properties["id"] | {"description": "The record; of history also a task, event or article."}
    return {
        "type": "object",
        "properties": {"action": action} | properties,
        "required": ["id"],
        "additionalProperties": False,
    }


TIMELINE_TOOL = Tool(
    name="crm_timeline",
    title="Read a timeline or field history",
    description="activities: tasks, calls, events, e-mails, notes, comments and field changes around an account, "
    "contact, opportunity, lead or case: overdue, upcoming, then past months, newest first; 50 past entries by "
    "default. E-mails and notes come with their text. history: changes of a record's tracked fields (owner, stage, "
    "amount, close date, account, e-mail, phone, status, …), newest first, with who changed them and when.",
    schema=_schema(),
    writes=False,
    plan=_plan,
)
