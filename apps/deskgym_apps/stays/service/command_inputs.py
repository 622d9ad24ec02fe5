"""Inputs of what guests and hosts do about stays: book, inquire, cancel, decide, alter."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ...kit.fields import Amount, Body, Day, Id, Line, Version
from ...kit.operations import Input
from .inputs import Adults, AlterPreviewInput, Code, Count, GuestsInput

Text = Annotated[Body, Field(max_length=2000)]
Reference = Annotated[
    str,
    Field(pattern=r"^(HB\d{6}|RSV[A-Z0-9]{12})$", description="A reservation's code (HB and six digits), or its id."),
]


class BookInput(Input):
    """A booking of what was quoted."""

    quote_id: str = Field(max_length=1000, description="Of a quote not older than 15 minutes, exactly as given.")
    payment_method: Id
    accept_policy: bool = Field(description="true: you accept the cancellation policy and the house rules.")
    message: Text | None = Field(default=None, description="To the host.")
    coupon: Annotated[Line, Field(max_length=40)] | None = None


class InquireInput(GuestsInput):
    """A question to a host about a stay; it holds no nights and costs nothing."""

    listing: Id
    checkin: Day
    checkout: Day
    body: Annotated[Body, Field(min_length=1, max_length=2000)]


class CancelInput(Input):
    """A cancellation. Guests echo the refund; hosts give a reason."""

    code: Code
    confirm_refund: Amount | None = Field(
        default=None, description="As guest: the refund that cancel_preview gives, in the charge currency."
    )
    reason: Text | None = Field(default=None, description="As host: why; the guest reads it.")
    row_version: Version | None = None


class DecideInput(Input):
    """An answer to a request or inquiry."""

    id: Reference
    action: Literal["accept", "decline", "withdraw", "preapprove", "special_offer", "withdraw_offer"]
    message: Text | None = Field(default=None, description="To the other side.")
    total: Amount | None = Field(
        default=None, description="special_offer: the fixed total in the listing's currency, all fees and taxes in it."
    )
    checkin: Day | None = Field(default=None, description="special_offer: other dates than asked for.")
    checkout: Day | None = None
    adults: Adults | None = None
    children: Count | None = None
    infants: Count | None = None
    pets: Count | None = None
    row_version: Version | None = None


class AlterInput(AlterPreviewInput):
    """A change of dates or guests of a confirmed reservation: asked for by one side, answered by the other."""

    action: Literal["propose", "accept", "decline", "withdraw"]
    id: Id | None = Field(
        default=None, description="For the other actions: the change request you read; a newer one is a conflict."
    )
    confirm_delta: Amount | None = Field(
        default=None,
        description="As guest, for propose and accept: what alter_preview gives, in the charge currency; negative for "
        "money back.",
    )
    note: Annotated[Body, Field(max_length=500)] | None = Field(default=None, description="For propose.")
    row_version: Version | None = Field(default=None, description="The reservation's; propose needs it.")
