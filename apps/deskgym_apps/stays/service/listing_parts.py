"""What belongs to a listing: rooms, amenities with notes, house rules, photos in order."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from ...kit.call import Context
from ...kit.errors import FieldError, Invalid
from ...kit.roles import Row
from .host_inputs import AmenityItem, ListingChanges, PhotoItem, RoomItem, RuleChanges

_LARGEST_SEED = 2**31 - 1


def room_sums(rooms: Sequence[RoomItem]) -> dict[str, int]:
    """Bedrooms and beds of a listing, which are those of its rooms. Raises Invalid where nobody could sleep."""
    beds = sum(room.double_beds + room.single_beds + room.sofa_beds for room in rooms)
    if beds < 1:
        raise Invalid("the rooms need at least one bed together", field="rooms")
    return {"bedrooms": sum(room.is_bedroom for room in rooms), "beds": beds}


def set_parts(ctx: Context, listing_id: str, values: ListingChanges) -> bool:
    """Write what is given of rooms, amenities, rules and photos. Returns whether any changed. Raises Invalid."""
    moved = False
    if values.rooms is not None:
        rows = {number: room.model_dump() for number, room in enumerate(values.rooms, start=1)}
        moved |= _replace(ctx, "stays_listing_room", listing_id, "pos", rows)
    moved |= _set_amenities(ctx, listing_id, values.amenities or [], values.remove_amenities or [])
    if values.rules is not None:
        moved |= _set_rules(ctx, listing_id, values.rules)
    if values.photos is not None:
        moved |= _set_photos(ctx, listing_id, values.photos)
    return moved


def _replace(ctx: Context, table: str, listing_id: str, key: str, rows: Mapping[Any, Mapping[str, Any]]) -> bool:
    """Make the rows of a listing the wanted ones: only those that differ are written. Returns whether any did."""
    wanted = {
        at: {"listing_id": listing_id, key: at} | {name: _held(value) for name, value in row.items()}
        for at, row in rows.items()
    }
    known = {row[key]: dict(row) for row in ctx.store.select(table, listing_id=listing_id)}
    for at in known:
        if at not in wanted:
            ctx.delete(table, (listing_id, at))
    for at, row in wanted.items():
        if at not in known:
            ctx.insert(table, row)
        elif changes := {name: value for name, value in row.items() if known[at][name] != value}:
            ctx.update(table, (listing_id, at), changes)
    return known != wanted


def _held(value: Any) -> Any:
    return int(value) if isinstance(value, bool) else value


def _set_amenities(ctx: Context, listing_id: str, items: Sequence[AmenityItem], removed: Sequence[str]) -> bool:
    table = "stays_listing_amenity"
    known = {row["amenity"]: row["note"] for row in ctx.store.select(table, listing_id=listing_id)}
    _check_amenities(ctx, items, removed, known)
    wanted: dict[str, str | None] = {code: note for code, note in known.items() if code not in removed}
    for item in items:
        note = (item.note or None) if "note" in item.model_fields_set else known.get(item.amenity)
        wanted[item.amenity] = note
    return _replace(ctx, table, listing_id, "amenity", {code: {"note": wanted[code]} for code in sorted(wanted)})


def _check_amenities(
    ctx: Context, items: Sequence[AmenityItem], removed: Sequence[str], known: Mapping[str, Any]
) -> None:
    codes = [row[0] for row in ctx.conn.execute("SELECT code FROM stays_amenity ORDER BY sort")]
    given = [item.amenity for item in items]
    faults = [
        FieldError("amenities", f'there is no amenity "{code}"; use one of {", ".join(codes)}', tuple(codes))
        for code in given
        if code not in codes
    ]
    faults += [
        FieldError("amenities", f"{code} is given twice") for code in sorted(set(given)) if given.count(code) > 1
    ]
    for code in removed:
        if code not in known:
            faults.append(FieldError("remove_amenities", f'the listing does not have "{code}"', tuple(sorted(known))))
        elif code in given:
            faults.append(FieldError("remove_amenities", f"{code} is both given and taken away"))
    if faults:
        raise Invalid(faults)


def _set_rules(ctx: Context, listing_id: str, rules: RuleChanges) -> bool:
    table = "stays_listing_rule"
    wanted = {row["code"]: row["value"] for row in ctx.store.select(table, listing_id=listing_id)}
    wanted |= rules.model_dump(exclude_unset=True)
    rows = {code: {"value": value} for code, value in sorted(wanted.items()) if value is not None}
    return _replace(ctx, table, listing_id, "code", rows)


def _set_photos(ctx: Context, listing_id: str, photos: Sequence[PhotoItem]) -> bool:
    """The photos that stay, in the new order, and new ones among them. Raises Invalid."""
    table = "stays_listing_photo"
    known = {row["pos"]: row for row in ctx.store.select(table, listing_id=listing_id)}
    kept = [photo.pos for photo in photos if photo.pos is not None]
    for pos in kept:
        if pos not in known:
            raise Invalid(f"there is no photo at {pos}; positions are {_few(known)}", field="photos")
        if kept.count(pos) > 1:
            raise Invalid(f"the photo at {pos} is given twice", field="photos")
    seeds = {row["seed"] for row in known.values()}
    rows: dict[int, dict[str, Any]] = {}
    for number, photo in enumerate(photos, start=1):
        rows[number] = _photo(listing_id, known, photo, seeds)
    return _replace(ctx, table, listing_id, "pos", rows)


def _few(known: Mapping[int, Row]) -> str:
    return ", ".join(str(pos) for pos in sorted(known)) or "none yet"


def _photo(listing_id: str, known: Mapping[int, Row], photo: PhotoItem, seeds: set[int]) -> dict[str, Any]:
    if photo.pos is not None:
        row = known[photo.pos]
        if photo.room is not None and photo.room != row["room"]:
            raise Invalid(f"the photo at {photo.pos} shows the {row['room']}; only its caption changes", field="photos")
        return {"caption": photo.caption or row["caption"], "room": row["room"], "seed": row["seed"]}
    if photo.room is None or photo.caption is None:
        raise Invalid("a photo has pos, or room and caption where it is new", field="photos")
    seed = _seed(listing_id, photo.room, photo.caption, seeds)
    seeds.add(seed)
    return {"caption": photo.caption, "room": photo.room, "seed": seed}


def _seed(listing_id: str, room: str, caption: str, seeds: set[int]) -> int:
    """The number from which a new picture is drawn; that of none of the others."""
    for step in range(len(seeds) + 1):
        digest = hashlib.sha256(f"{listing_id}|{room}|{caption}|{step}".encode()).digest()
        seed = int.from_bytes(digest[:4], "big") % _LARGEST_SEED + 1
        if seed not in seeds:
            return seed
    raise ValueError("every number is taken")
