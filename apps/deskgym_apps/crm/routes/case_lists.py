"""What lists of cases add: taking a case over from its queue, the queues, and tables of comments and versions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from flask import g

from ...kit.session import read
from ...kit.web import Column, MenuItem, RelatedList, Row, Table
from ...kit.web.display import instant
from ..service.kinds import kind_of
from .drawing import rendered, token
from .specs import PAGES, Pages

_COLUMNS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "comments": (("body", "Comment"), ("shown_to", "Shown to"), ("by", "By"), ("at", "Written")),
    "versions": (("version", "Version"), ("title", "Title"), ("by", "By"), ("at", "Written")),
}
_TITLES = {"comments": "Comments", "versions": "Versions"}
_NOUNS = {"comments": ("comment", "comments"), "versions": ("version", "versions")}


def accept_items(record: Mapping[str, Any], back: str) -> list[MenuItem]:
    """The button that takes a case over from a queue; none for a case that somebody has."""
    if kind_of(record["owner_id"]).name != "queue":
        return []
    me = g.person["name"]
    fields = (
        ("form_token", token("edit", record["id"], record["row_version"])),
        ("row_version", str(record["row_version"])),
        rendered(["owner_id"], record),
        ("owner_id", g.person_id),
        ("owner_id__label", me),
        ("owner_id__text", me),
        ("back", back),
    )
    url = f"{PAGES['case'].url}/{record['id']}/edit"
    return [MenuItem(label="Accept", post=url, fields=fields, icon="person-check")]


def queue_items() -> tuple[MenuItem, ...]:
    """The queues as lists of their open cases."""
    rows = read("crm.query", {"object": "queue", "filter": [], "limit": 50})["rows"]
    items = []
    for row in rows:
        wanted = {"field1": "owner_name", "op1": "equals", "value1": row["name"]}
        wanted |= {"field2": "is_closed", "op2": "equals", "value2": "no"}
        items.append(MenuItem(label=row["name"], href=f"{PAGES['case'].url}?{urlencode(wanted)}", icon="inboxes"))
    return tuple(items)


def texts(pages: Pages, got: Mapping[str, Any], name: str, most: int) -> RelatedList:
    """Comments of a case or versions of an article as a table, the newest first."""
    found = got["related"][name]
    columns = tuple(Column(key, label) for key, label in _COLUMNS[name])
    rows = tuple(_row(name, row, at) for at, row in enumerate(found["rows"][:most], 1))
    url = f"{pages.url}/{got['id']}/related"
    table = Table(id=name, caption=_TITLES[name], columns=columns, rows=rows, url=url, noun=_NOUNS[name])
    icon = "chat-left-text" if name == "comments" else "clock-history"
    return RelatedList(
        id=f"{name}-list",
        title=_TITLES[name],
        total=found["total"],
        icon=icon,
        table=table if rows else None,
        empty_text=f"No {_NOUNS[name][1]} yet.",
    )


def _row(name: str, row: Mapping[str, Any], at: int) -> Row:
    by = row.get("created_by.name") or row.get("created_by_name") or ""
    when = instant(row["created_at"], g.person["tz"])
    cells = {"by": str(by), "at": when}
    if name == "comments":
        cells |= {"body": row["body"], "shown_to": "Customer" if row["is_public"] else "Colleagues only"}
    else:
        cells |= {"version": str(row["version"]), "title": row["title"]}
    return Row(
        id=str(row.get("id") or row["version"]), name=f"{_NOUNS[name][0].capitalize()} {at}, {when}", cells=cells
    )
