"""What comes back when a stay is cancelled (STAY-4, STAY-5). Pure; whole numbers of minor units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..kit.dates import add_seconds, local_date, parse_instant
from .rules_prices import (
    ACCOMMODATION,
    FEES,
    HOST_FEE_BP,
    HOST_ITEMS,
    Line,
    Party,
    Tax,
    converted,
    is_exempt,
    share,
    tax_amount,
)
from .rules_stays import LONG_STAY, NON_REFUNDABLE, days_between, deadline_text

HOUR = 3600
DAY = 24 * HOUR
GRACE_BOOKED = 24 * HOUR
GRACE_AHEAD = 7 * DAY
HALF_BP = 5000
LONG_NOTICE_NIGHTS = 30


@dataclass(frozen=True, slots=True)
class Bands:
    """A policy: full refund from `full` seconds before check-in, half the nights from `half`.

    `booked_within`: full refunds only so soon after booking. Later: so many nights after the used ones are kept whole
    (`kept_nights`; None: all), and `rest_bp` of the others.
    """

    full: int | None
    half: int | None = None
    booked_within: int | None = None
    kept_nights: int | None = None
    rest_bp: int = 0


POLICIES: Mapping[str, Bands] = {
    "flexible": Bands(full=24 * HOUR, kept_nights=1),
    "moderate": Bands(full=5 * DAY, kept_nights=1, rest_bp=HALF_BP),
    "limited": Bands(full=14 * DAY, half=7 * DAY),
    "firm": Bands(full=30 * DAY, half=7 * DAY),
    "strict": Bands(full=14 * DAY, half=7 * DAY, booked_within=48 * HOUR),
    LONG_STAY: Bands(full=30 * DAY, kept_nights=LONG_NOTICE_NIGHTS),
    NON_REFUNDABLE: Bands(full=None),
}


@dataclass(frozen=True, slots=True)
class Booked:
    """A confirmed stay as it was priced. `nights`: nightly prices; `lines`: those of the latest revision.

    `booked_at`, `checkin_at`: instants. `taxes`: those of the place on the check-in date, in the listing's currency.
    """

    policy: str
    checkin: str
    checkout: str
    party: Party
    tz: str
    booked_at: str
    checkin_at: str
    nights: tuple[int, ...]
    lines: tuple[Line, ...]
    taxes: tuple[Tax, ...]
    currency: str
    charge_currency: str
    rate_ppm: int

    @property
    def paid(self) -> int:
        """What the lines come to, in the currency that is charged."""
        return sum(line.charge for line in self.lines)


@dataclass(frozen=True, slots=True)
class Band:
    """Which column of the policy holds: full, half, late or stayed; `used` nights are over by then."""

    name: str
    used: int = 0


@dataclass(frozen=True, slots=True)
class Refund:
    """What is kept and what comes back. `kept` are the lines of the new revision; money is in the charge currency.

    `gross`, `host_fee`: the host's share of what is kept, in the listing's currency.
    `nights_refund`, `fees_refund` (cleaning and pet), `service_refund`, `tax_refund` say where the refund comes from,
    `coupon_off` how much of it the coupon and credit take back first.
    """

    band: str
    is_full: bool
    kept: tuple[Line, ...]
    kept_nights: int
    refund: int
    nights_refund: int
    fees_refund: int
    service_refund: int
    tax_refund: int
    coupon_off: int
    gross: int
    host_fee: int

    @property
    def kept_total(self) -> int:
        """What the lines of the new revision come to."""
        return sum(line.charge for line in self.kept)


def seconds_before(booked: Booked, at: str) -> int:
    """T: whole seconds from an instant to check-in; negative after it."""
    return int((parse_instant(booked.checkin_at) - parse_instant(at)).total_seconds())


def band_at(booked: Booked, at: str) -> Band:
    """The column of the policy that holds at an instant; thresholds are inclusive."""
    ahead = seconds_before(booked, at)
    since = int((parse_instant(at) - parse_instant(booked.booked_at)).total_seconds())
    policy = POLICIES[booked.policy]
    if since <= GRACE_BOOKED and ahead >= GRACE_AHEAD:
        return Band("full")
    soon = policy.booked_within is None or since <= policy.booked_within
    if policy.full is not None and ahead >= policy.full and soon:
        return Band("full")
    if policy.half is not None and ahead >= policy.half:
        return Band("half")
    if ahead >= 0:
        return Band("late")
    used = days_between(booked.checkin, local_date(at, booked.tz))
    return Band("stayed", min(max(0, used), len(booked.nights)))


def spread(total: int, weights: Sequence[int]) -> tuple[int, ...]:
    """A total spread over nights in proportion to their prices, by largest remainder, the earliest night first."""
    whole = sum(weights)
    if whole <= 0:
        weights, whole = [1] * len(weights), len(weights)
    parts = [total * weight // whole for weight in weights]
    order = sorted(range(len(weights)), key=lambda place: (-(total * weights[place] % whole), place))
    for place in order[: total - sum(parts)]:
        parts[place] += 1
    return tuple(parts)


def kept_accommodation(policy: str, band: Band, nights: Sequence[int]) -> int:
    """What is kept of the nights, which hold their share of discounts and fees of extra guests."""
    bands = POLICIES[policy]
    if band.name == "full":
        return 0
    if band.name == "half":
        return share(sum(nights), HALF_BP)
    if bands.kept_nights is None:
        return sum(nights)
    whole = band.used + bands.kept_nights
    return sum(nights[:whole]) + share(sum(nights[whole:]), bands.rest_bp)


def accommodation_of_nights(booked: Booked) -> tuple[int, ...]:
    """What each night came to: its price less its part of the discounts, and its part of the extra guests' fees."""
    off, extra = (_sum(booked.lines, (kind,))[0] for kind in ("discount", "extra_guest"))
    parts = spread(abs(off), booked.nights)
    fees = spread(extra, [1] * len(booked.nights))
    sign = 1 if off >= 0 else -1
    return tuple(price + sign * part + fee for price, part, fee in zip(booked.nights, parts, fees, strict=True))


def _sum(lines: Sequence[Line], kinds: Sequence[str]) -> tuple[int, int]:
    """Listing amount and charge of the lines of some kinds."""
    chosen = [line for line in lines if line.kind in kinds]
    return sum(line.amount for line in chosen), sum(line.charge for line in chosen)


def _kept_taxes(booked: Booked, accommodation: int, fees: int, used: int) -> list[Line]:
    """Percent taxes anew on what is kept, those per night for the nights stayed; never more than was paid."""
    kept = []
    count = len(booked.nights)
    for tax in booked.taxes:
        paid = [line for line in booked.lines if line.kind == "tax" and line.label == tax.name]
        if not paid or is_exempt(tax, count):
            continue
        amount = min(tax_amount(tax, accommodation, fees, booked.party, used), sum(line.amount for line in paid))
        charge = converted(amount, booked.currency, booked.charge_currency, booked.rate_ppm)
        if amount:
            kept.append(Line("tax", tax.name, amount, min(charge, sum(line.charge for line in paid))))
    return kept


def refund_at(booked: Booked, at: str) -> Refund:
    """What the guest gets back who cancels at an instant (STAY-4). Raises KeyError for an unknown policy."""
    band = band_at(booked, at)
    if band.name == "full":
        return full_refund(booked)
    full, full_charge = _sum(booked.lines, ACCOMMODATION)
    nights = kept_accommodation(booked.policy, band, accommodation_of_nights(booked))
    charge = full_charge
    if nights < full:
        charge = min(full_charge, converted(nights, booked.currency, booked.charge_currency, booked.rate_ppm))
    kept = [Line("nights", _kept_label(band), nights, charge)]
    if band.name == "stayed":
        kept += [line for line in booked.lines if line.kind in FEES]
    fees = _sum(kept, FEES)[0]
    kept += [line for line in booked.lines if line.kind == "service_fee"]
    kept += _kept_taxes(booked, nights, fees, band.used)
    return _settled(booked, band, kept)


def _kept_label(band: Band) -> str:
    return {"half": "Half of the nights", "late": "Nights kept", "stayed": "Nights stayed or kept"}[band.name]


def full_refund(booked: Booked) -> Refund:
    """All that was paid comes back, fees included: of a full refund, and where the host cancels (STAY-5)."""
    return _settled(booked, Band("full"), [Line("nights", "Nothing kept", 0, 0)])


def _settled(booked: Booked, band: Band, kept: Sequence[Line]) -> Refund:
    """The refund from what is kept: the coupon comes off it first, and it never exceeds what was paid."""
    paid = booked.paid
    charge = sum(line.charge for line in kept)
    refund = max(0, paid - charge)
    lines = tuple(kept)
    if charge > paid:  # what is kept beyond what was paid stays the coupon's and the credit's
        amount = sum(line.amount for line in kept) - sum(line.amount for line in booked.lines)
        lines += (Line("coupon", "Coupon and credit", -max(0, amount), paid - charge),)

    def back(*kinds: str) -> int:
        return _sum(booked.lines, kinds)[1] - _sum(kept, kinds)[1]

    parts = {
        "nights_refund": back(*ACCOMMODATION),
        "fees_refund": back(*FEES),
        "service_refund": back("service_fee"),
        "tax_refund": back("tax"),
    }
    gross = _sum(kept, HOST_ITEMS)[0]
    return Refund(
        band=band.name,
        is_full=band.name == "full",
        kept=lines,
        kept_nights=_sum(kept, ACCOMMODATION)[0],
        refund=refund,
        coupon_off=sum(parts.values()) - refund,
        gross=gross,
        host_fee=share(gross, HOST_FEE_BP),
        **parts,
    )


PENALTIES = ((30 * DAY, 1000), (2 * DAY, 2500), (None, 5000))
"""Of a host who cancels: so long before check-in at least, so many basis points of the accommodation (STAY-5)."""


def penalty_bp(seconds_ahead: int) -> int:
    """The share of the accommodation that a host pays who cancels so long before check-in."""
    return next(bp for least, bp in PENALTIES if least is None or seconds_ahead >= least)


def free_until(policy: str, booked_at: str, checkin_at: str) -> str | None:
    """The last instant of a full refund, or None where there is none (non-refundable, booked too late)."""
    bands, found = POLICIES[policy], []
    if bands.full is not None:
        until = add_seconds(checkin_at, -bands.full)
        if bands.booked_within is not None:
            until = min(until, add_seconds(booked_at, bands.booked_within))
        found.append(until)
    grace = min(add_seconds(booked_at, GRACE_BOOKED), add_seconds(checkin_at, -GRACE_AHEAD))
    found.append(grace)
    latest = max(found)
    return latest if latest >= booked_at else None


def half_until(policy: str, checkin_at: str) -> str | None:
    """The last instant at which half of the nights comes back, or None."""
    half = POLICIES[policy].half
    return None if half is None else add_seconds(checkin_at, -half)


def deadline_texts(policy: str, booked_at: str, checkin_at: str, tz: str) -> tuple[str, ...]:
    """What people read of a policy, each with its hour in the listing's zone (STAY-14)."""
    found = []
    free, half = free_until(policy, booked_at, checkin_at), half_until(policy, checkin_at)
    if free is not None:
        found.append(f"Full refund if you cancel before {deadline_text(free, tz)}.")
    if half is not None and half >= booked_at:
        found.append(f"Half of the nights if you cancel before {deadline_text(half, tz)}.")
    found.append(_LATER[policy])
    return tuple(found)


_LATER: Mapping[str, str] = {
    "flexible": "After that the first night is kept; after check-in the nights used and one more.",
    "moderate": "After that the first night and half of the others are kept; after check-in the nights used, one more "
    "and half of the rest.",
    "limited": "After that no night comes back.",
    "firm": "After that no night comes back.",
    "strict": "After that no night comes back.",
    LONG_STAY: "After that the first 30 nights are kept; after check-in the nights used and the next 30.",
    NON_REFUNDABLE: "After that no night comes back.",
}
