"""The CRM's services: importing this package registers every operation."""

from . import (
    accounts,
    activities,
    activity_days,
    contacts,
    describe,
    details,
    links,
    lookup,
    notes,
    opportunities,
    queries,
)

__all__ = [
    "accounts",
    "activities",
    "activity_days",
    "contacts",
    "describe",
    "details",
    "links",
    "lookup",
    "notes",
    "opportunities",
    "queries",
]
