"""Lists of records: filter, sort, page, totals over the whole filtered set (CRM-6, X-9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, Field

from ...kit.call import Context
from ...kit.errors import BadQuery
from ...kit.fields import Id
from ...kit.operations import Input
from ...kit.operations import query as reads
from . import setup_fields
from .access import reader
from .catalog import catalog
from .conditions import Condition, where
from .kinds import KINDS, Kind, kind_named
from .selection import Bound, Selection, order_by
from .totals import Totals
from .view_definitions import Definition, Sort, definition

MAX_FIELDS = 40
_DEFAULT_SORT: dict[str, tuple[tuple[str, bool], ...]] = {
    "account": (("name", False),),
    "contact": (("last_name", False), ("first_name", False)),
    "opportunity": (("close_date", False),),
    "quote": (("number", True),),
    "lead": (("created_at", True),),
    "task": (("due_date", False),),
    "event": (("start_at", True),),
    "case": (("number", True),),
    "note": (("updated_at", True),),
    "article": (("number", False),),
    "case_comment": (("created_at", True),),
    "product": (("name", False),),
    "queue": (("name", False),),
    "email": (("sent_at", True),),
    "user": (("name", False),),
    "list_view": (("name", False),),
    "report": (("name", False),),
    "approval_request": (("submitted_at", True),),
    "dashboard": (("name", False),),
    **setup_fields.SORT,
    "pricebook": (("name", False),),
    "pricebook_entry": (("name", False),),
    "opportunity_line": (("opportunity_id", False), ("position", False)),
    "quote_line": (("quote_id", False), ("position", False)),
}


class Filtered(Input):
    """Which records are meant."""

    object: str = Field(description=f"One of {', '.join(KINDS)}.")
    filter: list[Condition] = Field(default_factory=list, description="Up to 10 conditions, joined by AND.")
    logic: str | None = Field(
        default=None,
        max_length=200,
        description="How the conditions are joined, by their numbers: 1 AND (2 OR 3). Each is mentioned once.",
    )
    scope: Literal["all", "mine"] = Field(default="all", description="mine: only records you own.")
    list_view: Id | None = Field(
        default=None, description="A saved list view of this object: its filters hold besides those given here."
    )


class QueryInput(Filtered):
    """Which records to list."""

    fields: list[str] | None = Field(
        default=None,
        max_length=MAX_FIELDS,
        description="Fields to return, account.region and the like included; the usual columns where left out.",
    )
    sort: list[Sort] = Field(default_factory=list, max_length=5)
    limit: int = Field(default=25, ge=1, le=200)
    offset: int = Field(default=0, ge=0, le=1_000_000)
    deleted: bool = Field(default=False, description="true: only records in the recycle bin.")
    list_view: Id | None = Field(
        default=None,
        description="A saved list view of this object: its filters hold besides those given here; its columns, sort "
        "and scope count where none are given.",
    )


class Listed(BaseModel):
    """One page of a list. `sums` covers the whole filtered set, by money field."""

    rows: list[dict[str, Any]]
    total: int
    next_offset: int | None
    sums: dict[str, Any] | None = None


@reads("crm")
def query(ctx: Context, values: QueryInput) -> Listed:
    """List records that match a filter, sorted and paged, with the total number and sums of amounts."""
    user = reader(ctx)
    kind = kind_named(values.object)
    user.need(kind, "read")
    selection = Selection(user, kind)
    view = None if values.list_view is None else definition(user, values.list_view, kind)
    fields = view.shown(selection) if view is not None and values.fields is None else values.fields
    wanted = [selection.bind(key) for key in with_key_fields(kind, columns_of(selection, fields))]
    condition = condition_of(selection, values, view, deleted=values.deleted)
    total, sums = count_and_sum(selection, wanted, condition)
    order = order_by(selection, sort_keys(selection, values.sort, view))
    rows = selection.page(wanted, condition, order, limit=values.limit, offset=values.offset) if total else []
    following = values.offset + values.limit
    return Listed(rows=rows, total=total, next_offset=following if following < total else None, sums=sums)


def condition_of(selection: Selection, values: Filtered, view: Definition | None, *, deleted: bool = False) -> str:
    """WHERE of the rows that a query, and a view where one is named, chooses."""
    mine = values.scope == "mine" or (view is not None and view.scope == "mine")
    scope = selection.scope(mine=mine, deleted=deleted, many=True)
    clauses = [scope, f"({where(selection, values.filter, values.logic)})"]
    if view is not None:
        clauses.append(f"({view.where(selection)})")
    return f"WHERE {' AND '.join(clauses)}"


def sort_keys(selection: Selection, given: Sequence[Sort], view: Definition | None) -> list[tuple[Bound, bool]]:
    """What to sort by: what was asked for, else the view's order, else the usual one."""
    if given or view is None or not (keys := view.keys(selection)):
        keys = [(selection.bind(item.field, "sort"), item.direction == "desc") for item in given]
    usual = _DEFAULT_SORT[selection.kind.name]
    return keys or [(selection.bind(name), down) for name, down in usual if "." in name or name in selection.names()]


def columns_of(selection: Selection, fields: list[str] | None) -> list[str]:
    """The fields asked for, or the usual columns as far as the profile shows them. Raises BadQuery for a repetition."""
    if fields is None:
        shown, parents = set(selection.names()), selection.parents()
        usual = selection.catalog.columns
        return [key for key in usual if key in shown or ("." in key and key.partition(".")[0] in parents)]
    if len(set(fields)) != len(fields):
        raise BadQuery("a field is named twice", field="fields")
    return fields


def with_key_fields(kind: Kind, keys: list[str]) -> list[str]:
    """The fields with id and row_version in front."""
    first = ["id", "row_version"] if "row_version" in catalog(kind.name).fields else ["id"]
    return [*first, *(key for key in keys if key not in first)]


def count_and_sum(selection: Selection, wanted: list[Bound], condition: str) -> tuple[int, dict[str, Any] | None]:
    """How many rows match, and the sums of the row's own money fields among those wanted."""
    money = [item for item in wanted if item.field.type == "money" and item.is_own and item.field.is_summed]
    if not money:
        return int(selection.all(f"SELECT count(*) FROM {selection.source(condition)} {condition}")[0][0]), None
    columns = ", ".join(f"sum({item.sql})" for item in money)
    code = money[0].currency
    groups = selection.all(
        f"SELECT {code} AS code, count(*), {columns} FROM {selection.source(columns, condition)} {condition} "
        "GROUP BY code ORDER BY code"
    )
    total = sum(int(row[1]) for row in groups)
    totals = Totals(selection.user.ctx)
    sums = {
        item.key: totals.of({row[0]: int(row[2 + at]) for row in groups if row[2 + at] is not None})
        for at, item in enumerate(money)
    }
    return total, sums
