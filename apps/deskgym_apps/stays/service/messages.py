"""What guests and hosts write to each other (STAY-12), and the texts that hosts keep for it."""

from __future__ import annotations

from typing import Any

from ...kit.call import Context
from ...kit.errors import Conflict, FieldError, Invalid, NotFound
from ...kit.operations import command, query
from ...kit.roles import Row
from .access import booking, own_thread
from .calendars import visible_listing
from .people import PolicyRefusal, me
from .social_inputs import MessageInput, QuickReplyInput
from .talk import say

_WHERE = ("thread", "listing", "code")
_WANTS = {
    "create": (("title", "body"), ()),
    "update": (("id",), ("title", "body")),
    "delete": (("id",), ()),
}


def _addressed(ctx: Context, values: MessageInput) -> tuple[Row, str]:
    """The listing and guest whose thread is meant. Raises Invalid, NotFound, PolicyRefusal."""
    given = [name for name in _WHERE if getattr(values, name) is not None]
    if len(given) != 1:
        said = "give one of thread, listing and code" + (f", not {' and '.join(given)}" if given else "")
        raise Invalid(said, field=given[1] if given else "thread")
    if values.thread is not None:
        thread = own_thread(ctx, values.thread)
        listing = ctx.store.get("stays_listing", thread["listing_id"])
        if listing is None:
            raise NotFound(f"there is no thread {values.thread}", field="thread")
        return listing, thread["guest_id"]
    if values.code is not None:
        found = booking(ctx, values.code)
        return found.listing, found.row["guest_id"]
    listing = visible_listing(ctx, str(values.listing))
    if listing["host_id"] == ctx.person_id:
        raise PolicyRefusal("this is your own listing; write to a guest by thread or code", field="listing")
    return listing, ctx.person_id


@command("stays")
def message(ctx: Context, values: MessageInput) -> dict[str, Any]:
    """Write to the other side: into a thread, to a listing's host, or about a reservation (STAY-12), at once.

    A listing and a guest have one thread, whichever of the three is given. Raises NotFound for others' threads.
    """
    me(ctx)
    if not values.body:
        raise Invalid("a message has text", field="body")
    listing, guest_id = _addressed(ctx, values)
    thread_id, message_id = say(ctx, listing["id"], guest_id, ctx.person_id, values.body)
    return {"thread": thread_id, "id": message_id, "at": ctx.now}


def _check_arguments(values: QuickReplyInput) -> dict[str, Any]:
    """The arguments that go with the action. Raises Invalid, a fault for each that does not."""
    needed, optional = _WANTS[values.action]
    given = values.model_dump(exclude_unset=True, exclude={"action"})
    faults = [FieldError(name, f"{values.action} needs {name}") for name in needed if not given.get(name)]
    faults += [
        FieldError(name, f"{values.action} takes no {name}") for name in given if name not in (*needed, *optional)
    ]
    faults += [FieldError(name, f"{name} cannot be empty") for name in optional if name in given and not given[name]]
    if faults:
        raise Invalid(faults)
    return given


@command("stays")
def quick_reply(ctx: Context, values: QuickReplyInput) -> dict[str, Any]:
    """Keep, change or delete a text that the acting host often writes; no two have one title."""
    me(ctx)
    given = _check_arguments(values)
    if values.action == "create":
        return _keep(ctx, str(values.title), str(values.body))
    row = ctx.store.get("stays_quick_reply", str(values.id))
    if row is None or row["host_id"] != ctx.person_id:
        raise NotFound(f"you have no quick reply {values.id}", field="id")
    if values.action == "delete":
        ctx.delete("stays_quick_reply", row["id"])
        return {"id": row["id"], "deleted": True}
    changes = {name: value for name, value in given.items() if name != "id" and value != row[name]}
    if "title" in changes:
        _check_title(ctx, changes["title"], row["id"])
    if changes:
        ctx.update("stays_quick_reply", row["id"], changes)
    return {"id": row["id"]}


def _keep(ctx: Context, title: str, body: str) -> dict[str, Any]:
    _check_title(ctx, title, "")
    reply_id = ctx.new_id("stays_quick_reply")
    ctx.insert("stays_quick_reply", {"id": reply_id, "host_id": ctx.person_id, "title": title, "body": body})
    return {"id": reply_id}


def _check_title(ctx: Context, title: str, own_id: str) -> None:
    sql = "SELECT 1 FROM stays_quick_reply WHERE host_id = ? AND title = ? AND id <> ?"
    if ctx.conn.execute(sql, (ctx.person_id, title, own_id)).fetchone():
        raise Conflict(f'you have a quick reply "{title}" already', field="title")


@query("stays")
def quick_replies(ctx: Context) -> dict[str, Any]:
    """The texts that the acting host keeps, by title."""
    me(ctx)
    sql = "SELECT id, title, body FROM stays_quick_reply WHERE host_id = ? ORDER BY title, id"
    rows = ctx.store.all(sql, (ctx.person_id,))
    return {"rows": rows, "total": len(rows)}
