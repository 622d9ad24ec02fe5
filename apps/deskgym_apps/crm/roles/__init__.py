"""Roles of the CRM's columns (grading.md §3.2)."""

from __future__ import annotations

from ...kit.roles import Table
from . import (
    access,
    activities,
    approvals,
    cases,
    duplicates,
    imports,
    knowledge,
    leads,
    products,
    records,
    reports,
    system,
    views,
)

TITLE = "Northbeam"
TABLES: dict[str, Table] = {
    **access.TABLES,
    **records.TABLES,
    **leads.TABLES,
    **cases.TABLES,
    **duplicates.TABLES,
    **imports.TABLES,
    **knowledge.TABLES,
    **products.TABLES,
    **activities.TABLES,
    **approvals.TABLES,
    **views.TABLES,
    **reports.TABLES,
    **system.TABLES,
}
