"""Roles of accounts, contacts, opportunities and what they are made of."""

from __future__ import annotations

from typing import Any

from ...kit.roles import BOOL, DATE, ID, INT, Role, Row, Table, derived, enum, money, ref, text
from .. import rules
from .parts import OWNER, RECORD, address, digits_of, norm_of


def _expected(_state: Any, row: Row) -> int | None:
    return rules.expected_revenue(row["amount"], row["probability"])


TABLES: dict[str, Table] = {
    "crm_account": Table(
        "account",
        {
            "id": ID,
            "name": text("name"),
            "name_norm": norm_of("name"),
            "account_number": text("code"),
            "parent_id": ref("crm_account"),
            "type": enum(),
            "industry": enum(),
            "rating": enum(),
            "phone": text("phone"),
            "phone_digits": digits_of("phone"),
            "website": text("url"),
            **address("bill"),
            **address("ship"),
            "annual_revenue": money("currency"),
            "employees": INT,
            "currency": ref("org_currency"),
            "region": enum(),
            "sla_tier": enum(),
            "last_activity_on": derived(rules.account_last_activity),
            "owner_id": OWNER,
            "description": text("free"),
            "master_record_id": ref("crm_account"),
            **RECORD,
        },
        prefix="ACC",
    ),
    "crm_contact": Table(
        "contact",
        {
            "id": ID,
            "salutation": enum(),
            "first_name": text("name"),
            "last_name": text("name"),
            "name_norm": derived(rules.contact_name_norm),
            "account_id": ref("crm_account"),
            "reports_to_id": ref("crm_contact"),
            "title": text("name"),
            "department": text("name"),
            "email": text("email"),
            "email_norm": norm_of("email"),
            "phone": text("phone"),
            "phone_digits": digits_of("phone"),
            "mobile": text("phone"),
            "mobile_digits": digits_of("mobile"),
            **address("mail"),
            "do_not_call": BOOL,
            "email_opt_out": BOOL,
            "lead_source": enum(),
            "owner_id": OWNER,
            "description": text("free"),
            "master_record_id": ref("crm_contact"),
            **RECORD,
        },
        prefix="CON",
    ),
    "crm_account_contact": Table(
        "account contact",
        {"account_id": ref("crm_account"), "contact_id": ref("crm_contact"), "role": enum(), "is_direct": BOOL},
    ),
    "crm_opportunity": Table(
        "opportunity",
        {
            "id": ID,
            "name": text("name"),
            "name_norm": norm_of("name"),
            "account_id": ref("crm_account"),
            "stage": ref("crm_stage"),
            "probability": INT,
            "forecast_category": enum("Pipeline", "Best Case", "Commit", "Closed", "Omitted"),
            "amount": money("currency"),
            "currency": ref("org_currency"),
            "expected_revenue": derived(_expected),
            "close_date": DATE,
            "type": enum(),
            "lead_source": enum(),
            "next_step": text("free"),
            "lost_reason": enum(),
            "lost_detail": text("free"),
            "closed_at": Role("clock_when", "stage"),
            "last_stage_change_at": Role("clock_when", "stage"),
            "pricebook_id": ref("crm_pricebook"),
            "last_activity_on": derived(rules.opportunity_last_activity),
            "owner_id": OWNER,
            "description": text("free"),
            **RECORD,
        },
        prefix="OPP",
    ),
    "crm_opportunity_contact_role": Table(
        "contact role",
        {
            "opportunity_id": ref("crm_opportunity"),
            "contact_id": ref("crm_contact"),
            "role": enum(),
            "is_primary": BOOL,
        },
    ),
}
