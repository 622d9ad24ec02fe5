"""Anthropic's tools: the computer (`computer_20251124`, `computer_toolset_20260801`) and the browser toolset.

The older computer tool has one name and its verb in `action`; a toolset's member has its own name. Zooming and
reading pixels are not offered: leave `zoom` out of the toolset's members, screenshots have full resolution.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from ..browser import ActionError, Observation
from .translation import (
    Translation,
    held,
    node_of,
    one,
    only,
    point,
    put_into,
    text,
    unknown,
    waited,
    whole,
)

_CLICKS = {
    "left_click": ("left", 1),
    "right_click": ("right", 1),
    "middle_click": ("middle", 1),
    "double_click": ("left", 2),
    "triple_click": ("left", 3),
}
_DIRECTIONS = ("up", "down", "left", "right")


def _clicked(name: str, target: Mapping[str, Any], modifiers: Any) -> Translation:
    button, count = _CLICKS[name]
    return one(
        "click",
        **target,
        button=None if button == "left" else button,
        count=None if count == 1 else count,
        modifiers=held(name, modifiers),
    )


def _keys(name: str, given: Mapping[str, Any]) -> Translation:
    """Keys by xdotool's rules: combinations with +, several in a row with blanks between them."""
    keys = text(name, "text", given.get("text"))
    if not keys:
        raise ActionError(f"{name}: text names a key, such as Return or ctrl+s")
    pressed = keys.split() or [" "]
    times = whole(name, "repeat", given.get("repeat", 1))
    return Translation(tuple({"action": "key", "text": item} for _ in range(times) for item in pressed))


def _direction(name: str, given: Mapping[str, Any]) -> str:
    direction = given.get("scroll_direction")
    if direction not in _DIRECTIONS:
        raise ActionError(f"{name}: scroll_direction is one of {', '.join(_DIRECTIONS)}, not {direction!r}")
    return str(direction)


class Computer:
    """The computer tool: pixels of the screenshot, a pointer that stays where it was left, a button that can be held.

    A key can be pressed but not held for a time; the pages have nothing that would notice.
    """

    NAMES: ClassVar[tuple[str, ...]] = (
        *_CLICKS,
        *("key", "hold_key", "type", "cursor_position", "mouse_move", "left_mouse_down", "left_mouse_up"),
        *("left_click_drag", "scroll", "wait", "screenshot"),
    )

    def __init__(self) -> None:
        self.pointer: list[float] = [0.0, 0.0]
        self._pressed: list[float] | None = None

    def translate(self, name: str, given: Mapping[str, Any], seen: Observation) -> Translation:
        """As `Translator`. `computer` with an `action` is the older tool."""
        if name == "computer":
            given = dict(given)
            name = str(given.pop("action", ""))
        if name in _CLICKS:
            only(name, given, "coordinate", "text")
            self._move(name, given)
            return _clicked(name, {"coordinate": self.pointer}, given.get("text"))
        if name not in self.NAMES:
            raise unknown(name, self.NAMES)
        work: Callable[[Mapping[str, Any]], Translation] = getattr(self, f"_{name}")
        return work(given)

    def _move(self, name: str, given: Mapping[str, Any], argument: str = "coordinate") -> None:
        if given.get(argument) is not None:
            self.pointer = point(name, argument, given[argument])

    def _key(self, given: Mapping[str, Any]) -> Translation:
        only("key", given, "text", "repeat")
        return _keys("key", given)

    def _hold_key(self, given: Mapping[str, Any]) -> Translation:
        only("hold_key", given, "text", "duration")
        return _keys("hold_key", {"text": given.get("text")})

    def _type(self, given: Mapping[str, Any]) -> Translation:
        only("type", given, "text")
        return one("type", text=text("type", "text", given.get("text")))

    def _cursor_position(self, given: Mapping[str, Any]) -> Translation:
        only("cursor_position", given)
        return Translation(reply="X={:g},Y={:g}".format(*self.pointer))

    def _mouse_move(self, given: Mapping[str, Any]) -> Translation:
        only("mouse_move", given, "coordinate")
        self.pointer = point("mouse_move", "coordinate", given.get("coordinate"))
        return Translation() if self._pressed else one("hover", coordinate=self.pointer)

    def _left_mouse_down(self, given: Mapping[str, Any]) -> Translation:
        only("left_mouse_down", given)
        if self._pressed is not None:
            raise ActionError("left_mouse_down: the button is down already; release it with left_mouse_up")
        self._pressed = self.pointer
        return Translation()

    def _left_mouse_up(self, given: Mapping[str, Any]) -> Translation:
        only("left_mouse_up", given)
        if self._pressed is None:
            raise ActionError("left_mouse_up: the button is not down; press it with left_mouse_down")
        start, self._pressed = self._pressed, None
        if start == self.pointer:
            return one("click", coordinate=start)
        return Translation(({"action": "drag", "from": start, "to": self.pointer},))

    def _left_click_drag(self, given: Mapping[str, Any]) -> Translation:
        only("left_click_drag", given, "start_coordinate", "coordinate", "text")
        self._move("left_click_drag", given, "start_coordinate")
        start = self.pointer
        self.pointer = point("left_click_drag", "coordinate", given.get("coordinate"))
        return Translation(({"action": "drag", "from": start, "to": self.pointer},))

    def _scroll(self, given: Mapping[str, Any]) -> Translation:
        only("scroll", given, "scroll_direction", "scroll_amount", "coordinate", "text")
        self._move("scroll", given)
        amount = whole("scroll", "scroll_amount", given.get("scroll_amount", 3))
        target = {} if given.get("coordinate") is None else {"coordinate": self.pointer}
        return one("scroll", direction=_direction("scroll", given), amount=amount, **target)

    def _wait(self, given: Mapping[str, Any]) -> Translation:
        only("wait", given, "duration")
        return waited("wait", given.get("duration", 1))

    def _screenshot(self, given: Mapping[str, Any]) -> Translation:
        only("screenshot", given)
        return Translation()


class Browser:
    """The browser toolset: targets are `{"type": "ref", "ref"}` or `{"type": "coordinate", "x", "y"}`, tabs have ids.

    Scripts, the console, the network and files of the host are not offered.
    """

    NAMES: ClassVar[tuple[str, ...]] = (
        *_CLICKS,
        *("navigate", "screenshot", "hover", "left_click_drag", "mouse_move", "scroll", "scroll_to", "type", "key"),
        *("hold_key", "form_input", "read_page", "find", "get_page_text", "list_tabs", "new_tab", "switch_tab"),
        *("close_tab", "wait"),
    )

    def translate(self, name: str, given: Mapping[str, Any], seen: Observation) -> Translation:
        """As `Translator`. With a `tab_id` of another tab that tab comes to the front first."""
        given = dict(given)
        if name not in self.NAMES:
            raise unknown(name, self.NAMES)
        if name in ("switch_tab", "close_tab"):
            only(name, given, "tab_id")
            return one(name, tab=_tab(name, given.get("tab_id"), seen))
        before: tuple[dict[str, Any], ...] = ()
        if given.get("tab_id") is not None:
            wanted = _tab(name, given.pop("tab_id"), seen)
            if not any(tab.active and tab.tab == wanted for tab in seen.tabs):
                before = ({"action": "switch_tab", "tab": wanted},)
        done = self._clicked(name, given) if name in _CLICKS else self._done(name, given, seen)
        if before and done.reply is not None:
            raise ActionError(f"{name} reads the tab in front; go to tab {before[0]['tab']} with switch_tab first")
        return Translation(before + done.actions, done.reply)

    def _clicked(self, name: str, given: Mapping[str, Any]) -> Translation:
        only(name, given, "target", "modifiers")
        return _clicked(name, _target(name, given.get("target")), given.get("modifiers"))

    def _done(self, name: str, given: Mapping[str, Any], seen: Observation) -> Translation:
        work: Callable[[Mapping[str, Any], Observation], Translation] = getattr(self, f"_{name}")
        return work(given, seen)

    def _navigate(self, given: Mapping[str, Any], _seen: Observation) -> Translation:
        only("navigate", given, "url")
        url = text("navigate", "url", given.get("url"))
        return one(url) if url in ("back", "forward", "reload") else one("navigate", url=url)

    def _screenshot(self, given: Mapping[str, Any], _seen: Observation) -> Translation:
        only("screenshot", given)
        return Translation()

    def _hover(self, given: Mapping[str, Any], _seen: Observation) -> Translation:
        only("hover", given, "target")
        return one("hover", **_target("hover", given.get("target")))

    _mouse_move = _hover
    _scroll_to = _hover

    def _left_click_drag(self, given: Mapping[str, Any], _seen: Observation) -> Translation:
        only("left_click_drag", given, "from", "target")
        ends = [_target("left_click_drag", given.get(end)) for end in ("from", "target")]
        start, end = (next(iter(place.values())) for place in ends)
        return Translation(({"action": "drag", "from": start, "to": end},))

    def _scroll(self, given: Mapping[str, Any], _seen: Observation) -> Translation:
        only("scroll", given, "target", "scroll_direction", "scroll_amount")
        amount = whole("scroll", "scroll_amount", given.get("scroll_amount", 3))
        target = {} if given.get("target") is None else _target("scroll", given["target"])
        return one("scroll", direction=_direction("scroll", given), amount=amount, **target)

    def _type(self, given: Mapping[str, Any], _seen: Observation) -> Translation:
        only("type", given, "text")
        return one("type", text=text("type", "text", given.get("text")))

    def _key(self, given: Mapping[str, Any], _seen: Observation) -> Translation:
        only("key", given, "text", "repeat")
        return _keys("key", given)

    def _hold_key(self, given: Mapping[str, Any], _seen: Observation) -> Translation:
        only("hold_key", given, "text", "duration")
        return _keys("hold_key", {"text": given.get("text")})

    def _form_input(self, given: Mapping[str, Any], seen: Observation) -> Translation:
        only("form_input", given, "target", "ref", "value")
        target = given.get("target", given.get("ref"))
        ref = target if isinstance(target, str) else _target("form_input", target).get("ref")
        if not isinstance(ref, str):
            raise ActionError("form_input needs a ref as its target")
        return put_into("form_input", ref, given.get("value"), seen)

    def _read_page(self, given: Mapping[str, Any], seen: Observation) -> Translation:
        only("read_page", given, "filter", "depth", "ref")
        if given.get("ref") is not None:
            node_of("read_page", str(given["ref"]), seen)
        return Translation(reply=_part(seen.aria, given.get("ref"), given.get("filter"), given.get("depth")))

    def _find(self, given: Mapping[str, Any], seen: Observation) -> Translation:
        only("find", given, "query")
        words = text("find", "query", given.get("query")).casefold().split()
        lines = [line.strip() for line in seen.aria.splitlines() if "[ref=" in line]
        found = [line for line in lines if all(word in line.casefold() for word in words)]
        return Translation(reply="\n".join(found) or "nothing on this page has all these words")

    def _get_page_text(self, given: Mapping[str, Any], seen: Observation) -> Translation:
        only("get_page_text", given)
        return Translation(reply=seen.aria)

    def _list_tabs(self, given: Mapping[str, Any], seen: Observation) -> Translation:
        only("list_tabs", given)
        rows = [{"tab_id": tab.tab, "url": tab.url, "title": tab.title, "active": tab.active} for tab in seen.tabs]
        return Translation(reply=json.dumps(rows, ensure_ascii=False))

    def _new_tab(self, given: Mapping[str, Any], _seen: Observation) -> Translation:
        only("new_tab", given, "url")
        return one("new_tab", url=given.get("url"))

    def _wait(self, given: Mapping[str, Any], _seen: Observation) -> Translation:
        only("wait", given, "duration")
        return waited("wait", given.get("duration", 1))


def _target(name: str, given: Any) -> dict[str, Any]:
    kind = given.get("type") if isinstance(given, Mapping) else None
    if kind == "ref":
        return {"ref": text(name, "ref", given.get("ref"))}
    if kind == "coordinate":
        return {"coordinate": point(name, "target", [given.get("x"), given.get("y")])}
    raise ActionError(f'{name}: a target is {{"type": "ref", "ref"}} or {{"type": "coordinate", "x", "y"}}')


def _tab(name: str, given: Any, seen: Observation) -> int:
    known = [tab.tab for tab in seen.tabs]
    try:
        wanted = int(given)
    except (TypeError, ValueError):
        wanted = -1
    if wanted not in known:
        raise ActionError(f"{name}: there is no tab {given!r}; tabs: {', '.join(map(str, known))}")
    return wanted


_INTERACTIVE = (
    *("link", "button", "textbox", "searchbox", "spinbutton", "combobox", "listbox", "option", "checkbox", "radio"),
    *("switch", "slider", "tab", "menuitem", "menuitemcheckbox", "menuitemradio"),
)


def _part(aria: str, ref: Any, kinds: Any, depth: Any) -> str:
    """The tree, or what is below `ref`; to a depth; of `interactive` roles alone."""
    if kinds not in (None, "", "all", "interactive"):
        raise ActionError(f'read_page: filter is "all" or "interactive", not {kinds!r}')
    lines = aria.splitlines()
    if ref is not None:
        lines = _below(lines, f"[ref={ref}]")
    if depth is not None:
        deepest = whole("read_page", "depth", depth, 0)
        start = min(map(_indent, lines), default=0)
        lines = [line for line in lines if (_indent(line) - start) // 2 <= deepest]
    if kinds == "interactive":
        lines = [line.strip() for line in lines if line.strip().removeprefix("- ").split(" ")[0] in _INTERACTIVE]
    return "\n".join(lines)


def _below(lines: list[str], mark: str) -> list[str]:
    at = next(number for number, line in enumerate(lines) if mark in line)
    inside = [lines[at]]
    for line in lines[at + 1 :]:
        if _indent(line) <= _indent(lines[at]):
            break
        inside.append(line)
    return inside


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
