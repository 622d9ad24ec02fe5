"""Fields of a saved report as lists and `crm_get` show them: the parts of its definition one by one (CRM-13)."""

from __future__ import annotations

from .catalog_fields import Field, own, ref

_BARE = "(SELECT json_group_array(json_remove(f.value, '$.type')) FROM json_each({t}.spec, '$.%s') f)"
_CROSS = f"json_set(json_extract({{t}}.spec, '$.cross_filter'), '$.filters', {_BARE % 'cross_filter.filters'})"


def _part(name: str, label: str, type: str = "json", help: str | None = None) -> Field:
    return own(name, label, type, f"json_extract({{t}}.spec, '$.{name}')", help=help)


def _list(name: str, label: str, help: str | None = None) -> Field:
    return own(name, label, "json", f"coalesce(json_extract({{t}}.spec, '$.{name}'), '[]')", help=help)


REPORT: tuple[Field, ...] = (
    own("name", "Name", "text", norm="{t}.name_norm"),
    own("description", "Description", "text"),
    own("folder", "Folder", "text"),
    own("object", "Report type", "text", help="What its rows are."),
    own("format", "Format", "text", help="tabular, summary or matrix."),
    ref("owner_id", "Owner", "user"),
    own("visibility", "Who may use it", "text", help="private, public (everybody may run it) or editable."),
    own("scope", "Scope", "text", "coalesce(json_extract({t}.spec, '$.scope'), 'all')", help="mine or all."),
    own("filters", "Filters", "json", _BARE % "filters", help="field, op and value, in the order of their numbers."),
    _part("filter_logic", "Filter logic", "text", "All filters must hold where it is empty."),
    _part("date_field", "Date field", "text"),
    _part("date_range", "Date range", help="A period, or first and last day."),
    _list("rows", "Groups", "Groupings of rows, outermost first."),
    _list("across", "Groups across", "Groupings of columns: a matrix."),
    _list("measures", "Figures", "count, or function:field."),
    _list("columns", "Columns"),
    _list("sort", "Sort"),
    _part("group_order", "Order of groups"),
    _part("top", "Top", "number"),
    own("cross_filter", "Cross filter", "json", _CROSS),
    own("details", "Details", "bool", "coalesce(json_extract({t}.spec, '$.details'), 0)"),
    own("chart", "Chart", "text"),
    own("chart_measure", "Figure of the chart", "text"),
)
_WIDGETS = (
    "(SELECT json_group_array(json_object('report_id', w.report_id, 'kind', w.kind, 'title', w.title)) FROM "
    "(SELECT * FROM crm_dashboard_widget WHERE dashboard_id = {t}.id ORDER BY pos) w)"
)
DASHBOARD: tuple[Field, ...] = (
    own("name", "Name", "text", norm="{t}.name_norm"),
    own("folder", "Folder", "text"),
    ref("owner_id", "Owner", "user"),
    own("visibility", "Who sees it", "text", help="private or public."),
    own("widgets", "Widgets", "json", _WIDGETS, help="report_id, kind and title, in their order."),
)
