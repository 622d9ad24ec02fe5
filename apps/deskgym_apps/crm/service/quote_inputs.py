"""What quotes take and give back (CRM-7)."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from ...kit.fields import Amount, Body, Day, Id, Line, Version, widget
from ...kit.operations import Input
from .inputs import RecordInput, body, line, lookup, optional

Status = Literal["Draft", "Needs Review", "In Review", "Approved", "Rejected", "Presented", "Accepted", "Denied"]
_TAX = "In % of the subtotal, with at most two decimals."


class QuoteChanges(RecordInput):
    """Fields of a quote."""

    name: Line | None = line("Quote name", 120)
    contact_id: Id | None = lookup("Contact", "contact", "Whom the quote is for.")
    expires_on: Day | None = optional("Expiration date", "date", "The last day the quote holds; not in the past.")
    tax_percent: Amount | None = optional("Tax", "percent", _TAX)
    shipping: Amount | None = optional("Shipping", "money", "Shipping and handling.")
    description: Body | None = body("Description", 4000, "Shown on the printed quote.")


class QuoteInput(QuoteChanges):
    """A new quote: it begins as a draft with the products of its opportunity as lines."""

    opportunity_id: Id = Field(title="Opportunity", json_schema_extra=widget("lookup", object="opportunity"))
    name: Line = Field(title="Quote name", max_length=120, json_schema_extra=widget("text"))


class UpdateQuoteInput(Input):
    """Changes of one quote: only the fields to change; null clears one."""

    id: Id = Field(title="Quote")
    row_version: Version
    values: QuoteChanges


class QuoteStatusInput(Input):
    """Where a quote is moved to."""

    id: Id = Field(title="Quote")
    status: Status = Field(title="Status", json_schema_extra=widget("picklist"))
    row_version: Version | None = Field(
        default=None, title="Row version", description="The row_version you read; left out, the newest counts."
    )


class QuoteKey(Input):
    """A quote."""

    id: Id = Field(title="Quote")
    row_version: Version | None = Field(
        default=None, title="Row version", description="The row_version you read; left out, the newest counts."
    )


class QuoteCreated(BaseModel):
    """The new quote, its number, and how many lines it took from its opportunity."""

    id: str
    row_version: int
    name: str
    number: str
    lines: int


class QuoteState(BaseModel):
    """A quote after a move: its status, whether it is synced, and its opportunity's amount."""

    id: str
    row_version: int
    status: str
    is_synced: bool
    amount: str | None
    currency: str
