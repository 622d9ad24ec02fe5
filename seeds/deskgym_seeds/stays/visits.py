"""Stays as they are wished for: who, where, from when to when, booked when. What becomes of them is ``outcomes``.

A visit is drawn against the listing's calendar and the nights that others hold, so that no two clash (STAY-1).
"""

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Final

from deskgym_apps.stays.rules_prices import Party

from ..localtime import local_date, to_utc
from ..numbering import Row
from ..organisation import Setting
from ..streams import Stream
from .calendars import CalendarMaker
from .community import Community, Member
from .homes import Home

_NIGHTS: Final = (
    (1, 8), (2, 25), (3, 25), (4, 15), (5, 10), (6, 4), (7, 8), (8, 1), (9, 1), (10, 1), (14, 1), (28, 1),
)  # fmt: skip
_HOURS: Final = ((8, 6), (10, 9), (12, 12), (13, 11), (15, 8), (17, 9), (19, 14), (20, 16), (21, 12), (22, 8))
PAST_DAYS: Final = 400
STAFF_WEIGHT: Final = 4
NIGHT: Final = timedelta(days=1)


@dataclass(slots=True)
class Visit:
    """A stay that somebody asked for at ``created`` (naive UTC). ``held``: it has nights of its own."""

    home: Home
    guest: Member
    checkin: date
    checkout: date
    party: Party
    plan: str
    created: datetime
    stream: Stream
    held: bool = True
    unit: int = 1
    status: str = ""
    intent: str = ""  # what else the guest writes of: party, smoking, dog, late
    until: datetime | None = None  # cancelled then
    row: Row = field(default_factory=dict)

    @property
    def nights(self) -> list[date]:
        return [self.checkin + timedelta(days=step) for step in range((self.checkout - self.checkin).days)]


class Planner:
    """Draws visits that fit the rules of the listing, its calendar and its guest."""

    def __init__(self, setting: Setting, community: Community, calendars: CalendarMaker) -> None:
        self.now = setting.now
        self.today = setting.now.date()
        self._setting, self._calendars = setting, calendars
        self._held: dict[tuple[str, date], dict[int, Visit]] = {}
        self._trips: dict[str, list[tuple[date, date]]] = {}
        staff = [one for one in community.travellers if one.post]
        self.guests = staff * STAFF_WEIGHT * (len(community.guests) // 500 or 1) + community.guests

    def shares(self, homes: list[Home]) -> list[tuple[Home, int]]:
        """How many visits each listing gets; all together about the scale's reservations."""
        wanted = self._setting.scale.stays.reservations
        weights = []
        for home in homes:
            stream = self._setting.stream("stays_reservation", "share", home.key.strip())
            rooms = min(home.row["inventory"], 3)
            weights.append(0 if home.row["status"] == "draft" else stream.lognormal(1000, 450) * rooms)
        total = sum(weights)
        return [(home, wanted * weight // total) for home, weight in zip(homes, weights, strict=True)]

    def general(self, home: Home, count: int) -> list[Visit]:
        """About so many visits of a listing over the past year and the months ahead."""
        stream = self._setting.stream("stays_reservation", "visits", home.key.strip())
        out = []
        for _ in range(count):
            for _attempt in range(6):
                ahead = stream.chance(230)
                days = min(stream.uniform_int(1, 170) for _ in range(2)) if ahead else -stream.uniform_int(1, PAST_DAYS)
                visit = self.draw(home, stream.choice(self.guests), self.today + timedelta(days=days), stream)
                if visit is not None and self.take(visit):
                    out.append(visit)
                    break
        return out

    def draw(
        self, home: Home, guest: Member, checkin: date, stream: Stream, *, created: datetime | None = None
    ) -> Visit | None:
        """A visit that the listing's rules allow, or None. It holds nothing until it is taken."""
        row = home.row
        if guest is home.host or row["status"] == "draft":
            return None
        night = self._calendars.overrides[home.id].get(checkin.isoformat())
        least = (night and night["min_nights"]) or row["min_nights"]
        if str(checkin.isoweekday()) not in row["checkin_weekdays"]:
            checkin += timedelta(days=(int(row["checkin_weekdays"][0]) - checkin.isoweekday()) % 7)
            night = self._calendars.overrides[home.id].get(checkin.isoformat())
            least = (night and night["min_nights"]) or row["min_nights"]
        count = max(stream.weighted(_NIGHTS), least)
        checkout = checkin + timedelta(days=count)
        booked = created or self._booked(home, guest, checkin, stream)
        if booked is None or count > row["max_nights"] or not self._may(home, guest, checkin, checkout, booked):
            return None
        party = _party(home, stream)
        plan = "nonrefundable" if row["nonrefundable_bp"] and stream.chance(300) else "standard"
        return Visit(home, guest, checkin, checkout, party, plan, booked, stream)

    def take(self, visit: Visit) -> bool:
        """Hold its nights; False, and nothing held, where somebody else has them or the guest is elsewhere."""
        if any(first < visit.checkout and visit.checkin < last for first, last in self._trips.get(visit.guest.id, [])):
            return False
        unit = self.free_unit(visit)
        if unit is None:
            return False
        visit.unit = unit
        for night in visit.nights:
            self._held.setdefault((visit.home.id, night), {})[unit] = visit
        self._trips.setdefault(visit.guest.id, []).append((visit.checkin, visit.checkout))
        return True

    def free_unit(self, visit: Visit) -> int | None:
        """The lowest room that is free on all nights and the days of preparation about them, or None."""
        prep = visit.home.row["prep_days"]
        nights = [visit.checkin + timedelta(days=step)
                  for step in range(-prep, (visit.checkout - visit.checkin).days + prep)]  # fmt: skip
        taken = {unit for night in nights for unit in self._held.get((visit.home.id, night), {})}
        return next((unit for unit in range(1, visit.home.row["inventory"] + 1) if unit not in taken), None)

    def is_open(self, home: Home, night: date) -> bool:
        """Whether a night is neither closed nor held."""
        row = self._calendars.overrides[home.id].get(night.isoformat())
        return (row is None or not row["blocked"]) and len(self._held.get((home.id, night), {})) < home.row["inventory"]

    def release(self, visit: Visit) -> None:
        """Give the nights back; the guest may have other plans for them."""
        for night in visit.nights:
            del self._held[visit.home.id, night][visit.unit]
        self._trips[visit.guest.id].remove((visit.checkin, visit.checkout))

    def _booked(self, home: Home, guest: Member, checkin: date, stream: Stream) -> datetime | None:
        ahead = min(stream.lognormal(20, 900) + home.row["advance_notice_days"], home.row["window_days"] - 30)
        if checkin > self.today:
            ahead = (checkin - self.today).days + stream.lognormal(9, 1000)
        day = checkin - timedelta(days=ahead)
        hour = stream.weighted(_HOURS)
        local = datetime(day.year, day.month, day.day, hour, stream.uniform_int(0, 59), stream.uniform_int(0, 59))
        at = to_utc(local, guest.zone)
        return at if at < self.now - timedelta(hours=30) else None

    def _may(self, home: Home, guest: Member, checkin: date, checkout: date, booked: datetime) -> bool:
        row = home.row
        on = local_date(home.city.zone, booked)
        listed = date.fromisoformat(row["listed_on"])
        blocked = self._calendars.overrides[home.id]
        night, free = checkin, True
        while night < checkout and free:
            held = blocked.get(night.isoformat())
            free = held is None or not held["blocked"]
            night += NIGHT
        return (
            free
            and on > max(listed, guest.joined_on)
            and row["advance_notice_days"] <= (checkin - on).days
            and (checkout - on).days - 1 <= row["window_days"]
            and (row["status"] == "listed" or checkout < self.today - timedelta(days=40))
        )


def _party(home: Home, stream: Stream) -> Party:
    most = home.row["max_guests"]
    adults = min(most, stream.weighted(((1, 24), (2, 52), (3, 9), (4, 10), (5, 3), (6, 2))))
    children = infants = 0
    if home.rules.get("children") != "no":
        if adults < most and stream.chance(210):
            children = stream.uniform_int(1, min(2, most - adults))
        if home.row["max_infants"] and stream.chance(60):
            infants = 1
    pets = 1 if home.row["max_pets"] and stream.chance(260) else 0
    return Party(adults, children, infants, pets)
