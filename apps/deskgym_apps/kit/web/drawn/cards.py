"""Entries of a record page and cards of a board: details, related records, activities, deals."""

from __future__ import annotations

import json

from markupsafe import Markup, escape

from .. import display
from ..forms import Detail
from ..icons import icon
from ..records import Activity, Card, RelatedItem
from .menus import Label, NextId, avatar, badge, named, row_menu

_PICTURES = {
    "task": "check2-square",
    "call": "telephone",
    "event": "calendar-event",
    "email": "envelope",
    "note": "sticky",
    "comment": "chat-left-text",
    "history": "clock-history",
}


def _detail_value(d: Detail) -> str:
    text = escape(d.value)
    if not text:
        return display.EMPTY
    if d.href:
        return f'<a href="{escape(d.href)}">{text}</a>'
    if d.kind == "email":
        return f'<a href="mailto:{text}">{text}</a>'
    if d.kind == "phone":
        return f'<a href="tel:{escape(d.value.replace(" ", ""))}">{text}</a>'
    if d.kind == "person":
        return f'<span class="person">{avatar(d.value, 20)}{text}</span>'
    if d.kind == "badge":
        return badge(d.value, d.tone)
    return f'<span class="longtext">{text}</span>' if d.kind == "longtext" else str(text)


def detail_entry(d: Detail, label: Label, next_id: NextId) -> Markup:
    """One labelled value of a record, with its pencil."""
    id, shown = next_id("detail"), escape(label(d.label))
    note = f'<span class="detail-note">{escape(d.note)}</span>' if d.note else ""
    value = f'<span class="detail-value">{_detail_value(d)}{note}</span>'
    if d.edit_href:
        start = f'class="pencil" role="button" href="{escape(d.edit_href)}" data-edit'
        value += f'<a {start} aria-label="Edit {shown}">{icon("pencil")}</a>'
    css = "detail detail-long" if d.kind == "longtext" else "detail"
    return Markup(f'<div class="{css}"><dt id="{id}-name">{shown}</dt><dd>{value}</dd></div>')


def related_entry(item: RelatedItem, label: Label, next_id: NextId) -> Markup:
    """One record of a related list."""
    parts = [f'<a class="related-name" href="{escape(item.href)}"{named(item.label)}>{escape(item.name)}</a>']
    if item.actions:
        parts.append(row_menu(item.label or item.name, item.actions, next_id))
    if item.facts:
        facts = [
            f"<div><dt>{escape(label(name))}</dt><dd>{escape(text) or display.EMPTY}</dd></div>"
            for name, text in item.facts
        ]
        parts.append(f'<dl class="facts">{"".join(facts)}</dl>')
    return Markup(f"<li>{''.join(parts)}</li>")


def activity_entry(a: Activity, next_id: NextId) -> Markup:
    """One entry of a timeline."""
    title = str(escape(a.title))
    if a.href:
        title = f'<a href="{escape(a.href)}"{named(a.label)}>{title}</a>'
    if a.status:
        title += f" {badge(a.status, a.tone)}"
    kind = "Change" if a.kind == "history" else a.kind.capitalize()
    who = f" · {escape(a.who)}" if a.who else ""
    text = f'<p class="activity-text">{escape(a.text)}</p>' if a.text else ""
    menu = row_menu(a.label or a.title, a.actions, next_id) if a.actions else ""
    return Markup(
        f'<li class="activity activity-{a.kind}"><span class="activity-icon">{icon(_PICTURES[a.kind])}</span>'
        f'<div class="activity-main"><p class="activity-title">{title}</p>'
        f'<p class="activity-meta">{kind}{who} · {escape(a.when)}</p>{text}</div>{menu}</li>'
    )


def _card_top(c: Card, name: Markup) -> str:
    link = f'<a class="board-name" href="{escape(c.href)}" draggable="false"{named(c.label)}>{escape(c.name)}</a>'
    if c.move_post:
        start = f'class="btn btn-quiet btn-icon btn-sm" role="button" href="{escape(c.move_href)}" data-move'
        state = 'aria-haspopup="menu" aria-expanded="false"'
        link += f'<a {start} {state} aria-label="Move {name} to…" draggable="false">{icon("arrow-left-right")}</a>'
    return f'<div class="board-card-top">{link}</div>'


def _card_foot(c: Card) -> str:
    owner = f'<span class="person">{avatar(c.owner, 20)}{escape(c.owner)}</span>' if c.owner else ""
    overdue = badge(c.overdue, "danger") if c.overdue else ""
    return f'<p class="board-card-foot">{owner}{overdue}</p>' if owner or overdue else ""


def board_card(c: Card, label: Label) -> Markup:
    """One card of a board: a link, a "Move…" button and what is known of the deal."""
    name = escape(c.label or c.name)
    start = f'class="board-card" data-card data-name="{name}"'
    if c.move_post:
        start += f' data-post="{escape(c.move_post)}" data-move-href="{escape(c.move_href)}"'
        start += f' data-fields="{escape(json.dumps(c.fields))}"'
    amount = f'<p class="board-amount">{escape(c.amount)}</p>' if c.amount else ""
    facts = "".join(
        [
            f'<div><dt class="visually-hidden">{escape(label(name))}</dt><dd>{escape(text)}</dd></div>'
            for name, text in c.facts
        ]
    )
    known = f'<dl class="board-facts">{facts}</dl>' if facts else ""
    return Markup(f"<li {start}>{_card_top(c, name)}{amount}{known}{_card_foot(c)}</li>")
