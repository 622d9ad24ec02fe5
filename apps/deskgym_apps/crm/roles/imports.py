"""Roles of import jobs and their rows (CRM-5); the rows are written as a side effect of the job."""

from __future__ import annotations

from ...kit.roles import ACTOR, BOOL, CLOCK, ID, INT, Key, Role, Row, Table, enum, json, ref, text


def _job(row: Row) -> tuple[str, Key]:
    return "crm_import_job", (row["job_id"],)


TABLES: dict[str, Table] = {
    "crm_import_job": Table(
        "import job",
        {
            "id": ID,
            "object": enum("account", "contact", "lead", "opportunity"),
            "mode": enum("insert", "update", "upsert"),
            "match_field": enum("id", "account_number", "email"),
            "duplicate_action": enum("skip", "update", "create"),
            "file_name": text("name"),
            "columns": json("columns"),
            "mapping": json("mapping"),
            "options": json("options"),
            "total": INT,
            "created": INT,
            "updated": INT,
            "skipped": INT,
            "failed": INT,
            "created_at": CLOCK,
            "created_by": ACTOR,
            "is_undone": BOOL,
            "undone_at": Role("clock_if", "is_undone"),
            "undone_by": Role("actor_if", "is_undone"),
        },
        prefix="IMP",
    ),
    "crm_import_row": Table(
        "import row",
        {
            "job_id": ref("crm_import_job"),
            "row_no": INT,
            "outcome": enum("created", "updated", "skipped", "failed"),
            "record_id": text("code"),
            "error": text("free"),
            "cells": json("cells"),
        },
        system=True,
        record=_job,
    ),
}
