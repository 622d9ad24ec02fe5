"""What products, price books and their prices take (CRM-7)."""

from __future__ import annotations

from pydantic import Field

from ...kit.fields import Amount, Body, Id, Line, Version, widget
from ...kit.operations import Input
from .inputs import RecordInput, body, line, optional, picklist

_ACTIVE_PRODUCT = "Only active products can be added to opportunities and quotes."
_ACTIVE_BOOK = "Only active price books can be chosen for an opportunity."
_ACTIVE_PRICE = "Only active prices can be chosen. Lines that have the price already keep it."


class ProductChanges(RecordInput):
    """Fields of a product."""

    name: Line | None = line("Product name", 120)
    code: Line | None = line("Product code", 40, "No other product has the same.")
    family: Line | None = picklist("Product family", "product", "family")
    is_active: bool | None = optional("Active", "checkbox", _ACTIVE_PRODUCT)
    description: Body | None = body("Description", 4000)


class ProductInput(ProductChanges):
    """A new product."""

    name: Line = Field(title="Product name", max_length=120, json_schema_extra=widget("text"))
    code: Line = Field(
        title="Product code",
        max_length=40,
        description="No other product has the same.",
        json_schema_extra=widget("text"),
    )


class PricebookChanges(RecordInput):
    """Fields of a price book."""

    name: Line | None = line("Price book name", 120, "No other price book has the same.")
    is_active: bool | None = optional("Active", "checkbox", _ACTIVE_BOOK)
    description: Body | None = body("Description", 4000)


class PricebookInput(PricebookChanges):
    """A new custom price book."""

    name: Line = Field(
        title="Price book name",
        max_length=120,
        description="No other price book has the same.",
        json_schema_extra=widget("text"),
    )


class EntryChanges(RecordInput):
    """What may change of a price."""

    unit_price: Amount | None = optional("Unit price", "money", "Lines that exist keep the price they were given.")
    is_active: bool | None = optional("Active", "checkbox", _ACTIVE_PRICE)


class EntryInput(EntryChanges):
    """A product's price in a price book, in one currency."""

    pricebook_id: Id = Field(title="Price book", json_schema_extra=widget("lookup", object="pricebook"))
    product_id: Id = Field(
        title="Product",
        description="A custom price book takes products that have a standard price in the same currency.",
        json_schema_extra=widget("lookup", object="product"),
    )
    currency: Line = Field(title="Currency", max_length=3, json_schema_extra=widget("currency"))
    unit_price: Amount = Field(title="Unit price", json_schema_extra=widget("money"))


class UpdateProductInput(Input):
    """Changes of one product."""

    id: Id = Field(title="Product")
    row_version: Version
    values: ProductChanges


class UpdatePricebookInput(Input):
    """Changes of one price book."""

    id: Id = Field(title="Price book")
    row_version: Version
    values: PricebookChanges


class UpdateEntryInput(Input):
    """Changes of one price."""

    id: Id = Field(title="Price")
    row_version: Version
    values: EntryChanges
