"""Quote ids: what was quoted, to whom and when, closed by a keyed digest. Nothing is stored."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from dataclasses import asdict, dataclass

from ...kit.call import Context, seconds_between
from ...kit.errors import Conflict, Invalid

VALID_SECONDS = 15 * 60
_MARK = 20


class QuoteExpired(Conflict):
    """The quote is older than 15 simulated minutes, or the price has changed since."""

    code = "quote_expired"


@dataclass(frozen=True)
class Quoted:
    """What a quote id says. Minor units of `currency`: `total` before a coupon, `credit` that was left for it.

    `policy`: code of the cancellation policy; `is_instant`: whether booking confirms at once.
    """

    listing: str
    checkin: str
    checkout: str
    adults: int
    children: int
    infants: int
    pets: int
    service_animals: int
    rate_plan: str
    currency: str
    use_credit: bool
    person: str
    at: str
    total: int
    credit: int
    policy: str
    is_instant: bool


def _digest(ctx: Context, body: bytes) -> bytes:
    return hmac.digest(ctx.store.meta("world_key").encode(), b"stays-quote|" + body, hashlib.sha256)[:_MARK]


def sealed(ctx: Context, quoted: Quoted) -> str:
    """The quote id."""
    body = json.dumps(list(asdict(quoted).values()), separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(_digest(ctx, body) + body).decode().rstrip("=")


def opened(ctx: Context, quote_id: str) -> Quoted:
    """What was quoted. Raises Invalid for an id that is not ours, QuoteExpired for an old one."""
    try:
        raw = base64.b64decode(quote_id + "=" * (-len(quote_id) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raw = b""
    mark, body = raw[:_MARK], raw[_MARK:]
    if not body or not hmac.compare_digest(mark, _digest(ctx, body)):
        raise Invalid("this is not a quote id; ask for a quote and give its quote_id as it is", field="quote_id")
    quoted = Quoted(*json.loads(body))
    if quoted.person != ctx.person_id:
        raise Invalid("this quote is somebody else's; ask for your own", field="quote_id")
    if seconds_between(quoted.at, ctx.now) > VALID_SECONDS:
        raise QuoteExpired("this quote is older than 15 minutes; ask for a new one", field="quote_id")
    return quoted
