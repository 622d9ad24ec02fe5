"""Pictures from outside: fronts of houses, the sea, views from a terrace, gardens with a pool."""

from __future__ import annotations

from .canvas import HEIGHT, PALETTES, WIDTH, Canvas, Sky
from .furniture import cushion, pot_plant
from .nature import KINDS, Box, any_sky, cypress, hills, outlook, peaks, pine, sail, sea, sky, tree

_WALLS = ("#f3e3c8", "#e9c7a4", "#f6efe2", "#dca58a", "#cfd9d6", "#e6d3a8", "#b9c9c4", "#d98f75", "#f0d8c6", "#9fb6bb")
_SHUTTERS = ("#3f6f73", "#5f7f5e", "#7a4a3a", "#35546b", "#8a3f3a", "#5d6b3c", "#2f4858")
_ROOFS = ("#b5634a", "#8c4f3d", "#5a6068", "#c07a55", "#6c5248")
_GREENS = ("#5f8f54", "#4f8059", "#6f9a4f", "#48755a")


def _pane(c: Canvas, s: Sky, box: Box) -> None:
    """The glass of a window of a house: the sky in it, or light behind it."""
    x, y, w, h = box
    c.rect(x - 3, y - 3, w + 6, h + 6, "#fdfaf3")
    lit = c.choice.chance(s.glow)
    c.rect(
        x,
        y,
        w,
        h,
        c.fade((0, "#ffe9b0", 100), (100, "#f4c26f", 100)) if lit else c.fade((0, s.top, 100), (100, "#3d5a6b", 100)),
    )
    c.shape([(x, y), (x + w * 0.5, y), (x, y + h * 0.6)], "#ffffff", see=0.2)
    c.rect(x + w / 2 - 1.2, y, 2.4, h, "#fdfaf3")
    c.rect(x, y + h * 0.42, w, 2.2, "#fdfaf3")
    c.rect(x - 5, y + h + 3, w + 10, 4, "#e4dac8")


def _shutters(c: Canvas, box: Box, colour: str) -> None:
    x, y, w, h = box
    for left in (x - w * 0.5 - 5, x + w + 5):
        c.rect(left, y - 3, w * 0.5, h + 6, colour)
        slats = "".join(f"M{left + 2:g} {y + k * 6:g}h{w * 0.5 - 4:g}" for k in range(1, int(h // 6)))
        c.line(slats, "#000000", 1, see=0.2)


def _flowers(c: Canvas, x: float, y: float, w: float) -> None:
    c.rect(x, y, w, 7, "#9a5a3e", r=1)
    for k in range(int(w // 8)):
        c.oval(x + 4 + k * 8, y - c.choice.number(1, 5), 5.6, 4, c.choice.of(_GREENS))
    for k in range(int(w // 8)):
        c.oval(
            x + 5 + k * 8,
            y - c.choice.number(3, 9),
            2.6,
            2.6,
            c.choice.of(("#e0526a", "#f3a5b4", "#f5c64f", "#ffffff")),
        )


def _door(c: Canvas, x: float, ground: float, colour: str) -> None:
    c.rect(x - 6, ground - 90, 52, 90, "#fdfaf3", r=2)
    c.rect(x, ground - 84, 40, 84, colour, r=1)
    c.path(f"M{x + 5:g} {ground - 56:g}v-10a15 14 0 0 1 30 0v10z", "#ffe6ae", see=0.85)
    c.rect(x + 6, ground - 46, 28, 38, "#000000", r=1, see=0.13)
    c.oval(x + 33, ground - 40, 2.4, 2.4, "#e5c06a")
    c.rect(x - 12, ground - 5, 64, 6, "#cdbfae")
    c.rect(x - 18, ground + 1, 76, 6, "#bfb09d")


def town_house(c: Canvas) -> None:
    """A row of painted houses at a street, the middle one in full."""
    s, n = any_sky(c), c.choice.number
    sky(c, s)
    ground = 344
    at, first = n(-60, -20), n(0, 9)
    for k in range(5):
        wide, high = n(150, 188), n(226, 286)
        wall, shutter = _WALLS[(first + k * 3) % len(_WALLS)], c.choice.of(_SHUTTERS)
        _facade(c, s, (at, ground - high, wide, high), wall, shutter, c.choice.of(_ROOFS))
        at += wide
        if at > WIDTH:
            break
    c.rect(0, ground, WIDTH, HEIGHT - ground, c.fade((0, "#b9ab9b", 100), (100, "#8f8479", 100)))
    c.rect(0, ground, WIDTH, 12, "#d3c7b8")
    for row, y in enumerate((362, 378, 394)):
        joints = "".join(f"M{k * 32 + (row % 2) * 16 - 8:g} {y:g}h24" for k in range(20))
        c.line(joints, "#6f665d", 1.4, see=0.4)
    for x in (n(20, 90), n(500, 580)):
        tree(c, x, ground + 10, n(120, 160), c.choice.of(_GREENS))


def _facade(c: Canvas, s: Sky, box: Box, wall: str, shutter: str, roof: str) -> None:
    x, y, w, h = box
    c.rect(x, y, w, h, wall)
    c.rect(x, y, w, h, c.fade((0, "#ffffff", 22), (40, "#ffffff", 0), (100, "#3a2a1c", 22)))
    c.shape([(x - 6, y + 2), (x + 12, y - 26), (x + w - 12, y - 26), (x + w + 6, y + 2)], roof)
    tiles = "".join(f"M{x + k * 10:g} {y:g}l{(w / 2 - k * 10) * 0.1:g} -24" for k in range(1, int(w // 10)))
    c.line(tiles, "#000000", 1, see=0.15)
    c.rect(x + w * 0.7, y - 44, 16, 26, "#a8745a")
    c.rect(x - 2, y, w + 4, 6, "#fdfaf3", see=0.8)
    floors = 2 if h < 250 else 3
    for level in range(floors):
        top = y + 22 + level * 66
        for side in (0.25, 0.75):
            if top > y + h - 110:
                continue
            pane = (x + w * side - 15, top, 30, 42)
            _pane(c, s, pane)
            _shutters(c, pane, shutter)
            _flowers(c, pane[0] - 4, top + 42, 38)
    _door(c, x + w * 0.5 - 20, y + h, shutter)
    for side in (0.18, 0.82):
        c.rect(x + w * side - 2, y + h - 76, 4, 16, "#4a4038")
        c.glow(x + w * side, y + h - 66, 22, see=50)


def villa(c: Canvas) -> None:
    """A white or stone house in a garden under hills."""
    s, n = any_sky(c), c.choice.number
    sky(c, s)
    hills(c, (0, 0, WIDTH, 300), 60, 130, s.far)
    hills(c, (0, 0, WIDTH, 310), 20, 70, s.near)
    ground = 306
    c.rect(0, ground - 10, WIDTH, HEIGHT - ground + 10, c.fade((0, "#8fae63", 100), (100, "#5f8a4b", 100)))
    for k in range(3):
        cypress(c, 40 + k * 34, ground, n(120, 170), "#426440")
    x, w = n(136, 172), n(290, 330)
    wall, roof, shutter = c.choice.of(_WALLS), c.choice.of(_ROOFS), c.choice.of(_SHUTTERS)
    c.shadow(x + w / 2, ground + 6, w * 0.6, 14, 40)
    for dx, wide, high in ((0, w * 0.62, 150), (w * 0.56, w * 0.44, 112)):
        c.rect(x + dx, ground - high, wide, high, wall)
        c.rect(x + dx, ground - high, wide, high, c.fade((0, "#ffffff", 26), (100, "#3a2a1c", 20), across=True))
        c.shape(
            [
                (x + dx - 14, ground - high + 2),
                (x + dx + wide * 0.24, ground - high - 40),
                (x + dx + wide * 0.76, ground - high - 40),
                (x + dx + wide + 14, ground - high + 2),
            ],
            roof,
        )
        for k in range(1, 4):
            c.line(f"M{x + dx:g} {ground - high - k * 10:g}H{x + dx + wide:g}", "#000000", 1, see=0.1)
    for side in (0.08, 0.44):
        pane = (x + w * side, ground - 130, 34, 40)
        _pane(c, s, pane)
        _shutters(c, pane, shutter)
    _pane(c, s, (x + w * 0.44, ground - 62, 38, 44))
    for side in (0.68, 0.86):
        _pane(c, s, (x + w * side, ground - 84, 30, 62))
    _door(c, x + w * 0.14, ground, shutter)
    c.path(
        f"M{x + w * 0.12:g} {ground + 6:g}h58c-4 40 40 50 60 {HEIGHT - ground:g}"
        f"h-150c10 -40 34 -50 32 {ground - HEIGHT:g}z",
        "#e3d6bf",
    )
    tree(c, n(520, 560), ground + 20, n(150, 190), c.choice.of(_GREENS))
    for _ in range(16):
        c.oval(
            n(0, WIDTH),
            n(ground + 40, HEIGHT),
            3,
            3,
            c.choice.of(("#f2c9d4", "#fff3b8", "#ffffff", "#d68bb0")),
            see=0.9,
        )
    pot_plant(c, PALETTES[0], x + w * 0.34, ground + 12, 56)


def cabin(c: Canvas) -> None:
    """A wooden house among firs under mountains."""
    s, n = any_sky(c), c.choice.number
    sky(c, s)
    peaks(c, (0, 0, WIDTH, 300), 210, s.far, "#ffffff")
    hills(c, (0, 0, WIDTH, 312), 30, 80, "#46685a")
    ground = 318
    for _ in range(9):
        pine(c, n(0, WIDTH), ground - n(0, 12), n(90, 150), c.choice.of(("#3c5f4c", "#345546", "#4a6f57")))
    c.rect(0, ground - 6, WIDTH, HEIGHT, c.fade((0, "#86a165", 100), (100, "#587a4a", 100)))
    x, w, high = n(170, 210), 250, 124
    wood = c.choice.of(("#8a5c3c", "#a3744a", "#6f4a35", "#7c3f34"))
    c.shadow(x + w / 2, ground + 6, w * 0.64, 14, 44)
    c.shape(
        [(x, ground), (x, ground - high), (x + w / 2, ground - high - 86), (x + w, ground - high), (x + w, ground)],
        wood,
    )
    for k in range(1, 14):
        c.line(
            f"M{x:g} {ground - k * 12:g}H{x + w:g}"
            if k * 12 < high
            else f"M{x + (k * 12 - high) * 1.45:g} {ground - k * 12:g}H{x + w - (k * 12 - high) * 1.45:g}",
            "#2a1a10",
            1.2,
            see=0.26,
        )
    c.shape(
        [
            (x - 30, ground - high + 20),
            (x + w / 2, ground - high - 104),
            (x + w + 30, ground - high + 20),
            (x + w + 14, ground - high + 28),
            (x + w / 2, ground - high - 82),
            (x - 14, ground - high + 28),
        ],
        "#4a3b34",
    )
    warm = Sky(s.top, s.low, s.sun, s.far, s.near, s.water, s.water2, s.cloud, 100)
    _pane(c, warm, (x + w / 2 - 28, ground - high - 34, 56, 40))
    _pane(c, warm, (x + 22, ground - 92, 66, 56))
    _pane(c, warm, (x + w - 62, ground - 92, 40, 56))
    _door(c, x + 118, ground, c.choice.of(_SHUTTERS))
    c.rect(x - 30, ground - 4, w + 60, 10, "#9b7a58")
    c.rect(x + w - 40, ground - high - 96, 20, 60, "#7f7a76")
    c.path(f"M{x + 116:g} {ground + 6:g}h44l60 {HEIGHT - ground:g}h-170z", "#d9c8a4", see=0.9)
    pine(c, n(40, 80), ground + 44, 190, "#3c5f4c")
    pine(c, n(520, 570), ground + 34, 176, "#345546")


def seaside(c: Canvas) -> None:
    """A beach: sea to the horizon, sails, a parasol, a headland."""
    s, n = any_sky(c), c.choice.number
    sky(c, s)
    horizon = n(166, 190)
    hills(c, (n(-60, -10), 0, 300, horizon), 12, 56, s.far, ends=True)
    sea(c, s, (0, horizon, WIDTH, 190))
    for _ in range(n(2, 3)):
        sail(c, n(250, 560), horizon + n(6, 40), n(22, 44))
    shore = 312
    c.path(
        f"M0 {shore - 10:g}Q150 {shore - 36:g} 320 {shore - 6:g}T{WIDTH} {shore - 22:g}V{HEIGHT}H0Z",
        "#ffffff",
        see=0.75,
    )
    c.path(
        f"M0 {shore:g}Q150 {shore - 26:g} 320 {shore + 5:g}T{WIDTH} {shore - 10:g}V{HEIGHT}H0Z",
        c.fade((0, "#f0dcb4", 100), (100, "#dcbd8a", 100)),
    )
    for _ in range(26):
        c.oval(n(0, WIDTH), n(336, HEIGHT), 2, 1, "#a98a5e", see=0.4)
    x, first, second = n(120, 460), c.choice.of(("#d9593f", "#2f7f8c", "#e3a13a", "#3f6f9c")), "#fdf6e8"
    c.shadow(x + 34, 370, 84, 10, 40)
    c.line(f"M{x:g} 372L{x - 10:g} 232", "#8a6a48", 5)
    for k in range(6):
        a, b = x - 92 + k * 28, x - 92 + (k + 1) * 28
        c.path(f"M{x - 12:g} 222L{a:g} 274Q{(a + b) / 2:g} 262 {b:g} 274Z", first if k % 2 == 0 else second)
    for dx, colour in ((-62, first), (34, c.choice.of(("#3f6f73", "#e0b35a", "#c46a52")))):
        c.line(f"M{x + dx:g} 374l10 -24M{x + dx + 52:g} 374l-6 -20", "#8a6a48", 3.4)
        c.path(f"M{x + dx - 6:g} 358l54 -6 22 -34 9 4 -22 40 -62 6z", colour)


def terrace(c: Canvas) -> None:
    """A terrace with a view over its rail, a bench and plants."""
    s, n = any_sky(c), c.choice.number
    outlook(c, s, (0, 0, WIDTH, 312), c.choice.of(KINDS))
    deck = c.choice.of(("#b98f66", "#a9825f", "#cdb594", "#8d7a68"))
    c.rect(0, 300, WIDTH, 100, c.fade((0, deck, 100), (100, "#7d5f44", 100)))
    for k in range(-8, 9):
        c.line(f"M{300 + k * 44:g} 300L{300 + k * 80:g} {HEIGHT}", "#3a2a1c", 1.2, see=0.3)
    for x in range(8, WIDTH, 22):
        c.rect(x, 226, 3, 78, "#3b4248", see=0.85)
    c.rect(0, 220, WIDTH, 8, "#8a6a48")
    c.rect(0, 300, WIDTH, 5, "#3b4248")
    p, x = c.choice.of(PALETTES), n(60, 130)
    c.shadow(x + 110, 376, 150, 14, 46)
    c.rect(x, 284, 220, 46, p.wood, r=6)
    for k in range(1, 3):
        c.rect(x + 4, 284 + k * 15, 212, 2, "#2a1c12", see=0.3)
    c.rect(x - 4, 328, 228, 22, p.cloth2, r=8)
    c.rect(x - 8, 348, 236, 10, p.wood, r=2)
    for dx in (0, 212):
        c.rect(x + dx, 356, 9, 22, p.wood)
    for k, colour in enumerate((p.accent, p.cloth, p.metal)):
        cushion(c, x + 40 + k * 66, 312, 40, colour)
    c.shadow(x + 316, 382, 60, 9, 44)
    c.rect(x + 312, 346, 7, 36, "#3b4248")
    c.oval(x + 316, 346, 48, 10, "#f4efe6")
    c.path(f"M{x + 296:g} 342c-5 -5 -4 -12 -2 -17h14c2 5 3 12 -2 17z", "#ffffff")
    c.path(f"M{x + 328:g} 342l2 -20h12l2 20z", "#e9a93f", see=0.85)
    for at, size in ((30, 130), (560, 150), (500, 92)):
        pot_plant(c, p, at, 372 if size > 100 else 386, size)
    c.rect(0, 0, WIDTH, HEIGHT, c.fade((0, "#fff4dc", 14), (60, "#ffffff", 0), (100, "#2a1c12", 18)))


def pool(c: Canvas) -> None:
    """A garden with a pool, loungers and trees."""
    s, n = any_sky(c), c.choice.number
    sky(c, s)
    hills(c, (0, 0, WIDTH, 230), 20, 90, s.far)
    hills(c, (0, 0, WIDTH, 240), 10, 40, s.near)
    c.rect(0, 226, WIDTH, 174, c.fade((0, "#8db067", 100), (100, "#5f8c4c", 100)))
    for _ in range(6):
        tree(c, n(0, WIDTH), n(232, 244), n(70, 120), c.choice.of(_GREENS))
    wall = c.choice.of(_WALLS)
    c.rect(400, 150, 200, 96, wall)
    c.rect(392, 142, 208, 12, "#fdfaf3")
    for x in (420, 500):
        _pane(c, s, (x, 176, 56, 64))
    c.shape([(70, 256), (540, 256), (640, 392), (-40, 392)], "#e8ddc9")
    c.shape([(112, 268), (500, 268), (572, 376), (28, 376)], c.fade((0, "#8fdbe2", 100), (100, "#2f9fb8", 100)))
    for k in range(9):
        y = 278 + k * 11
        c.line(f"M{n(100, 380):g} {y:g}q14 -5 28 0t28 0t28 0", "#ffffff", 1.6, see=0.5)
    for x in (n(20, 60), n(110, 150)):
        c.shadow(x + 36, 262, 44, 6, 40)
        c.path(f"M{x:g} 256l58 -4 20 -26 7 4 -20 32 -64 2z", c.choice.of(("#fdf6e8", "#e0a458", "#5d7f86")))
        c.line(f"M{x + 6:g} 258v8M{x + 54:g} 256v8", "#8a6a48", 3)
    for x in (360, 560):
        pot_plant(c, PALETTES[1], x, 268, 66)
    cypress(c, 20, 250, 150, "#426440")
    cypress(c, 578, 246, 130, "#426440")


def view(c: Canvas) -> None:
    """The view alone, wide: coast, old town, mountains or fields."""
    s = any_sky(c)
    outlook(c, s, (0, 0, WIDTH, HEIGHT), c.choice.of(KINDS))
    if c.choice.chance(60):
        c.path("M0 400V330q40 -34 90 -8t60 78z", "#35543f", see=0.95)
        c.path("M600 400V346q-50 -30 -88 0t-40 54z", "#2f4b39", see=0.95)
