"""The timeline at the right of a record, with the buttons that write to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import urlencode

from flask import g, request

from ...kit.session import read
from ...kit.web import Activity, ActivityGroup, MenuItem, Timeline
from ...kit.web.display import instant, long_date
from ..service.kinds import SEVERAL
from .drawing import rendered, token
from .reading import amount, fields_of, may, text_of, whole_number
from .specs import Pages, record_href

STEP = 25
_MOST = 200
_TONES: Mapping[str, Literal["neutral", "success", "warning"]] = {"Completed": "success", "Deferred": "warning"}
_SHOWN = 220


def timeline(pages: Pages, got: Mapping[str, Any]) -> Timeline:
    """Overdue and upcoming activities, then the past by months. Nothing is added to a converted lead."""
    record_id = str(got["id"])
    limit = min(_MOST, max(STEP, whole_number(request.args.get("activities", str(STEP)), "activities")))
    found = read("crm.timeline", {"id": record_id, "limit": limit})
    used: dict[str, int] = {}
    groups = tuple(
        ActivityGroup(title=group["label"], activities=tuple(_activity(pages, item, used) for item in group["items"]))
        for group in found["groups"]
    )
    more = found["next_offset"] is not None and limit < _MOST
    return Timeline(
        title="Activity",
        groups=groups,
        composer=() if got["record"].get("is_converted") else composer(pages, record_id),
        older_href=f"{request.path}?activities={min(_MOST, limit + STEP)}" if more else "",
    )


def composer(pages: Pages, record_id: str) -> tuple[MenuItem, ...]:
    """Log a call, New task, New event, New note about the record."""
    holder = "who_id" if pages.kind in SEVERAL["who"] else "what_id"
    back = f"{pages.url}/{record_id}"
    about = urlencode({holder: record_id, "back": back})
    note = urlencode({"record_id": record_id, "back": back})
    items = []
    if may("create", "task"):
        items.append(MenuItem(label="Log a call", dialog_href=f"/crm/calls/new?{about}", icon="telephone"))
        items.append(MenuItem(label="New task", dialog_href=f"/crm/tasks/new?{about}", icon="check2-square"))
    if may("create", "event"):
        items.append(MenuItem(label="New event", dialog_href=f"/crm/events/new?{about}", icon="calendar3"))
    if may("create", "note"):
        items.append(MenuItem(label="New note", dialog_href=f"/crm/notes/new?{note}", icon="journal-text"))
    return tuple(items)


def _when(item: Mapping[str, Any]) -> str:
    if item["kind"] in ("event", "email", "note", "comment", "history") and item["at"]:
        return instant(item["at"], g.person["tz"])
    if item["on"]:
        return f"due {long_date(item['on'])}" if item["group_open"] else long_date(item["on"])
    return "no due date"


def _text(item: Mapping[str, Any]) -> str:
    text = " ".join(str(item.get("comments") or item.get("body") or item.get("description") or "").split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1].rsplit(" ", 1)[0] + "…"


def _who(item: Mapping[str, Any]) -> str:
    parts = [item.get("who_name"), item.get("what_name")]
    if item["kind"] == "email":
        parts = [f"from {item['from_addr']}", item.get("what_name")]
    elif item["kind"] == "note":
        parts = [item.get("owner.name")]
    elif item["kind"] == "comment":
        parts = [item.get("created_by.name")]
    elif item["kind"] == "history":
        parts = [item["changed_by_name"]]
    return " · ".join(str(part) for part in parts if part)


def complete_item(item: Mapping[str, Any], back: str) -> MenuItem:
    """The button that completes a task, or opens it again: an update of its status."""
    done = item.get("status") == "Completed"
    return MenuItem(
        label="Reopen" if done else "Mark complete",
        post=f"/crm/tasks/{item['id']}/edit",
        fields=(
            ("form_token", token("edit", item["id"], item["row_version"])),
            ("row_version", str(item["row_version"])),
            rendered(["status"], item),
            ("status", "Not Started" if done else "Completed"),
            ("back", back),
        ),
        icon="arrow-counterclockwise" if done else "check2",
    )


def change(pages: Pages, row: Mapping[str, Any], side: str) -> str:
    """A value of the history, `old` or `new`, as the record would show it; "" for none."""
    info = fields_of(pages.kind).get(row["field"])
    if row[side] is None or info is None or info["type"] == "ref":
        return str(row[side] or "")
    if info["type"] == "money":
        return amount(*row[side].rsplit(" ", 1))
    return text_of(pages.kind, row["field"], {row["field"]: row[side]})


def _comments_href(item: Mapping[str, Any]) -> str:
    """A comment stands in the related lists of its case."""
    return f"{request.path.removesuffix('/history').removesuffix('/related')}/related"


def _activity(pages: Pages, item: dict[str, Any], used: dict[str, int]) -> Activity:
    status = str(item.get("status") or "")
    item = item | {"group_open": bool(status) and status != "Completed"}
    if item["kind"] == "history":
        old, new = (change(pages, item, side) or "empty" for side in ("old", "new"))
        item["title"] = f"{item['label']}: {old} → {new}"
    when = _when(item)
    name = f"{item['title']}, {when}"
    used[name] = used.get(name, 0) + 1
    label = name if used[name] == 1 else f"{name} ({used[name]})"
    is_mine = item.get("owner_id") == g.person_id and item["kind"] in ("task", "call") and may("edit", "task")
    return Activity(
        kind=item["kind"],
        title=item["title"],
        when=when,
        href=f"{request.path.removesuffix('/history').removesuffix('/related')}/history"
        if item["kind"] == "history"
        else _comments_href(item)
        if item["kind"] == "comment"
        else record_href(item["id"]),
        who=_who(item),
        text=_text(item),
        status=status,
        tone=_TONES.get(status, "neutral"),
        actions=(complete_item(item, request.path),) if is_mine and status != "Completed" else (),
        label=label,
    )
