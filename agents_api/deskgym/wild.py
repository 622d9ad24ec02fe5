"""What careless agents leave behind, once per world: random tool calls, everything changed, everything deleted.

Every task grades these end states (grading.md §3.9 A5, A7): none may pass. They belong to no task, so their commands
are handed over as the task's person's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from deskgym_apps.kit.errors import ServiceError
from deskgym_apps.kit.roles import Row
from deskgym_graders.diff import Atom, atoms_of_changes
from deskgym_graders.journal import Journal, net_changes, read_journal
from deskgym_seeds.streams import Stream

from .agents.invention import Inventor
from .catalogue import app_names
from .episode import Episode

MONKEYS = 3
CALLS = 100


@dataclass(frozen=True)
class WildEnd:
    """One end state: its name, its journal and its atoms. `refused`: how many calls were."""

    name: str
    journal: Journal
    atoms: tuple[Atom, ...]
    refused: int

    def as_done_by(self, person_id: str) -> Journal:
        """The journal as if one person had given every command."""
        return tuple(replace(command, person_id=person_id) for command in self.journal)


@cache
def wild_ends(world: str) -> tuple[WildEnd, ...]:
    """The end states of a world, computed once a process."""
    found = [_end(world, "delete everything", _delete_all), _end(world, "change everything", _update_all)]
    found += [_end(world, f"monkey {number}", monkey(number)) for number in range(MONKEYS)]
    return tuple(found)


def _end(world: str, name: str, work: Callable[[Episode], int]) -> WildEnd:
    with Episode.start(world=world, home="memory") as episode:
        refused = work(episode)
        with episode.store.reading():
            journal = read_journal(episode.store)
        if not journal:
            raise ValueError(f"{name} did nothing in {world}: it proves nothing")
        return WildEnd(name, journal, atoms_of_changes(net_changes(journal)), refused)


def _records(episode: Episode, app: str) -> Iterator[tuple[str, Row]]:
    """Every record of an app that has an owner's or maker's id, a version, and an id."""
    store = episode.store
    for name, table in sorted(store.tables.items()):
        if name.startswith(f"{app}_") and table.prefix and "row_version" in store.shapes[name].columns:
            for row in store.all(f'SELECT * FROM "{name}" ORDER BY id'):
                yield table.label, row


def _owner(episode: Episode, row: Row) -> str:
    return str(row.get("owner_id") or row.get("created_by") or episode.person_id)


def _call(episode: Episode, tool: str, arguments: dict[str, Any], person: str) -> int:
    """Call a tool; 1 where it is refused."""
    try:
        episode.call_tool(tool, arguments, person=person)
    except ServiceError:
        return 1
    return 0


def _delete_all(episode: Episode) -> int:
    tools = episode.tools()
    return sum(
        _call(episode, f"{app}_delete", {"id": row["id"]}, _owner(episode, row))
        for app in app_names()
        if f"{app}_delete" in tools
        for _, row in list(_records(episode, app))
    )


def _update_all(episode: Episode) -> int:
    inventor = Inventor(episode.store, Stream("0", "wild", "change everything"))
    tools, refused = episode.tools(), 0
    for app in app_names():
        tool = tools.get(f"{app}_update")
        if tool is None:
            continue
        several = tool.schema["properties"]["values"]
        for label, row in list(_records(episode, app)):
            for schema in (*several.get("anyOf", ()), *several.get("oneOf", ())):
                if schema.get("title") == label:
                    given = {"id": row["id"], "row_version": row["row_version"]}
                    given["values"] = inventor.value(schema, schema)
                    refused += _call(episode, tool.name, given, _owner(episode, row))
    return refused


def monkey(number: int) -> Callable[[Episode], int]:
    """Work that calls random writing tools with arguments that fit."""

    def work(episode: Episode) -> int:
        inventor = Inventor(episode.store, Stream(str(number), "wild", "monkey"))
        tools = [tool for tool in episode.tools().values() if tool.writes and tool.perform is None]
        refused = 0
        for _ in range(CALLS):
            tool = inventor.stream.choice(tools)
            refused += _call(episode, tool.name, inventor.arguments(tool), episode.person_id)
        return refused

    return work
