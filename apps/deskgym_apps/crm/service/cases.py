"""Cases: what customers ask for, from the queue to the resolution (CRM-8)."""

from __future__ import annotations

from pydantic import Field

from ...kit.call import Context
from ...kit.fields import Body, Id, Line, Version, widget
from ...kit.operations import Input, command
from .. import rules_cases as rules
from .assignment import assign
from .case_clocks import refresh_clocks
from .changes import Change, picklist_default, picklist_values
from .deletion import delete, undelete
from .inputs import (
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
    picklist,
)
from .records import create, record_type, update


class CaseChanges(RecordInput):
    """Fields of a case."""

    subject: Line | None = line("Subject", 200)
    status: Line | None = picklist("Status", "case", "status", "Closed needs a reason and a resolution.")
    priority: Line | None = picklist("Priority", "case", "priority", "High needs a contact.")
    origin: Line | None = picklist("Origin", "case", "origin", "How the customer reached us.")
    type: Line | None = picklist("Type", "case", "type")
    reason: Line | None = picklist("Reason", "case", "reason", "What it came from. A closed case needs one.")
    resolution: Body | None = body(
        "Resolution", 2000, "How it was solved. A closed case needs one, an open one has none."
    )
    account_id: Id | None = lookup("Account", "account", "The customer. The contact's, where left out in a new case.")
    contact_id: Id | None = lookup("Contact", "contact", "Who asks.")
    product_id: Id | None = lookup("Product", "product")
    parent_id: Id | None = lookup("Parent case", "case", "The case this one follows from.")
    owner_id: Id | None = lookup("Case owner", "owner", "A user or a queue. By the assignment rule, where left out.")
    description: Body | None = body("Description", 4000)


class CaseInput(CaseChanges):
    """A new case."""

    subject: Line = Field(title="Subject", max_length=200, json_schema_extra=widget("text"))


class UpdateCaseInput(Input):
    """Changes of one case: only the fields to change; null clears one."""

    id: Id = Field(title="Case")
    row_version: Version
    values: CaseChanges


def _begin(change: Change) -> None:
    for field in ("status", "priority"):
        change.after[field] = picklist_default(change.ctx, "case", field)


def _rules(change: Change) -> None:
    after, ctx = change.after, change.ctx
    if change.is_new:
        _complete(change)
    if change.is_new or change.moved("account_id"):
        account = ctx.store.get("crm_account", after["account_id"]) if after["account_id"] else None
        after["sla_tier"] = account["sla_tier"] if account else None
    _check_close(change)
    if after["priority"] == rules.HIGH and after["contact_id"] is None and change.moved("priority", "contact_id"):
        change.refuse("contact_id", "a case of priority High needs a contact")  # CRM-9 h
    if after["parent_id"] is not None and change.moved("parent_id"):
        _check_parent(change)


def _complete(change: Change) -> None:
    """The number, the contact's account, and the owner that the assignment rule gives."""
    after, ctx = change.after, change.ctx
    if after["contact_id"] is not None and after["account_id"] is None and "account_id" not in change.given:
        contact = ctx.store.get("crm_contact", after["contact_id"])
        after["account_id"] = contact["account_id"] if contact else None
    if change.given.get("owner_id") is None:
        after["owner_id"] = assign(ctx, "case", after, after["owner_id"])
    after["number"] = next_number(ctx, "crm_case")


def next_number(ctx: Context, table: str) -> str:
    """The number after the one given last; deleted records keep theirs."""
    row = ctx.store.one(f"SELECT max(number) AS last FROM {table}")
    return rules.number_text(int(row["last"] or 0) + 1 if row else 1)


def _check_close(change: Change) -> None:
    """Closing needs reason and resolution, whatever the path; opening again clears the resolution."""
    after, was_closed = change.after, change.was("status") == rules.CLOSED
    if after["status"] != rules.CLOSED:
        after["closed_at"] = None
        if was_closed and change.given.get("resolution") is None:
            after["resolution"] = None
        if after["resolution"] is not None:
            change.refuse("resolution", f"only a closed case has a resolution; this one is {after['status']}")
        return
    if not was_closed:
        after["closed_at"] = change.ctx.now
    if after["reason"] is None:
        values = picklist_values(change.ctx, "case", "reason")
        change.refuse("reason", "a closed case needs a reason", values)
    if after["resolution"] is None:
        change.refuse("resolution", "a closed case needs a resolution in words")


def _check_parent(change: Change) -> None:
    """No case stands above itself."""
    if change.leads_back("parent_id"):
        change.refuse("parent_id", "a case cannot be its own parent, nor follow from one that follows from it")


def _follow(change: Change) -> None:
    refresh_clocks(change.ctx, change.after["id"])


CASE = record_type("case", CaseInput, CaseChanges, _rules, _follow, _begin)


@command("crm")
def create_case(ctx: Context, values: CaseInput) -> Created:
    """Open a case; without an owner the assignment rule gives it one."""
    return create(ctx, CASE, values)


@command("crm")
def update_case(ctx: Context, values: UpdateCaseInput) -> Updated:
    """Change fields of a case: a change of `status` works, closes and reopens it, one of `owner_id` takes it over."""
    return update(ctx, CASE, values.id, values.row_version, values.values)


@command("crm")
def delete_case(ctx: Context, values: DeleteInput) -> Deleted:
    """Delete a case with the activities and notes about nothing else (CRM-10)."""
    return delete(ctx, CASE.kind, values)


@command("crm")
def undelete_case(ctx: Context, values: UndeleteInput) -> Restored:
    """Bring a deleted case back with what was deleted with it (CRM-10)."""
    return undelete(ctx, CASE.kind, values)
