"""Pointer and keyboard on one page: the actions that a person does with their hands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from playwright.async_api import Error, FilePayload, Page

from . import choose
from .actions import (
    ActionError,
    Check,
    Click,
    Drag,
    Fill,
    Hover,
    Key,
    Scroll,
    Select,
    Type,
    Upload,
)
from .aim import Aim, aim
from .files import read_upload

Point = tuple[float, float]
NOTCH = 100  # pixels a turn of the wheel scrolls
_DRAG_STEPS = 8

# Inputs whose value is set at once, since their parts cannot be typed in one way everywhere.
_WHOLE_VALUE = frozenset({"date", "datetime-local", "month", "week", "time", "color", "range"})
_NOT_TEXT = frozenset({"checkbox", "radio", "file", "submit", "button", "reset", "image", "hidden"})

_KEY_NAMES = {
    "ctrl": "Control", "cmd": "Meta", "super": "Meta", "win": "Meta", "option": "Alt", "return": "Enter",
    "kp_enter": "Enter", "esc": "Escape", "del": "Delete", "ins": "Insert", "space": " ", "spacebar": " ",
    "up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight", "page_up": "PageUp",
    "pgup": "PageUp", "page_down": "PageDown", "pgdn": "PageDown", "plus": "+", "minus": "-", "prior": "PageUp",
    "next": "PageDown", "comma": ",", "period": ".", "slash": "/", "control_l": "Control", "control_r": "Control",
    "shift_l": "Shift", "shift_r": "Shift", "alt_l": "Alt", "super_l": "Meta", "command": "Meta",
    "controlormeta": "Control",
}  # fmt: skip
_EDITING_KEYS = ("Enter", "Escape", "Delete", "Insert", "Backspace", "Tab", "Home", "End", "PageUp", "PageDown")
_ARROW_KEYS = ("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight")
_PLAIN_KEYS = (*_EDITING_KEYS, *_ARROW_KEYS, *(f"F{number}" for number in range(1, 13)))
_MODIFIER_KEYS = ("Control", "Meta", "Alt", "Shift")
_KEY_BY_LOWER = {name.lower(): name for name in (*_PLAIN_KEYS, *_MODIFIER_KEYS)} | _KEY_NAMES


def held_keys(names: Sequence[str]) -> list[str]:
    """Modifiers by any of their names, each once: `ctrl` -> `Control`. Raises ActionError for what cannot be held."""
    held = [_KEY_BY_LOWER.get(name.strip().lower(), name) for name in names]
    for name in held:
        if name not in _MODIFIER_KEYS:
            raise ActionError(f'"{name}" cannot be held down; use Control, Shift, Alt or Meta')
    return list(dict.fromkeys(held))


def key_name(text: str) -> str:
    """A key or combination as Playwright spells it: `ctrl+a` -> `Control+a`. Raises ActionError for an unknown one."""
    parts = re.split(r"\+(?=.)", text) if text != "+" else [text]
    names = [_KEY_BY_LOWER.get(part.lower(), part) for part in parts]
    held_keys(names[:-1])
    last = names[-1]
    if len(last) != 1 and last not in _PLAIN_KEYS:
        raise ActionError(f'key: there is no key "{last}"; use one character or {", ".join(_PLAIN_KEYS)}')
    return "+".join(names)


class Hands:
    """Acts on a page. Every method raises ActionError where a person could not do it either."""

    def __init__(self, page: Page, files: Path | None) -> None:
        self.page = page
        self.files = files

    async def click(self, action: Click) -> Point:
        """Click; returns where."""
        spot = await aim(self.page, action.ref, action.coordinate)
        for modifier in action.modifiers:
            await self.page.keyboard.down(modifier)
        try:
            await self.page.mouse.click(spot.x, spot.y, button=action.button, click_count=action.count)
        finally:
            for modifier in reversed(action.modifiers):
                await self.page.keyboard.up(modifier)
        return spot.x, spot.y

    async def hover(self, action: Hover) -> Point:
        """Move the pointer there; returns where."""
        spot = await aim(self.page, action.ref, action.coordinate, strict=False)
        await self.page.mouse.move(spot.x, spot.y)
        return spot.x, spot.y

    async def fill(self, action: Fill) -> Point:
        """Replace the content of a text field by focusing it, selecting all and typing."""
        spot = await aim(self.page, action.ref, action.coordinate)
        self._check_writable(spot)
        if spot.about["type"] in _WHOLE_VALUE:
            await self._set_value(spot, action.text)
        else:
            await (await spot.element()).select_text(timeout=1_500)
            await self._write(action.text)
        return spot.x, spot.y

    async def _write(self, text: str) -> None:
        if text:
            await self.page.keyboard.insert_text(text)
        else:
            await self.page.keyboard.press("Delete")

    async def _set_value(self, spot: Aim, text: str) -> None:
        try:
            await (await spot.element()).fill(text, timeout=1_500)
        except Error as error:
            kind = spot.about["type"]
            raise ActionError(f'{spot.what} takes a {kind}; "{text[:60]}" is not one') from error

    def _check_writable(self, spot: Aim) -> None:
        about = spot.about
        writable = about["editable"] or about["tag"] in ("input", "textarea")
        if not writable or about["type"] in _NOT_TEXT:
            verbs = {"select": "select", "checkbox": "check", "radio": "check", "file": "upload"}
            better = verbs.get(about["type"]) or verbs.get(about["tag"])
            hint = f"; use {better}" if better else ""
            raise ActionError(f"{spot.what} is not a text field{hint}")
        if about["disabled"]:
            raise ActionError(f"{spot.what} is disabled")
        if about["readonly"]:
            raise ActionError(f"{spot.what} is read-only")

    async def type(self, action: Type) -> Point | None:
        """Type key by key, after a click on the target if one is given."""
        where: Point | None = None
        if action.ref is not None or action.coordinate is not None:
            spot = await aim(self.page, action.ref, action.coordinate)
            where = spot.x, spot.y
            await self.page.mouse.click(*where)
        await self.page.keyboard.type(action.text)
        return where

    async def key(self, action: Key) -> None:
        """Press one key or combination."""
        await self.page.keyboard.press(key_name(action.text))

    async def select(self, action: Select) -> Point:
        """Choose options by name."""
        spot = await aim(self.page, action.ref, action.coordinate)
        await choose.choose(self.page, spot, action.values)
        return spot.x, spot.y

    async def check(self, action: Check) -> Point:
        """Bring a check box, switch or radio button into a state, by a click if it is in another."""
        spot = await aim(self.page, action.ref, action.coordinate)
        if spot.about["type"] not in ("checkbox", "radio") and spot.about["role"] not in (
            "checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio",
        ):  # fmt: skip
            raise ActionError(f"{spot.what} is not a check box, switch or radio button")
        if spot.about["checked"] == action.value:
            return spot.x, spot.y
        if not action.value and "radio" in (spot.about["type"], spot.about["role"]):
            raise ActionError(f"{spot.what} is a radio button; choose another one of its group instead")
        await self.page.mouse.click(spot.x, spot.y)
        return spot.x, spot.y

    async def drag(self, action: Drag) -> Point:
        """Press, move in steps, release. Both ends must be in view at once."""
        await self._end(action.source)
        goal = await self._end(action.target)
        begin = await self._end(action.source)
        if await self._end(action.target) != goal:
            raise ActionError("drag: the two ends are not in view at the same time")
        await self.page.mouse.move(*begin)
        await self.page.mouse.down()
        try:
            await self.page.mouse.move(*goal, steps=_DRAG_STEPS)
        finally:
            await self.page.mouse.up()
        return begin

    async def _end(self, place: str | list[float]) -> Point:
        by_ref = isinstance(place, str)
        spot = await aim(self.page, place if by_ref else None, None if by_ref else list(place), strict=False)  # type: ignore[arg-type]
        return spot.x, spot.y

    async def scroll(self, action: Scroll) -> Point:
        """Turn the wheel over the target or the middle of the page."""
        if action.ref is not None or action.coordinate is not None:
            spot = await aim(self.page, action.ref, action.coordinate, strict=False)
            where = spot.x, spot.y
        else:
            width, height = await self.page.evaluate("[innerWidth, innerHeight]")
            where = width / 2, height / 2
        sign = -1 if action.direction in ("up", "left") else 1
        delta = sign * NOTCH * action.amount
        across = action.direction in ("left", "right")
        await self.page.mouse.move(*where)
        await self.page.mouse.wheel(delta if across else 0, 0 if across else delta)
        # The wheel is handled beside the page's own thread: its effect is in the frame after the next.
        await self.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return where

    async def upload(self, action: Upload) -> Point:
        """Give a file of the episode's folder to a file field."""
        spot = await aim(self.page, action.ref, action.coordinate)
        if spot.about["type"] != "file":
            raise ActionError(f"{spot.what} is not a file field")
        name, content = read_upload(self.files, action.file)
        payload: FilePayload = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
        await (await spot.element()).set_input_files(payload, timeout=5_000)
        return spot.x, spot.y
