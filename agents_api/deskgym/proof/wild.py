"""What careless agents leave behind, once per world: random calls, everything changed, deleted, or added.

Every task grades these end states (grading.md §3.9 A5, A7): none may pass, and no call may break. They belong to no
task, so their commands are handed over as the task's person's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

from deskgym_apps.kit.dates import add_days
from deskgym_apps.kit.errors import ServiceError
from deskgym_apps.kit.roles import Row
from deskgym_apps.kit.schema import is_canonical
from deskgym_apps.kit.store import Store
from deskgym_apps.kit.tools import Tool, call_tool, tools
from deskgym_graders.diff import Atom, RowId, atoms_of_changes, same
from deskgym_graders.journal import Command, Effect, Journal, net_changes, read_journal
from deskgym_graders.shapes import table_of
from deskgym_seeds.streams import Stream

from ..agents.invention import Inventor
from ..catalogue import app_names
from ..episode import Episode
from .case import PlacedWorld
from .shared import once

MONKEYS = 20
CALLS = 100
ROUNDS = 20
Work = Callable[["Hands"], None]


@dataclass
class Hands:
    """Who works on a store. `refused`: how many calls were; `broken`: a sentence for each that failed otherwise."""

    store: Store
    person_id: str
    app_names: tuple[str, ...]
    refused: int = 0
    broken: list[str] = field(default_factory=list)

    def tools(self) -> Mapping[str, Tool]:
        """The tools of the apps and the desk."""
        return tools(self.app_names)

    def call(self, tool: str, arguments: Mapping[str, Any], person: str | None = None) -> None:
        """Call a tool; what goes wrong is counted."""
        who = person or self.person_id
        try:
            call_tool(self.store, tool, arguments, person_id=who, app_names=self.app_names)
        except ServiceError:
            self.refused += 1
        except Exception as error:  # through the server it would be a 5xx
            self.broken.append(f"{tool} breaks with {type(error).__name__} ({error}) on {dict(arguments)}")


@dataclass(frozen=True)
class WildEnd:
    """One end state: its name, its journal and its atoms. `broken`: calls that failed and were not refused."""

    name: str
    journal: Journal
    refused: int
    broken: tuple[str, ...] = ()

    @cached_property
    def atoms(self) -> tuple[Atom, ...]:
        """What the journal comes to."""
        return atoms_of_changes(net_changes(self.journal))

    def as_done_by(self, person_id: str) -> WildEnd:
        """The same as if one person had given every command: where rows name who wrote them, they name that person."""
        journal, written = [], dict[RowId, Row | None]()
        for command in self.journal:
            effects = []
            for effect in command.effects:
                row = (effect.table, effect.key)
                old = written.get(row, effect.old)
                by = _signed(effect, command)
                kept = [name for name in _actors(effect.table) if name not in by and old is not None]
                new = effect.new
                if new is not None:
                    new = {**new, **{name: (old or {})[name] for name in kept}, **dict.fromkeys(by, person_id)}
                written[row] = new
                effects.append(replace(effect, old=old, new=new))
            journal.append(replace(command, person_id=person_id, effects=tuple(effects)))
        return replace(self, journal=tuple(journal))


def _signed(effect: Effect, command: Command) -> list[str]:
    """Columns in which a command wrote its person's id."""
    if effect.new is None:
        return []
    columns = table_of(effect.table).columns if _actors(effect.table) else {}
    touched = any(role.kind == "touch" and effect.new[name] == command.instant for name, role in columns.items())
    return [
        name
        for name in _actors(effect.table)
        if effect.new[name] == command.person_id is not None
        and (
            effect.old is None
            or not same(effect.old[name], effect.new[name])
            or (touched and columns[name].kind == "touch_actor")
        )
    ]


@cache
def _actors(table: str) -> tuple[str, ...]:
    """Columns that name who wrote a row."""
    if not is_canonical(table):
        return ()
    kinds = ("actor", "touch_actor", "actor_if")
    return tuple(name for name, role in table_of(table).columns.items() if role.kind in kinds)


def works() -> dict[str, dict[str, Work]]:
    """Careless work by its name, in parts that may be done by several processes at once."""
    halves = {"the first monkeys": range(MONKEYS // 2), "the other monkeys": range(MONKEYS // 2, MONKEYS)}
    return {
        "delete everything": {"delete everything": delete_all},
        "change everything": {"change everything": update_all},
        "add everything": {"add everything": insert_all},
        **{part: {f"monkey {number}": monkey(number) for number in half} for part, half in halves.items()},
    }


def ends_of(world: PlacedWorld, part: str) -> tuple[WildEnd, ...]:
    """The end states of one part of `works`; once for an audit."""
    return once(
        world,
        part,
        tuple[WildEnd, ...],
        lambda: tuple(wild_end(world, name, work) for name, work in works()[part].items()),
    )


@cache
def wild_ends(world: PlacedWorld) -> tuple[WildEnd, ...]:
    """The end states of a world."""
    return tuple(end for part in works() for end in ends_of(world, part))


def wild_end(world: PlacedWorld, name: str, work: Work, apps: tuple[str, ...] | None = None) -> WildEnd:
    """What some work leaves of a world: of the first people who change any of it, for some may only read.

    Raises ValueError where nobody changed anything: then it proves nothing.
    """
    with Episode.start(world=world, home="memory", app_names=apps) as episode:
        hands = Hands(episode.store, episode.person_id, episode.app_names)
        people = [str(row["id"]) for row in episode.store.all("SELECT id FROM org_person ORDER BY id")]
        for person in (episode.person_id, *(one for one in people if one != episode.person_id)):
            hands.person_id = person
            work(hands)
            with episode.store.reading():
                journal = read_journal(episode.store)
            end = WildEnd(name, journal, hands.refused, tuple(f"{name}: {fault}" for fault in hands.broken))
            if end.atoms:  # a mark as read is a command too, but it changes nothing that is graded
                return end
    raise ValueError(f"{name} changed nothing in {world.name}: it proves nothing")


def _records(hands: Hands, app: str) -> Iterator[tuple[str, Row]]:
    """Every record of an app that has a version and an id."""
    store = hands.store
    for name, table in sorted(store.tables.items()):
        if name.startswith(f"{app}_") and table.prefix and "row_version" in store.shapes[name].columns:
            for row in store.all(f'SELECT * FROM "{name}" ORDER BY id'):
                yield table.label, row


def _owner(hands: Hands, row: Row) -> str:
    return str(row.get("owner_id") or row.get("created_by") or hands.person_id)


def _values_by_title(tool: Tool) -> dict[str, Mapping[str, Any]]:
    """Schemas of a tool's `values` by the record they are of."""
    several = tool.schema.get("properties", {}).get("values", {})
    return {str(one.get("title")): one for key in ("anyOf", "oneOf") for one in several.get(key, ())}


def delete_all(hands: Hands) -> None:
    """Delete every record, as its owner."""
    known = hands.tools()
    for app in app_names():
        if f"{app}_delete" in known:
            for _, row in list(_records(hands, app)):
                hands.call(f"{app}_delete", {"id": row["id"]}, _owner(hands, row))


def update_all(hands: Hands) -> None:
    """Change every record, as its owner."""
    inventor = Inventor(hands.store, Stream("0", "wild", "change everything"))
    known = hands.tools()
    for app in app_names():
        tool = known.get(f"{app}_update")
        if tool is None:
            continue
        schemas = _values_by_title(tool)
        for label, row in list(_records(hands, app)):
            if label in schemas:
                given = {"id": row["id"], "row_version": row["row_version"]}
                given["values"] = inventor.value(schemas[label], schemas[label])
                hands.call(tool.name, given, _owner(hands, row))


def insert_all(hands: Hands) -> None:
    """Add records of every kind with every tool that makes some, their fields and parents drawn anew each time.

    Everybody takes a turn, for nobody may add everything.
    """
    inventor = Inventor(hands.store, Stream("0", "wild", "add everything"))
    people = [str(row["id"]) for row in hands.store.all("SELECT id FROM org_person ORDER BY id")]
    for tool in _writing(hands):
        properties = tool.schema.get("properties", {})
        if "id" in properties:
            continue
        kinds = _values_by_title(tool)
        chooser = next((name for name, inner in properties.items() if "enum" in inner and kinds), None)
        for at in range(ROUNDS):
            for kind, schema in kinds.items() if chooser else (("", tool.schema),):
                values = _fitted(inventor, schema, inventor.value(schema, schema))
                hands.call(
                    tool.name, {chooser: kind, "values": values} if chooser else values, people[at % len(people)]
                )


def _fitted(inventor: Inventor, schema: Mapping[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    """Values with days to come, ends after starts, and ids of records."""
    today, fitted = inventor.store.now[:10], dict(values)
    for at, (name, value) in enumerate(values.items()):
        inner = schema["properties"][name]
        formats = {one.get("format") for one in (inner, *inner.get("anyOf", ()))}
        if value is not None and "date" in formats:
            fitted[name] = add_days(today, inventor.stream.uniform_int(1, 90))
        elif value is not None and "date-time" in formats:
            fitted[name] = f"{add_days(today, 7)}T{8 + at % 12:02}:00:00Z"
        elif isinstance(value, list) and "pattern" in inner.get("items", {}):
            fitted[name] = [inventor.record()["id"]]
    return fitted


def _writing(hands: Hands) -> list[Tool]:
    """Tools that write and do not end the work."""
    return [tool for tool in hands.tools().values() if tool.writes and tool.perform is None]


def monkey(number: int) -> Work:
    """Calls of random tools with arguments that fit: those that write and those that read by turns."""

    def work(hands: Hands) -> None:
        inventor = Inventor(hands.store, Stream(str(number), "wild", "monkey"))
        writing = _writing(hands)
        reading = [tool for tool in hands.tools().values() if not tool.writes]
        for at in range(CALLS):
            tool = inventor.stream.choice(reading if at % 3 == 2 and reading else writing)
            hands.call(tool.name, inventor.arguments(tool))

    return work
