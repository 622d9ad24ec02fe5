"""Roles of leads (CRM-2)."""

from __future__ import annotations

from ...kit.roles import BOOL, ID, INT, Role, Table, derived, enum, money, ref, text
from .. import rules
from .parts import OWNER, RECORD, digits_of, norm_of

TABLES: dict[str, Table] = {
    "crm_lead": Table(
        "lead",
        {
            "id": ID,
            "salutation": enum(),
            "first_name": text("name"),
            "last_name": text("name"),
            "name_norm": derived(rules.contact_name_norm),
            "company": text("name"),
            "company_norm": norm_of("company"),
            "title": text("name"),
            "email": text("email"),
            "email_norm": norm_of("email"),
            "phone": text("phone"),
            "phone_digits": digits_of("phone"),
            "mobile": text("phone"),
            "mobile_digits": digits_of("mobile"),
            "website": text("url"),
            **{part: text("name") for part in ("street", "city", "state", "postcode", "country")},
            "industry": enum(),
            "employees": INT,
            "annual_revenue": money("currency"),
            "currency": ref("org_currency"),
            "rating": enum(),
            "lead_source": enum(),
            "status": enum(initial="Open - Not Contacted"),
            "owner_id": OWNER,
            "unread": BOOL,
            "do_not_call": BOOL,
            "email_opt_out": BOOL,
            "description": text("free"),
            "master_record_id": ref("crm_lead"),
            "is_converted": BOOL,
            "converted_at": Role("clock_if", "is_converted"),
            "converted_account_id": ref("crm_account"),
            "converted_contact_id": ref("crm_contact"),
            "converted_opportunity_id": ref("crm_opportunity"),
            **RECORD,
        },
        prefix="LEA",
    ),
}
