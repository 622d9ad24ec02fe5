"""The integer rules of zones agree with the zone database, and working moments are working moments."""

from datetime import UTC, date, datetime, timedelta

import pytest

from deskgym_apps.kit.dates import zone
from deskgym_seeds.localtime import (
    add_workdays,
    instant_of,
    instant_text,
    is_workday,
    local_date,
    offset_minutes,
    to_utc,
    workday_from,
    working_moment,
    zones,
)
from deskgym_seeds.streams import Stream


@pytest.mark.parametrize("name", [name for name in zones() if name != "Africa/Casablanca"])
def test_offsets_agree_with_the_zone_database(name: str) -> None:
    """Rules may be changed by law; the days compared are those of the worlds' first years."""
    database = zone(name)
    moment = datetime(2027, 1, 1, 0, 30)
    while moment < datetime(2029, 1, 1):
        aware = moment.replace(tzinfo=UTC).astimezone(database).utcoffset()
        assert aware is not None
        assert offset_minutes(name, moment) == aware.total_seconds() // 60, moment
        moment += timedelta(hours=2)


def test_local_times_come_back() -> None:
    for name in zones():
        local = datetime(2031, 7, 14, 9, 30)
        instant = to_utc(local, name)
        assert instant + timedelta(minutes=offset_minutes(name, instant)) == local
        assert local_date(name, instant) == date(2031, 7, 14)


def test_workdays_leave_out_weekends_and_holidays() -> None:
    assert not is_workday(date(2031, 7, 4), "AMER")
    assert is_workday(date(2031, 7, 4), "EMEA")
    assert workday_from(date(2031, 7, 5), "EMEA") == date(2031, 7, 7)
    assert add_workdays(date(2031, 7, 4), 3, "EMEA") == date(2031, 7, 9)
    assert add_workdays(date(2031, 7, 9), -3, "EMEA") == date(2031, 7, 4)


def test_working_moments_lie_in_the_day_of_the_zone() -> None:
    stream = Stream("t", "moments")
    for name in ("America/Los_Angeles", "Asia/Singapore", "Europe/Berlin"):
        for _ in range(50):
            moment = working_moment(stream, date(2031, 3, 12), name)
            local = moment + timedelta(minutes=offset_minutes(name, moment))
            assert local.date() == date(2031, 3, 12)
            assert 7 <= local.hour < 19


def test_instants_are_written_and_read() -> None:
    assert instant_text(datetime(2031, 3, 14, 9)) == "2031-03-14T09:00:00Z"
    assert instant_of("2031-03-14T09:00:00Z") == datetime(2031, 3, 14, 9)
