"""What deals make of accounts and deals of themselves: customer types, numbers, ratings, next steps, descriptions."""

from datetime import timedelta

from ..organisation import Setting
from ..text import phrase
from .accounts import Account
from .deals import Deal
from .facts import Facts, next_step


def finish_accounts(setting: Setting, accounts: list[Account], deals: list[Deal]) -> None:
    """Sets type, number, service tier and rating; the first won deal gives an account its 8-character number."""
    by_account: dict[str, list[Deal]] = {}
    for deal in deals:
        by_account.setdefault(deal.account.record.id, []).append(deal)
    number = 0
    for account in accounts:
        own = by_account.get(account.record.id, [])
        won = sorted((deal.steps[-1] for deal in own if deal.stage == "Closed Won"), key=lambda step: step.at)
        stream = setting.stream("crm_account", account.record.id, "standing")
        old = account.record.created_by == setting.staff["ops"].id and account.appeal > 50 and stream.chance(620)
        if won or old:
            number += 1
            code = f"QM{100_000 + number * 37 + stream.uniform_int(0, 30):06d}"
            if old:
                account.record.values["account_number"] = code
            else:
                account.record.save(won[0].at, won[0].by.id, account_number=code, type="Customer")
        _rate(setting, account, own, bool(won), old)


def _rate(setting: Setting, account: Account, own: list[Deal], won: bool, old: bool) -> None:
    stream = setting.stream("crm_account", account.record.id, "rating")
    values = account.record.values
    values["type"] = "Prospect"
    if old:
        quiet = not won and not any(deal.is_open for deal in own)
        values["type"] = "Former Customer" if quiet and stream.chance(400) else "Customer"
    if account.company.industry == "Distribution" and (won or old):
        values["type"] = "Reseller"
        for save in account.record.saves:
            save.values.pop("type", None)
    elif not won and not old and stream.chance(60):
        values["type"] = "Partner"
    if won or old:
        values["sla_tier"] = stream.weighted([("Bronze", 60), ("Silver", 27), ("Gold", 13)])
    open_deals = sum(1 for deal in own if deal.is_open)
    hot = 60 if open_deals > 1 else 25 if open_deals else 4
    values["rating"] = stream.weighted([("Hot", hot), ("Warm", 45), ("Cold", 30 if not open_deals else 8), (None, 30)])


def describe_deals(setting: Setting, deals: list[Deal], facts: Facts) -> None:
    """Gives deals a description at creation, and open ones their next step with the last move."""
    for deal in deals:
        stream = setting.stream("crm_opportunity", deal.record.id, "words")
        who = facts.customer(deal.contacts[0], deal.account)
        if stream.chance(560):
            at = deal.record.created_at
            deal.record.values["description"] = phrase("opportunity_description", facts.of_deal(deal, who, at), stream)
        if deal.is_open and stream.chance(720):
            at = deal.steps[-1].at
            words = next_step(facts.of_deal(deal, who, at), stream)
            if len(deal.steps) > 1:
                deal.record.save(at, deal.steps[-1].by.id, next_step=words)
            else:
                deal.record.values["next_step"] = words
        elif not deal.is_open and len(deal.steps) > 1:
            deal.record.save(deal.steps[-1].at + timedelta(0), deal.steps[-1].by.id, next_step=None)
