"""Closed sets of the set-up, and the normal form of a validation rule's criteria (CRM-9)."""

from __future__ import annotations

import json

from ..kit.roles import Reader, Row
from .rules_views import Filter, normal_form

MEMBER_KINDS = ("user", "role", "role_and_sub")
SHARING_KINDS = ("role", "role_and_sub", "group")
QUEUE_OBJECTS = ("case",)
MAX_CRITERIA = 10
RIGHTS = ("create", "read", "edit", "delete", "view_all", "modify_all", "export", "mass")
RIGHT_COLUMNS = {right: right if right.endswith("_all") else f"can_{right}" for right in RIGHTS}
ASSIGNMENT_OPERATORS = ("equals", "in", "contains")


def criteria_form(_reader: Reader, row: Row) -> str:
    """The normal form of the criteria that a validation rule's row holds."""
    parts = json.loads(str(row["criteria"]))
    filters = [Filter(item["field"], item["type"], item["op"], item.get("value")) for item in parts]
    return normal_form(filters, None, "all")
