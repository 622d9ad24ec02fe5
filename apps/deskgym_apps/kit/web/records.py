"""Record pages and boards as data: header, stage path, related lists, timeline, kanban."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .actions import Link, MenuItem, Pairs
from .tables import Table


@dataclass(frozen=True, kw_only=True)
class Highlight:
    """One key fact in the header row of a record."""

    label: str
    value: str
    href: str = ""
    tone: str = ""


@dataclass(frozen=True, kw_only=True)
class PageHeader:
    """The h1 block of a page: object icon and word, name, key facts, actions, more actions."""

    title: str
    kicker: str = ""
    icon: str = ""
    subtitle: str = ""
    badge: str = ""
    badge_tone: str = "neutral"
    highlights: tuple[Highlight, ...] = ()
    actions: tuple[MenuItem, ...] = ()
    more: tuple[MenuItem, ...] = ()
    more_label: str = "More actions"


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One step of a path. Choosing a step with `dialog_href` asks for more before it is set."""

    value: str
    label: str
    state: Literal["done", "current", "open", "won", "lost"]
    dialog_href: str = ""


@dataclass(frozen=True, kw_only=True)
class StagePath:
    """The chevron bar: choose a step, then press `submit_label`; posts `field` to `action`."""

    label: str
    action: str
    field: str
    stages: tuple[Stage, ...]
    hidden: Pairs = ()
    submit_label: str = "Mark as current stage"
    locked: bool = False
    """Only shown, for people who may not change it."""


@dataclass(frozen=True)
class Tab:
    """One tab of a page; every tab is a URL."""

    key: str
    label: str
    href: str
    count: int | None = None


@dataclass(frozen=True, kw_only=True)
class RelatedItem:
    """One record in a related list card."""

    name: str
    href: str
    facts: tuple[tuple[str, str], ...] = ()
    actions: tuple[MenuItem, ...] = ()
    label: str = ""
    """Accessible name of the link where two items share a name."""


@dataclass(frozen=True, kw_only=True)
class RelatedList:
    """A card with the first few related records, their number and a way to all of them."""

    id: str
    title: str
    total: int
    items: tuple[RelatedItem, ...] = ()
    icon: str = ""
    actions: tuple[MenuItem, ...] = ()
    all_href: str = ""
    empty_text: str = ""
    table: Table | None = None


@dataclass(frozen=True, kw_only=True)
class Activity:
    """One entry of a timeline; `kind` chooses the icon."""

    kind: Literal["task", "call", "event", "email", "note", "comment", "history"]
    title: str
    when: str
    href: str = ""
    who: str = ""
    text: str = ""
    status: str = ""
    tone: str = "neutral"
    actions: tuple[MenuItem, ...] = ()
    label: str = ""


@dataclass(frozen=True, kw_only=True)
class ActivityGroup:
    """A titled run of activities: "Upcoming & overdue", "April 2027"."""

    title: str
    activities: tuple[Activity, ...]


@dataclass(frozen=True, kw_only=True)
class Timeline:
    """Activities about a record, newest group last read first, with composer buttons."""

    title: str
    groups: tuple[ActivityGroup, ...]
    composer: tuple[MenuItem, ...] = ()
    older_href: str = ""
    older_label: str = "Load 25 more"
    empty_text: str = "Nothing has happened yet."


@dataclass(frozen=True, kw_only=True)
class Card:
    """One card of a board; `moves` are its "Move to…" entries, `fields` travel with a move."""

    id: str
    name: str
    href: str
    facts: tuple[tuple[str, str], ...] = ()
    amount: str = ""
    owner: str = ""
    overdue: str = ""
    move_post: str = ""
    move_href: str = ""
    fields: Pairs = ()
    label: str = ""


@dataclass(frozen=True, kw_only=True)
class BoardColumn:
    """One column: its `value` is what a move posts as `stage`; `asks` opens a dialog instead."""

    value: str
    label: str
    count: str
    total: str
    note: str = ""
    cards: tuple[Card, ...] = ()
    asks: bool = False
    tone: str = ""
    more: Link | None = None


@dataclass(frozen=True, kw_only=True)
class Board:
    """A kanban board. Moves post `field` = column value to the card's `move_post`."""

    label: str
    field: str
    columns: tuple[BoardColumn, ...]


@dataclass(frozen=True, kw_only=True)
class Change:
    """One field of a conflict: who changed it, when, from what to what, and the person's own value."""

    label: str
    theirs: str
    yours: str
    was: str = ""
    who: str = ""
    when: str = ""


@dataclass(frozen=True, kw_only=True)
class Conflict:
    """The 409 page (X-7): what others changed since the form was drawn, and what is kept."""

    record: str
    record_href: str
    changes: tuple[Change, ...]
    retry_post: str
    retry_fields: Pairs
    edit_href: str = ""
    code: str = "409 · Conflict"
    heading: str = ""
    """The h1, where it is not that the record changed meanwhile."""
    retry_label: str = "Save my values over theirs"
