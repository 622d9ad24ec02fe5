"""The start page and notifications."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flask import g, request

from ...kit.session import read
from ...kit.web import (
    Activity,
    ActivityGroup,
    Cell,
    Column,
    MenuItem,
    Page,
    PageHeader,
    RelatedItem,
    RelatedList,
    Row,
    Table,
    Timeline,
)
from ...kit.web.display import full_date, instant, long_date
from ..service.kinds import KINDS, kind_of
from .going import page
from .lists import distinct_names
from .reading import access_to, cell_kind, label_of, may, text_of, total, whoami, whole_number
from .routing import blueprint
from .specs import PAGES, record_href
from .timelines import complete_item

SIZE = 25


def _open_tasks() -> int:
    condition = {"field": "is_closed", "op": "equals", "value": False}
    arguments = {"object": "task", "scope": "mine", "filter": [condition], "fields": ["id"], "limit": 1}
    return int(read("crm.query", arguments)["total"])


def _tasks(found: Mapping[str, Any]) -> RelatedList:
    rows = [row | {"late": late} for late, key in ((True, "overdue"), (False, "due_today")) for row in found[key]]
    names = distinct_names(PAGES["task"], rows)
    items = tuple(
        RelatedItem(
            name=row["subject"],
            href=record_href(row["id"]),
            label=name,
            facts=tuple(
                (label, str(text))
                for label, text in (
                    ("Overdue since" if row["late"] else "Due", long_date(row["due_date"])),
                    ("With", row.get("who_name")),
                    ("Related to", row.get("what_name")),
                )
                if text
            ),
            actions=(complete_item(row | {"status": "Not Started"}, "/crm/"),) if may("edit", "task") else (),
        )
        for row, name in zip(rows, names, strict=True)
    )
    new = (MenuItem(label="New task", dialog_href="/crm/tasks/new", icon="plus-lg"),) if may("create", "task") else ()
    return RelatedList(
        id="today",
        title="Overdue and due today",
        total=len(items),
        items=items,
        icon="check2-square",
        actions=new,
        empty_text="Nothing is due today.",
    )


def _deals(rows: Sequence[Mapping[str, Any]]) -> Table:
    keys = ("name", "account.name", "stage", "amount", "close_date")
    columns = tuple(
        Column(key, label_of("opportunity", key), kind=cell_kind("opportunity", key))
        for key in keys
        if not rows or key in rows[0]
    )
    drawn = tuple(
        Row(
            id=row["id"],
            name=name,
            overdue=row["close_date"] < whoami()["today"],
            cells={
                key: Cell(text=text_of("opportunity", key, row), href=_deal_link(key, row))
                for key in keys
                if key in row
            },
        )
        for name, row in zip(distinct_names(PAGES["opportunity"], rows), rows, strict=True)
    )
    return Table(
        id="closing",
        caption="My deals that close this fiscal quarter",
        columns=columns,
        rows=drawn,
        url="/crm/",
        noun=("deal", "deals"),
        empty_title="No open deals close this quarter",
        empty_text="Your open opportunities with a close date in this fiscal quarter appear here.",
    )


def _deal_link(key: str, row: Mapping[str, Any]) -> str:
    holder = {"name": "id", "account.name": "account_id"}.get(key, "")
    return record_href(str(row[holder])) if holder and row.get(holder) else ""


def _events(rows: Sequence[Mapping[str, Any]]) -> Timeline:
    groups: dict[str, list[Activity]] = {}
    for row in rows:
        when = instant(row["start_at"], g.person["tz"])
        activity = Activity(
            kind="event",
            title=row["subject"],
            when=when,
            href=record_href(row["id"]),
            who=str(row.get("who_name") or row.get("what_name") or ""),
            text=str(row.get("location") or ""),
            label=f"{row['subject']}, {when}",
        )
        groups.setdefault(when.rsplit(",", 1)[0], []).append(activity)
    composer: tuple[MenuItem, ...] = ()
    if may("create", "event"):
        composer = (MenuItem(label="New event", dialog_href="/crm/events/new", icon="calendar3"),)
    return Timeline(
        title="Next 7 days",
        groups=tuple(ActivityGroup(title=day, activities=tuple(items)) for day, items in groups.items()),
        composer=composer,
        empty_text="No events in the next 7 days.",
    )


def _recent(rows: Sequence[Mapping[str, Any]]) -> RelatedList:
    items = tuple(
        RelatedItem(
            name=row["name"],
            href=record_href(row["id"]),
            facts=(("Object", KINDS[row["object"]].label), ("Changed", instant(row["updated_at"], g.person["tz"]))),
            label=f"{row['name']}, {KINDS[row['object']].label.lower()}, {row['detail']}".rstrip(", "),
        )
        for row in rows[:5]
    )
    return RelatedList(id="recent", title="My recent changes", total=len(items), items=items, icon="clock-history")


@blueprint.get("/")
def home() -> Any:
    """What waits for the person: figures, due tasks, closing deals, coming events."""
    found = read("crm.home")
    pipeline = found["pipeline"]
    overdue, due = len(found["overdue"]), len(found["due_today"])
    figures = (
        ("My open pipeline", total(pipeline["amount"]), f"{pipeline['count']:,} open opportunities", ""),
        ("Expected revenue", total(pipeline["expected_revenue"]), "amount × probability", ""),
        ("Due today", _tasks_text(due), f"{_most(overdue)} overdue", "danger" if overdue else ""),
        ("My open tasks", f"{_open_tasks():,}", "all due dates", ""),
    )
    return page(
        "crm/home.html",
        greeting=f"Welcome, {g.person['first_name']}",
        day=full_date(found["today"]),
        figures=figures,
        tasks=_tasks(found),
        deals=_deals(found["closing"]),
        recent=_recent(found["recent"]),
        events=_events(found["events"]),
    )


def _most(count: int) -> str:
    """A count of a list that shows ten at most."""
    return f"{count} or more" if count >= 10 else str(count)


def _tasks_text(count: int) -> str:
    return f"{_most(count)} {'task' if count == 1 else 'tasks'}"


def offset() -> tuple[int, int]:
    """Number and first row of the page that the URL asks for."""
    number = max(1, whole_number(request.args.get("page", "1"), "page"))
    return number, (number - 1) * SIZE


@blueprint.get("/notifications")
def notifications() -> Any:
    """What others made the person the owner of, newest first."""
    number, first = offset()
    found = read("crm.notifications", {"limit": SIZE, "offset": first})
    readable = _readable([row["record_id"] for row in found["rows"]])
    rows = tuple(
        Row(
            id=row["id"],
            name=f"{row['body']}, {instant(row['created_at'], g.person['tz'])}",
            cells={
                "body": Cell(
                    text=row["body"], href=record_href(row["record_id"]) if row["record_id"] in readable else ""
                ),
                "at": instant(row["created_at"], g.person["tz"]),
            },
        )
        for row in found["rows"]
    )
    table = Table(
        id="notifications",
        caption="Notifications",
        columns=(Column("body", "Notification"), Column("at", "Received")),
        rows=rows,
        url="/crm/notifications",
        noun=("notification", "notifications"),
        page=Page(number, SIZE, found["total"], (SIZE,)),
        empty_title="No notifications",
        empty_text="When someone makes you the owner of a record, or asks you to approve one, it says so here.",
    )
    header = PageHeader(title="Notifications", icon="bell")
    return page("crm/list.html", list_header=header, table=table, heading="Notifications")


def _readable(ids: Sequence[str]) -> set[str]:
    """The records among them that the person still may read."""
    by_kind: dict[str, list[str]] = {}
    for record_id in ids:
        by_kind.setdefault(kind_of(record_id).name, []).append(record_id)
    return {record_id for kind, some in by_kind.items() for record_id in access_to(kind, some)}
