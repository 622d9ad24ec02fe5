"""Availability calendars: two months, every cell in words, links that choose check-in and then check-out (STAY-15)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...kit.session import read
from ...kit.web.display import full_date
from .faces import Calendar, Night, counted, first_of, month_of
from .routing import href, round_money

_REASONS = {
    "past": "in the past",
    "blocked": "unavailable, closed by the host",
    "reserved": "unavailable, reserved",
    "window": "unavailable, too far ahead to book",
}


def availability(path: str, listing: str, state: Mapping[str, Any], shown_from: str) -> Calendar:
    """The calendar of a listing page. `state`: what the address holds; `shown_from`: a day of the first month."""
    found = read("stays.calendar", {"listing": listing, "months": 3, **({"from": shown_from} if shown_from else {})})
    first, chosen = found["from"], _chosen(state)
    begin = chosen[0] if len(chosen) == 1 else ""
    nights = _nights(path, found, state, begin)
    this_month = first_of(found["today"])
    back = first_of(first, -2)
    return Calendar(
        label="Availability",
        months=tuple(month_of(first_of(first, n), nights, today=found["today"], chosen=chosen) for n in (0, 1)),
        status=_status(chosen),
        back_href=href(path, state, month=max(back, this_month)[:7]) + "#availability" if first > this_month else "",
        on_href=href(path, state, month=first_of(first, 2)[:7]) + "#availability",
    )


def _chosen(state: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(state[name]) for name in ("checkin", "checkout") if state.get(name))


def _status(chosen: tuple[str, ...]) -> str:
    if not chosen:
        return "Choose your check-in date."
    if len(chosen) == 1:
        return f"Check-in {full_date(chosen[0])}. Now choose your check-out date."
    return f"Check-in {full_date(chosen[0])}, check-out {full_date(chosen[1])}."


def _nights(path: str, found: Mapping[str, Any], state: Mapping[str, Any], begin: str) -> dict[str, Night]:
    nights: dict[str, Night] = {}
    reach = _reach(found, begin)
    for day in found["days"]:
        date = day["date"]
        if begin and begin < date <= reach:
            nights[date] = _end(path, day, state, found["max_nights"])
        elif not day["available"]:
            nights[date] = Night(state=day["reason"], words=_REASONS[day["reason"]])
        else:
            nights[date] = _start(path, day, state)
    return nights


def _reach(found: Mapping[str, Any], begin: str) -> str:
    """The last day on which a stay that begins then may end, as far as the calendar is shown."""
    last = begin
    for day in found["days"]:
        if begin and day["date"] > begin:
            last = day["date"]
            if not day["available"]:
                break
    return last


def _start(path: str, day: Mapping[str, Any], state: Mapping[str, Any]) -> Night:
    price = round_money(day["price"])
    words = f"available, {price}"
    if day["min_nights"] > 1:
        words += f", minimum {counted(day['min_nights'], 'night')}"
    text = price.split(" ")[0]
    if not day["checkin"]:
        return Night(state="free", words=f"{words}, no check-in on this day", text=text)
    link = href(path, state, checkin=day["date"], checkout="", month=state.get("month", "")) + "#availability"
    return Night(state="free", words=words, text=text, href=link)


def _end(path: str, day: Mapping[str, Any], state: Mapping[str, Any], most: int) -> Night:
    """A day on which the stay that was begun may end."""
    if not day["checkout"]:
        return Night(state="unavailable", words="unavailable")
    link = href(path, state, checkout=day["date"]) + "#availability"
    words = (
        "available as check-out"
        if day["available"]
        else f"available as check-out only, night {_REASONS[day['reason']]}"
    )
    return Night(
        state="free", words=words, href=link, text=round_money(day["price"]).split(" ")[0] if day["available"] else ""
    )
