"""Roles of activities, e-mails and notes (CRM-12)."""

from __future__ import annotations

from ...kit.roles import CLOCK, DATE, ID, INSTANT, INT, Role, Table, enum, ref, text
from .parts import OWNER, RECORD, norm_of

TABLES: dict[str, Table] = {
    "crm_task": Table(
        "task",
        {
            "id": ID,
            "subject": text("name"),
            "subject_norm": norm_of("subject"),
            "kind": enum("Task", "Call"),
            "status": enum(initial="Not Started"),
            "priority": enum(initial="Normal"),
            "due_date": DATE,
            "duration_minutes": INT,
            "completed_at": Role("clock_when", "status"),
            "who_id": text("code"),
            "what_id": text("code"),
            "owner_id": OWNER,
            "comments": text("free"),
            **RECORD,
        },
        prefix="TSK",
    ),
    "crm_event": Table(
        "event",
        {
            "id": ID,
            "subject": text("name"),
            "subject_norm": norm_of("subject"),
            "start_at": INSTANT,
            "end_at": INSTANT,
            "location": text("name"),
            "who_id": text("code"),
            "what_id": text("code"),
            "owner_id": OWNER,
            "description": text("free"),
            **RECORD,
        },
        prefix="EVT",
    ),
    "crm_email_message": Table(
        "e-mail",
        {
            "id": ID,
            "thread_id": text("code"),
            "direction": enum("in", "out"),
            "from_addr": text("email"),
            "to_addrs": text("email"),
            "subject": text("name"),
            "subject_norm": norm_of("subject"),
            "body": text("free"),
            "sent_at": CLOCK,
            "who_id": text("code"),
            "what_id": text("code"),
        },
        prefix="EML",
        irreversible=True,
    ),
    "crm_note": Table(
        "note",
        {"id": ID, "title": text("name"), "body": text("free"), "owner_id": OWNER, **RECORD},
        prefix="NTE",
    ),
    "crm_note_link": Table("note link", {"note_id": ref("crm_note"), "record_id": text("code")}),
}
