"""Harbourstay's services: importing this package registers every operation."""

from . import (
    altering,
    booking,
    calendars,
    cancelling,
    choices,
    deciding,
    jobs,
    listings,
    others,
    people,
    places,
    quotes,
    reservations,
    search,
    threads,
    wishlists,
)

__all__ = [
    "altering",
    "booking",
    "calendars",
    "cancelling",
    "choices",
    "deciding",
    "jobs",
    "listings",
    "others",
    "people",
    "places",
    "quotes",
    "reservations",
    "search",
    "threads",
    "wishlists",
]
