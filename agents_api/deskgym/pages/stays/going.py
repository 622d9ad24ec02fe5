"""What every page object of Harbourstay needs: going to a page, sending a form, reading what a page says."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import urlencode

from playwright.async_api import Locator

from ..visit import PATIENCE, PageFault, Refused, Visit

Action = Callable[[Visit, dict[str, Any]], Awaitable[dict[str, Any]]]
_CODE = re.compile(r"^/stays/trips/(HB\d{6})$")


def address(path: str, values: Mapping[str, Any]) -> str:
    """An address with a query of what is given; lists are repeated, a yes is a 1."""
    plain = {name: 1 if value is True else value for name, value in values.items() if value not in (None, False, "")}
    return f"{path}?{urlencode(plain, doseq=True)}" if plain else path


async def refused(visit: Visit) -> None:
    """Raise Refused where the page says that nothing was done."""
    await visit.check()
    alerts = visit.main.get_by_role("alert")
    if await alerts.count():
        raise Refused(" ".join((await alerts.first.inner_text()).split()))


async def send(visit: Visit, button: str | re.Pattern[str], scope: Locator | None = None) -> None:
    """Press the button that sends a form. Raises Refused where the page comes again and says why."""
    found = (scope or visit.main).get_by_role("button", name=button, exact=isinstance(button, str))
    before = visit.page.url
    await visit.press(found)
    await refused(visit)
    if visit.page.url == before:
        raise PageFault(f"{visit.path}: {button} led nowhere")


def landed(visit: Visit) -> str:
    """The code of the reservation whose page is shown. Raises PageFault on any other page."""
    found = _CODE.match(visit.path)
    if found is None:
        raise PageFault(f"{visit.path} is no reservation's page")
    return found[1]


async def hidden(visit: Visit, name: str) -> str:
    """What a form of the page will send along without showing it; "" where there is none."""
    field = visit.main.locator(f'input[type="hidden"][name="{name}"]')
    return await field.first.input_value(timeout=PATIENCE) if await field.count() else ""


async def echoed(visit: Visit, name: str, given: str | None) -> None:
    """Compare the amount that a form confirms with the one that is meant. Raises Refused where they differ."""
    shown = await hidden(visit, name)
    if given is not None and shown != given:
        raise Refused(f"the page shows {shown}, not {given}")


async def radio(scope: Locator, value: str) -> Locator:
    """The radio button that stands for a value. Raises PageFault where there is none."""
    for one in await scope.get_by_role("radio").all():
        if await one.get_attribute("value", timeout=PATIENCE) == value:
            return one
    raise PageFault(f"no choice stands for {value}")
