"""What Stays templates draw from a world: people who can sign in, listings that a name tells apart, nights, calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from deskgym_apps.kit.dates import add_days, local_date, parse_date
from deskgym_apps.kit.store import Store
from deskgym_graders.codec import SpecError
from deskgym_graders.spec import Delete, Goal, Insert, Update

from ..drawing import Row, distract, draw, first_where, told_apart
from ..per_world import per_world

__all__ = ["Row", "distract", "draw", "first_where", "told_apart"]


@per_world
def every(world: Store, table: str) -> tuple[Row, ...]:
    """All rows of a table by primary key."""
    return tuple(dict(row) for row in world.select(table))


@per_world
def people(world: Store) -> dict[str, Row]:
    """Everybody on Harbourstay by id."""
    return {str(row["id"]): row for row in every(world, "stays_user")}


@per_world
def places(world: Store) -> dict[str, Row]:
    """Places by id."""
    return {str(row["id"]): row for row in every(world, "stays_place")}


@per_world
def listings(world: Store) -> dict[str, Row]:
    """Listings by id, whatever their status."""
    return {str(row["id"]): row for row in every(world, "stays_listing")}


@per_world
def travellers(world: Store) -> list[Row]:
    """People of the company who can sign in, in the order of their ids."""
    staying = {str(row["id"]) for row in every(world, "org_person") if row["left_on"] is None}
    return [row for row in every(world, "stays_user") if row["person_id"] in staying]


@per_world
def hosts(world: Store) -> list[Row]:
    """Travellers who have listed listings of their own."""
    owners = {str(row["host_id"]) for row in every(world, "stays_listing") if row["status"] == "listed"}
    return [row for row in travellers(world) if row["id"] in owners]


@per_world
def _titles(world: Store) -> Counter[str]:
    return Counter(str(row["title_norm"]) for row in every(world, "stays_listing"))


def has_clean_title(world: Store, row: Row) -> bool:
    """Whether no other listing has the title and it holds no stray space."""
    return _titles(world)[row["title_norm"]] == 1 and row["title"] == " ".join(str(row["title"]).split())


@per_world
def listed(world: Store) -> list[Row]:
    """Listings that can be found and that their title tells apart."""
    rows = every(world, "stays_listing")
    return [row for row in rows if row["status"] == "listed" and has_clean_title(world, row)]


def of_host(world: Store, host_id: str) -> list[Row]:
    """The listed listings of a host that their title tells apart."""
    return [row for row in listed(world) if row["host_id"] == host_id]


def others(world: Store, row: Row) -> list[Row]:
    """Listings somebody could mistake for this one: of the same host, else of the same place, else any."""
    rest = [other for other in listed(world) if other["id"] != row["id"]]
    near = [other for other in rest if other["host_id"] == row["host_id"]]
    return near or [other for other in rest if other["place_id"] == row["place_id"]] or rest


def city(world: Store, row: Row) -> Row:
    """The city a listing is in. Raises SpecError for one in no city."""
    found = places(world)[row["place_id"]]
    while found["kind"] != "city":
        if found["parent_id"] is None:
            raise SpecError(f"{row['title']} is in no city")
        found = places(world)[found["parent_id"]]
    return found


def in_city(world: Store, place_id: str) -> list[Row]:
    """Every listed listing of a city, those of its districts too, in the order of their ids."""
    inside = {place_id} | {key for key, row in places(world).items() if row["parent_id"] == place_id}
    return [row for row in every(world, "stays_listing") if row["status"] == "listed" and row["place_id"] in inside]


def today(world: Store, row: Row) -> str:
    """The day it is where a listing is, or a person."""
    return local_date(world.now, row["tz"])


def nights(first: str, count: int) -> list[str]:
    """So many nights from one on."""
    return [add_days(first, number) for number in range(count)]


def next_weekday(day: str, weekday: int) -> str:
    """The first day after `day` with that ISO weekday."""
    return add_days(day, (weekday - parse_date(day).isoweekday() - 1) % 7 + 1)


@per_world
def taken(world: Store) -> dict[str, frozenset[str]]:
    """The reserved nights of each listing."""
    found: dict[str, set[str]] = {}
    for row in every(world, "stays_reservation_night"):
        found.setdefault(str(row["listing_id"]), set()).add(str(row["night"]))
    return {key: frozenset(value) for key, value in found.items()}


@per_world
def overrides(world: Store) -> dict[str, dict[str, Row]]:
    """What hosts set for single nights, by listing and night."""
    found: dict[str, dict[str, Row]] = {}
    for row in every(world, "stays_calendar_override"):
        found.setdefault(str(row["listing_id"]), {})[str(row["night"])] = row
    return found


def follows(goal: Goal, texts: Mapping[str, str]) -> dict[str, str]:
    """Those reasons that are about a column of the goal."""
    named: set[str] = set()
    for atom in goal:
        match atom:
            case Insert():
                named |= set(atom.values)
            case Update():
                named |= set(atom.set)
            case Delete():
                continue
    return {column: text for column, text in texts.items() if column in named}
