"""Things that stand in rooms: windows, lamps, plants, pictures, rugs, cushions."""

from __future__ import annotations

from .canvas import Canvas, Palette
from .nature import Box, any_sky, leaves, outlook


def window(c: Canvas, p: Palette, box: Box, kind: str, *, curtains: bool = True) -> None:
    """A window with what is seen through it, and curtains at its sides."""
    x, y, w, h = box
    inside = c.clip(f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}"/>')
    c.rect(x - 6, y - 6, w + 12, h + 12, "#fbfaf6", r=2)
    c.add(f'<g clip-path="url(#{inside})">')
    outlook(c, any_sky(c), box, kind)
    c.shape([(x + w * 0.1, y), (x + w * 0.34, y), (x + w * 0.06, y + h), (x - w * 0.18, y + h)], "#ffffff", see=0.13)
    c.add("</g>")
    for part in (1, 2):
        c.rect(x + w * part / 3 - 2, y, 4, h, "#fbfaf6")
    c.rect(x, y + h * 0.32, w, 3.2, "#fbfaf6")
    c.rect(x - 10, y + h + 5, w + 20, 6, "#efe9dd", r=1)
    if curtains:
        for side in (-1, 1):
            _curtain(c, p, x + w / 2 + side * (w / 2 + 8), y - 16, side, h + 44)


def _curtain(c: Canvas, p: Palette, x: float, y: float, side: int, long: float) -> None:
    fill = c.fade((0, p.cloth2, 100), (45, "#ffffff", 100), (100, p.cloth2, 100), across=True)
    left = x if side > 0 else x - 30
    c.rect(left - (6 if side > 0 else 0), y, 36, long, fill, r=2)
    for n in range(1, 5):
        c.line(f"M{left + n * 7:g} {y + 3:g}v{long - 6:g}", "#7a6a58", 1, see=0.14)


def picture(c: Canvas, p: Palette, box: Box) -> None:
    """A framed picture: a landscape of three colours, or two shapes."""
    x, y, w, h = box
    c.rect(x + 2, y + 3, w, h, "#2a1c12", see=0.16)
    c.rect(x, y, w, h, p.wood)
    c.rect(x + 3, y + 3, w - 6, h - 6, "#fbf7ef")
    ix, iy, iw, ih = x + w * 0.17, y + h * 0.15, w * 0.66, h * 0.7
    c.rect(ix, iy, iw, ih, p.cloth2)
    if c.choice.chance(50):
        c.oval(ix + iw * 0.62, iy + ih * 0.36, iw * 0.16, iw * 0.16, p.accent)
        c.path(
            f"M{ix:g} {iy + ih:g}v{-ih * 0.3:g}q{iw * 0.3:g} {-ih * 0.36:g} {iw:g} {-ih * 0.06:g}v{ih * 0.36:g}z",
            p.cloth,
        )
    else:
        c.path(
            f"M{ix + iw * 0.14:g} {iy + ih:g}v{-ih * 0.5:g}"
            f"a{iw * 0.3:g} {iw * 0.3:g} 0 0 1 {iw * 0.6:g} 0v{ih * 0.5:g}z",
            p.accent,
        )
        c.oval(ix + iw * 0.74, iy + ih * 0.26, iw * 0.13, iw * 0.13, p.cloth)


def pot_plant(c: Canvas, p: Palette, x: float, y: float, size: float) -> None:
    """A plant in a pot; y is the ground."""
    c.shadow(x, y, size * 0.3, size * 0.06)
    leaves(c, x, y - size * 0.28, size * 0.72, p.leaf)
    c.path(
        f"M{x - size * 0.16:g} {y - size * 0.32:g}h{size * 0.32:g}l{-size * 0.05:g} {size * 0.32:g}h{-size * 0.22:g}z",
        p.accent,
    )
    c.rect(x - size * 0.18, y - size * 0.34, size * 0.36, size * 0.06, "#ffffff", r=2, see=0.28)


def floor_lamp(c: Canvas, p: Palette, x: float, y: float, tall: float) -> None:
    """A lamp on a stand; y is the ground."""
    c.glow(x, y - tall + 12, 74)
    c.shadow(x, y, 22, 4)
    c.rect(x - 1.6, y - tall + 20, 3.2, tall - 22, p.metal)
    c.oval(x, y - 1, 15, 3, p.metal)
    c.path(f"M{x - 12:g} {y - tall:g}h24l9 30h-42z", c.fade((0, "#fff7e0", 100), (100, "#f3dcae", 100)))


def table_lamp(c: Canvas, p: Palette, x: float, y: float) -> None:
    """A small lamp; y is what it stands on."""
    c.glow(x, y - 34, 52)
    c.path(f"M{x - 5:g} {y:g}c-5 -8 -4 -14 2 -20h6c6 6 7 12 2 20z", p.accent)
    c.path(f"M{x - 11:g} {y - 42:g}h22l7 22h-36z", c.fade((0, "#fff8e4", 100), (100, "#f2dcb0", 100)))


def pendant(c: Canvas, p: Palette, x: float, drop: float) -> None:
    """A lamp that hangs from the ceiling."""
    c.line(f"M{x:g} 0V{drop:g}", "#4a4038", 1.4)
    c.glow(x, drop + 18, 62)
    c.path(f"M{x - 5:g} {drop:g}h10c4 8 16 10 18 22h-46c2 -12 14 -14 18 -22z", p.metal)
    c.oval(x, drop + 22, 15, 4, "#fff3cf")


def cushion(c: Canvas, x: float, y: float, size: float, colour: str) -> None:
    """A cushion that leans on something; x and y are its middle."""
    turn = c.choice.number(-9, 9)
    half = size / 2
    c.add(f'<g transform="translate({x:g} {y:g}) rotate({turn})">')
    c.path(
        f"M{-half:g} {-half:g}Q0 {-half * 0.82:g} {half:g} {-half:g}Q{half * 0.84:g} 0 {half:g} {half:g}"
        f"Q0 {half * 0.86:g} {-half:g} {half:g}Q{-half * 0.84:g} 0 {-half:g} {-half:g}Z", colour,
    )  # fmt: skip
    c.line(
        f"M{-half * 0.55:g} {-half * 0.5:g}Q0 {-half * 0.3:g} {half * 0.55:g} {-half * 0.5:g}", "#ffffff", 1.2, see=0.4
    )
    c.add("</g>")


def rug(c: Canvas, p: Palette, x: float, y: float, w: float, h: float) -> None:
    """A rug in perspective."""
    edge = w * 0.13
    c.shape([(x + edge, y), (x + w - edge, y), (x + w, y + h), (x, y + h)], p.cloth2)
    c.shape(
        [(x + edge * 1.2, y + h * 0.1), (x + w - edge * 1.2, y + h * 0.1),
         (x + w - edge * 0.4, y + h * 0.9), (x + edge * 0.4, y + h * 0.9)],
        p.accent, see=0.3,
    )  # fmt: skip
    for n in range(1, 4):
        at = y + h * (0.1 + 0.2 * n)
        c.line(f"M{x + edge * (1.1 - 0.25 * n):g} {at:g}H{x + w - edge * (1.1 - 0.25 * n):g}", p.cloth, 2.4, see=0.5)


def shelf(c: Canvas, p: Palette, x: float, y: float, wide: float) -> None:
    """A board on the wall with books, a bowl and a plant."""
    c.rect(x, y, wide, 5, p.wood, r=1)
    c.rect(x, y + 5, wide, 4, "#2a1c12", see=0.12)
    at: float = x + 6
    for colour in (p.cloth, p.accent, p.cloth2, p.wood, p.cloth, p.accent):
        thick, tall = c.choice.number(5, 9), c.choice.number(22, 34)
        c.rect(at, y - tall, thick, tall, colour)
        at += thick + 0.6
    c.path(f"M{x + wide - 56:g} {y - 9:g}h24c0 6 -5 9 -12 9s-12 -3 -12 -9z", p.metal)
    leaves(c, x + wide - 16, y - 8, 24, p.leaf, count=7)
    c.path(f"M{x + wide - 23:g} {y - 10:g}h14l-2 10h-10z", "#fbf7ef")
