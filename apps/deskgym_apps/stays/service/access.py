"""Who may see which reservation and thread: its guest and the host of its listing; for all others there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...kit.call import Context
from ...kit.errors import Forbidden, NotFound
from ...kit.roles import Row


@dataclass(frozen=True)
class Booking:
    """A reservation that the person may see. `role`: guest or host."""

    row: Row
    listing: Row
    role: str

    @property
    def id(self) -> str:
        return str(self.row["id"])

    @property
    def code(self) -> str:
        return str(self.row["code"])


def booking(ctx: Context, reference: str, field: str = "code") -> Booking:
    """The reservation of a code or id. Raises NotFound for what the person has no part in."""
    column = "code" if reference.startswith("HB") else "id"
    row = ctx.store.one(f"SELECT * FROM stays_reservation WHERE {column} = ?", (reference,))
    if row is not None:
        listing = ctx.store.get("stays_listing", row["listing_id"])
        if listing is not None:
            if row["guest_id"] == ctx.person_id:
                return Booking(row, listing, "guest")
            if listing["host_id"] == ctx.person_id:
                return Booking(row, listing, "host")
    raise NotFound(f"there is no reservation {reference}", field=field)


def need(found: Booking, role: str, what: str) -> None:
    """Refuse who is on the other side. Raises Forbidden."""
    if found.role != role:
        raise Forbidden(f"only the {role} can {what}")


def own_listing(ctx: Context, listing_id: str) -> Row:
    """A listing of the acting host. Raises NotFound."""
    row = ctx.store.get("stays_listing", listing_id)
    if row is None or row["host_id"] != ctx.person_id:
        raise NotFound(f"you have no listing {listing_id}", field="listing")
    return row


def own_thread(ctx: Context, thread_id: str) -> Row:
    """A thread of the acting person. Raises NotFound."""
    row = ctx.store.get("stays_thread", thread_id)
    if row is None or ctx.person_id not in (row["guest_id"], row["host_id"]):
        raise NotFound(f"there is no thread {thread_id}", field="thread")
    return row


def own_wishlist(ctx: Context, wishlist_id: str) -> Row:
    """A wishlist of the acting person. Raises NotFound."""
    row = ctx.store.get("stays_wishlist", wishlist_id)
    if row is None or row["user_id"] != ctx.person_id:
        raise NotFound(f"you have no wishlist {wishlist_id}", field="id")
    return row


def guests_of(row: Row) -> dict[str, Any]:
    """Who stays, of a reservation, change request or offer."""
    return {name: row[name] for name in ("adults", "children", "infants", "pets")}
