"""How values are written for people: amounts, numbers, dates, instants, initials (look.md, X-2, X-3)."""

from __future__ import annotations

import re
from functools import lru_cache

from .. import dates
from ..money import format_money

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
EMPTY = "–"
_ISO = re.compile(r'(?:^|(?<=[^\w"“-]))(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}:\d{2}Z)?(?![\w-])', re.ASCII)


def money(minor: int | None, currency: str) -> str:
    """Write `minor` units as "412,000.00 USD"; None is a dash. Raises ValueError for an unknown currency."""
    return EMPTY if minor is None else format_money(minor, currency)


def number(value: int | None) -> str:
    """Write a whole number with grouped thousands; None is a dash."""
    return EMPTY if value is None else f"{value:,}"


@lru_cache(maxsize=1 << 12)
def long_date(value: str | None) -> str:
    """Write YYYY-MM-DD as "14 May 2027"; None or "" is a dash. Raises ValueError on other text."""
    if not value:
        return EMPTY
    day = dates.parse_date(value)
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def full_date(value: str) -> str:
    """Write YYYY-MM-DD with its weekday: "Friday 14 May 2027"."""
    return f"{DAYS[dates.parse_date(value).weekday()]} {long_date(value)}"


@lru_cache(maxsize=1 << 12)
def instant(value: str | None, zone: str = "UTC") -> str:
    """Write an instant in a zone: "14 May 2027, 09:30 CEST"; None or "" is a dash."""
    if not value:
        return EMPTY
    moment = dates.parse_instant(value).astimezone(dates.zone(zone))
    name = moment.tzname() or zone
    shown = f"GMT{name}" if name[0] in "+-" else name
    return f"{moment.day} {MONTHS[moment.month - 1]} {moment.year}, {moment:%H:%M} {shown}"


def dated(text: str, zone: str = "UTC") -> str:
    """Write every ISO date and instant of a sentence as people read them; what is no date, or quoted, stays."""

    def shown(found: re.Match[str]) -> str:
        try:
            return instant(found[0], zone) if found[2] else long_date(found[1])
        except ValueError:
            return found[0]

    return _ISO.sub(shown, text)


def initials(name: str) -> str:
    """Return the first letters of the first and last word, upper case."""
    words = [word for word in name.replace(".", " ").split() if word[0].isalnum()]
    letters = [words[0][0], words[-1][0]] if len(words) > 1 else [word[0] for word in words]
    return "".join(letters).upper()


@lru_cache(maxsize=1 << 12)
def colour_of(name: str, colours: int = 8) -> int:
    """Return a colour number 1..`colours` that depends on the name alone (FNV-1a)."""
    state = 0x811C9DC5
    for byte in name.encode():
        state = (state ^ byte) * 0x01000193 & 0xFFFFFFFF
    return state % colours + 1
