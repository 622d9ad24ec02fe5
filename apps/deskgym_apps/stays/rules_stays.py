"""Nights, dates and hours of stays (STAY-1, STAY-2, STAY-8, STAY-13, STAY-14). Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from ..kit.dates import format_instant, parse_date, parse_instant, zone
from .rules_prices import MONTHLY_NIGHTS, Party

LONG_STAY = "long_stay"
NON_REFUNDABLE = "non_refundable"
LONGEST_STAY = 365


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a stay is not possible. `field`: the input it is about; `message` says what would be right."""

    code: str
    field: str
    message: str


@dataclass(frozen=True, slots=True)
class StayRules:
    """What a listing asks of stays. `weekdays`: ISO weekdays on which they may begin, as digits."""

    min_nights: int = 1
    max_nights: int = 365
    weekdays: str = "1234567"
    advance_notice_days: int = 0
    window_days: int = 365
    prep_days: int = 0

    @classmethod
    def of(cls, listing: Mapping[str, Any]) -> StayRules:
        """The rules that a row of `stays_listing` holds."""
        return cls(
            listing["min_nights"],
            listing["max_nights"],
            listing["checkin_weekdays"],
            listing["advance_notice_days"],
            listing["window_days"],
            listing["prep_days"],
        )


def nights_between(checkin: str, checkout: str) -> tuple[str, ...]:
    """The nights of a stay, `checkin` to the night before `checkout` (STAY-1)."""
    start, count = date.fromisoformat(checkin), days_between(checkin, checkout)
    return tuple((start + timedelta(days=step)).isoformat() for step in range(count))


def days_between(earlier: str, later: str) -> int:
    """Whole days from one date to another."""
    return (date.fromisoformat(later) - date.fromisoformat(earlier)).days


def conflict(one: tuple[str, str], other: tuple[str, str], prep_days: int = 0) -> bool:
    """Whether two stays (checkin, checkout) need the same night, with so many days between them kept free."""
    return shifted(one[0], -prep_days) < other[1] and other[0] < shifted(one[1], prep_days)


def shifted(day: str, days: int) -> str:
    """The date so many days later."""
    return day if not days else (date.fromisoformat(day) + timedelta(days=days)).isoformat()


_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def weekday_names(weekdays: str) -> str:
    """`"56"` -> `Friday or Saturday`."""
    names = [_WEEKDAYS[int(digit) - 1] for digit in sorted(set(weekdays))]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def counted(count: int, thing: str) -> str:
    """`1, "night"` -> `1 night`; `2, "night"` -> `2 nights`."""
    return f"{count} {thing}{'' if count == 1 else 's'}"


def date_faults(rules: StayRules, checkin: str, checkout: str, today: str, min_override: int | None) -> list[Fault]:
    """What speaks against the dates, the calendar apart (STAY-8). `min_override`: that of the check-in night."""
    count = days_between(checkin, checkout)
    if count < 1:
        return [Fault("dates", "checkout", f"checkout {checkout} must be after checkin {checkin}")]
    found = []
    if checkin < today:
        found.append(Fault("past", "checkin", f"checkin {checkin} is past; today is {today} at the listing"))
    least = rules.min_nights if min_override is None else min_override
    if count < least:
        said = f"the minimum is {counted(least, 'night')} from {checkin}, not {count}"
        found.append(Fault("min_nights", "checkout", said))
    if count > rules.max_nights:
        said = f"the maximum is {counted(rules.max_nights, 'night')}, not {count}"
        found.append(Fault("max_nights", "checkout", said))
    if str(date.fromisoformat(checkin).isoweekday()) not in rules.weekdays:
        said = f"check-in is on {weekday_names(rules.weekdays)} only, and {checkin} is a {parse_date(checkin):%A}"
        found.append(Fault("weekday", "checkin", said))
    if 0 <= days_between(today, checkin) < rules.advance_notice_days:
        said = f"the host wants {counted(rules.advance_notice_days, 'day')} of notice"
        found.append(Fault("advance_notice", "checkin", f"{said}: from {shifted(today, rules.advance_notice_days)} on"))
    if days_between(today, checkout) - 1 > rules.window_days:
        last = shifted(today, rules.window_days)
        said = f"nights can be booked up to {rules.window_days} days ahead, the last one is {last}"
        found.append(Fault("window", "checkout", said))
    return found


def party_faults(listing: Mapping[str, Any], party: Party, service_animals: int = 0) -> list[Fault]:
    """What speaks against the guests (STAY-2)."""
    found = []
    if party.guests > listing["max_guests"]:
        said = f"at most {counted(listing['max_guests'], 'guest')}, adults and children together, not {party.guests}"
        found.append(Fault("capacity", "adults", said))
    if party.infants > listing["max_infants"]:
        found.append(Fault("infants", "infants", f"at most {counted(listing['max_infants'], 'infant')}"))
    pets = party.pets - service_animals
    if pets > 0 and not listing["pets_allowed"]:
        found.append(Fault("pets", "pets", "pets are not allowed here"))
    elif pets > listing["max_pets"]:
        found.append(Fault("pets", "pets", f"at most {counted(listing['max_pets'], 'pet')}"))
    return found


def applying_policy(policy_code: str, rate_plan: str, count: int) -> str:
    """The policy of a stay: non-refundable with that rate plan, long stay from 28 nights on, else the listing's."""
    if rate_plan == "nonrefundable":
        return NON_REFUNDABLE
    return LONG_STAY if count >= MONTHLY_NIGHTS else policy_code


def local_instant(day: str, hour: str, tz: str) -> str:
    """The instant of a day and hour (HH:MM) by the clock of a zone."""
    return format_instant(datetime.combine(parse_date(day), time.fromisoformat(hour), tzinfo=zone(tz)))


def hour_text(hour: str) -> str:
    """`15:00` -> `3:00 PM`."""
    clock = time.fromisoformat(hour)
    return f"{clock.hour % 12 or 12}:{clock.minute:02d} {'AM' if clock.hour < 12 else 'PM'}"


def zone_place(tz: str) -> str:
    """What people call a zone: `Europe/Lisbon` -> `Lisbon`."""
    return tz.rpartition("/")[2].replace("_", " ")


def deadline_text(instant: str, tz: str) -> str:
    """`3:00 PM on Sat 7 June, Lisbon time` (STAY-14)."""
    local = parse_instant(instant).astimezone(zone(tz))
    return f"{hour_text(f'{local:%H:%M}')} on {local:%a} {local.day} {local:%B}, {zone_place(tz)} time"


def stretches(nights: Sequence[str], free: Callable[[str], bool]) -> list[tuple[str, str]]:
    """Runs of free nights as (first night, day after the last)."""
    found: list[tuple[str, str]] = []
    for night in nights:
        if not free(night):
            continue
        following = shifted(night, 1)
        if found and found[-1][1] == night:
            found[-1] = (found[-1][0], following)
        else:
            found.append((night, following))
    return found
