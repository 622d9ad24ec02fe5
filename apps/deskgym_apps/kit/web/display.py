"""How values are written for people: amounts, numbers, dates, instants (look.md, X-2, X-3)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
EMPTY = "–"
EXPONENTS: Mapping[str, int] = {
    "BHD": 3, "CLP": 0, "ISK": 0, "JOD": 3, "JPY": 0, "KRW": 0, "KWD": 3, "OMR": 3, "TND": 3, "VND": 0,
}  # fmt: skip
"""Decimals of the currencies that do not have two."""


def money(minor: int | None, currency: str, decimals: int | None = None) -> str:
    """Write `minor` units as "412,000.00 USD"; None is a dash. `decimals` overrides the table."""
    if minor is None:
        return EMPTY
    places = EXPONENTS.get(currency, 2) if decimals is None else decimals
    whole, rest = divmod(abs(minor), 10**places)
    fraction = f".{rest:0{places}d}" if places else ""
    return f"{'−' if minor < 0 else ''}{whole:,}{fraction} {currency}"


def number(value: int | None) -> str:
    """Write a whole number with grouped thousands; None is a dash."""
    if value is None:
        return EMPTY
    return f"{'−' if value < 0 else ''}{abs(value):,}"


def long_date(value: str | None) -> str:
    """Write YYYY-MM-DD as "14 May 2027"; None or "" is a dash. Raises ValueError on other text."""
    if not value:
        return EMPTY
    day = date.fromisoformat(value)
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def full_date(value: str) -> str:
    """Write YYYY-MM-DD with its weekday: "Friday 14 May 2027"."""
    return f"{DAYS[date.fromisoformat(value).weekday()]} {long_date(value)}"


def instant(value: str | None, zone: str = "UTC") -> str:
    """Write an instant in a zone: "14 May 2027, 09:30 CEST"; None or "" is a dash."""
    if not value:
        return EMPTY
    moment = datetime.strptime(value, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC).astimezone(ZoneInfo(zone))
    name = moment.tzname() or zone
    shown = f"GMT{name}" if name[0] in "+-" else name
    return f"{moment.day} {MONTHS[moment.month - 1]} {moment.year}, {moment:%H:%M} {shown}"


def initials(name: str) -> str:
    """Return the first letters of the first and last word, upper case."""
    words = [w for w in name.replace(".", " ").split() if w[0].isalnum()]
    letters = [words[0][0], words[-1][0]] if len(words) > 1 else [w[0] for w in words]
    return "".join(letters).upper()


def colour_of(name: str, colours: int = 8) -> int:
    """Return a colour number 1..`colours` that depends on the name alone (FNV-1a)."""
    state = 0x811C9DC5
    for byte in name.encode():
        state = (state ^ byte) * 0x01000193 & 0xFFFFFFFF
    return state % colours + 1
