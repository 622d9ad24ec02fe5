"""Wishlists by hand."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from playwright.async_api import Locator

from ..filling import fill
from ..visit import PATIENCE, PageFault, Visit
from .going import Action, address, radio, send

_LIST = re.compile(r"^/stays/wishlists/(WSH[A-Z0-9]{12})$")


async def wishlist(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Work on a wishlist as the action says, or read."""
    action = str(args["action"])
    return await _BY_ACTION[action](visit, dict(args))


async def _read(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    await visit.go(f"/stays/wishlists/{args['id']}" if "id" in args else "/stays/wishlists")
    return await visit.text()


async def _create(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    if "listing" in args:
        return await _save(visit, args, "")
    await visit.go("/stays/wishlists/new")
    await fill(visit, visit.main, "Name", "text", args["name"])
    await _dates(visit, args)
    await send(visit, "Create wishlist")
    found = _LIST.match(visit.path)
    if found is None:
        raise PageFault(f"{visit.path} is no wishlist")
    return {"id": found[1], "row_version": 1}


async def _dates(visit: Visit, args: Mapping[str, Any]) -> None:
    for name, label in (("checkin", "Check-in"), ("checkout", "Check-out")):
        if args.get(name):
            await fill(visit, visit.main, label, "date", args[name])


async def _save(visit: Visit, args: Mapping[str, Any], wishlist_id: str) -> dict[str, Any]:
    """Save a listing to a list, or to a new one."""
    await visit.go(address("/stays/wishlists/save", {"listing": args["listing"]}))
    chosen = await radio(visit.main, wishlist_id)
    await chosen.check(timeout=PATIENCE)
    if not wishlist_id:
        await fill(visit, visit.main, "Name of a new wishlist", "text", args["name"])
    if "note" in args:
        await fill(visit, visit.main, "Note", "text", args["note"])
    await send(visit, "Save place")
    return {"id": wishlist_id or None, "row_version": None}


async def _add(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    return await _save(visit, args, str(args["id"]))


async def _place(visit: Visit, args: Mapping[str, Any]) -> Locator:
    """The place on its list. Raises PageFault where it is not there."""
    await visit.go(f"/stays/wishlists/{args['id']}")
    own = visit.page.locator(f'input[name="listing"][value="{args["listing"]}"]')
    place = visit.main.get_by_role("list", name="Places").get_by_role("listitem").filter(has=own)
    if not await place.count():
        raise PageFault(f"{args['listing']} is not on the list")
    return place.first


async def _note(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    place = await _place(visit, args)
    await place.get_by_role("textbox", name=re.compile("^Note of ")).fill(str(args["note"]), timeout=PATIENCE)
    await send(visit, re.compile("^Save note of "), place)
    return {"id": args["id"], "row_version": None}


async def _remove(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    await send(visit, re.compile("^Remove "), await _place(visit, args))
    return {"id": args["id"], "row_version": None}


async def _rename(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    await visit.go(f"/stays/wishlists/{args['id']}/rename")
    await fill(visit, visit.main, "Name", "text", args["name"])
    await send(visit, "Rename wishlist")
    return {"id": args["id"], "row_version": None}


async def _set_dates(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    await visit.go(f"/stays/wishlists/{args['id']}/dates")
    for name, label in (("checkin", "Check-in"), ("checkout", "Check-out")):
        await fill(visit, visit.main, label, "date", args.get(name))
    await send(visit, "Save dates")
    return {"id": args["id"], "row_version": None}


async def _delete(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    await visit.go(f"/stays/wishlists/{args['id']}/delete")
    await send(visit, "Delete wishlist")
    return {"id": args["id"], "deleted": True}


_BY_ACTION: Mapping[str, Action] = {
    "list": _read,
    "items": _read,
    "create": _create,
    "add": _add,
    "note": _note,
    "remove": _remove,
    "rename": _rename,
    "dates": _set_dates,
    "delete": _delete,
}
ACTIONS: Mapping[str, Action] = {"wishlist": wishlist}
