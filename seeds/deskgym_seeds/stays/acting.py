"""Trips and requests that tasks find: of the company's people as guests, and at the listings of those who are hosts.

They are drawn before everybody else's, so that each of these people has trips behind and ahead, something cancelled,
something that waits for an answer, and a stay that is still to be reviewed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from ..numbering import Oracle
from ..organisation import Setting
from ..streams import Stream
from .community import Community, Member
from .homes import Home
from .outcomes import Change, Fate
from .visits import Planner, Visit

_TRIES: Final = 60
_INTENTS: Final = ("", "party", "", "smoking", "", "dog", "late")
Story = tuple[Visit, Fate]


@dataclass(frozen=True, slots=True)
class Trip:
    """A kind of trip: first and last day of check-in from today, hours since it was booked, and which listings suit."""

    days: tuple[int, int]
    hours: tuple[int, int]
    suits: Callable[[Home], bool]


def _any(_home: Home) -> bool:
    return True


_UPCOMING: Final = Trip((6, 110), (60, 900), _any)
_SOON: Final = Trip((2, 4), (150, 700), lambda home: home.row["policy_code"] == "moderate")
_RECENT: Final = Trip((-14, -7), (600, 1600), _any)
_PENDING: Final = Trip((9, 120), (1, 20), lambda home: not home.row["instant_book"])
_DROPPED: Final = Trip((12, 60), (400, 1200), lambda home: home.row["room_type"] == "entire_home")


class ActingPeople:
    """Draws the stories of the company's people and of their listings."""

    def __init__(
        self, setting: Setting, community: Community, planner: Planner, homes: Sequence[Home], oracle: Oracle
    ) -> None:
        self._setting, self._community, self._planner, self._oracle = setting, community, planner, oracle
        self._homes = [home for home in homes if home.row["status"] == "listed"]
        self._now = setting.now

    def stories(self) -> list[Story]:
        """Everything that is drawn for them."""
        out: list[Story] = []
        for number, member in enumerate(one for one in self._community.travellers if one.post):
            out += self._travels(member, number)
        for host in self._community.hosts:
            if host.post:
                out += self._hosts(host)
        return out

    def _travels(self, member: Member, number: int) -> list[Story]:
        stream = self._setting.stream("stays_reservation", "traveller", member.post)
        out: list[Story] = []
        for trip in (_UPCOMING, _UPCOMING, _SOON):
            out += self._book(member, self._homes, trip, stream, "confirmed")
        out += self._book(member, self._homes, _RECENT, stream, "completed")
        if number % 2 == 0:
            out += self._book(member, self._homes, _PENDING, stream, "pending", take=False)
        if number % 3 == 0:
            out += self._book(member, self._homes, _DROPPED, stream, "cancelled_host")
        if number % 3 == 1 and out:
            self._ask(out[0], stream)
        return out

    def _hosts(self, host: Member) -> list[Story]:
        stream = self._setting.stream("stays_reservation", "host", host.post)
        own = [home for home in self._homes if home.host is host]
        out: list[Story] = []
        for trip, status in ((_UPCOMING, "confirmed"),) * 4 + ((_RECENT, "completed"),) * 2:
            out += self._book(stream.choice(self._community.guests), own, trip, stream, status)
        for intent in _INTENTS:
            guest = stream.choice(self._community.guests)
            out += self._book(guest, own, _PENDING, stream, "pending", take=False, intent=intent)
        pending = [visit for visit, fate in out if fate.status == "pending"]
        for first in pending[:2]:
            out += self._rival(first, stream)
        for _ in range(2):
            guest = stream.choice(self._community.guests)
            out += self._book(guest, own, Trip((20, 140), (2, 70), _any), stream, "inquiry", take=False)
        if out and out[0][1].status == "confirmed":
            self._ask(out[0], stream)
        return out

    def _book(
        self,
        guest: Member,
        homes: Sequence[Home],
        trip: Trip,
        stream: Stream,
        status: str,
        *,
        take: bool = True,
        intent: str = "",
    ) -> list[Story]:
        """One story of that kind, or none where the calendars are too full."""
        suiting = [home for home in homes if trip.suits(home)]
        for _ in range(_TRIES if suiting else 0):
            checkin = self._planner.today + timedelta(days=stream.uniform_int(*trip.days))
            created = self._now - timedelta(
                seconds=3600 * stream.uniform_int(*trip.hours) + stream.uniform_int(1, 3500)
            )
            visit = self._planner.draw(stream.choice(suiting), guest, checkin, stream, created=created)
            if visit is None or (status == "completed" and visit.checkout >= self._planner.today - timedelta(days=1)):
                continue
            if self._planner.take(visit) if take else self._planner.free_unit(visit) is not None:
                visit.held, visit.intent = take, intent
                return [(visit, self._fate(visit, status))]
        return []

    def _fate(self, visit: Visit, status: str) -> Fate:
        if status in ("pending", "inquiry"):
            return Fate(status)
        confirmed = visit.created
        if not visit.home.row["instant_book"]:
            confirmed += timedelta(seconds=visit.stream.uniform_int(900, 70_000))
        if status == "cancelled_host":
            visit.held = False
            at = self._now - timedelta(hours=visit.stream.uniform_int(20, 120))
            return Fate(status, confirmed, at, "Burst pipe in the bathroom")
        return Fate(status, confirmed)

    def _rival(self, first: Visit, stream: Stream) -> list[Story]:
        """Somebody else asks for nights of the same stay a little later."""
        guest = stream.choice(self._community.guests)
        created = first.created + timedelta(minutes=stream.uniform_int(20, 55))
        visit = self._planner.draw(first.home, guest, first.checkin, stream, created=created)
        if visit is None or self._planner.free_unit(visit) is None or guest is first.guest:
            return []
        visit.held = False
        self._oracle.note("overlapping_requests", "stays_listing", first.home.id, checkin=visit.checkin.isoformat())
        return [(visit, Fate("pending"))]

    def _ask(self, story: Story, stream: Stream) -> None:
        """The guest asks for one night more, and nobody has answered yet."""
        visit, fate = story
        at = self._now - timedelta(seconds=stream.uniform_int(7200, 86_400))
        confirmed = fate.confirmed or datetime.max
        longest = (visit.checkout - visit.checkin).days < visit.home.row["max_nights"]
        if at > confirmed and longest and self._planner.is_open(visit.home, visit.checkout):
            before, after = (visit.checkin, visit.checkout), (visit.checkin, visit.checkout + timedelta(days=1))
            fate.change = Change(at, None, "pending", before, after, "Could we stay one night longer?")
