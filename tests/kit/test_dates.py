"""X-2: instants, dates and zones."""

from __future__ import annotations

import pytest

from deskgym_apps.kit.dates import (
    add_days,
    add_seconds,
    fiscal_quarter,
    local_date,
    local_midnight,
    month_end,
    parse_date,
    parse_instant,
    zone,
)


@pytest.mark.parametrize(
    "text", ["2031-03-14 09:00:00Z", "2031-03-14T09:00Z", "2031-03-14T24:00:00Z", "2031-02-30T09:00:00Z"]
)
def test_x2_an_instant_has_one_form(text: str) -> None:
    with pytest.raises(ValueError, match=r"instant|day"):
        parse_instant(text)


@pytest.mark.parametrize("text", ["2031-2-3", "14.03.2031", "2031-02-29", "٢٠٣١-٠٣-١٤"])
def test_x2_a_date_has_one_form_and_exists(text: str) -> None:
    with pytest.raises(ValueError, match=r"date|day|isoformat"):
        parse_date(text)


def test_x2_a_day_depends_on_the_zone() -> None:
    assert local_date("2031-03-14T23:30:00Z", "Pacific/Auckland") == "2031-03-15"
    assert local_date("2031-03-14T02:30:00Z", "America/New_York") == "2031-03-13"


def test_x2_a_day_begins_at_local_midnight_on_both_sides_of_a_clock_change() -> None:
    assert local_midnight("2031-03-30", "Europe/Berlin") == "2031-03-29T23:00:00Z"
    assert local_midnight("2031-03-31", "Europe/Berlin") == "2031-03-30T22:00:00Z"


@pytest.mark.parametrize("name", ["Europe/Nowhere", "../../etc/passwd", "/etc/passwd", ""])
def test_an_unknown_zone_is_an_error(name: str) -> None:
    with pytest.raises(ValueError, match="time zone"):
        zone(name)


def test_steps_cross_months_and_leap_years() -> None:
    assert add_seconds("2031-12-31T23:59:59Z", 1) == "2032-01-01T00:00:00Z"
    assert add_days("2032-02-28", 1) == "2032-02-29"
    assert [month_end(day) for day in ("2031-02-10", "2032-02-10", "2031-12-31")] == [
        "2031-02-28", "2032-02-29", "2031-12-31",
    ]  # fmt: skip


def test_a_fiscal_quarter_starts_with_the_fiscal_year() -> None:
    assert fiscal_quarter("2031-03-14", 1) == ("2031-01-01", "2031-03-31")
    assert fiscal_quarter("2031-03-14", 2) == ("2031-02-01", "2031-04-30")
    assert fiscal_quarter("2031-01-15", 12) == ("2030-12-01", "2031-02-28")
