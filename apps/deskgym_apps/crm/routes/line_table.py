"""The lines of an opportunity or a quote as a table on its page, with what can be done to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...kit.money import format_money, parse_money
from ...kit.web import Cell, Column, MenuItem, RelatedList, Row, Table
from ...kit.web.display import long_date
from ..rules_quotes import FIXED
from .reading import amount
from .specs import PAGES

_COLUMNS = (
    Column("product", "Product"),
    Column("code", "Code"),
    Column("quantity", "Quantity", kind="number"),
    Column("unit_price", "Unit price", kind="money"),
    Column("discount", "Discount", kind="number"),
    Column("total", "Total", kind="money"),
)
_DATE = Column("service_date", "Service date", kind="date")


def line_list(got: Mapping[str, Any], name: str) -> RelatedList:
    """The card of the lines that `get` brought along, `products` or `lines`."""
    found, url = got["related"][name], f"{PAGES[got['object']].url}/{got['id']}"
    may_change = got["access"]["edit"] and got["record"].get("status") not in FIXED
    is_dated = any(row.get("service_date") for row in found["rows"])
    table = Table(
        id="product-lines",
        caption="Product lines" if name == "products" else "Quote lines",
        columns=(*_COLUMNS[:2], _DATE, *_COLUMNS[2:]) if is_dated else _COLUMNS,
        rows=tuple(_row(row, at, url, may_change) for at, row in enumerate(found["rows"], 1)),
        url="",
        noun=("product line", "product lines"),
        totals=_sums(found["rows"]) if len(found["rows"]) == found["total"] else {},
    )
    return RelatedList(
        id=name,
        title="Products" if name == "products" else "Lines",
        total=found["total"],
        icon="box-seam",
        actions=_adding(got, name, url) if may_change else (),
        table=table if found["rows"] else None,
        empty_text="No products on this opportunity." if name == "products" else "No lines on this quote.",
    )


def _row(row: Mapping[str, Any], at: int, url: str, may_change: bool) -> Row:
    cells: dict[str, Cell | str] = {
        "product": Cell(text=row["product"], href=f"{PAGES['product'].url}/{row['product_id']}"),
        "code": row["code"],
        "quantity": row["quantity"],
        "service_date": long_date(row["service_date"]) if row.get("service_date") else "",
        "unit_price": amount(row["unit_price"], row["currency"]),
        "discount": f"{row['discount_percent']}%",
        "total": amount(row["total"], row["currency"]),
    }
    line = f"{url}/lines/{row['id']}"
    actions = (
        MenuItem(label="Edit", dialog_href=line, icon="pencil"),
        MenuItem(label="Remove", dialog_href=f"{line}/remove", icon="x-lg", danger=True),
    )
    return Row(id=row["id"], name=f"{row['product']}, line {at}", cells=cells, actions=actions if may_change else ())


def _sums(rows: list[Mapping[str, Any]]) -> dict[str, str]:
    """The sum of the lines, written like them."""
    if not rows:
        return {}
    currency = rows[0]["currency"]
    return {"total": format_money(sum(parse_money(row["total"], currency) for row in rows), currency)}


def _adding(got: Mapping[str, Any], name: str, url: str) -> tuple[MenuItem, ...]:
    add = MenuItem(label="Add product", dialog_href=f"{url}/lines/new", icon="plus-lg")
    if name == "lines":
        return (add,)
    return (add, MenuItem(label="Change price book", dialog_href=f"{url}/price-book", icon="tags"))
