"""Which accounts and contacts a lead may be (CRM-2.2): same company name, same web domain; same e-mail, same person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...kit.norm import norm
from ..rules import contact_name
from ..rules_leads import company_key, web_domain
from .access import User
from .kinds import KINDS
from .naming import extra, name_columns, named
from .selection import Selection

SAME_NAME, SAME_COMPANY, SAME_DOMAIN = "same name", "same name but for the legal form", "same web domain"
SAME_EMAIL, SAME_PERSON = "same e-mail", "same name"
Found = list[dict[str, Any]]


def matches(user: User, lead: Mapping[str, Any]) -> dict[str, Found]:
    """`matching_accounts` and `matching_contacts` of a lead: rows of `{object, id, name, detail, reason}`, best first.

    A contact's row also says its `account_id` and `account`. Only records that the person may read.
    """
    accounts = _accounts(user, lead)
    return {"matching_accounts": accounts, "matching_contacts": _contacts(user, lead, accounts)}


def _accounts(user: User, lead: Mapping[str, Any]) -> Found:
    if "read" not in user.rights("account"):
        return []
    selection = Selection(user, KINDS["account"])
    website = "t.website" if "website" not in user.hidden("account") else "NULL"
    bound = [*name_columns(selection), extra("name_norm", "t.name_norm"), extra("website", website)]
    rows = selection.rows(bound, f"WHERE {selection.scope(many=True)} ORDER BY t.name_norm, t.id")
    found = []
    for row in rows:
        reasons = _account_reasons(lead, row["name_norm"], row["name"], row["website"])
        if reasons:
            found.append((reasons, named("account", row) | {"reason": ", ".join(reasons)}))
    order = (SAME_NAME, SAME_COMPANY, SAME_DOMAIN)
    found.sort(key=lambda item: (order.index(item[0][0]), -len(item[0])))
    return [row for _, row in found]


def _account_reasons(lead: Mapping[str, Any], name_norm: str, name: str, website: str | None) -> list[str]:
    """Why an account may be the lead's company, the best reason first; empty where nothing says so."""
    reasons = []
    if name_norm == lead["company_norm"]:
        reasons.append(SAME_NAME)
    elif company_key(name) == company_key(lead["company"]):
        reasons.append(SAME_COMPANY)
    domain = web_domain(website)
    if domain and domain in (web_domain(lead["website"]), web_domain(lead["email"])):
        reasons.append(SAME_DOMAIN)
    return reasons


def _contacts(user: User, lead: Mapping[str, Any], accounts: Found) -> Found:
    """Contacts of those accounts with the lead's e-mail or name."""
    if "read" not in user.rights("contact"):
        return []
    selection = Selection(user, KINDS["contact"])
    hidden = user.hidden("contact")
    email = "t.email_norm" if "email" not in hidden else "NULL"
    bound = [*name_columns(selection), extra("email_norm", email), extra("name_norm", "t.name_norm")]
    found = []
    for account in accounts:
        rest = f"WHERE t.account_id = :account AND {selection.scope()} ORDER BY t.name_norm, t.id"
        for row in selection.rows(bound, rest, account=account["id"]):
            reasons = _contact_reasons(lead, row)
            if reasons:
                more = {"reason": ", ".join(reasons), "account_id": account["id"], "account": account["name"]}
                found.append((reasons, named("contact", row) | more))
    found.sort(key=lambda item: -len(item[0]) if item[0][0] == SAME_EMAIL else 0)
    return [row for _, row in found]


def _contact_reasons(lead: Mapping[str, Any], row: Mapping[str, Any]) -> list[str]:
    reasons = []
    if lead["email_norm"] and row["email_norm"] == lead["email_norm"]:
        reasons.append(SAME_EMAIL)
    if row["name_norm"] == norm(contact_name(lead)):
        reasons.append(SAME_PERSON)
    return reasons
