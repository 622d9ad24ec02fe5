"""Reviews of stays in both directions, and the host's reply (STAY-9, J7)."""

from __future__ import annotations

from typing import Any

from ...kit.call import Context
from ...kit.errors import FieldError, Forbidden, Invalid, NotFound
from ...kit.operations import command, query
from ...kit.roles import Row
from ..rules_reviews import CATEGORIES, OTHER_SIDE, WINDOW_DAYS, was_stayed, window_closes
from ..rules_stays import shifted
from .access import Booking, booking
from .people import PolicyRefusal, me, name_of
from .social_inputs import ReplyReviewInput, ReviewInput, StayReviewsInput

_DIRECTIONS = {"guest": "guest_to_host", "host": "host_to_guest"}
_PUBLIC = ("id", "direction", "overall", *CATEGORIES, "body", "submitted_at", "reply", "reply_at")


def _reviews_of(ctx: Context, reservation_id: str) -> dict[str, Row]:
    """The reviews of a stay, by direction."""
    sql = "SELECT * FROM stays_review WHERE reservation_id = ? ORDER BY direction"
    return {row["direction"]: row for row in ctx.store.all(sql, (reservation_id,))}


def _refusal(ctx: Context, found: Booking, known: dict[str, Row]) -> str | None:
    """Why the person cannot review the stay now, or None."""
    row = found.row
    if not was_stayed(row, found.listing["tz"]):
        return f"only a stay that is over can be reviewed; {row['code']} is {row['status']}"
    closes = window_closes(row["checkout"])
    if ctx.now >= closes:
        return f"stays can be reviewed for 14 days after checkout; for {row['code']} that ended at {closes}"
    if _DIRECTIONS[found.role] in known:
        return f"you have reviewed {row['code']}; a review cannot be changed"
    return None


def publish(ctx: Context, review: Row) -> None:
    """Let everybody read a review."""
    ctx.update("stays_review", review["id"], {"is_published": 1, "published_at": ctx.now})


def _check_categories(values: ReviewInput, role: str) -> None:
    """Guests rate all six categories, hosts none. Raises Invalid."""
    faults = []
    for name in CATEGORIES:
        given = getattr(values, name) is not None
        if role == "guest" and not given:
            faults.append(FieldError(name, f"{name} is required: guests rate all six categories from 1 to 5"))
        if role == "host" and given:
            faults.append(FieldError(name, f"{name} is rated by guests only"))
    if faults:
        raise Invalid(faults)


@command("stays")
def review(ctx: Context, values: ReviewInput) -> dict[str, Any]:
    """Review a stay: as its guest with six categories, as its host with the overall stars alone (STAY-9).

    Within 14 days after checkout, once, for good. It is published when both sides have written, or when that time is
    over. Raises PolicyRefusal for a stay that cannot be reviewed.
    """
    me(ctx)
    found = booking(ctx, values.code)
    known = _reviews_of(ctx, found.id)
    refused = _refusal(ctx, found, known)
    if refused is not None:
        raise PolicyRefusal(refused, field="code")
    _check_categories(values, found.role)
    direction = _DIRECTIONS[found.role]
    other = known.get(OTHER_SIDE[direction])
    is_published = other is not None
    review_id = ctx.new_id("stays_review")
    ctx.insert(
        "stays_review",
        {
            "id": review_id,
            "reservation_id": found.id,
            "listing_id": found.listing["id"],
            "author_id": ctx.person_id,
            "direction": direction,
            "overall": values.overall,
            **{name: getattr(values, name) for name in CATEGORIES},
            "body": values.body,
            "private_note": values.private_note,
            "submitted_at": ctx.now,
            "is_published": int(is_published),
            "published_at": ctx.now if is_published else None,
        },
    )
    if other is not None and not other["is_published"]:
        publish(ctx, other)
    return {
        "id": review_id,
        "code": values.code,
        "direction": direction,
        "is_published": is_published,
        "published_by": None if is_published else window_closes(found.row["checkout"]),
    }


@command("stays")
def reply_review(ctx: Context, values: ReplyReviewInput) -> dict[str, Any]:
    """Reply once, as the host, to a published review of a guest; everybody can read it and it cannot be changed."""
    me(ctx)
    row = ctx.store.get("stays_review", values.id)
    listing = ctx.store.get("stays_listing", row["listing_id"]) if row is not None else None
    if row is None or listing is None or not _readable(ctx, row, listing):
        raise NotFound(f"there is no review {values.id}", field="id")
    if listing["host_id"] != ctx.person_id:
        raise Forbidden("only the host of the listing can reply")
    if row["direction"] != "guest_to_host":
        raise PolicyRefusal("only a guest's review is replied to", field="id")
    if row["reply"] is not None:
        raise PolicyRefusal("this review has your reply already; it cannot be changed", field="id")
    ctx.update("stays_review", row["id"], {"reply": values.reply, "reply_at": ctx.now})
    return {"id": row["id"], "reply_at": ctx.now}


def _readable(ctx: Context, row: Row, listing: Row) -> bool:
    """Whether the person may know of a review: published ones of listings they can see."""
    if not row["is_published"]:
        return False
    if listing["host_id"] == ctx.person_id:
        return True
    return bool(row["direction"] == "guest_to_host" and listing["status"] == "listed")


@query("stays")
def stay_reviews(ctx: Context, values: StayReviewsInput) -> dict[str, Any]:
    """The reviews of a stay of one's own: `mine`, `theirs` once published, and whether one can be written now.

    `refused` says why not. `closes` is the instant at which the time for reviews ends.
    """
    me(ctx)
    found = booking(ctx, values.code)
    known = _reviews_of(ctx, found.id)
    refused = _refusal(ctx, found, known)
    mine = known.get(_DIRECTIONS[found.role])
    theirs = known.get(OTHER_SIDE[_DIRECTIONS[found.role]])
    return {
        "code": values.code,
        "role": found.role,
        "can_review": refused is None,
        "refused": refused,
        "closes": window_closes(found.row["checkout"]),
        "mine": None if mine is None else _shown(mine),
        "theirs": _shown(theirs) if theirs is not None and theirs["is_published"] else None,
        "theirs_is_in": theirs is not None,
        "categories": list(CATEGORIES) if found.role == "guest" else [],
    }


def _shown(row: Row) -> dict[str, Any]:
    """A review as the two sides of its stay see it, the private note with it."""
    return {name: row[name] for name in _PUBLIC} | {
        "is_published": bool(row["is_published"]),
        "published_at": row["published_at"],
        "private_note": row["private_note"],
    }


_STAYS = (
    "SELECT r.*, l.title, l.tz, l.host_id FROM stays_reservation r JOIN stays_listing l ON l.id = r.listing_id "
    "WHERE (r.guest_id = :me OR l.host_id = :me) AND r.status IN ('completed', 'cancelled_guest', 'cancelled_host') "
    "AND r.checkout > :since AND NOT EXISTS (SELECT 1 FROM stays_review v WHERE v.reservation_id = r.id "
    "AND v.author_id = :me AND v.direction <> 'system') ORDER BY r.checkout, r.id"
)


@query("stays")
def reviews_to_write(ctx: Context) -> dict[str, Any]:
    """Stays that the person can review now, as guest or as host, those whose time ends first at the top."""
    me(ctx)
    since = shifted(ctx.now[:10], -WINDOW_DAYS)
    rows = ctx.store.all(_STAYS, {"me": ctx.person_id, "since": since})
    found = [row for row in rows if was_stayed(row, row["tz"]) and ctx.now < window_closes(row["checkout"])]
    return {"rows": [_to_write(ctx, row) for row in found], "total": len(found)}


def _to_write(ctx: Context, row: Row) -> dict[str, Any]:
    is_guest = row["guest_id"] == ctx.person_id
    other = ctx.store.get("stays_user", row["host_id"] if is_guest else row["guest_id"])
    return {
        "code": row["code"],
        "role": "guest" if is_guest else "host",
        "listing": {"id": row["listing_id"], "title": row["title"]},
        "other": name_of(other) if other else "",
        "checkin": row["checkin"],
        "checkout": row["checkout"],
        "closes": window_closes(row["checkout"]),
    }
