"""Listings and people as cards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..pictures import picture_url
from .faces import Card, Photo, counted, span
from .routing import href, round_money, shown_money

ROOM_TYPES = {
    "entire_home": "Entire home",
    "private_room": "Private room",
    "shared_room": "Shared room",
    "hotel_room": "Hotel room",
}


def photos_of(photos: Sequence[Mapping[str, Any]], title: str) -> tuple[Photo, ...]:
    """The pictures of a listing; one of its front where it has none."""
    shown = [Photo(url=picture_url(p["room"], p["seed"]), alt=f"{p['caption']}, {title}") for p in photos]
    return tuple(shown) or (Photo(url=picture_url("front", 1), alt=f"The house, {title}"),)


def kind_of(row: Mapping[str, Any]) -> str:
    """`Entire home: apartment`."""
    kind = str(row["property_type"]).replace("_", " ")
    return f"{ROOM_TYPES.get(row['room_type'], row['room_type'])}, {kind}"


def facts_of(row: Mapping[str, Any]) -> str:
    """`2 bedrooms · 3 beds · 1.5 baths`."""
    rooms = counted(row["bedrooms"], "bedroom") if row["bedrooms"] else "Studio"
    baths = f"{row['baths']} {'bath' if row['baths'] in ('1', '0.5') else 'baths'}"
    return f"{rooms} · {counted(row['beds'], 'bed')} · {baths}"


def named(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """A name for each listing by id that no other of these has: the title, and the place where titles are the same."""
    titles = [row["title"] for row in rows]
    names = {
        row["id"]: row["title"] if titles.count(row["title"]) == 1 else f"{row['title']}, {row['place']}"
        for row in rows
    }
    seen = list(names.values())
    return {
        row["id"]: name if seen.count(name) == 1 else f"{name}, hosted by {row.get('host', {}).get('first_name', '')}"
        for row, name in zip(rows, names.values(), strict=True)
    }


def card_of(row: Mapping[str, Any], name: str, stay: Mapping[str, Any], back: str = "") -> Card:
    """A row of a search or of a wishlist as a card. `stay`: dates and guests that its link carries."""
    carried = dict(stay)
    if row.get("checkin") and row.get("checkout"):
        carried |= {"checkin": row["checkin"], "checkout": row["checkout"]}
    facts = facts_of(row)
    if row.get("distance_m") is not None:
        facts += f" · {row['distance_m'] / 1000:.1f} km from the centre"
    if row.get("checkin") and not stay.get("checkin"):
        facts = f"{span(row['checkin'], row['checkout'])} · {facts}"
    host = row.get("host") or {}
    return Card(
        id=row["id"],
        href=href(f"/stays/listings/{row['id']}", carried),
        title=row["title"],
        name=name,
        kind=kind_of(row),
        place=", ".join(row["place"].split(", ")[:2]),
        photo=photos_of(row.get("photos") or (), row["title"])[0],
        facts=facts,
        rating=row["rating"] or "",
        reviews=row["reviews"],
        price=round_money(row["nightly"]) if row.get("nightly") else "",
        total=shown_money(row["total"]) if row.get("total") else "",
        badge="Superhost" if host.get("is_superhost") else "Book instantly" if row.get("instant_book") else "",
        is_saved=bool(row.get("saved")),
        save_href=href("/stays/wishlists/save", {"listing": row["id"], "back": back}),
    )
