"""Roles of what people write: threads, messages, reviews and wishlists (STAY-9, STAY-12)."""

from __future__ import annotations

from ...kit.roles import ACTOR_VALUE, BOOL, CLOCK, DATE, ID, INT, Role, Table, enum, ref, text
from .parts import CHANGED, norm_of

_WHO_ACTS = ref("stays_user", initial=ACTOR_VALUE)

TABLES: dict[str, Table] = {
    "stays_thread": Table(
        "thread",
        {
            "id": ID,
            "listing_id": ref("stays_listing"),
            "guest_id": _WHO_ACTS,
            "host_id": ref("stays_user"),
            "created_at": CLOCK,
        },
        prefix="TLK",
    ),
    "stays_message": Table(
        "message",
        {
            "id": ID,
            "thread_id": ref("stays_thread"),
            "sender_id": _WHO_ACTS,
            "kind": enum("user", "system"),
            "body": text("free"),
            "at": CLOCK,
        },
        prefix="MSG",
        irreversible=True,
    ),
    "stays_review": Table(
        "review",
        {
            "id": ID,
            "reservation_id": ref("stays_reservation"),
            "listing_id": ref("stays_listing"),
            "author_id": _WHO_ACTS,
            "direction": enum("guest_to_host", "host_to_guest", "system"),
            "overall": INT,
            "cleanliness": INT,
            "accuracy": INT,
            "checkin": INT,
            "communication": INT,
            "location": INT,
            "value": INT,
            "body": text("free"),
            "private_note": text("free"),
            "submitted_at": CLOCK,
            "is_published": BOOL,
            "published_at": Role("clock_if", "is_published"),
            "reply": text("free"),
            "reply_at": Role("clock_when", "reply"),
        },
        prefix="RVW",
        irreversible=True,
    ),
    "stays_wishlist": Table(
        "wishlist",
        {
            "id": ID,
            "user_id": _WHO_ACTS,
            "name": text("name"),
            "name_norm": norm_of("name"),
            "is_private": BOOL,
            "checkin": DATE,
            "checkout": DATE,
            **CHANGED,
        },
        prefix="WSH",
    ),
    "stays_wishlist_item": Table(
        "saved listing",
        {
            "wishlist_id": ref("stays_wishlist"),
            "listing_id": ref("stays_listing"),
            "note": text("free"),
            "added_at": CLOCK,
        },
    ),
}
