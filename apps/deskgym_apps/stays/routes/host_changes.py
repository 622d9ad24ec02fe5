"""What a posted step of the listing editor changes: only what was touched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flask import request

from ...kit.forms import read_form
from ...kit.session import filler
from ..service.host_inputs import ListingChanges, RuleChanges

FIELDS = {
    "basics": (
        "title",
        "description",
        "street",
        "postcode",
        "property_type",
        "room_type",
        "max_guests",
        "baths",
        "status",
    ),
    "booking": (
        "policy",
        "instant_book",
        "self_checkin",
        "min_nights",
        "max_nights",
        "checkin_from",
        "checkin_to",
        "checkout_by",
        "checkin_weekdays",
        "advance_notice_days",
        "prep_days",
        "window_days",
        "max_infants",
        "max_pets",
        "inventory",
    ),
}


def number_of(text: str) -> int:
    """A small whole number; 0 for other text."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 0


def rooms_typed(form: Mapping[str, str]) -> list[dict[str, Any]]:
    """Every room of a posted form, in order."""
    rooms: list[dict[str, Any]] = []
    at = 1
    while f"name-{at}" in form:
        beds = {
            f"{kind}_beds": number_of(form.get(f"{kind}-{at}", "0").strip()) for kind in ("double", "single", "sofa")
        }
        rooms.append({"name": form[f"name-{at}"].strip(), "is_bedroom": form.get(f"bedroom-{at}") == "1", **beds})
        at += 1
    return rooms


def changes_of(found: Mapping[str, Any], step: str) -> dict[str, Any]:
    """What a posted step changes. Raises Invalid."""
    form, held = request.form, found["values"]
    if step == "rules":
        return {"rules": read_form(RuleChanges, form, filler(), values=held["rules"]).changed()}
    if step in FIELDS:
        return read_form(ListingChanges, form, filler(), values=held, only=FIELDS[step]).changed()
    if step == "rooms":
        rooms = [room for room in rooms_typed(form) if room["name"]]
        return {"rooms": rooms} if rooms != held["rooms"] else {}
    if step == "photos":
        photos = photos_typed(form, held["photos"])
        return {"photos": photos} if photos != [{"pos": one["pos"]} for one in held["photos"]] else {}
    notes = {one["amenity"]: one["note"] for one in held["amenities"]}
    wanted: dict[str, str | None] = {
        name.removeprefix("has-"): form.get(f"note-{name.removeprefix('has-')}", "").strip() or None
        for name in form
        if name.startswith("has-")
    }
    added: list[dict[str, str | None]] = []
    for code, note in wanted.items():
        if code not in notes:
            added.append({"amenity": code, **({"note": note} if note else {})})
        elif notes[code] != note:
            added.append({"amenity": code, "note": note})
    gone = [code for code in notes if code not in wanted]
    return {**({"amenities": added} if added else {}), **({"remove_amenities": gone} if gone else {})}


def photos_typed(form: Mapping[str, str], held: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Photos in the order of the numbers typed; those ticked to go are left out, a new one comes last."""
    kept = []
    for one in held:
        pos = one["pos"]
        if form.get(f"remove-{pos}") == "1":
            continue
        caption = form.get(f"caption-{pos}", one["caption"]).strip()
        more = {"caption": caption} if caption != one["caption"] else {}
        kept.append((number_of(form.get(f"order-{pos}", str(pos)).strip()), pos, {"pos": pos, **more}))
    photos = [entry for _, _, entry in sorted(kept, key=lambda item: item[:2])]
    if form.get("new-caption", "").strip():
        photos.append({"room": form.get("new-room", ""), "caption": form["new-caption"].strip()})
    return photos
