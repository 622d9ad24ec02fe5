"""Saying something in the thread of a listing and a guest, which begins with the first message (STAY-12)."""

from __future__ import annotations

from ...kit.call import Context
from ...kit.errors import NotFound


def say(ctx: Context, listing_id: str, guest_id: str, sender_id: str, body: str, kind: str = "user") -> tuple[str, str]:
    """Write a message. Returns the ids of thread and message."""
    found = ctx.store.one("SELECT id FROM stays_thread WHERE listing_id = ? AND guest_id = ?", (listing_id, guest_id))
    if found is not None:
        thread_id = str(found["id"])
    else:
        listing = ctx.store.get("stays_listing", listing_id)
        if listing is None:
            raise NotFound(f"there is no listing {listing_id}", field="listing")
        thread_id = ctx.new_id("stays_thread")
        row = {"id": thread_id, "listing_id": listing_id, "guest_id": guest_id, "host_id": listing["host_id"]}
        ctx.insert("stays_thread", row | {"created_at": ctx.now})
    message_id = ctx.new_id("stays_message")
    ctx.insert(
        "stays_message",
        {"id": message_id, "thread_id": thread_id, "sender_id": sender_id, "kind": kind, "body": body, "at": ctx.now},
    )
    return thread_id, message_id
