"""Inputs of what people write: messages, quick replies, reviews, resolution requests."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ...kit.fields import Amount, Id
from ...kit.operations import Input
from .inputs import Code
from .texts import Named, Said

Stars = Annotated[int, Field(ge=1, le=5)]


class MessageInput(Input):
    """A message: into a thread, about a listing (to its host), or to the other side of a reservation. One of them."""

    thread: Id | None = Field(default=None, title="Thread")
    listing: Id | None = Field(default=None, title="Listing")
    code: Code | None = Field(default=None, title="Reservation")
    body: Said = Field(min_length=1, max_length=4000, title="Message")


class QuickReplyInput(Input):
    """A text that a host often writes: created with title and body, changed or deleted by id."""

    action: Literal["create", "update", "delete"]
    id: Id | None = None
    title: Named | None = Field(default=None, min_length=1, max_length=60, title="Title")
    body: Said | None = Field(default=None, min_length=1, max_length=2000, title="Text")


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
    body: Said = Field(min_length=1, max_length=4000, title="Review", description="Everybody can read it.")
    private_note: Said | None = Field(
        default=None, min_length=1, max_length=1000, title="Private note", description="For the other side only."
    )


class ReplyReviewInput(Input):
    """The host's one reply to a guest's review."""

    id: Id = Field(title="Review")
    reply: Said = Field(min_length=1, max_length=2000, title="Reply")


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
    body: Said | None = Field(default=None, min_length=1, max_length=2000, title="What happened")
