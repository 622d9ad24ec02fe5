"""Numbers and closed sets of the CRM's rules, and the derived columns they give (CRM-1, CRM-2.2, I1, I4, I11)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from ..kit.dates import add_seconds, local_date
from ..kit.money import round_half_up
from ..kit.norm import digits, norm
from ..kit.roles import Reader, Row

OBJECTS = (
    *("account", "contact", "opportunity", "quote", "product", "pricebook", "lead"),
    *("case", "task", "event", "note", "article"),
)
TRACKED = {
    "account": ("name", "account_number", "owner_id", "phone", "parent_id"),
    "contact": ("account_id", "email", "phone", "mobile", "owner_id"),
    "opportunity": ("stage", "amount", "close_date", "owner_id", "account_id"),
    "case": ("status", "priority", "owner_id", "account_id"),
    "quote": ("status", "expires_on", "grand_total", "is_synced"),
    "lead": ("status", "owner_id", "email", "phone"),
    "task": ("status", "priority", "owner_id", "due_date"),
    "event": ("start_at", "end_at", "owner_id"),
    "article": ("status", "version", "title"),
}
CLOSED_WON = "Closed Won"
CLOSED_LOST = "Closed Lost"
AMOUNT_REQUIRED_FROM = "Proposal/Price Quote"
KEEP_DAYS = 15


def purge_line(now: str) -> str:
    """CRM-10: records deleted at or before this instant are purged."""
    return add_seconds(now, -KEEP_DAYS * 86_400)


def history_text(value: Any) -> str | None:
    """A value as field history keeps it: the column as text; ids of refs, minor units of money, None where empty."""
    return None if value is None else str(value)


def expected_revenue(amount: int | None, probability: int) -> int | None:
    """I1: amount x probability / 100, half-up, or None without an amount. Minor units."""
    if amount is None:
        return None
    return round_half_up(Decimal(amount) * probability / 100)


def line_total(qty_milli: int, unit_price: int, discount_bp: int) -> int:
    """I4: quantity x unit price less discount, half-up. Minor units."""
    return round_half_up(Decimal(qty_milli) * unit_price * (10_000 - discount_bp) / 10_000_000)


def contact_name(row: Row) -> str:
    """First and last name as shown."""
    return " ".join(part for part in (row["first_name"], row["last_name"]) if part)


def contact_name_norm(_state: Reader, row: Row) -> str:
    return norm(contact_name(row))


def norm_of(column: str) -> Any:
    """A derived role's function: the norm of another column, None stays None."""

    def derive(_state: Reader, row: Row) -> str | None:
        return None if row[column] is None else norm(row[column])

    return derive


def digits_of(column: str) -> Any:
    """A derived role's function: the digits of another column, None stays None."""

    def derive(_state: Reader, row: Row) -> str | None:
        return None if row[column] is None else digits(row[column])

    return derive


def _meta(state: Reader, key: str) -> str:
    row = state.get("org_meta", (key,))
    if row is None:
        raise KeyError(f'org_meta has no key "{key}"')
    return str(row["value"])


def _zone_of(state: Reader, person_id: str) -> str:
    person = state.get("org_person", (person_id,))
    if person is None:
        raise KeyError(f"there is no person {person_id}")
    return str(person["tz"])


def activity_days(state: Reader, record_id: str) -> list[str]:
    """Days of live completed tasks and past events of a record (I11); the day of an event in its owner's zone."""
    now = _meta(state, "sim_now")
    days = []
    for task in state.select("crm_task", what_id=record_id):
        today = local_date(now, _zone_of(state, task["owner_id"]))
        if task["is_deleted"] == 0 and task["status"] == "Completed" and task["due_date"] and task["due_date"] <= today:
            days.append(str(task["due_date"]))
    for event in state.select("crm_event", what_id=record_id):
        if event["is_deleted"] == 0 and event["end_at"] <= now:
            days.append(local_date(event["start_at"], _zone_of(state, event["owner_id"])))
    return days


def opportunity_last_activity(state: Reader, row: Row) -> str | None:
    """I11 for an opportunity."""
    return max(activity_days(state, row["id"]), default=None)


def account_last_activity(state: Reader, row: Row) -> str | None:
    """I11 for an account: its own activities and those of its opportunities."""
    days = activity_days(state, row["id"])
    for opportunity in state.select("crm_opportunity", account_id=row["id"]):
        days += activity_days(state, opportunity["id"])
    return max(days, default=None)
