"""Accounts: companies we sell to, buy from or work with."""

from __future__ import annotations

from pydantic import Field

from ...kit.call import Context
from ...kit.fields import Amount, Body, Id, Line, Version, widget
from ...kit.operations import Input, command
from .changes import Change
from .deletion import delete, undelete
from .inputs import (
    ALLOW_DUPLICATES,
    MOVE_ACTIVITIES,
    Created,
    Deleted,
    DeleteInput,
    RecordInput,
    Restored,
    UndeleteInput,
    Updated,
    body,
    line,
    lookup,
    optional,
    picklist,
)
from .records import create, record_type, update

NUMBER_LENGTH = 8


class AccountChanges(RecordInput):
    """Fields of an account."""

    name: Line | None = line("Account name", 120, "The company's name as it trades.")
    account_number: Line | None = line("Account number", 40, "Exactly 8 characters; no other account may have it.")
    parent_id: Id | None = lookup("Parent account", "account", "The company this one belongs to.")
    type: Line | None = picklist("Type", "account", "type")
    industry: Line | None = picklist("Industry", "account", "industry")
    rating: Line | None = picklist("Rating", "account", "rating")
    region: Line | None = picklist("Region", "account", "region")
    sla_tier: Line | None = picklist("SLA tier", "account", "sla_tier")
    phone: Line | None = line("Phone", 40, "With country code, or as written in the billing country.", "phone")
    website: Line | None = line("Website", 255, "Such as www.example.com.", "url")
    currency: Line | None = line("Currency", 3, "Your own currency where left out.", "currency")
    annual_revenue: Amount | None = optional("Annual revenue", "money", "In the account's currency.")
    employees: int | None = optional("Employees", "number", ge=0, le=10_000_000)
    owner_id: Id | None = lookup("Account owner", "user", "You, where left out.")
    bill_street: Line | None = line("Billing street", 120)
    bill_city: Line | None = line("Billing city", 80)
    bill_state: Line | None = line("Billing state or province", 80)
    bill_postcode: Line | None = line("Billing postcode", 20)
    bill_country: Line | None = line("Billing country", 80)
    ship_street: Line | None = line("Shipping street", 120)
    ship_city: Line | None = line("Shipping city", 80)
    ship_state: Line | None = line("Shipping state or province", 80)
    ship_postcode: Line | None = line("Shipping postcode", 20)
    ship_country: Line | None = line("Shipping country", 80)
    description: Body | None = body("Description", 4000)


class AccountInput(AccountChanges):
    """A new account."""

    name: Line = Field(
        title="Account name",
        max_length=120,
        description="The company's name as it trades.",
        json_schema_extra=widget("text"),
    )
    allow_duplicates: bool = ALLOW_DUPLICATES


class UpdateAccountInput(Input):
    """Changes of one account: only the fields to change; null clears one."""

    id: Id = Field(title="Account")
    row_version: Version
    values: AccountChanges
    move_open_activities: bool = MOVE_ACTIVITIES
    allow_duplicates: bool = ALLOW_DUPLICATES


def _begin(change: Change) -> None:
    change.after["currency"] = change.ctx.person["currency"]


def _rules(change: Change) -> None:
    change.keep_amount("annual_revenue")
    _check_number(change)
    if change.after["parent_id"] is not None and change.moved("parent_id"):
        _check_parent(change)


def _check_number(change: Change) -> None:
    """CRM-9 d, X-8."""
    number = change.after["account_number"]
    if number is None or not change.moved("account_number"):
        return
    if len(number) != NUMBER_LENGTH:
        rule = f"an account number has exactly {NUMBER_LENGTH} characters"
        change.refuse("account_number", f'{rule}, and "{number}" has {len(number)}')
    taken = holder_of_number(change, number)
    if taken is not None:
        change.refuse("account_number", f'the account number "{number}" belongs to {taken}')


def holder_of_number(change: Change, number: str) -> str | None:
    """Which other live account has this number, in words the person may read."""
    user = change.user
    row = change.ctx.store.one(
        f"SELECT t.id, t.name, {user.visible('account', 't')} AS shown FROM crm_account t "
        "WHERE t.account_number = :number AND t.is_deleted = 0 AND t.id IS NOT :own",
        user.params | {"number": number, "own": change.after["id"]},
    )
    if row is None:
        return None
    return f"{row['name']} ({row['id']})" if row["shown"] else "an account you may not see"


def _check_parent(change: Change) -> None:
    """I6: no account is above itself."""
    if change.leads_back("parent_id"):
        change.refuse("parent_id", "an account cannot stand above itself; choose another parent account")


ACCOUNT = record_type("account", AccountInput, AccountChanges, _rules, begin=_begin)


@command("crm")
def create_account(ctx: Context, values: AccountInput) -> Created:
    """Create an account."""
    return create(ctx, ACCOUNT, values)


@command("crm")
def update_account(ctx: Context, values: UpdateAccountInput) -> Updated:
    """Change fields of an account."""
    return update(
        ctx,
        ACCOUNT,
        values.id,
        values.row_version,
        values.values,
        move_open_activities=values.move_open_activities,
        allow_duplicates=values.allow_duplicates,
    )


@command("crm")
def delete_account(ctx: Context, values: DeleteInput) -> Deleted:
    """Delete an account with its contacts, opportunities, and the activities and notes about nothing else (CRM-10).

    Refused where one of its opportunities is Closed Won.
    """
    return delete(ctx, ACCOUNT.kind, values)


@command("crm")
def undelete_account(ctx: Context, values: UndeleteInput) -> Restored:
    """Bring a deleted account back with everything that was deleted with it (CRM-10)."""
    return undelete(ctx, ACCOUNT.kind, values)
