"""Relative dates (CRM-6): TODAY, THIS FISCAL QUARTER, LAST 30 DAYS, in the viewer's zone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta

from ...kit.call import Context
from ...kit.dates import add_days, fiscal_quarter, local_midnight, month_end, parse_date

# Countries whose weeks begin on Sunday; everywhere else they begin on Monday
_SUNDAY = frozenset({"US", "CA", "MX", "BR", "CO", "JP", "KR", "TW", "HK", "IL", "IN", "PH", "ZA"})
_UNITS = "WEEK|MONTH|QUARTER|FISCAL QUARTER|YEAR|FISCAL YEAR"
_NAMED = re.compile(rf"(THIS|LAST|NEXT) ({_UNITS})")
_DAYS = re.compile(r"(LAST|NEXT) (\d{1,4}) DAYS?")
_SINGLE = {"TODAY": 0, "YESTERDAY": -1, "TOMORROW": 1}
FORMS = (
    "TODAY, YESTERDAY, TOMORROW, THIS|LAST|NEXT WEEK|MONTH|QUARTER|FISCAL QUARTER|YEAR|FISCAL YEAR, "
    "LAST n DAYS (today included), NEXT n DAYS (from tomorrow)"
)


@dataclass(frozen=True)
class Period:
    """Calendar days from `first` to `last`, both included; `until_now`: of today only what has passed."""

    first: str
    last: str
    until_now: bool = False

    def instants(self, ctx: Context) -> tuple[str, str]:
        """The first instant of the period and the first after it: local midnights as UTC."""
        tz = ctx.person["tz"]
        return local_midnight(self.first, tz), local_midnight(add_days(self.last, 1), tz)


def _shift_month(day: str, months: int) -> str:
    moment = parse_date(day)
    index = moment.year * 12 + moment.month - 1 + months
    return moment.replace(year=index // 12, month=index % 12 + 1, day=1).isoformat()


def _months(first: str, size: int, shift: int) -> Period:
    start = _shift_month(first, size * shift)
    return Period(start, month_end(_shift_month(start, size - 1)))


def _week(today: str, shift: int, locale: str) -> Period:
    moment = parse_date(today)
    starts_sunday = locale.replace("-", "_").rsplit("_", 1)[-1].upper() in _SUNDAY
    into = (moment.weekday() + 1) % 7 if starts_sunday else moment.weekday()
    first = (moment - timedelta(days=into) + timedelta(days=7 * shift)).isoformat()
    return Period(first, add_days(first, 6))


def _named(ctx: Context, today: str, shift: int, unit: str) -> Period:
    if unit == "WEEK":
        return _week(today, shift, ctx.person["locale"])
    if unit == "MONTH":
        return _months(_shift_month(today, 0), 1, shift)
    fiscal_start = int(ctx.store.meta("fiscal_start_month")) if unit.startswith("FISCAL") else 1
    if unit.endswith("QUARTER"):
        return _months(fiscal_quarter(today, fiscal_start)[0], 3, shift)
    into = (parse_date(today).month - fiscal_start) % 12
    return _months(_shift_month(today, -into), 12, shift)


def spelled(text: str) -> str:
    """A relative date in its canonical spelling: `last_30 day` -> `LAST 30 DAYS`."""
    words = re.sub(r"[\s_:]+", " ", text).strip().upper()
    found = _DAYS.fullmatch(words)
    return f"{found[1]} {int(found[2])} DAYS" if found else words


def read_period(ctx: Context, text: str) -> Period | None:
    """The period a text such as `LAST 30 DAYS` names today, or None where it names none."""
    words = re.sub(r"[\s_:]+", " ", text).strip().upper()
    today = ctx.today
    if words in _SINGLE:
        day = add_days(today, _SINGLE[words])
        return Period(day, day)
    if found := _DAYS.fullmatch(words):
        count = int(found[2])
        if found[1] == "LAST":
            return Period(add_days(today, -count), today, until_now=True)
        return Period(add_days(today, 1), add_days(today, count)) if count else None
    if found := _NAMED.fullmatch(words):
        return _named(ctx, today, {"LAST": -1, "THIS": 0, "NEXT": 1}[found[1]], found[2])
    return None


def fiscal_quarter_of(ctx: Context, day: str) -> tuple[str, str]:
    """First and last day of the company's fiscal quarter that holds a day."""
    return fiscal_quarter(day, int(ctx.store.meta("fiscal_start_month")))


def period_of(ctx: Context, day: str, unit: str) -> Period:
    """The WEEK, MONTH, QUARTER, FISCAL QUARTER, YEAR or FISCAL YEAR that holds a day, as the person counts weeks."""
    return _named(ctx, day, 0, unit)
