"""Skies, hills, water, towns, trees and plants: what stands outside, and in windows."""

from __future__ import annotations

from .canvas import HEIGHT, SKIES, WIDTH, Canvas, Sky

Box = tuple[float, float, float, float]
"""x, y, width, height."""


def sky(c: Canvas, s: Sky, box: Box = (0, 0, WIDTH, HEIGHT), *, sun: bool = True) -> None:
    """The sky of a box with its sun and some clouds."""
    x, y, w, h = box
    c.rect(x, y, w, h, c.fade((0, s.top, 100), (78, s.low, 100)))
    if sun:
        at, up = x + w * c.choice.number(15, 85) / 100, y + h * c.choice.number(14, 34) / 100
        c.oval(at, up, h * 0.3, h * 0.3, c.fade((0, s.sun, 85), (35, s.sun, 35), (100, s.sun, 0), round_=True))
        c.oval(at, up, h * 0.052, h * 0.052, s.sun)
    for _ in range(c.choice.number(2, 4)):
        cloud(
            c,
            s,
            x + w * c.choice.number(4, 86) / 100,
            y + h * c.choice.number(7, 32) / 100,
            h * c.choice.number(7, 14) / 100,
        )


def cloud(c: Canvas, s: Sky, x: float, y: float, size: float) -> None:
    """A long flat cloud."""
    for dx, dy, r in ((0, 0, 0.9), (0.9, -0.16, 1.2), (2.0, 0.02, 0.95), (2.9, 0.1, 0.6)):
        c.oval(x + dx * size, y + dy * size, r * size, r * size * 0.34, s.cloud, see=0.62)


def hills(c: Canvas, box: Box, low: float, high: float, colour: str, *, see: float = 1, ends: bool = False) -> None:
    """A range of hills over the width of a box; `low` and `high` are heights of the crest above its bottom.

    `ends`: it runs down to the ground at the right, as a headland does.
    """
    x, y, w, h = box
    steps, bottom = 6, y + h
    heights = [bottom - c.choice.number(int(low), int(max(high, low + 1))) for _ in range(steps + 1)]
    if ends:
        heights[-1] = bottom
    d = f"M{x:g} {bottom:g}V{heights[0]:g}"
    for n in range(steps):
        a, b = x + w * n / steps, x + w * (n + 1) / steps
        m = (a + b) / 2
        d += f"C{m:g} {heights[n]:g} {m:g} {heights[n + 1]:g} {b:g} {heights[n + 1]:g}"
    c.path(f"{d}V{bottom:g}Z", colour, see=see)


def peaks(c: Canvas, box: Box, high: float, colour: str, snow: str) -> None:
    """Mountains with snow on them."""
    x, y, w, h = box
    bottom = y + h
    at = x - w * 0.1
    while at < x + w:
        wide = w * c.choice.number(26, 40) / 100
        tall = high * c.choice.number(65, 100) / 100
        top, mid = bottom - tall, at + wide / 2
        c.shape([(at, bottom), (mid, top), (at + wide, bottom)], colour)
        c.shape([(mid, top), (at + wide, bottom), (mid + wide * 0.08, bottom)], "#20303c", see=0.14)
        cut = tall * 0.28
        side = wide / 2 * 0.28
        c.shape(
            [(mid, top), (mid + side, top + cut), (mid + side * 0.4, top + cut * 0.72), (mid, top + cut * 1.12),
             (mid - side * 0.45, top + cut * 0.74), (mid - side, top + cut)], snow, see=0.94,
        )  # fmt: skip
        at += wide * c.choice.number(52, 76) / 100


def sea(c: Canvas, s: Sky, box: Box) -> None:
    """Water to the horizon, with light on it."""
    x, y, w, h = box
    c.rect(x, y, w, h, c.fade((0, s.water2, 100), (22, s.water, 100), (100, s.water, 100)))
    c.rect(x, y, w, h, c.fade((0, "#07334a", 0), (100, "#07334a", 32)))
    for n in range(18):
        up = y + h * (n / 18) ** 1.5 + 2
        long = w * c.choice.number(4, 16) / 100 * (0.4 + n / 14)
        at = x + w * c.choice.number(0, 92) / 100
        c.rect(at, up, min(long, x + w - at), 0.8 + n * 0.11, "#ffffff", r=1, see=0.2 + 0.02 * (n % 4))


def sail(c: Canvas, x: float, y: float, size: float) -> None:
    """A sailing boat."""
    c.shape([(x, y - size), (x, y - size * 0.1), (x - size * 0.48, y - size * 0.1)], "#fffdf7")
    c.shape(
        [(x + size * 0.05, y - size * 0.9), (x + size * 0.05, y - size * 0.1), (x + size * 0.36, y - size * 0.1)],
        "#f1ddc4",
    )
    c.path(
        f"M{x - size * 0.5:g} {y - size * 0.06:g}h{size:g}l{-size * 0.16:g} {size * 0.15:g}h{-size * 0.68:g}z",
        "#7a4a34",
    )


def town(c: Canvas, s: Sky, box: Box, colours: tuple[str, ...], *, tall: bool) -> None:
    """Houses side by side, with windows, some lit."""
    x, y, w, h = box
    at = x
    while at < x + w:
        wide = min(w * c.choice.number(7, 13) / 100, x + w - at)
        high = h * c.choice.number(40 if tall else 55, 100 if tall else 88) / 100
        house(c, s, (at, y + h - high, wide, high), c.choice.of(colours), flat=tall)
        at += wide


def house(c: Canvas, s: Sky, box: Box, colour: str, *, flat: bool) -> None:
    """One house far away."""
    x, y, w, h = box
    c.rect(x, y, w + 0.5, h, colour)
    c.rect(x + w * 0.72, y, w * 0.28 + 0.5, h, "#1d2a3a", see=0.12)
    if not flat:
        c.shape([(x - 1, y), (x + w / 2, y - w * 0.42), (x + w + 1, y)], "#a9573f")
    columns, rows = max(2, int(w // 13)), max(2, int(h // 17))
    for row in range(rows):
        for column in range(columns):
            lit = c.choice.chance(s.glow)
            c.rect(
                x + w * (column + 0.28) / columns, y + 6 + (h - 8) * row / rows,
                w / columns * 0.42, (h - 8) / rows * 0.5, "#ffdf92" if lit else "#2f4556", see=0.95 if lit else 0.5,
            )  # fmt: skip


def tree(c: Canvas, x: float, y: float, size: float, colour: str) -> None:
    """A round tree; y is the ground."""
    c.shadow(x + size * 0.1, y, size * 0.55, size * 0.09, 40)
    c.rect(x - size * 0.045, y - size * 0.5, size * 0.09, size * 0.5, "#6b4a33")
    for dx, dy, r in ((0, -0.82, 0.34), (-0.24, -0.62, 0.27), (0.25, -0.64, 0.29), (0.02, -0.55, 0.3)):
        c.oval(x + dx * size, y + dy * size, r * size, r * size, colour)
    for dx, dy, r in ((-0.1, -0.92, 0.17), (0.16, -0.74, 0.14), (-0.27, -0.69, 0.12)):
        c.oval(x + dx * size, y + dy * size, r * size, r * size, "#ffffff", see=0.13)


def pine(c: Canvas, x: float, y: float, size: float, colour: str) -> None:
    """A fir; y is the ground."""
    c.rect(x - size * 0.035, y - size * 0.16, size * 0.07, size * 0.16, "#5c4130")
    for n in range(4):
        up, wide = y - size * (0.12 + n * 0.21), size * (0.3 - n * 0.055)
        c.shape([(x - wide, up), (x, up - size * 0.34), (x + wide, up)], colour)
        c.shape([(x, up - size * 0.34), (x + wide, up), (x + wide * 0.2, up)], "#0e2218", see=0.22)


def cypress(c: Canvas, x: float, y: float, size: float, colour: str) -> None:
    """A slim tree of the south; y is the ground."""
    c.path(f"M{x:g} {y - size:g}C{x + size * 0.2:g} {y - size * 0.5:g} {x + size * 0.16:g} {y:g} {x:g} {y:g}"
           f"S{x - size * 0.2:g} {y - size * 0.5:g} {x:g} {y - size:g}Z", colour)  # fmt: skip


def leaves(c: Canvas, x: float, y: float, size: float, colour: str, *, count: int = 9) -> None:
    """Long leaves out of one point, as a pot plant has them."""
    for n in range(count):
        lean = (n / (count - 1) - 0.5) * 2
        tip_x, tip_y = x + lean * size * 0.62, y - size * (1.02 - 0.5 * lean * lean)
        bend = x + lean * size * 0.12
        c.path(
            f"M{x:g} {y:g}Q{bend - size * 0.1:g} {(y + tip_y) / 2:g} {tip_x:g} {tip_y:g}"
            f"Q{bend + size * 0.16:g} {(y + tip_y) / 2:g} {x:g} {y:g}Z", colour, see=0.82 + 0.18 * (n % 2),
        )  # fmt: skip


def outlook(c: Canvas, s: Sky, box: Box, kind: str) -> None:
    """What is seen through a window or over a rail: sea, hills, city, mountains or garden."""
    x, y, w, h = box
    sky(c, s, box)
    if kind == "sea":
        hills(c, (x, y, w * 0.62, h * 0.62), h * 0.05, h * 0.17, s.far, ends=True)
        sea(c, s, (x, y + h * 0.62, w, h * 0.38))
        sail(c, x + w * c.choice.number(55, 85) / 100, y + h * 0.66, h * 0.09)
    elif kind == "city":
        town(c, s, (x, y + h * 0.3, w, h * 0.5), (s.far, "#8ea3ae", "#a9aeb0"), tall=True)
        town(c, s, (x, y + h * 0.58, w, h * 0.42), ("#d9c3a5", "#c99c7c", "#e5d8c3", "#b98a70"), tall=False)
    elif kind == "mountains":
        peaks(c, (x, y, w, h * 0.82), h * 0.56, s.far, "#ffffff")
        hills(c, box, h * 0.18, h * 0.34, s.near)
        hills(c, box, h * 0.06, h * 0.2, "#4e7059", see=0.9)
    else:
        hills(c, box, h * 0.32, h * 0.5, s.far)
        hills(c, box, h * 0.2, h * 0.36, s.near)
        hills(c, box, h * 0.1, h * 0.2, "#7f9d5d")
        for _ in range(4):
            at = x + w * c.choice.number(6, 94) / 100
            cypress(c, at, y + h * 0.9, h * c.choice.number(18, 30) / 100, "#48693f")


KINDS = ("sea", "city", "mountains", "garden")


def any_sky(c: Canvas) -> Sky:
    """One of the times of day."""
    return c.choice.of(SKIES)
