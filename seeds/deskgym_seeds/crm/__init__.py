"""The CRM's part of a world: rows of every ``crm_`` table, made by simulated processes.

``rows(setting)`` is what ``world`` calls for an app; the mess that is on purpose is in ``Rows.oracle``.
"""

from dataclasses import dataclass
from typing import Final

from ..organisation import Setting
from .accounts import Account, AccountMaker
from .activities import ActivityMaker
from .administration import administration_rows, lead_routing, share_rows
from .approvals import ApprovalMaker
from .case_columns import finish_cases
from .case_plans import DEVICES, Planner
from .cases import CaseMaker
from .contacts import ContactMaker
from .customers import describe_deals, finish_accounts
from .deals import Deal, DealMaker
from .deletions import delete_some
from .facts import Facts
from .finish import (
    history_rows,
    set_last_activity,
    settled,
    with_account_columns,
    with_contact_columns,
    with_deal_columns,
    with_lead_columns,
    with_subject_norm,
)
from .knowledge import article_rows
from .lead_work import LeadWork
from .leads import LeadMaker
from .ledger import Change, Ids, Oracle, Row
from .mails import MailMaker
from .notices import notification_rows
from .pricelist import PriceList
from .prices import Pricing
from .quotes import QuoteMaker
from .reference import QUEUES, Catalogue, access_rows, matching_rows, picklist_rows, stage_rows
from .reports import ReportMaker
from .territories import Territories
from .views import ViewMaker, group_rows

SIGNATURES_PER_MILLE: Final = 60


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows by table, in an order that respects foreign keys; the next id counters; the private list of mess."""

    tables: dict[str, list[Row]]
    counters: dict[str, int]
    oracle: dict[str, list[Row]]


def rows(setting: Setting) -> Rows:
    """Every row of the CRM in this world."""
    ids, oracle = Ids(setting), Oracle()
    territories, catalogue = Territories(setting), Catalogue(ids)
    tables: dict[str, list[Row]] = access_rows(setting, ids)
    accounts = AccountMaker(setting, ids, territories, oracle).make()
    contacts = ContactMaker(setting, ids, territories, oracle)
    contacts.make(accounts)
    deals = DealMaker(setting, ids, territories, Pricing(catalogue), oracle)
    deals.make(accounts)
    finish_accounts(setting, accounts, deals.deals)
    facts = Facts(setting, contacts.people)
    describe_deals(setting, deals.deals, facts)
    activities, mails = ActivityMaker(setting, ids, facts, oracle), MailMaker(setting, ids, facts, oracle)
    for deal in deals.deals:
        activities.of_deal(deal)
        mails.of_deal(deal)
    for account in accounts:
        activities.of_account(account)
        mails.of_account(account)
    activities.hand_over(oracle.keys("stale_owner"))
    mails.signatures(accounts, setting.scale.accounts * SIGNATURES_PER_MILLE // 1000)
    delete_some(setting, accounts, deals.deals, activities, contacts.links)
    groups = {row["name"]: row["id"] for row in tables["crm_group"]}
    queues = {key: groups[name] for key, name, *_ in QUEUES}
    devices = [row for row in catalogue.rows["crm_product"] if row["family"] in DEVICES]
    cases = CaseMaker(setting, ids, facts, oracle, queues, devices)
    cases.make(Planner(setting, deals.deals).plan(accounts))
    PriceList(setting, ids, catalogue, oracle).finish(deals.deals)
    quotes = QuoteMaker(setting, ids, oracle)
    quotes.make(deals.deals)
    leads = LeadMaker(setting, ids, territories, oracle)
    leads.make(accounts, contacts, deals.deals)
    LeadWork(setting, ids, facts, activities, mails, oracle).make(leads)
    changes: list[Change] = []
    quote_changes: list[Change] = []
    tables |= {
        "crm_picklist": picklist_rows(ids),
        "crm_stage": stage_rows(),
        "crm_matching_rule": matching_rows(ids),
    } | catalogue.rows
    tables |= _record_rows(setting, accounts, contacts, deals, activities, leads, changes)
    tables["crm_case"] = settled(cases.cases, changes)
    tables["crm_case_comment"] = cases.comments
    said = sorted([*mails.rows, *cases.mails], key=lambda row: str(row["sent_at"]))
    tables |= _line_rows(deals.deals, ids) | quotes.rows(quote_changes) | {"crm_email_message": said}
    tables |= article_rows(setting, ids)
    tables["crm_field_history"] = history_rows(changes, ids) + history_rows(quote_changes, ids)
    finish_cases(tables)
    tables["crm_notification"] = notification_rows(setting, changes, activities.assigned, tables, ids)
    tables |= share_rows(setting, tables["crm_lead"])
    set_up = (group_rows(tables["crm_role"], ids), administration_rows(setting, ids), lead_routing(setting, ids))
    for table, more in (item for part in set_up for item in part.items()):
        tables[table] = [*tables.get(table, []), *more]
    tables |= ViewMaker(setting, ids, tables["crm_group"], oracle).make()
    tables |= ReportMaker(setting, ids, oracle).make()
    approvals = ApprovalMaker(setting, ids)
    approvals.of_quotes(quotes.records)
    approvals.of_deals(deals.deals)
    tables |= approvals.rows()
    return Rows(tables, ids.counters(), oracle.entries)


def _record_rows(
    setting: Setting,
    accounts: list[Account],
    contacts: ContactMaker,
    deals: DealMaker,
    activities: ActivityMaker,
    leads: LeadMaker,
    changes: list[Change],
) -> dict[str, list[Row]]:
    account_rows = [with_account_columns(row) for row in settled((one.record for one in accounts), changes)]
    account_rows.sort(key=lambda row: row["parent_id"] is not None)
    contact_rows = [with_contact_columns(row) for row in settled(contacts.contacts, changes)]
    deal_rows = [
        with_deal_columns(row, deal.record)
        for row, deal in zip(settled((one.record for one in deals.deals), changes), deals.deals, strict=True)
    ]
    task_rows = [with_subject_norm(row) for row in settled(activities.tasks, changes)]
    event_rows = [with_subject_norm(row) for row in settled(activities.events, changes)]
    set_last_activity(account_rows, deal_rows, task_rows, event_rows, setting)
    return {
        "crm_account": account_rows,
        "crm_contact": contact_rows,
        "crm_account_contact": contacts.links,
        "crm_opportunity": deal_rows,
        "crm_opportunity_contact_role": deals.roles,
        "crm_lead": [with_lead_columns(row) for row in settled(leads.leads, changes)],
        "crm_task": task_rows,
        "crm_event": event_rows,
        "crm_note": settled(activities.notes, changes),
        "crm_note_link": activities.note_links,
    }


def _line_rows(deals: list[Deal], ids: Ids) -> dict[str, list[Row]]:
    lines = [
        {"id": ids.new("crm_opportunity_line"), "opportunity_id": deal.record.id, **line}
        for deal in deals
        if deal.basket
        for line in deal.basket.lines
    ]
    return {"crm_opportunity_line": lines}
