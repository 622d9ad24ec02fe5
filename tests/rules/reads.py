"""Everything that a person can read without changing anything, by both doors."""

from __future__ import annotations

from typing import Any

from tests.crm.fixture import ALDERCROFT, KESTREL, NOTE, TODO, VISIT

GETS = (
    *("/desk", "/crm/", "/crm/accounts", "/crm/contacts", "/crm/opportunities", "/crm/opportunities/board"),
    *("/crm/tasks", "/crm/events", "/crm/notes", "/crm/emails", "/crm/notifications", "/crm/recycle-bin"),
    *("/crm/search?q=kestrel", "/crm/lookup/account?q=a", "/crm/accounts/new", f"/crm/accounts/{ALDERCROFT}"),
    *(f"/crm/accounts/{ALDERCROFT}/{tab}" for tab in ("related", "history", "edit")),
    *(f"/crm/opportunities/{KESTREL}{tab}" for tab in ("", "/stage", "/edit", "/delete", "/contact-roles/new")),
    *(
        f"/crm/tasks/{TODO}",
        f"/crm/notes/{NOTE}",
        f"/crm/events/{VISIT}",
        "/crm/accounts?field1=name&op1=equals&value1=x",
    ),
)
READS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("whoami", {}),
    ("describe", {"object": "opportunity"}),
    ("query", {"object": "account"}),
    ("search", {"text": "kestrel"}),
    ("get", {"id": KESTREL, "related": ["tasks", "contact_roles"]}),
    ("timeline", {"id": KESTREL}),
    ("timeline", {"id": KESTREL, "action": "history"}),
)
