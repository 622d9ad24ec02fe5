"""A list as a CSV file: the same rows in the same order with the same columns, as far as the profile allows (CRM-6)."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, Field

from ...kit.call import Context
from ...kit.operations import query
from ..rules_export import FORMULA
from .access import reader
from .kinds import kind_named
from .queries import MAX_FIELDS, Filtered, condition_of, sort_keys
from .selection import Bound, Selection, order_by
from .view_definitions import Sort, definition


class ExportInput(Filtered):
    """Which list, and which of its fields."""

    fields: list[str] = Field(min_length=1, max_length=MAX_FIELDS)
    headings: list[str] = Field(default_factory=list, max_length=MAX_FIELDS, description="The fields' own names.")
    sort: list[Sort] = Field(default_factory=list, max_length=5)


class Exported(BaseModel):
    """The file's text, and how many records it holds."""

    text: str
    rows: int


def safe_cell(item: Bound, value: Any) -> str:
    """A value as text. A text that a spreadsheet would take for a formula begins with an apostrophe."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "Yes" if value else "No"
    text = str(value)
    return text if item.field.type in ("money", "number") else safe_text(text)


def safe_text(text: str) -> str:
    """A text; one that a spreadsheet would take for a formula begins with an apostrophe."""
    return f"'{text}" if text.startswith(FORMULA) else text


@query("crm")
def export_list(ctx: Context, values: ExportInput) -> Exported:
    """Every record that a list shows, page by page, as CSV. Needs the right to export."""
    user, kind = reader(ctx), kind_named(values.object)
    user.need(kind, "read")
    user.need(kind, "export")
    selection = Selection(user, kind)
    view = None if values.list_view is None else definition(user, values.list_view, kind)
    bound = [selection.bind(key) for key in values.fields]
    condition = condition_of(selection, values, view)
    order = order_by(selection, sort_keys(selection, values.sort, view))
    rows = selection.rows(bound, f"{condition} {order}")
    return Exported(text=_written(bound, values.headings or values.fields, rows), rows=len(rows))


def _written(bound: Sequence[Bound], headings: Sequence[str], rows: Sequence[dict[str, Any]]) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(headings)
    for row in rows:
        writer.writerow([safe_cell(item, row[item.key]) for item in bound])
    return file.getvalue()
