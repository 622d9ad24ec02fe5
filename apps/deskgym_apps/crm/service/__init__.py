"""The CRM's services: importing this package registers every operation."""

from . import (
    accounts,
    activities,
    activity_days,
    board,
    contacts,
    describe,
    details,
    history,
    home,
    links,
    lookup,
    notes,
    opportunities,
    queries,
    search,
    timeline,
)

__all__ = [
    "accounts",
    "activities",
    "activity_days",
    "board",
    "contacts",
    "describe",
    "details",
    "history",
    "home",
    "links",
    "lookup",
    "notes",
    "opportunities",
    "queries",
    "search",
    "timeline",
]
