"""The page of one record: key facts, details to edit in place, related lists, timeline, history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flask import g

from ...kit.errors import NotFound
from ...kit.session import read
from ...kit.web import (
    Column,
    Detail,
    DetailSection,
    Highlight,
    Link,
    MenuItem,
    PageHeader,
    Row,
    Tab,
    Table,
)
from ...kit.web.display import instant
from ..service.kinds import KINDS, SHARED, WRITTEN
from .approvals import approval_items
from .case_status import case_items, status_path
from .case_talk import thread
from .drawing import editor_href, writable
from .duplicates import duplicates_item
from .editing import fields_label
from .going import page
from .knowledge import article_items, blocks
from .leads import CONVERTED_HIGHLIGHTS, lead_actions, lead_path, lead_subtitle
from .quotes import quote_actions, quote_path
from .reading import fields_of, locked, text_of, whoami
from .related import related_lists
from .routing import blueprint
from .sharing import share_items
from .specs import SYSTEM, Pages, pages_at, record_href
from .stages import stage_path
from .timelines import change, complete_item, timeline

FEW, MANY = 3, 25
_KINDS: Mapping[str, Any] = {"phone": "phone", "money": "money", "number": "number", "date": "date"}
_TRACKED = (*SHARED, "quote", "task", "event", "article")


def _got(folder: str, record_id: str, related: bool) -> tuple[Pages, dict[str, Any]]:
    pages = pages_at(folder)
    if KINDS[pages.kind].prefix != record_id[:3]:
        raise NotFound(f'there is no {pages.noun} "{record_id}"')
    lists = list(pages.lists) if related else []
    got = read("crm.get", {"id": record_id, "related": lists, "related_limit": MANY} if lists else {"id": record_id})
    return pages, got


def _actions(pages: Pages, got: Mapping[str, Any]) -> tuple[MenuItem, ...]:
    url = f"{pages.url}/{got['id']}"
    items: list[MenuItem] = list(quote_actions(got)) if pages.kind == "quote" else []
    if pages.kind == "lead":
        items += lead_actions(got)
    if pages.kind == "task" and got["access"]["edit"]:
        items.append(complete_item(got["record"], url))
    if pages.kind == "case":
        items += case_items(got, url)
    if pages.kind == "article" and got["access"]["edit"]:
        items += article_items(got["record"], url)
    if got["access"]["edit"]:
        items.append(MenuItem(label="Edit", href=f"{url}/edit", icon="pencil", primary=pages.kind != "lead"))
    items += approval_items(pages, got)
    items += duplicates_item(pages, got)
    items += share_items(pages, got)
    if got["access"]["delete"]:
        items.append(MenuItem(label="Delete", dialog_href=f"{url}/delete", icon="trash3"))
    return tuple(items)


def _highlights(pages: Pages, record: Mapping[str, Any]) -> tuple[Highlight, ...]:
    known = fields_of(pages.kind)
    found = []
    names = CONVERTED_HIGHLIGHTS if record.get("is_converted") else pages.highlights
    for name in names:
        if name in known:
            text, kind = text_of(pages.kind, name, record), known[name]["type"]
            href = record_href(str(record[name])) if kind == "ref" and record.get(name) and text else ""
            found.append(Highlight(label=known[name]["label"], value=text, href=href, tone=_tone(pages, name, record)))
    return tuple(found)


def _tone(pages: Pages, name: str, record: Mapping[str, Any]) -> str:
    if pages.kind == "case" and name == "resolution_due":
        return "danger" if not record["is_closed"] and (record.get(name) or "9") < whoami()["now"] else ""
    due = {"opportunity": "close_date", "quote": "expires_on", "task": "due_date"}.get(pages.kind)
    closed = record.get("is_closed") or record.get("status") in ("Completed", "Accepted", "Denied")
    late = name == due and record.get(name) and not closed and str(record[name]) < whoami()["today"]
    return "danger" if late else ""


def _header(pages: Pages, got: Mapping[str, Any]) -> PageHeader:
    record = got["record"]
    badges = {"account": "type", "opportunity": "stage"}
    badge = badges.get(pages.kind, "status" if pages.kind in ("lead", "task", "case", "article", "quote") else "")
    text = str(record.get(badge) or "") if badge else ""
    good = ("Customer", "Closed Won", "Completed", "Closed", "Published", "Approved", "Accepted", "Qualified")
    bad = ("Closed Lost", "Escalated", "Rejected", "Denied", "Unqualified")
    tones = dict.fromkeys(good, "success") | dict.fromkeys(bad, "danger")
    word = f"{KINDS[pages.kind].label} {record.get('number') or ''}".strip()
    return PageHeader(
        kicker="Call" if record.get("kind") == "Call" and pages.kind == "task" else word,
        title=got["name"],
        icon="telephone" if record.get("kind") == "Call" and pages.kind == "task" else pages.icon,
        subtitle=lead_subtitle(record) if pages.kind == "lead" else "",
        badge=text,
        badge_tone=tones.get(text, "info" if text else "neutral"),
        highlights=_highlights(pages, record),
        actions=_actions(pages, got),
    )


def _detail(pages: Pages, name: str, record: Mapping[str, Any], edit_href: str = "", note: str = "") -> Detail:
    info = fields_of(pages.kind)[name]
    text = text_of(pages.kind, name, record)
    kind: Any = _KINDS.get(info["type"], "text")
    if name == "email":
        kind = "email"
    elif name in ("description", "comments", "body", "resolution"):
        kind = "longtext"
    elif name == "owner_id":
        kind = "person"
    href = record_href(str(record[name])) if info["type"] == "ref" and record.get(name) and text else ""
    return Detail(label=info["label"], value=text, href=href, kind=kind, edit_href=edit_href, note=note)


def details(pages: Pages, got: Mapping[str, Any]) -> tuple[DetailSection, ...]:
    """The fields in sections; those that the person may change have a pencil."""
    record, known = got["record"], fields_of(pages.kind)
    names: list[str] = []
    if pages.kind in WRITTEN and got["access"]["edit"]:
        names = writable(pages, transfer=got["access"]["transfer"])
    notes = locked(pages.kind, [got["id"]]).get(got["id"], {}) if names else {}
    editors = {name: editor_href(pages, got["id"], name) for name in names if name not in notes}
    sections = []
    for title, fields in (*pages.sections, *((("Derived", pages.extra),) if pages.extra else ())):
        shown = [name for name in fields if name in known and _applies(name, record)]
        if shown:
            found = tuple(_detail(pages, name, record, editors.get(name, ""), notes.get(name, "")) for name in shown)
            sections.append(DetailSection({"Derived": "More facts"}.get(title, title), found))
    system = tuple(_detail(pages, name, record) for name in SYSTEM if name in known)
    return (*sections, DetailSection("System information", system))


def _applies(name: str, record: Mapping[str, Any]) -> bool:
    """Lost reasons belong to lost deals, durations to calls."""
    if name in ("lost_reason", "lost_detail"):
        return bool(record.get("is_closed")) and not record.get("is_won")
    if "converted" in name:
        return bool(record.get("is_converted"))
    return name != "duration_minutes" or record.get("kind") == "Call"


def _tabs(pages: Pages, record_id: str) -> tuple[Tab, ...]:
    url = f"{pages.url}/{record_id}"
    tabs = [Tab("details", "Details", url)]
    if pages.kind in SHARED:
        tabs.append(Tab("related", "Related", f"{url}/related"))
    if pages.kind in _TRACKED:
        tabs.append(Tab("history", "History", f"{url}/history"))
    return tuple(tabs)


def _show(pages: Pages, got: Mapping[str, Any], tab: str, template: str = "crm/record.html", **values: Any) -> Any:
    paths = {"opportunity": stage_path, "case": status_path, "quote": quote_path, "lead": lead_path}
    path = paths[pages.kind](got) if pages.kind in paths else None
    return page(
        template,
        heading=f"{got['name']} · {KINDS[pages.kind].label}",
        record_header=_header(pages, got),
        path=path,
        tabs=_tabs(pages, got["id"]),
        tab=tab,
        noun=KINDS[pages.kind].label,
        timeline=timeline(pages, got) if pages.has_timeline else None,
        crumbs=[Link(fields_label(pages), pages.url)],
        **values,
    )


@blueprint.get("/<folder>/<record_id>")
def record(folder: str, record_id: str) -> Any:
    """Details, with the first few of each related list."""
    pages, got = _got(folder, record_id, True)
    if pages.kind == "email":
        return _email(pages, got)
    if pages.kind == "article":
        return _article(pages, got)
    most = MANY if pages.kind in ("product", "pricebook") else FEW
    found = related_lists(pages, got, most, _skipped(got))
    related = [one for one in found if pages.kind not in SHARED or _has_place(one.id)]
    related = [one for one in related if one.id != "approvals-list" or one.total]
    more: dict[str, Any] = {}
    if pages.kind == "case":
        more = {"template": "crm/case.html", "thread": thread(got), "related_href": f"{pages.url}/{record_id}/related"}
    return _show(pages, got, "details", sections=details(pages, got), related=related, **more)


def _skipped(got: Mapping[str, Any]) -> tuple[str, ...]:
    """A converted lead is not looked for any more."""
    return ("matching_accounts", "matching_contacts") if got["record"].get("is_converted") else ()


def _has_place(name: str) -> bool:
    """Lists beside the details; activities stand in the timeline and on the Related tab."""
    return name in (
        "approvals-list",
        *("contacts", "opportunities", "contact-roles", "products", "quotes", "accounts", "child-accounts"),
        *("cases", "child-cases"),
        *("matching-accounts", "matching-contacts"),
    )


def _article(pages: Pages, got: Mapping[str, Any]) -> Any:
    """The text to be read first, then the fields to edit."""
    sections = tuple(section for section in details(pages, got) if section.title != "Text")
    text = blocks(str(got["record"].get("body") or ""))
    shown = [one for one in related_lists(pages, got, FEW) if one.total > 1]
    return _show(pages, got, "details", template="crm/article.html", sections=sections, related=shown, text=text)


def _email(pages: Pages, got: Mapping[str, Any]) -> Any:
    return page(
        "crm/email.html",
        heading=f"{got['name']} · E-mail",
        record_header=_header(pages, got),
        body=got["record"].get("body") or "",
        crumbs=[Link(fields_label(pages), pages.url)],
    )


@blueprint.get("/<folder>/<record_id>/related")
def related(folder: str, record_id: str) -> Any:
    """Every related list."""
    pages, got = _got(folder, record_id, True)
    if pages.kind not in SHARED:
        raise NotFound(f"{pages.nouns} have no related lists of their own")
    return _show(pages, got, "related", sections=(), related=related_lists(pages, got, MANY, _skipped(got)))


_HISTORY = (
    Column("changed_at", "Date"),
    Column("label", "Field"),
    Column("old", "Old value"),
    Column("new", "New value"),
    Column("by", "Changed by", kind="person"),
)


def _history_table(pages: Pages, record_id: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    drawn = tuple(
        Row(
            id=row["id"],
            name=f"Change {at}: {row['label']}",
            cells={
                "changed_at": instant(row["changed_at"], g.person["tz"]),
                "label": row["label"],
                "old": change(pages, row, "old"),
                "new": change(pages, row, "new"),
                "by": row["changed_by_name"],
            },
        )
        for at, row in enumerate(rows, 1)
    )
    return Table(
        id="history",
        caption="Field history",
        columns=_HISTORY,
        rows=drawn,
        url=f"{pages.url}/{record_id}/history",
        noun=("change", "changes"),
        empty_title="No changes yet",
        empty_text="Changes of the tracked fields appear here.",
    )


@blueprint.get("/<folder>/<record_id>/history")
def history(folder: str, record_id: str) -> Any:
    """Changes of the tracked fields, newest first."""
    pages, got = _got(folder, record_id, False)
    if pages.kind not in _TRACKED:
        raise NotFound(f"{pages.nouns} have no history")
    rows = read("crm.history", {"id": record_id, "limit": 200})["rows"]
    table = _history_table(pages, record_id, rows)
    return _show(pages, got, "history", sections=(), related=(), history=table)
