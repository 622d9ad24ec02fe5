"""The MCP tool that imports records from a file, tries to, and undoes an import (CRM-5, mcp.md §8.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..kit.errors import FieldError, Invalid
from ..kit.store import Store
from ..kit.tools import Planned, Tool, published_schema
from .service.imports import IMPORTED, ImportInput

_NEEDED = ("csv", "object", "mapping")


def _plan(_store: Store, _person_id: str, arguments: Mapping[str, Any]) -> Planned:
    if "undo" in arguments:
        others = [FieldError(name, f"undo takes no {name}") for name in arguments if name != "undo"]
        if others:
            raise Invalid(others)
        return "crm.undo_import", {"id": arguments["undo"]}
    faults = [FieldError(name, f"crm_import needs {name}, or undo alone") for name in _NEEDED if name not in arguments]
    if faults:
        raise Invalid(faults)
    return "crm.import_records", arguments


def _schema() -> dict[str, Any]:
    schema: dict[str, Any] = published_schema(ImportInput.model_json_schema())
    schema["properties"]["object"] |= {"enum": list(IMPORTED)}
    undo = {"type": "string", "pattern": "^IMP[A-Z0-9]{12}$", "description": "Undo this import; give nothing else."}
    return schema | {"properties": schema["properties"] | {"undo": undo}, "required": []}


IMPORT_TOOL = Tool(
    name="crm_import",
    title="Import records from a CSV file",
    description="Imports accounts, contacts, leads or opportunities from the text of a CSV file. mapping says which "
    "column is which field; the field decides the type, so 00123 stays text. dry_run=true gives the counts and the "
    "first 10 rows as they would be read, and changes nothing. Every row is checked as by crm_create or crm_update. "
    "Rows that fail refuse the whole file, or with on_failure=skip are left out and listed with their errors. "
    "duplicate_action is for rows like a record that exists. undo=<job_id> deletes what an import created and nobody "
    'changed since. Needs the right mass. Example: {"object": "lead", "csv": "Name,Firm\\nIlic,Tern\\n", "mapping": '
    '{"Name": "last_name", "Firm": "company"}, "duplicate_action": "skip"}.',
    schema=_schema(),
    writes=True,
    destructive=True,
    plan=_plan,
)
