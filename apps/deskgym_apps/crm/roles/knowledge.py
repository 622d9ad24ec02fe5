"""Roles of the knowledge base."""

from __future__ import annotations

from ...kit.roles import ACTOR, CLOCK, DATE, ID, INT, Table, derived, enum, ref, text
from .. import rules_cases as rules
from .parts import OWNER, RECORD, norm_of

TABLES: dict[str, Table] = {
    "crm_article": Table(
        "article",
        {
            "id": ID,
            "number": derived(rules.gapless("crm_article", rules.NUMBER_DIGITS)),
            "title": text("name"),
            "title_norm": norm_of("title"),
            "body": text("free"),
            "category": enum(),
            "status": enum("Draft", "Published", "Archived", initial="Draft"),
            "visibility": enum("Internal", "Public", initial="Internal"),
            "version": INT,
            "valid_from": DATE,
            "valid_to": DATE,
            "owner_id": OWNER,
            **RECORD,
        },
        prefix="ART",
    ),
    "crm_article_version": Table(
        "article version",
        {
            "article_id": ref("crm_article"),
            "version": INT,
            "title": text("name"),
            "body": text("free"),
            "created_at": CLOCK,
            "created_by": ACTOR,
        },
    ),
}
