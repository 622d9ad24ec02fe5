"""What a report takes: its definition part by part, and whose it is (CRM-13)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ...kit.fields import Amount, Day, Id, Line, Version
from ...kit.operations import Input
from ..rules_reports import (
    MAX_BUCKETS,
    MAX_COLUMN_GROUPS,
    MAX_MEASURES,
    MAX_ROW_GROUPS,
    MAX_TOP,
    OBJECTS,
)
from ..rules_views import MAX_COLUMNS, MAX_FILTERS, MAX_SORTS
from .conditions import Condition
from .inputs import RecordInput
from .view_definitions import Sort

Unit = Literal["day", "week", "month", "quarter", "fiscal_quarter", "year", "fiscal_year"]
Measure = Annotated[str, Field(max_length=100, pattern=r"^(count|(unique|sum|avg|min|max):[a-z0-9_.]+)$")]


class Bucket(Input):
    """One bucket of a grouping: numbers below a limit, or some values of a text or picklist."""

    label: Line = Field(max_length=40)
    below: Amount | None = Field(
        default=None, description="Numbers below it, as far as no earlier bucket has them; the last takes the rest."
    )
    values: list[Line] | None = Field(default=None, min_length=1, max_length=50, description="Other values: Other.")


class Grouping(Input):
    """One level of groups."""

    field: str = Field(max_length=80, description="A field, or a field of a record it points to: account.region.")
    by: Unit | None = Field(default=None, description="Of dates: the period; day where left out.")
    buckets: list[Bucket] | None = Field(default=None, min_length=1, max_length=MAX_BUCKETS)


class GroupOrder(Input):
    """By which figure the outermost groups are sorted."""

    by: str = Field(max_length=100, description="A figure as in measures.")
    direction: Literal["asc", "desc"] = "desc"


class DateRange(Input):
    """A period such as THIS FISCAL QUARTER, or days, of which one may be left out."""

    period: Line | None = Field(default=None, max_length=40)
    first: Day | None = None
    last: Day | None = None


class CrossFilter(Input):
    """Only rows with, or without, such records of another object."""

    object: str = Field(max_length=40, description="Of account: contact, opportunity, case, task, event, and so on.")
    has: bool = Field(default=True, description="true: rows with such records; false: rows without.")
    filters: list[Condition] = Field(default_factory=list, max_length=5)
    filter_logic: Line | None = Field(default=None, max_length=100)


class ReportParts(RecordInput):
    """The definition of a report, part by part."""

    scope: Literal["all", "mine"] | None = Field(
        default=None, title="Scope", description="mine: only records that the person who runs it owns."
    )
    filters: list[Condition] | None = Field(
        default=None, title="Filters", max_length=MAX_FILTERS, description="At most 10 conditions, as in crm_query."
    )
    filter_logic: Line | None = Field(
        default=None, title="Filter logic", max_length=200, description="1 AND (2 OR 3); left out, all must hold."
    )
    date_field: str | None = Field(
        default=None, title="Date field", max_length=80, description="What date_range is about; the usual date if none."
    )
    date_range: DateRange | None = Field(default=None, title="Date range")
    rows: list[Grouping] | None = Field(
        default=None, title="Groups", max_length=MAX_ROW_GROUPS, description="Up to 3 groupings, outermost first."
    )
    across: list[Grouping] | None = Field(
        default=None,
        title="Groups across",
        max_length=MAX_COLUMN_GROUPS,
        description="Up to 2 groupings of columns: a matrix. They need rows.",
    )
    measures: list[Measure] | None = Field(
        default=None,
        title="Figures",
        min_length=1,
        max_length=MAX_MEASURES,
        description="count, unique:FIELD, sum:FIELD, avg:FIELD, min:FIELD, max:FIELD; count where left out.",
    )
    columns: list[str] | None = Field(
        default=None,
        title="Columns",
        min_length=1,
        max_length=MAX_COLUMNS,
        description="Fields of the listed records; the usual ones where left out.",
    )
    sort: list[Sort] | None = Field(default=None, title="Sort", max_length=MAX_SORTS)
    group_order: GroupOrder | None = Field(default=None, title="Order of groups")
    top: int | None = Field(
        default=None,
        title="Top",
        ge=1,
        le=MAX_TOP,
        description="Only so many of the outermost groups, in the order of group_order; of a tabular report so many "
        "records in the order of sort. Totals then cover these.",
    )
    cross_filter: CrossFilter | None = Field(default=None, title="Cross filter")
    details: bool | None = Field(default=None, title="Details", description="Whether the records are listed too.")


class ReportChanges(ReportParts):
    """What a report says, and who may use it."""

    name: Line | None = Field(default=None, title="Report name", max_length=80)
    description: Line | None = Field(default=None, title="Description", max_length=255)
    folder: Line | None = Field(default=None, title="Folder", max_length=40, description="Unfiled, where left out.")
    visibility: Literal["private", "public", "editable"] | None = Field(
        default=None,
        title="Who may use it",
        description="private: only you; public: everybody may run it; editable: everybody may change it too.",
    )
    chart: Literal["none", "bar", "column", "line"] | None = Field(default=None, title="Chart")
    chart_measure: str | None = Field(
        default=None, title="Figure of the chart", max_length=100, description="The first figure, where left out."
    )
    owner_id: Id | None = Field(default=None, title="Owner", description="You, where left out.")


class ReportInput(ReportChanges):
    """A new report."""

    object: str = Field(description=f"One of {', '.join(OBJECTS)}.", json_schema_extra={"enum": list(OBJECTS)})
    name: Line = Field(title="Report name", max_length=80)


class ReportSpec(ReportParts):
    """A report to run without saving it."""

    object: str = Field(description=f"One of {', '.join(OBJECTS)}.", json_schema_extra={"enum": list(OBJECTS)})


class UpdateReportInput(Input):
    """Changes of one report: what is given replaces what was there, each part as a whole."""

    id: Id
    row_version: Version
    values: ReportChanges
