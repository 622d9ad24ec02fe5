"""Whether a stay is possible: dates, guests, and nights that are free."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...kit.call import Context
from ...kit.dates import parse_date
from ...kit.errors import FieldError, Invalid
from ...kit.roles import Row
from ..rules_prices import Party
from ..rules_stays import LONGEST_STAY, Fault, StayRules, date_faults, days_between, nights_between, party_faults
from .calendars import occupied, today_at, unavailable
from .inputs import GuestsInput
from .people import DatesTaken, PolicyRefusal

GUEST_CODES = ("capacity", "infants", "pets")


@dataclass(frozen=True)
class Wish:
    """A stay somebody wants."""

    checkin: str
    checkout: str
    party: Party
    service_animals: int = 0

    @property
    def nights(self) -> tuple[str, ...]:
        return nights_between(self.checkin, self.checkout)


def party_of(values: GuestsInput) -> Party:
    """Who stays, of an input."""
    return Party(values.adults, values.children, values.infants, values.pets)


def check_dates(checkin: str, checkout: str) -> None:
    """Refuse dates that are no stay. Raises Invalid."""
    if checkout <= checkin:
        raise Invalid(f"checkout {checkout} must be after checkin {checkin}", field="checkout")
    if days_between(checkin, checkout) > LONGEST_STAY:
        raise Invalid(f"a stay has at most {LONGEST_STAY} nights", field="checkout")
    parse_date(checkin)


def stay_faults(ctx: Context, listing: Row, wish: Wish, *, without: str | None = None) -> list[Fault]:
    """All that speaks against a stay. `without`: a reservation whose own nights do not count (STAY-6)."""
    check_dates(wish.checkin, wish.checkout)
    today = today_at(ctx, listing)
    found = occupied(ctx, listing, wish.checkin, wish.checkout, without)
    own = found.overrides.get(wish.checkin)
    least = own["min_nights"] if own else None
    faults = party_faults(listing, wish.party, wish.service_animals)
    faults += date_faults(StayRules.of(listing), wish.checkin, wish.checkout, today, least)
    reasons = {night: unavailable(listing, found, night, today) for night in wish.nights}
    closed = [night for night, reason in reasons.items() if reason in ("blocked", "reserved")]
    if closed:
        faults.append(Fault("dates_taken", "checkin", f"these nights are not free: {_few(closed)}"))
    return faults


def _few(nights: list[str]) -> str:
    return ", ".join(nights[:5]) + (f" and {len(nights) - 5} more" if len(nights) > 5 else "")


def refuse(faults: list[Fault], *, booking: bool = False) -> None:
    """Raise what the faults come to: DatesTaken where the nights alone are gone, else PolicyRefusal."""
    if not faults:
        return
    errors = [FieldError(fault.field, fault.message) for fault in faults]
    if all(fault.code == "dates_taken" for fault in faults):
        said = f"These dates were just booked; {faults[0].message}" if booking else faults[0].message
        raise DatesTaken([FieldError("checkin", said)])
    raise PolicyRefusal(errors)


def as_result(faults: list[Fault]) -> list[dict[str, Any]]:
    """Faults as results hold them."""
    return [{"code": fault.code, "field": fault.field, "message": fault.message} for fault in faults]
