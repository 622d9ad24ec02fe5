"""Maps of places: the same box, the same land, water and streets; prices stand on it as links (look.md, Stays)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .pictures.canvas import Choice

WIDTH, HEIGHT = 600, 720
_EDGE = 44
_SHORE = 260
_LEAST_E6 = 9_000


@dataclass(frozen=True)
class Box:
    """A part of the world in millionths of a degree: south, west, north, east."""

    s: int
    w: int
    n: int
    e: int

    def around(self, spots: Sequence[tuple[int, int]]) -> Box:
        """The box that just holds these (lat, lng), or this one where there are none; never narrower than a quarter."""
        if not spots:
            return self.widened()
        lats, lngs = [lat for lat, _ in spots], [lng for _, lng in spots]
        return Box(min(lats), min(lngs), max(lats), max(lngs)).widened()

    def widened(self) -> Box:
        """At least some hundred metres each way."""
        up = max(0, _LEAST_E6 - (self.n - self.s)) // 2
        out = max(0, _LEAST_E6 - (self.e - self.w)) // 2
        return Box(self.s - up, self.w - out, self.n + up, self.e + out)

    def text(self) -> str:
        """`s,w,n,e`, as an address holds it."""
        return f"{self.s},{self.w},{self.n},{self.e}"


def spot(box: Box, lat_e6: int, lng_e6: int) -> tuple[int, int]:
    """Where a point stands on the drawing of a box."""
    x = _EDGE + (lng_e6 - box.w) * (WIDTH - 2 * _EDGE) // max(1, box.e - box.w)
    y = HEIGHT - _EDGE - (lat_e6 - box.s) * (HEIGHT - 2 * _EDGE) // max(1, box.n - box.s)
    return min(WIDTH - 8, max(8, x)), min(HEIGHT - 8, max(8, y))


@dataclass(frozen=True)
class Pin:
    """One price on a map: a link, named in full."""

    x: int
    y: int
    text: str
    name: str
    href: str
    is_here: bool = False

    @property
    def width(self) -> int:
        """How wide its label is drawn."""
        return 24 + 9 * len(self.text)


@dataclass(frozen=True)
class Ground:
    """What a map shows beneath its pins: shapes by class, as SVG paths, drawn in this order."""

    paths: tuple[tuple[str, str], ...]


def _wave(choice: Choice, start: int, *, down: bool) -> str:
    """A shore or river across the map, from edge to edge."""
    length, steps = (HEIGHT, 5) if down else (WIDTH, 5)
    at = start
    d = f"M{at} -20" if down else f"M-20 {at}"
    for step in range(1, steps + 1):
        to = at + choice.number(-60, 60)
        here, mid = length * step // steps + 20, length * (2 * step - 1) // (2 * steps)
        d += f"C{at} {mid} {to} {mid} {to} {here}" if down else f"C{mid} {at} {mid} {to} {here} {to}"
        at = to
    return d


def _streets(choice: Choice, gap: int, slant: int) -> str:
    """A net of streets, slightly aslant, with some left out."""
    d = ""
    for at in range(-HEIGHT, WIDTH + HEIGHT, gap):
        if choice.chance(82):
            x = at + choice.number(-8, 8)
            d += f"M{x} -10L{x + slant * 4} {HEIGHT + 10}"
        if choice.chance(82):
            y = at + choice.number(-8, 8)
            d += f"M-10 {y}L{WIDTH + 10} {y - slant * 3}"
    return d


def ground(name: str, most_west: int = WIDTH) -> Ground:
    """The land of a place: blocks and streets, parks, a river, and for some a shore.

    `most_west`: where the first thing stands on it from the west; a shore stays away from there.
    """
    choice = Choice(f"map|{name}")
    paths: list[tuple[str, str]] = []
    slant = choice.number(-30, 30)
    for _ in range(choice.number(4, 6)):
        x, y, w, h = choice.number(0, 520), choice.number(0, 640), choice.number(60, 150), choice.number(50, 130)
        paths.append(
            ("map-park", f"M{x} {y}q{w // 2} {-h // 5} {w} 0q{w // 6} {h // 2} 0 {h}q{-w // 2} {h // 6} {-w} 0z")
        )
    paths.append(("map-lane", _streets(choice, choice.number(34, 42), slant)))
    paths.append(("map-street", _streets(choice, choice.number(116, 150), slant)))
    if choice.chance(60):
        paths.append(("map-river-edge", _wave(choice, choice.number(160, 560), down=False)))
        paths.append(("map-river", paths[-1][1]))
    if choice.chance(55):
        shore = _wave(choice, choice.number(60, 130), down=True)
        if most_west < _SHORE:
            shore = _wave(Choice(f"shore|{name}"), -400, down=True)  # out of sight
        paths.append(("map-water", f"{shore}L-40 {HEIGHT + 20}L-40 -20Z"))
    paths.append(("map-road-edge", _wave(choice, choice.number(220, 460), down=True)))
    paths.append(("map-road", paths[-1][1]))
    return Ground(tuple(paths))


def laid_out(pins: Sequence[Pin]) -> tuple[Pin, ...]:
    """Pins moved apart until none covers another, from north to south; those that cannot move stay."""
    placed: list[Pin] = []
    for pin in sorted(pins, key=lambda one: (one.y, one.x, one.name)):
        x, y = min(WIDTH - pin.width // 2 - 4, max(pin.width // 2 + 4, pin.x)), max(20, pin.y)
        for _ in range(24):
            other = next(
                (p for p in placed if abs(p.x - x) < (p.width + pin.width) // 2 + 4 and abs(p.y - y) < 38), None
            )
            if other is None:
                break
            y = other.y + 38
            if y > HEIGHT - 16:
                x, y = (x + pin.width + 6) % (WIDTH - pin.width) + pin.width // 2, 20
        placed.append(Pin(x, y, pin.text, pin.name, pin.href, pin.is_here))
    return tuple(placed)
