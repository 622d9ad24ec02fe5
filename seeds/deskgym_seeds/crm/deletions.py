"""The recycle bin: a few records that people deleted in the last two weeks (CRM-10)."""

from datetime import timedelta

from ..organisation import Employee, Setting
from ..streams import Stream
from .accounts import Account
from .activities import ActivityMaker
from .deals import Deal
from .ledger import Record, Row
from .territories import moment_within


def delete_some(
    setting: Setting,
    accounts: list[Account],
    deals: list[Deal],
    activities: ActivityMaker,
    links: list[Row],
) -> None:
    """Deletes an account with its people, and some tasks and notes, each in a batch named by its first record."""
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
    linked = {link["account_id"] for link in links if not link["is_direct"]}
    idle = [one for one in idle if one.record.id not in linked]
    for account in stream.sample(idle, min(len(idle), max(1, len(accounts) // 140))):
        _delete([account.record, *account.contacts], setting.staff["ops"], setting, stream)
    for records, count in ((activities.tasks, 6), (activities.notes, 2)):
        chosen = [one for one in records if staff[one.values["owner_id"]].left_on is None]
        for record in stream.sample(chosen, min(len(chosen), count)):
            _delete([record], staff[record.values["owner_id"]], setting, stream)


def _delete(records: list[Record], who: Employee, setting: Setting, stream: Stream) -> None:
    start = setting.now - timedelta(days=13)
    latest = max([start, *(save.at for record in records for save in record.saves),
                  *(record.created_at for record in records)])  # fmt: skip
    at = moment_within(who, latest, setting.now, stream)
    if at is None:
        return
    for record in records:
        record.deleted = (at, who.id, records[0].id)
