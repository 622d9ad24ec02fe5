"""Rows of products and prices for the hand-made world: two price books in use and three products that are sold."""

from __future__ import annotations

from typing import Any

from .fixture import ADA, LONG_AGO, World, ident

STANDARD, PARTNER, OLD_BOOK = (ident("PBK", number) for number in (1, 2, 3))
GAUGE, VALVE, VISIT_DAY, RETIRED = (ident("PRD", number) for number in (1, 2, 3, 4))
GAUGE_PRICE, VALVE_PRICE, DAY_PRICE, PARTNER_GAUGE, EURO_GAUGE = (ident("PBE", number) for number in (1, 2, 3, 4, 5))


def _made() -> dict[str, Any]:
    return {"created_at": LONG_AGO, "created_by": ADA, "updated_at": LONG_AGO, "updated_by": ADA}


def _product(number: int, name: str, code: str, family: str, is_active: int = 1) -> dict[str, Any]:
    norm = name.casefold()
    made = {"id": ident("PRD", number), "name": name, "name_norm": norm, "code": code, "family": family}
    return made | {"is_active": is_active} | _made()


def _price(number: int, book: str, product: str, price: int, currency: str = "USD") -> dict[str, Any]:
    made = {"id": ident("PBE", number), "pricebook_id": book, "product_id": product, "currency": currency}
    return made | {"unit_price": price} | _made()


def priced() -> dict[str, list[dict[str, Any]]]:
    """The rows, by table."""
    books = (
        (STANDARD, "Standard Price Book", 1, 1),
        (PARTNER, "Partner Price Book", 0, 1),
        (OLD_BOOK, "Old Book", 0, 0),
    )
    return {
        "crm_product": [
            _product(1, "Pressure gauge", "G-1", "Pressure"),
            _product(2, "Ball valve", "V-1", "Accessories"),
            _product(3, "Site visit", "S-1", "Services"),
            _product(4, "Old gauge", "G-0", "Pressure", 0),
        ],
        "crm_pricebook": [
            {"id": book, "name": name, "name_norm": name.casefold(), "is_standard": standard, "is_active": active}
            | _made()
            for book, name, standard, active in books
        ],
        "crm_pricebook_entry": [
            _price(1, STANDARD, GAUGE, 14_999),
            _price(2, STANDARD, VALVE, 3_900),
            _price(3, STANDARD, VISIT_DAY, 120_000),
            _price(4, PARTNER, GAUGE, 13_000),
            _price(5, STANDARD, GAUGE, 14_000, "EUR"),
            _price(6, STANDARD, RETIRED, 10_000),
        ],
    }


def add(world: World, deal: str, product: str, quantity: str, discount: str | None = None, **more: Any) -> str:
    """Add a line to an opportunity. Returns its id."""
    values = {"opportunity_id": deal, "product_id": product, "quantity": quantity, **more}
    by = values.pop("by", None)
    if discount is not None:
        values["discount_percent"] = discount
    return world.create("opportunity_line", **values, **({"by": by} if by else {}))


def worked_example(world: World, deal: str) -> list[str]:
    """The three lines of CRM-7's example: 1,349.91, 975.00 and 1,020.00."""
    return [
        add(world, deal, GAUGE, "10", "10"),
        add(world, deal, VALVE, "25"),
        add(world, deal, VISIT_DAY, "1", "15"),
    ]


def lines(world: World, deal: str) -> list[dict[str, Any]]:
    """The lines of an opportunity as stored, in order."""
    return world.store.all("SELECT * FROM crm_opportunity_line WHERE opportunity_id = ? ORDER BY sort, id", (deal,))


def quote_lines(world: World, quote: str) -> list[dict[str, Any]]:
    """The lines of a quote as stored, in order."""
    return world.store.all("SELECT * FROM crm_quote_line WHERE quote_id = ? ORDER BY sort, id", (quote,))


def change_line(world: World, line: str, by: str | None = None, **values: Any) -> Any:
    """Change a line of an opportunity or a quote, at the version its record has."""
    is_deal = line.startswith("OLI")
    table, whole = ("opportunity_line", "opportunity") if is_deal else ("quote_line", "quote")
    version = world.version(world.row(table, line)[f"{whole}_id"])
    arguments = {"id": line, "row_version": version, "values": values}
    more = {"by": by} if by else {}
    if world.door == "tool":
        return world.tool("update", arguments, **more)
    return world.run(f"update_{table}", arguments, **more)


def remove_line(world: World, line: str) -> Any:
    """Remove a line of an opportunity or a quote."""
    if world.door == "tool":
        return world.tool("delete", {"id": line})
    return world.run(f"delete_{'opportunity' if line.startswith('OLI') else 'quote'}_line", {"id": line})


def new_quote(world: World, deal: str, name: str = "Offer", **values: Any) -> str:
    """A new quote's id."""
    by = values.pop("by", None)
    given = {"opportunity_id": deal, "name": name, **values}
    if world.door == "tool":
        return str(world.tool("quote", {"action": "create", "values": given}, **({"by": by} if by else {}))["id"])
    return str(world.run("create_quote", given, **({"by": by} if by else {}))["id"])


def quote(world: World, action: str, quote_id: str, **values: Any) -> Any:
    """sync, unsync or set_status of a quote."""
    by = values.pop("by", None)
    more = {"by": by} if by else {}
    if world.door == "tool":
        return world.tool("quote", {"action": action, "id": quote_id, **values}, **more)
    name = {"set_status": "set_quote_status", "sync": "sync_quote", "unsync": "unsync_quote"}[action]
    return world.run(name, {"id": quote_id, **values}, **more)
