"""Reading what a line is given: quantity, price, discount; and which price a product is sold at (CRM-7, CRM-9 g)."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from ...kit.call import Context
from ...kit.errors import FieldError, Invalid
from ...kit.money import parse_money
from ...kit.roles import Row
from .. import rules_quotes as rules
from ..rules import line_total
from .access import User

_MOST_UNITS = 1_000_000


def decimal_units(field: str, label: str, text: str, places: int) -> int:
    """A decimal number in units of 10**-places. Raises Invalid for one with more places."""
    scaled = Decimal(text).scaleb(places)
    if scaled != scaled.to_integral_value():
        raise Invalid(f"{label} has at most {places} decimals, not {text}", field=field)
    return int(scaled)


def percent_bp(field: str, label: str, text: str) -> int:
    """A percentage from 0 to 100 in hundredths. Raises Invalid."""
    found = decimal_units(field, label, text, 2)
    if not 0 <= found <= 10_000:
        raise Invalid(f"{label} is from 0 to 100 percent, not {text}", field=field)
    return found


def price_minor(field: str, label: str, text: str, currency: str) -> int:
    """An amount of 0 or more in minor units. Raises Invalid."""
    try:
        minor = parse_money(text, currency)
    except ValueError as error:
        raise Invalid(f"{label}: {error}", field=field) from None
    if not 0 <= minor <= rules.LARGEST:
        raise Invalid(f"{label} is 0 or more, not {text}", field=field)
    return minor


def _quantity(text: str) -> int:
    found = decimal_units("quantity", "Quantity", text, 3)
    if not 0 < found <= _MOST_UNITS * 1000:
        raise Invalid(f"Quantity is above 0 and at most {_MOST_UNITS:,}, not {text}", field="quantity")
    return found


def line_columns(user: User, given: Mapping[str, Any], before: Mapping[str, Any], currency: str) -> dict[str, Any]:
    """The columns of a line as given, over those it has; its total (I4). Raises Invalid with every fault."""
    after, faults = dict(before), list[FieldError]()
    readers = {
        "quantity": ("qty_milli", _quantity),
        "unit_price": ("unit_price", lambda text: price_minor("unit_price", "Unit price", text, currency)),
        "discount_percent": ("discount_bp", lambda text: percent_bp("discount_percent", "Discount", text)),
    }
    for field, (column, reader) in readers.items():
        if field not in given:
            continue
        if given[field] is None:
            faults.append(FieldError(field, f"{field} cannot be empty", said="give a value"))
            continue
        try:
            after[column] = reader(given[field])
        except Invalid as error:
            faults += error.errors
    faults += _refuse_discount(user, before, after)
    after |= {name: given[name] for name in ("service_date", "description") if name in given}
    after["total"] = line_total(after["qty_milli"], after["unit_price"], after["discount_bp"])
    if after["total"] > rules.LARGEST:
        faults.append(FieldError("quantity", "the line comes to more than can be kept; lower quantity or price"))
    if faults:
        raise Invalid(faults)
    return after


def _refuse_discount(user: User, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[FieldError]:
    """CRM-9 g: more than 30 % is for vice presidents to give; what they gave may stand."""
    if after["discount_bp"] <= rules.VP_ABOVE_BP or after["discount_bp"] == before["discount_bp"] or user.is_vp:
        return []
    most = rules.VP_ABOVE_BP // 100
    return [FieldError("discount_percent", f"a discount above {most} % needs a vice president's role")]


def standard_book(ctx: Context) -> Row | None:
    """The standard price book."""
    return ctx.store.one("SELECT * FROM crm_pricebook WHERE is_standard = 1")


def entry_for(ctx: Context, book: Row, product_id: str, currency: str) -> Row:
    """The price that a product is sold at. Raises Invalid where it has none there, or is out of use."""
    product = ctx.store.get("crm_product", product_id)
    if product is None:
        raise Invalid(f'there is no product "{product_id}"', field="product_id")
    if not product["is_active"]:
        raise Invalid(f"{product['name']} is no longer sold", field="product_id")
    same = {"pricebook_id": book["id"], "product_id": product_id, "currency": currency}
    for entry in ctx.store.select("crm_pricebook_entry", **same):
        if entry["is_active"]:
            return entry
    raise Invalid(f"{book['name']} has no active price of {product['name']} in {currency}", field="product_id")
