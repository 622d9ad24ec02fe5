"""The lines of an opportunity or a quote as people read them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from ...kit.call import Context
from ...kit.money import plain_amount
from .lines import Side


def _plain(value: int, scale: int) -> str:
    return format(Decimal(value).scaleb(-scale).normalize(), "f")


def lines_of(ctx: Context, side: Side, whole_id: str) -> list[dict[str, Any]]:
    """The lines of a record, in order; amounts as decimal text beside their currency."""
    lines = ctx.store.all(
        f"SELECT l.*, p.id AS product_id, p.name, p.code, e.currency FROM {side.part.table} l "
        "JOIN crm_pricebook_entry e ON e.id = l.pricebook_entry_id JOIN crm_product p ON p.id = e.product_id "
        f"WHERE l.{side.column} = ? ORDER BY l.sort, l.id",
        (whole_id,),
    )
    return [
        {
            "id": item["id"],
            "product_id": item["product_id"],
            "product": item["name"],
            "code": item["code"],
            "quantity": _plain(item["qty_milli"], 3),
            "list_price": plain_amount(item["list_price"], item["currency"]),
            "unit_price": plain_amount(item["unit_price"], item["currency"]),
            "discount_percent": _plain(item["discount_bp"], 2),
            "total": plain_amount(item["total"], item["currency"]),
            "currency": item["currency"],
        }
        | {name: item[name] for name in ("service_date", "description") if name in item}
        for item in lines
    ]
