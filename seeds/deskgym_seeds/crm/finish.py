"""From settled records to rows: derived columns (I1, I11, norms and digits), history, notifications, deletions."""

from collections.abc import Iterable
from typing import Any

from deskgym_apps.crm.rules import contact_name, expected_revenue
from deskgym_apps.kit.dates import local_date
from deskgym_apps.kit.norm import digits, norm

from ..localtime import instant_text
from ..organisation import Setting
from .ledger import Change, Ids, Record, Row


def settled(records: Iterable[Record], history: list[Change]) -> list[Row]:
    """The rows of the records; their field history is added to ``history``."""
    rows = []
    for record in records:
        row, changes = record.settle()
        history += changes
        rows.append(row)
    return rows


def with_account_columns(row: Row) -> Row:
    """Norm and digits of an account."""
    return row | {"name_norm": norm(row["name"]), "phone_digits": _digits(row["phone"])}


def with_contact_columns(row: Row) -> Row:
    """Norms and digits of a contact."""
    return row | {
        "name_norm": norm(contact_name(row)),
        "email_norm": None if row["email"] is None else norm(row["email"]),
        "phone_digits": _digits(row["phone"]),
        "mobile_digits": _digits(row["mobile"]),
    }


def with_lead_columns(row: Row) -> Row:
    """Norms and digits of a lead."""
    return with_contact_columns(row) | {"company_norm": norm(row["company"])}


def with_subject_norm(row: Row) -> Row:
    """Norm of the subject of a task or event."""
    return row | {"subject_norm": norm(row["subject"])}


def with_deal_columns(row: Row, record: Record) -> Row:
    """Expected revenue (I1), the instants of the last stage change and of closing (I2)."""
    moved, stage = record.created_at, record.values["stage"]
    for save in sorted(record.saves, key=lambda save: save.at):
        if save.values.get("stage", stage) != stage:
            moved, stage = save.at, save.values["stage"]
    closed = instant_text(moved) if stage.startswith("Closed") else None
    return row | {
        "name_norm": norm(row["name"]),
        "expected_revenue": expected_revenue(row["amount"], row["probability"]),
        "last_stage_change_at": instant_text(moved),
        "closed_at": closed,
    }


def _digits(phone: str | None) -> str | None:
    return None if phone is None else digits(phone)


def set_last_activity(
    accounts: list[Row], deals: list[Row], tasks: list[Row], events: list[Row], setting: Setting
) -> None:
    """I11: the latest day of live completed tasks and past events; an account counts those of its deals too."""
    zones = {one.id: one.zone for one in setting.staff.values()}
    now = instant_text(setting.now)
    days: dict[str, list[str]] = {}
    for row in tasks:
        today = local_date(now, zones[row["owner_id"]])
        if not row.get("is_deleted") and row["status"] == "Completed" and row["due_date"] <= today:
            days.setdefault(row["what_id"], []).append(row["due_date"])
    for row in events:
        if not row.get("is_deleted") and row["end_at"] <= now:
            days.setdefault(row["what_id"], []).append(local_date(row["start_at"], zones[row["owner_id"]]))
    for row in deals:
        row["last_activity_on"] = max(days.get(row["id"], []), default=None)
        days.setdefault(row["account_id"], []).extend(days.get(row["id"], []))
    for row in accounts:
        row["last_activity_on"] = max(days.get(row["id"], []), default=None)


def history_rows(changes: list[Change], ids: Ids) -> list[Row]:
    """Field history (CRM-11): one row per changed tracked field and save, values as stored, in text."""
    ordered = sorted(changes, key=lambda change: (change.at, ids.order(change.record_id), change.field))
    return [
        {"id": ids.new("crm_field_history"), "object": change.object, "record_id": change.record_id,
         "field": change.field, "old_value": _text(change.old), "new_value": _text(change.new),
         "changed_at": instant_text(change.at), "changed_by": change.by}
        for change in ordered
    ]  # fmt: skip


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
