"""Instants are `YYYY-MM-DDTHH:MM:SSZ`, dates `YYYY-MM-DD` (X-2). Zones come from the tzdata package alone.

The zone files of the machine are not used, so that two machines agree on every conversion.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from functools import cache
from importlib import resources
from zoneinfo import ZoneInfo

_INSTANT = re.compile(r"\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):\d{2}:\d{2}Z", re.ASCII)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


@cache
def zone(name: str) -> ZoneInfo:
    """The IANA zone `name`. Raises ValueError for an unknown name."""
    parts = name.split("/")
    if not all(re.fullmatch(r"[A-Za-z0-9_+\-]+", part) for part in parts):
        raise ValueError(f'"{name}" is not a time zone name; write it like Europe/Lisbon')
    resource = resources.files("tzdata").joinpath("zoneinfo", *parts)
    if not resource.is_file():
        raise ValueError(f'unknown time zone "{name}"; write it like Europe/Lisbon')
    with resource.open("rb") as file:
        return ZoneInfo.from_file(file, key=name)


def parse_instant(text: str) -> datetime:
    """An aware UTC datetime. Raises ValueError unless the text is exactly an instant."""
    if not _INSTANT.fullmatch(text):
        raise ValueError(f'"{text}" is not an instant; write it like 2031-03-14T09:00:00Z')
    return datetime.fromisoformat(text)


def format_instant(moment: datetime) -> str:
    """`YYYY-MM-DDTHH:MM:SSZ` of an aware datetime."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def add_seconds(instant: str, seconds: int) -> str:
    """The instant so many seconds later."""
    return format_instant(parse_instant(instant) + timedelta(seconds=seconds))


def parse_date(text: str) -> date:
    """A date. Raises ValueError unless the text is exactly `YYYY-MM-DD` and exists."""
    if not _DATE.fullmatch(text):
        raise ValueError(f'"{text}" is not a date; write it like 2031-03-14')
    return date.fromisoformat(text)


def kept(text: str) -> str:
    """A date or instant that people may give: from 1900 to 2199, so that every zone and sum of days still exists.

    Raises ValueError for a year outside.
    """
    if not "1900" <= text[:4] <= "2199":
        raise ValueError(f'"{text}" is out of range; years go from 1900 to 2199')
    return text


def local_date(instant: str, zone_name: str) -> str:
    """The calendar date of an instant in a zone."""
    return parse_instant(instant).astimezone(zone(zone_name)).date().isoformat()


def local_midnight(day: str, zone_name: str) -> str:
    """The instant at which a calendar day begins in a zone."""
    start = datetime.combine(parse_date(day), datetime.min.time(), tzinfo=zone(zone_name))
    return format_instant(start)


def add_days(day: str, days: int) -> str:
    """The date so many days later."""
    return (parse_date(day) + timedelta(days=days)).isoformat()


def month_end(day: str) -> str:
    """The last day of the month of a date."""
    first = parse_date(day).replace(day=1)
    following = (first + timedelta(days=32)).replace(day=1)
    return (following - timedelta(days=1)).isoformat()


def fiscal_quarter(day: str, start_month: int) -> tuple[str, str]:
    """First and last day of the fiscal quarter that holds a date; the year starts in `start_month` (1–12)."""
    moment = parse_date(day)
    into = (moment.month - start_month) % 12 % 3
    month_index = moment.year * 12 + moment.month - 1 - into
    first = date(month_index // 12, month_index % 12 + 1, 1)
    last_month = month_index + 2
    return first.isoformat(), month_end(date(last_month // 12, last_month % 12 + 1, 1).isoformat())


def long_date(day: str) -> str:
    """`2027-05-14` -> `14 May 2027`."""
    moment = parse_date(day)
    return f"{moment.day} {moment:%B %Y}"
