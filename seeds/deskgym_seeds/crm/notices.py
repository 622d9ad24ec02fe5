"""Notifications of the last month: somebody became the owner of a record, or got a task from somebody else."""

from datetime import datetime, timedelta

from ..localtime import instant_text
from ..organisation import Employee, Setting
from .ledger import Change, Ids, Record, Row

_LABELS = {name: name for name in ("account", "contact", "opportunity", "lead", "case")}


def notification_rows(
    setting: Setting,
    changes: list[Change],
    assigned: list[tuple[Record, Employee]],
    tables: dict[str, list[Row]],
    ids: Ids,
) -> list[Row]:
    """The rows, oldest first; people who left get none."""
    names = {row["id"]: row["name"] for table in ("crm_account", "crm_opportunity") for row in tables[table]}
    names |= {
        row["id"]: f"{row['first_name'] or ''} {row['last_name']}".strip()
        for table in ("crm_contact", "crm_lead")
        for row in tables[table]
    }
    names |= {row["id"]: row["subject"] for row in tables["crm_case"]}
    staff = {one.id: one for one in setting.staff.values()}
    since = setting.now - timedelta(days=30)
    found: list[tuple[datetime, str, str, str, str, str, str]] = []
    for change in changes:
        told = change.field == "owner_id" and change.object in _LABELS and change.new in staff
        if told and change.at >= since and change.by != change.new:
            body = f"{staff[change.by].person.name} made you the owner of the {change.object} {names[change.record_id]}"
            found.append((change.at, change.new, "owner_changed", change.object, change.record_id, body, change.by))
    for record, creator in assigned:
        if record.created_at >= since:
            body = f"{creator.person.name} assigned you the task {record.values['subject']}"
            owner = record.values["owner_id"]
            found.append((record.created_at, owner, "task_assigned", "task", record.id, body, creator.id))
    return [
        {"id": ids.new("crm_notification"), "person_id": person, "kind": kind, "object": name, "record_id": key,
         "body": body, "created_at": instant_text(at), "created_by": by}
        for at, person, kind, name, key, body, by in sorted(found)
        if staff[person].left_on is None
    ]  # fmt: skip
