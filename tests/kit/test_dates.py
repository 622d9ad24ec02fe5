"""Instants and dates (X-2): exact texts, zones from tzdata, months and fiscal quarters."""

from __future__ import annotations

import time

import pytest

from deskgym_apps.kit import dates


@pytest.mark.parametrize(
    "text",
    [
        "2031-03-14", "2031-03-14T09:00:00", "2031-03-14T09:00:00+00:00", "2031-03-14t09:00:00z", 
        "2031-03-14T24:00:00Z", "２０31-03-14T09:00:00Z",
        "2031-02-29T09:00:00Z", "2031-03-14T09:60:00Z", " 2031-03-14T09:00:00Z", "2031-03-14T09:00:00.5Z", "",
    ],
)  # fmt: skip
def test_x2_only_an_exact_instant_is_one(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the words differ between our check and the calendar's
        dates.parse_instant(text)


@pytest.mark.parametrize(
    "text", ["2031-2-3", "20310203", "2031-02-29", "2031-13-01", "2031-W05-1", "２０３１-01-01", ""]
)
def test_x2_only_an_exact_date_is_one(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the words differ between our check and the calendar's
        dates.parse_date(text)


@pytest.mark.parametrize(
    ("instant", "zone", "day"),
    [
        ("2031-03-14T23:30:00Z", "Europe/Berlin", "2031-03-15"),
        ("2031-03-14T23:30:00Z", "UTC", "2031-03-14"),
        ("2031-03-15T03:30:00Z", "America/New_York", "2031-03-14"),
        ("2031-03-14T10:00:00Z", "Pacific/Kiritimati", "2031-03-15"),
        ("2031-07-01T21:59:59Z", "Europe/Berlin", "2031-07-01"),
        ("2031-07-01T22:00:00Z", "Europe/Berlin", "2031-07-02"),
    ],
)
def test_x2_today_is_the_date_in_the_persons_zone(instant: str, zone: str, day: str) -> None:
    assert dates.local_date(instant, zone) == day


def test_x2_a_day_begins_at_midnight_of_its_zone_across_clock_changes() -> None:
    assert dates.local_midnight("2031-03-30", "Europe/Berlin") == "2031-03-29T23:00:00Z"
    assert dates.local_midnight("2031-03-31", "Europe/Berlin") == "2031-03-30T22:00:00Z"
    assert dates.local_midnight("2031-03-14", "Asia/Kolkata") == "2031-03-13T18:30:00Z"


@pytest.mark.parametrize("name", ["Mars/Base", "../../etc/passwd", "/etc/localtime", "Europe/../UTC", "", "Europe"])
def test_x2_an_unknown_zone_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="time zone"):
        dates.zone(name)


def test_days_and_months_are_counted_by_the_calendar() -> None:
    assert dates.add_days("2032-02-28", 1) == "2032-02-29"
    assert dates.add_days("2031-12-31", 1) == "2032-01-01"
    assert dates.add_days("2031-03-01", -1) == "2031-02-28"
    assert [dates.month_end(f"2032-{month:02d}-15")[-2:] for month in (1, 2, 4, 12)] == ["31", "29", "30", "31"]
    assert dates.add_seconds("2031-12-31T23:59:59Z", 1) == "2032-01-01T00:00:00Z"
    assert dates.long_date("2027-05-04") == "4 May 2027"


@pytest.mark.parametrize(
    ("day", "start", "quarter"),
    [
        ("2025-05-14", 2, ("2025-05-01", "2025-07-31")),
        ("2025-01-31", 2, ("2024-11-01", "2025-01-31")),
        ("2025-02-01", 2, ("2025-02-01", "2025-04-30")),
        ("2025-05-14", 1, ("2025-04-01", "2025-06-30")),
        ("2025-12-31", 4, ("2025-10-01", "2025-12-31")),
        ("2025-11-01", 12, ("2025-09-01", "2025-11-30")),
        ("2026-01-15", 12, ("2025-12-01", "2026-02-28")),
    ],
)
def test_the_fiscal_quarter_of_a_date(day: str, start: int, quarter: tuple[str, str]) -> None:
    assert dates.fiscal_quarter(day, start) == quarter


def test_the_zone_of_the_machine_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    time.tzset()
    try:
        assert dates.format_instant(dates.parse_instant("2031-03-14T09:00:00Z")) == "2031-03-14T09:00:00Z"
        assert dates.local_midnight("2031-03-14", "UTC") == "2031-03-14T00:00:00Z"
    finally:
        monkeypatch.undo()
        time.tzset()
