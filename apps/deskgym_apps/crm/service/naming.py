"""How a record is named in lists of candidates: its name, and what tells namesakes apart (DESIGN §4)."""

from __future__ import annotations

from typing import Any

from . import setup_fields
from .catalog import Field
from .kinds import KINDS
from .selection import Bound, Selection

# (field it belongs to, SQL): shown in this order, those that hold something
_DETAILS: dict[str, tuple[tuple[str, str], ...]] = {
    **setup_fields.DETAILS,
    "account": (
        ("bill_city", "t.bill_city"),
        ("owner_id", "'owner ' || (SELECT p.name FROM org_person p WHERE p.id = t.owner_id)"),
    ),
    "contact": (
        ("account_id", "(SELECT a.name FROM crm_account a WHERE a.id = t.account_id)"),
        ("title", "t.title"),
    ),
    "opportunity": (
        ("account_id", "(SELECT a.name FROM crm_account a WHERE a.id = t.account_id)"),
        ("stage", "t.stage"),
    ),
    "case": (("number", "t.number"), ("status", "t.status")),
    "quote": (
        ("number", "t.number"),
        ("opportunity_id", "(SELECT o.name FROM crm_opportunity o WHERE o.id = t.opportunity_id)"),
        ("status", "t.status"),
    ),
    "lead": (("company", "t.company"), ("title", "t.title")),
    "task": (("status", "t.status"), ("due_date", "'due ' || t.due_date")),
    "event": (("start_at", "t.start_at"),),
    "note": (("owner_id", "(SELECT p.name FROM org_person p WHERE p.id = t.owner_id)"), ("updated_at", "t.updated_at")),
    "article": (("number", "t.number"), ("category", "t.category")),
    "case_comment": (("created_at", "t.created_at"),),
    "queue": (("name", "'queue'"),),
    "email": (("from_addr", "'from ' || t.from_addr"), ("sent_at", "t.sent_at")),
    "user": (("title", "t.title"), ("email", "t.email")),
    "list_view": (("object", "t.object"), ("owner_id", "(SELECT p.name FROM org_person p WHERE p.id = t.owner_id)")),
    "report": (("folder", "t.folder"), ("owner_id", "(SELECT p.name FROM org_person p WHERE p.id = t.owner_id)")),
    "dashboard": (("owner_id", "(SELECT p.name FROM org_person p WHERE p.id = t.owner_id)"),),
    "product": (("code", "t.code"), ("family", "t.family")),
    "pricebook": (("is_active", "CASE t.is_active WHEN 0 THEN 'inactive' END"),),
    "pricebook_entry": (
        ("pricebook_id", "(SELECT b.name FROM crm_pricebook b WHERE b.id = t.pricebook_id)"),
        ("currency", "t.currency"),
    ),
    "opportunity_line": (
        ("opportunity_id", "(SELECT o.name FROM crm_opportunity o WHERE o.id = t.opportunity_id)"),
        ("position", "'line ' || t.sort"),
    ),
    "quote_line": (
        ("quote_id", "(SELECT q.number FROM crm_quote q WHERE q.id = t.quote_id)"),
        ("position", "'line ' || t.sort"),
    ),
}
_NAME_NORMS = {
    **setup_fields.NAME_NORMS,
    "account": "t.name_norm",
    "contact": "t.name_norm",
    "opportunity": "t.name_norm",
    "quote": "t.name_norm",
    "lead": "t.name_norm",
    "task": "t.subject_norm",
    "event": "t.subject_norm",
    "case": "t.subject_norm",
    "note": "norm(t.title)",
    "article": "t.title_norm",
    "case_comment": "norm(t.body)",
    "queue": "norm(t.name)",
    "email": "t.subject_norm",
    "user": "t.name_norm",
    "list_view": "t.name_norm",
    "report": "t.name_norm",
    "dashboard": "t.name_norm",
    "product": "t.name_norm",
    "pricebook": "t.name_norm",
    "pricebook_entry": f"norm({KINDS['pricebook_entry'].name_sql.format(t='t')})",
    "opportunity_line": f"norm({KINDS['opportunity_line'].name_sql.format(t='t')})",
    "quote_line": f"norm({KINDS['quote_line'].name_sql.format(t='t')})",
}


def name_norm(kind: str) -> str:
    """SQL of a kind's normed name, the row being t."""
    return _NAME_NORMS[kind]


def extra(key: str, sql: str, type: str = "text", label: str = "") -> Bound:
    """A column that is no field of the kind itself."""
    return Bound(key, Field(key, label or key, type, sql), sql, sql, None)


def name_columns(selection: Selection) -> list[Bound]:
    """Columns for `named`."""
    kind, user = selection.kind.name, selection.user
    unseen = user.hidden(kind) | ({"account_id"} if "read" not in user.rights("account") else set())
    shown = [sql for field, sql in _DETAILS[kind] if field not in unseen]
    details = [extra(f"detail{at}", sql) for at, sql in enumerate(shown)]
    return [extra("id", "t.id"), extra("name", selection.kind.name_sql.format(t="t")), *details]


def named(kind: str, row: dict[str, Any]) -> dict[str, Any]:
    """`{object, id, name, detail}` of a row of `name_columns`."""
    details = [str(row[key]) for key in sorted(row) if key.startswith("detail") and row[key]]
    return {"object": kind, "id": row["id"], "name": row["name"], "detail": ", ".join(details)}
