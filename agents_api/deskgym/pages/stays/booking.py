"""Booking and cancelling by hand: the checkout, and the page that says what comes back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..filling import fill
from ..visit import PATIENCE, PageFault, Visit
from .going import Action, echoed, hidden, landed, radio, send


async def book(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Choose the card, write to the host, accept the policy and confirm, on the checkout that was opened last."""
    if await hidden(visit, "quote_id") != args["quote_id"]:
        raise PageFault(f"{visit.path} is not the checkout of that quote; ask for it anew")
    form = visit.main.get_by_role("form", name="Book this stay")
    card = await radio(form, str(args["payment_method"]))
    await card.check(timeout=PATIENCE)
    if "message" in args:
        await fill(visit, form, "Message to the host", "textarea", args["message"])
    accepted = form.get_by_role("checkbox", name=re.compile("^I accept the cancellation policy"))
    await accepted.set_checked(bool(args["accept_policy"]), timeout=PATIENCE)
    await send(visit, re.compile(r"^(Confirm and pay|Request to book)\b"), form)
    return {"code": landed(visit), "status": "confirmed" if "done=booked" in visit.page.url else "pending"}


async def cancel(visit: Visit, args: Mapping[str, Any]) -> dict[str, Any]:
    """Look at what comes back, say why, and cancel."""
    await visit.go(f"/stays/trips/{args['code']}/cancel")
    await echoed(visit, "confirm_refund", args.get("confirm_refund"))
    if "reason" in args:
        await fill(visit, visit.main, "Reason", "textarea", args["reason"])
    await send(visit, re.compile("^Cancel reservation, refund"))
    return {"code": landed(visit), "row_version": None}


ACTIONS: Mapping[str, Action] = {"book": book, "cancel": cancel}
