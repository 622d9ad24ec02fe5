"""BrowserGym's action strings: `click('e12')`, `fill('e7', 'text')`, `send_msg_to_user('42')`.

A bid is a ref of our observation. The strings are read as data: calls with literal arguments, nothing is run.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

from ..browser import ActionError, Observation
from .translation import Translation, held, number, one, point, unknown, waited, wheel

Work = Callable[..., Translation]


class BrowserGym:
    """Action strings of the sets `bid`, `coord`, `nav`, `tab`, `chat` and `infeas`."""

    def translate_text(self, given: str, seen: Observation) -> Translation:
        """One or more calls, a line each. Raises ActionError before any is done."""
        done = [self.translate(name, arguments, seen) for name, arguments in _calls(given)]
        return Translation(tuple(action for part in done for action in part.actions))

    def translate(self, name: str, given: Mapping[str, Any], seen: Observation) -> Translation:
        """As `Translator`; positional arguments are those with a number for a name."""
        if name == "tab_focus":
            return _tab_focus(seen, *_split(given)[0])
        if name not in _WORK:
            raise unknown(name, (*_WORK, "tab_focus"))
        places, names = _split(given)
        try:
            bound = signature(_WORK[name]).bind(*places, **names)
        except TypeError as error:
            raise ActionError(f"{name}{signature(_WORK[name])}: {error}".replace(" -> 'Translation'", "")) from None
        return _WORK[name](*bound.args, **bound.kwargs)


def _split(given: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    places = [given[name] for name in sorted((name for name in given if name.isdigit()), key=int)]
    return places, {name: value for name, value in given.items() if not name.isdigit()}


def _calls(given: str) -> list[tuple[str, dict[str, Any]]]:
    try:
        body = ast.parse(given.strip().removeprefix("```python").strip("`").strip()).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ActionError(f"an action is a call such as click('e12'), not {given[:200]!r}") from None
    if not body:
        raise ActionError("there is no action; write a call such as click('e12')")
    return [_call(statement) for statement in body]


def _call(statement: ast.stmt) -> tuple[str, dict[str, Any]]:
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise ActionError("an action is a call such as click('e12'), nothing else")
    if any(isinstance(part, ast.Starred) for part in call.args) or any(word.arg is None for word in call.keywords):
        raise ActionError(f"{call.func.id}: give each argument by itself")
    try:
        arguments = {str(at): ast.literal_eval(part) for at, part in enumerate(call.args)}
        arguments |= {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
    except (ValueError, TypeError):
        raise ActionError(f"{call.func.id}: arguments are texts, numbers and lists of them") from None
    return call.func.id, arguments


def _click(bid: str, button: str = "left", modifiers: Any = None) -> Translation:
    return one("click", ref=bid, button=None if button == "left" else button, modifiers=held("click", modifiers))


def _dblclick(bid: str, button: str = "left", modifiers: Any = None) -> Translation:
    chosen = None if button == "left" else button
    return one("click", ref=bid, button=chosen, count=2, modifiers=held("dblclick", modifiers))


def _fill(bid: str, value: str, enable_autocomplete_menu: bool = False) -> Translation:
    return one("fill", ref=bid, text=value)


def _press(bid: str, key_comb: str) -> Translation:
    return Translation((*_focus(bid).actions, {"action": "key", "text": key_comb}))


def _focus(bid: str) -> Translation:
    return one("click", ref=bid)


def _select_option(bid: str, options: Any) -> Translation:
    return one("select", ref=bid, values=options if isinstance(options, list) else [options])


def _scroll(delta_x: float, delta_y: float) -> Translation:
    return wheel(number("scroll", "delta_x", delta_x), number("scroll", "delta_y", delta_y))


def _mouse_click(x: float, y: float, button: str = "left") -> Translation:
    return one("click", coordinate=point("mouse_click", "x, y", [x, y]), button=None if button == "left" else button)


def _mouse_dblclick(x: float, y: float, button: str = "left") -> Translation:
    chosen = None if button == "left" else button
    return one("click", coordinate=point("mouse_dblclick", "x, y", [x, y]), button=chosen, count=2)


def _mouse_move(x: float, y: float) -> Translation:
    return one("hover", coordinate=point("mouse_move", "x, y", [x, y]))


def _mouse_drag(from_x: float, from_y: float, to_x: float, to_y: float) -> Translation:
    name = "mouse_drag_and_drop"
    ends = {"from": point(name, "from", [from_x, from_y]), "to": point(name, "to", [to_x, to_y])}
    return Translation(({"action": "drag"} | ends,))


def _drag(from_bid: str, to_bid: str) -> Translation:
    return Translation(({"action": "drag", "from": from_bid, "to": to_bid},))


def _key(key: str) -> Translation:
    return one("key", text=key)


def _typed(text: str) -> Translation:
    return one("type", text=text)


def _noop(wait_ms: float = 1000) -> Translation:
    return waited("noop", number("noop", "wait_ms", wait_ms) / 1000)


def _message(text: str) -> Translation:
    """The agent's last word is its answer: JSON where it is JSON, else the text itself."""
    try:
        answer = json.loads(text)
    except (TypeError, ValueError):
        answer = text
    return one("submit", status="done", answer=answer)


def _infeasible(reason: str) -> Translation:
    return one("submit", status="infeasible", reason_code=reason)


def _tab_focus(seen: Observation, index: Any = None) -> Translation:
    if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < len(seen.tabs):
        raise ActionError(f"tab_focus: index is 0 to {len(seen.tabs) - 1}, not {index!r}")
    return one("switch_tab", tab=seen.tabs[index].tab)


_WORK: dict[str, Work] = {
    "check": lambda bid: one("check", ref=bid, value=True),
    "clear": lambda bid: one("fill", ref=bid, text=""),
    "click": _click,
    "dblclick": _dblclick,
    "drag_and_drop": _drag,
    "fill": _fill,
    "focus": _focus,
    "go_back": lambda: one("back"),
    "go_forward": lambda: one("forward"),
    "goto": lambda url: one("navigate", url=url),
    "hover": lambda bid: one("hover", ref=bid),
    "keyboard_insert_text": _typed,
    "keyboard_press": _key,
    "keyboard_type": _typed,
    "mouse_click": _mouse_click,
    "mouse_dblclick": _mouse_dblclick,
    "mouse_drag_and_drop": _mouse_drag,
    "mouse_move": _mouse_move,
    "new_tab": lambda: one("new_tab"),
    "noop": _noop,
    "press": _press,
    "report_infeasible": _infeasible,
    "scroll": _scroll,
    "select_option": _select_option,
    "send_msg_to_user": _message,
    "tab_close": lambda: one("close_tab"),
    "uncheck": lambda bid: one("check", ref=bid, value=False),
    "upload_file": lambda bid, file: one("upload", ref=bid, file=file),
}
