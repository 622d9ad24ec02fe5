"""What an address says of a stay: place, dates, guests and filters, read as people type them and written back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from flask import request

from ...kit.entry import read_date, read_integer, read_number
from ...kit.session import filler
from .faces import Guests

GUESTS = ("adults", "children", "infants", "pets")
DATES = ("checkin", "checkout")


@dataclass
class Asked:
    """Arguments of a query as an address gives them, the texts as typed, and what could not be read."""

    values: dict[str, Any] = field(default_factory=dict)
    typed: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)

    def guests(self, most: Mapping[str, int] | None = None) -> Guests:
        """The guests as the steppers show them."""
        shown = {name: self.typed.get(name) or ("1" if name == "adults" else "0") for name in GUESTS}
        errors = {name: text for name, text in self.errors.items() if name in GUESTS}
        return Guests(**shown, errors=errors, most=dict(most or {}))

    @property
    def stay(self) -> tuple[str, str] | None:
        """Check-in and check-out, where both were given and read."""
        found = tuple(self.values[name] for name in DATES if name in self.values)
        return (found[0], found[1]) if len(found) == 2 and found[0] < found[1] else None

    def party(self) -> dict[str, int]:
        """Guests that are not the usual, for addresses."""
        return {name: self.values[name] for name in GUESTS if self.values.get(name, 1 if name == "adults" else 0)}


def read_stay(given: Mapping[str, str] | None = None) -> Asked:
    """Dates and guests of the address, or of a posted form."""
    source = request.args if given is None else given
    asked = Asked()
    for name in (*DATES, *GUESTS):
        text = source.get(name, "").strip()
        asked.typed[name] = text
        if not text:
            continue
        try:
            asked.values[name] = (
                read_date(text, filler().locale) if name in DATES else read_integer(text, filler().locale)
            )
        except ValueError as error:
            asked.errors[name] = str(error)
        else:
            asked.typed[name] = str(asked.values[name])
    return asked


def read_service_animals(asked: Asked, source: Mapping[str, str]) -> None:
    """How many of the pets are service animals: no fee, always allowed (STAY-2)."""
    text = asked.typed["service_animals"] = source.get("service_animals", "").strip()
    if text:
        try:
            number = read_integer(text, filler().locale)
        except ValueError as error:
            asked.errors["service_animals"] = str(error)
        else:
            asked.typed["service_animals"] = str(number)
            if number:
                asked.values["service_animals"] = number


def read_amounts(asked: Asked, *names: str) -> None:
    """Prices and ratings of the address."""
    for name in names:
        text = asked.typed[name] = request.args.get(name, "").strip()
        if not text:
            continue
        try:
            asked.values[name] = read_number(text, filler().locale)
        except ValueError as error:
            asked.errors[name] = str(error)


def read_words(asked: Asked, *names: str) -> None:
    """Texts of the address."""
    for name in names:
        text = asked.typed[name] = request.args.get(name, "").strip()[:120]
        if text:
            asked.values[name] = text


def read_numbers(asked: Asked, *names: str) -> None:
    """Whole numbers of the address."""
    for name in names:
        text = asked.typed[name] = request.args.get(name, "").strip()
        if not text:
            continue
        try:
            asked.values[name] = read_integer(text, filler().locale)
        except ValueError as error:
            asked.errors[name] = str(error)


def read_switches(asked: Asked, *names: str) -> None:
    """Boxes that are ticked."""
    for name in names:
        text = request.args.get(name, "")
        if text == "1":
            asked.values[name], asked.typed[name] = True, "1"
        elif text:
            asked.errors[name] = f"{name} is 1 or left out"
