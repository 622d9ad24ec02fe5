"""Northbeam's pages. Every page reads through queries and writes through one command of the service layer."""

from __future__ import annotations

from ...kit.call import read
from ...kit.store import Store
from ...kit.web import Link
from . import (
    approvals,
    board,
    bulk_converting,
    case_status,
    case_talk,
    converting,
    dashboards,
    duplicates,
    editing,
    home,
    imported,
    importing,
    leads,
    line_forms,
    links,
    lists,
    merging,
    price_book,
    quotes,
    records,
    recycling,
    report_builder,
    reports,
    searching,
    selecting,
    setup,
    setup_forms,
    setup_permissions,
    setup_removing,
    sharing,
    stages,
    views,
)
from .routing import blueprint
from .shell import app_bar

ICON = "people"
TAGLINE = "Leads, accounts, contacts, opportunities, cases and activities"

__all__ = [
    "ICON",
    "TAGLINE",
    "app_bar",
    "approvals",
    "blueprint",
    "board",
    "bulk_converting",
    "case_status",
    "case_talk",
    "converting",
    "dashboards",
    "desk_tile",
    "duplicates",
    "editing",
    "home",
    "imported",
    "importing",
    "leads",
    "line_forms",
    "links",
    "lists",
    "merging",
    "price_book",
    "quotes",
    "records",
    "recycling",
    "report_builder",
    "reports",
    "searching",
    "selecting",
    "setup",
    "setup_forms",
    "setup_permissions",
    "setup_removing",
    "sharing",
    "stages",
    "views",
]


def desk_tile(store: Store, person_id: str) -> tuple[Link, ...]:
    """What waits in Northbeam: tasks that are due, and notifications."""
    waiting = read(store, "crm.home", {}, person_id=person_id)
    told = read(store, "crm.notifications", {"limit": 1}, person_id=person_id)["total"]
    due = len(waiting["overdue"]) + len(waiting["due_today"])
    tasks = f"{due} {'task' if due == 1 else 'tasks'} overdue or due today"
    news = f"{told} {'notification' if told == 1 else 'notifications'}"
    return (Link(tasks, "/crm/"), Link(news, "/crm/notifications"))
