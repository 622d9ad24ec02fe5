"""Fields of price book entries, of lines and of quotes that no input model gives (CRM-7)."""

from __future__ import annotations

from .catalog_fields import Field, own, ref
from .kinds import KINDS

_TAX = "({t}.tax_bp / 100.0)"
_ENTRY = "(SELECT e.{column} FROM crm_pricebook_entry e WHERE e.id = {{t}}.pricebook_entry_id)"
_CURRENCY = _ENTRY.format(column="currency")
_CODE = "(SELECT p.code FROM crm_product p WHERE p.id = {product})"

ENTRY: tuple[Field, ...] = (
    own("pricebook_id", "Price book", "ref", target="pricebook", required=True, writable=True),
    own("product_id", "Product", "ref", target="product", required=True, writable=True),
    own("currency", "Currency", "picklist", required=True, writable=True),
    own("unit_price", "Unit price", "money", is_summed=False, required=True, writable=True),
    own("name", "Product name", "text", KINDS["pricebook_entry"].name_sql),
    own("code", "Product code", "text", _CODE.format(product="{t}.product_id")),
)
QUOTE: tuple[Field, ...] = (
    own("number", "Quote number", "text"),
    own("opportunity_id", "Opportunity", "ref", target="opportunity", required=True, writable=True),
    own("status", "Status", "picklist", help="Draft, and on through review and presentation."),
    own(
        "tax_percent",
        "Tax",
        "number",
        _TAX,
        help="In % of the subtotal, with at most two decimals.",
        writable=True,
    ),
    own("currency", "Currency", "picklist", help="That of the opportunity."),
    own("subtotal", "Subtotal", "money", help="The sum of the lines."),
    own("tax", "Tax amount", "money", help="Subtotal x tax."),
    own("grand_total", "Grand total", "money", help="Subtotal, tax amount and shipping."),
    own("is_synced", "Synced", "bool", help="Whether its lines are those of the opportunity."),
    own(
        "owner_id",
        "Opportunity owner",
        "ref",
        KINDS["quote"].owner_sql,
        target="user",
        help="Whoever owns the opportunity owns its quotes.",
    ),
)


def _line(whole: str, table: str) -> tuple[Field, ...]:
    """What both kinds of line have."""
    return (
        ref(f"{whole}_id", KINDS[whole].label, whole),
        own("position", "Line", "number", "{t}.sort", help="Place in the list."),
        own("product_id", "Product", "ref", _ENTRY.format(column="product_id"), target="product", required=True),
        own("pricebook_id", "Price book", "ref", _ENTRY.format(column="pricebook_id"), target="pricebook"),
        own("quantity", "Quantity", "number", "({t}.qty_milli / 1000.0)", required=True, writable=True),
        own("list_price", "List price", "money", currency=_CURRENCY, is_summed=False),
        own("unit_price", "Unit price", "money", currency=_CURRENCY, is_summed=False, writable=True),
        own(
            "discount_percent",
            "Discount",
            "number",
            "({t}.discount_bp / 100.0)",
            help="In % of the unit price, with at most two decimals.",
            writable=True,
        ),
        own("total", "Total", "money", currency=_CURRENCY, help="Quantity x unit price, less the discount."),
        own("currency", "Currency", "picklist", _CURRENCY),
        own(
            "row_version",
            "Row version",
            "number",
            f"(SELECT w.row_version FROM {table} w WHERE w.id = {{t}}.{whole}_id)",
            help=f"That of its {KINDS[whole].label.lower()}: a line has none of its own.",
        ),
    )


DEAL_LINE: tuple[Field, ...] = (
    *_line("opportunity", "crm_opportunity"),
    own("service_date", "Service date", "date", writable=True),
    own("description", "Line description", "text", writable=True, max_length=255),
)
QUOTE_LINE: tuple[Field, ...] = _line("quote", "crm_quote")
