"""Changing stays and answering requests by hand."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..filling import fill
from ..visit import PageFault, Visit
from .going import Action, address, echoed, hidden, landed, send

_STAY = ("checkin", "checkout", "adults", "children", "infants", "pets")
_ON_ITS_PAGE = {"accept": "Accept request", "preapprove": "Pre-approve guest", "withdraw": "Withdraw request"}


async def alter(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Ask for other dates or guests, or answer what the other side asked."""
    trip, action = f"/stays/trips/{args['code']}", str(args["action"])
    if action == "propose":
        await visit.go(address(f"{trip}/change", {name: args[name] for name in _STAY if name in args}))
        form = visit.main.get_by_role("form", name="Propose change")
        await echoed(visit, "confirm_delta", args.get("confirm_delta"))
        if "note" in args:
            await fill(visit, form, "Note to the host", "textarea", args["note"])
        await send(visit, "Propose change", form)
        return {"code": landed(visit), "id": await hidden(visit, "id"), "row_version": None}
    await visit.go(trip)
    await echoed(visit, "id", args.get("id"))
    await echoed(visit, "confirm_delta", args.get("confirm_delta"))
    await send(visit, re.compile(rf"^{action.capitalize()} change\b"))
    return {"code": landed(visit), "row_version": None}


async def decide(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Answer or withdraw a request or inquiry, or inquire about a stay."""
    action = str(args["action"])
    if action == "inquire":
        return await _inquire(visit, args)
    code = str(args["id"])
    if not code.startswith("HB"):
        raise PageFault("the pages know a reservation by its code")
    if action in _ON_ITS_PAGE:
        if args.keys() - {"id", "action"}:
            raise PageFault(f"the pages have no words to go with {action}")
        await visit.go(f"/stays/trips/{code}")
        await send(visit, _ON_ITS_PAGE[action])
        return {"code": landed(visit)}
    await visit.go(f"/stays/host/reservations/{code}/{'decline' if action == 'decline' else 'offer'}")
    if "total" in args:
        await fill(visit, visit.main, "Total", "money", args["total"])
    if "message" in args:
        await fill(visit, visit.main, "Message to the guest", "textarea", args["message"])
    await send(visit, "Decline" if action == "decline" else "Send special offer")
    return {"code": landed(visit)}


async def _inquire(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    given = {name: args[name] for name in ("listing", *_STAY) if name in args}
    await visit.go(address("/stays/messages/new", given))
    await fill(visit, visit.main, "Message", "textarea", args["message"])
    await send(visit, "Send message")
    return {"code": landed(visit)}


ACTIONS: Mapping[str, Action] = {"alter": alter, "decide": decide}
