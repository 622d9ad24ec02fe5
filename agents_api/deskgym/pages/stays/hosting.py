"""A host's calendar and what hosts read, by hand."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..filling import fill
from ..visit import PageFault, Refused, Visit
from .going import Action, address, send

_CHANGES = {
    "block": "Block nights",
    "open": "Open nights",
    "price": "Set price a night",
    "min_nights": "Set minimum nights",
    "note": "Set note",
}
_WEEKDAYS = {
    "1234567": "Every day",
    "56": "Friday and Saturday",
    "12347": "Sunday to Thursday",
    "67": "Saturday and Sunday",
    "12345": "Monday to Friday",
}


async def host(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Read the page that the view is about."""
    view = str(args["view"])
    paths = {
        "listings": "/stays/host/listings",
        "listing": f"/stays/host/listings/{args.get('id')}/basics",
        "calendar": address(
            "/stays/host/calendar", {"listing": args.get("listing"), "month": str(args.get("from", ""))[:7]}
        ),
        "payouts": address("/stays/host/earnings", {"month": args.get("month")}),
        "example_quote": address(
            f"/stays/host/listings/{args.get('listing')}/pricing",
            {name: args.get(name) for name in ("nights", "adults")},
        ),
    }
    if view not in paths:
        raise PageFault(f"the pages do not show {view} by itself")
    await visit.go(paths[view])
    return await visit.text()


async def host_calendar(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Say which nights, look at how many they are, and change them."""
    await visit.go(address("/stays/host/calendar", {"listing": args["listing"]}))
    form = visit.main.get_by_role("form", name="Change nights")
    await fill(visit, form, "First night", "date", args["from"])
    await fill(visit, form, "Last night", "date", args["to"])
    weekdays = str(args.get("weekdays", "1234567"))
    if weekdays not in _WEEKDAYS:
        raise PageFault(f"the form does not offer the weekdays {weekdays}")
    await fill(visit, form, "On", "select", _WEEKDAYS[weekdays])
    await fill(visit, form, "Change", "select", _CHANGES[str(args["action"])])
    if args.get("value") is not None:
        await fill(visit, form, "New price, minimum or note", "text", str(args["value"]))
    await send(visit, "Count nights", form)
    button = visit.main.get_by_role("button", name=re.compile(r": change [\d,]+ nights?$"))
    if not await button.count():
        raise Refused(" ".join((await visit.main.inner_text()).split()))
    count = re.search(r"([\d,]+) nights?$", (await button.inner_text()).strip())
    if count is None or int(count[1].replace(",", "")) != args["expected_nights"]:
        raise Refused(f"the page counts {count[1] if count else 'no'} nights, not {args['expected_nights']}")
    await send(visit, re.compile(r": change [\d,]+ nights?$"))
    return {"nights": args["expected_nights"]}


ACTIONS: Mapping[str, Action] = {"host": host, "host_calendar": host_calendar}
