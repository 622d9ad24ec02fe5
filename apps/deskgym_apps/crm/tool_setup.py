"""The set-up through the generic tools, and the tool that shares a record by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..kit.errors import NotFound
from ..kit.store import Store
from ..kit.tools import Planned, Tool
from .service.kinds import kind_of
from .service.setup import models

CREATED = models.CREATED
CHANGED = models.CHANGED
IDS = (
    "Set up: ROL role, PRF profile, PMS permission_set, PSA permission_set_assignment, GRM group_member, SHR "
    "sharing_rule, ASR assignment_rule, ASE assignment_entry, VRL "
    "validation_rule, APC approval_process, PKV picklist_value; GRP is also a "
    "public group."
)
OBJECTS = (
    "For administrators also role, profile, permission_set, permission_set_assignment, group, group_member, "
    "sharing_rule, assignment_rule, assignment_entry, validation_rule, approval_process, "
    "picklist_value; they change users too."
)


def changes(record_id: Any, verb: str = "update") -> str | None:
    """The kind of a row of the set-up that the generic tools change; None for what is none. Raises NotFound."""
    if not isinstance(record_id, str):
        return None
    kind = kind_of(record_id)
    if not kind.is_setup and kind.name not in ("user", "queue"):
        return None
    known = models.DELETED if verb == "delete" else CHANGED if verb == "update" else ()
    if kind.name not in known:
        doing = {"delete": "deleted", "undelete": "brought back"}.get(verb, "changed")
        raise NotFound(f"{kind.plural.lower()} are never {doing} here", field="id")
    return kind.name


def _share(_store: Store, _person_id: str, arguments: Mapping[str, Any]) -> Planned:
    return "crm.share", arguments


def share_tool(schema: Mapping[str, Any]) -> Tool:
    """`crm_share`."""
    return Tool(
        name="crm_share",
        title="Share a record",
        description="Shares an account, contact, opportunity, lead or case with a user or a public group, to read or "
        "to write (access), changes such a share, or takes it away (access none). Only its owner, roles above and "
        "administrators may. crm_get with related sharing lists the shares, and everybody who reaches the record "
        "with the reasons.",
        schema=schema,
        writes=True,
        idempotent=True,
        plan=_share,
    )
