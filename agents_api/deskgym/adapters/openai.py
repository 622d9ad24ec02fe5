"""OpenAI's computer tool: items of a `computer_call`, in its batched `actions` or its older single `action`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from ..browser import ActionError, Observation
from .translation import Translation, held, number, one, only, point, text, unknown, wheel

_BUTTONS = {"left": None, "right": "right", "wheel": "middle"}


def _at(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    return {"coordinate": point(name, "x, y", [given.get("x"), given.get("y")])}


class Computer:
    """Items by `type`. An item's name may be given as its own `type` too."""

    NAMES: ClassVar[tuple[str, ...]] = (
        "click", "double_click", "drag", "keypress", "move", "screenshot", "scroll", "type", "wait",
    )  # fmt: skip

    def call(self, given: Mapping[str, Any], seen: Observation) -> Translation:
        """A whole `computer_call`: its `actions`, or its `action`. Raises ActionError before any item is done."""
        items = given.get("actions") or [given.get("action")]
        if not isinstance(items, Sequence) or not all(isinstance(item, Mapping) for item in items):
            raise ActionError("a computer_call has a list of actions, each an object with its type")
        done = [self.translate(str(item.get("type")), item, seen) for item in items]
        return Translation(tuple(action for item in done for action in item.actions))

    def translate(self, name: str, given: Mapping[str, Any], seen: Observation) -> Translation:
        """As `Translator`."""
        if name not in self.NAMES:
            raise unknown(name, self.NAMES)
        given = {argument: value for argument, value in given.items() if argument != "type"}
        done: Translation = getattr(self, f"_{name}")(given)
        return done

    def _click(self, given: Mapping[str, Any]) -> Translation:
        only("click", given, "button", "x", "y", "keys")
        button = given.get("button", "left")
        if button in ("back", "forward"):
            return one(button)
        if button not in _BUTTONS:
            raise ActionError(f"click: button is one of left, right, wheel, back, forward, not {button!r}")
        return one("click", **_at("click", given), button=_BUTTONS[button], modifiers=held("click", given.get("keys")))

    def _double_click(self, given: Mapping[str, Any]) -> Translation:
        only("double_click", given, "x", "y", "keys")
        return one("click", **_at("double_click", given), count=2, modifiers=held("double_click", given.get("keys")))

    def _drag(self, given: Mapping[str, Any]) -> Translation:
        """From the first point of the path to the last."""
        only("drag", given, "path", "keys")
        path = given.get("path")
        if not isinstance(path, Sequence) or isinstance(path, str) or len(path) < 2:
            raise ActionError("drag: path is a list of at least two points {x, y}")
        first, last = (
            [end.get("x"), end.get("y")] if isinstance(end, Mapping) else list(end) for end in (path[0], path[-1])
        )
        return Translation(
            ({"action": "drag", "from": point("drag", "path", first), "to": point("drag", "path", last)},)
        )

    def _keypress(self, given: Mapping[str, Any]) -> Translation:
        only("keypress", given, "keys")
        keys = given.get("keys")
        if not isinstance(keys, list) or not keys or not all(isinstance(key, str) and key for key in keys):
            raise ActionError("keypress: keys is a list of names, such as [CTRL, A]")
        return one("key", text="+".join(key.lower() if len(key) == 1 and len(keys) > 1 else key for key in keys))

    def _move(self, given: Mapping[str, Any]) -> Translation:
        only("move", given, "x", "y", "keys")
        return one("hover", **_at("move", given))

    def _screenshot(self, given: Mapping[str, Any]) -> Translation:
        only("screenshot", given)
        return Translation()

    def _scroll(self, given: Mapping[str, Any]) -> Translation:
        only("scroll", given, "x", "y", "scroll_x", "scroll_y", "keys")
        across, down = (number("scroll", side, given.get(side, 0)) for side in ("scroll_x", "scroll_y"))
        return wheel(across, down, **_at("scroll", given))

    def _type(self, given: Mapping[str, Any]) -> Translation:
        only("type", given, "text")
        return one("type", text=text("type", "text", given.get("text")))

    def _wait(self, given: Mapping[str, Any]) -> Translation:
        only("wait", given)
        return one("wait", seconds=2.0)
