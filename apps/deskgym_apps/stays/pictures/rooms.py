"""Rooms from the inside: living room, bedroom, kitchen, bathroom, workspace, dining room."""

from __future__ import annotations

from dataclasses import dataclass

from .canvas import HEIGHT, PALETTES, WIDTH, Canvas, Palette
from .furniture import cushion, floor_lamp, pendant, picture, pot_plant, rug, shelf, table_lamp, window
from .nature import KINDS


@dataclass(frozen=True)
class Shell:
    """The back wall of a room: left, right, top, bottom; everything else follows from one vanishing point."""

    left: float
    right: float
    top: float
    ground: float


def _room(c: Canvas) -> tuple[Palette, Shell]:
    """Ceiling, walls, floor with boards that run to one point, light from a side."""
    p, n = c.choice.of(PALETTES), c.choice.number
    s = Shell(n(64, 96), WIDTH - n(64, 96), n(34, 50), n(262, 276))
    c.shape([(0, 0), (WIDTH, 0), (s.right, s.top), (s.left, s.top)], "#fbf9f5")
    c.rect(s.left, s.top, s.right - s.left, s.ground - s.top, c.fade((0, p.wall, 100), (100, p.shade, 100)))
    c.shape(
        [(0, 0), (s.left, s.top), (s.left, s.ground), (0, HEIGHT - 26)],
        c.fade((0, p.shade, 100), (100, p.wall, 100), across=True),
    )
    c.shape([(WIDTH, 0), (s.right, s.top), (s.right, s.ground), (WIDTH, HEIGHT - 26)], p.shade)
    c.shape(
        [(0, HEIGHT), (0, HEIGHT - 26), (s.left, s.ground), (s.right, s.ground), (WIDTH, HEIGHT - 26), (WIDTH, HEIGHT)],
        c.fade((0, p.joint, 100), (60, p.floor, 100)),
    )
    edge = f"0,{HEIGHT} 0,{HEIGHT - 26} {s.left},{s.ground} {s.right},{s.ground} {WIDTH},{HEIGHT - 26} {WIDTH},{HEIGHT}"
    floor = c.clip(f'<polygon points="{edge}"/>')
    c.add(f'<g clip-path="url(#{floor})">')
    c.line(
        "".join(f"M{300 + k * 27:g} {s.ground:g}L{300 + k * 82:g} {HEIGHT}" for k in range(-9, 10)),
        p.joint,
        1.3,
        see=0.75,
    )
    for k, at in enumerate((0.18, 0.42, 0.72)):
        y = s.ground + (HEIGHT - s.ground) * at
        c.line(
            f"M{90 + k * 120:g} {y:g}h{60 + k * 26:g}M{380 - k * 70:g} {y + 7:g}h{52 + k * 20:g}", p.joint, 1.2, see=0.6
        )
    c.add("</g>")
    c.rect(s.left, s.ground - 9, s.right - s.left, 9, "#fdfbf7")
    return p, s


def _daylight(c: Canvas, s: Shell, x: float, w: float) -> None:
    """Light that falls through a window on the floor, and the softer edges of a photograph."""
    c.shape(
        [(x, s.ground + 6), (x + w, s.ground + 6), (x + w * 1.35 + 60, HEIGHT - 20), (x + 40, HEIGHT - 20)],
        "#fff3cf",
        see=0.24,
    )
    c.rect(
        0,
        0,
        WIDTH,
        HEIGHT,
        c.fade((0, "#fff4dc", 20), (55, "#ffffff", 0), (100, "#2a1c12", 20), across=c.choice.chance(50)),
    )


def living_room(c: Canvas) -> None:
    """Sofa before a wide window, low table, rug, lamp, plant."""
    p, s = _room(c)
    n = c.choice.number
    wx, ww = s.left + n(40, 130), n(170, 220)
    window(c, p, (wx, s.top + 26, ww, 112), c.choice.of(KINDS))
    spare = s.right - (wx + ww + 50)
    if spare > 60:
        picture(c, p, (wx + ww + 58, s.top + 44, min(spare - 24, 64), 78))
    rug(c, p, 96, s.ground + 24, 400, 84)
    sx, sw, sy = n(120, 170), n(270, 310), s.ground + 34
    c.shadow(sx + sw / 2, sy + 6, sw * 0.58, 15, 44)
    c.rect(sx, sy - 98, sw, 62, c.fade((0, p.cloth, 100), (100, p.cloth, 100)), r=14)
    c.rect(sx, sy - 98, sw, 20, "#ffffff", r=12, see=0.12)
    for half in (0, 1):
        c.rect(sx + 18 + half * (sw - 36) / 2, sy - 58, (sw - 36) / 2 - 2, 34, p.cloth, r=9)
        c.rect(sx + 18 + half * (sw - 36) / 2, sy - 58, (sw - 36) / 2 - 2, 34, "#ffffff", r=9, see=0.16)
    c.rect(sx + 6, sy - 32, sw - 12, 28, p.cloth, r=6)
    c.rect(sx + 6, sy - 32, sw - 12, 28, "#1a120c", r=6, see=0.12)
    for side in (sx - 8, sx + sw - 20):
        c.rect(side, sy - 76, 28, 74, p.cloth, r=11)
        c.rect(side, sy - 76, 28, 74, "#ffffff", r=11, see=0.08)
    for x in (sx + 10, sx + sw - 16):
        c.rect(x, sy - 3, 6, 11, p.wood)
    for k, colour in enumerate((p.accent, p.cloth2, p.metal)[: n(2, 3)]):
        cushion(c, sx + 48 + k * (sw - 96) / 2, sy - 66, 36, colour)
    floor_lamp(c, p, sx + sw + 36, s.ground + 22, 158)
    pot_plant(c, p, sx - 46, s.ground + 40, 118)
    tx, ty = n(230, 280), s.ground + 92
    c.shadow(tx + 60, ty + 22, 86, 13, 40)
    c.oval(tx + 60, ty, 82, 15, p.wood)
    c.oval(tx + 60, ty - 3, 82, 15, c.fade((0, p.wood, 100), (50, "#d9b98f", 100), (100, p.wood, 100), across=True))
    for x in (tx + 12, tx + 104):
        c.rect(x, ty + 4, 5, 22, p.wood)
    c.rect(tx + 24, ty - 10, 40, 6, p.cloth2, r=1)
    c.rect(tx + 28, ty - 15, 34, 5, p.accent, r=1)
    c.path(f"M{tx + 88:g} {ty - 5:g}c-8 -6 -6 -14 -3 -20h10c3 6 5 14 -3 20z", "#fbf7ef")
    for lean in (-9, 0, 8):
        c.line(f"M{tx + 90:g} {ty - 24:g}q{lean / 2:g} -12 {lean:g} -24", p.leaf, 1.6)
        c.oval(tx + 90 + lean, ty - 49, 4.4, 4.4, p.accent)
    _daylight(c, s, wx, ww)


def bedroom(c: Canvas) -> None:
    """A made bed between two tables with lamps, a window at the side."""
    p, s = _room(c)
    n = c.choice.number
    wx = s.left + 20 if c.choice.chance(50) else s.right - 116
    window(c, p, (wx, s.top + 24, 94, 116), c.choice.of(KINDS))
    bx = n(210, 240) if wx < 200 else n(130, 156)
    bw, ground = 224, s.ground + 14
    for k in range(n(1, 3)):
        picture(c, p, (bx + 24 + k * 62, s.top + 30, 50, 62))
    rug(c, p, bx - 70, s.ground + 62, bw + 140, 56)
    for x in (bx - 62, bx + bw + 14):
        c.shadow(x + 24, ground + 6, 34, 7)
        c.rect(x, ground - 46, 48, 46, p.wood, r=3)
        c.rect(x + 4, ground - 40, 40, 16, "#ffffff", r=2, see=0.14)
        c.oval(x + 24, ground - 32, 2.6, 2.6, p.metal)
        c.rect(x + 3, ground, 4, 8, p.wood)
        c.rect(x + 41, ground, 4, 8, p.wood)
        table_lamp(c, p, x + 24, ground - 46)
    c.shadow(bx + bw / 2, ground + 74, bw * 0.66, 16, 50)
    c.rect(bx - 8, ground - 112, bw + 16, 116, p.cloth if c.choice.chance(50) else p.wood, r=10)
    for k in range(1, 4):
        c.line(f"M{bx - 8 + (bw + 16) * k / 4:g} {ground - 106:g}v60", "#ffffff", 1.4, see=0.22)
    c.shape([(bx, ground - 40), (bx + bw, ground - 40), (bx + bw + 34, ground + 62), (bx - 34, ground + 62)], "#fdfbf7")
    c.shape(
        [(bx - 34, ground + 62), (bx + bw + 34, ground + 62), (bx + bw + 32, ground + 80), (bx - 32, ground + 80)],
        "#e8e1d6",
    )
    for pillow in (bx + 16, bx + bw / 2 + 8):
        c.rect(pillow, ground - 66, bw / 2 - 24, 38, "#ffffff", r=12)
        c.rect(pillow, ground - 44, bw / 2 - 24, 16, "#cfc6b8", r=8, see=0.4)
    cushion(c, bx + bw / 2, ground - 36, 38, p.accent)
    c.path(f"M{bx - 16:g} {ground + 8:g}Q{bx + bw / 2:g} {ground - 6:g} {bx + bw + 16:g} {ground + 8:g}"
           f"L{bx + bw + 34:g} {ground + 62:g}"
           f"Q{bx + bw / 2:g} {ground + 72:g} {bx - 34:g} {ground + 62:g}Z", p.cloth)  # fmt: skip
    c.path(
        f"M{bx - 20:g} {ground + 20:g}Q{bx + bw / 2:g} {ground + 6:g} {bx + bw + 20:g} {ground + 20:g}"
        f"l5 14Q{bx + bw / 2:g} {ground + 20:g} {bx - 25:g} {ground + 34:g}z",
        p.cloth2,
    )
    for k in range(1, 5):
        fold = bx - 20 + (bw + 40) * k / 5
        c.line(f"M{fold:g} {ground + 40:g}q{(k - 2.5) * 3:g} 12 {(k - 2.5) * 5:g} 24", "#ffffff", 1.6, see=0.25)
    pot_plant(c, p, 52 if bx > 180 else 556, s.ground + 60, 112)
    _daylight(c, s, wx - 20, 120)


def kitchen(c: Canvas) -> None:
    """A kitchen line under a window, pendant lamps over an island with stools."""
    p, s = _room(c)
    n = c.choice.number
    front = c.choice.of((p.cloth, "#f3efe7", p.accent, "#6f8a7c", "#34495a"))
    window(c, p, (258, s.top + 34, 130, 84), c.choice.of(KINDS), curtains=False)
    shelf(c, p, s.left + 16, s.top + 74, 132)
    shelf(c, p, s.right - 146, s.top + 74, 132)
    shelf(c, p, s.left + 16, s.top + 122, 132)
    top = s.ground - 78
    for k in range(9):
        for row in range(2):
            c.rect(
                s.left + 4 + k * (s.right - s.left - 8) / 9,
                top - 34 + row * 16,
                (s.right - s.left - 8) / 9 - 2,
                14,
                "#ffffff",
                see=0.42,
            )
    c.rect(s.left, top, s.right - s.left, 80, front)
    c.rect(s.left, top - 7, s.right - s.left, 9, "#d8cfc2")
    width = (s.right - s.left) / 6
    for k in range(6):
        x = s.left + k * width
        c.rect(x + 3, top + 8, width - 6, 66, "#ffffff", r=2, see=0.14)
        c.rect(x + width / 2 - 9, top + 16, 18, 3, p.metal, r=1)
    c.rect(s.left + width * 4 + 4, top + 8, width - 8, 60, "#2b3036", r=3)
    c.rect(s.left + width * 4 + 11, top + 24, width - 22, 36, "#495560", r=2)
    c.rect(s.left + width * 4 + 10, top + 14, width - 20, 3, "#d6d9db", r=1)
    c.rect(s.left + width * 4 + 18, top - 30, 34, 22, p.accent, r=5)
    c.line(f"M{316:g} {top - 7:g}v-26q0 -12 13 -12t13 12v6", "#c9ccce", 4)
    c.rect(s.left + 20, top - 26, 14, 19, p.cloth2, r=2)
    c.rect(s.left + 40, top - 32, 12, 25, p.metal, r=2)
    for x in (210, 300, 390):
        pendant(c, p, x, n(66, 74))
    ix, iw, iy = 130, 340, s.ground + 36
    c.shadow(ix + iw / 2, iy + 72, iw * 0.58, 15, 46)
    c.shape([(ix + 14, iy), (ix + iw - 14, iy), (ix + iw - 8, iy + 74), (ix + 8, iy + 74)], p.wood)
    for k in range(1, 9):
        c.line(f"M{ix + 12 + k * (iw - 24) / 9:g} {iy + 6:g}v66", "#2a1c12", 1, see=0.2)
    c.shape([(ix + 10, iy - 20), (ix + iw - 10, iy - 20), (ix + iw + 8, iy), (ix - 8, iy)], "#f8f5ef")
    c.rect(ix - 8, iy, iw + 16, 8, "#ddd5c8")
    c.path(f"M{ix + 70:g} {iy - 16:g}h60c0 11 -12 15 -30 15s-30 -4 -30 -15z", "#fdfbf6")
    for dx, colour in ((80, "#e8a33d"), (94, "#d9653b"), (107, "#e8b84d"), (119, "#8fae4c")):
        c.oval(ix + dx, iy - 19, 8, 8, colour)
    c.path(f"M{ix + 240:g} {iy - 6:g}c-9 -6 -7 -16 -4 -22h14c3 6 5 16 -4 22z", p.cloth)
    for lean in (-13, -4, 6, 14):
        c.line(f"M{ix + 243:g} {iy - 26:g}q{lean / 2:g} -14 {lean:g} -30", p.leaf, 2)
        c.oval(ix + 243 + lean, iy - 58, 5, 7, p.leaf)
    for x in (ix + 60, ix + 160, ix + 260):
        c.shadow(x + 12, HEIGHT - 10, 26, 6, 40)
        c.line(
            f"M{x:g} {iy + 62:g}L{x - 8:g} {HEIGHT - 10}"
            f"M{x + 24:g} {iy + 62:g}L{x + 32:g} {HEIGHT - 10}M{x - 4:g} {HEIGHT - 26}h32",
            "#4b3a2c",
            3,
        )
        c.rect(x - 10, iy + 52, 44, 12, p.cloth2, r=6)
    _daylight(c, s, 250, 140)


def bathroom(c: Canvas) -> None:
    """A free-standing tub under a window, a basin with a round mirror."""
    p, s = _room(c)
    tile = c.choice.of(("#8fb0b0", "#c9d8d4", "#9db7c4", "#d8cdbf", "#88a38f"))
    c.rect(s.left, s.top + 96, s.right - s.left, s.ground - s.top - 96, tile)
    for row in range(8):
        y = s.top + 96 + row * 16
        c.line(f"M{s.left:g} {y:g}H{s.right:g}", "#ffffff", 1, see=0.5)
        for k in range(15):
            x = s.left + k * 32 + (16 if row % 2 else 0)
            if x < s.right:
                c.line(f"M{x:g} {y:g}v{min(16, s.ground - y):g}", "#ffffff", 1, see=0.42)
    window(c, p, (s.left + 40, s.top + 16, 124, 72), c.choice.of(KINDS), curtains=False)
    mx = s.right - 116
    c.oval(mx, s.top + 74, 48, 48, p.metal)
    c.oval(
        mx, s.top + 74, 44, 44, c.fade((0, "#eef5f6", 100), (60, "#cfdfe2", 100), (100, "#e9f1f2", 100), across=True)
    )
    c.shape(
        [(mx - 20, s.top + 40), (mx - 2, s.top + 34), (mx - 24, s.top + 108), (mx - 38, s.top + 96)], "#ffffff", see=0.5
    )
    c.rect(mx - 74, s.ground - 72, 148, 70, p.wood, r=4)
    c.line(f"M{mx:g} {s.ground - 68:g}v62", "#2a1c12", 1.2, see=0.35)
    c.rect(mx - 80, s.ground - 80, 160, 10, "#f7f4ee", r=2)
    c.path(f"M{mx - 40:g} {s.ground - 98:g}h80c0 12 -14 19 -40 19s-40 -7 -40 -19z", "#ffffff")
    c.line(f"M{mx:g} {s.ground - 98:g}v-20q0 -7 8 -7h6", p.metal, 4)
    c.rect(mx + 50, s.ground - 100, 12, 20, p.accent, r=3)
    tx, ty = 96, s.ground + 20
    c.shadow(tx + 110, ty + 66, 140, 15, 46)
    c.path(
        f"M{tx - 8:g} {ty - 24:g}h236c4 62 -22 84 -58 88h-120c-36 -4 -62 -26 -58 -88z",
        c.fade((0, "#ffffff", 100), (100, "#dcd8d1", 100)),
    )
    c.rect(tx - 14, ty - 32, 248, 12, "#ffffff", r=6)
    c.line(f"M{tx + 226:g} {ty - 32:g}v-46q0 -16 -17 -16t-17 16v6", p.metal, 5)
    c.path(f"M{tx + 26:g} {ty - 34:g}h52v64q-26 10 -52 0z", p.cloth)
    c.line(f"M{tx + 28:g} {ty + 12:g}q24 9 48 0", "#ffffff", 3, see=0.6)
    pot_plant(c, p, 380, s.ground + 66, 108)
    c.oval(486, s.ground + 84, 92, 20, p.cloth2)
    c.oval(486, s.ground + 82, 84, 17, p.accent, see=0.22)
    _daylight(c, s, s.left + 30, 130)


def workspace(c: Canvas) -> None:
    """A desk at the window with a lamp, a laptop and a chair."""
    p, s = _room(c)
    n = c.choice.number
    wx = n(190, 260)
    window(c, p, (wx, s.top + 22, 170, 108), c.choice.of(KINDS))
    shelf(c, p, s.left + 12, s.top + 84, 96)
    shelf(c, p, s.left + 12, s.top + 138, 96)
    rug(c, p, 110, s.ground + 40, 380, 74)
    dx, dy = 150, s.ground - 34
    c.shadow(dx + 160, s.ground + 38, 190, 13, 40)
    for x in (dx + 12, dx + 296):
        c.rect(x, dy + 10, 8, 60, p.wood)
    c.shape([(dx + 8, dy - 8), (dx + 312, dy - 8), (dx + 326, dy + 8), (dx - 6, dy + 8)], "#d9b98f")
    c.rect(dx - 6, dy + 8, 332, 7, p.wood)
    c.rect(dx + 190, dy + 15, 108, 28, p.wood)
    c.rect(dx + 232, dy + 25, 24, 3, p.metal)
    c.rect(dx + 112, dy - 58, 92, 54, "#343a42", r=4)
    c.rect(dx + 116, dy - 54, 84, 46, c.fade((0, p.cloth, 100), (100, p.accent, 100)), r=2)
    c.shape([(dx + 106, dy - 4), (dx + 210, dy - 4), (dx + 218, dy + 3), (dx + 98, dy + 3)], "#c7ccd1")
    table_lamp(c, p, dx + 46, dy - 2)
    c.rect(dx + 244, dy - 10, 44, 6, p.cloth2)
    c.rect(dx + 248, dy - 16, 38, 6, p.accent)
    cx = dx + 158
    c.shadow(cx, s.ground + 98, 58, 10, 44)
    c.line(f"M{cx - 24:g} {s.ground + 48:g}l-10 50M{cx + 24:g} {s.ground + 48:g}l10 50", p.wood, 5)
    c.rect(cx - 38, s.ground + 36, 76, 16, p.cloth, r=8)
    c.rect(cx - 34, s.ground - 22, 68, 48, p.cloth, r=14)
    c.rect(cx - 34, s.ground - 22, 68, 48, "#ffffff", r=14, see=0.12)
    pot_plant(c, p, 520, s.ground + 52, 126)
    _daylight(c, s, wx, 170)


def dining_room(c: Canvas) -> None:
    """A laid table under a lamp, chairs around it, a window behind."""
    p, s = _room(c)
    wx = c.choice.number(170, 230)
    window(c, p, (wx, s.top + 28, 200, 116), c.choice.of(KINDS))
    picture(c, p, (s.left + 20, s.top + 50, 60, 74))
    pendant(c, p, 300, 82)
    rug(c, p, 80, s.ground + 26, 440, 90)
    ty = s.ground + 30
    for x in (176, 262, 348):
        c.rect(x, ty - 62, 52, 56, p.wood, r=9)
        c.rect(x + 6, ty - 56, 40, 40, p.cloth2, r=7)
    c.shadow(300, ty + 66, 210, 18, 46)
    for x in (142, 448):
        c.rect(x, ty + 8, 10, 66, p.wood)
    c.shape([(140, ty - 20), (460, ty - 20), (500, ty + 10), (100, ty + 10)], "#cfa77a")
    c.rect(100, ty + 10, 400, 8, p.wood)
    for x in (180, 270, 360):
        c.oval(x + 28, ty - 6, 25, 6, "#fdfbf6")
        c.oval(x + 28, ty - 7, 16, 3.6, p.accent, see=0.4)
    c.path(f"M292 {ty - 12:g}c-7 -6 -6 -15 -3 -21h14c3 6 4 15 -3 21z", p.cloth)
    for lean in (-16, -6, 4, 15):
        c.line(f"M296 {ty - 32:g}q{lean / 2:g} -16 {lean:g} -32", p.leaf, 1.8)
        c.oval(296 + lean, ty - 66, 5.4, 5.4, p.accent)
    for x in (150, 378):
        c.shadow(x + 36, HEIGHT - 8, 46, 8, 42)
        c.line(f"M{x + 8:g} {ty + 62:g}V{HEIGHT - 10}M{x + 64:g} {ty + 62:g}V{HEIGHT - 10}", p.wood, 5)
        c.rect(x, ty + 48, 72, 15, p.cloth, r=7)
        c.rect(x + 2, ty - 4, 68, 46, p.wood, r=10)
        c.rect(x + 9, ty + 3, 54, 32, p.cloth, r=8)
    pot_plant(c, p, 548, s.ground + 54, 120)
    _daylight(c, s, wx, 200)
