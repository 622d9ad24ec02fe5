"""What every page object of Northbeam needs: where records are, what they are called, and saving a form."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

from deskgym_apps.crm.service.kinds import kind_of

from ..filling import Named
from ..visit import PageFault, Visit
from .people import DIRECTORIES, listed

Action = Callable[[Visit, dict[str, Any]], Awaitable[dict[str, Any]]]

FOLDERS = {
    "account": "accounts",
    "contact": "contacts",
    "opportunity": "opportunities",
    "case": "cases",
    "quote": "quotes",
    "product": "products",
    "pricebook": "price-books",
    "pricebook_entry": "prices",
    "lead": "leads",
    "task": "tasks",
    "event": "events",
    "note": "notes",
    "article": "articles",
    "email": "emails",
    "call": "calls",
}
_RECORD = re.compile(r"^/crm/[a-z-]+/([A-Z0-9]{15})$")


def record_path(record_id: str) -> str:
    """Where a record's page is."""
    return f"/crm/{FOLDERS[kind_of(record_id).name]}/{record_id}"


def landed(visit: Visit) -> str:
    """The id of the record whose page is shown. Raises PageFault on any other page."""
    found = _RECORD.match(visit.path)
    if found is None:
        raise PageFault(f"{visit.path} is no record's page")
    return found[1]


def told(visit: Visit, name: str) -> str:
    """What the address says of the command that led here."""
    return parse_qs(urlsplit(visit.page.url).query).get(name, [""])[0]


async def meet(visit: Visit, record_id: str) -> Named:
    """Look a record up on its page, to know its name and what tells it apart from others."""
    kind = kind_of(record_id).name
    if kind in DIRECTORIES:
        return await listed(visit, kind, record_id)
    await visit.go(record_path(record_id))
    return Named(await visit.heading(), await visit.main.inner_text())


async def save(visit: Visit, button: str = "Save", *, in_spite: bool = False) -> None:
    """Press the button that sends the form, `in_spite` of a warning of duplicates.

    Raises Refused where the page comes again and says why.
    """
    before = visit.path
    await visit.press(visit.main.get_by_role("button", name=button, exact=True))
    anyway = visit.main.get_by_role("button", name="Save anyway", exact=True)
    if in_spite and visit.path == before and await anyway.count():
        await visit.press(anyway)
    if visit.path == before:
        await visit.check()
        raise PageFault(f'{before}: "{button}" led nowhere')
