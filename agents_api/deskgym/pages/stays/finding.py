"""Reading Harbourstay by hand: the pages where a person would look."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..visit import Visit
from .going import Action, address, hidden, landed

_DATES = ("checkin", "checkout", "adults", "children", "infants", "pets")


async def whoami(visit: Visit, _args: Mapping[str, Any]) -> dict[str, Any]:
    """Read the first page and whose it is."""
    return await visit.whose("/stays/")


async def places(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Search where a text says; the page asks which place is meant where there are several."""
    await visit.go(address("/stays/search", {"location": args["text"]}))
    return await visit.text()


async def search(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Look at the results of a search, filters and order in its address."""
    await visit.go(address("/stays/search", args))
    return await visit.text()


async def listing(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Read a listing's page, with the price of a stay where dates are given."""
    given = {name: args.get(name) for name in _DATES}
    if "from" in args:
        given["month"] = str(args["from"])[:7]
    await visit.go(address(f"/stays/listings/{args['id']}", given))
    return {"id": args["id"], "title": await visit.heading(), **await visit.text()}


async def quote(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Open the checkout of a stay: its price, and what booking it will send."""
    given = {name: args.get(name) for name in (*_DATES, "rate_plan", "coupon", "use_credit")}
    await visit.go(address(f"/stays/book/{args['listing']}", given))
    return {"quote_id": await hidden(visit, "quote_id"), **await visit.text()}


async def reservations(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Read own trips, or reservations of own listings; or one, what cancelling it brings, what changing it costs."""
    if "code" not in args:
        folder = "/stays/host/reservations" if args.get("scope") == "host" else "/stays/trips"
        await visit.go(address(folder, {"status": args.get("status")}))
        return await visit.text()
    trip = f"/stays/trips/{args['code']}"
    if args.get("preview") == "cancel":
        await visit.go(f"{trip}/cancel")
        return {"refund": {"amount": await hidden(visit, "confirm_refund")}, **await visit.text()}
    if args.get("preview") == "alter":
        await visit.go(address(f"{trip}/change", {name: args.get(name) for name in _DATES}))
        return {"delta": {"amount": await hidden(visit, "confirm_delta")}, **await visit.text()}
    await visit.go(trip)
    return {"code": landed(visit), **await visit.text()}


async def messages(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Read the conversations, or one."""
    if "id" in args:
        await visit.go(f"/stays/messages/{args['id']}")
    else:
        await visit.go(address("/stays/messages", {name: args.get(name) for name in ("unread", "text")}))
    return await visit.text()


async def reviews(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Read a listing's reviews, those of one stay, or which stays can be reviewed."""
    if "listing" in args:
        given = {name: args.get(name) for name in ("text", "sort")}
        await visit.go(address(f"/stays/listings/{args['listing']}/reviews", given))
    elif "code" in args:
        await visit.go(f"/stays/trips/{args['code']}")
    else:
        await visit.go("/stays/trips?status=past")
    return await visit.text()


ACTIONS: Mapping[str, Action] = {
    "listing": listing,
    "messages": messages,
    "places": places,
    "quote": quote,
    "reservations": reservations,
    "reviews": reviews,
    "search": search,
    "whoami": whoami,
}
