"""Requests of the resolution centre as they are read, and what can be asked about a stay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import g

from ...kit.dates import local_date
from .routing import shown_money

RESOLUTIONS = "/stays/resolutions"
KINDS = {"refund": "Refund", "payment": "Payment", "problem": "Problem"}
REASONS = {
    "damage": "Damage",
    "cleanliness": "Cleanliness",
    "amenity": "Amenity missing or broken",
    "price": "Price",
    "extra_service": "Extra service",
    "other": "Something else",
}
STATES = {
    "open": ("Waiting for an answer", "warning"),
    "accepted": ("Accepted", "success"),
    "declined": ("Declined", "danger"),
    "withdrawn": ("Withdrawn", "neutral"),
}


def asked_shown(row: Mapping[str, Any]) -> dict[str, Any]:
    """A request as a panel: what, how much, whose words, and what the reader can do."""
    state, tone = STATES[row["status"]]
    amount = shown_money(row["amount"]) if row["amount"] else ""
    what = f"{KINDS[row['kind']]} of {amount}" if amount else KINDS[row["kind"]]
    return {
        **row,
        "what": what,
        "who": "You" if row["is_own"] else f"The {row['requested_by']}",
        "why": REASONS[row["reason"]],
        "state": state,
        "tone": tone,
        "name": f"{what}, {row['code']}, {row['id'][-4:]}",
        "href": f"{RESOLUTIONS}/{row['id']}",
    }


def ways_of(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What somebody may ask about a reservation now: action and words of its button."""
    is_host = found["role"] == "host"
    ways = []
    if found["status"] in ("completed", "cancelled_guest"):
        ways.append(("refund", "Give money back" if is_host else "Ask for a refund"))
        if is_host:
            ways.append(("payment", "Ask for a payment"))
    begun = found["status"] == "confirmed" and found["checkin"] <= local_date(g.store.now, found["listing"]["tz"])
    if ways or begun:
        ways.append(("problem", "Report a problem"))
    return ways
