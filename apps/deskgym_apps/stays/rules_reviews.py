"""When a stay can be reviewed (STAY-9). Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .rules_stays import local_instant, shifted

WINDOW_DAYS = 14
CATEGORIES = ("cleanliness", "accuracy", "checkin", "communication", "location", "value")
OTHER_SIDE = {"guest_to_host": "host_to_guest", "host_to_guest": "guest_to_host"}


def window_closes(checkout: str) -> str:
    """The instant from which nobody can review a stay and its reviews are published: 14 days after checkout, 00:00Z."""
    return f"{shifted(checkout, WINDOW_DAYS)}T00:00:00Z"


def was_stayed(reservation: Mapping[str, Any], tz: str) -> bool:
    """Whether somebody stayed: the stay is completed, or was cancelled after check-in by the listing's clock."""
    if reservation["status"] == "completed":
        return True
    if reservation["status"] not in ("cancelled_guest", "cancelled_host"):
        return False
    at = local_instant(reservation["checkin"], reservation["checkin_from"], tz)
    return str(reservation["cancelled_at"]) >= at
