"""Contacts: people at accounts."""

from __future__ import annotations

from pydantic import Field

from ...kit.call import Context
from ...kit.fields import Body, Id, Line, Version, widget
from ...kit.norm import norm
from ...kit.operations import Input, command
from .. import rules
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


class ContactChanges(RecordInput):
    """Fields of a contact."""

    salutation: Line | None = picklist("Salutation", "contact", "salutation")
    first_name: Line | None = line("First name", 60)
    last_name: Line | None = line("Last name", 80)
    account_id: Id | None = lookup("Account", "account", "The company this person works for.")
    reports_to_id: Id | None = lookup("Reports to", "contact", "Nobody below this person.")
    title: Line | None = line("Title", 120, "What the person's card says.")
    department: Line | None = line("Department", 80)
    email: Line | None = line("E-mail", 254, "Such as name@example.com.", "email")
    phone: Line | None = line("Phone", 40, "With country code, or as written in the mailing country.", "phone")
    mobile: Line | None = line("Mobile", 40, "With country code, or as written in the mailing country.", "phone")
    lead_source: Line | None = picklist("Lead source", "contact", "lead_source")
    owner_id: Id | None = lookup("Contact owner", "user", "You, where left out.")
    do_not_call: bool | None = optional("Do not call", "checkbox")
    email_opt_out: bool | None = optional("E-mail opt-out", "checkbox")
    mail_street: Line | None = line("Mailing street", 120)
    mail_city: Line | None = line("Mailing city", 80)
    mail_state: Line | None = line("Mailing state or province", 80)
    mail_postcode: Line | None = line("Mailing postcode", 20)
    mail_country: Line | None = line("Mailing country", 80)
    description: Body | None = body("Description", 4000)


class ContactInput(ContactChanges):
    """A new contact."""

    last_name: Line = Field(title="Last name", max_length=80, json_schema_extra=widget("text"))
    allow_duplicates: bool = ALLOW_DUPLICATES


class UpdateContactInput(Input):
    """Changes of one contact: only the fields to change; null clears one."""

    id: Id = Field(title="Contact")
    row_version: Version
    values: ContactChanges
    move_open_activities: bool = MOVE_ACTIVITIES
    allow_duplicates: bool = ALLOW_DUPLICATES


def _rules(change: Change) -> None:
    change.after["name_norm"] = norm(rules.contact_name(change.after)) if change.after["last_name"] else None
    if change.after["reports_to_id"] is not None and change.moved("reports_to_id"):
        _check_reports_to(change)


def _check_reports_to(change: Change) -> None:
    """CRM-9 j: nobody reports to themself or to somebody below them."""
    if change.leads_back("reports_to_id"):
        change.refuse("reports_to_id", "a contact cannot report to itself or to somebody who reports to it")


def _follow(change: Change) -> None:
    """I8: the contact's account stands among its accounts as the direct one."""
    if not change.moved("account_id"):
        return
    ctx, contact_id = change.ctx, change.after["id"]
    old, new = change.was("account_id"), change.after["account_id"]
    if old is not None and ctx.store.get("crm_account_contact", (old, contact_id)) is not None:
        ctx.delete("crm_account_contact", (old, contact_id))
    if new is None:
        return
    if ctx.store.get("crm_account_contact", (new, contact_id)) is None:
        ctx.insert("crm_account_contact", {"account_id": new, "contact_id": contact_id, "is_direct": 1})
    else:
        ctx.update("crm_account_contact", (new, contact_id), {"is_direct": 1})


CONTACT = record_type("contact", ContactInput, ContactChanges, _rules, _follow)


@command("crm")
def create_contact(ctx: Context, values: ContactInput) -> Created:
    """Create a contact."""
    return create(ctx, CONTACT, values)


@command("crm")
def update_contact(ctx: Context, values: UpdateContactInput) -> Updated:
    """Change fields of a contact. Another account becomes the direct one; the former relation ends."""
    return update(
        ctx,
        CONTACT,
        values.id,
        values.row_version,
        values.values,
        move_open_activities=values.move_open_activities,
        allow_duplicates=values.allow_duplicates,
    )


@command("crm")
def delete_contact(ctx: Context, values: DeleteInput) -> Deleted:
    """Delete a contact with the activities and notes about nothing else (CRM-10)."""
    return delete(ctx, CONTACT.kind, values)


@command("crm")
def undelete_contact(ctx: Context, values: UndeleteInput) -> Restored:
    """Bring a deleted contact back with what was deleted with it (CRM-10)."""
    return undelete(ctx, CONTACT.kind, values)
