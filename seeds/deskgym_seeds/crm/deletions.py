"""The recycle bin: a few records that people deleted in the last two weeks (CRM-10)."""

from datetime import timedelta

from ..organisation import Employee, Setting
from ..streams import Stream
from .accounts import Account
from .activities import ActivityMaker
from .deals import Deal
from .ledger import Record
from .territories import moment_within


def delete_some(
    setting: Setting, accounts: list[Account], contacts: list[Record], deals: list[Deal], activities: ActivityMaker
) -> None:
    """Deletes an account with its people, and some tasks and notes, each in a batch of its own."""
    stream = setting.stream("crm_account", "deletions")
    staff = {one.id: one for one in setting.staff.values()}
    busy = {deal.account.record.id for deal in deals}
    parents = {one.record.values["parent_id"] for one in accounts}
    used = {record.values["what_id"] for record in activities.tasks + activities.events}
    used |= {link["record_id"] for link in activities.note_links}
    idle = [one for one in accounts if one.record.id not in busy | parents | used and len(one.contacts) < 3
            and not one.stale and one.owners[-1][1].left_on is None]  # fmt: skip
    people = {record.values["who_id"] for record in activities.tasks + activities.events}
    idle = [one for one in idle if not people & {contact.id for contact in one.contacts}]
    batch = 0
    for account in stream.sample(idle, min(len(idle), max(1, len(accounts) // 140))):
        batch += 1
        _delete([account.record, *account.contacts], account.owners[-1][1], setting, stream, batch)
    for records, count in ((activities.tasks, 6), (activities.notes, 2)):
        chosen = [one for one in records if staff[one.values["owner_id"]].left_on is None]
        for record in stream.sample(chosen, min(len(chosen), count)):
            batch += 1
            _delete([record], staff[record.values["owner_id"]], setting, stream, batch)


def _delete(records: list[Record], who: Employee, setting: Setting, stream: Stream, batch: int) -> None:
    start = setting.now - timedelta(days=13)
    latest = max([start, *(save.at for record in records for save in record.saves),
                  *(record.created_at for record in records)])  # fmt: skip
    at = moment_within(who, latest, setting.now, stream)
    if at is None:
        return
    key = setting.id_of("crm_delete_batch", batch, "DEL")
    for record in records:
        record.deleted = (at, who.id, key)
