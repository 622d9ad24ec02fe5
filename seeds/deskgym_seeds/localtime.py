"""Local time and working hours by integer rules, so that a world does not depend on the machine's zone data.

Only what seeds need: the offset of a zone at an instant, and moments in somebody's working day. The rules are those
in force from 2027 on, without Morocco's month of winter time; ``tests/seeds/test_localtime.py``
compares them with the zone database.
"""

from datetime import date, datetime, timedelta
from functools import cache
from typing import Final

from .streams import Stream

_STANDARD: Final = {
    "America/New_York": (-300, "us"), "America/Detroit": (-300, "us"), "America/Toronto": (-300, "us"),
    "America/Chicago": (-360, "us"), "America/Denver": (-420, "us"), "America/Edmonton": (-360, ""),
    "America/Phoenix": (-420, ""), "America/Los_Angeles": (-480, "us"), "America/Vancouver": (-420, ""),
    "America/Mexico_City": (-360, ""), "America/Monterrey": (-360, ""), "America/Sao_Paulo": (-180, ""),
    "America/Argentina/Buenos_Aires": (-180, ""), "America/Santiago": (-240, "cl"), "America/Bogota": (-300, ""),
    "Europe/London": (0, "eu"), "Europe/Dublin": (0, "eu"), "Europe/Lisbon": (0, "eu"),
    "Europe/Berlin": (60, "eu"), "Europe/Vienna": (60, "eu"), "Europe/Zurich": (60, "eu"),
    "Europe/Amsterdam": (60, "eu"), "Europe/Brussels": (60, "eu"), "Europe/Paris": (60, "eu"),
    "Europe/Madrid": (60, "eu"), "Europe/Rome": (60, "eu"), "Europe/Copenhagen": (60, "eu"),
    "Europe/Stockholm": (60, "eu"), "Europe/Oslo": (60, "eu"), "Europe/Warsaw": (60, "eu"),
    "Europe/Prague": (60, "eu"), "Europe/Budapest": (60, "eu"), "Europe/Helsinki": (120, "eu"),
    "Europe/Bucharest": (120, "eu"), "Europe/Athens": (120, "eu"), "Europe/Istanbul": (180, ""),
    "Asia/Jerusalem": (120, "il"), "Asia/Dubai": (240, ""), "Asia/Riyadh": (180, ""),
    "Africa/Johannesburg": (120, ""), "Africa/Lagos": (60, ""), "Africa/Nairobi": (180, ""),
    "Africa/Cairo": (120, "eg"), "Africa/Casablanca": (60, ""), "Asia/Tokyo": (540, ""),
    "Asia/Seoul": (540, ""), "Asia/Shanghai": (480, ""), "Asia/Taipei": (480, ""), "Asia/Hong_Kong": (480, ""),
    "Asia/Singapore": (480, ""), "Asia/Kuala_Lumpur": (480, ""), "Asia/Bangkok": (420, ""),
    "Asia/Ho_Chi_Minh": (420, ""), "Asia/Jakarta": (420, ""), "Asia/Manila": (480, ""),
    "Asia/Kolkata": (330, ""), "Australia/Sydney": (600, "au"), "Australia/Melbourne": (600, "au"),
    "Australia/Brisbane": (600, ""), "Australia/Perth": (480, ""), "Pacific/Auckland": (720, "nz"),
}  # fmt: skip

# Rule: start and end of summer time as (month, earliest day or 0 for the last such weekday, weekday, hour), the hour
# after midnight of that day in standard local time, or in UTC where the last item is True.
_RULES: Final = {
    "us": ((3, 8, 6, 2), (11, 1, 6, 1), False),
    "eu": ((3, 0, 6, 1), (10, 0, 6, 1), True),
    "au": ((10, 1, 6, 2), (4, 1, 6, 2), False),
    "nz": ((9, 0, 6, 2), (4, 1, 6, 2), False),
    "cl": ((9, 2, 6, 4), (4, 2, 6, 3), True),
    "il": ((3, 23, 4, 2), (10, 0, 6, 1), False),
    "eg": ((4, 0, 4, 0), (10, 0, 3, 23), False),
}

# Share of working-day activity by local hour from 7 to 18: mornings and mid-afternoons are busy.
_HOURS: Final = tuple(zip(range(7, 19), (1, 9, 15, 17, 14, 6, 9, 14, 14, 11, 6, 2), strict=True))
_CLOSED_DAYS: Final = {(1, 1), (12, 24), (12, 25), (12, 26), (12, 31)}
_CLOSED_DAYS_BY_REGION: Final = {
    "AMER": {(7, 4), (7, 5), (1, 2)},
    "EMEA": {(5, 1), (1, 6)},
    "APAC": {(8, 9), (5, 1)},
}


def zones() -> tuple[str, ...]:
    """The zones that a place or a person may have."""
    return tuple(_STANDARD)


def offset_minutes(zone: str, instant: datetime) -> int:
    """Minutes east of UTC in the zone at a (naive, UTC) instant; KeyError if the zone is unknown."""
    standard, rule = _STANDARD[zone]
    if not rule:
        return standard
    start, end = _transitions(rule, standard, instant.year)
    summer = start <= instant < end if start < end else not end <= instant < start
    return standard + 60 if summer else standard


@cache
def _transitions(rule: str, standard: int, year: int) -> tuple[datetime, datetime]:
    start, end, in_utc = _RULES[rule]
    shift = timedelta(0) if in_utc else timedelta(minutes=standard)
    return _change(year, *start) - shift, _change(year, *end) - shift


def _change(year: int, month: int, day: int, weekday: int, hour: int) -> datetime:
    if day:
        earliest = datetime(year, month, day)
    else:
        earliest = datetime(year + month // 12, month % 12 + 1, 1) - timedelta(days=7)
    return earliest + timedelta(days=(weekday - earliest.weekday()) % 7, hours=hour)


def to_utc(local: datetime, zone: str) -> datetime:
    """The UTC instant of a local wall-clock time; times skipped or doubled by a change count as standard time."""
    guess = local - timedelta(minutes=_STANDARD[zone][0])
    return local - timedelta(minutes=offset_minutes(zone, guess))


def local_date(zone: str, instant: datetime) -> date:
    """The calendar date in the zone at a (naive, UTC) instant (X-2 "today")."""
    return (instant + timedelta(minutes=offset_minutes(zone, instant))).date()


def is_workday(day: date, region: str) -> bool:
    """Monday to Friday and no holiday of the region (EMEA, AMER or APAC)."""
    key = (day.month, day.day)
    return day.weekday() < 5 and key not in _CLOSED_DAYS and key not in _CLOSED_DAYS_BY_REGION[region]


def workday_from(day: date, region: str) -> date:
    """The day itself if it is a working day, else the next one."""
    while not is_workday(day, region):
        day += timedelta(days=1)
    return day


def add_workdays(day: date, count: int, region: str) -> date:
    """The working day ``count`` working days after (or, if negative, before) the day."""
    step = timedelta(days=1 if count >= 0 else -1)
    for _ in range(abs(count)):
        day += step
        while not is_workday(day, region):
            day += step
    return day


def working_moment(stream: Stream, day: date, zone: str) -> datetime:
    """A UTC instant within the zone's working hours of that day, to the second."""
    hour = stream.weighted(_HOURS)
    local = datetime(day.year, day.month, day.day, hour, stream.uniform_int(0, 59), stream.uniform_int(0, 59))
    return to_utc(local, zone)


def instant_text(instant: datetime) -> str:
    """``YYYY-MM-DDTHH:MM:SSZ`` of a naive UTC instant (X-2)."""
    return instant.isoformat(timespec="seconds") + "Z"


def instant_of(text: str) -> datetime:
    """The naive UTC instant of a stored text (X-2)."""
    return datetime.fromisoformat(text.removesuffix("Z"))
