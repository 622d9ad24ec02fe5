"""Northbeam by hand: every CRM tool as a person does it in the pages."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from playwright.async_api import Locator
from pydantic import BaseModel

from deskgym_apps.crm.service.inputs import label, widgets
from deskgym_apps.crm.service.kinds import kind_of

from .filling import Named
from .visit import PageFault, Visit

Action = Callable[[Visit, dict[str, Any]], Awaitable[dict[str, Any]]]
Controls = Mapping[str, tuple[str, str]]

_FOLDERS = {
    "account": "accounts",
    "contact": "contacts",
    "opportunity": "opportunities",
    "task": "tasks",
    "event": "events",
    "note": "notes",
}
_SAVE = re.compile(r"^(Save|Create|Log|Add|Mark|Set|Delete|Restore|Remove) ?")
_RECORD_PATH = re.compile(r"^/crm/[a-z]+/([A-Z0-9]{15})$")
CLOSED = ("Closed Won", "Closed Lost")


def controls(model: type[BaseModel]) -> Controls:
    """Field -> label and kind of its control."""
    return {name: (label(model, name), str(details["kind"])) for name, details in widgets(model).items()}


def record_path(record_id: str) -> str:
    """Where a record's page is."""
    return f"/crm/{_FOLDERS[kind_of(record_id).name]}/{record_id}"


async def meet(visit: Visit, record_id: str) -> Named:
    """Look a record up on its page, to know its name and what tells it apart."""
    await visit.go(record_path(record_id))
    return Named(await visit.heading(), await visit.main.inner_text())


async def named(visit: Visit, model: type[BaseModel], values: Mapping[str, Any]) -> dict[str, Any]:
    """Values with every record id of a lookup replaced by the record as people know it."""
    fields = controls(model)
    found = dict(values)
    for name, value in values.items():
        if name in fields and fields[name][1] == "lookup" and value is not None:
            found[name] = await meet(visit, value)
    return found


async def save(visit: Visit, scope: Locator) -> None:
    """Press the form's one button that saves. Raises Refused where the page says that nothing was saved."""
    await visit.press(scope.get_by_role("button", name=_SAVE).last)
    await visit.check()


def landed(visit: Visit) -> str:
    """The id of the record whose page is shown. Raises PageFault on any other page."""
    found = _RECORD_PATH.match(visit.path)
    if found is None:
        raise PageFault(f"{visit.path} is no record's page")
    return found[1]
