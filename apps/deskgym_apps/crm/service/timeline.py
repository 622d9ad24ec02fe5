"""Everything that happened or is to happen around a record (CRM-12): overdue, upcoming, then months, newest first."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from ...kit.call import Context
from ...kit.dates import local_date, parse_date
from ...kit.errors import BadQuery
from ...kit.fields import Id
from ...kit.operations import Input, query
from .access import User, reader
from .history import changes_of
from .kinds import KINDS, SEVERAL, SHARED, Kind, kind_of
from .selection import Selection

_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
Sort = Literal["task", "call", "event", "email", "note", "comment", "history"]
_FIELDS = {
    "task": (
        *("id", "row_version", "subject", "kind", "status", "priority", "due_date", "duration_minutes"),
        *("completed_at", "who_id", "who_name", "what_id", "what_name", "owner_id", "owner.name", "comments"),
    ),
    "event": (
        *("id", "row_version", "subject", "start_at", "end_at", "location", "who_id", "who_name"),
        *("what_id", "what_name", "owner_id", "owner.name", "description"),
    ),
    "email": (
        *("id", "subject", "direction", "from_addr", "to_addrs", "sent_at", "thread_id", "who_id", "who_name"),
        *("what_id", "what_name", "body"),
    ),
    "note": ("id", "row_version", "title", "body", "created_at", "updated_at", "owner_id", "owner.name"),
    "case_comment": ("id", "is_public", "body", "created_at", "created_by", "created_by.name"),
}


class TimelineInput(Input):
    """Whose timeline to show."""

    id: Id = Field(description="An account (with its opportunities), a contact, an opportunity, a lead or a case.")
    kinds: list[Sort] | None = Field(
        default=None, max_length=7, description="task, call, event, email, note, comment, history; all where left out."
    )
    limit: int = Field(default=50, ge=1, le=200, description="Past entries to return.")
    offset: int = Field(default=0, ge=0, le=100_000, description="Past entries to leave out.")


class TimelineGroup(BaseModel):
    """`key` is overdue, upcoming or a month such as 2031-03."""

    key: str
    label: str
    items: list[dict[str, Any]]


class Timeline(BaseModel):
    """Groups in order; `total` counts the past entries, `next_offset` continues them."""

    groups: list[TimelineGroup]
    total: int
    next_offset: int | None


@query("crm")
def timeline(ctx: Context, values: TimelineInput) -> Timeline:
    """Tasks, calls, events, e-mails, notes and changes around a record: overdue, upcoming, then by month."""
    user = reader(ctx)
    kind = kind_of(values.id)
    user.need(kind, "read")
    if kind.name not in SHARED:
        raise BadQuery(
            f"only accounts, contacts, opportunities, leads and cases have a timeline, not {kind.plural.lower()}",
            field="id",
        )
    row = user.load(kind, values.id)
    items = [item for item in _items(user, kind, row) if values.kinds is None or item["kind"] in values.kinds]
    ahead = [item for item in items if item["group"] in ("overdue", "upcoming")]
    past = [item for item in items if item["group"] not in ("overdue", "upcoming")]
    ahead.sort(key=lambda item: (item["on"] is None, item["on"] or "", item["at"] or "", item["id"]))
    past.sort(key=lambda item: item["id"])
    past.sort(key=lambda item: (item["on"], item["at"] or ""), reverse=True)
    page = past[values.offset : values.offset + values.limit]
    following = values.offset + values.limit
    return Timeline(
        groups=_grouped([*(ahead if values.offset == 0 else []), *page]),
        total=len(past),
        next_offset=following if following < len(past) else None,
    )


def _grouped(items: list[dict[str, Any]]) -> list[TimelineGroup]:
    groups: dict[str, list[dict[str, Any]]] = {"overdue": [], "upcoming": []}
    for item in items:
        groups.setdefault(item["group"], []).append({name: item[name] for name in item if name != "group"})
    return [TimelineGroup(key=key, label=_label(key), items=found) for key, found in groups.items() if found]


def _label(key: str) -> str:
    if key in ("overdue", "upcoming"):
        return key.capitalize()
    return f"{_MONTHS[int(key[5:7]) - 1]} {key[:4]}"


def _items(user: User, kind: Kind, row: dict[str, Any]) -> list[dict[str, Any]]:
    if kind.name == "account":
        deals = "SELECT id FROM crm_opportunity WHERE account_id = :about AND is_deleted = 0"
        about = f"(t.what_id = :about OR t.what_id IN ({deals}))"
    else:
        about = f"t.{'who_id' if kind.name in SEVERAL['who'] else 'what_id'} = :about"
    attached = "t.id IN (SELECT l.note_id FROM crm_note_link l WHERE l.record_id = :about)"
    conditions = {"task": about, "event": about, "email": about, "note": attached}
    if kind.name == "case":
        conditions["case_comment"] = "t.case_id = :about"
    items: list[dict[str, Any]] = []
    for name, condition in conditions.items():
        for found in _rows(user, KINDS[name], condition, row["id"]):
            items.append(_ENTRIES[name](user.ctx, found))
    items += [_change(user.ctx, change) for change in changes_of(user, kind, row)]
    return items


def _rows(user: User, kind: Kind, condition: str, record_id: str) -> list[dict[str, Any]]:
    if "read" not in user.rights(kind.name):
        return []
    selection = Selection(user, kind)
    shown, parents = set(selection.names()), selection.parents()
    keys = [key for key in _FIELDS[kind.name] if key in shown or key.partition(".")[0] in parents]
    bound = [selection.bind(key) for key in keys]
    return selection.rows(bound, f"WHERE {selection.scope()} AND {condition} ORDER BY t.id", about=record_id)


def _entry(found: dict[str, Any], kind: str, title: str, on: str | None, at: str | None, group: str) -> dict[str, Any]:
    return {"kind": kind, "title": title, "on": on, "at": at, "group": group} | found


def _month(day: str) -> str:
    return f"{parse_date(day):%Y-%m}"


def _task(ctx: Context, found: dict[str, Any]) -> dict[str, Any]:
    kind = "call" if found["kind"] == "Call" else "task"
    due, done = found["due_date"], found["completed_at"]
    if done is None:
        group = "overdue" if due and due < ctx.today else "upcoming"
        return _entry(found, kind, found["subject"], due, None, group) | {"kind": kind}
    on = due if kind == "call" and due else local_date(done, ctx.person["tz"])
    return _entry(found, kind, found["subject"], on, done, _month(on)) | {"kind": kind}


def _event(ctx: Context, found: dict[str, Any]) -> dict[str, Any]:
    on = local_date(found["start_at"], ctx.person["tz"])
    group = "upcoming" if found["end_at"] > ctx.now else _month(on)
    return _entry(found, "event", found["subject"], on, found["start_at"], group)


def _email(ctx: Context, found: dict[str, Any]) -> dict[str, Any]:
    on = local_date(found["sent_at"], ctx.person["tz"])
    return _entry(found, "email", found["subject"], on, found["sent_at"], _month(on))


def _note(ctx: Context, found: dict[str, Any]) -> dict[str, Any]:
    on = local_date(found["created_at"], ctx.person["tz"])
    return _entry(found, "note", found["title"], on, found["created_at"], _month(on))


def _comment(ctx: Context, found: dict[str, Any]) -> dict[str, Any]:
    on = local_date(found["created_at"], ctx.person["tz"])
    title = "Public comment" if found["is_public"] else "Internal comment"
    return _entry(found, "comment", title, on, found["created_at"], _month(on))


def _change(ctx: Context, found: dict[str, Any]) -> dict[str, Any]:
    on = local_date(found["changed_at"], ctx.person["tz"])
    title = f"{found['label']}: {found['old'] or 'empty'} → {found['new'] or 'empty'}"
    return _entry(found, "history", title, on, found["changed_at"], _month(on))


_ENTRIES = {"task": _task, "event": _event, "email": _email, "note": _note, "case_comment": _comment}
