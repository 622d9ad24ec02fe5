"""Real cities, and addresses, telephone numbers and positions that agree with them.

A record samples a *place* and derives the rest, so that postcode, area code, zone, currency and region never
contradict each other. Telephone numbers come from ranges kept for fiction where a country has one (North America
555-0100 to 555-0199, the British, German, French, Swedish and Australian drama ranges) and elsewhere from blocks
that the numbering plan does not assign; all are stored as E.164 (CRM-9 f).
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from .streams import Stream
from .tables import cells

_LETTERS: Final = "AEHNPRTXY"
_CLASSES: Final = {"#": "[0-9]", "%": "[1-9]", "@": f"[{_LETTERS}]"}
_CITY_RADIUS: Final = 40_000


@dataclass(frozen=True, slots=True)
class Country:
    """``region`` is EMEA, AMER or APAC; ``cultures`` are (name culture, weight) pairs of its people."""

    iso: str
    name: str
    currency: str
    locale: str
    region: str
    calling_code: str
    street_line: str
    cultures: tuple[tuple[str, int], ...]
    mobiles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """A city. Latitude and longitude in millionths of a degree; ``weight`` grows with business done there."""

    key: str
    city: str
    state: str | None
    country: Country
    zone: str
    latitude: int
    longitude: int
    weight: int
    street_set: str
    postcodes: tuple[str, ...]
    telephones: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Address:
    """A postal address; ``state`` and ``postcode`` are None where the country has none."""

    street: str
    city: str
    state: str | None
    postcode: str | None
    country: str


@cache
def countries() -> dict[str, Country]:
    """Every country by its ISO 3166 code."""
    out = {}
    for iso, name, currency, locale, region, code, street_line, cultures, mobiles in cells("countries.txt"):
        pairs = (pair.split(":") for pair in cultures.split())
        mix = tuple((culture, int(weight)) for culture, weight in pairs)
        out[iso] = Country(iso, name, currency, locale, region, code, street_line, mix, tuple(mobiles.split()))
    return out


@cache
def places() -> dict[str, Place]:
    """Every place by its key, in the order of ``data/places.txt``."""
    return {row[0]: _place(row) for row in cells("places.txt")}


def _place(row: tuple[str, ...]) -> Place:
    key, city, state, iso, zone, latitude, longitude, weight, streets, postcodes, telephones = row
    return Place(
        key, city, state or None, countries()[iso], zone, int(latitude), int(longitude), int(weight), streets,
        tuple(part for part in postcodes.split(",") if part), tuple(telephones.split()),
    )  # fmt: skip


@cache
def street_names() -> dict[str, tuple[str, ...]]:
    """Street names by street set."""
    pairs = (row[0].split(":", 1) for row in cells("streets.txt"))
    return {title: tuple(name.strip() for name in names.split(";")) for title, names in pairs}


def draw_place(stream: Stream, region: str | None = None) -> Place:
    """A place by weight, from one region or from all."""
    chosen = (place for place in places().values() if region in (None, place.country.region))
    return stream.weighted([(place, place.weight) for place in chosen])


def address(place: Place, stream: Stream) -> Address:
    """An address in the city: street and number in the local order, a postcode of the city."""
    street = place.country.street_line.format(
        street=stream.choice(street_names()[place.street_set]),
        number=_house_number(place, stream),
        small=stream.uniform_int(1, 9),
        mid=stream.uniform_int(1, 24),
        small2=stream.uniform_int(1, 18),
    )
    postcode = fill(stream.choice(place.postcodes), stream) if place.postcodes else None
    return Address(street, place.city, place.state, postcode, place.country.name)


def _house_number(place: Place, stream: Stream) -> int:
    if place.country.region == "AMER" and stream.chance(700):
        return stream.uniform_int(100, 4999)
    return min(stream.lognormal(34, 900), 480) + 1


def telephone(place: Place, stream: Stream) -> str:
    """A fixed-line number of the city, E.164."""
    return fill(stream.choice(place.telephones), stream)


def mobile(place: Place, stream: Stream) -> str:
    """A mobile number of the country, E.164; where mobiles have area codes, one of the city."""
    return fill(stream.choice(place.country.mobiles or place.telephones), stream)


def position(place: Place, stream: Stream) -> tuple[int, int]:
    """Latitude and longitude inside the city, in millionths of a degree."""
    spread = _CITY_RADIUS
    return (place.latitude + stream.uniform_int(-spread, spread), place.longitude + stream.uniform_int(-spread, spread))


def fill(pattern: str, stream: Stream) -> str:
    """The pattern with ``#`` a digit, ``%`` a digit from 1 and ``@`` a letter that every postcode plan allows."""
    out = []
    for sign in pattern:
        if sign == "#":
            out.append(str(stream.uniform_int(0, 9)))
        elif sign == "%":
            out.append(str(stream.uniform_int(1, 9)))
        elif sign == "@":
            out.append(stream.choice(_LETTERS))
        else:
            out.append(sign)
    return "".join(out)


def fits(text: str, patterns: tuple[str, ...]) -> bool:
    """Whether the text could have come from one of the patterns."""
    return any(_compiled(pattern).fullmatch(text) for pattern in patterns)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile("".join(_CLASSES.get(sign) or re.escape(sign) for sign in pattern))
