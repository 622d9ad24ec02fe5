"""Importing records from a file, trying that first, looking at what came of it, and undoing it (CRM-5).

One import is one command: every row is taken, wholly or not at all, or the file is refused. Rows that fail refuse the
whole file unless the caller says that the others are to be imported.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field

from ...kit.call import Context, Tried
from ...kit.errors import FieldError, Invalid, nearest
from ...kit.fields import Line
from ...kit.operations import Input, command
from .. import rules_import
from .access import User
from .catalog import MODELS
from .import_rows import CREATED, FAILED, ID, MATCH_FIELDS, SKIPPED, UPDATED, Importer, Options, Outcome, shown_values
from .inputs import label, required, widgets
from .kinds import KINDS, Kind

IMPORTED = tuple(MATCH_FIELDS)
PREVIEWED = 10
_LISTED = 100
_UNMAPPED = frozenset({"records"})  # widgets of what no cell can hold
FileText = Annotated[str, AfterValidator(rules_import.plain_text)]
Mode = Literal["insert", "update", "upsert"]
Numbers = Literal["1,234.50", "1.234,50", "1 234,50", "1'234.50"]
Dates = Literal["YYYY-MM-DD", "DD.MM.YYYY", "DD/MM/YYYY", "MM/DD/YYYY"]


class ImportInput(Input):
    """A file of records, what its columns are, and what is done with its rows."""

    csv: FileText = Field(
        max_length=2 * rules_import.MOST_TEXT,
        description="The text of the file: names of columns in the first line, cells separated by commas, semicolons "
        f"or tabs, quoted where they hold these or line ends. At most {rules_import.MOST_ROWS:,} rows.",
    )
    object: str = Field(description=f"One of {', '.join(IMPORTED)}.")
    mapping: dict[str, str] = Field(
        min_length=1,
        description="Column -> field, as crm_describe names it, or id; other columns are left out. Lookups take names "
        "or ids.",
    )
    mode: Mode = Field(default="insert", description="upsert changes the records it finds and creates the others.")
    match_field: str | None = Field(
        default=None,
        max_length=40,
        description="By which mapped field update and upsert find records: id, account_number of an account, email of "
        "a contact or lead.",
    )
    duplicate_action: Literal["skip", "update", "create"] = Field(
        default="skip", description="What becomes of a new row that a matching rule takes for a record that exists."
    )
    on_failure: Literal["stop", "skip"] = Field(
        default="stop", description="stop imports nothing where a row fails; skip imports the other rows."
    )
    separator: Literal["auto", "comma", "semicolon", "tab"] = "auto"
    numbers: Numbers = Field(default="1,234.50", description="How numbers are written in the file.")
    dates: Dates = Field(default="YYYY-MM-DD", description="How dates are written in the file.")
    clear_blanks: bool = Field(default=False, description="In updates an empty cell empties the field.")
    file_name: Line = Field(default="import.csv", max_length=120, min_length=1)
    dry_run: bool = Field(default=False, description="Say what would happen, and change nothing.")


class Imported(BaseModel):
    """What came of an import. `rows` are the first that were skipped or failed, `preview` the first rows as they were
    read; a dry run has no job."""

    job_id: str | None
    object: str
    total: int
    created: int
    updated: int
    skipped: int
    failed: int
    separator: str
    rows: list[dict[str, Any]]
    preview: list[dict[str, Any]] = []


@command("crm")
def import_records(ctx: Context, values: ImportInput) -> Imported:
    """Import the rows of a file, or only try to: then nothing is kept."""
    user, kind = User(ctx), importable_kind(values.object)
    _need(user, kind, values)
    sheet = sheet_of(values.csv, values.separator)
    options = _options(user, kind, values, sheet.columns)
    importer = Importer(user, kind, options, sheet.columns)
    outcomes = [importer.take(row_no, cells) for row_no, cells in enumerate(sheet.rows, 1)]
    if not outcomes:
        raise Invalid("the file has a first line and no rows", field="csv")
    counts = {name: sum(one.outcome == name for one in outcomes) for name in (CREATED, UPDATED, SKIPPED, FAILED)}
    result = Imported(
        job_id=None,
        object=kind.name,
        total=len(outcomes),
        separator=sheet.separator,
        rows=[_row(one) for one in outcomes if one.outcome in (SKIPPED, FAILED)][:_LISTED],
        created=counts[CREATED],
        updated=counts[UPDATED],
        skipped=counts[SKIPPED],
        failed=counts[FAILED],
    )
    if values.dry_run:
        preview = [_row(one) | {"values": shown_values(importer, one)} for one in outcomes[:PREVIEWED]]
        raise Tried(result.model_copy(update={"preview": preview}))
    if counts[FAILED] and values.on_failure == "stop":
        raise _stopped([one for one in outcomes if one.outcome == FAILED], len(outcomes))
    job_id = _write(ctx, values, sheet, outcomes, counts)
    return result.model_copy(update={"job_id": job_id})


def _row(one: Outcome) -> dict[str, Any]:
    found: dict[str, Any] = {"row": one.row_no, "outcome": one.outcome}
    if one.record_id is not None:
        found["record_id"] = one.record_id
    return found | ({"error": one.error} if one.error else {})


def _stopped(failed: Sequence[Outcome], total: int) -> Invalid:
    shown = "; ".join(f"row {one.row_no}: {one.error}" for one in failed[:PREVIEWED])
    more = f"; and {len(failed) - PREVIEWED} more" if len(failed) > PREVIEWED else ""
    rows = "row fails" if len(failed) == 1 else "rows fail"
    rest = f"; on_failure=skip imports the other {total - len(failed):,}" if len(failed) < total else ""
    error = Invalid(f"nothing was imported, because {len(failed):,} {rows}: {shown}{more}{rest}", field="csv")
    error.details = {"rows": [_row(one) for one in failed[:_LISTED]], "failed": len(failed)}
    return error


def sheet_of(text: str, separator: str) -> rules_import.Sheet:
    """The file as columns and rows. Raises Invalid that says where it cannot be read."""
    try:
        return rules_import.read_sheet(text, separator)
    except ValueError as error:
        raise Invalid(str(error), field="csv") from None


def importable_kind(name: str) -> Kind:
    """The kind of the records of a file. Raises Invalid for one that cannot be imported."""
    if name not in IMPORTED:
        message = f'there is no import of "{name}".{nearest(name, IMPORTED)}'
        raise Invalid(message, field="object", allowed=IMPORTED)
    return KINDS[name]


def _need(user: User, kind: Kind, values: ImportInput) -> None:
    """Raises Forbidden: an import needs what its rows do, many at once."""
    user.need(kind, "mass")
    if values.mode != "update":
        user.need(kind, "create")
    if values.mode != "insert" or values.duplicate_action == "update":
        user.need(kind, "edit")


def importable(user: User, kind: str) -> list[str]:
    """The fields that a column can be mapped to, in the order of the form."""
    kept, model = user.hidden(kind) | user.locked(kind), MODELS[kind][1]
    return [name for name, details in widgets(model).items() if name not in kept and details["kind"] not in _UNMAPPED]


def _options(user: User, kind: Kind, values: ImportInput, columns: Sequence[str]) -> Options:
    """The options, checked against the file and the object. Raises Invalid with every fault."""
    faults: list[FieldError] = []

    def refuse(name: str, message: str, allowed: Sequence[str] = ()) -> None:
        faults.append(FieldError(name, message, tuple(allowed)))

    fields = importable(user, kind.name)
    if values.mode == "insert" and values.match_field is not None:
        refuse("match_field", "only update and upsert find records by a field")
    if values.mode != "insert" and values.match_field not in MATCH_FIELDS[kind.name]:
        allowed = MATCH_FIELDS[kind.name]
        refuse("match_field", f"{values.mode} finds a {kind.label.lower()} by {' or '.join(allowed)}", allowed)
    elif values.match_field is not None and values.match_field not in values.mapping.values():
        refuse("mapping", f"map a column to {values.match_field}, by which records are found")
    for column, name in values.mapping.items():
        if column not in columns:
            refuse("mapping", f'the file has no column "{column}".{nearest(column, columns)}', columns)
        if name == ID and values.match_field != ID:
            refuse("mapping", f'"{column}": ids are given by the server; map id only to find records by it')
        elif name != ID and name not in fields:
            refuse("mapping", f'{kind.label.lower()} has no field "{name}" to set.{nearest(name, fields)}', fields)
    used = list(values.mapping.values())
    twice = sorted({name for name in used if used.count(name) > 1})
    if twice:
        refuse("mapping", f"two columns are mapped to {twice[0]}")
    if values.mode != "update":
        model = MODELS[kind.name][0]
        missing = [name for name in MODELS[kind.name][1].model_fields if name in required(model) and name not in used]
        for name in missing:
            refuse("mapping", f"map a column to {name} ({label(model, name)}), which every new record needs")
    if faults:
        raise Invalid(faults)
    return Options(
        mapping=values.mapping,
        mode=values.mode,
        match_field=values.match_field,
        duplicate_action=values.duplicate_action,
        numbers=values.numbers,
        dates=values.dates,
        clear_blanks=values.clear_blanks,
    )


def _write(
    ctx: Context,
    values: ImportInput,
    sheet: rules_import.Sheet,
    outcomes: Sequence[Outcome],
    counts: Mapping[str, int],
) -> str:
    """Keep the job and its rows; of a failed row also its cells. Returns the job's id."""
    job_id = ctx.new_id("crm_import_job")
    options = {
        "separator": sheet.separator,
        "numbers": values.numbers,
        "dates": values.dates,
        "clear_blanks": values.clear_blanks,
        "on_failure": values.on_failure,
    }
    ctx.insert(
        "crm_import_job",
        {
            "id": job_id,
            "object": values.object,
            "mode": values.mode,
            "match_field": values.match_field,
            "duplicate_action": values.duplicate_action,
            "file_name": values.file_name,
            "columns": json.dumps(sheet.columns, ensure_ascii=False),
            "mapping": json.dumps(values.mapping, ensure_ascii=False, sort_keys=True),
            "options": json.dumps(options, ensure_ascii=False, sort_keys=True),
            "total": len(outcomes),
            **counts,
            "created_at": ctx.now,
            "created_by": ctx.person_id,
        },
    )
    for one, cells in zip(outcomes, sheet.rows, strict=True):
        kept = json.dumps(list(cells), ensure_ascii=False) if one.outcome == FAILED else None
        row = {"outcome": one.outcome, "record_id": one.record_id, "error": one.error, "cells": kept}
        ctx.insert("crm_import_row", {"job_id": job_id, "row_no": one.row_no} | row)
    return job_id
