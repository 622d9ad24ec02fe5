"""The controls of the report builder, section by section."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from flask import request

from ...kit.web import FieldSection, FormField, Option
from ..rules_reports import MAX_COLUMN_GROUPS, MAX_MEASURES, MAX_ROW_GROUPS
from ..rules_views import MAX_COLUMNS, MAX_FILTERS, MAX_SORTS
from . import filters as filtering
from . import report_choices as choices
from .report_typed import CROSS_FILTERS, Typed

Problems = Mapping[str, str]
_WAYS = (Option("asc", "Ascending"), Option("desc", "Descending"))
_LOGIC_HELP = "Such as 1 AND (2 OR 3), each filter once. Empty: all filters must hold."
_BUCKET_HELP = "Numbers: Small < 50000; Large. Values: Heavy = Machinery, Energy."


class Drawer:
    """Draws the controls of one report as typed."""

    def __init__(self, kind: str, typed: Typed, problems: Problems) -> None:
        self.kind, self.typed, self.problems = kind, typed, problems
        self.is_full = request.values.get("rows") == "all"
        self.fields = choices.fields(kind)

    def sections(self) -> tuple[FieldSection, ...]:
        """The whole form."""
        return (
            self._about(),
            self._records(),
            self._filters(),
            *self._groups(),
            self._figures(),
            self._order(),
            *self._cross(),
            *self._details(),
        )

    def _text(self, name: str, label: str, help: str = "", **more: object) -> FormField:
        value, error = self.typed.get(name, ""), self.problems.get(name, "")
        return FormField(name=name, label=label, value=value, help=help, error=error, **more)  # type: ignore[arg-type]

    def _select(self, name: str, label: str, options: Sequence[Option], plain: str = "", help: str = "") -> FormField:
        value = self.typed.get(name) or plain
        known = tuple(options) if value in [item.value for item in options] else (*options, Option(value, value))
        error = self.problems.get(name, "")
        return FormField(name=name, label=label, kind="select", value=value, options=known, error=error, help=help)

    def _room(self, name: str, least: int, most: int) -> range:
        used = max((at for at in range(1, most + 1) if self.typed.get(f"{name}{at}")), default=0)
        return range(1, (most if self.is_full else min(most, max(least, used + 1))) + 1)

    def _about(self) -> FieldSection:
        fields = (
            self._text("name", "Report name", required=True, max_length=80),
            self._text("folder", "Folder", "A new name makes a new folder; Unfiled where empty.", max_length=40),
            self._text("description", "Description", max_length=255),
            self._select("visibility", "Who may use it", choices.VISIBILITY, "private"),
        )
        return FieldSection("Report", fields)

    def _records(self) -> FieldSection:
        nouns = choices.plural(self.kind)
        whose = (Option("all", f"All {nouns}"), Option("mine", f"Only those of who runs it: my {nouns}"))
        fields = (
            self._select("scope", "Whose records", whose, "all"),
            self._select("date_field", "Date field", choices.dates(self.kind), help="Empty: the usual date."),
            self._select("date_period", "Period", choices.periods()),
            self._text("date_first", "From day", "Without a period.", kind="date"),
            self._text("date_last", "Until day", kind="date"),
        )
        return FieldSection("Records and dates", fields, columns=3, is_fixed=True)

    def _filters(self) -> FieldSection:
        fields: list[FormField] = []
        for at in self._room("field", 3, MAX_FILTERS):
            fields += self._filter_row("", at, self.fields)
        fields.append(self._text("logic", "Filter logic", _LOGIC_HELP, max_length=200, wide=True))
        return FieldSection("Filters", tuple(fields), columns=3, is_fixed=True)

    def _filter_row(self, prefix: str, at: int, fields: Sequence[Option]) -> tuple[FormField, ...]:
        said = "Child " if prefix else ""
        ops = tuple(Option(op, words) for op, words in filtering.WORDS.items())
        hint = "Several values with commas. Dates also as TODAY, LAST 30 DAYS and the like." if at == 1 else ""
        return (
            self._select(f"{prefix}field{at}", f"{said}Field {at}".capitalize(), fields),
            self._select(f"{prefix}op{at}", f"{said}Operator {at}".capitalize(), ops, "equals"),
            self._text(f"{prefix}value{at}", f"{said}Value {at}".capitalize(), hint, max_length=500),
        )

    def _groups(self) -> tuple[FieldSection, ...]:
        rows = self._grouping("row", "Group", MAX_ROW_GROUPS)
        across = self._grouping("across", "Across", MAX_COLUMN_GROUPS)
        return (
            FieldSection("Groups", rows, columns=3, is_fixed=True, note="Outermost first. None: a plain list."),
            FieldSection("Groups across", across, columns=3, is_fixed=True, note="They make a matrix."),
        )

    def _grouping(self, side: str, label: str, most: int) -> tuple[FormField, ...]:
        fields: list[FormField] = []
        for at in self._room(side, 2 if side == "row" else 1, most):
            fields += (
                self._select(f"{side}{at}", f"{label} {at}", choices.groups(self.kind)),
                self._select(f"{side}{at}_by", f"{label} {at} period", choices.units(), help="Of dates."),
                self._text(f"{side}{at}_buckets", f"{label} {at} buckets", _BUCKET_HELP if at == 1 else ""),
            )
        return tuple(fields)

    def _figures(self) -> FieldSection:
        options = choices.figures(self.kind)
        fields = [
            self._select(f"measure{at}", f"Figure {at}", options) for at in self._room("measure", 3, MAX_MEASURES)
        ]
        return FieldSection("Figures", tuple(fields), columns=3, is_fixed=True)

    def _order(self) -> FieldSection:
        fields = (
            self._select("order_by", "Sort groups by", choices.figures(self.kind), help="Empty: by their names."),
            self._select("order_way", "Direction of groups", _WAYS, "desc"),
            self._text("top", "Top", "Only so many groups, or records where there are none.", max_length=3),
            self._select("chart", "Chart", choices.CHARTS, "none"),
            self._select("chart_measure", "Figure of the chart", choices.figures(self.kind)),
        )
        return FieldSection("Order and chart", fields, columns=3, is_fixed=True)

    def _cross(self) -> tuple[FieldSection, ...]:
        children = choices.children(self.kind)
        if len(children) == 1:
            return ()
        nouns = choices.plural(self.kind)
        has = (Option("with", f"{nouns.capitalize()} with"), Option("without", f"{nouns.capitalize()} without"))
        fields = [
            self._select("cross_has", "Keep", has, "with"),
            self._select("cross_object", "Such records", children),
            self._text("cross_logic", "Child filter logic", "Empty: all must hold.", max_length=100),
        ]
        for at in self._room("cross_field", 1, CROSS_FILTERS):
            fields += self._filter_row("cross_", at, choices.child_fields(self.kind))
        return (FieldSection("Cross filter", tuple(fields), columns=3, is_fixed=True),)

    def _details(self) -> tuple[FieldSection, ...]:
        value = "1" if self.typed.get("details") else ""
        listed = FormField(name="details", label="List the records too", kind="checkbox", value=value)
        columns = [
            self._select(f"column{at}", f"Column {at}", self.fields) for at in self._room("column", 3, MAX_COLUMNS)
        ]
        sort: list[FormField] = []
        for at in self._room("sort", 1, MAX_SORTS):
            label = "Sort by" if at == 1 else f"Then by ({at})"
            sort += (
                self._select(f"sort{at}", label, self.fields),
                self._select(f"way{at}", f"Direction {at}", _WAYS, "asc"),
            )
        note = "Columns of the records; the usual ones where none is chosen."
        return (
            FieldSection("Records in the report", (listed, *columns), columns=3, note=note, is_fixed=True),
            FieldSection("Order of the records", tuple(sort), is_fixed=True),
        )
