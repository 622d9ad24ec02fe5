"""The MCP tool of a contact's parts: in an opportunity, or with an account besides its own (mcp.md §8.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..kit.errors import FieldError, Invalid, nearest
from ..kit.store import Store
from ..kit.tools import Planned, Tool, published_schema
from .service.links import AccountContactInput, ContactRoleInput

_ACTIONS = ("set", "remove")
_RECORDS = {"opportunity_id": "contact_role", "account_id": "account_contact"}


def _plan(_store: Store, _person_id: str, arguments: Mapping[str, Any]) -> Planned:
    action = arguments["action"]
    if action not in _ACTIONS:
        message = f'action is "{action}"; it must be one of {", ".join(_ACTIONS)}.{nearest(str(action), _ACTIONS)}'
        raise Invalid(message, field="action", allowed=_ACTIONS)
    named = [name for name in _RECORDS if name in arguments]
    if len(named) != 1:
        message = "give either opportunity_id or account_id: a contact has a part in the one or a relation to the other"
        raise Invalid(message, field=named[-1] if named else "opportunity_id")
    given = {name: value for name, value in arguments.items() if name != "action"}
    fields = {"opportunity_id": ("role", "is_primary"), "account_id": ("role",)}[named[0]] if action == "set" else ()
    known = ("contact_id", named[0], *fields)
    faults = [FieldError(name, f"{action} with {named[0]} takes no {name}") for name in given if name not in known]
    if faults:
        raise Invalid(faults)
    return f"crm.{action}_{_RECORDS[named[0]]}", given


def _properties() -> dict[str, Any]:
    """The fields of both relations; the role of each has its own picklist."""
    deal, account = (published_schema(model.model_json_schema()) for model in (ContactRoleInput, AccountContactInput))
    fields = {**account["properties"], **deal["properties"]}
    return {"action": {"type": "string", "enum": list(_ACTIONS)}, **fields}


RELATE_TOOL = Tool(
    name="crm_relate_contact",
    title="Relate a contact to an opportunity or an account",
    description="set with opportunity_id: gives a contact a part in an opportunity, or changes role and primary mark "
    "of one it has; one contact is primary at most: a new primary takes the mark from the former. set with "
    "account_id: relates a contact to an account besides its own (which is its field account_id), or changes its "
    "role there. remove ends the part or the relation; no record is deleted. crm_describe of opportunity and account "
    "lists the roles.",
    schema={
        "type": "object",
        "properties": _properties(),
        "required": ["action", "contact_id"],
        "additionalProperties": False,
    },
    writes=True,
    destructive=True,
    plan=_plan,
)
