"""Cards (STAY-11): each behaves in its fixed way; expiry is checked against the simulated instant."""

from __future__ import annotations

from ...kit.call import Context
from ...kit.errors import FieldError, NotFound
from ...kit.roles import Row
from .people import PaymentDeclined, is_expired

_REFUSALS = {
    "decline": "the card was declined",
    "insufficient": "the card has not enough funds",
    "3ds_fail": "the bank's check of the card holder failed",
}


def card_of(ctx: Context, method_id: str) -> Row:
    """A card of the acting person. Raises NotFound."""
    row = ctx.store.get("stays_payment_method", method_id)
    if row is None or row["user_id"] != ctx.person_id:
        raise NotFound(f"you have no payment method {method_id}", field="payment_method")
    return row


def check_card(ctx: Context, card: Row) -> None:
    """Whether a card can be charged now. Raises PaymentDeclined; nothing is booked or charged then."""
    label = f"{card['brand']} ending {card['last4']}"
    said = _REFUSALS.get(card["behaviour"])
    if is_expired(card, ctx.now):
        said = f"the card expired at the end of {card['exp_year']}-{card['exp_month']:02d}"
    if said:
        raise PaymentDeclined([FieldError("payment_method", f"{label}: {said}; nothing was booked or charged")])
