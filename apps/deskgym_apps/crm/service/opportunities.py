"""Opportunities: deals and the stages they go through (CRM-1)."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from ...kit.call import Context
from ...kit.errors import Forbidden, Invalid, nearest
from ...kit.fields import Amount, Body, Day, Id, Line, Version, widget
from ...kit.operations import Input, command
from ...kit.roles import Row
from .. import rules
from .access import WRITE, User
from .activity_days import refresh
from .changes import Change, picklist_values
from .deletion import delete, undelete
from .inputs import (
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
from .records import check_lock, create, record_type, update

OTHER = "Other"
CLOSE_DATE_HELP = "Not in the past while open, not in the future once closed."


class OpportunityChanges(RecordInput):
    """Fields of an opportunity."""

    name: Line | None = line("Opportunity name", 120)
    account_id: Id | None = lookup("Account", "account", "The company that buys.")
    stage: Line | None = line(
        "Stage", 60, "Sets probability and forecast category. The first stage, where left out.", "stage"
    )
    close_date: Day | None = optional(
        "Close date", "date", "Not in the past while open, not in the future once closed."
    )
    currency: Line | None = line("Currency", 3, "The account's, or your own, where left out.", "currency")
    amount: Amount | None = optional(
        "Amount", "money", "Above 0 from Proposal/Price Quote on. The sum of the products, where there are any."
    )
    probability: int | None = optional(
        "Probability", "percent", "In %, of an open deal only; the stage's own where left out.", ge=0, le=100
    )
    pricebook_id: Id | None = lookup(
        "Price book", "pricebook", "Where its products' prices come from; fixed while there are any."
    )
    type: Line | None = picklist("Type", "opportunity", "type")
    lead_source: Line | None = picklist("Lead source", "opportunity", "lead_source")
    next_step: Line | None = line("Next step", 255)
    lost_reason: Line | None = picklist("Lost reason", "opportunity", "lost_reason", "Closed Lost needs one.")
    lost_detail: Line | None = line("Lost detail", 255, "Closed Lost with reason Other needs one.")
    owner_id: Id | None = lookup("Opportunity owner", "user", "You, where left out.")
    description: Body | None = body("Description", 4000)


class OpportunityInput(OpportunityChanges):
    """A new opportunity."""

    name: Line = Field(title="Opportunity name", max_length=120, json_schema_extra=widget("text"))
    close_date: Day = Field(
        title="Close date",
        description=CLOSE_DATE_HELP,
        json_schema_extra=widget("date"),
    )


class UpdateOpportunityInput(Input):
    """Changes of one opportunity: only the fields to change; null clears one."""

    id: Id = Field(title="Opportunity")
    row_version: Version
    values: OpportunityChanges
    move_open_activities: bool = MOVE_ACTIVITIES
    remove_products: bool = Field(
        default=False,
        title="Remove the products",
        description="With a new price book: the products of the former one are removed, and the amount is then 0.",
        json_schema_extra=widget("checkbox"),
    )


def _begin(change: Change) -> None:
    account = change.given.get("account_id") and change.ctx.store.get("crm_account", change.given["account_id"])
    change.after["currency"] = account["currency"] if account else change.ctx.person["currency"]
    change.after["stage"] = next(row["name"] for row in pipeline(change.ctx) if not row["is_closed"])


def _rules(change: Change) -> None:
    after = change.after
    change.keep_amount("amount")
    _check_lines(change)
    _check_book(change)
    stages = {row["name"]: row for row in pipeline(change.ctx)}
    if after["stage"] not in stages:
        message = f'there is no stage "{after["stage"]}".{nearest(after["stage"], list(stages))}'
        change.refuse("stage", message, list(stages))
        return
    stage = stages[after["stage"]]
    if change.moved("stage"):
        _enter(change, stage, stages.get(change.was("stage")))
    _check_probability(change, stage)
    _check_close(change, stage)
    _check_amount(change, stage, stages[rules.AMOUNT_REQUIRED_FROM])
    after["expected_revenue"] = rules.expected_revenue(after["amount"], after["probability"] or 0)


def _check_lines(change: Change) -> None:
    """I3: products fix the amount and the currency."""
    if change.is_new or not change.moved("amount", "currency"):
        return
    lines = change.ctx.store.one(
        "SELECT 1 FROM crm_opportunity_line WHERE opportunity_id = ? LIMIT 1", (change.after["id"],)
    )
    if lines is None:
        return
    for field in ("amount", "currency"):
        if change.moved(field) and field in change.given:
            message = f"this opportunity has products, so its {field} cannot be set by hand"
            change.refuse(field, message, said="it is set by the products and cannot be changed by hand")


def _check_book(change: Change) -> None:
    """CRM-7: a price book is chosen among those in use, and stays while the opportunity has products from it."""
    if not change.moved("pricebook_id") or (change.after["pricebook_id"] is None and change.is_new):
        return
    ctx, deal_id = change.ctx, change.after["id"]
    if not change.is_new and ctx.store.one("SELECT 1 FROM crm_opportunity_line WHERE opportunity_id = ?", (deal_id,)):
        message = "this opportunity has products from its price book; remove them to use another"
        change.refuse("pricebook_id", message)
    book = change.after["pricebook_id"] and ctx.store.get("crm_pricebook", change.after["pricebook_id"])
    if book and not book["is_active"]:
        change.refuse("pricebook_id", f"{book['name']} is out of use")


def _enter(change: Change, stage: Row, left: Row | None) -> None:
    """A change of stage, whatever the path: defaults, closing, reopening."""
    after, ctx = change.after, change.ctx
    if left is not None and left["is_closed"]:
        if not change.user.can_reopen:
            raise Forbidden(f"your profile may not move a deal out of {left['name']}", field="stage")
        after["closed_at"] = None
        for field in ("lost_reason", "lost_detail"):
            after[field] = change.given.get(field)
    after["last_stage_change_at"] = ctx.now
    after["forecast_category"] = stage["forecast_category"]
    if stage["is_closed"] or change.given.get("probability") is None:
        after["probability"] = stage["probability"]
    if stage["is_closed"]:
        after["closed_at"] = ctx.now
        if after["close_date"] is not None:
            after["close_date"] = min(after["close_date"], ctx.today)


def _check_probability(change: Change, stage: Row) -> None:
    if stage["is_closed"] and not change.moved("stage") and change.moved("probability"):
        change.refuse(
            "probability", f"a deal in {stage['name']} has {stage['probability']} %; reopen it to change that"
        )


def _check_close(change: Change, stage: Row) -> None:
    """CRM-1 and CRM-9 a, c: reasons belong to lost deals, dates to the right side of today."""
    after, today = change.after, change.ctx.today
    is_lost = stage["is_closed"] and not stage["is_won"]
    if is_lost:
        if after["lost_reason"] is None:
            values = picklist_values(change.ctx, "opportunity", "lost_reason")
            change.refuse("lost_reason", f"{stage['name']} needs a lost reason", values)
        if after["lost_reason"] == OTHER and after["lost_detail"] is None:
            change.refuse("lost_detail", 'the lost reason "Other" needs a lost detail in words')
    else:
        for field in ("lost_reason", "lost_detail"):
            if after[field] is not None and change.moved(field):
                change.refuse(
                    field, f"only a lost deal has a {field.replace('_', ' ')}; this one is in {stage['name']}"
                )
    if after["close_date"] is None or not change.moved("close_date"):
        return
    if not stage["is_closed"] and after["close_date"] < today:
        change.refuse("close_date", f"an open deal cannot close in the past: {after['close_date']}, today is {today}")
    if stage["is_closed"] and after["close_date"] > today:
        change.refuse("close_date", f"a closed deal cannot close in the future: {after['close_date']} is after {today}")


def _check_amount(change: Change, stage: Row, first: Row) -> None:
    """CRM-9 b, where stage or amount change; a deal may be lost without an amount."""
    needs_amount = stage["sort"] >= first["sort"] and (not stage["is_closed"] or stage["is_won"])
    if needs_amount and change.moved("stage", "amount") and not change.after["amount"]:
        change.refuse("amount", f"a deal in {stage['name']} needs an amount above 0")


def _follow(change: Change) -> None:
    if change.moved("account_id") and not change.is_new:
        refresh(change.ctx, change.was("account_id"), change.after["account_id"])


OPPORTUNITY = record_type("opportunity", OpportunityInput, OpportunityChanges, _rules, _follow, _begin)


@command("crm")
def create_opportunity(ctx: Context, values: OpportunityInput) -> Created:
    """Create an opportunity."""
    return create(ctx, OPPORTUNITY, values)


@command("crm")
def update_opportunity(ctx: Context, values: UpdateOpportunityInput) -> Updated:
    """Change fields of an opportunity; a change of `stage` is how a deal is moved, won, lost and reopened (CRM-1)."""
    moves, changes = values.move_open_activities, values.values
    if values.remove_products:
        changes = _without_products(ctx, values)
    return update(ctx, OPPORTUNITY, values.id, values.row_version, changes, move_open_activities=moves)


def _without_products(ctx: Context, values: UpdateOpportunityInput) -> OpportunityChanges:
    """Take the products of the former price book away. Returns the changes with the amount that is left."""
    if values.values.pricebook_id is None:
        raise Invalid("remove_products goes with a new pricebook_id", field="remove_products")
    deal = User(ctx).load(OPPORTUNITY.kind, values.id, WRITE)
    check_lock(ctx, OPPORTUNITY.kind, deal, values.row_version, values.values.model_dump(exclude_unset=True))
    if ctx.store.one(
        "SELECT 1 FROM crm_quote WHERE opportunity_id = ? AND is_synced = 1 AND is_deleted = 0", (deal["id"],)
    ):
        raise Invalid("this opportunity has a synced quote; stop syncing it first", field="pricebook_id")
    lines = list(ctx.store.select("crm_opportunity_line", opportunity_id=deal["id"]))
    for row in lines:
        ctx.delete("crm_opportunity_line", row["id"])
    return values.values.model_copy(update={"amount": "0"}) if lines else values.values


@command("crm")
def delete_opportunity(ctx: Context, values: DeleteInput) -> Deleted:
    """Delete an opportunity with the activities and notes about nothing else (CRM-10)."""
    return delete(ctx, OPPORTUNITY.kind, values)


@command("crm")
def undelete_opportunity(ctx: Context, values: UndeleteInput) -> Restored:
    """Bring a deleted opportunity back with what was deleted with it (CRM-10)."""
    return undelete(ctx, OPPORTUNITY.kind, values)


def pipeline(ctx: Context) -> list[dict[str, Any]]:
    """The stages in order."""
    return ctx.store.all("SELECT * FROM crm_stage ORDER BY sort")
