"""The MCP tool of the parts that contacts play: in opportunities, and at accounts besides their own (mcp.md §8.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..kit.store import Store
from ..kit.tools import Planned, Tool, published_schema
from .service.links import AccountContactInput, ContactRoleInput
from .tool_actions import Actions, chosen

_ACTIONS: Actions = {
    "set_role": ("crm.set_contact_role", ("opportunity_id", "contact_id"), ("role", "is_primary")),
    "remove_role": ("crm.remove_contact_role", ("opportunity_id", "contact_id"), ()),
    "set_account": ("crm.set_account_contact", ("account_id", "contact_id"), ("role",)),
    "remove_account": ("crm.remove_account_contact", ("account_id", "contact_id"), ()),
}


def _plan(_store: Store, _person_id: str, arguments: Mapping[str, Any]) -> Planned:
    operation, given = chosen(_ACTIONS, arguments)
    return operation, given


def _properties() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for model in (ContactRoleInput, AccountContactInput):
        schema: dict[str, Any] = published_schema(model.model_json_schema())
        found = schema["properties"] | found
    return found


LINK_TOOL = Tool(
    name="crm_link_contact",
    title="Relate a contact to an opportunity or account",
    description="set_role gives a contact a part in an opportunity, or changes role and primary mark of one it has; "
    "one contact is primary at most: a new primary takes the mark from the former. remove_role ends it. set_account "
    "relates a contact to an account besides its own, or changes its role there; remove_account ends that. A "
    "contact's own account is its field account_id. No record is deleted. crm_describe of opportunity and account "
    'lists the roles. Example: {"action": "set_role", "opportunity_id": "OPP…", "contact_id": "CON…", "role": '
    '"Evaluator", "is_primary": true}.',
    schema={
        "type": "object",
        "properties": {"action": {"type": "string", "enum": list(_ACTIONS)}} | _properties(),
        "required": ["action", "contact_id"],
        "additionalProperties": False,
    },
    writes=True,
    destructive=True,
    plan=_plan,
)
