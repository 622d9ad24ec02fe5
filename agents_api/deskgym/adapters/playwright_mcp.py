"""Names of Playwright's MCP server (`browser_click` and so on), its older `ref` for `target` included.

Only refs are targets: selectors and code belong to a harness that drives the browser itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from ..browser import ActionError, Observation
from .translation import Translation, held, number, one, only, point, put_into, text, unknown, waited, wheel

_REF = re.compile(r"(f\d+)?e\d+")


def _ref(name: str, given: Mapping[str, Any], *arguments: str) -> str:
    value = next((given[argument] for argument in arguments if given.get(argument) is not None), None)
    if not isinstance(value, str) or not _REF.fullmatch(value):
        raise ActionError(f"{name}: {arguments[0]} is a ref of the latest snapshot such as e12, not {value!r}")
    return value


def _click(given: Mapping[str, Any], _seen: Observation) -> Translation:
    only("browser_click", given, "target", "ref", "element", "doubleClick", "button", "modifiers")
    return one(
        "click",
        ref=_ref("browser_click", given, "target", "ref"),
        button=None if given.get("button") == "left" else given.get("button"),
        count=2 if given.get("doubleClick") else None,
        modifiers=held("browser_click", given.get("modifiers")),
    )


def _type(given: Mapping[str, Any], _seen: Observation) -> Translation:
    only("browser_type", given, "target", "ref", "element", "text", "submit", "slowly")
    ref, typed = _ref("browser_type", given, "target", "ref"), text("browser_type", "text", given.get("text"))
    done = one("type" if given.get("slowly") else "fill", ref=ref, text=typed)
    return Translation((*done.actions, {"action": "key", "text": "Enter"})) if given.get("submit") else done


def _fill_form(given: Mapping[str, Any], seen: Observation) -> Translation:
    only("browser_fill_form", given, "fields")
    fields = given.get("fields")
    if not isinstance(fields, list) or not all(isinstance(field, Mapping) for field in fields):
        raise ActionError("browser_fill_form: fields is a list of {name, type, target, value}")
    done: list[dict[str, Any]] = []
    for field in fields:
        only("a field", field, "name", "element", "type", "target", "ref", "value")
        ref = _ref("browser_fill_form", field, "target", "ref")
        done.extend(put_into("browser_fill_form", ref, field.get("value"), seen).actions)
    return Translation(tuple(done))


def _press_key(given: Mapping[str, Any], _seen: Observation) -> Translation:
    only("browser_press_key", given, "key")
    return one("key", text=text("browser_press_key", "key", given.get("key")))


def _navigate(given: Mapping[str, Any], _seen: Observation) -> Translation:
    only("browser_navigate", given, "url")
    return one("navigate", url=text("browser_navigate", "url", given.get("url")))


def _navigate_back(given: Mapping[str, Any], _seen: Observation) -> Translation:
    only("browser_navigate_back", given)
    return one("back")


def _hover(given: Mapping[str, Any], _seen: Observation) -> Translation:
    only("browser_hover", given, "target", "ref", "element")
    return one("hover", ref=_ref("browser_hover", given, "target", "ref"))


def _drag(given: Mapping[str, Any], _seen: Observation) -> Translation:
    only("browser_drag", given, "startTarget", "endTarget", "startRef", "endRef", "startElement", "endElement")
    start = _ref("browser_drag", given, "startTarget", "startRef")
    end = _ref("browser_drag", given, "endTarget", "endRef")
    return Translation(({"action": "drag", "from": start, "to": end},))


def _select_option(given: Mapping[str, Any], _seen: Observation) -> Translation:
    only("browser_select_option", given, "target", "ref", "element", "values")
    return one("select", ref=_ref("browser_select_option", given, "target", "ref"), values=given.get("values"))


def _tabs(given: Mapping[str, Any], seen: Observation) -> Translation:
    """Tabs by their place, from 0."""
    only("browser_tabs", given, "action", "index", "url")
    action, index = given.get("action"), given.get("index")
    if action == "list":
        rows = [f"- {at}:{' (current)' if tab.active else ''} [{tab.title}]({tab.url})" for at, tab in _placed(seen)]
        return Translation(reply="\n".join(rows))
    if action == "new":
        return one("new_tab", url=given.get("url"))
    if action not in ("close", "select"):
        raise ActionError(f"browser_tabs: action is list, new, close or select, not {action!r}")
    if action == "close" and index is None:
        return one("close_tab")
    if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < len(seen.tabs):
        raise ActionError(f"browser_tabs: index is 0 to {len(seen.tabs) - 1}, not {index!r}")
    return one("close_tab" if action == "close" else "switch_tab", tab=seen.tabs[index].tab)


def _placed(seen: Observation) -> list[tuple[int, Any]]:
    return list(enumerate(seen.tabs))


def _wait_for(given: Mapping[str, Any], _seen: Observation) -> Translation:
    """Waiting for a text needs no time here: a page is observed once it has settled."""
    only("browser_wait_for", given, "time", "text", "textGone")
    return Translation() if given.get("time") is None else waited("browser_wait_for", given["time"])


def _look(_given: Mapping[str, Any], _seen: Observation) -> Translation:
    return Translation()


def _mouse(name: str, verb: str) -> Callable[[Mapping[str, Any], Observation], Translation]:
    def work(given: Mapping[str, Any], _seen: Observation) -> Translation:
        only(name, given, "element", "x", "y")
        return one(verb, coordinate=point(name, "x, y", [given.get("x"), given.get("y")]))

    return work


def _mouse_drag(given: Mapping[str, Any], _seen: Observation) -> Translation:
    only("browser_mouse_drag_xy", given, "element", "startX", "startY", "endX", "endY")
    ends = [
        point("browser_mouse_drag_xy", f"{end}X, {end}Y", [given.get(f"{end}X"), given.get(f"{end}Y")])
        for end in ("start", "end")
    ]
    return Translation(({"action": "drag", "from": ends[0], "to": ends[1]},))


def _mouse_wheel(given: Mapping[str, Any], _seen: Observation) -> Translation:
    only("browser_mouse_wheel", given, "deltaX", "deltaY")
    across, down = (number("browser_mouse_wheel", side, given.get(side, 0)) for side in ("deltaX", "deltaY"))
    return wheel(across, down)


_WORK: dict[str, Callable[[Mapping[str, Any], Observation], Translation]] = {
    "browser_click": _click,
    "browser_drag": _drag,
    "browser_fill_form": _fill_form,
    "browser_hover": _hover,
    "browser_mouse_click_xy": _mouse("browser_mouse_click_xy", "click"),
    "browser_mouse_drag_xy": _mouse_drag,
    "browser_mouse_move_xy": _mouse("browser_mouse_move_xy", "hover"),
    "browser_mouse_wheel": _mouse_wheel,
    "browser_navigate": _navigate,
    "browser_navigate_back": _navigate_back,
    "browser_press_key": _press_key,
    "browser_select_option": _select_option,
    "browser_snapshot": _look,
    "browser_tabs": _tabs,
    "browser_take_screenshot": _look,
    "browser_type": _type,
    "browser_wait_for": _wait_for,
}


class PlaywrightMcp:
    """Calls of Playwright's MCP tools."""

    NAMES = tuple(_WORK)

    def translate(self, name: str, given: Mapping[str, Any], seen: Observation) -> Translation:
        """As `Translator`."""
        if name not in _WORK:
            raise unknown(name, self.NAMES)
        return _WORK[name](given, seen)
