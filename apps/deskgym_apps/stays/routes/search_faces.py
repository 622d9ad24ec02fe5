"""The search bar, its faults and the map, as the pages of a search draw them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...kit.session import read_kept
from ...kit.web import Option
from ...kit.web.display import MONTHS
from ..maps import Pin
from .faces import Guests, first_of

_MONTHS_AHEAD = 12
_LABELS = {
    "minPrice": "Lowest price",
    "maxPrice": "Highest price",
    "min_rating": "Least rating",
    "sort": "Order",
    "location": "Where",
    "weekend_in": "Any weekend in",
    "checkin": "Check-in",
    "checkout": "Check-out",
}
_BAR = ("checkin", "checkout", "weekend_in", "adults", "children", "infants", "pets")
_FILTERS = ("minPrice", "maxPrice", "min_rating", "bedrooms", "beds", "baths", "host_language", "currency")


@dataclass(frozen=True, kw_only=True)
class SearchFace:
    """The search bar: what stands in it, and what was wrong with it."""

    where: str = ""
    checkin: str = ""
    checkout: str = ""
    weekend_in: str = ""
    guests: Guests = field(default_factory=Guests)
    errors: Mapping[str, str] = field(default_factory=dict)
    hidden: tuple[tuple[str, str], ...] = ()
    places: tuple[str, ...] = ()
    months: tuple[Option, ...] = ()


@dataclass(frozen=True, kw_only=True)
class MapFace:
    """A map with its pins."""

    label: str
    summary: str
    ground: Any
    pins: tuple[Pin, ...] = ()
    circle: tuple[int, int] | None = None
    caption: str = ""


def place_names() -> tuple[str, ...]:
    """Places that the search bar offers while one types."""
    return tuple(row["full_name"] for row in read_kept("stays.places", {"text": "", "limit": 50})["rows"])


def weekend_months(chosen: str = "") -> tuple[Option, ...]:
    """This month and the next twelve, and the one of the address where it is another."""
    today = read_kept("stays.whoami")["today"]
    months = [first_of(today, ahead)[:7] for ahead in range(_MONTHS_AHEAD + 1)]
    told = [Option(month, f"{MONTHS[int(month[5:]) - 1]} {month[:4]}") for month in months]
    if chosen and chosen not in months:
        told.append(Option(chosen, chosen))
    return (Option("", "Choose month"), *told)


def problems_of(errors: Mapping[str, str], loose: tuple[str, ...]) -> list[tuple[str, str]]:
    """Every fault of a search: the id of its control (or nothing) and what is wrong with it."""
    told = [("", text) for text in loose]
    for name, text in errors.items():
        control = "search-where" if name == "location" else f"search-{name}" if name in _BAR else ""
        control = f"filter-{name}" if name in _FILTERS else "sort" if name == "sort" else control
        label = _LABELS.get(name, name.replace("_", " ").capitalize())
        told.append((control, text if label.lower() in text.lower() else f"{label}: {text}"))
    return told
