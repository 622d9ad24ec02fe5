"""What the lines of opportunities and quotes take: a product, a quantity, a price, a discount (CRM-7)."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from ...kit.fields import Amount, Day, Id, Line, Version, widget
from ...kit.operations import Input
from .inputs import RecordInput, line, lookup, optional

_QUANTITY = "Above 0, with at most three decimals."
_UNIT_PRICE = "The list price, where left out."
_DISCOUNT = "In %, with at most two decimals. More than 30 needs a vice president's role."
_VERSION = "The row_version you read of the {whole}; left out, the newest counts."


def _version(whole: str) -> Any:
    return optional("Row version", "number", _VERSION.format(whole=whole))


class QuoteLineChanges(RecordInput):
    """What may change of a line."""

    quantity: Amount | None = optional("Quantity", "number", _QUANTITY)
    unit_price: Amount | None = optional("Unit price", "money", _UNIT_PRICE)
    discount_percent: Amount | None = optional("Discount", "percent", _DISCOUNT)


class DealLineChanges(QuoteLineChanges):
    """What may change of an opportunity's line."""

    service_date: Day | None = optional("Service date", "date")
    description: Line | None = line("Line description", 255)


class QuoteLineInput(QuoteLineChanges):
    """A new line of a quote."""

    quote_id: Id = Field(title="Quote", json_schema_extra=widget("lookup", object="quote"))
    product_id: Id = Field(
        title="Product",
        description="One with an active price in the quote's price book and currency.",
        json_schema_extra=widget("lookup", object="product"),
    )
    quantity: Amount = Field(title="Quantity", description=_QUANTITY, json_schema_extra=widget("number"))
    row_version: Version | None = _version("quote")


class DealLineInput(DealLineChanges):
    """A new line of an opportunity."""

    opportunity_id: Id = Field(title="Opportunity", json_schema_extra=widget("lookup", object="opportunity"))
    pricebook_id: Id | None = lookup(
        "Price book", "pricebook", "For the first line: the opportunity's, or the standard one, where left out."
    )
    product_id: Id = Field(
        title="Product",
        description="One with an active price in the price book and the opportunity's currency.",
        json_schema_extra=widget("lookup", object="product"),
    )
    quantity: Amount = Field(title="Quantity", description=_QUANTITY, json_schema_extra=widget("number"))
    row_version: Version | None = _version("opportunity")


class UpdateDealLineInput(Input):
    """Changes of one line; `row_version` is the opportunity's."""

    id: Id = Field(title="Line")
    row_version: Version
    values: DealLineChanges


class UpdateQuoteLineInput(Input):
    """Changes of one line; `row_version` is the quote's."""

    id: Id = Field(title="Line")
    row_version: Version
    values: QuoteLineChanges


class LineSaved(BaseModel):
    """The line, and the record it belongs to afterwards: its id and version, and the sum of its lines."""

    id: str
    name: str
    of: str
    row_version: int
    total: str
    sum: str
    currency: str


class LineRemoved(BaseModel):
    """The record that the line belonged to: its id and version, and the sum of the lines that are left."""

    id: str
    deleted: int
    of: str
    row_version: int
    sum: str
    currency: str
