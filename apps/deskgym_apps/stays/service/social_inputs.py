"""Inputs of what people write: messages, quick replies, wishlists, reviews, resolution requests."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ...kit.fields import Amount, Body, Day, Id, Line, Version
from ...kit.operations import Input

Code = Annotated[str, Field(pattern=r"^HB\d{6}$", description="The reservation's code, HB and six digits.")]
Stars = Annotated[int, Field(ge=1, le=5)]
_LIMIT = Field(default=25, ge=1, le=200)
_OFFSET = Field(default=0, ge=0, le=100_000)


class ThreadsInput(Input):
    """Own threads, the one with the newest message first."""

    unread: bool = Field(default=False, description="Only those with unread messages.")
    role: Literal["guest", "host"] | None = Field(default=None, description="Only those where you are that.")
    text: Line | None = Field(default=None, max_length=100, description="Of a name, a listing's title or a message.")
    limit: int = _LIMIT
    offset: int = _OFFSET


class ThreadInput(Input):
    """One thread."""

    id: Id


class MessageInput(Input):
    """A message: into a thread, about a listing (to its host), or to the other side of a reservation. One of them."""

    thread: Id | None = Field(default=None, title="Thread")
    listing: Id | None = Field(default=None, title="Listing")
    code: Code | None = Field(default=None, title="Reservation")
    body: Body = Field(min_length=1, max_length=4000, title="Message")


class ReadThreadInput(Input):
    """A thread that was read, to its end."""

    id: Id


class QuickReplyInput(Input):
    """A text that a host often writes: created with title and body, changed or deleted by id."""

    action: Literal["create", "update", "delete"]
    id: Id | None = None
    title: Line | None = Field(default=None, min_length=1, max_length=60, title="Title")
    body: Body | None = Field(default=None, min_length=1, max_length=2000, title="Text")


class WishlistActionInput(Input):
    """One step on a wishlist. What it takes depends on the action; the others are refused."""

    action: Literal["create", "rename", "delete", "add", "remove", "note", "dates", "share", "unshare"] = Field(
        description="create takes name and perhaps checkin and checkout; rename id, name, row_version; delete id, "
        "row_version; add id, listing and perhaps note; remove id, listing; note id, listing, note (null clears); "
        "dates id, checkin, checkout (both null clears), row_version; share and unshare id, row_version."
    )
    id: Id | None = Field(default=None, title="Wishlist")
    name: Line | None = Field(default=None, min_length=1, max_length=60, title="Name")
    listing: Id | None = Field(default=None, title="Listing")
    note: Line | None = Field(default=None, max_length=250, title="Note")
    checkin: Day | None = Field(default=None, title="Check-in")
    checkout: Day | None = Field(default=None, title="Checkout")
    row_version: Version | None = None


class WishlistItemsInput(Input):
    """A wishlist's listings. With dates (its own by default) they come with total and availability."""

    id: Id
    checkin: Day | None = None
    checkout: Day | None = None
    adults: int = Field(default=1, ge=1, le=16)
    children: int = Field(default=0, ge=0, le=15)


class ReviewsInput(Input):
    """Published reviews of a listing; without `listing` those of all own listings."""

    listing: Id | None = None
    text: Line | None = Field(default=None, max_length=100, description="Only reviews that hold these words.")
    sort: Literal["newest", "oldest", "highest", "lowest"] = "newest"
    unanswered: bool = Field(default=False, description="Only guests' reviews without a reply of the host.")
    limit: int = _LIMIT
    offset: int = _OFFSET


class StayReviewsInput(Input):
    """The reviews of one stay."""

    code: Code


class ReviewInput(Input):
    """A review of a stay: guests rate the place and six categories, hosts their guest."""

    code: Code = Field(title="Reservation")
    overall: Stars = Field(title="Overall")
    cleanliness: Stars | None = Field(default=None, title="Cleanliness", description="Guests only, like the next five.")
    accuracy: Stars | None = Field(default=None, title="Accuracy")
    checkin: Stars | None = Field(default=None, title="Check-in")
    communication: Stars | None = Field(default=None, title="Communication")
    location: Stars | None = Field(default=None, title="Location")
    value: Stars | None = Field(default=None, title="Value")
    body: Body = Field(min_length=1, max_length=4000, title="Review", description="Everybody can read it.")
    private_note: Body | None = Field(
        default=None, min_length=1, max_length=1000, title="Private note", description="For the other side only."
    )


class ReplyReviewInput(Input):
    """The host's one reply to a guest's review."""

    id: Id = Field(title="Review")
    reply: Body = Field(min_length=1, max_length=2000, title="Reply")


class ResolutionsInput(Input):
    """Requests about one reservation, or all own ones."""

    code: Code | None = None
    status: Literal["open", "accepted", "declined", "withdrawn"] | None = None


class ResolutionInput(Input):
    """A request about a stay, or the answer to one."""

    action: Literal["refund", "payment", "problem", "accept", "decline", "withdraw"] = Field(
        description="refund: a guest asks for money back, or a host gives some back at once; payment: a host asks for "
        "money; problem: only words. accept and decline answer the other side's request, withdraw takes back one's own."
    )
    code: Code | None = Field(default=None, title="Reservation", description="Of a new request.")
    id: Id | None = Field(default=None, title="Request", description="Of the request that is answered.")
    amount: Amount | None = Field(default=None, title="Amount", description="In the reservation's charge currency.")
    reason: Literal["damage", "cleanliness", "amenity", "price", "extra_service", "other"] | None = Field(
        default=None, title="Reason"
    )
    body: Body | None = Field(default=None, min_length=1, max_length=2000, title="What happened")
