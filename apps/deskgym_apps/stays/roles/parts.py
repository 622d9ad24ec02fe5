"""What the roles of several tables have in common, and the columns that follow from others."""

from __future__ import annotations

from datetime import datetime, time
from typing import Any

from ...kit.dates import add_seconds, format_instant, parse_date, zone
from ...kit.norm import norm
from ...kit.roles import CLOCK, TOUCH, TOUCH_ACTOR, VERSION, Reader, Role, Row, derived

ANSWER_SECONDS = 24 * 3600
ALTERATION_SECONDS = 72 * 3600
CODE_PREFIX = "HB"
CODE_DIGITS = 6

CHANGED: dict[str, Role] = {
    "created_at": CLOCK,
    "updated_at": TOUCH,
    "updated_by": TOUCH_ACTOR,
    "row_version": VERSION,
}


def norm_of(column: str) -> Role:
    """The normal form of another column."""
    return derived(lambda _state, row: norm(row[column]))


def user_name_norm(_state: Reader, row: Row) -> str:
    """The normal form of first and last name."""
    return norm(f"{row['first_name']} {row['last_name']}")


def after(column: str, seconds: int) -> Role:
    """The instant so many seconds after that of another column; NULL while that is."""
    return derived(lambda _state, row: None if row[column] is None else add_seconds(row[column], seconds))


def checkin_instant(state: Reader, reservation: Row) -> str:
    """The instant at which a stay may begin, by the listing's clock (STAY-14). Raises KeyError without a listing."""
    listing = state.get("stays_listing", (reservation["listing_id"],))
    if listing is None:
        raise KeyError(f"there is no listing {reservation['listing_id']}")
    at = datetime.combine(
        parse_date(reservation["checkin"]), time.fromisoformat(reservation["checkin_from"]), tzinfo=zone(listing["tz"])
    )
    return format_instant(at)


def alteration_expiry(state: Reader, row: Row) -> str:
    """STAY-6: 72 hours after it was requested, at check-in at the latest."""
    reservation = state.get("stays_reservation", (row["reservation_id"],))
    if reservation is None:
        raise KeyError(f"there is no reservation {row['reservation_id']}")
    return min(add_seconds(row["created_at"], ALTERATION_SECONDS), checkin_instant(state, reservation))


def reservation_code(state: Reader, row: Row) -> str:
    """The code that follows the one given last: HB and six digits, without gaps."""
    given: Any = row["code"]
    others = [other for other in state.select("stays_reservation") if other["id"] != row["id"]]
    codes = {other["code"] for other in others if other["created_at"] <= row["created_at"]}
    number = str(given or "").removeprefix(CODE_PREFIX)
    if number.isdigit() and given not in codes and (int(number) == 1 or code_text(int(number) - 1) in codes):
        return str(given)
    return code_text(len(others) + 1)


def code_text(number: int) -> str:
    """`12` -> `HB000012`."""
    return f"{CODE_PREFIX}{number:0{CODE_DIGITS}d}"
