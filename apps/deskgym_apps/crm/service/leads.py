"""Leads: people who may become customers, until they are converted (CRM-2)."""

from __future__ import annotations

from pydantic import Field

from ...kit.call import Context
from ...kit.fields import Amount, Body, Id, Line, Version, widget
from ...kit.norm import norm
from ...kit.operations import Input, command
from .. import rules, rules_leads
from .assignment import assign
from .changes import Change, picklist_default, picklist_values
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

LONGEST_COMPANY = 100  # an account and an opportunity are named by it


class LeadChanges(RecordInput):
    """Fields of a lead."""

    salutation: Line | None = picklist("Salutation", "lead", "salutation")
    first_name: Line | None = line("First name", 60)
    last_name: Line | None = line("Last name", 80)
    company: Line | None = line("Company", LONGEST_COMPANY, "Where this person works.")
    title: Line | None = line("Title", 120, "What the person's card says.")
    status: Line | None = picklist("Status", "lead", "status", "Qualified is set by converting the lead.")
    rating: Line | None = picklist("Rating", "lead", "rating")
    lead_source: Line | None = picklist("Lead source", "lead", "lead_source")
    email: Line | None = line("E-mail", 254, "Such as name@example.com.", "email")
    phone: Line | None = line("Phone", 40, "With country code, or as written in the lead's country.", "phone")
    mobile: Line | None = line("Mobile", 40, "With country code, or as written in the lead's country.", "phone")
    website: Line | None = line("Website", 255, "Such as www.example.com.", "url")
    industry: Line | None = picklist("Industry", "lead", "industry")
    employees: int | None = optional("Employees", "number", ge=0, le=10_000_000)
    currency: Line | None = line("Currency", 3, "Your own currency where left out.", "currency")
    annual_revenue: Amount | None = optional("Annual revenue", "money", "In the lead's currency.")
    owner_id: Id | None = lookup("Lead owner", "user", "You, where left out.")
    unread: bool | None = optional(
        "Unread", "checkbox", "Set for a new owner; the owner's first edit of anything else takes it away."
    )
    do_not_call: bool | None = optional("Do not call", "checkbox")
    email_opt_out: bool | None = optional("E-mail opt-out", "checkbox")
    street: Line | None = line("Street", 120)
    city: Line | None = line("City", 80)
    state: Line | None = line("State or province", 80)
    postcode: Line | None = line("Postcode", 20)
    country: Line | None = line("Country", 80)
    description: Body | None = body("Description", 4000)


class LeadInput(LeadChanges):
    """A new lead."""

    last_name: Line = Field(title="Last name", max_length=80, json_schema_extra=widget("text"))
    company: Line = Field(
        title="Company",
        max_length=LONGEST_COMPANY,
        description="Where this person works.",
        json_schema_extra=widget("text"),
    )
    allow_duplicates: bool = ALLOW_DUPLICATES


class UpdateLeadInput(Input):
    """Changes of one lead: only the fields to change; null clears one."""

    id: Id = Field(title="Lead")
    row_version: Version
    values: LeadChanges
    move_open_activities: bool = MOVE_ACTIVITIES
    allow_duplicates: bool = ALLOW_DUPLICATES


def settable_statuses(ctx: Context) -> tuple[str, ...]:
    """The statuses that people may set by hand, in order: all but those of converted leads."""
    known = picklist_values(ctx, "lead", "status")
    return tuple(value for value in known if value not in rules_leads.CONVERTED_STATUSES)


def _begin(change: Change) -> None:
    change.after["currency"] = change.ctx.person["currency"]
    change.after["status"] = picklist_default(change.ctx, "lead", "status")


def _rules(change: Change) -> None:
    after = change.after
    change.keep_amount("annual_revenue")
    after["name_norm"] = norm(rules.contact_name(after)) if after["last_name"] else None
    if after["status"] in rules_leads.CONVERTED_STATUSES and change.moved("status"):
        message = f'the status "{after["status"]}" is set by converting the lead'
        change.refuse("status", message, settable_statuses(change.ctx))
    if change.is_new and change.given.get("owner_id") is None:
        after["owner_id"] = assign(change.ctx, "lead", after, after["owner_id"])
    _mark(change)


def _mark(change: Change) -> None:
    """Unread for an owner who was given the lead by somebody else; read once its owner edits it."""
    if change.given.get("unread") is not None:
        return
    is_mine = change.after["owner_id"] == change.user.id
    if change.moved("owner_id"):
        change.after["unread"] = int(not is_mine)
    elif is_mine and change.columns():
        change.after["unread"] = 0


LEAD = record_type("lead", LeadInput, LeadChanges, _rules, begin=_begin)


@command("crm")
def create_lead(ctx: Context, values: LeadInput) -> Created:
    """Create a lead; without an owner an active assignment rule gives it one, else it is yours."""
    return create(ctx, LEAD, values)


@command("crm")
def update_lead(ctx: Context, values: UpdateLeadInput) -> Updated:
    """Change fields of a lead that is not converted."""
    return update(
        ctx,
        LEAD,
        values.id,
        values.row_version,
        values.values,
        move_open_activities=values.move_open_activities,
        allow_duplicates=values.allow_duplicates,
    )


@command("crm")
def delete_lead(ctx: Context, values: DeleteInput) -> Deleted:
    """Delete a lead with the activities and notes about nothing else (CRM-10)."""
    return delete(ctx, LEAD.kind, values)


@command("crm")
def undelete_lead(ctx: Context, values: UndeleteInput) -> Restored:
    """Bring a deleted lead back with what was deleted with it (CRM-10)."""
    return undelete(ctx, LEAD.kind, values)
