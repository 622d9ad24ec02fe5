"""Nights of their own (closed, dearer, with a minimum) and seasons of listings."""

from datetime import date, timedelta
from typing import Final

from ..numbering import Ids, Oracle, Row
from ..organisation import Setting
from ..streams import Stream
from .homes import Home, rounded

BACK_DAYS: Final = 25
AHEAD_DAYS: Final = 320
# Name, first month and day, last month and day, hundredths of a percent more or less.
_SEASONS: Final = (
    ("Summer", (6, 15), (8, 31), (1500, 3500)), ("Christmas and New Year", (12, 20), (1, 3), (2000, 5000)),
    ("Low season", (1, 8), (2, 28), (-2500, -800)), ("Easter", (3, 25), (4, 12), (1000, 2200)),
    ("Autumn holidays", (10, 3), (10, 25), (800, 1800)), ("Spring", (4, 20), (5, 31), (400, 1200)),
)  # fmt: skip
_CLOSED: Final = ("Painting", "Family visit", "Own use", "New boiler", "Window fitters", None, None)
_EVENTS: Final = ("Book fair", "Marathon", "City festival", "Congress", "Long weekend", None)


class CalendarMaker:
    """Overrides and seasons of every listing; ``overrides`` and ``seasons`` are kept by listing for pricing."""

    def __init__(self, setting: Setting, ids: Ids, oracle: Oracle) -> None:
        self._setting, self._ids, self._oracle = setting, ids, oracle
        self._today = setting.now.date()
        self.overrides: dict[str, dict[str, Row]] = {}
        self.seasons: dict[str, list[Row]] = {}

    def make(self, homes: list[Home]) -> None:
        """Seasons first, then nights; both within the scale's numbers."""
        self._make_seasons(homes)
        scale = self._setting.scale.stays
        for home in homes:
            stream = self._setting.stream("stays_calendar_override", home.key.strip())
            wanted = stream.uniform_int(6, 14 + 2 * (scale.overrides // scale.listings - 10))
            nights: dict[str, Row] = {}
            while len(nights) < wanted:
                self._stretch(home, nights, stream)
            self.overrides[home.id] = nights
        self._contradictions(homes)

    def rows(self) -> dict[str, list[Row]]:
        """Rows of overrides and seasons."""
        return {
            "stays_calendar_override": [
                {"listing_id": listing, "night": night, **nights[night]}
                for listing, nights in self.overrides.items()
                for night in sorted(nights)
            ],
            "stays_season": [row for rows in self.seasons.values() for row in rows],
        }

    def _stretch(self, home: Home, nights: dict[str, Row], stream: Stream) -> None:
        first = self._today + timedelta(days=stream.uniform_int(-BACK_DAYS, AHEAD_DAYS))
        kind = stream.weighted((("closed", 46), ("price", 34), ("minimum", 20)))
        if kind == "closed":
            length, note = stream.uniform_int(1, 8), stream.choice(_CLOSED)
            row: Row = {"blocked": 1, "price": None, "min_nights": None, "note": note}
        elif kind == "price":
            length, share = stream.uniform_int(2, 5), stream.weighted(((stream.uniform_int(115, 170), 80), (82, 20)))
            price = rounded(home.row["base_price"] * share // 100, home.row["currency"])
            row = {"blocked": 0, "price": price, "min_nights": None, "note": stream.choice(_EVENTS)}
        else:
            length = stream.uniform_int(3, 9)
            least = min(home.row["min_nights"] + stream.uniform_int(1, 3), home.row["max_nights"])
            row = {"blocked": 0, "price": None, "min_nights": least, "note": None}
        for step in range(length):
            nights.setdefault((first + timedelta(days=step)).isoformat(), row)

    def _make_seasons(self, homes: list[Home]) -> None:
        left = self._setting.scale.stays.seasons
        for number, home in enumerate(homes):
            stream = self._setting.stream("stays_season", home.key.strip())
            count = min(stream.uniform_int(0, 3), left) if number < len(homes) - 1 else min(left, len(_SEASONS))
            left -= count
            chosen = stream.sample(_SEASONS, count)
            self.seasons[home.id] = [
                self._season(home, season, priority, stream) for priority, season in enumerate(chosen, start=1)
            ]

    def _season(
        self,
        home: Home,
        season: tuple[str, tuple[int, int], tuple[int, int], tuple[int, int]],
        priority: int,
        stream: Stream,
    ) -> Row:
        name, (month, day), (last_month, last_day), (low, high) = season
        year = self._today.year - (stream.chance(300)) + (month < self._today.month)
        first = date(year, month, day)
        last = date(year + (last_month < month), last_month, last_day)
        adjust = stream.uniform_int(low // 100, high // 100) * 100
        fixed = stream.chance(180)
        price = rounded(home.row["base_price"] * (10_000 + adjust) // 10_000, home.row["currency"])
        return {
            "id": self._ids.new("stays_season"), "listing_id": home.id, "name": f"{name} {year}",
            "date_from": first.isoformat(), "date_to": last.isoformat(), "adjust_bp": None if fixed else adjust,
            "fixed_price": price if fixed else None, "priority": priority, "row_version": 1,
        }  # fmt: skip

    def _contradictions(self, homes: list[Home]) -> None:
        """Notes of which the later says otherwise: the later holds."""
        stream = self._setting.stream("stays_calendar_override", "contradictions")
        for home in stream.sample(homes, max(2, len(homes) // 60)):
            first = self._today + timedelta(days=stream.uniform_int(150, 240))
            nights = self.overrides[home.id]
            for step, note in ((0, "Painters come this week"), (1, "Painters put off, nothing closed")):
                night = (first + timedelta(days=step)).isoformat()
                nights[night] = {"blocked": 0, "price": None, "min_nights": None, "note": note}
                self._oracle.note(
                    "contradictory_note", "stays_calendar_override", home.id, night=night, holds=step == 1
                )
