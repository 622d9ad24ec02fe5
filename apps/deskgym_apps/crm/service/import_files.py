"""A file before it is imported: its columns beside the fields of an object (CRM-5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, Field

from ...kit.call import Context
from ...kit.errors import Forbidden
from ...kit.operations import Input, query
from .. import rules_import
from .access import reader
from .catalog import MODELS
from .import_rows import ID, MATCH_FIELDS
from .imports import FileText, importable, importable_kind, sheet_of
from .inputs import label, required


class FileInput(Input):
    """A file to look into before it is imported."""

    csv: FileText = Field(max_length=2 * rules_import.MOST_TEXT)
    object: str
    separator: Literal["auto", "comma", "semicolon", "tab"] = "auto"


class FileShown(BaseModel):
    """A file's columns with the first values of each, and the field that each may be; what columns can be mapped to."""

    separator: str
    total: int
    columns: list[dict[str, Any]]
    fields: list[dict[str, Any]]
    match_fields: list[str]


@query("crm")
def read_import_file(ctx: Context, values: FileInput) -> FileShown:
    """The columns of a file beside the fields of an object. Raises Invalid where it cannot be read."""
    user, kind = reader(ctx), importable_kind(values.object)
    if not {"create", "edit"} & user.rights(kind.name):
        raise Forbidden(f"your profile may not import {kind.plural.lower()}")
    user.need(kind, "mass")
    sheet = sheet_of(values.csv, values.separator)
    new, model = MODELS[kind.name]
    fields = [
        {"name": name, "label": label(model, name), "required": name in required(new)}
        for name in importable(user, kind.name)
    ]
    return FileShown(
        separator=sheet.separator,
        total=len(sheet.rows),
        columns=[
            {
                "name": name,
                "samples": [cells[at] for cells in sheet.rows[:3] if at < len(cells)],
                "field": _proposed(name, fields),
            }
            for at, name in enumerate(sheet.columns)
        ],
        fields=fields,
        match_fields=list(MATCH_FIELDS[kind.name]),
    )


def _proposed(column: str, fields: Sequence[Mapping[str, Any]]) -> str | None:
    """The field that is called like a column."""
    plain = "".join(char for char in column.casefold() if char.isalnum())
    if plain in ("id", "recordid"):
        return ID
    for one in fields:
        names = ("".join(char for char in str(one[key]).casefold() if char.isalnum()) for key in ("name", "label"))
        if plain in names:
            return str(one["name"])
    return None
