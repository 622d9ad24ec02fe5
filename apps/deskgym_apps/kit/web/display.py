"""How values are written for people: amounts, numbers, dates, instants, initials (look.md, X-2, X-3)."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

from .. import dates
from ..money import format_money

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
EMPTY = "–"
_CLOCK = re.compile(r"(?P<day>.+?),?[ T](?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)")
_WORDS = re.compile(r"(?:(?P<day>\d{1,2}) (?P<month>[a-z]+)|(?P<month2>[a-z]+) (?P<day2>\d{1,2}),?) (?P<year>\d{4})")


def money(minor: int | None, currency: str) -> str:
    """Write `minor` units as "412,000.00 USD"; None is a dash. Raises ValueError for an unknown currency."""
    return EMPTY if minor is None else format_money(minor, currency)


def number(value: int | None) -> str:
    """Write a whole number with grouped thousands; None is a dash."""
    return EMPTY if value is None else f"{value:,}"


def long_date(value: str | None) -> str:
    """Write YYYY-MM-DD as "14 May 2027"; None or "" is a dash. Raises ValueError on other text."""
    if not value:
        return EMPTY
    day = dates.parse_date(value)
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def full_date(value: str) -> str:
    """Write YYYY-MM-DD with its weekday: "Friday 14 May 2027"."""
    return f"{DAYS[dates.parse_date(value).weekday()]} {long_date(value)}"


def instant(value: str | None, zone: str = "UTC") -> str:
    """Write an instant in a zone: "14 May 2027, 09:30 CEST"; None or "" is a dash."""
    if not value:
        return EMPTY
    moment = dates.parse_instant(value).astimezone(dates.zone(zone))
    name = moment.tzname() or zone
    shown = f"GMT{name}" if name[0] in "+-" else name
    return f"{moment.day} {MONTHS[moment.month - 1]} {moment.year}, {moment:%H:%M} {shown}"


def read_date(text: str) -> str:
    """Return YYYY-MM-DD for a date typed as "2027-05-14", "14 May 2027" or "May 14, 2027" ("" stays "").

    Month names may be cut to three letters or more. Raises ValueError with what would be right.
    """
    typed = text.strip()
    found = _WORDS.fullmatch(typed.lower())
    if not typed or found is None:
        return dates.parse_date(typed).isoformat() if typed else ""
    word = found["month"] or found["month2"]
    months = [i for i, name in enumerate(MONTHS, 1) if len(word) >= 3 and name.lower().startswith(word)]
    try:
        return date(int(found["year"]), months[0], int(found["day"] or found["day2"])).isoformat()
    except (IndexError, ValueError):
        raise ValueError(f'"{typed}" is not a date; write it like 2027-05-14 or 14 May 2027') from None


def local_text(value: str, zone: str) -> str:
    """Return what a datetime field holds for an instant: "2027-05-14 09:30" in the zone."""
    return f"{dates.parse_instant(value).astimezone(dates.zone(zone)):%Y-%m-%d %H:%M}"


def read_instant(text: str, zone: str) -> str:
    """Return the instant of a local time typed as "2027-05-14 09:30" or "14 May 2027, 09:30" ("" stays "").

    A time that clocks show twice is the first of the two. Raises ValueError for other texts, and for a
    time that the zone's clocks skip.
    """
    typed = text.strip()
    if not typed:
        return ""
    found = _CLOCK.fullmatch(typed)
    if found is None:
        raise ValueError(f'"{typed}" is not a date and time; write it like 2027-05-14 09:30')
    day = date.fromisoformat(read_date(found["day"]))
    local = datetime(day.year, day.month, day.day, int(found["hour"]), int(found["minute"]), tzinfo=dates.zone(zone))
    moment = local.astimezone(UTC)
    if moment.astimezone(dates.zone(zone)).replace(tzinfo=None) != local.replace(tzinfo=None):
        raise ValueError(f"{typed} does not exist in {zone}: the clocks go forward over it")
    return dates.format_instant(moment)


def initials(name: str) -> str:
    """Return the first letters of the first and last word, upper case."""
    words = [word for word in name.replace(".", " ").split() if word[0].isalnum()]
    letters = [words[0][0], words[-1][0]] if len(words) > 1 else [word[0] for word in words]
    return "".join(letters).upper()


def colour_of(name: str, colours: int = 8) -> int:
    """Return a colour number 1..`colours` that depends on the name alone (FNV-1a)."""
    state = 0x811C9DC5
    for byte in name.encode():
        state = (state ^ byte) * 0x01000193 & 0xFFFFFFFF
    return state % colours + 1
