"""The MCP tool that merges records (CRM-4, mcp.md §8.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..kit.store import Store
from ..kit.tools import Planned, Tool, published_schema
from .service.merging import MergeInput


def _plan(_store: Store, _person_id: str, arguments: Mapping[str, Any]) -> Planned:
    return "crm.merge_records", arguments


MERGE_TOOL = Tool(
    name="crm_merge",
    title="Merge duplicate records",
    description="Merges one or two accounts, contacts or leads (losers) into another of the same object (survivor). "
    "The survivor keeps its values but for those of field_choices. Contacts, opportunities, cases, quotes, "
    "activities, e-mails, notes, roles, relations and shares of the losers become the survivor's. The losers go to the "
    "recycle bin; bringing one back restores its row, not what it had. Needs the right to delete the losers and to "
    'change the survivor. Example: {"survivor": "ACC…1", "losers": ["ACC…2"], "field_choices": {"phone": "ACC…2"}, '
    '"row_versions": {"ACC…1": 3, "ACC…2": 1}}.',
    schema=published_schema(MergeInput.model_json_schema()),
    writes=True,
    destructive=True,
    plan=_plan,
)
