"""Running a report as the person who looks at it (CRM-13): rows they may read, fields they see, figures of these."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ...kit.call import Context
from ...kit.dates import local_date
from ...kit.errors import BadQuery, Invalid
from ...kit.operations import query
from ..rules_reports import conditions_of, filter_of, format_of, measure_parts
from .access import User, reader
from .catalog import catalog
from .conditions import Condition, where
from .kinds import KINDS
from .queries import with_key_fields
from .report_bases import Base
from .report_figures import Measure, Rates
from .report_groups import UNIT_LABELS, Grouper, Place, shown
from .report_results import Figure, Level, Listing, Report, RunReportInput
from .report_specs import SpecMaker, base_of
from .report_sums import Sums, Taken
from .selection import Selection, order_by
from .view_definitions import bound_or_none

_CROSS_AT = 200  # so that the parameters of a cross filter never meet those of the filters


@query("crm")
def run_report(ctx: Context, values: RunReportInput) -> Report:
    """Run a saved report, or a definition: groups with figures, totals, and records on request."""
    user = reader(ctx)
    if (values.id is None) == (values.spec is None):
        raise Invalid("give the id of a saved report, or a spec", field="id")
    if values.spec is not None:
        base = base_of(user, values.spec.object)
        return Runner(user, base, SpecMaker(user, base).spec(values.spec)).report(values)
    row = user.load(KINDS["report"], str(values.id))
    runner = Runner(user, base_of(user, row["object"]), json.loads(row["spec"]), row["name"])
    found = runner.report(values)
    shows_chart = row["chart"] != "none" and row["chart_measure"] in [item.name for item in runner.measures]
    chart = {"chart": row["chart"], "chart_measure": row["chart_measure"]} if shows_chart else {}
    return found.model_copy(update={"id": row["id"], "name": row["name"], **chart})


class Runner:
    """One run: what to read, and how to add it up. Raises BadQuery where the profile hides what it filters by."""

    def __init__(self, user: User, base: Base, spec: Mapping[str, Any], name: str = "") -> None:
        self.user, self.base, self.spec, self.name = user, base, spec, name
        self.selection = Selection(user, KINDS[base.object])
        self.left_out: list[str] = []
        try:
            self.rows = [Grouper(self.selection, item) for item in spec.get("rows", ())]
            self.across = [Grouper(self.selection, item) for item in spec.get("across", ())]
            self.condition = self._condition()
        except BadQuery as fault:
            if not name:
                raise
            raise BadQuery(f'the report "{name}" cannot be shown to you: {fault.message}', field="id") from fault
        self.measures = self._measures()
        self.columns = self._shown_columns()

    def _measures(self) -> list[Measure]:
        found, own = [], str(self.user.ctx.person["currency"])
        for name in self.spec["measures"]:
            key = measure_parts(name)[1]
            bound = bound_or_none(self.selection, key) if key else None
            if key and bound is None:
                self.left_out.append(name)
                continue
            label = "" if bound is None else field_label(self.base.object, key)
            found.append(Measure(name, bound, label, own))
        order = self.spec.get("group_order")
        if order is not None and order["by"] in self.left_out:
            raise BadQuery(f'the report "{self.name}" is sorted by a field that your profile hides', field="id")
        return found or [Measure("count", None, "", own)]

    def _shown_columns(self) -> list[str]:
        found = []
        for key in self.spec["columns"]:
            if bound_or_none(self.selection, key) is None:
                self.left_out.append(key)
            else:
                found.append(key)
        return found

    # Which records

    def _condition(self) -> str:
        filters, logic = conditions_of(self.spec)
        asked = [Condition(field=item.field, op=item.op, value=item.value) for item in filters]
        clauses = [
            self.selection.scope(mine=self.spec.get("scope") == "mine", many=True, unlisted=True),
            where(self.selection, asked, logic) or "1",
        ]
        if self.selection.kind.part_of is not None:
            whole = KINDS[self.selection.kind.part_of]
            clauses.append(
                f"EXISTS (SELECT 1 FROM {whole.table} w WHERE w.id = t.{whole.name}_id AND w.is_deleted = 0)"
            )
        if self.spec.get("cross_filter"):
            clauses.append(self._cross(self.spec["cross_filter"]))
        return "WHERE " + " AND ".join(f"({clause})" for clause in clauses)

    def _cross(self, cross: Mapping[str, Any]) -> str:
        child = self.base.children[cross["object"]]
        self.user.need(KINDS[child.kind], "read")
        selection = Selection(self.user, KINDS[child.kind])
        filters = [filter_of(item) for item in cross.get("filters", ())]
        asked = [Condition(field=item.field, op=item.op, value=item.value) for item in filters]
        test = where(selection, asked, cross.get("filter_logic"), first=_CROSS_AT) or "1"
        link = child.sql.format(t="t")
        clause = f"({selection.scope(many=True, unlisted=True)}) AND ({test}) AND {link} IS NOT NULL"
        joined = f" JOIN {child.table.format(t='t')}" if child.table else ""
        inside = f"t.id IN (SELECT {link} FROM {selection.source(clause)}{joined} WHERE {clause})"
        self.selection.params |= selection.params
        return inside if cross["has"] else f"NOT ({inside})"

    def _order(self) -> str:
        keys = [(bound_or_none(self.selection, item["field"]), item["direction"] == "desc")
                for item in self.spec.get("sort", ())]  # fmt: skip
        return order_by(self.selection, [(bound, down) for bound, down in keys if bound is not None])

    def _rated(self) -> str:
        bound = bound_or_none(self.selection, self.base.rated) if self.base.rated else None
        return "NULL" if bound is None else bound.sql

    def taken(self) -> list[Taken]:
        """The records of the report in its order, before any cut to the top."""
        parts: list[str] = ["t.id", self._rated()]
        places: list[slice] = []
        for columns in [item.columns for item in (*self.rows, *self.across)] + [m.columns for m in self.measures]:
            places.append(slice(len(parts), len(parts) + len(columns)))
            parts += columns
        wanted, order = ", ".join(parts), self._order()
        source = self.selection.source(wanted, self.condition, order)
        raw = [tuple(row) for row in self.selection.all(f"SELECT {wanted} FROM {source} {self.condition} {order}")]
        return self._placed(raw, places)

    def _placed(self, raw: Sequence[tuple[Any, ...]], places: Sequence[slice]) -> list[Taken]:
        today = local_date(self.user.ctx.now, self.user.ctx.person["tz"])
        groupers, first = [*self.rows, *self.across], len(self.rows)
        for item, at in zip(groupers, places, strict=False):
            for row in raw:
                item.place(row[at])
            item.tell_apart()
        found = []
        for row in raw:
            path = tuple(item.place(row[at]) for item, at in zip(groupers, places, strict=False))
            values = tuple(row[at] for at in places[len(groupers) :])
            found.append(Taken(row[0], path[:first], path[first:], values, row[1] or today))
        return found

    # What they come to

    def report(self, wanted: RunReportInput) -> Report:
        """The result, bounded as asked."""
        records = self.taken()
        self._settle(records)
        rates = Rates(self.user.ctx)
        records = self._cut(records, rates)
        sums = Sums(self.measures, self.spec.get("group_order"), rates)
        for record in records:
            sums.add(record)
        groups, across = sums.groups(), sums.across()
        is_listed = bool(self.spec.get("details")) if wanted.details is None else wanted.details
        details = self._details(records, groups, wanted) if is_listed or not self.rows else None
        return Report(
            id=None,
            name=None,
            object=self.base.object,
            format=format_of(self.spec),
            record_count=len(records),
            row_levels=[self._level(item) for item in self.rows],
            across_levels=[self._level(item) for item in self.across],
            measures=[_figure(item) for item in self.measures],
            groups=[sums.group(path, across) for path in groups[: wanted.max_groups]],
            group_count=len(groups),
            across_groups=[[shown(place) for place in path] for path in across],
            across_totals=[sums.figures((), path) for path in across],
            totals=sums.figures((), ()),
            truncated=len(groups) > wanted.max_groups,
            details=details,
            left_out=self.left_out,
        )

    def _settle(self, records: Sequence[Taken]) -> None:
        for at, item in enumerate(self.measures):
            if item.is_money:
                item.settle(record.values[at][1] for record in records if record.values[at][0] is not None)

    def _cut(self, records: list[Taken], rates: Rates) -> list[Taken]:
        """Only the top groups, or the top records of a tabular report."""
        top = self.spec.get("top")
        if top is None:
            return records
        if not self.rows:
            return records[:top]
        sums = Sums(self.measures, self.spec.get("group_order"), rates)
        for record in records:
            sums.add(record)
        kept = {path[0].key for path in sums.children(())[:top]}
        return [record for record in records if record.path[0].key in kept]

    def _level(self, item: Grouper) -> Level:
        label = field_label(self.base.object, item.bound.key)
        by = item.by if item.bound.field.type in ("date", "instant") else None
        return Level(field=item.bound.key, label=f"{label} ({UNIT_LABELS[by].lower()})" if by else label, by=by)

    def _details(
        self, records: Sequence[Taken], groups: Sequence[tuple[Place, ...]], wanted: RunReportInput
    ) -> Listing:
        ranks = {tuple(place.key for place in path): at for at, path in enumerate(groups)}
        ordered = sorted(records, key=lambda item: ranks.get(tuple(place.key for place in item.path), 0))
        shown = ordered[wanted.offset : wanted.offset + wanted.limit]
        bound = [self.selection.bind(key) for key in with_key_fields(self.selection.kind, self.columns)]
        rest = "WHERE t.id IN (SELECT value FROM json_each(:shown_ids))"
        rows = self.selection.rows(bound, rest, shown_ids=json.dumps([item.id for item in shown]))
        by_id = {row["id"]: row for row in rows}
        end = wanted.offset + len(shown)
        return Listing(
            columns=self.columns,
            rows=[by_id[item.id] for item in shown],
            paths=[[place.label for place in item.path] for item in shown],
            total=len(ordered),
            next_offset=end if end < len(ordered) else None,
        )


def field_label(kind: str, key: str) -> str:
    """What a field is called in a report: that of a record behind a lookup by the lookup's own name."""
    known = catalog(kind)
    prefix, _, name = key.partition(".")
    if not name:
        return known.fields[key].label
    holder = known.parents[prefix]
    label = catalog(holder.target or "").fields[name].label
    return holder.label if name in ("name", "subject") else f"{holder.label}: {label}"


def _figure(item: Measure) -> Figure:
    return Figure(
        measure=item.name, label=item.label, type=item.type, currency=item.currency, converted=item.is_converted
    )
