"""Coupons, and what one takes off a price (STAY-10)."""

from collections import Counter
from datetime import date, timedelta
from typing import Any, Final

from deskgym_apps.stays.rules_prices import Quote, converted, rate_between, share, with_coupon

from ..numbering import Row
from ..organisation import Setting
from ..streams import Stream
from ..tables import cells
from .geography import Geography
from .homes import Home

_PER_MILLE: Final = 60


class Coupons:
    """The coupons of a world, and who used which."""

    def __init__(self, setting: Setting, geography: Geography) -> None:
        self._today = setting.now.date()
        self._geography = geography
        self._places = {spot.id: key for key, spot in geography.spots.items()}
        self._uses: Counter[tuple[str, str]] = Counter()
        self.rows = [self._row(row) for row in cells("stays/coupons.txt")]
        for number in range(setting.scale.stays.coupons - len(self.rows)):
            stream = setting.stream("stays_coupon", number)
            self.rows.append(self._further(number, stream))

    def _row(self, cell: tuple[str, ...]) -> Row:
        code, title, kind, value, currency, most, least, nights, booking, stay, first, per, total, place = cell
        starts, ends = (self._day(part) for part in booking.split(":"))
        between = [self._day(part) for part in stay.split(":")] if stay else [None, None]
        return {
            "code": code, "title": title, "kind": kind, "value": int(value), "currency": currency,
            "max_discount": int(most) if most else None, "min_subtotal": int(least), "min_nights": int(nights),
            "starts_on": starts, "ends_on": ends, "stay_from": between[0], "stay_to": between[1],
            "first_booking_only": int(first), "per_user": int(per), "total_uses": int(total) if total else None,
            "place_id": self._geography.spots[place].id if place else None,
        }  # fmt: skip

    def _further(self, number: int, stream: Stream) -> Row:
        amount = stream.choice((10, 15, 20, 25, 30))
        start = stream.uniform_int(-400, 60)
        cell = (
            f"STAY{number + 101}", f"{amount} off stays from {amount * 10}", "amount", str(amount * 100), "EUR", "",
            str(amount * 1000), str(stream.uniform_int(1, 3)), f"{start}:{start + stream.uniform_int(60, 400)}", "",
            "0", "1", "", "",
        )  # fmt: skip
        return self._row(cell)

    def _day(self, days: str) -> str:
        return (self._today + timedelta(days=int(days))).isoformat()

    def try_one(
        self, priced: Quote, home: Home, guest: str, booked_on: date, ppm: dict[str, int], stream: Stream
    ) -> tuple[Quote, str | None]:
        """The price with a coupon that fits, now and then; else the price as it was."""
        if not stream.chance(_PER_MILLE):
            return priced, None
        for row in stream.shuffle(self.rows):
            amount = self._amount(row, priced, home, guest, booked_on.isoformat(), ppm)
            if amount:
                self._uses[row["code"], guest] += 1
                return with_coupon(priced, row["code"], amount), str(row["code"])
        return priced, None

    def _amount(self, row: Row, priced: Quote, home: Home, guest: str, booked_on: str, ppm: dict[str, int]) -> int:
        """What the coupon takes off in the listing's currency; 0 where a condition fails."""
        nights: list[Any] = [night.night for night in priced.nights]
        rate = rate_between(row["currency"], priced.currency, ppm)
        fits = (
            not row["first_booking_only"]
            and row["total_uses"] is None
            and row["starts_on"] <= booked_on <= row["ends_on"]
            and len(nights) >= row["min_nights"]
            and priced.subtotal >= converted(row["min_subtotal"], row["currency"], priced.currency, rate)
            and (row["stay_from"] is None or (row["stay_from"] <= nights[0] and nights[-1] < row["stay_to"]))
            and self._uses[row["code"], guest] < row["per_user"]
            and (row["place_id"] is None or self._places[row["place_id"]] in self._geography.line(home.spot.key))
        )
        if not fits:
            return 0
        if row["kind"] == "amount":
            return converted(row["value"], row["currency"], priced.currency, rate)
        most = row["max_discount"]
        off = share(priced.subtotal, row["value"])
        return off if most is None else min(off, converted(most, row["currency"], priced.currency, rate))
