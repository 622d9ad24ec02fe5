"""Roles of saved reports and dashboards (CRM-13)."""

from __future__ import annotations

from ...kit.roles import ID, INT, TOUCH, TOUCH_ACTOR, VERSION, Table, derived, enum, json, ref, text, worded
from ..rules_reports import CHARTS, OBJECTS, VISIBILITY, WIDGETS, report_definition, report_format
from .parts import CREATED, OWNER, norm_of

TABLES: dict[str, Table] = {
    "crm_report": Table(
        "report",
        {
            "id": ID,
            "object": enum(*OBJECTS),
            "name": text("name"),
            "name_norm": norm_of("name"),
            "description": text("free"),
            "folder": text("name"),
            "owner_id": OWNER,
            "visibility": enum(*VISIBILITY),
            "format": derived(report_format),
            "spec": worded("definition", report_definition),
            "definition": json("report"),
            "chart": enum(*CHARTS),
            "chart_measure": text("code"),
            **CREATED,
            "updated_at": TOUCH,
            "updated_by": TOUCH_ACTOR,
            "row_version": VERSION,
        },
        prefix="RPT",
    ),
    "crm_dashboard": Table(
        "dashboard",
        {
            "id": ID,
            "name": text("name"),
            "name_norm": norm_of("name"),
            "folder": text("name"),
            "owner_id": OWNER,
            "visibility": enum("private", "public"),
            **CREATED,
            "updated_at": TOUCH,
            "updated_by": TOUCH_ACTOR,
            "row_version": VERSION,
        },
        prefix="DSH",
    ),
    "crm_dashboard_widget": Table(
        "widget of a dashboard",
        {
            "dashboard_id": ref("crm_dashboard"),
            "pos": INT,
            "report_id": ref("crm_report"),
            "kind": enum(*WIDGETS),
            "title": text("name"),
        },
    ),
}
