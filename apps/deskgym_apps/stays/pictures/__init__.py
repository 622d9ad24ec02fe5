"""Photographs of listings, drawn from a room and a seed: the same two, the same picture, on every machine."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache, lru_cache
from importlib import resources
from xml.sax.saxutils import escape

from . import outside, rooms
from .canvas import Canvas, Choice

__all__ = ["SCENES", "picture_svg", "picture_url", "scene_of", "version"]

Scene = Callable[[Canvas], None]
SCENES: dict[str, tuple[Scene, ...]] = {
    "living_room": (rooms.living_room,),
    "bedroom": (rooms.bedroom,),
    "kitchen": (rooms.kitchen,),
    "bathroom": (rooms.bathroom,),
    "workspace": (rooms.workspace,),
    "dining_room": (rooms.dining_room,),
    "front": (outside.town_house, outside.villa, outside.cabin, outside.town_house),
    "sea": (outside.seaside,),
    "view": (outside.view,),
    "terrace": (outside.terrace,),
    "pool": (outside.pool,),
}
_WORDS = (
    ("pool", "pool"), ("garden", "pool"), ("terrace", "terrace"), ("balcony", "terrace"), ("patio", "terrace"),
    ("beach", "sea"), ("sea", "sea"), ("view", "view"), ("bath", "bathroom"), ("shower", "bathroom"),
    ("kitchen", "kitchen"), ("dining", "dining_room"), ("work", "workspace"), ("desk", "workspace"),
    ("office", "workspace"), ("bed", "bedroom"), ("room", "bedroom"), ("living", "living_room"),
    ("lounge", "living_room"), ("front", "front"), ("outside", "front"), ("exterior", "front"), ("house", "front"),
    ("building", "front"), ("street", "front"),
)  # fmt: skip


def scene_of(room: str) -> str:
    """The scene that shows a room: its own, else the one that a word of its name tells, else the living room."""
    if room in SCENES:
        return room
    lowered = room.lower()
    if "living" in lowered:
        return "living_room"
    return next((scene for word, scene in _WORDS if word in lowered), "living_room")


@lru_cache(maxsize=256)
def picture_svg(room: str, seed: int, title: str = "") -> str:
    """The picture of a room as SVG. `title`: its alternative text, where it is looked at by itself."""
    scene = scene_of(room)
    canvas = Canvas(Choice(f"{scene}|{seed}"))
    canvas.choice.of(SCENES[scene])(canvas)
    return canvas.svg(escape(title))


@cache
def version() -> str:
    """Eight hex digits that name this way of drawing; they stand in every address, so browsers may keep pictures."""
    state = hashlib.sha256()
    for part in sorted(resources.files(__package__).iterdir(), key=lambda part: part.name):
        if part.name.endswith(".py"):
            state.update(part.read_bytes())
    return state.hexdigest()[:8]


def picture_url(room: str, seed: int) -> str:
    """The address of a picture."""
    return f"/stays/photos/{version()}/{scene_of(room)}/{seed}.svg"
