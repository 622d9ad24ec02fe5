"""Who looks after whom: territories by country and state, and their owners over time.

Owners change where somebody joined or left; ``owner_at`` answers for an instant, ``handovers`` lists the changes.
"""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final, Protocol

from ..localtime import add_workdays, is_workday, offset_minutes, to_utc, workday_from, working_moment
from ..organisation import Employee, Setting
from ..places import Place
from ..streams import Stream

_EAST: Final = {"MA", "NY", "NJ", "PA", "MD", "GA", "NC", "FL", "OH", "QC", "ON"}
_WEST: Final = {"CO", "AZ", "UT", "WA", "OR", "CA", "BC", "AB"}
_EMEA: Final = {
    "dach": {"DE", "AT", "CH", "PL", "CZ", "HU", "RO"},
    "north": {"GB", "IE", "DK", "SE", "NO", "FI", "NL"},
    "west_eu": {"FR", "BE"},
}


def territory(place: Place) -> str:
    """The territory of a place: east, central, west, dach, north, west_eu, south or apac."""
    region, iso = place.country.region, place.country.iso
    if region == "APAC":
        return "apac"
    if region == "AMER":
        return "east" if place.state in _EAST else "west" if place.state in _WEST else "central"
    return next((name for name, countries in _EMEA.items() if iso in countries), "south")


@dataclass(frozen=True, slots=True)
class Spell:
    """From ``start`` on, the post with this key has the territory."""

    start: date
    post: str


class Territories:
    """The owners of every territory over time, and working moments of people."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self.start = setting.now.date() - timedelta(days=900)
        staff = setting.staff
        west, south, leaver = staff["ae_west"].hired_on, staff["ae_south"].hired_on, staff["leaver"].left_on
        if leaver is None:
            raise ValueError("the post 'leaver' must have left")
        settled = timedelta(days=14)
        self._spells = {
            "east": (Spell(self.start, "ae_east"),),
            "central": (Spell(self.start, "ae_central"),),
            "west": (Spell(self.start, "ae_central"), Spell(west + settled, "ae_west")),
            "dach": (Spell(self.start, "ae_dach"),),
            "north": (Spell(self.start, "ae_north"),),
            "west_eu": (Spell(self.start, "leaver"), Spell(leaver - timedelta(days=2), "ae_dach")),
            "south": (Spell(self.start, "leaver"), Spell(south + settled, "ae_south")),
            "apac": (Spell(self.start, "ae_apac"),),
        }
        self._extra = [one for key, one in staff.items() if key.startswith("ae_") and key.removeprefix("ae_").isdigit()]

    def owner_at(self, place: Place, day: date, stream: Stream) -> Employee:
        """Who looks after a new customer at that place on that day."""
        extra = [one for one in self._extra if one.region == place.country.region and one.hired_on <= day]
        spells = self._spells[territory(place)]
        current = [spell.post for spell in spells if spell.start <= day] or [spells[0].post]
        return stream.choice([self._setting.staff[current[-1]], *extra])

    def handovers(self, place: Place, owner: Employee, day: date) -> list[tuple[date, Employee]]:
        """Later changes of owner of a record that this person owns from that day."""
        out = []
        for before, after in zip(self._spells[territory(place)], self._spells[territory(place)][1:], strict=False):
            if owner.post.key == before.post and after.start > day:
                out.append((after.start, self._setting.staff[after.post]))
                owner = out[-1][1]
        return out

    def superior(self, owner: Employee) -> Employee:
        """Who hands accounts over in a region."""
        key = {"AMER": "vp_amer", "EMEA": "vp_emea", "APAC": "ops"}[owner.region]
        return self._setting.staff[key]


class Worker(Protocol):
    """Somebody with working hours: an employee, or a contact at a customer's."""

    @property
    def zone(self) -> str: ...

    @property
    def region(self) -> str: ...


def moment_on(who: Worker, day: date, stream: Stream) -> datetime:
    """A working moment of a person on that day or the next working day."""
    if stream.chance(15):  # now and then somebody works at the weekend or late
        late = datetime(day.year, day.month, day.day, stream.uniform_int(8, 21), stream.uniform_int(0, 59), 7)
        return to_utc(late, who.zone)
    return working_moment(stream, workday_from(day, who.region), who.zone)


def moment_after(who: Worker, previous: datetime, workdays: int, stream: Stream) -> datetime:
    """A working moment of a person about so many working days after an instant, and after it in any case."""
    day = add_workdays(workday_from(previous.date(), who.region), max(0, workdays), who.region)
    found = working_moment(stream, day, who.zone)
    while found <= previous:
        day = add_workdays(day, 1, who.region)
        found = working_moment(stream, day, who.zone)
    return found


def moment_within(who: Worker, start: datetime, end: datetime, stream: Stream) -> datetime | None:
    """A working moment between two instants, or None if none was found there."""
    for _ in range(4):
        day = start.date() + timedelta(days=stream.uniform_int(0, max(0, (end - start).days)))
        found = moment_on(who, day, stream)
        if start < found < end:
            return found
    return None


def reply_moment(who: Worker, previous: datetime, stream: Stream) -> datetime:
    """When a person answers a mail: the same day if it is still working time, else within days."""
    found = previous + timedelta(minutes=stream.uniform_int(9, 230), seconds=stream.uniform_int(1, 59))
    local = found + timedelta(minutes=offset_minutes(who.zone, found))
    if stream.chance(450) and 7 <= local.hour < 18 and is_workday(local.date(), who.region):
        return found
    days = stream.weighted([(0, 30), (1, 38), (2, 18), (4, 10), (8, 4)])
    return moment_after(who, previous + timedelta(minutes=15), days, stream)
