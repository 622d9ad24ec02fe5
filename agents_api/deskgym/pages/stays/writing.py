"""Messages, reviews and replies by hand."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..filling import fill
from ..visit import PATIENCE, PageFault, Visit
from .going import Action, address, landed, send

_STARS = {
    "overall": "Overall",
    "cleanliness": "Cleanliness",
    "accuracy": "Accuracy",
    "checkin": "Check-in",
    "communication": "Communication",
    "location": "Location",
    "value": "Value",
}


async def message(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Write into a conversation, begin one, or mark one as read."""
    action = args.get("action", "send")
    if action == "read":
        await visit.go(f"/stays/messages/{args['thread']}")
        await send(visit, "Mark as read")
        return {"thread": args["thread"]}
    if action != "send":
        raise PageFault(f"the pages have no form to {action}")
    if "thread" in args:
        await visit.go(f"/stays/messages/{args['thread']}")
        box = visit.main.get_by_role("textbox", name=re.compile("^Message to "))
        await box.fill(str(args["body"]), timeout=PATIENCE)
    else:
        await visit.go(address("/stays/messages/new", {name: args.get(name) for name in ("listing", "code")}))
        await fill(visit, visit.main, "Message", "textarea", args["body"])
    await send(visit, "Send message")
    return {"thread": visit.path.rsplit("/", 1)[-1]}


async def review(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Review a stay, or reply to a review."""
    if "reply" in args:
        await visit.go(f"/stays/host/reviews/{args['id']}/reply")
        await fill(visit, visit.main, "Reply", "textarea", args["reply"])
        await send(visit, "Publish reply")
        return {"id": args["id"]}
    await visit.go(f"/stays/trips/{args['code']}/review")
    for name, label in _STARS.items():
        if name in args:
            await fill(visit, visit.main, label, "select", f"{args[name]} of 5")
    await fill(visit, visit.main, "Review", "textarea", args["body"])
    if "private_note" in args:
        await fill(visit, visit.main, "Private note", "textarea", args["private_note"])
    await send(visit, "Submit review")
    return {"id": None, "code": landed(visit)}


ACTIONS: Mapping[str, Action] = {"message": message, "review": review}
