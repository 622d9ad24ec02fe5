"""Numbers and derived columns of cases (CRM-8): statuses, service levels in business minutes, first response.

The clocks of a case run from its creation, in the hours of its service level, and stand while it waits for the
customer or is closed. A stop counts in whole business minutes, each rounded down.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from ..kit.dates import add_seconds, format_instant, parse_instant, zone
from ..kit.roles import Reader, Row

NEW, WORKING, WAITING, ESCALATED, CLOSED = "New", "Working", "Waiting on Customer", "Escalated", "Closed"
STATUSES = (NEW, WORKING, WAITING, ESCALATED, CLOSED)
STOPPED = frozenset({WAITING, CLOSED})
HIGH = "High"
REOPEN_DAYS = 14
NUMBER_DIGITS = 8
_DAY_MINUTES = 24 * 60


@dataclass(frozen=True)
class Level:
    """A service level: its targets in business minutes, and its hours in minutes after midnight by weekday."""

    first_response: int
    resolution: int
    opens: int
    closes: int
    weekdays: tuple[int, ...]


SERVICE_ZONE = "Europe/Berlin"  # the service desk sits in Hamburg
LEVELS: dict[str, Level] = {
    "Gold": Level(60, 8 * 60, 0, _DAY_MINUTES, (0, 1, 2, 3, 4, 5, 6)),
    "Silver": Level(4 * 60, 24 * 60, 7 * 60, 19 * 60, (0, 1, 2, 3, 4)),
    "Bronze": Level(8 * 60, 40 * 60, 9 * 60, 17 * 60, (0, 1, 2, 3, 4)),
}


def number_text(number: int) -> str:
    """The visible number: 8 digits."""
    return f"{number:0{NUMBER_DIGITS}d}"


def may_reopen(closed_at: str, now: str) -> bool:
    """Whether a customer's mail opens a closed case again: it was closed 14 days ago at most."""
    return now <= add_seconds(closed_at, REOPEN_DAYS * 86_400)


def _wall(day: date, minutes: int) -> datetime:
    """The instant at which a clock on the wall of the service desk shows so many minutes after midnight."""
    shown = datetime.combine(day + timedelta(days=minutes // _DAY_MINUTES), time(), tzinfo=zone(SERVICE_ZONE))
    return (shown + timedelta(minutes=minutes % _DAY_MINUTES)).astimezone(UTC)


def _open_spells(level: Level, start: datetime) -> Iterator[tuple[datetime, datetime]]:
    """The spells in which a level's clock runs, from an instant on; endless."""
    day = start.astimezone(zone(SERVICE_ZONE)).date()
    while True:
        if day.weekday() in level.weekdays:
            opens, closes = _wall(day, level.opens), _wall(day, level.closes)
            if closes > start:
                yield max(opens, start), closes
        day += timedelta(days=1)


def due_after(start: str, minutes: int, level: Level) -> str:
    """The instant at which so many business minutes are over."""
    left = timedelta(minutes=minutes)
    for opens, closes in _open_spells(level, parse_instant(start)):
        if left <= closes - opens:
            return format_instant(opens + left)
        left -= closes - opens
    raise AssertionError("there is always another working day")


def business_minutes(start: str, end: str, level: Level) -> int:
    """Whole business minutes from one instant to a later one."""
    last, total = parse_instant(end), timedelta()
    for opens, closes in _open_spells(level, parse_instant(start)):
        if opens >= last:
            break
        total += min(closes, last) - opens
    return int(total.total_seconds()) // 60


def _status_changes(state: Reader, case_id: str) -> list[Row]:
    rows = (row for row in state.select("crm_field_history", record_id=case_id) if row["field"] == "status")
    return sorted(rows, key=lambda row: (str(row["changed_at"]), str(row["id"])))


def _stops(state: Reader, row: Row) -> Iterator[tuple[str, str]]:
    """When a case began and ceased to stand waiting or closed; the present stop is not among them."""
    changes = _status_changes(state, row["id"])
    first = changes[0]["old_value"] if changes else row["status"]
    since = row["created_at"] if first in STOPPED else None
    for change in changes:
        stops = change["new_value"] in STOPPED
        if stops and since is None:
            since = change["changed_at"]
        elif not stops and since is not None:
            yield since, change["changed_at"]
            since = None


def _minutes_of(stops: Iterable[tuple[str, str]], level: Level) -> int:
    return sum(business_minutes(start, end, level) for start, end in stops)


def paused_minutes(state: Reader, row: Row) -> int:
    """Business minutes that a case stood waiting or closed, the present stop not included."""
    level = LEVELS.get(row["sla_tier"] or "")
    return 0 if level is None else _minutes_of(_stops(state, row), level)


def was_escalated(state: Reader, row: Row) -> int:
    """Whether a case is escalated, or ever was."""
    changes = _status_changes(state, row["id"])
    return int(row["status"] == ESCALATED or any(change["old_value"] == ESCALATED for change in changes))


def first_response(state: Reader, row: Row) -> str | None:
    """The first public comment or outbound e-mail of a case."""
    moments = [item["created_at"] for item in state.select("crm_case_comment", case_id=row["id"], is_public=1)]
    moments += [item["sent_at"] for item in state.select("crm_email_message", what_id=row["id"], direction="out")]
    return min(moments, default=None)


def first_response_due(state: Reader, row: Row) -> str | None:
    """When the first response is due, put off by stops before it; None without a service level."""
    level = LEVELS.get(row["sla_tier"] or "")
    if level is None:
        return None
    answered = row["first_response_at"]
    stops = ((start, end) for start, end in _stops(state, row) if answered is None or end <= answered)
    return due_after(row["created_at"], level.first_response + _minutes_of(stops, level), level)


def resolution_due(_state: Reader, row: Row) -> str | None:
    """When the case is to be closed, put off by every stop; None without a service level."""
    level = LEVELS.get(row["sla_tier"] or "")
    return None if level is None else due_after(row["created_at"], level.resolution + row["paused_minutes"], level)


def gapless(table: str, digits: int) -> Any:
    """A derived role's function: the number that follows the one given last, in a table without gaps."""

    def derive(state: Reader, row: Row) -> str:
        given = row["number"]
        if given is not None:
            before = next(iter(state.select(table, number=f"{int(given) - 1:0{digits}d}")), None)
            is_next = int(given) == 1 if before is None else before["created_at"] <= row["created_at"]
            if is_next and len(given) == digits:
                return str(given)
        others = sum(1 for other in state.select(table) if other["id"] != row["id"])
        return f"{others + 1:0{digits}d}"

    return derive
