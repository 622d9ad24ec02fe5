"""Reading Northbeam by hand: the pages where a person would look. Results carry the text of the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from deskgym_apps.crm.service.kinds import kind_of

from ..visit import PATIENCE, PageFault, Refused, Visit
from .people import DIRECTORIES
from .records import FOLDERS, Action, meet, record_path

_PAGE_SIZES = (25, 50, 100)


async def whoami(visit: Visit, _args: Mapping[str, Any]) -> dict[str, Any]:
    """Read the home page and whose it is."""
    return await visit.whose("/crm/")


async def describe(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Read the form of a new record. Raises PageFault for an object without a form."""
    kind = str(args["object"])
    if kind not in FOLDERS or kind == "email":
        raise PageFault(f"the pages have no form of {kind}")
    await visit.go(f"/crm/{FOLDERS[kind]}/new")
    return {"object": kind, **await visit.text()}


async def get(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Read a record's page."""
    record_id = str(args["id"])
    record = await meet(visit, record_id)
    return {"id": record_id, "object": kind_of(record_id).name, "name": record.name, "text": record.text}


async def timeline(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Read the activities beside a record, or its history tab."""
    if args.get("action") == "history":
        return await history(visit, args)
    await visit.go(record_path(str(args["id"])))
    return {"text": await visit.page.get_by_role("complementary", name="Activity").inner_text(timeout=PATIENCE)}


async def history(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Read a record's history tab."""
    await visit.go(f"{record_path(str(args['id']))}/history")
    return await visit.text()


async def search(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Search in the app bar."""
    await visit.go("/crm/")
    bar = visit.page.get_by_role("search", name="Search Northbeam")
    await bar.get_by_role("searchbox").fill(str(args["text"]), timeout=PATIENCE)
    await visit.press(bar.get_by_role("button", name="Search", exact=True))
    await visit.check()
    return await visit.text()


async def query(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Look at the list of an object, filtered as far as the list's own filters can."""
    kind = str(args["object"])
    if kind in DIRECTORIES:
        await visit.go(DIRECTORIES[kind])
        return {"text": await visit.page.get_by_text("{").first.inner_text()}
    if kind in ("report", "dashboard"):
        await visit.go(f"/crm/{kind}s")
        return await visit.text()
    folder = f"/crm/{FOLDERS['case' if kind == 'case_comment' else kind]}"  # comments stand on the pages of cases
    try:
        await visit.go(f"{folder}?{urlencode(list_filters(args))}")
    except Refused:  # a filter that only the tool knows
        await visit.go(folder)
    return await visit.text()


def list_filters(args: Mapping[str, Any]) -> dict[str, str]:
    """The address of a filtered list."""
    pairs = {"scope": str(args["scope"])} if "scope" in args else {}
    pairs |= {"view": str(args["list_view"])} if args.get("list_view") else {}
    for at, condition in enumerate(args.get("filter", ()), start=1):
        value = condition.get("value")
        written = str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)
        written = ",".join(map(str, value)) if isinstance(value, list) else written
        pairs |= {f"field{at}": str(condition["field"]), f"op{at}": str(condition["op"]), f"value{at}": written}
    for order in args.get("sort", ())[:1]:
        pairs |= {"sort": str(order["field"]), "dir": str(order.get("direction", "asc"))}
    size = min((size for size in _PAGE_SIZES if size >= args.get("limit", 25)), default=_PAGE_SIZES[-1])
    return pairs | {"size": str(size)}


ACTIONS: Mapping[str, Action] = {
    "describe": describe,
    "get": get,
    "query": query,
    "search": search,
    "timeline": timeline,
    "whoami": whoami,
}
