"""Ranges of nights and the least price of a host's calendar (STAY-13). Pure."""

from __future__ import annotations

from ..kit.dates import parse_date
from ..kit.money import exponent
from .rules_stays import nights_between, shifted

FLOOR_UNITS = 10
EVERY_DAY = "1234567"


def price_floor(currency: str) -> int:
    """The least price of a night: 10 units of the listing's currency, in its minor units."""
    return FLOOR_UNITS * int(10 ** exponent(currency))


def nights_on(first: str, last: str, weekdays: str = EVERY_DAY) -> tuple[str, ...]:
    """Nights from the first to the last, both included, that begin on the given ISO weekdays."""
    every = nights_between(first, shifted(last, 1))
    return tuple(night for night in every if str(parse_date(night).isoweekday()) in weekdays)
