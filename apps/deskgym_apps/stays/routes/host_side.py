"""The calendars of all of a host's listings side by side, two weeks at a time (row 16)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from flask import request

from ...kit.dates import add_days, parse_date
from ...kit.entry import read_date
from ...kit.session import filler, read
from ...kit.web.display import DAYS, full_date
from .faces import counted, short_date, span
from .hosting import HOST, host_page, need_host
from .routing import blueprint, href, round_money

SIDE = f"{HOST}/calendar/all"
NIGHTS = 14
_WORDS = {"free": "open", "blocked": "blocked", "preparation": "kept free for preparation", "past": "in the past"}
_SHORT = {"blocked": "Blocked", "preparation": "Prep", "past": ""}


@dataclass(frozen=True, kw_only=True)
class Cell:
    """Nights in a row of which one thing is said: `name` in full, `text` as it stands in the grid."""

    nights: int
    name: str
    text: str
    state: str
    href: str = ""


@dataclass(frozen=True, kw_only=True)
class Stretch:
    """A line of the list that says the same as the grid."""

    dates: str
    state: str
    price: str
    stays: tuple[tuple[str, str], ...] = ()


@blueprint.get("/host/calendar/all")
def side_by_side() -> tuple[str, int]:
    """Every listed or snoozed listing as a row, the nights as columns, and the same as a list."""
    me = need_host()
    typed, fault = request.args.get("from", "").strip(), ""
    first = me["today"]
    if typed:
        try:
            first = read_date(typed, filler().locale)
        except ValueError as error:
            fault = str(error)
    last = add_days(first, NIGHTS - 1)
    found = read("stays.host_calendar_view", {"from": first, "to": last})["listings"]
    days = [add_days(first, ahead) for ahead in range(NIGHTS)]
    return host_page(
        "stays/host_side.html",
        "calendar",
        422 if fault else 200,
        heading=span(first, last),
        typed=typed if fault else first,
        fault=fault,
        days=[_head(day, me["today"]) for day in days],
        rows=[_row(one, first) for one in found],
        back_href=href(SIDE, {"from": add_days(first, -NIGHTS)}),
        on_href=href(SIDE, {"from": add_days(first, NIGHTS)}),
        today_href=SIDE,
    )


def _head(day: str, today: str) -> dict[str, Any]:
    moment = parse_date(day)
    return {
        "name": full_date(day),
        "weekday": DAYS[moment.weekday()][:2],
        "number": moment.day,
        "is_today": day == today,
        "is_weekend": moment.weekday() in (4, 5),
    }


def _row(one: Mapping[str, Any], first: str) -> dict[str, Any]:
    guests = {stay["code"]: stay["guest"] for stay in one["reservations"]}
    return {
        "id": one["id"],
        "title": one["title"],
        "currency": one["currency"],
        "href": href(f"{HOST}/calendar", {"listing": one["id"], "month": first[:7]}),
        "cells": [_cell(nights, guests) for nights in _runs(one["nights"], is_grid=True)],
        "stretches": [_stretch(nights, guests) for nights in _runs(one["nights"], is_grid=False)],
    }


def _runs(nights: Sequence[Mapping[str, Any]], *, is_grid: bool) -> list[list[Mapping[str, Any]]]:
    """Nights that belong together: of the grid those of one stay, of the list all of which the same is said."""

    def key(night: Mapping[str, Any]) -> tuple[Any, ...]:
        if is_grid and len(night["codes"]) != 1:
            return (night["night"],)
        told = (night["status"], *night["codes"])
        return told if night["codes"] else (*told, night["price"]["amount"])

    return [list(group) for _, group in groupby(nights, key)]


def _dates(nights: Sequence[Mapping[str, Any]]) -> str:
    """`Fri 14 May 2033`, or first and last night."""
    first, last = nights[0]["night"], nights[-1]["night"]
    return short_date(first, year=True) if first == last else f"{short_date(first)} to {short_date(last, year=True)}"


def _cell(nights: Sequence[Mapping[str, Any]], guests: Mapping[str, str]) -> Cell:
    night, codes = nights[0], nights[0]["codes"]
    when, price = _dates(nights), round_money(night["price"])
    if len(codes) == 1:
        (code,) = codes
        who = guests.get(code, "Reserved")
        name = f"{when}, {who}, {code}"
        return Cell(nights=len(nights), name=name, text=who, state="reserved", href=f"/stays/trips/{code}")
    if codes:
        told = counted(len(codes), "stay")
        return Cell(nights=1, name=f"{when}, {told}: {', '.join(codes)}, {price}", text=told, state="reserved")
    name = f"{when}, {_WORDS[night['status']]}, {price}" + (f", note: {night['note']}" if night["note"] else "")
    text = _SHORT.get(night["status"], price.split(" ")[0])
    return Cell(nights=1, name=name, text=text, state=night["status"])


def _stretch(nights: Sequence[Mapping[str, Any]], guests: Mapping[str, str]) -> Stretch:
    night = nights[0]
    state = "Reserved" if night["codes"] else _WORDS[night["status"]].capitalize()
    prices = {one["price"]["amount"] for one in nights}
    return Stretch(
        dates=_dates(nights),
        state=state,
        price=round_money(night["price"]) if len(prices) == 1 else "several prices",
        stays=tuple((code, f"{guests.get(code, 'Guest')}, {code}") for code in night["codes"]),
    )
