"""Roles of products, price books, lines and quotes (CRM-7)."""

from __future__ import annotations

from ...kit.roles import (
    BOOL,
    DATE,
    ID,
    INT,
    TOUCH,
    TOUCH_ACTOR,
    VERSION,
    Role,
    Table,
    decimal,
    derived,
    enum,
    money,
    ref,
    text,
)
from .. import rules_quotes as rules
from .parts import CREATED, RECORD, norm_of

_TRAIL: dict[str, Role] = {**CREATED, "updated_at": TOUCH, "updated_by": TOUCH_ACTOR, "row_version": VERSION}
_PRICED: dict[str, Role] = {
    "pricebook_entry_id": ref("crm_pricebook_entry"),
    "qty_milli": decimal(3),
    "list_price": money("opportunity"),
    "unit_price": money("opportunity"),
    "discount_bp": decimal(4),
    "total": derived(rules.derived_total),
}
TABLES: dict[str, Table] = {
    "crm_product": Table(
        "product",
        {
            "id": ID,
            "name": text("name"),
            "name_norm": norm_of("name"),
            "code": text("code"),
            "family": enum(),
            "description": text("free"),
            "is_active": BOOL,
            **_TRAIL,
        },
        prefix="PRD",
    ),
    "crm_pricebook": Table(
        "price book",
        {
            "id": ID,
            "name": text("name"),
            "name_norm": norm_of("name"),
            "description": text("free"),
            "is_standard": BOOL,
            "is_active": BOOL,
            **_TRAIL,
        },
        prefix="PBK",
    ),
    "crm_pricebook_entry": Table(
        "price book entry",
        {
            "id": ID,
            "pricebook_id": ref("crm_pricebook"),
            "product_id": ref("crm_product"),
            "currency": ref("org_currency"),
            "unit_price": money("currency"),
            "is_active": BOOL,
            **_TRAIL,
        },
        prefix="PBE",
    ),
    "crm_opportunity_line": Table(
        "opportunity product",
        {
            "id": ID,
            "opportunity_id": ref("crm_opportunity"),
            **_PRICED,
            "service_date": DATE,
            "description": text("free"),
            "sort": INT,
        },
        prefix="OLI",
    ),
    "crm_quote": Table(
        "quote",
        {
            "id": ID,
            "number": derived(rules.derived_number),
            "name": text("name"),
            "name_norm": norm_of("name"),
            "opportunity_id": ref("crm_opportunity"),
            "contact_id": ref("crm_contact"),
            "status": enum(*rules.STATUSES),
            "expires_on": DATE,
            "currency": ref("org_currency"),
            "subtotal": derived(rules.derived_subtotal),
            "tax_bp": decimal(4),
            "tax": derived(rules.derived_tax),
            "shipping": money("currency"),
            "grand_total": derived(rules.derived_grand_total),
            "is_synced": BOOL,
            "description": text("free"),
            **RECORD,
        },
        prefix="QUO",
    ),
    "crm_quote_line": Table(
        "quote line", {"id": ID, "quote_id": ref("crm_quote"), **_PRICED, "sort": INT}, prefix="QLI"
    ),
}
