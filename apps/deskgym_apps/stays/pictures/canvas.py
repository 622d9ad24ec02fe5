"""What every picture is drawn with: choices by seed, shapes as text, palettes, light and shadow."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")
WIDTH, HEIGHT = 600, 400


class Choice:
    """Choices that depend on a name alone: the same name, the same picture, on any machine."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._count = 0

    def number(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        self._count += 1
        digest = hashlib.sha256(f"{self._name}|{self._count}".encode()).digest()
        return low + int.from_bytes(digest[:8]) % (high - low + 1)

    def of(self, options: Sequence[T]) -> T:
        """One of the options."""
        return options[self.number(0, len(options) - 1)]

    def chance(self, percent: int) -> bool:
        """True so many times in a hundred."""
        return self.number(1, 100) <= percent


@dataclass(frozen=True)
class Palette:
    """The colours of a room: wall and its shade, floor and its joints, wood, two textiles, an accent, a metal."""

    wall: str
    shade: str
    floor: str
    joint: str
    wood: str
    cloth: str
    cloth2: str
    accent: str
    leaf: str = "#5f8a5b"
    metal: str = "#c9a15a"


PALETTES = (
    Palette("#f2e9dc", "#e2d4c0", "#c9a276", "#b58c60", "#a87447", "#5d7f86", "#e9e2d6", "#d9805a"),
    Palette("#e8ecea", "#d3dad8", "#b9a48c", "#a48e75", "#8a6c4f", "#d7a692", "#f4efe8", "#3f6f73"),
    Palette("#dfe7ea", "#c7d4d9", "#d2b48c", "#bd9d73", "#9c7a52", "#f0ebe2", "#8fa9b0", "#e0a458"),
    Palette("#f5efe6", "#e7dccb", "#a87f5b", "#946c4a", "#7b5637", "#7d8c68", "#efe7d8", "#c4694d"),
    Palette("#e9dfd6", "#d8c8ba", "#8f6f57", "#7d5f49", "#6d4e3a", "#b65c4a", "#eee0cf", "#324f5e"),
    Palette("#eef0ea", "#dbe0d4", "#d8c3a3", "#c5ad8a", "#b08a5d", "#3d5a6c", "#dfe5e3", "#e2b74d"),
    Palette("#f7f3ee", "#e8e0d5", "#bb9a7a", "#a68564", "#94714f", "#c98f8f", "#f1e6e0", "#5c7a6b"),
    Palette("#d6dfd9", "#c0ccc4", "#c4a27b", "#ae8b64", "#8b6a48", "#f3ede2", "#6f8f86", "#cf7648"),
)


@dataclass(frozen=True)
class Sky:
    """A time of day: sky from top to horizon, sun, far and near hills, water, sunlit and shaded stone."""

    top: str
    low: str
    sun: str
    far: str
    near: str
    water: str
    water2: str
    cloud: str
    glow: int = 0
    """How many of a hundred windows are lit."""


SKIES = (
    Sky("#5aa6d6", "#d8eef6", "#fff6d8", "#9dbfcb", "#6f9b86", "#3f93ac", "#7cc0cf", "#ffffff"),
    Sky("#3f8fcb", "#bfe3f2", "#fffbe6", "#8fb4c6", "#5f9277", "#2e86a8", "#63b3c9", "#ffffff"),
    Sky("#7fb4d8", "#fbe6cb", "#ffe9ae", "#b9a7a8", "#8a8f74", "#5c9fb4", "#f0cfa8", "#fff4e4", 10),
    Sky("#6a78b0", "#f7b98b", "#ffd58a", "#a0839b", "#6d6478", "#5b7299", "#f0ae86", "#f9d3b8", 55),
    Sky("#e59a7b", "#fbe0b8", "#fff0bf", "#c58f80", "#8c7468", "#c08a80", "#fbd7a6", "#fdebd2", 35),
    Sky("#2f4a78", "#c48fa0", "#ffcf9c", "#5f6088", "#3f4766", "#3c5580", "#b98aa0", "#8f86ac", 80),
    Sky("#8fb7cc", "#e6eef0", "#ffffff", "#a9bcc2", "#7c9788", "#6fa2b2", "#b9d3d8", "#f7fbfc"),
)


@dataclass
class Canvas:
    """An SVG in the making: shapes in the order drawn, and the gradients they name."""

    choice: Choice
    shapes: list[str] = field(default_factory=list)
    defs: list[str] = field(default_factory=list)

    def fade(self, *stops: tuple[int, str, int], across: bool = False, round_: bool = False) -> str:
        """A gradient as a fill. `stops`: percent of the way, colour, opacity in percent."""
        name = f"g{len(self.defs)}"
        inner = "".join(
            f'<stop offset="{at}%" stop-color="{colour}"'
            + (f' stop-opacity="{seen / 100:g}"/>' if seen < 100 else "/>")
            for at, colour, seen in stops
        )
        if round_:
            self.defs.append(f'<radialGradient id="{name}">{inner}</radialGradient>')
        else:
            way = 'x2="1" y2="0"' if across else 'x2="0" y2="1"'
            self.defs.append(f'<linearGradient id="{name}" x1="0" y1="0" {way}>{inner}</linearGradient>')
        return f"url(#{name})"

    def clip(self, shape: str) -> str:
        """A clipping path of one shape; its name."""
        name = f"c{len(self.defs)}"
        self.defs.append(f'<clipPath id="{name}">{shape}</clipPath>')
        return name

    def add(self, shape: str) -> None:
        """Draw SVG text."""
        self.shapes.append(shape)

    def rect(self, x: float, y: float, w: float, h: float, fill: str, *, r: float = 0, see: float = 1) -> None:
        """A rectangle, with round corners of radius `r`."""
        self.add(f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" fill="{fill}"{_round(r)}{_seen(see)}/>')

    def oval(self, x: float, y: float, rx: float, ry: float, fill: str, *, see: float = 1) -> None:
        """An ellipse about a point."""
        self.add(f'<ellipse cx="{x:g}" cy="{y:g}" rx="{rx:g}" ry="{ry:g}" fill="{fill}"{_seen(see)}/>')

    def shape(self, points: Sequence[tuple[float, float]], fill: str, *, see: float = 1) -> None:
        """A polygon."""
        told = " ".join(f"{x:g},{y:g}" for x, y in points)
        self.add(f'<polygon points="{told}" fill="{fill}"{_seen(see)}/>')

    def path(self, d: str, fill: str, *, see: float = 1) -> None:
        """A filled path."""
        self.add(f'<path d="{d}" fill="{fill}"{_seen(see)}/>')

    def line(self, d: str, colour: str, width: float = 1, *, see: float = 1) -> None:
        """A drawn path."""
        self.add(
            f'<path d="{d}" fill="none" stroke="{colour}" stroke-width="{width:g}" stroke-linecap="round"{_seen(see)}/>'
        )

    def shadow(self, x: float, y: float, rx: float, ry: float, see: int = 34) -> None:
        """The soft shadow that a thing casts on the ground."""
        self.oval(
            x, y, rx, ry, self.fade((0, "#2a1c12", see), (55, "#2a1c12", see // 2), (100, "#2a1c12", 0), round_=True)
        )

    def glow(self, x: float, y: float, r: float, colour: str = "#fff1c4", see: int = 70) -> None:
        """Light about a lamp."""
        self.oval(x, y, r, r, self.fade((0, colour, see), (40, colour, see // 3), (100, colour, 0), round_=True))

    def svg(self, title: str) -> str:
        """The whole picture. `title` is its alternative text."""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
            f' preserveAspectRatio="xMidYMid slice" role="img"><title>{title}</title>'
            f"<defs>{''.join(self.defs)}</defs>{''.join(self.shapes)}</svg>"
        )


def _seen(see: float) -> str:
    return "" if see >= 1 else f' opacity="{see:g}"'


def _round(r: float) -> str:
    return f' rx="{r:g}"' if r else ""
