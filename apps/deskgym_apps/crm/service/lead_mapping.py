"""What a lead gives to the account and the contact it becomes (CRM-2.3, CRM-2.4).

A new record takes everything that is mapped; of one that exists only blank fields are filled. An address is one thing:
its blank parts are filled where the parts that are there say the same as the lead's, so that two are never mixed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...kit.money import plain_amount
from ...kit.norm import norm
from .access import User

Row = Mapping[str, Any]
# column of the lead -> column of the record
_ACCOUNT = {
    "company": "name",
    "phone": "phone",
    "website": "website",
    "industry": "industry",
    "employees": "employees",
    "rating": "rating",
}
_CONTACT = {
    name: name for name in ("salutation", "first_name", "last_name", "title", "email", "phone", "mobile", "lead_source")
}
_WISHES = ("do_not_call", "email_opt_out")  # of a new contact only
_ADDRESS = ("street", "city", "state", "postcode", "country")
_PREFIX = {"account": "bill", "contact": "mail"}


def new_values(user: User, kind: str, lead: Row) -> dict[str, Any]:
    """Values of a new account or contact, by field, as its input takes them."""
    plain = _ACCOUNT if kind == "account" else _CONTACT
    values = {target: lead[source] for source, target in plain.items()}
    values |= {f"{_PREFIX[kind]}_{part}": lead[part] for part in _ADDRESS}
    if kind == "account":
        values |= {"currency": lead["currency"], "annual_revenue": _revenue(lead)}
    else:
        values |= {name: bool(lead[name]) or None for name in _WISHES}
    return _allowed(user, kind, values)


def blank_values(user: User, kind: str, lead: Row, row: Row) -> dict[str, Any]:
    """What the lead gives to the blank fields of an account or contact that exists."""
    plain = _ACCOUNT if kind == "account" else _CONTACT
    values = {target: lead[source] for source, target in plain.items() if row[target] is None}
    values |= _blank_address(lead, row, _PREFIX[kind])
    if kind == "account" and row["annual_revenue"] is None and row["currency"] == lead["currency"]:
        values["annual_revenue"] = _revenue(lead)
    return _allowed(user, kind, values)


def _blank_address(lead: Row, row: Row, prefix: str) -> dict[str, Any]:
    there = {part: row[f"{prefix}_{part}"] for part in _ADDRESS}
    if any(value is not None and norm(value) != norm(lead[part] or "") for part, value in there.items()):
        return {}
    return {f"{prefix}_{part}": lead[part] for part, value in there.items() if value is None}


def _revenue(lead: Row) -> str | None:
    return None if lead["annual_revenue"] is None else plain_amount(lead["annual_revenue"], lead["currency"])


def _allowed(user: User, kind: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Those that hold something and that the person's profile may set."""
    kept = user.hidden(kind) | user.locked(kind)
    return {name: value for name, value in values.items() if value is not None and name not in kept}
