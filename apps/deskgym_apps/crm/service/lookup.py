"""Candidates for a lookup field, told apart by what a person knows of them."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from ...kit.call import Context
from ...kit.errors import BadQuery
from ...kit.fields import Id
from ...kit.norm import norm
from ...kit.operations import Input, query
from .access import User, reader
from .kinds import KINDS, SEVERAL, SHARED, kind_named
from .naming import extra, name_columns, name_norm, named
from .selection import Selection

_ACCOUNT_COLUMN = {
    "contact": "t.account_id",
    "opportunity": "t.account_id",
    "case": "t.account_id",
    "account": "t.id",
}
_SEVERAL = SEVERAL | {"record": SHARED}
_ALSO = {"case": "t.number", "product": "norm(t.code)"}  # found by that too


class LookupInput(Input):
    """What was typed into a lookup field."""

    object: str = Field(
        description="account, contact, opportunity, quote, lead, case, user, queue, product, pricebook, task, event, "
        "note or article; what: accounts, opportunities and cases; who: contacts and leads; record: all of these; "
        "owner: users and queues."
    )
    text: str = Field(default="", max_length=200, description="Beginnings of words of the name; empty lists the first.")
    limit: int = Field(default=10, ge=1, le=50)
    account_id: Id | None = Field(default=None, description="Records of this account come first.")


class Candidates(BaseModel):
    """`rows` of `{object, id, name, detail}`; `more` says that some were left out."""

    rows: list[dict[str, Any]]
    more: bool


@query("crm")
def lookup(ctx: Context, values: LookupInput) -> Candidates:
    """Records whose name matches what was typed: exact name, name beginning, others; only those you may read."""
    user = reader(ctx)
    kinds = _SEVERAL.get(values.object) or (kind_named(values.object).name,)
    found: list[dict[str, Any]] = []
    for kind in kinds:
        if "read" in user.rights(kind):
            found += _candidates(user, kind, values)
    if values.object not in _SEVERAL and "read" not in user.rights(kinds[0]):
        raise BadQuery(f"your profile may not read {KINDS[kinds[0]].plural.lower()}", field="object")
    found.sort(key=lambda row: row["order"])
    rows = [{name: value for name, value in row.items() if name != "order"} for row in found[: values.limit]]
    return Candidates(rows=rows, more=len(found) > values.limit)


def _candidates(user: User, kind: str, values: LookupInput) -> list[dict[str, Any]]:
    selection = Selection(user, KINDS[kind])
    hay, whole = name_norm(kind), norm(values.text)
    clauses = []
    if kind == "user":
        clauses.append("EXISTS (SELECT 1 FROM crm_user a WHERE a.person_id = t.id AND a.is_active = 1)")
    found = f"{hay} || ' ' || {_ALSO[kind]}" if kind in _ALSO else hay
    if kind in ("pricebook", "pricebook_entry"):
        clauses.append("t.is_active = 1")
    selection.params |= {"whole": whole, "near": values.account_id}
    for position, word in enumerate(whole.split()):
        selection.params[f"w{position}"] = word
        clauses.append(f"instr({found}, :w{position}) > 0 AND has_word({found}, :w{position})")
    clauses.append(selection.scope())
    rank = f"CASE WHEN {hay} = :whole THEN 0 WHEN instr({hay}, :whole) = 1 THEN 1 ELSE 2 END"
    near = f"({_ACCOUNT_COLUMN[kind]} IS NOT :near)" if values.account_id and kind in _ACCOUNT_COLUMN else "''"
    order = [extra("rank", rank, "number"), extra("far", near), extra("sorted", hay)]
    rows = selection.rows(
        [*name_columns(selection), *order],
        f"WHERE {' AND '.join(clauses)} ORDER BY {rank}, {near}, {hay}, t.id LIMIT :limit",
        limit=values.limit + 1,
    )
    return [named(kind, row) | {"order": (row["rank"], row["far"], row["sorted"], row["id"])} for row in rows]
