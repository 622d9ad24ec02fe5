"""What a stay costs (STAY-3): whole numbers of minor units, half-up once a line, totals that are sums of lines.

Pure: dataclasses in, dataclasses out. Shares are basis points, hundredths of a percent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

from ..kit.money import exponent, round_half_up

WHOLE_BP = 10_000
SERVICE_FEE_BP = 1400
HOST_FEE_BP = 300
WEEKLY_NIGHTS = 7
MONTHLY_NIGHTS = 28
WEEKEND = (5, 6)  # ISO weekdays of Friday and Saturday nights
ONE_PPM = 1_000_000

ACCOMMODATION = ("nights", "discount", "extra_guest")
FEES = ("cleaning", "pet")
HOST_ITEMS = ACCOMMODATION + FEES
"""Kinds of line that make up the subtotal S, items 1 to 6."""


@dataclass(frozen=True, slots=True)
class Prices:
    """What a listing asks, in minor units of its currency."""

    currency: str
    base_price: int
    weekend_price: int | None = None
    included_guests: int = 1
    extra_guest_fee: int = 0
    cleaning_fee: int = 0
    pet_fee: int = 0
    weekly_bp: int = 0
    monthly_bp: int = 0
    early_bird_days: int | None = None
    early_bird_bp: int | None = None
    last_minute_days: int | None = None
    last_minute_bp: int | None = None
    nonrefundable_bp: int | None = None

    @classmethod
    def of(cls, listing: Mapping[str, Any]) -> Prices:
        """The prices that a row of `stays_listing` holds."""
        return cls(*_PRICES(listing))


_PRICES = itemgetter(*Prices.__slots__)


@dataclass(frozen=True, slots=True)
class Season:
    """Nights from `date_from` to `date_to`, both included, at a price of their own."""

    name: str
    date_from: str
    date_to: str
    priority: int
    adjust_bp: int | None = None
    fixed_price: int | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Season:
        """The season that a row of `stays_season` holds."""
        return cls(*(row[name] for name in cls.__slots__))


@dataclass(frozen=True, slots=True)
class Tax:
    """One tax of a place. `amount` is in minor units of the listing's currency."""

    name: str
    kind: str
    percent_bp: int | None = None
    base: str | None = None
    amount: int | None = None
    adults_only: bool = True
    max_nights: int | None = None
    exempt_from_nights: int | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Tax:
        """The tax that a row of `stays_tax_rule` holds; its amount must be in the listing's currency."""
        values = {name: row[name] for name in cls.__slots__}
        return cls(**values | {"adults_only": bool(row["adults_only"])})


@dataclass(frozen=True, slots=True)
class Party:
    """Who stays (STAY-2): infants and pets do not count toward capacity."""

    adults: int
    children: int = 0
    infants: int = 0
    pets: int = 0

    @property
    def guests(self) -> int:
        return self.adults + self.children


class Night(NamedTuple):
    """One night and the one price chosen for it. `source`: override, season, weekend or base."""

    night: str
    price: int
    source: str
    name: str = ""


class Line(NamedTuple):
    """One line of a price. `amount` in the listing's currency, `charge` in the guest's."""

    kind: str
    label: str
    amount: int
    charge: int


@dataclass(frozen=True, slots=True)
class Quote:
    """A stay's price, line by line. `subtotal` is S, `host_fee` what the host pays; `total` what the guest does."""

    nights: tuple[Night, ...]
    lines: tuple[Line, ...]
    currency: str
    charge_currency: str
    rate_ppm: int

    @property
    def subtotal(self) -> int:
        """S, items 1 to 6, in the listing's currency."""
        return sum(line.amount for line in self.lines if line.kind in HOST_ITEMS)

    @property
    def accommodation(self) -> int:
        """Nights after discounts and fees of extra guests, in the listing's currency."""
        return sum(line.amount for line in self.lines if line.kind in ACCOMMODATION)

    @property
    def total(self) -> int:
        """The sum of the rounded lines in the currency that is charged (STAY-3 step 11)."""
        return sum(line.charge for line in self.lines)

    @property
    def listing_total(self) -> int:
        """The same in the listing's currency."""
        return sum(line.amount for line in self.lines)

    @property
    def average(self) -> int:
        """The label "a night": the nightly prices before discounts, averaged and rounded; never multiplied back."""
        return average_night([night.price for night in self.nights])

    @property
    def host_fee(self) -> int:
        """3 % of S, in the listing's currency."""
        return share(self.subtotal, HOST_FEE_BP)


def share(amount: int, bp: int) -> int:
    """So many hundredths of a percent of an amount that is not negative, rounded half-up."""
    return (amount * bp * 2 + WHOLE_BP) // (2 * WHOLE_BP)


def average_night(prices: Sequence[int]) -> int:
    """The mean of the prices, rounded half-up."""
    return (2 * sum(prices) + len(prices)) // (2 * len(prices))


def rate_between(source: str, target: str, corporate_ppm: Mapping[str, int]) -> int:
    """Units of `target` for one of `source`, x 1e6, from corporate units per unit x 1e6."""
    if source == target:
        return ONE_PPM
    return max(1, round_half_up(Decimal(corporate_ppm[source]) * ONE_PPM / corporate_ppm[target]))


@lru_cache(maxsize=1024)
def converter(source: str, target: str, rate_ppm: int) -> Callable[[int], int]:
    """From minor units of `source` to those of `target`, at so many units of it for one of `source`, x 1e6."""
    if source == target:
        return lambda minor: minor
    top, bottom = 2 * rate_ppm * 10 ** exponent(target), ONE_PPM * 10 ** exponent(source)
    twice = 2 * bottom

    def convert(minor: int) -> int:
        return int((minor * top + bottom) // twice) if minor >= 0 else -int((bottom - minor * top) // twice)

    return convert


def converted(minor: int, source: str, target: str, rate_ppm: int) -> int:
    """Minor units of `target`; half-up, ties away from zero."""
    return converter(source, target, rate_ppm)(minor)


def season_price(base_price: int, season: Season) -> int:
    """The price of a night in a season: its own, or the base price more or less a share. Never below one unit."""
    if season.fixed_price is not None:
        return season.fixed_price
    return max(1, share(base_price, WHOLE_BP + (season.adjust_bp or 0)))


def in_order(seasons: Iterable[Season]) -> tuple[Season, ...]:
    """Seasons as they are asked: the highest priority first."""
    return tuple(sorted(seasons, key=lambda season: -season.priority))


@lru_cache(maxsize=4096)
def is_weekend(night: str) -> bool:
    """Whether a night is that of a Friday or Saturday."""
    return date.fromisoformat(night).isoweekday() in WEEKEND


def price_of_night(prices: Prices, night: str, override: int | None, ordered: Sequence[Season]) -> Night:
    """The one price of a night: the host's own, else the season's, else the weekend's, else the base price."""
    if override is not None:
        return Night(night, override, "override")
    for season in ordered:
        if season.date_from <= night <= season.date_to:
            return Night(night, season_price(prices.base_price, season), "season", season.name)
    if prices.weekend_price is not None and is_weekend(night):
        return Night(night, prices.weekend_price, "weekend")
    return Night(night, prices.base_price, "base")


def nightly(
    prices: Prices, nights: Sequence[str], overrides: Mapping[str, int], ordered: Sequence[Season]
) -> tuple[Night, ...]:
    """The price of each night; `overrides` are the host's own by night, `ordered` seasons by priority."""
    return tuple([price_of_night(prices, night, overrides.get(night), ordered) for night in nights])


@lru_cache(maxsize=256)
def percent_text(bp: int) -> str:
    """`1250` -> `12.5 %`."""
    whole, rest = divmod(bp, 100)
    return f"{whole}{f'.{rest:02d}'.rstrip('0') if rest else ''} %"


def discounts(
    prices: Prices, total: int, count: int, days_ahead: int, nonrefundable: bool
) -> tuple[tuple[str, str, int], ...]:
    """Steps 2 to 4 on the sum of the nights, as (kind, label, amount): length of stay, promotion, rate plan."""
    found: list[tuple[str, str, int]] = []
    monthly = count >= MONTHLY_NIGHTS and prices.monthly_bp > 0
    length_bp = prices.monthly_bp if monthly else prices.weekly_bp if count >= WEEKLY_NIGHTS else 0
    if length_bp and (off := share(total, length_bp)):
        found.append(("discount", f"{'Monthly' if monthly else 'Weekly'} discount {percent_text(length_bp)}", -off))
        total -= off
    label, bp = promotion(prices, days_ahead)
    if bp and (off := share(total, bp)):
        found.append(("discount", f"{label} {percent_text(bp)}", -off))
        total -= off
    if nonrefundable and prices.nonrefundable_bp and (off := share(total, prices.nonrefundable_bp)):
        found.append(("discount", f"Non-refundable rate {percent_text(prices.nonrefundable_bp)}", -off))
    return tuple(found)


def promotion(prices: Prices, days_ahead: int) -> tuple[str, int]:
    """The larger of early bird and last minute that holds so many days before check-in: its label and share."""
    best = ("", 0)
    if prices.early_bird_days is not None and days_ahead >= prices.early_bird_days:
        best = ("Early bird", prices.early_bird_bp or 0)
    if (
        prices.last_minute_days is not None
        and 0 <= days_ahead <= prices.last_minute_days
        and (prices.last_minute_bp or 0) > best[1]
    ):
        best = ("Last minute", prices.last_minute_bp or 0)
    return best


def is_exempt(tax: Tax, count: int) -> bool:
    """Whether stays of so many nights pay nothing of a tax."""
    return tax.exempt_from_nights is not None and count >= tax.exempt_from_nights


def tax_amount(tax: Tax, accommodation: int, fees: int, party: Party, count: int) -> int:
    """One tax of a stay (step 9), the service fee never in it."""
    if tax.kind == "percent":
        return share(accommodation + (fees if tax.base == "accommodation_and_fees" else 0), tax.percent_bp or 0)
    heads = party.adults if tax.adults_only else party.guests
    taxed = count if tax.max_nights is None else min(count, tax.max_nights)
    return heads * taxed * (tax.amount or 0)


def _items(
    prices: Prices, chosen: Sequence[Night], party: Party, days_ahead: int, nonrefundable: bool, service_pets: int
) -> list[tuple[str, str, int]]:
    """Items 1 to 6 as (kind, label, amount)."""
    count = len(chosen)
    total = sum(night.price for night in chosen)
    items = [("nights", f"{count} night{'s' if count != 1 else ''}", total)]
    items += discounts(prices, total, count, days_ahead, nonrefundable)
    extra = max(0, party.guests - prices.included_guests)
    if extra and prices.extra_guest_fee:
        label = f"{extra} extra guest{'s' if extra != 1 else ''}"
        items.append(("extra_guest", label, extra * prices.extra_guest_fee * count))
    if prices.cleaning_fee:
        items.append(("cleaning", "Cleaning fee", prices.cleaning_fee))
    if party.pets > service_pets and prices.pet_fee:
        items.append(("pet", "Pet fee", prices.pet_fee))
    return items


def _with_fees(
    items: Sequence[tuple[str, str, int]], party: Party, count: int, taxes: Sequence[Tax]
) -> list[tuple[str, str, int]]:
    """Items 1 to 6 with service fee and taxes."""
    accommodation = sum(amount for kind, _, amount in items if kind in ACCOMMODATION)
    fees = sum(amount for kind, _, amount in items if kind in FEES)
    rows = [*items, ("service_fee", "Service fee", share(accommodation + fees, SERVICE_FEE_BP))]
    for tax in taxes:
        if not is_exempt(tax, count) and (amount := tax_amount(tax, accommodation, fees, party, count)):
            rows.append(("tax", tax.name, amount))
    return rows


def quote(
    prices: Prices,
    chosen: tuple[Night, ...],
    party: Party,
    taxes: Sequence[Tax],
    *,
    days_ahead: int,
    nonrefundable: bool = False,
    charge_currency: str | None = None,
    rate_ppm: int = ONE_PPM,
    offer_total: int | None = None,
    service_pets: int = 0,
) -> Quote:
    """The price of the chosen nights for a party (STAY-3 steps 1 to 9), without coupon and credit.

    `days_ahead`: from today, by the listing's clock, to check-in. `rate_ppm`: units of `charge_currency` for one of the
    listing's. `offer_total`: the fixed total of a special offer; a discount line makes up the difference.
    """
    target = charge_currency or prices.currency
    rows = _with_fees(_items(prices, chosen, party, days_ahead, nonrefundable, service_pets), party, len(chosen), taxes)
    if offer_total is not None:
        rows = _at_total(rows, party, len(chosen), taxes, offer_total)
    charge = converter(prices.currency, target, rate_ppm)
    lines = tuple([Line(kind, label, amount, charge(amount)) for kind, label, amount in rows])
    return Quote(chosen, lines, prices.currency, target, rate_ppm)


def _at_total(
    rows: Sequence[tuple[str, str, int]], party: Party, count: int, taxes: Sequence[Tax], wanted: int
) -> list[tuple[str, str, int]]:
    """The rows with a line "Special offer" before the fees, so that all add up to the offered total."""
    items = [row for row in rows if row[0] in HOST_ITEMS]
    place = sum(1 for row in items if row[0] in ("nights", "discount"))
    subtotal = sum(amount for _, _, amount in items)

    def with_offer(offer: int) -> list[tuple[str, str, int]]:
        row = ("discount", "Special offer", offer)
        return _with_fees([*items[:place], row, *items[place:]], party, count, taxes)

    low, high = -subtotal, max(0, wanted)
    while low < high:  # the largest step down or up that does not exceed the offer
        middle = (low + high + 1) // 2
        if sum(amount for _, _, amount in with_offer(middle)) <= wanted:
            low = middle
        else:
            high = middle - 1
    found = with_offer(low)
    left = wanted - sum(amount for _, _, amount in found)
    return [(kind, label, amount + left if label == "Special offer" else amount) for kind, label, amount in found]


def with_coupon(priced: Quote, label: str, amount: int) -> Quote:
    """The price less a coupon (step 10): `amount` in the listing's currency; it reduces items 1 to 8, never taxes."""
    room = sum(line.amount for line in priced.lines if line.kind != "tax")
    charged = sum(line.charge for line in priced.lines if line.kind != "tax")
    off = min(amount, room)
    charge = converted(off, priced.currency, priced.charge_currency, priced.rate_ppm) if off < room else charged
    line = Line("coupon", label, -off, -min(charge, charged))
    return replace(priced, lines=(*priced.lines, line))


def with_credit(priced: Quote, charge: int) -> Quote:
    """The price less credit of the guest, in the currency that is charged; never below 0."""
    off = min(charge, priced.total)
    back = ONE_PPM * ONE_PPM // priced.rate_ppm
    amount = priced.listing_total
    if off < priced.total:
        amount = min(amount, converted(off, priced.charge_currency, priced.currency, back))
    return replace(priced, lines=(*priced.lines, Line("credit", "Credit", -amount, -off)))
