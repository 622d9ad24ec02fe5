"""What every translator gives back, and the readers of arguments that they share."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from deskgym_apps.kit.errors import nearest

from ..browser import ActionError, Observation
from ..browser.hands import NOTCH, held_keys
from ..browser.observation import Node, Tree

LONGEST_WAIT = 5.0
"""Seconds: nothing in these apps takes longer, and no time passes in them by waiting."""


@dataclass(frozen=True)
class Translation:
    """Our `actions` in order, and a `reply` in text where the agent only asked for something.

    No action and no reply: the agent wants to see the page again.
    """

    actions: tuple[dict[str, Any], ...] = ()
    reply: str | None = None


class Translator(Protocol):
    """One vocabulary; one object for each episode."""

    def translate(self, name: str, given: Mapping[str, Any], seen: Observation) -> Translation:
        """The action `name` with arguments `given` in our words. Raises ActionError, in words for the agent."""


def one(verb: str, **arguments: Any) -> Translation:
    """A single action; arguments that are None are left out."""
    return Translation(({"action": verb} | {name: value for name, value in arguments.items() if value is not None},))


def unknown(name: str, known: Sequence[str]) -> ActionError:
    """The fault of an action that the vocabulary does not have."""
    return ActionError(
        f'there is no action "{name}".{nearest(name, sorted(known))} Actions: {", ".join(sorted(known))}'
    )


def only(name: str, given: Mapping[str, Any], *allowed: str) -> None:
    """Raise ActionError for an argument that the action does not take."""
    for argument in given:
        if argument not in allowed:
            takes = f"it takes {', '.join(allowed)}" if allowed else "it takes none"
            raise ActionError(f'{name} has no argument "{argument}"; {takes}')


def number(name: str, argument: str, value: Any) -> float:
    """A finite number. Raises ActionError."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ActionError(f"{name}: {argument} is a number, not {value!r}")
    return float(value)


def point(name: str, argument: str, value: Any) -> list[float]:
    """[x, y] in pixels of the screenshot. Raises ActionError."""
    if isinstance(value, str | bytes) or not isinstance(value, Sequence) or len(value) != 2:
        raise ActionError(f"{name}: {argument} is [x, y], not {value!r}")
    return [number(name, argument, side) for side in value]


def text(name: str, argument: str, value: Any) -> str:
    """A text. Raises ActionError."""
    if not isinstance(value, str):
        raise ActionError(f"{name}: {argument} is a text, not {value!r}")
    return value


def whole(name: str, argument: str, value: Any, least: int = 1, most: int = 100) -> int:
    """A whole number between `least` and `most`. Raises ActionError."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ActionError(f"{name}: {argument} is a whole number from {least} to {most}, not {value!r}")
    return value


def held(name: str, given: Any) -> list[str] | None:
    """Keys held during a click, from `ctrl+shift` or a list of names; None where there are none. Raises ActionError."""
    if given in (None, "", []):
        return None
    names = given.split("+") if isinstance(given, str) else given
    if not isinstance(names, list) or not all(isinstance(item, str) for item in names):
        raise ActionError(f"{name}: modifiers are names such as ctrl or shift, not {given!r}")
    return held_keys(names)


def waited(name: str, seconds: Any) -> Translation:
    """A wait, of five seconds at the most."""
    return one("wait", seconds=min(max(number(name, "duration", seconds), 0.0), LONGEST_WAIT))


def wheel(across: float, down: float, **target: Any) -> Translation:
    """Turns of the wheel by pixels: at least one notch where there is any."""
    turns = [(down, "down", "up"), (across, "right", "left")]
    found = [
        one("scroll", direction=forth if way > 0 else back, amount=_notches(way), **target)
        for way, forth, back in turns
        if way
    ]
    return Translation(tuple(action for turn in found for action in turn.actions))


def _notches(pixels: float) -> int:
    return max(1, min(100, round(abs(pixels) / NOTCH)))


def node_of(name: str, ref: str, seen: Observation) -> Node:
    """The node behind a ref of the observation. Raises ActionError."""
    node = Tree(seen.aria).nodes.get(ref)
    if node is None:
        raise ActionError(f'{name}: there is no element "{ref}" on this page; look again, refs change with the page')
    return node


def put_into(name: str, ref: str, value: Any, seen: Observation) -> Translation:
    """Give a form field its value, as its role wants it: check, choose or fill. Raises ActionError."""
    role = node_of(name, ref, seen).role
    if role in ("checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"):
        wanted = {"true": True, "false": False}.get(str(value).lower())
        if wanted is None:
            raise ActionError(f"{name}: a {role} takes true or false, not {value!r}")
        return one("check", ref=ref, value=wanted)
    if role in ("combobox", "listbox"):
        values = value if isinstance(value, list) else [value]
        return one("select", ref=ref, values=[str(item) for item in values])
    return one("fill", ref=ref, text=str(value))
