"""Lists of records: filter, sort, page, totals over the whole filtered set (CRM-6, X-9)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from ...kit.call import Context
from ...kit.errors import BadQuery
from ...kit.operations import Input
from ...kit.operations import query as reads
from .access import reader
from .conditions import Condition, where
from .kinds import KINDS, Kind, kind_named
from .selection import Bound, Selection, order_by
from .totals import Totals

MAX_FIELDS = 40
_DEFAULT_SORT: dict[str, tuple[tuple[str, bool], ...]] = {
    "account": (("name", False),),
    "contact": (("last_name", False), ("first_name", False)),
    "opportunity": (("close_date", False),),
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
}


class Sort(Input):
    """One key to sort by; empty values come last either way."""

    field: str = Field(max_length=80)
    direction: Literal["asc", "desc"] = "asc"


class QueryInput(Input):
    """Which records to list."""

    object: str = Field(description=f"One of {', '.join(KINDS)}.")
    filter: list[Condition] = Field(default_factory=list, description="Up to 10 conditions, joined by AND.")
    logic: str | None = Field(
        default=None,
        max_length=200,
        description="How the conditions are joined, by their numbers: 1 AND (2 OR 3). Each is mentioned once.",
    )
    fields: list[str] | None = Field(
        default=None,
        max_length=MAX_FIELDS,
        description="Fields to return, account.region and the like included; the usual columns where left out.",
    )
    sort: list[Sort] = Field(default_factory=list, max_length=5)
    limit: int = Field(default=25, ge=1, le=200)
    offset: int = Field(default=0, ge=0, le=1_000_000)
    scope: Literal["all", "mine"] = Field(default="all", description="mine: only records you own.")
    deleted: bool = Field(default=False, description="true: only records in the recycle bin.")


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
    wanted = [selection.bind(key) for key in with_key_fields(kind, columns_of(selection, values.fields))]
    keys = [(selection.bind(item.field, "sort"), item.direction == "desc") for item in values.sort]
    if not keys:
        keys = [(selection.bind(name), down) for name, down in _DEFAULT_SORT[kind.name] if name in selection.names()]
    scope = selection.scope(mine=values.scope == "mine", deleted=values.deleted, many=True)
    condition = f"WHERE {scope} AND ({where(selection, values.filter, values.logic)})"
    total, sums = count_and_sum(selection, wanted, condition)
    order = order_by(selection, keys)
    rows = selection.page(wanted, condition, order, limit=values.limit, offset=values.offset) if total else []
    following = values.offset + values.limit
    return Listed(rows=rows, total=total, next_offset=following if following < total else None, sums=sums)


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
    first = ["id", "row_version"] if kind.is_record else ["id"]
    return [*first, *(key for key in keys if key not in first)]


def count_and_sum(selection: Selection, wanted: list[Bound], condition: str) -> tuple[int, dict[str, Any] | None]:
    """How many rows match, and the sums of the row's own money fields among those wanted."""
    money = [item for item in wanted if item.field.type == "money" and item.is_own]
    if not money:
        return int(selection.all(f"SELECT count(*) FROM {selection.source(condition)} {condition}")[0][0]), None
    columns = ", ".join(f"sum({item.sql})" for item in money)
    groups = selection.all(
        f"SELECT t.currency, count(*), {columns} FROM {selection.source(columns, condition)} {condition} "
        "GROUP BY t.currency ORDER BY t.currency"
    )
    total = sum(int(row[1]) for row in groups)
    totals = Totals(selection.user.ctx)
    sums = {
        item.key: totals.of({row[0]: int(row[2 + at]) for row in groups if row[2 + at] is not None})
        for at, item in enumerate(money)
    }
    return total, sums
