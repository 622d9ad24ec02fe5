"""Harbourstay's pages. Every page reads through queries and writes through one command of the service layer."""

from __future__ import annotations

from ...kit.call import read
from ...kit.store import Store
from ...kit.web import Link
from ..pictures import picture_url
from . import (
    booking,
    host_calendars,
    host_editing,
    host_offers,
    host_seasons,
    host_side,
    hosting,
    listings,
    messages,
    photos,
    quick_replies,
    resolving,
    reviewing,
    searching,
    tax_reports,
    trips,
    wishlists,
)
from .routing import blueprint
from .shell import app_bar

ICON = "house-heart"
TAGLINE = "Places to stay: search, book, trips, messages and hosting"

__all__ = [
    "ICON",
    "TAGLINE",
    "app_bar",
    "blueprint",
    "booking",
    "desk_tile",
    "host_calendars",
    "host_editing",
    "host_offers",
    "host_seasons",
    "host_side",
    "hosting",
    "listings",
    "messages",
    "photos",
    "quick_replies",
    "resolving",
    "reviewing",
    "searching",
    "tax_reports",
    "trips",
    "wishlists",
]


@blueprint.app_context_processor
def _pictures() -> dict[str, object]:
    return {"picture": picture_url}


def desk_tile(store: Store, person_id: str) -> tuple[Link, ...]:
    """What waits in Harbourstay: threads that are not read, trips ahead."""
    unread = read(store, "stays.whoami", {}, person_id=person_id)["unread_threads"]
    ahead = read(store, "stays.reservations", {"status": "upcoming", "limit": 1}, person_id=person_id)["total"]
    threads = f"{unread} unread {'conversation' if unread == 1 else 'conversations'}"
    trips = f"{ahead} {'trip' if ahead == 1 else 'trips'} ahead"
    return (Link(trips, "/stays/trips"), Link(threads, "/stays/messages"))
