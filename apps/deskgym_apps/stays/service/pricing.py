"""Prices of stays at listings: what the rules of STAY-3 need, fetched for many listings in few queries."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from ...kit.call import Context
from ...kit.roles import Row
from ..rules_prices import (
    Night,
    Party,
    Prices,
    Quote,
    Season,
    Tax,
    converted,
    in_order,
    nightly,
    quote,
    rate_between,
)
from ..rules_stays import days_between, nights_between
from .people import money
from .rates import corporate_rates


def seasons_of(
    ctx: Context, listing_ids: Sequence[str], start: str = "", end: str = "9999"
) -> dict[str, tuple[Season, ...]]:
    """Seasons with nights in [start, end) by listing, the highest priority first."""
    sql = (
        "SELECT listing_id, name, date_from, date_to, priority, adjust_bp, fixed_price FROM stays_season "
        "WHERE listing_id IN (SELECT value FROM json_each(?)) AND date_to >= ? AND date_from < ? "
        "ORDER BY listing_id, priority DESC, id"
    )
    found: dict[str, list[Season]] = {}
    for listing_id, *values in ctx.conn.execute(sql, (json.dumps(list(listing_ids)), start, end)):
        found.setdefault(listing_id, []).append(Season(*values))
    return {listing_id: in_order(seasons) for listing_id, seasons in found.items()}


def own_prices(ctx: Context, listing_ids: Sequence[str], start: str, end: str) -> dict[str, dict[str, int]]:
    """The hosts' own prices of nights in [start, end), by listing and night."""
    sql = (
        "SELECT listing_id, night, price FROM stays_calendar_override WHERE listing_id IN "
        "(SELECT value FROM json_each(?)) AND night >= ? AND night < ? AND price IS NOT NULL ORDER BY listing_id, night"
    )
    found: dict[str, dict[str, int]] = {}
    for listing_id, night, price in ctx.conn.execute(sql, (json.dumps(list(listing_ids)), start, end)):
        found.setdefault(listing_id, {})[night] = price
    return found


class Pricing:
    """Prices stays of given dates, at any of some listings."""

    def __init__(self, ctx: Context, listings: Sequence[Row], checkin: str, checkout: str, currency: str) -> None:
        ids = [row["id"] for row in listings]
        self.ctx = ctx
        self.checkin = checkin
        self.nights = nights_between(checkin, checkout)
        self.currency = currency
        self.seasons = seasons_of(ctx, ids, checkin, checkout)
        self.own = own_prices(ctx, ids, checkin, checkout)
        self.rates = corporate_rates(ctx)
        self._taxes: dict[tuple[str, str], tuple[Tax, ...]] = {}
        self._to: dict[str, int] = {}
        self._prices = {row["id"]: Prices.of(row) for row in listings}

    def rate(self, listing_currency: str) -> int:
        """Charge units for one unit of a listing's currency, x 1e6."""
        if listing_currency not in self._to:
            self._to[listing_currency] = rate_between(listing_currency, self.currency, self.rates)
        return self._to[listing_currency]

    @cached_property
    def _tax_book(self) -> TaxBook:
        return TaxBook(self.ctx, self.checkin)

    def taxes(self, listing: Row) -> tuple[Tax, ...]:
        """The taxes of the listing's place on the check-in date, in the listing's currency."""
        key = (listing["place_id"], listing["currency"])
        if key not in self._taxes:
            self._taxes[key] = self._tax_book.taxes(*key, self.rates)
        return self._taxes[key]

    def nightly(self, listing: Row) -> tuple[Night, ...]:
        """The prices of the nights at one of the listings."""
        own, seasons = self.own.get(listing["id"], {}), self.seasons.get(listing["id"], ())
        return nightly(self._prices[listing["id"]], self.nights, own, seasons)

    def quote(
        self,
        listing: Row,
        party: Party,
        today: str,
        *,
        nonrefundable: bool = False,
        offer_total: int | None = None,
        service_pets: int = 0,
        rate_ppm: int | None = None,
    ) -> Quote:
        """The price at one of the listings, without coupon and credit."""
        return quote(
            self._prices[listing["id"]],
            self.nightly(listing),
            party,
            self.taxes(listing),
            days_ahead=days_between(today, self.checkin),
            nonrefundable=nonrefundable,
            charge_currency=self.currency,
            rate_ppm=self.rate(listing["currency"]) if rate_ppm is None else rate_ppm,
            offer_total=offer_total,
            service_pets=service_pets,
        )


class TaxBook:
    """The taxes of every place for stays that begin on a day."""

    def __init__(self, ctx: Context, checkin: str) -> None:
        self._above = dict(ctx.conn.execute("SELECT id, parent_id FROM stays_place ORDER BY id").fetchall())
        self._rules: dict[str, list[Row]] = {}
        for row in ctx.store.all(
            "SELECT * FROM stays_tax_rule WHERE valid_from <= ? AND (valid_to IS NULL OR valid_to > ?) ORDER BY id",
            (checkin, checkin),
        ):
            self._rules.setdefault(row["place_id"], []).append(row)

    def taxes(self, place_id: str, currency: str, rates: Mapping[str, int]) -> tuple[Tax, ...]:
        """Taxes of a place and of those above it; amounts in `currency`."""
        rows: list[Row] = []
        here: str | None = place_id
        while here is not None:
            rows += self._rules.get(here, ())
            here = self._above.get(here)
        rows.sort(key=lambda row: (row["kind"], row["name"], row["id"]))
        return tuple(_tax(row, currency, rates) for row in rows)


def _tax(row: Row, currency: str, rates: Mapping[str, int]) -> Tax:
    amount, source = row["amount"], row["currency"]
    if amount is not None:
        amount = converted(amount, source, currency, rate_between(source, currency, rates))
    return Tax.of({**row, "amount": amount})


def taxes_at(ctx: Context, place_id: str, currency: str, checkin: str, rates: Mapping[str, int]) -> tuple[Tax, ...]:
    """Taxes of a place and of those above it for stays that begin on a day; amounts in `currency`."""
    return TaxBook(ctx, checkin).taxes(place_id, currency, rates)


def shown_quote(found: Quote) -> dict[str, Any]:
    """A price as results hold it: lines, nightly prices, totals, each amount with its currency."""
    return {
        "lines": [
            {
                "kind": line.kind,
                "label": line.label,
                "charge": money(line.charge, found.charge_currency),
                "listing_amount": money(line.amount, found.currency),
            }
            for line in found.lines
        ],
        "nights": [
            {
                "night": night.night,
                "price": money(night.price, found.currency),
                "source": night.source,
                "season": night.name or None,
            }
            for night in found.nights
        ],
        "average_night": money(
            converted(found.average, found.currency, found.charge_currency, found.rate_ppm), found.charge_currency
        ),
        "subtotal": money(found.subtotal, found.currency),
        "total": money(found.total, found.charge_currency),
        "listing_total": money(found.listing_total, found.currency),
        "rate_ppm": found.rate_ppm,
    }
