"""The MCP tool of quotes: what is more than a field of one record (mcp.md §8.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..kit.errors import Invalid
from ..kit.store import Store
from ..kit.tools import Planned, Tool, published_schema
from .rules_quotes import STATUSES
from .service.line_inputs import QuoteLineChanges, QuoteLineInput
from .service.quote_inputs import QuoteInput
from .tool_actions import Actions, chosen

_ACTIONS: Actions = {
    "create": ("crm.create_quote", ("values",), ()),
    "add_line": ("crm.create_quote_line", ("id", "values"), ("row_version",)),
    "edit_line": ("crm.update_quote_line", ("line_id", "values", "row_version"), ()),
    "remove_line": ("crm.delete_quote_line", ("line_id",), ("row_version",)),
    "set_status": ("crm.set_quote_status", ("id", "status"), ("row_version",)),
    "sync": ("crm.sync_quote", ("id",), ("row_version",)),
    "unsync": ("crm.unsync_quote", ("id",), ("row_version",)),
}


def _plan(_store: Store, _person_id: str, arguments: Mapping[str, Any]) -> Planned:
    operation, given = chosen(_ACTIONS, arguments)
    return operation, _arguments(arguments["action"], given)


def _arguments(action: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """The operation's own arguments."""
    values = given.get("values")
    if values is not None and not isinstance(values, dict):
        raise Invalid(f"values is an object, field by field, not {type(values).__name__}", field="values")
    if action == "create":
        return dict(values or {})
    version = {"row_version": given["row_version"]} if "row_version" in given else {}
    if action == "add_line":
        return {"quote_id": given["id"]} | dict(values or {}) | version
    if action in ("edit_line", "remove_line"):
        return {"id": given["line_id"]} | version | ({"values": values} if action == "edit_line" else {})
    return given


def _values(model: Any, title: str, *left_out: str) -> dict[str, Any]:
    schema: dict[str, Any] = published_schema(model.model_json_schema()) | {"title": title}
    schema["properties"] = {name: item for name, item in schema["properties"].items() if name not in left_out}
    schema["required"] = [name for name in schema.get("required", []) if name not in left_out]
    return schema


_ID = {"type": "string", "pattern": "^[A-Z0-9]{15}$"}
QUOTE_TOOL = Tool(
    name="crm_quote",
    title="Work on a quote",
    description="create: a draft on an opportunity, with its products as lines (values: opportunity_id, name, …). "
    "add_line, edit_line, remove_line: the lines of a quote; a discount above 30 % needs a vice president's role. "
    "set_status: Draft, Needs Review, In Review, Approved or Rejected (as crm_approval does: to review it is submitted "
    "to its approval process), "
    "Presented, Accepted or Denied; with a line discounted by more than 20 % a quote must be approved before it is "
    "presented, and lines, tax and shipping are fixed from In Review on until it is back in Draft. sync: its "
    "lines replace "
    "the opportunity's, and each follows the other from then on; unsync ends that. crm_update changes name, contact, "
    "expiration, tax and shipping; row_version is the quote's. Percentages and amounts are decimal numbers. Example: "
    '{"action": "add_line", "id": "QUO…", "values": {"product_id": "PRD…", "quantity": "10", "discount_percent": '
    '"12"}}.',
    schema={
        "type": "object",
        "properties": {
            "action": {"type": "string", "enum": list(_ACTIONS)},
            "id": _ID | {"description": "The quote, for add_line, set_status, sync and unsync."},
            "line_id": _ID | {"description": "The line, for edit_line and remove_line."},
            "status": {"type": "string", "enum": list(STATUSES)},
            "row_version": {"type": "integer", "minimum": 1, "description": "The quote's version that you read."},
            "values": {
                "anyOf": [
                    _values(QuoteInput, "create"),
                    _values(QuoteLineInput, "add_line", "quote_id", "row_version"),
                    _values(QuoteLineChanges, "edit_line"),
                ]
            },
        },
        "required": ["action"],
        "additionalProperties": False,
    },
    writes=True,
    plan=_plan,
)
