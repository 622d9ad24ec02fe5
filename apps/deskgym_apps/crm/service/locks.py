"""Fields of a record that cannot be set by hand while it is as it is, and why (CRM-1, CRM-7, I3)."""

from __future__ import annotations

import json

from pydantic import Field

from ...kit.call import Context
from ...kit.fields import Id
from ...kit.operations import Input, query
from ..rules_quotes import FIXED
from .access import User, reader

PRODUCTS = "Set by its products."
CLOSED = "Set by the stage of a closed deal."
SHOWN = "Fixed while the quote is {status}."
NO_REOPENING = "Your profile may not reopen a closed deal."


class LockedInput(Input):
    """Which records to look at."""

    ids: list[Id] = Field(max_length=200, description="Ids of opportunities and quotes; other records lock nothing.")


@query("crm")
def locked_fields(ctx: Context, values: LockedInput) -> dict[str, dict[str, str]]:
    """By id, the fields that cannot be set by hand as things are, with the reason; records that lock nothing left out.

    Products set amount and currency. A quote in review or beyond keeps its tax and shipping. A closed deal's stage
    sets its probability, and leaving it needs the right to.
    """
    user = reader(ctx)
    seen = "t.id IN (SELECT value FROM json_each(:ids)) AND t.is_deleted = 0 AND " + user.visible("opportunity", "t")
    sql = (
        "SELECT t.id, EXISTS (SELECT 1 FROM crm_opportunity_line l WHERE l.opportunity_id = t.id) AS has_lines, "
        "s.is_closed FROM crm_opportunity t JOIN crm_stage s ON s.name = t.stage "
        f"WHERE {seen} ORDER BY t.id"
    )
    found: dict[str, dict[str, str]] = {}
    for row in ctx.store.all(sql, user.params | {"ids": json.dumps(values.ids)}):
        locks: dict[str, str] = {}
        if row["has_lines"]:
            locks |= {"amount": PRODUCTS, "currency": PRODUCTS}
        if row["is_closed"]:
            locks |= {"probability": CLOSED}
            locks |= {} if user.can_reopen else {"stage": NO_REOPENING}
        if locks:
            found[row["id"]] = locks
    return found | _fixed_quotes(user, values.ids)


def _fixed_quotes(user: User, ids: list[str]) -> dict[str, dict[str, str]]:
    sql = (
        "SELECT t.id, t.status FROM crm_quote t WHERE t.id IN (SELECT value FROM json_each(:ids)) "
        f"AND t.is_deleted = 0 AND {user.visible('quote', 't')} ORDER BY t.id"
    )
    quotes = user.ctx.store.all(sql, user.params | {"ids": json.dumps([one for one in ids if one.startswith("QUO")])})
    reasons = {row["id"]: SHOWN.format(status=row["status"]) for row in quotes if row["status"] in FIXED}
    return {quote_id: {"tax_percent": reason, "shipping": reason} for quote_id, reason in reasons.items()}
