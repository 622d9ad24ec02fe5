"""What can be put on a line: products with an active price in the price book and currency (CRM-7)."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from ...kit.call import Context
from ...kit.fields import Id
from ...kit.money import plain_amount
from ...kit.norm import norm
from ...kit.operations import Input, query
from ...kit.roles import Row
from .access import User, reader
from .kinds import KINDS, kind_of
from .line_values import standard_book
from .lines import QUOTE, entry_of
from .selection import give_functions


class SellableInput(Input):
    """For which opportunity or quote, and what was typed of a product's name or code."""

    id: Id = Field(description="An opportunity or a quote.")
    pricebook_id: Id | None = Field(default=None, description="Another price book than the record has.")
    text: str = Field(default="", max_length=200)
    limit: int = Field(default=10, ge=1, le=200)


class Sellable(BaseModel):
    """`rows` of `{id, name, code, unit_price, currency}` by name; `more` says that some were left out."""

    pricebook_id: str | None
    pricebook: str | None
    currency: str
    rows: list[dict[str, Any]]
    more: bool


@query("crm")
def sellable(ctx: Context, values: SellableInput) -> Sellable:
    """Products that a new line of an opportunity or a quote can hold, with their list prices."""
    user = reader(ctx)
    user.need(KINDS["product"], "read")
    whole = user.load(kind_of(values.id), values.id)
    book = _book(user, whole, values.pricebook_id)
    if book is None:
        return Sellable(pricebook_id=None, pricebook=None, currency=whole["currency"], rows=[], more=False)
    rows = _products(ctx, book["id"], whole["currency"], values.text, values.limit + 1)
    return Sellable(
        pricebook_id=book["id"],
        pricebook=book["name"],
        currency=whole["currency"],
        rows=rows[: values.limit],
        more=len(rows) > values.limit,
    )


def _book(user: User, whole: Row, chosen: str | None) -> Row | None:
    store = user.ctx.store
    if "number" not in whole:
        book_id = chosen or whole["pricebook_id"]
    else:
        lines = QUOTE.lines(user.ctx, whole["id"])
        deal = store.get("crm_opportunity", whole["opportunity_id"])
        book_id = entry_of(user.ctx, lines[0])["pricebook_id"] if lines else deal and deal["pricebook_id"]
    return store.get("crm_pricebook", book_id) if book_id else standard_book(user.ctx)


def _products(ctx: Context, book_id: str, currency: str, text: str, limit: int) -> list[dict[str, Any]]:
    give_functions(ctx.store)
    params: dict[str, Any] = {"book": book_id, "currency": currency, "limit": limit, "whole": norm(text)}
    tests = ["e.pricebook_id = :book", "e.currency = :currency", "e.is_active = 1", "p.is_active = 1"]
    for at, word in enumerate(norm(text).split()):
        params[f"w{at}"] = word
        tests.append(f"(has_word(p.name_norm, :w{at}) OR instr(norm(p.code), :w{at}) = 1)")
    rows = ctx.store.all(
        "SELECT p.id, p.name, p.code, e.unit_price FROM crm_pricebook_entry e JOIN crm_product p ON p.id = "
        "e.product_id "
        f"WHERE {' AND '.join(tests)} ORDER BY p.name_norm <> :whole, p.name_norm, p.id LIMIT :limit",
        params,
    )
    return [
        {
            "id": row["id"],
            "name": row["name"],
            "code": row["code"],
            "unit_price": plain_amount(row["unit_price"], currency),
            "currency": currency,
        }
        for row in rows
    ]
