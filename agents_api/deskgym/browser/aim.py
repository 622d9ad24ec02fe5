"""From a ref or a coordinate to a point that a person could click: scrolled into view and not covered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, cast

from playwright.async_api import ElementHandle, Error, Page

from .actions import ActionError
from .tabs import script

_AIM = script("aim.js")
_AIM_ELEMENT = f"(element, options) => ({_AIM})([element], options)"
_AIM_POINT = f"([point, options]) => ({_AIM})(point, options)"
_FAULTS = {
    "hidden": "it is not visible",
    "disabled": "it is disabled",
    "frame": "it is inside a frame, which is not part of this workplace",
    "nothing": "there is nothing at this point",
}

# Of a ref whose element left the page, and of one of an earlier page.
_UNKNOWN_REF = ("Failed to find element", "Invalid frame in aria-ref")


@dataclass(frozen=True)
class Aim:
    """A point in CSS pixels of the viewport, and what `aim.js` said of the element there."""

    x: float
    y: float
    about: dict[str, Any]
    locate: Callable[[], Awaitable[ElementHandle | None]]

    @property
    def what(self) -> str:
        """Role and name for messages, such as `button "Save"`."""
        return str(self.about["what"])

    async def element(self) -> ElementHandle:
        """The element itself. Raises ActionError where it went away meanwhile."""
        found = await self.locate()
        if found is None:
            raise ActionError(f"{self.what} went away")
        return found


async def aim_at_ref(page: Page, ref: str, *, strict: bool = True) -> Aim:
    """The point of the element that `ref` means in the latest snapshot of the page.

    Raises ActionError where the element is gone, hidden, covered, or (when `strict`) disabled.
    """
    selector = f"aria-ref={ref}"

    async def locate() -> ElementHandle | None:
        return await page.query_selector(selector)

    try:
        found = await page.eval_on_selector(selector, _AIM_ELEMENT, {"strict": strict})
    except Error as error:
        if any(words in error.message for words in _UNKNOWN_REF):
            raise ActionError(f"{ref} is not on the page now; take refs from the latest observation") from None
        raise
    return _aim(found, ref, locate)


async def aim_at_element(element: ElementHandle, called: str, *, strict: bool = True) -> Aim:
    """The same for an element at hand; `called` names it in messages."""

    async def locate() -> ElementHandle | None:
        return element

    found = await element.evaluate(_AIM_ELEMENT, {"strict": strict})
    return _aim(found, called, locate)


async def aim_at_point(page: Page, x: float, y: float) -> Aim:
    """Whatever is at a point of the viewport. Raises ActionError for a point outside it."""
    point, called = {"x": x, "y": y}, f"[{x:g}, {y:g}]"

    async def locate() -> ElementHandle | None:
        return (await page.evaluate_handle(_AIM_POINT, [point, {"pick": True}])).as_element()

    found = await page.evaluate(_AIM_POINT, [point, {"strict": False}])
    if found.get("fault") == "outside":
        raise ActionError(f"{called} is outside the page, which shows {found['width']} x {found['height']} pixels")
    return _aim(found, called, locate)


async def aim(page: Page, ref: str | None, coordinate: list[float] | None, *, strict: bool = True) -> Aim:
    """The point of an action that names a ref or a coordinate."""
    if ref is not None:
        return await aim_at_ref(page, ref, strict=strict)
    x, y = cast("list[float]", coordinate)
    return await aim_at_point(page, x, y)


def _aim(found: dict[str, Any], called: str, locate: Callable[[], Awaitable[ElementHandle | None]]) -> Aim:
    fault = found.get("fault")
    if fault is None:
        return Aim(found["x"], found["y"], found, locate)
    if fault == "stale":
        raise ActionError(f"{called} is not on the page now; take refs from the latest observation")
    if fault == "covered":
        raise ActionError(f"{called}, {found['what']}, is covered by {found['cover']}")
    raise ActionError(f"{called}, {found.get('what', 'the point')}: {_FAULTS[fault]}")


def is_stale(error: Error) -> bool:
    """Whether Playwright says that the element or its document went away while it was acted on."""
    return any(words in error.message for words in ("not attached", "context was destroyed", "Cannot find context"))
