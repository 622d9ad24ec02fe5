"""The MCP tool that runs reports (mcp.md §8.2, CRM-13)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..kit.store import Store
from ..kit.tools import Planned, Tool
from .service.report_results import RunReportInput
from .tool_schemas import schema_of


def _plan(_store: Store, _person_id: str, arguments: Mapping[str, Any]) -> Planned:
    return "crm.run_report", arguments


REPORT_TOOL = Tool(
    name="crm_run_report",
    title="Run a report",
    description="Runs a saved report (id), or a definition without saving it (spec), over the records that you may "
    "read: groups with figures, subtotals before what they add up, totals over everything, and records where details "
    'is true or there are no groups. A group without a value is "-". Empty values count in no figure but count. '
    "Amounts of several currencies are converted to yours at the rates of their close dates (converted: true), each "
    "once. Dates are grouped by day, week, month, quarter, fiscal_quarter, year or fiscal_year. truncated says that "
    "there are more groups; totals cover them too. A spec has object, filters, filter_logic, scope, date_field, "
    'date_range, rows, across, measures, group_order, top, cross_filter, columns, sort. Example: {"spec": '
    '{"object": "opportunity", "date_range": {"period": "THIS FISCAL QUARTER"}, "rows": [{"field": '
    '"owner_id"}], "measures": ["count", "sum:amount"], "group_order": {"by": "sum:amount"}}}.',
    schema=schema_of(RunReportInput),
    writes=False,
    plan=_plan,
)
