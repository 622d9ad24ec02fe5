"""What a listing page says: highlights, rooms, rules, policy, reviews."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...kit.web.display import long_date
from .faces import counted

_RULES = {
    "smoking": ("Smoking is allowed", "No smoking"),
    "parties": ("Parties and events are allowed", "No parties or events"),
    "children": ("Suitable for children", "Not suitable for children"),
}


def highlights(found: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Icon, title and sentence of what speaks for it."""
    shown = []
    host = found["host"]
    if host["is_superhost"]:
        shown.append(("award", f"{host['first_name']} is a superhost", "Experienced and well rated by guests."))
    if found["self_checkin"]:
        shown.append(("key", "Self check-in", "Let yourself in whenever you arrive."))
    if found["instant_book"]:
        shown.append(("lightning-charge", "Instant book", "Confirmed at once, without waiting for the host."))
    else:
        shown.append(
            ("hourglass-split", "Request to book", "The host answers within 24 hours; your card is only held.")
        )
    if found["pets_allowed"]:
        shown.append(("heart", "Pets are welcome", f"Up to {counted(found['max_pets'], 'pet')}."))
    return shown


def rooms_of(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Name and beds of each room where people sleep."""
    rooms = []
    for room in found["rooms"]:
        beds = [
            counted(room[f"{kind}_beds"], f"{kind} bed")
            for kind in ("double", "single", "sofa")
            if room[f"{kind}_beds"]
        ]
        rooms.append((room["name"], ", ".join(beds) or "No bed"))
    return rooms


def rules_of(found: Mapping[str, Any]) -> list[str]:
    """House rules as sentences."""
    told = [
        f"Check-in {found['checkin_text']}",
        f"Check-out {found['checkout_text']}",
        f"At most {counted(found['max_guests'], 'guest')}",
    ]
    if found["checkin_days"]:
        told.append(f"Check-in only on {found['checkin_days']}")
    if found["min_nights"] > 1:
        told.append(f"At least {counted(found['min_nights'], 'night')}")
    told.append(f"Up to {counted(found['max_pets'], 'pet')}" if found["pets_allowed"] else "No pets")
    for rule in found["rules"]:
        code, value = rule["code"], rule["value"]
        if code in _RULES:
            told.append(_RULES[code][0 if value == "yes" else 1])
        elif code == "quiet_hours":
            told.append(f"Quiet hours {value.replace('-', ' to ')}")
        else:
            told.append(value)
    return told


def policy_words(found: Mapping[str, Any], quote: Mapping[str, Any] | None) -> dict[str, Any]:
    """Title, summary and deadlines of the cancellation policy: that of the stay, where one is priced."""
    if quote is None:
        return {
            "title": found["policy_title"],
            "summary": "Choose dates to see until when you can cancel.",
            "deadlines": [],
        }
    policy = quote["policy"]
    return {"title": policy["title"], "summary": policy["summary"], "deadlines": policy["deadlines"]}


def review_of(one: Mapping[str, Any]) -> dict[str, Any]:
    """A review as it is read."""
    return {
        "id": one["id"],
        "author": one["author"],
        "overall": one["overall"],
        "body": one["body"],
        "when": long_date(one["published_at"][:10]),
        "reply": one["reply"],
        "is_system": one["direction"] == "system",
    }
