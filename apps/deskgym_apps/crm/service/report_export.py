"""A report's result, or its records, as a CSV file (CRM-6, CRM-13)."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import Field

from ...kit.call import Context
from ...kit.fields import Id
from ...kit.operations import Input, query
from .access import reader
from .exporting import Exported, safe_cell, safe_text
from .kinds import KINDS
from .report_results import Report, RunReportInput
from .report_run import Runner, field_label
from .report_specs import base_of

_EVERYTHING = 1_000_000


class ExportReportInput(Input):
    """Which report, and which of its tables."""

    id: Id
    records: bool = Field(default=False, description="The records in the report, not its groups.")


@query("crm")
def export_report(ctx: Context, values: ExportReportInput) -> Exported:
    """A report as CSV: every group with its figures, or every record. Needs the right to export."""
    user = reader(ctx)
    row = user.load(KINDS["report"], values.id)
    base = base_of(user, row["object"])
    user.need(KINDS[KINDS[base.object].part_of or base.object], "export")
    runner = Runner(user, base, json.loads(row["spec"]), row["name"])
    wanted = RunReportInput.model_construct(
        id=values.id, spec=None, details=values.records, limit=_EVERYTHING, offset=0, max_groups=_EVERYTHING
    )
    found = runner.report(wanted)
    is_listed = values.records or not found.row_levels
    lines = list(_records(runner, found) if is_listed else _groups(found))
    return Exported(text=_written(lines), rows=len(lines) - 1)


def _written(lines: Sequence[Sequence[str]]) -> str:
    file = io.StringIO()
    csv.writer(file, lineterminator="\r\n").writerows(lines)
    return file.getvalue()


def _heads(found: Report) -> list[str]:
    return [item.label + (f" ({item.currency})" if item.type == "money" else "") for item in found.measures]


def _groups(found: Report) -> Iterator[list[str]]:
    """A line for each innermost group, then the totals."""
    heads, across = _heads(found), found.across_groups
    spread = [" / ".join(place["label"] for place in path) for path in across] if found.across_levels else []
    levels = [level.label for level in found.row_levels]
    yield [safe_text(text) for text in [*levels, *(f"{name}: {head}" for name in spread for head in heads), *heads]]
    for group in found.groups:
        if group.level == len(levels):
            labels = [safe_text(place["label"]) for place in group.path]
            yield [*labels, *_figures(found, [*(group.cells or []), group.figures])]
    totals = [*(found.across_totals if found.across_levels else []), found.totals]
    yield ["Total", *[""] * (len(levels) - 1), *_figures(found, totals)]


def _figures(found: Report, cells: Sequence[dict[str, Any] | None]) -> list[str]:
    return [
        "" if cell is None or cell[item.measure] is None else str(cell[item.measure])
        for cell in cells
        for item in found.measures
    ]


def _records(runner: Runner, found: Report) -> Iterator[list[str]]:
    listing = found.details
    if listing is None:
        raise ValueError("the records were asked for")
    bound = [runner.selection.bind(key) for key in listing.columns]
    heads = [field_label(runner.base.object, item.key) for item in bound]
    yield [safe_text(text) for text in [*(level.label for level in found.row_levels), *heads]]
    for row, path in zip(listing.rows, listing.paths, strict=True):
        yield [*(safe_text(label) for label in path), *(safe_cell(item, row[item.key]) for item in bound)]
