"""Threads between a guest and the host of a listing (STAY-12): lists, one with what happened, read marks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...kit.call import Context
from ...kit.norm import norm
from ...kit.operations import command, query
from ...kit.roles import Row
from .access import own_thread
from .inputs import ThreadInput, ThreadsInput
from .people import me, name_of, person

_UNREAD = (
    "(SELECT count(*) FROM stays_message m WHERE m.thread_id = t.id AND m.sender_id <> :me AND m.at > coalesce("
    "(SELECT u.last_read_at FROM stays_ui_thread_read u WHERE u.thread_id = t.id AND u.user_id = :me), ''))"
)
_MINE = "FROM stays_thread t JOIN stays_listing l ON l.id = t.listing_id WHERE (t.guest_id = :me OR t.host_id = :me)"


def unread_count(ctx: Context) -> int:
    """How many threads hold a message that the person has not read."""
    sql = f"SELECT count(*) FROM (SELECT {_UNREAD} AS n {_MINE}) WHERE n > 0"
    return int(ctx.conn.execute(sql, {"me": ctx.person_id}).fetchone()[0])


@query("stays")
def threads(ctx: Context, values: ThreadsInput) -> dict[str, Any]:
    """Own threads, newest message first: other person, listing, last message, unread, reservations' codes."""
    me(ctx)
    rows = ctx.store.all(
        f"SELECT t.id, t.listing_id, t.guest_id, t.host_id, l.title, {_UNREAD} AS unread, "
        "(SELECT m.body FROM stays_message m WHERE m.thread_id = t.id ORDER BY m.at DESC, m.id DESC LIMIT 1) AS body, "
        "coalesce((SELECT max(m.at) FROM stays_message m WHERE m.thread_id = t.id), t.created_at) AS last_at "
        f"{_MINE} ORDER BY last_at DESC, t.id",
        {"me": ctx.person_id},
    )
    found = [_short(ctx, row) for row in rows if not values.unread or row["unread"]]
    if values.text and norm(values.text):
        found = [row for row in found if norm(values.text) in norm(f"{row['other']['name']} {row['listing']['title']}")]
    return {"rows": found[values.offset : values.offset + values.limit], "total": len(found)}


def _short(ctx: Context, row: Row) -> dict[str, Any]:
    other = ctx.store.get("stays_user", row["host_id"] if row["guest_id"] == ctx.person_id else row["guest_id"])
    return {
        "id": row["id"],
        "role": "guest" if row["guest_id"] == ctx.person_id else "host",
        "other": {"id": other["id"], "name": name_of(other)} if other else {"id": "", "name": ""},
        "listing": {"id": row["listing_id"], "title": row["title"]},
        "last_message": (row["body"] or "")[:120],
        "last_at": row["last_at"],
        "unread": row["unread"],
    }


@query("stays")
def thread(ctx: Context, values: ThreadInput) -> dict[str, Any]:
    """A thread: messages oldest first, and events of its reservations (`kind` system), in the order of time."""
    row = own_thread(ctx, values.id)
    listing = ctx.store.get("stays_listing", row["listing_id"])
    messages = ctx.store.all(
        "SELECT m.id, m.kind, m.sender_id, u.first_name AS sender, m.body, m.at FROM stays_message m "
        "JOIN stays_user u ON u.id = m.sender_id WHERE m.thread_id = ? ORDER BY m.at, m.id",
        (row["id"],),
    )
    mark = ctx.store.get("stays_ui_thread_read", (row["id"], ctx.person_id))
    read_to = mark["last_read_at"] if mark else ""
    for one in messages:
        one["mine"] = one["sender_id"] == ctx.person_id
        one["unread"] = not one["mine"] and one["at"] > read_to
    stays = ctx.store.all(
        "SELECT id, code, status, checkin, checkout, created_at, requested_at, confirmed_at, cancelled_at "
        "FROM stays_reservation WHERE listing_id = ? AND guest_id = ? ORDER BY checkin DESC, id",
        (row["listing_id"], row["guest_id"]),
    )
    other = row["host_id"] if row["guest_id"] == ctx.person_id else row["guest_id"]
    events = [event for stay in stays for event in _events(stay) if not _is_told(messages, event, stay["code"])]
    return {
        "id": row["id"],
        "role": "guest" if row["guest_id"] == ctx.person_id else "host",
        "other": person(ctx, other),
        "listing": {"id": row["listing_id"], "title": listing["title"] if listing else ""},
        "reservations": [{key: stay[key] for key in ("id", "code", "status", "checkin", "checkout")} for stay in stays],
        "messages": sorted([*messages, *events], key=lambda one: (one["at"], one["id"])),
        "total": len(messages),
        "quick_replies": quick_replies(ctx),
    }


def _is_told(messages: Sequence[Row], event: Row, code: str) -> bool:
    """Whether a message of Harbourstay itself tells this step already."""
    return any(one["kind"] == "system" and one["at"] == event["at"] and code in one["body"] for one in messages)


def _events(stay: Row) -> list[dict[str, Any]]:
    said = (
        ("requested_at", "asked for"),
        ("confirmed_at", "confirmed"),
        ("cancelled_at", "cancelled"),
    )
    return [
        {
            "id": "",
            "kind": "system",
            "sender_id": None,
            "sender": "Harbourstay",
            "body": f"Reservation {stay['code']}, {stay['checkin']} to {stay['checkout']}, was {what}.",
            "at": stay[column],
            "mine": False,
            "unread": False,
        }
        for column, what in said
        if stay[column] is not None
    ]


def quick_replies(ctx: Context) -> list[dict[str, Any]]:
    """What the acting host often writes."""
    sql = "SELECT id, title, body FROM stays_quick_reply WHERE host_id = ? ORDER BY title, id"
    return list(ctx.store.all(sql, (ctx.person_id,)))


@command("stays")
def read_thread(ctx: Context, values: ThreadInput) -> dict[str, Any]:
    """Mark a thread as read up to now (STAY-12). The mark is no graded state."""
    row = own_thread(ctx, values.id)
    if ctx.store.get("stays_ui_thread_read", (row["id"], ctx.person_id)) is None:
        mark = {"thread_id": row["id"], "user_id": ctx.person_id, "last_read_at": ctx.now}
        ctx.insert("stays_ui_thread_read", mark)
    else:
        ctx.update("stays_ui_thread_read", (row["id"], ctx.person_id), {"last_read_at": ctx.now})
    return {"id": row["id"], "last_read_at": ctx.now}
