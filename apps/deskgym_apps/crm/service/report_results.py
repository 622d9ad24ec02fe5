"""What running a report takes and gives (CRM-13)."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from ...kit.fields import Id
from ...kit.operations import Input
from .report_inputs import ReportSpec

MOST_GROUPS = 1_000
MOST_ROWS = 200


class RunReportInput(Input):
    """A saved report, or a definition to run without saving it."""

    id: Id | None = Field(default=None, description="A saved report.")
    spec: ReportSpec | None = Field(default=None, description="Or a definition: object and any of its parts.")
    details: bool | None = Field(default=None, description="Whether to list records too; as saved, where left out.")
    limit: int = Field(default=50, ge=1, le=MOST_ROWS, description="Records to list.")
    offset: int = Field(default=0, ge=0, le=1_000_000)
    max_groups: int = Field(default=200, ge=1, le=MOST_GROUPS, description="Groups to return, subtotals included.")


class Level(BaseModel):
    """One level of groups."""

    field: str
    label: str
    by: str | None = None


class Figure(BaseModel):
    """One figure. `converted`: amounts of several currencies, at the rates of their close dates."""

    measure: str
    label: str
    type: str
    currency: str | None = None
    converted: bool = False


class Group(BaseModel):
    """One group with its figures by measure; `cells` are those by group across, in the order of `across_groups`."""

    level: int
    path: list[dict[str, Any]]
    figures: dict[str, Any]
    cells: list[dict[str, Any] | None] | None = None


class Listing(BaseModel):
    """Records of a report; `groups` gives the place of each record's group, by position."""

    columns: list[str]
    rows: list[dict[str, Any]]
    paths: list[list[str]]
    total: int
    next_offset: int | None


class Report(BaseModel):
    """A report's result. `truncated`: there are more groups than returned; totals cover all of them."""

    id: str | None
    name: str | None
    object: str
    format: str
    record_count: int
    row_levels: list[Level]
    across_levels: list[Level]
    measures: list[Figure]
    groups: list[Group]
    group_count: int
    across_groups: list[list[dict[str, Any]]]
    across_totals: list[dict[str, Any]]
    totals: dict[str, Any]
    truncated: bool
    details: Listing | None
    left_out: list[str]
    chart: str = "none"
    chart_measure: str | None = None
