"""What visits cost: the app's own rules over the listing's prices, seasons, nights of their own and taxes (STAY-3)."""

from bisect import bisect_right
from collections.abc import Sequence
from datetime import date, timedelta

from deskgym_apps.stays.rules_prices import Party, Prices, Quote, Season, Tax, in_order, nightly, quote, rate_between

from ..localtime import local_date
from ..numbering import Row
from ..organisation import Setting, rate_history
from .calendars import CalendarMaker
from .geography import Geography
from .homes import Home
from .visits import Visit


class Pricer:
    """Prices of visits at the instant they were asked for."""

    def __init__(
        self,
        setting: Setting,
        geography: Geography,
        calendars: CalendarMaker,
        taxes: Sequence[Row],
        homes: Sequence[Home],
    ) -> None:
        self._rates = rate_history(setting.seed, setting.now)
        self._firsts = [first for first, _ in next(iter(self._rates.values()))]
        self._prices = {home.id: Prices.of(home.row) for home in homes}
        self._seasons = {key: in_order(Season.of(row) for row in rows) for key, rows in calendars.seasons.items()}
        self._overrides = {
            key: {night: row["price"] for night, row in nights.items() if row["price"] is not None}
            for key, nights in calendars.overrides.items()
        }
        by_place: dict[str, list[Row]] = {}
        for row in taxes:
            by_place.setdefault(row["place_id"], []).append(row)
        spots = geography.spots
        self._taxes = {
            key: [row for each in reversed(geography.line(key)) for row in by_place.get(spots[each].id, [])]
            for key in spots
        }

    def corporate_ppm(self, day: date) -> dict[str, int]:
        """Corporate units per unit, x 1e6, as they were on a day, by currency."""
        place = max(0, bisect_right(self._firsts, day) - 1)
        return {code: history[place][1] for code, history in self._rates.items()}

    def taxes(self, home: Home, checkin: date) -> tuple[Tax, ...]:
        """The taxes of stays that begin on a day, the country's first."""
        day = checkin.isoformat()
        return tuple(
            Tax.of(row)
            for row in self._taxes[home.spot.key]
            if row["valid_from"] <= day and (row["valid_to"] is None or day < row["valid_to"])
        )

    def price(
        self,
        visit: Visit,
        *,
        dates: tuple[date, date] | None = None,
        party: Party | None = None,
        asked_on: date | None = None,
        rate_ppm: int | None = None,
    ) -> Quote:
        """The price of a visit, or of other dates or guests asked for on another day at its rate."""
        home, (checkin, checkout) = visit.home, dates or (visit.checkin, visit.checkout)
        booked_on = local_date(home.city.zone, visit.created)
        nights = [(checkin + timedelta(days=step)).isoformat() for step in range((checkout - checkin).days)]
        chosen = nightly(self._prices[home.id], nights, self._overrides[home.id], self._seasons[home.id])
        source, target = home.row["currency"], visit.guest.currency
        return quote(
            self._prices[home.id],
            chosen,
            party or visit.party,
            self.taxes(home, checkin),
            days_ahead=(checkin - (asked_on or booked_on)).days,
            nonrefundable=visit.plan == "nonrefundable",
            charge_currency=target,
            rate_ppm=rate_ppm or rate_between(source, target, self.corporate_ppm(booked_on)),
        )
