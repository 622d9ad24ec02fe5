"""Products, price books and prices: set up by administrators, never deleted, only taken out of use (CRM-7)."""

from __future__ import annotations

from ...kit.call import Context
from ...kit.operations import command
from .changes import Change
from .inputs import Created, Updated
from .product_inputs import (
    EntryChanges,
    EntryInput,
    PricebookChanges,
    PricebookInput,
    ProductChanges,
    ProductInput,
    UpdateEntryInput,
    UpdatePricebookInput,
    UpdateProductInput,
)
from .records import create, record_type, update


def _refuse_taken(change: Change, column: str, what: str) -> None:
    """Names of price books and codes of products are given once."""
    value = change.after[column]
    if value is None or not change.moved(column):
        return
    other = change.ctx.store.one(
        f"SELECT id, name FROM {change.kind.table} WHERE {column} = ? AND id IS NOT ?", (value, change.after["id"])
    )
    if other is not None:
        change.refuse(column, f'{what} "{value}" belongs to {other["name"]} ({other["id"]})')


def _product_rules(change: Change) -> None:
    _refuse_taken(change, "code", "the product code")


def _pricebook_rules(change: Change) -> None:
    _refuse_taken(change, "name", "the name")
    if change.after["is_standard"] and not change.after["is_active"]:
        change.refuse("is_active", "the standard price book is always active")


def _entry_rules(change: Change) -> None:
    after, store = change.after, change.ctx.store
    book = after["pricebook_id"] and store.get("crm_pricebook", after["pricebook_id"])
    if book is None or after["product_id"] is None or after["currency"] is None:
        return
    product = store.get("crm_product", after["product_id"])
    name = product["name"] if product else after["product_id"]
    if change.is_new:
        same = {"pricebook_id": book["id"], "product_id": after["product_id"], "currency": after["currency"]}
        for known in store.select("crm_pricebook_entry", **same):
            message = f"{book['name']} has a price of {name} in {after['currency']} already ({known['id']})"
            change.refuse("product_id", message)
    if book["is_standard"]:
        if not after["is_active"] and not change.is_new:
            _refuse_needed(change, name)
    elif change.moved("is_active", "product_id"):
        _need_standard(change, name)


def _need_standard(change: Change, name: str) -> None:
    """A product needs an active standard price, in the same currency, to be in a custom price book."""
    after = change.after
    if not after["is_active"]:
        return
    standard = change.ctx.store.one(
        "SELECT 1 FROM crm_pricebook_entry e JOIN crm_pricebook b ON b.id = e.pricebook_id "
        "WHERE b.is_standard = 1 AND e.product_id = ? AND e.currency = ? AND e.is_active = 1",
        (after["product_id"], after["currency"]),
    )
    if standard is None:
        change.refuse("product_id", f"{name} has no active standard price in {after['currency']}; give it one first")


def _refuse_needed(change: Change, name: str) -> None:
    """A standard price stays active while custom price books hold the product in its currency."""
    books = change.ctx.store.all(
        "SELECT b.name FROM crm_pricebook_entry e JOIN crm_pricebook b ON b.id = e.pricebook_id "
        "WHERE b.is_standard = 0 AND e.product_id = ? AND e.currency = ? AND e.is_active = 1 ORDER BY "
        "b.name_norm, b.id",
        (change.after["product_id"], change.after["currency"]),
    )
    if books:
        held = ", ".join(book["name"] for book in books)
        change.refuse("is_active", f"{name} is still in {held}; take its price out of use there first")


PRODUCT = record_type("product", ProductInput, ProductChanges, _product_rules)
PRICEBOOK = record_type("pricebook", PricebookInput, PricebookChanges, _pricebook_rules)
ENTRY = record_type("pricebook_entry", EntryInput, EntryChanges, _entry_rules)


@command("crm")
def create_product(ctx: Context, values: ProductInput) -> Created:
    """Create a product. It can be sold once it has a standard price."""
    return create(ctx, PRODUCT, values)


@command("crm")
def update_product(ctx: Context, values: UpdateProductInput) -> Updated:
    """Change a product, or take it out of use and back."""
    return update(ctx, PRODUCT, values.id, values.row_version, values.values)


@command("crm")
def create_pricebook(ctx: Context, values: PricebookInput) -> Created:
    """Create a custom price book."""
    return create(ctx, PRICEBOOK, values)


@command("crm")
def update_pricebook(ctx: Context, values: UpdatePricebookInput) -> Updated:
    """Change a price book, or take it out of use and back."""
    return update(ctx, PRICEBOOK, values.id, values.row_version, values.values)


@command("crm")
def create_pricebook_entry(ctx: Context, values: EntryInput) -> Created:
    """Give a product a price in a price book, in one currency."""
    return create(ctx, ENTRY, values)


@command("crm")
def update_pricebook_entry(ctx: Context, values: UpdateEntryInput) -> Updated:
    """Change a price, or take it out of use and back. Lines that exist keep the price they have."""
    return update(ctx, ENTRY, values.id, values.row_version, values.values)
