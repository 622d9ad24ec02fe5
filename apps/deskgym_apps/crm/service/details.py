"""One record in full, and the lists of records related to it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field

from ...kit.call import Context
from ...kit.errors import BadQuery, nearest
from ...kit.fields import Id
from ...kit.operations import Input, query
from .access import ALL, WRITE, User, reader
from .approval_rows import approvals_of
from .catalog import catalog
from .duplicates import duplicates_of
from .kinds import KINDS, SHARED, Kind, kind_named
from .line_rows import lines_of
from .lines import DEAL, QUOTE
from .matching import matches
from .naming import extra, name_columns, named
from .queries import MAX_FIELDS, columns_of, count_and_sum, with_key_fields
from .selection import Bound, Selection
from .setup.groups import named_kind
from .sharing import sharing_of


class GetInput(Input):
    """Which record to show."""

    id: Id = Field(description="The record's id; its first three characters say which object it is.")
    fields: list[str] | None = Field(
        default=None, max_length=MAX_FIELDS, description="Fields to return; all of them where left out."
    )
    related: list[str] = Field(
        default_factory=list,
        max_length=10,
        description="Related lists to return. account: contacts, opportunities, child_accounts, quotes, tasks, events, "
        "notes, emails · contact: opportunities, accounts, direct_reports, tasks, events, notes, emails · opportunity: "
        "contact_roles, products, quotes, tasks, events, notes, emails · quote: lines · lead: matching_accounts, "
        "matching_contacts (what it may be converted to), tasks, events, notes, emails · case: comments, emails, "
        "child_cases, tasks, events, notes · note: records · article: versions · product and pricebook: prices. Of "
        "accounts and contacts also cases; of these and leads also duplicates (others that a matching rule takes for "
        "the same). Of accounts, contacts, opportunities, leads and cases also sharing: who reaches it and why. Of "
        "accounts, opportunities, leads, cases and quotes also approvals.",
    )
    related_limit: int = Field(default=25, ge=1, le=200, description="Rows of each related list.")


class Access(BaseModel):
    """What the person may do with the record."""

    edit: bool
    delete: bool
    transfer: bool


class Got(BaseModel):
    """One record. `related` holds `{rows, total}` by list."""

    object: str
    id: str
    name: str
    record: dict[str, Any]
    access: Access
    related: dict[str, Any]


class AccessInput(Input):
    """Which records to look at."""

    object: str = Field(description="The object of all of them.")
    ids: list[str] = Field(max_length=200)


class AccessList(BaseModel):
    """By id; records that are deleted or that the person may not read are left out."""

    access: dict[str, Access]


@dataclass(frozen=True)
class Related:
    """A related list: rows of a kind that meet a condition on :about, columns of the relation itself, an order."""

    kind: str
    condition: str
    extras: tuple[Bound, ...] = ()
    order: str = "t.id"


def _link(table: str, own: str, other: str) -> str:
    return f"t.id IN (SELECT l.{other} FROM {table} l WHERE l.{own} = :about)"


def _of_link(table: str, own: str, other: str, column: str, type: str = "text") -> Bound:
    return extra(column, f"(SELECT l.{column} FROM {table} l WHERE l.{own} = :about AND l.{other} = t.id)", type)


def _about(column: str) -> dict[str, Related]:
    return {
        "tasks": Related("task", f"t.{column} = :about", order="t.due_date IS NULL, t.due_date DESC, t.id"),
        "events": Related("event", f"t.{column} = :about", order="t.start_at DESC, t.id"),
        "emails": Related("email", f"t.{column} = :about", order="t.sent_at DESC, t.id"),
        "notes": Related("note", _link("crm_note_link", "record_id", "note_id"), order="t.updated_at DESC, t.id"),
    }


_AT = ("crm_account_contact", "account_id", "contact_id")
_IN = ("crm_opportunity_contact_role", "opportunity_id", "contact_id")
_AT_BACK, _IN_BACK = (_AT[0], _AT[2], _AT[1]), (_IN[0], _IN[2], _IN[1])
_BY_DATE = "t.close_date DESC, t.id"
_BY_NUMBER = "t.number DESC, t.id"
_PRICES = "t.is_active DESC, t.currency, (SELECT b.name_norm FROM crm_pricebook b WHERE b.id = t.pricebook_id), t.id"
RELATED: dict[str, dict[str, Related]] = {
    "account": {
        "contacts": Related(
            "contact",
            _link(*_AT),
            (_of_link(*_AT, "role"), _of_link(*_AT, "is_direct", "bool")),
            "t.name_norm, t.id",
        ),
        "opportunities": Related("opportunity", "t.account_id = :about", order=_BY_DATE),
        "cases": Related("case", "t.account_id = :about", order=_BY_NUMBER),
        "child_accounts": Related("account", "t.parent_id = :about", order="t.name_norm, t.id"),
        "quotes": Related(
            "quote",
            "t.opportunity_id IN (SELECT d.id FROM crm_opportunity d WHERE d.account_id = :about)",
            order=_BY_NUMBER,
        ),
        **_about("what_id"),
    },
    "contact": {
        "opportunities": Related(
            "opportunity",
            _link(*_IN_BACK),
            (_of_link(*_IN_BACK, "role"), _of_link(*_IN_BACK, "is_primary", "bool")),
            _BY_DATE,
        ),
        "accounts": Related(
            "account",
            _link(*_AT_BACK),
            (_of_link(*_AT_BACK, "role"), _of_link(*_AT_BACK, "is_direct", "bool")),
            "t.name_norm, t.id",
        ),
        "cases": Related("case", "t.contact_id = :about", order=_BY_NUMBER),
        "direct_reports": Related("contact", "t.reports_to_id = :about", order="t.name_norm, t.id"),
        **_about("who_id"),
    },
    "opportunity": {
        "contact_roles": Related(
            "contact",
            _link(*_IN),
            (_of_link(*_IN, "role"), _of_link(*_IN, "is_primary", "bool")),
            "(SELECT l.is_primary FROM crm_opportunity_contact_role l "
            "WHERE l.opportunity_id = :about AND l.contact_id = t.id) DESC, t.name_norm, t.id",
        ),
        "quotes": Related("quote", "t.opportunity_id = :about", order=_BY_NUMBER),
        **_about("what_id"),
    },
    "case": {
        "comments": Related("case_comment", "t.case_id = :about", order="t.created_at DESC, t.id"),
        "child_cases": Related("case", "t.parent_id = :about", order=_BY_NUMBER),
        **_about("what_id"),
    },
    "product": {"prices": Related("pricebook_entry", "t.product_id = :about", order=_PRICES)},
    "pricebook": {
        "prices": Related(
            "pricebook_entry",
            "t.pricebook_id = :about",
            order="(SELECT p.name_norm FROM crm_product p WHERE p.id = t.product_id), t.currency, t.id",
        )
    },
    "lead": _about("who_id"),
}


@query("crm")
def get(ctx: Context, values: GetInput) -> Got:
    """One record with its fields, what you may do with it, and related lists on request."""
    kind = KINDS[named_kind(ctx, values.id)]
    user = reader(ctx)
    user.need(kind, "read")
    row = user.load(kind, values.id)
    known = catalog(kind.name).related
    for name in values.related:
        if name not in known:
            message = f'{kind.label.lower()} has no related list "{name}".{nearest(name, known)}'
            raise BadQuery(message, field="related", allowed=known)
    return Got(
        object=kind.name,
        id=values.id,
        name=_name(user, kind, values.id),
        record=_record(user, kind, values),
        access=access_of(user, kind, row["level"]),
        related={name: _related(user, kind, name, values) for name in values.related},
    )


@query("crm")
def record_access(ctx: Context, values: AccessInput) -> AccessList:
    """What you may do with each of several records."""
    user, kind = reader(ctx), kind_named(values.object)
    user.need(kind, "read")
    selection = Selection(user, kind)
    level = extra("level", user.level_sql(kind.name, "t"), "number")
    rest = f"WHERE t.id IN (SELECT value FROM json_each(:ids)) AND {selection.scope(unlisted=True)} ORDER BY t.id"
    rows = selection.rows([selection.bind("id"), level], rest, ids=json.dumps(values.ids))
    return AccessList(access={row["id"]: access_of(user, kind, row["level"]) for row in rows})


def access_of(user: User, kind: Kind, level: int) -> Access:
    """What a level on a record of a kind allows."""
    rights = user.rights(kind.name)
    return Access(
        edit="edit" in rights and level >= WRITE,
        delete="delete" in rights and level >= ALL,
        transfer="edit" in rights and level >= ALL,
    )


def _name(user: User, kind: Kind, record_id: str) -> str:
    selection = Selection(user, kind)
    rows = selection.rows(name_columns(selection)[:2], "WHERE t.id = :id", id=record_id)
    return str(rows[0]["name"])


def _record(user: User, kind: Kind, values: GetInput) -> dict[str, Any]:
    selection = Selection(user, kind)
    if values.fields is None:
        keys = [key for name in selection.names() for key in (name, *_name_of_ref(selection, name))]
    else:
        keys = columns_of(selection, values.fields)
    bound = [selection.bind(key) for key in with_key_fields(kind, keys)]
    return selection.rows(bound, "WHERE t.id = :id", id=values.id)[0]


def _name_of_ref(selection: Selection, name: str) -> tuple[str, ...]:
    """The name behind a lookup, next to its id."""
    prefix = name.removesuffix("_id")
    parent = selection.parents().get(prefix)
    if parent is None or parent.name != name or parent.target is None:
        return ()
    known = catalog(parent.target).fields
    return tuple(f"{prefix}.{name}" for name in ("name", "subject") if name in known)[:1]


def _related(user: User, kind: Kind, name: str, values: GetInput) -> dict[str, Any]:
    if name in ("products", "lines"):
        rows = lines_of(user.ctx, DEAL if name == "products" else QUOTE, values.id)
        return {"rows": rows[: values.related_limit], "total": len(rows)}
    if name == "duplicates":
        rows = duplicates_of(user, kind, user.find(kind, values.id))
        return {"rows": rows[: values.related_limit], "total": len(rows)}
    if name in ("matching_accounts", "matching_contacts"):
        rows = matches(user, user.find(kind, values.id))[name]
        return {"rows": rows[: values.related_limit], "total": len(rows)}
    if name == "sharing":
        shown = sharing_of(user.ctx, kind, user.load(kind, values.id, ALL))
        return shown.model_dump() | {"rows": shown.access[: values.related_limit], "total": len(shown.access)}
    if name == "approvals":
        rows = approvals_of(user.ctx, values.id)
        return {"rows": rows[: values.related_limit], "total": len(rows)}
    if name == "versions":
        rows = versions_of(user.ctx, values.id)
        return {"rows": rows[: values.related_limit], "total": len(rows)}
    if name == "records":
        rows = attached_records(user, values.id)
        return {"rows": rows[: values.related_limit], "total": len(rows)}
    wanted = RELATED[kind.name][name]
    selection = Selection(user, KINDS[wanted.kind])
    if "read" not in user.rights(wanted.kind):
        return {"rows": [], "total": 0}
    keys = with_key_fields(selection.kind, columns_of(selection, None))
    bound = [*(selection.bind(key) for key in keys), *wanted.extras]
    selection.params["about"] = values.id
    condition = f"WHERE {selection.scope()} AND {wanted.condition}"
    total, sums = count_and_sum(selection, bound, condition)
    rows = selection.page(bound, condition, f"ORDER BY {wanted.order}", limit=values.related_limit) if total else []
    return {"rows": rows, "total": total} | ({"sums": sums} if sums else {})


def versions_of(ctx: Context, article_id: str) -> list[dict[str, Any]]:
    """What each version of an article said, the newest first."""
    sql = (
        "SELECT v.version, v.title, v.body, v.created_at, v.created_by, p.name AS created_by_name "
        "FROM crm_article_version v JOIN org_person p ON p.id = v.created_by WHERE v.article_id = ? "
        "ORDER BY v.version DESC"
    )
    return ctx.store.all(sql, (article_id,))


def attached_records(user: User, note_id: str) -> list[dict[str, Any]]:
    """The records a note is attached to, as far as the person may read them."""
    found = []
    for kind in SHARED:
        selection = Selection(user, KINDS[kind])
        linked = _link("crm_note_link", "note_id", "record_id")
        if "read" in user.rights(kind):
            rest = f"WHERE {selection.scope()} AND {linked} ORDER BY t.id"
            found += [named(kind, row) for row in selection.rows(name_columns(selection), rest, about=note_id)]
    return found
