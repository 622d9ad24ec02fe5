"""Harbourstay's services: importing this package registers every operation."""

from . import (
    calendars,
    listings,
    people,
    places,
    quotes,
    reservations,
    search,
    threads,
    wishlists,
)

__all__ = [
    "calendars",
    "listings",
    "people",
    "places",
    "quotes",
    "reservations",
    "search",
    "threads",
    "wishlists",
]
