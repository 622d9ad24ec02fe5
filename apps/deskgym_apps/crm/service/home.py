"""What concerns the acting person: who they are, what waits for them, what they deleted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, Field

from ...kit.call import Context
from ...kit.dates import add_days, local_midnight
from ...kit.operations import Input, Nothing, query
from ..rules import KEEP_DAYS
from .access import ALL, User, reader
from .deletion import purge_line
from .kinds import KINDS, RECORDS, SAVED, SHARED, WRITTEN
from .naming import extra, name_columns, named
from .periods import fiscal_quarter_of
from .selection import Selection
from .totals import Totals, money_shown

_SHOWN = 10


class WhoAmI(BaseModel):
    """The acting person, their rights, and the present."""

    id: str
    name: str
    email: str
    title: str | None
    profile: str
    role: str | None
    is_admin: bool
    can_reopen: bool
    tz: str
    locale: str
    currency: str
    company: str
    now: str
    today: str
    fiscal_quarter: tuple[str, str]
    rights: dict[str, list[str]]
    read_only_fields: dict[str, list[str]]


@query("crm")
def whoami(ctx: Context, _values: Nothing) -> WhoAmI:
    """Who you are in Northbeam, what your profile allows, and what day it is for you."""
    user, person = reader(ctx), ctx.person
    return WhoAmI(
        **{name: person[name] for name in ("id", "name", "email", "title", "tz", "locale", "currency")},
        profile=user.row["profile"],
        role=user.row["role"],
        is_admin=user.is_admin,
        can_reopen=user.can_reopen,
        company=ctx.store.meta("company"),
        now=ctx.now,
        today=ctx.today,
        fiscal_quarter=fiscal_quarter_of(ctx, ctx.today),
        rights={kind: sorted(user.rights(kind)) for kind in (*WRITTEN, *SAVED)},
        read_only_fields={kind: sorted(user.locked(kind)) for kind in WRITTEN if user.locked(kind)},
    )


class Home(BaseModel):
    """The start page: open tasks that are due, coming events, the open pipeline, recent work, notifications."""

    today: str
    overdue: list[dict[str, Any]]
    due_today: list[dict[str, Any]]
    events: list[dict[str, Any]]
    pipeline: dict[str, Any]
    closing: list[dict[str, Any]]
    recent: list[dict[str, Any]]
    notifications: list[dict[str, Any]]


_TASK = ("id", "row_version", "subject", "kind", "priority", "due_date", "who_id", "who_name", "what_id", "what_name")
_EVENT = (
    "id",
    "row_version",
    "subject",
    "start_at",
    "end_at",
    "location",
    "who_id",
    "who_name",
    "what_id",
    "what_name",
)
_DEAL = ("id", "row_version", "name", "account_id", "account.name", "stage", "amount", "close_date")


def _mine(
    user: User, kind: str, keys: tuple[str, ...], condition: str, order: str, **more: Any
) -> list[dict[str, Any]]:
    """The first few of the person's own records of a kind."""
    if "read" not in user.rights(kind):
        return []
    selection = Selection(user, KINDS[kind])
    shown, parents = set(selection.names()), selection.parents()
    bound = [selection.bind(key) for key in keys if key in shown or key.partition(".")[0] in parents]
    rest = f"WHERE {selection.scope(mine=True)} AND {condition} ORDER BY {order}, t.id LIMIT {_SHOWN}"
    return selection.rows(bound, rest, **more)


@query("crm")
def home(ctx: Context, _values: Nothing) -> Home:
    """What waits for you: due tasks, events of a week, your open pipeline, deals to close, notifications."""
    user, today = reader(ctx), ctx.today
    week_end = local_midnight(add_days(today, 7), ctx.person["tz"])
    is_open = "t.status <> 'Completed'"
    open_deal = "t.stage IN (SELECT name FROM crm_stage WHERE is_closed = 0)"
    quarter_end = fiscal_quarter_of(ctx, today)[1]
    return Home(
        today=today,
        overdue=_mine(user, "task", _TASK, f"{is_open} AND t.due_date < :today", "t.due_date", today=today),
        due_today=_mine(user, "task", _TASK, f"{is_open} AND t.due_date = :today", "t.subject_norm", today=today),
        events=_mine(
            user, "event", _EVENT, "t.end_at > :now AND t.start_at < :until", "t.start_at", now=ctx.now, until=week_end
        ),
        pipeline=_pipeline(user, open_deal),
        closing=_mine(
            user, "opportunity", _DEAL, f"{open_deal} AND t.close_date <= :until", "t.close_date", until=quarter_end
        ),
        recent=_recent(user),
        notifications=notifications(ctx, NotificationsInput(limit=5)).rows,
    )


def _pipeline(user: User, condition: str) -> dict[str, Any]:
    """Count, amount and expected revenue of the person's open deals."""
    totals = Totals(user.ctx)
    if "read" not in user.rights("opportunity"):
        return {"count": 0, "amount": totals.of({}), "expected_revenue": totals.of({})}
    selection = Selection(user, KINDS["opportunity"])
    amount, expected = money_shown(selection)
    rows = selection.all(
        f"SELECT t.currency, count(*), {amount}, {expected} FROM {selection.source()} "
        f"WHERE {selection.scope(mine=True)} AND {condition} GROUP BY t.currency ORDER BY t.currency"
    )
    return {
        "count": sum(row[1] for row in rows),
        "amount": totals.of({row[0]: row[2] for row in rows if row[2] is not None}),
        "expected_revenue": totals.of({row[0]: row[3] for row in rows if row[3] is not None}),
    }


def _recent(user: User) -> list[dict[str, Any]]:
    """The records the person changed last."""
    found: list[dict[str, Any]] = []
    for kind in SHARED:
        if "read" in user.rights(kind):
            selection = Selection(user, KINDS[kind])
            rows = selection.rows(
                [*name_columns(selection), extra("updated_at", "t.updated_at")],
                f"WHERE {selection.scope()} AND t.updated_by = :me ORDER BY t.updated_at DESC, t.id LIMIT {_SHOWN}",
            )
            found += [named(kind, row) | {"updated_at": row["updated_at"]} for row in rows]
    found.sort(key=lambda row: row["id"])
    found.sort(key=lambda row: row["updated_at"], reverse=True)
    return found[:_SHOWN]


class NotificationsInput(Input):
    """How many notifications to show."""

    limit: int = Field(default=25, ge=1, le=200)
    offset: int = Field(default=0, ge=0, le=100_000)


class Notifications(BaseModel):
    """Newest first; `record_id` leads to the record."""

    rows: list[dict[str, Any]]
    total: int
    next_offset: int | None


@query("crm")
def notifications(ctx: Context, values: NotificationsInput) -> Notifications:
    """What others made you the owner of, asked you to approve, or decided for you; newest first."""
    reader(ctx)
    total = int(
        ctx.conn.execute("SELECT count(*) FROM crm_notification WHERE person_id = ?", (ctx.person_id,)).fetchone()[0]
    )
    rows = ctx.store.all(
        "SELECT id, kind, object, record_id, body, created_at, created_by FROM crm_notification WHERE person_id = ? "
        "ORDER BY created_at DESC, id LIMIT ? OFFSET ?",
        (ctx.person_id, values.limit, values.offset),
    )
    following = values.offset + values.limit
    return Notifications(rows=rows, total=total, next_offset=following if following < total else None)


class RecycleBinInput(Input):
    """Which part of the recycle bin to show."""

    scope: Literal["mine", "org"] = Field(
        default="mine", description="mine: what you deleted; org: all you may restore."
    )
    limit: int = Field(default=25, ge=1, le=200)
    offset: int = Field(default=0, ge=0, le=100_000)


class RecycleBin(BaseModel):
    """Deleted records, newest first; what was deleted along with one comes back with it and is counted in `with_it`."""

    rows: list[dict[str, Any]]
    total: int
    next_offset: int | None
    keep_days: int


@query("crm")
def recycle_bin(ctx: Context, values: RecycleBinInput) -> RecycleBin:
    """Deleted records that can still be brought back, for 15 days after they were deleted."""
    user = reader(ctx)
    found: list[dict[str, Any]] = []
    batches = _batches(ctx)
    for kind in RECORDS:
        if "read" in user.rights(kind):
            found += _deleted(user, kind, values.scope, batches)
    found.sort(key=lambda row: row["id"])
    found.sort(key=lambda row: row["deleted_at"], reverse=True)
    following = values.offset + values.limit
    return RecycleBin(
        rows=found[values.offset : following],
        total=len(found),
        next_offset=following if following < len(found) else None,
        keep_days=KEEP_DAYS,
    )


def _batches(ctx: Context) -> dict[str, int]:
    """How many records were deleted with each record, itself included."""
    tables = " UNION ALL ".join(
        f"SELECT delete_batch AS batch FROM {KINDS[kind].table} WHERE is_deleted = 1" for kind in RECORDS
    )
    return dict(ctx.conn.execute(f"SELECT batch, count(*) FROM ({tables}) GROUP BY batch ORDER BY batch").fetchall())


def _deleted(user: User, kind: str, scope: str, batches: Mapping[str, int]) -> list[dict[str, Any]]:
    selection = Selection(user, KINDS[kind])
    whose = "t.deleted_by = :me" if scope == "mine" else user.visible(kind, "t", ALL)
    columns = [
        extra("deleted_at", "t.deleted_at"),
        extra("deleted_by", "t.deleted_by"),
        extra("deleted_by_name", "(SELECT p.name FROM org_person p WHERE p.id = t.deleted_by)"),
        extra("can_restore", f"({user.visible(kind, 't', ALL)})", "bool"),
    ]
    rows = selection.rows(
        [*name_columns(selection), *columns],
        "WHERE t.id IN (SELECT value FROM json_each(:batches)) AND t.delete_batch = t.id AND t.deleted_at > :line "
        f"AND {selection.scope(deleted=True)} AND {whose} ORDER BY t.deleted_at DESC, t.id",
        line=purge_line(user.ctx),
        batches=json.dumps(list(batches)),
    )
    keys = ("deleted_at", "deleted_by", "deleted_by_name")
    may = "delete" in user.rights(kind)
    return [
        named(kind, row)
        | {key: row[key] for key in keys}
        | {"with_it": batches[row["id"]] - 1, "can_restore": row["can_restore"] and may}
        for row in rows
    ]
