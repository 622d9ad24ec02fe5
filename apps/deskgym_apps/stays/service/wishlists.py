"""Wishlists: several lists of a person, with notes and dates."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from ...kit.call import Context, check_version
from ...kit.errors import Conflict, FieldError, Invalid, NotFound
from ...kit.fields import Body, Day, Id, Line, Version
from ...kit.norm import norm
from ...kit.operations import Input, command, query
from ...kit.roles import Row
from .access import own_wishlist
from .calendars import visible_listing
from .checks import check_dates
from .inputs import ListingInput, WishlistInput
from .listings import listing as listing_query
from .listings import rating_of
from .people import me, toucher
from .search import card

Action = Literal["create", "rename", "delete", "add", "remove", "note", "dates", "share", "unshare"]
_NEEDS: dict[str, tuple[str, ...]] = {
    "create": ("name",),
    "rename": ("id", "name"),
    "delete": ("id",),
    "add": ("id", "listing"),
    "remove": ("id", "listing"),
    "note": ("id", "listing", "note"),
    "dates": ("id",),
    "share": ("id",),
    "unshare": ("id",),
}
_MAY: dict[str, tuple[str, ...]] = {
    "create": ("listing", "note", "checkin", "checkout"),
    "add": ("note",),
    "dates": ("checkin", "checkout", "row_version"),
    "rename": ("row_version",),
    "delete": ("row_version",),
    "share": ("row_version",),
    "unshare": ("row_version",),
}


class WishlistCommand(Input):
    """One change of a wishlist."""

    action: Action
    id: Id | None = Field(default=None, description="The wishlist; not for create.")
    name: Annotated[Line, Field(max_length=50)] | None = Field(default=None, description="For create and rename.")
    listing: Id | None = Field(default=None, description="For add, remove and note; may go with create.")
    note: Annotated[Body, Field(max_length=250)] | None = Field(default=None, description='"" takes it away.')
    checkin: Day | None = Field(default=None, description="For dates; without both, dates are taken away.")
    checkout: Day | None = None
    row_version: Version | None = None


@query("stays")
def wishlists(ctx: Context) -> dict[str, Any]:
    """Own wishlists by name: id, name, dates, how many listings, up to three photos."""
    rows = ctx.store.all(
        "SELECT w.id, w.name, w.is_private, w.checkin, w.checkout, w.row_version, (SELECT count(*) FROM "
        "stays_wishlist_item i WHERE i.wishlist_id = w.id) AS count FROM stays_wishlist w WHERE w.user_id = ? "
        "ORDER BY w.name_norm, w.id",
        (me(ctx)["id"],),
    )
    for row in rows:
        row["is_private"] = bool(row["is_private"])
        row["photos"] = ctx.store.all(
            "SELECT p.caption, p.room, p.seed FROM stays_wishlist_item i JOIN stays_listing_photo p "
            "ON p.listing_id = i.listing_id AND p.pos = 1 WHERE i.wishlist_id = ? ORDER BY i.added_at DESC, "
            "p.listing_id LIMIT 3",
            (row["id"],),
        )
    return {"rows": rows, "total": len(rows)}


@query("stays")
def wishlist_items(ctx: Context, values: WishlistInput) -> dict[str, Any]:
    """A wishlist's listings, newest first, each with its note; with the list's dates each with its total price."""
    row = _readable(ctx, values.id)
    items = ctx.store.all(
        "SELECT listing_id, note, added_at FROM stays_wishlist_item WHERE wishlist_id = ? "
        "ORDER BY added_at DESC, listing_id",
        (row["id"],),
    )
    return {
        "id": row["id"],
        "name": row["name"],
        "is_private": bool(row["is_private"]),
        "is_own": row["user_id"] == ctx.person_id,
        "checkin": row["checkin"],
        "checkout": row["checkout"],
        "row_version": row["row_version"],
        "rows": [_item(ctx, row, item) for item in items],
        "total": len(items),
    }


def _readable(ctx: Context, wishlist_id: str) -> Row:
    """A wishlist of the person, or one whose owner shares it with whoever has its id. Raises NotFound."""
    row = ctx.store.get("stays_wishlist", wishlist_id)
    return row if row is not None and not row["is_private"] else own_wishlist(ctx, wishlist_id)


def _item(ctx: Context, row: Row, item: Row) -> dict[str, Any]:
    found = ctx.store.get("stays_listing", item["listing_id"])
    if found is None:
        raise NotFound(f"there is no listing {item['listing_id']}")
    place = ctx.store.get("stays_place", found["place_id"])
    rating, count = rating_of(ctx, found["id"])
    shown = card(found, place["full_name"] if place else "", rating, count)
    shown |= {"note": item["note"], "added_at": item["added_at"], "available": None, "total": None, "quote": None}
    shown["photos"] = ctx.store.all(
        "SELECT pos, caption, room, seed FROM stays_listing_photo WHERE listing_id = ? ORDER BY pos", (found["id"],)
    )
    if row["checkin"] is not None and found["status"] == "listed":
        asked = ListingInput(id=found["id"], checkin=row["checkin"], checkout=row["checkout"])
        quote = listing_query(ctx, asked)["quote"]
        shown |= {"available": quote["bookable"], "total": quote["total"]}
    return shown


def _check_arguments(values: WishlistCommand) -> None:
    """Refuse arguments that do not go with the action. Raises Invalid, a fault for each."""
    needed, optional = _NEEDS[values.action], _MAY.get(values.action, ())
    given = values.model_dump(exclude_unset=True, exclude={"action"})
    faults = [FieldError(name, f"{values.action} needs {name}") for name in needed if given.get(name) is None]
    faults += [
        FieldError(name, f"{values.action} takes no {name}") for name in given if name not in (*needed, *optional)
    ]
    if faults:
        raise Invalid(faults)


@command("stays")
def wishlist(ctx: Context, values: WishlistCommand) -> dict[str, Any]:
    """Create, rename or delete a wishlist, add or remove a listing, set its note, or set the list's dates."""
    me(ctx)
    _check_arguments(values)
    if values.action == "create":
        return _create(ctx, values)
    row = own_wishlist(ctx, str(values.id))
    if values.row_version is not None:
        check_version(row, values.row_version)
    if values.action == "rename":
        _change(ctx, row, {"name": _free_name(ctx, values, row["id"]), "name_norm": norm(str(values.name))})
    elif values.action == "delete":
        for item in ctx.store.all(
            "SELECT listing_id FROM stays_wishlist_item WHERE wishlist_id = ? ORDER BY listing_id", (row["id"],)
        ):
            ctx.delete("stays_wishlist_item", (row["id"], item["listing_id"]))
        ctx.delete("stays_wishlist", row["id"])
        return {"id": row["id"], "deleted": True}
    elif values.action == "dates":
        _change(ctx, row, _dates(values))
    elif values.action in ("share", "unshare"):
        _change(ctx, row, {"is_private": int(values.action == "unshare")})
    else:
        _items(ctx, row, values)
    now = ctx.store.get("stays_wishlist", row["id"]) or row
    return {"id": row["id"], "name": now["name"], "row_version": now["row_version"]}


def _change(ctx: Context, row: Row, changes: dict[str, Any]) -> None:
    if all(row[name] == value for name, value in changes.items()):
        return
    more = {"updated_at": ctx.now, "updated_by": toucher(ctx), "row_version": row["row_version"] + 1}
    ctx.update("stays_wishlist", row["id"], changes | more)


def _dates(values: WishlistCommand) -> dict[str, Any]:
    if (values.checkin is None) != (values.checkout is None):
        raise Invalid("dates need both checkin and checkout", field="checkout" if values.checkin else "checkin")
    if values.checkin is not None and values.checkout is not None:
        check_dates(values.checkin, values.checkout)
    return {"checkin": values.checkin, "checkout": values.checkout}


def _free_name(ctx: Context, values: WishlistCommand, own_id: str = "") -> str:
    name = str(values.name)
    if not norm(name):
        raise Invalid("a wishlist needs a name", field="name")
    sql = "SELECT id FROM stays_wishlist WHERE user_id = ? AND name_norm = ? AND id <> ?"
    if ctx.conn.execute(sql, (ctx.person_id, norm(name), own_id)).fetchone():
        raise Conflict(f'you have a wishlist "{name}" already', field="name")
    return name


def _create(ctx: Context, values: WishlistCommand) -> dict[str, Any]:
    name = _free_name(ctx, values)
    wishlist_id = ctx.new_id("stays_wishlist")
    ctx.insert(
        "stays_wishlist",
        {
            "id": wishlist_id,
            "user_id": ctx.person_id,
            "name": name,
            "name_norm": norm(name),
            "created_at": ctx.now,
            "updated_at": ctx.now,
            "updated_by": toucher(ctx),
        }
        | _dates(values),
    )
    if values.listing is not None:
        _add(ctx, wishlist_id, values)
    elif values.note:
        raise Invalid("a note goes with a listing", field="note")
    return {"id": wishlist_id, "name": name, "row_version": 1}


def _add(ctx: Context, wishlist_id: str, values: WishlistCommand) -> None:
    found = visible_listing(ctx, str(values.listing))
    if ctx.store.get("stays_wishlist_item", (wishlist_id, found["id"])) is not None:
        raise Conflict("this listing is on the wishlist already", field="listing")
    row = {"wishlist_id": wishlist_id, "listing_id": found["id"], "note": values.note or None, "added_at": ctx.now}
    ctx.insert("stays_wishlist_item", row)


def _items(ctx: Context, row: Row, values: WishlistCommand) -> None:
    if values.action == "add":
        _add(ctx, row["id"], values)
        return
    key = (row["id"], str(values.listing))
    if ctx.store.get("stays_wishlist_item", key) is None:
        raise NotFound("this listing is not on the wishlist", field="listing")
    if values.action == "remove":
        ctx.delete("stays_wishlist_item", key)
    else:
        ctx.update("stays_wishlist_item", key, {"note": values.note or None})
