"""Reading what a person types: dates, times and numbers as they write them, and as ISO (accessibility.md, Dates).

Text that two readings of the person's locale take differently is refused, never guessed.
"""

from __future__ import annotations

import re
from datetime import date, datetime
from decimal import Decimal

from .dates import format_instant, parse_date, parse_instant, zone
from .money import doubt

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_FULL = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_DAY_MONTH = re.compile(r"(\d{1,2})\.? ([a-z]+)\.?,? (\d{4})", re.ASCII)
_MONTH_DAY = re.compile(r"([a-z]+)\.? (\d{1,2}),? (\d{4})", re.ASCII)
_YEAR_FIRST = re.compile(r"(\d{4})([/.\-])(\d{1,2})\2(\d{1,2})", re.ASCII)
_YEAR_LAST = re.compile(r"(\d{1,2})([/.\-])(\d{1,2})\2(\d{4})", re.ASCII)
_MOMENT = re.compile(r"(.*?[^\s,])(?:\s*,\s*|\s+|[Tt])(\d{1,2}:\d{2}.*)", re.DOTALL | re.ASCII)
_TIME = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?\s*(am|pm)?\s*(z|utc)?", re.ASCII)
_MONTH_FIRST = ("en_US", "en_PH")
_NO_ORDER = ("en", "en_CA", "ja", "ko", "zh", "hu", "sv")
_COMMA = ("cs", "da", "de", "el", "es", "fi", "fr", "hu", "id", "it", "nb", "nl", "pl", "pt", "ro", "sv", "tr", "vi")
_POINT_THERE = ("de_CH", "es_MX")
_GROUP_SPACES = re.compile(r"(?<=\d)[ \u00a0\u2009\u202f'’](?=\d{3}(?!\d))", re.ASCII)
_POINT_READING = re.compile(r"-?(\d+|[1-9]\d{0,2}(,\d{3})+)(\.\d+)?", re.ASCII)
_COMMA_READING = re.compile(r"-?(\d+|[1-9]\d{0,2}(\.\d{3})+)(,\d+)?", re.ASCII)


def date_order(locale: str) -> str | None:
    """`dmy`, `mdy`, or None where a locale has no one order of numbers with the year last."""
    locale = locale.replace("-", "_")
    if locale in _MONTH_FIRST:
        return "mdy"
    return None if locale in _NO_ORDER or locale.split("_")[0] in _NO_ORDER[2:] else "dmy"


def decimal_comma(locale: str) -> bool:
    """Whether people of a locale write decimals after a comma."""
    locale = locale.replace("-", "_")
    return locale not in _POINT_THERE and locale.split("_")[0] in _COMMA


def _existing(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None


def _month(word: str) -> int | None:
    if word in _FULL:
        return _FULL.index(word) + 1
    short = word if word != "sept" else "sep"
    return _MONTHS.index(short) + 1 if short in _MONTHS else None


def _spelled(text: str) -> str | None:
    if found := _DAY_MONTH.fullmatch(text):
        day, word, year = found.groups()
    elif found := _MONTH_DAY.fullmatch(text):
        word, day, year = found.groups()
    else:
        return None
    month = _month(word)
    return None if month is None else _existing(int(year), month, int(day))


def _numeric(text: str, locale: str) -> str | None:
    if found := _YEAR_FIRST.fullmatch(text):
        return _existing(int(found[1]), int(found[3]), int(found[4]))
    found = _YEAR_LAST.fullmatch(text)
    if found is None:
        return None
    first, second, year = int(found[1]), int(found[3]), int(found[4])
    day_first, month_first = _existing(year, second, first), _existing(year, first, second)
    order = date_order(locale)
    if order is not None:
        return day_first if order == "dmy" else month_first
    if day_first and month_first and day_first != month_first:
        raise ValueError(f'"{text}" can mean {day_first} or {month_first}; write it like {day_first}')
    return day_first or month_first


def read_date(text: str, locale: str) -> str:
    """`YYYY-MM-DD` of `2027-05-14`, `14 May 2027`, `May 14, 2027` or numbers in the locale's order.

    Raises ValueError where the text is no date, or could be two.
    """
    plain = " ".join(text.lower().split())
    day = _spelled(plain) or _numeric(plain, locale)
    if day is None:
        orders = {"dmy": "14/05/2027", "mdy": "05/14/2027", None: "14 May 2027"}
        raise ValueError(f'"{text.strip()}" is not a date; write it like 2027-05-14 or {orders[date_order(locale)]}')
    return day


def _clock_time(text: str) -> tuple[int, int, int, bool]:
    found = _TIME.fullmatch(" ".join(text.lower().split()))
    if found is None:
        raise ValueError(f'"{text.strip()}" is not a time; write it like 09:30 or 14:05')
    hour, minute, second = int(found[1]), int(found[2]), int(found[3] or 0)
    if found[4]:
        if not 1 <= hour <= 12:
            raise ValueError(f'"{text.strip()}" is not a time; with am or pm the hour is 1 to 12')
        hour = hour % 12 + (12 if found[4] == "pm" else 0)
    if hour > 23 or minute > 59 or second > 59:
        raise ValueError(f'"{text.strip()}" is not a time; write it like 09:30 or 14:05')
    return hour, minute, second, bool(found[5])


def read_instant(text: str, locale: str, zone_name: str) -> str:
    """The instant of a date and a time of day in a zone, `2027-05-14 09:30`; a time that ends in `Z` is UTC.

    Raises ValueError for a time that the zone's clocks skip that day. Of a repeated hour the first counts.
    """
    found = _MOMENT.fullmatch(text.strip())
    if found is None:
        raise ValueError(f'"{text.strip()}" is not a date and time; write it like 2027-05-14 09:30')
    day = parse_date(read_date(found[1], locale))
    hour, minute, second, utc = _clock_time(found[2])
    there = zone("Etc/UTC" if utc else zone_name)
    moment = datetime(day.year, day.month, day.day, hour, minute, second, tzinfo=there)
    instant = format_instant(moment)
    if parse_instant(instant).astimezone(there).replace(tzinfo=None) != moment.replace(tzinfo=None):
        raise ValueError(f"{text.strip()} does not exist in {zone_name}: the clocks go forward over it")
    return instant


def written_instant(instant: str, zone_name: str) -> str:
    """A date and time of day that `read_instant` reads back to this instant."""
    there = parse_instant(instant).astimezone(zone(zone_name))
    if there.fold:
        return f"{instant[:10]} {instant[11:19]}Z"
    return there.strftime("%Y-%m-%d %H:%M:%S" if there.second else "%Y-%m-%d %H:%M")


def _canonical(number: Decimal) -> str:
    return format(number.normalize(), "f") if number else "0"


def _readings(text: str, locale: str) -> list[Decimal]:
    """Every number that a text can mean to people of a locale, smallest first."""
    bare = _GROUP_SPACES.sub("", text.strip().replace("−", "-"))
    found = set()
    if _POINT_READING.fullmatch(bare):
        found.add(Decimal(bare.replace(",", "")))
    if decimal_comma(locale) and _COMMA_READING.fullmatch(bare):
        found.add(Decimal(bare.replace(".", "").replace(",", ".")))
    return sorted(found, key=abs)


def read_number(text: str, locale: str) -> str:
    """Canonical decimal text (`12345.67`) of a number with or without grouping.

    Raises ValueError where the text is no number, or could be two.
    """
    readings = _readings(text, locale)
    if not readings:
        example = "12345,67 or 12.345,67" if decimal_comma(locale) else "12345.67 or 12,345.67"
        raise ValueError(doubt(text) or f'"{text.strip()}" is not a number; write it like {example}')
    if len(readings) > 1:
        low, high = (_canonical(number) for number in readings)
        raise ValueError(f'"{text.strip()}" can mean {low} or {high}; write {high}, or {low}0')
    return _canonical(readings[0])


def read_integer(text: str, locale: str) -> int:
    """A whole number. Raises ValueError for anything else."""
    whole = [number for number in _readings(text, locale) if number == number.to_integral_value()]
    if len(whole) != 1:
        raise ValueError(doubt(text) or f'"{text.strip()}" is not a whole number; write it like 12345')
    return int(whole[0])
