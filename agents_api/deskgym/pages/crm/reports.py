"""Reports by hand: building, changing, running and deleting them in the pages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from deskgym_apps.crm.routes.filters import WORDS
from deskgym_apps.crm.rules_reports import measure_parts
from deskgym_apps.crm.service.catalog import catalog
from deskgym_apps.crm.service.kinds import kind_of
from deskgym_apps.crm.service.report_bases import BASES
from deskgym_apps.crm.service.report_figures import measure_label
from deskgym_apps.crm.service.report_groups import UNIT_LABELS

from ..filling import fill
from ..visit import PATIENCE, PageFault, Visit
from .records import Action, save
from .views import choose, field_label, shown_value

_WHO = {
    "private": "Only me",
    "public": "Everybody may run it",
    "editable": "Everybody may run and change it",
}
_CHARTS = {"none": "No chart", "column": "Columns", "bar": "Bars", "line": "Line"}
_WAYS = {"asc": "Ascending", "desc": "Descending"}
_NOTHING = "–"
_ALL_TIME = "All time, or the days below"


def is_report(record_id: str) -> bool:
    """Whether an id is that of a report."""
    return kind_of(record_id).name == "report"


async def _text(visit: Visit, name: str, value: Any) -> None:
    await fill(visit, visit.main, name, "text", "" if value is None else str(value))


def _group_label(kind: str, key: str) -> str:
    """What the builder calls a field to group by: a lookup by its own name."""
    own = catalog(kind).fields
    prefix, _, name = key.partition(".")
    if name in ("name", "subject"):
        return catalog(kind).parents[prefix].label
    return own[key].label if not name else field_label(kind, key)


def _figure(kind: str, measure: str) -> str:
    function, key = measure_parts(measure)
    if not key:
        return measure_label("count", "count", "")
    item = catalog(kind).fields[key]
    return measure_label(function, "count" if function == "unique" else item.type, item.label)


async def _rows(visit: Visit, name: str) -> int:
    return await visit.main.get_by_role("combobox", name=re.compile(rf"^{name} \d+$")).count()


async def _filters(visit: Visit, kind: str, filters: Sequence[Mapping[str, Any]], child: str = "") -> None:
    said = "Child field" if child else "Field"
    for at in range(1, await _rows(visit, said) + 1):
        item = filters[at - 1] if at <= len(filters) else None
        label = _NOTHING if item is None else field_label(child or kind, str(item["field"]))
        front = f"{BASES[kind].children[child].label}: " if child and item is not None else ""
        await choose(visit, f"{said} {at}", front + label)
        if item is not None:
            operator = "Child operator" if child else "Operator"
            await choose(visit, f"{operator} {at}", WORDS[str(item["op"])])
            await _text(visit, f"{'Child value' if child else 'Value'} {at}", shown_value(item.get("value")))


def _bucket_text(buckets: Sequence[Mapping[str, Any]]) -> str:
    parts = []
    for item in buckets:
        if item.get("below") is not None:
            parts.append(f"{item['label']} < {item['below']}")
        elif item.get("values"):
            parts.append(f"{item['label']} = {', '.join(item['values'])}")
        else:
            parts.append(str(item["label"]))
    return "; ".join(parts)


async def _groups(visit: Visit, kind: str, name: str, groups: Sequence[Mapping[str, Any]]) -> None:
    for at in range(1, await _rows(visit, name) + 1):
        item = groups[at - 1] if at <= len(groups) else {}
        await choose(visit, f"{name} {at}", _group_label(kind, str(item["field"])) if item else _NOTHING)
        await choose(visit, f"{name} {at} period", UNIT_LABELS[item["by"]] if item.get("by") else _NOTHING)
        await _text(visit, f"{name} {at} buckets", _bucket_text(item.get("buckets") or ()))


async def _figures(visit: Visit, kind: str, measures: Sequence[str]) -> None:
    for at in range(1, await _rows(visit, "Figure") + 1):
        wanted = _figure(kind, measures[at - 1]) if at <= len(measures) else _NOTHING
        await choose(visit, f"Figure {at}", wanted)


async def _dates(visit: Visit, kind: str, values: Mapping[str, Any]) -> None:
    if "date_field" in values:
        key = values["date_field"]
        await choose(visit, "Date field", _NOTHING if key is None else field_label(kind, str(key)))
    if "date_range" in values:
        given = values["date_range"] or {}
        period = given.get("period")
        await choose(visit, "Period", _ALL_TIME if period is None else str(period).capitalize())
        for name, label in (("first", "From day"), ("last", "Until day")):
            await fill(visit, visit.main, label, "date", given.get(name))


async def _cross(visit: Visit, kind: str, cross: Mapping[str, Any] | None) -> None:
    plural = BASES[kind].label.lower().capitalize()
    given = cross or {}
    await choose(visit, "Keep", f"{plural} {'with' if given.get('has', True) else 'without'}")
    child = str(given.get("object", ""))
    await choose(visit, "Such records", BASES[kind].children[child].label if child else _NOTHING)
    await _text(visit, "Child filter logic", given.get("filter_logic"))
    if child:
        await _filters(visit, kind, given.get("filters") or (), child)


async def _columns(visit: Visit, kind: str, columns: Sequence[str]) -> None:
    for at in range(1, await _rows(visit, "Column") + 1):
        await choose(visit, f"Column {at}", field_label(kind, columns[at - 1]) if at <= len(columns) else _NOTHING)


async def _sort(visit: Visit, kind: str, sort: Sequence[Mapping[str, Any]]) -> None:
    for at in range(1, 4):
        item = sort[at - 1] if at <= len(sort) else None
        name = "Sort by" if at == 1 else f"Then by ({at})"
        await choose(visit, name, _NOTHING if item is None else field_label(kind, str(item["field"])))
        if item is not None:
            await choose(visit, f"Direction {at}", _WAYS[str(item.get("direction", "asc"))])


async def _about(visit: Visit, values: Mapping[str, Any]) -> None:
    for name, label in (("name", "Report name"), ("folder", "Folder"), ("description", "Description")):
        if name in values:
            await _text(visit, label, values[name])
    if "visibility" in values:
        await choose(visit, "Who may use it", _WHO[str(values["visibility"])])


async def _order(visit: Visit, kind: str, values: Mapping[str, Any]) -> None:
    if "group_order" in values:
        given = values["group_order"]
        await choose(visit, "Sort groups by", _NOTHING if given is None else _figure(kind, str(given["by"])))
        if given is not None:
            await choose(visit, "Direction of groups", _WAYS[str(given.get("direction", "desc"))])
    if "top" in values:
        await _text(visit, "Top", values["top"])
    if "chart" in values:
        await choose(visit, "Chart", _CHARTS[str(values["chart"])])
    if values.get("chart_measure"):
        await choose(visit, "Figure of the chart", _figure(kind, str(values["chart_measure"])))


async def _write(visit: Visit, kind: str, values: Mapping[str, Any]) -> None:
    """Bring the builder to what is given."""
    await _about(visit, values)
    if "scope" in values:
        nouns = BASES[kind].label.lower()
        whose = {"all": f"All {nouns}", "mine": f"Only those of who runs it: my {nouns}"}
        await choose(visit, "Whose records", whose[str(values["scope"])])
    await _dates(visit, kind, values)
    if "filters" in values:
        await _filters(visit, kind, values["filters"] or ())
    if "filters" in values or "filter_logic" in values:
        await _text(visit, "Filter logic", values.get("filter_logic"))
    for name, label in (("rows", "Group"), ("across", "Across")):
        if name in values:
            await _groups(visit, kind, label, values[name] or ())
    if "measures" in values:
        await _figures(visit, kind, values["measures"] or ())
    if "cross_filter" in values:
        await _cross(visit, kind, values["cross_filter"])
    if "columns" in values:
        await _columns(visit, kind, values["columns"] or ())
    if "sort" in values:
        await _sort(visit, kind, values["sort"] or ())
    if "details" in values:
        await fill(visit, visit.main, "List the records too", "checkbox", bool(values["details"]))
    await _order(visit, kind, values)


def _landed(visit: Visit) -> str:
    found = re.match(r"^/crm/reports/(RPT\w{12})$", visit.path)
    if found is None:
        raise PageFault(f"{visit.path} is no report")
    return found[1]


async def create_report(visit: Visit, values: Mapping[str, Any]) -> dict[str, Any]:
    """Build a new report and save it."""
    kind = str(values["object"])
    await visit.go(f"/crm/reports/new?object={kind}&rows=all")
    await _write(visit, kind, values)
    await save(visit, "Save report")
    return {"id": _landed(visit), "row_version": 1, "name": await visit.heading()}


async def update_report(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Change what is given in a report's builder."""
    report_id = str(args["id"])
    await visit.go(f"/crm/reports/{report_id}/edit?rows=all")
    kind = await visit.main.locator('input[name="object"]').first.get_attribute("value", timeout=PATIENCE)
    await _write(visit, str(kind), args["values"])
    await save(visit, "Save report")
    version = args.get("row_version")
    return {"id": report_id, "row_version": None if version is None else version + 1}


async def delete_report(visit: Visit, report_id: str) -> dict[str, Any]:
    """Delete a report and confirm."""
    await visit.go(f"/crm/reports/{report_id}/delete")
    await save(visit, "Delete")
    return {"id": report_id, "deleted": 1}


async def run_report(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Run a saved report, or build one as far as its preview."""
    if args.get("id"):
        details = "" if args.get("details") is None else f"?details={int(bool(args['details']))}"
        await visit.go(f"/crm/reports/{args['id']}{details}")
        return {"text": await visit.main.inner_text(timeout=PATIENCE)}
    spec = args["spec"]
    await visit.go(f"/crm/reports/new?object={spec['object']}&rows=all")
    await _write(visit, str(spec["object"]), spec)
    await visit.press(visit.main.get_by_role("button", name="Refresh preview", exact=True))
    await visit.check()
    return {"text": await visit.main.get_by_role("region", name="Preview").inner_text(timeout=PATIENCE)}


_KINDS = {"metric": "Figure", "column": "Columns", "bar": "Bars", "line": "Line", "table": "Table"}
_SEEN = {"private": "Only me", "public": "Everybody"}


def is_dashboard(record_id: str) -> bool:
    """Whether an id is that of a dashboard."""
    return kind_of(record_id).name == "dashboard"


async def _write_dashboard(visit: Visit, values: Mapping[str, Any], names: Sequence[str]) -> None:
    for name, label in (("name", "Dashboard name"), ("folder", "Folder")):
        if name in values:
            await _text(visit, label, values[name])
    if "visibility" in values:
        await choose(visit, "Who sees it", _SEEN[str(values["visibility"])])
    if "widgets" in values:
        widgets = values["widgets"]
        for at in range(1, await _rows(visit, "Report") + 1):
            item = widgets[at - 1] if at <= len(widgets) else None
            await choose(visit, f"Report {at}", _NOTHING if item is None else names[at - 1])
            if item is not None:
                await choose(visit, f"Shown {at} as", _KINDS[str(item.get("kind", "table"))])
                await _text(visit, f"Title {at}", item.get("title"))


async def save_dashboard(visit: Visit, values: Mapping[str, Any], args: Mapping[str, Any] | None) -> dict[str, Any]:
    """Build a new dashboard, or change the one of an update."""
    path = "/crm/dashboards/new" if args is None else f"/crm/dashboards/{args['id']}/edit"
    names: list[str] = []
    if values.get("widgets"):
        await visit.go("/crm/reports")
        for item in values["widgets"]:
            names.append(await _listed_name(visit, str(item["report_id"])))
    await visit.go(path)
    await _write_dashboard(visit, values, names)
    await save(visit, "Save dashboard")
    found = re.match(r"^/crm/dashboards/(DSH\w{12})$", visit.path)
    if found is None:
        raise PageFault(f"{visit.path} is no dashboard")
    version = 1 if args is None else args.get("row_version", 0) + 1
    return {"id": found[1], "row_version": version, "name": await visit.heading()}


async def _listed_name(visit: Visit, report_id: str) -> str:
    """What the list of reports calls one, namesakes told apart."""
    link = visit.main.locator(f'a[href="/crm/reports/{report_id}"]').first
    named = await link.get_attribute("aria-label", timeout=PATIENCE)
    return named or (await link.inner_text(timeout=PATIENCE)).strip()


async def delete_dashboard(visit: Visit, dashboard_id: str) -> dict[str, Any]:
    """Delete a dashboard and confirm."""
    await visit.go(f"/crm/dashboards/{dashboard_id}/delete")
    await save(visit, "Delete")
    return {"id": dashboard_id, "deleted": 1}


ACTIONS: Mapping[str, Action] = {"run_report": run_report}
