"""Page objects: each tool call carried out by hand in the pages, by accessible names alone."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from deskgym.browser import Session

from .visit import PageFault, Refused, Visit, Widgets

__all__ = ["PageFault", "Refused", "Visit", "perform"]

_APP_OF = {"submit_answer": "desk", "finish": "desk"}


async def perform(
    session: Session,
    tool: str,
    args: Mapping[str, Any],
    *,
    base_url: str,
    widgets: Widgets,
    labels: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Carry out one tool call in the pages, as exactly one command, and return what the tool would.

    `widgets`: the episode's variant, "aria" or "native"; `labels`: its label synonyms.
    Raises Refused where the pages refuse it as the tool would, PageFault where a page is not as expected, and
    ValueError for a tool that has no page object.
    """
    app = _APP_OF.get(tool) or tool.split("_", 1)[0]
    verb = tool if tool in _APP_OF else tool.removeprefix(f"{app}_")
    try:
        actions = import_module(f"{__name__}.{app}").ACTIONS
    except ModuleNotFoundError:
        raise ValueError(f'no app of the pages has a tool "{tool}"') from None
    if verb not in actions:
        raise ValueError(f'there is no page object for the tool "{tool}"')
    visit = Visit(session, base_url.rstrip("/"), widgets, labels or {})
    result: dict[str, Any] = await actions[verb](visit, dict(args))
    return result
