"""The journal as data: commands in order, with the row images before and after each of their effects.

    Command(seq, instant, person_id, channel, operation, arguments, effects)
    Effect(table, key, old, new)      old None: an insert; new None: a delete

`net_changes` folds it to first and last images; `apply` lays it over S0 and says where the chain of images breaks.
`History` answers what the role rules ask: who inserted a row, which commands changed it, when a column changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from deskgym_apps.kit.call import STEP_SECONDS
from deskgym_apps.kit.dates import add_seconds
from deskgym_apps.kit.roles import Key, Reader, Row
from deskgym_apps.kit.schema import is_canonical
from deskgym_apps.kit.store import Store

from .diff import RowId, same
from .shapes import shape_of, table_of

AGENT_CHANNELS = ("ui", "mcp")
ADVANCE_CLOCK = "org.advance_clock"
_WRITER = json.JSONEncoder(sort_keys=True, ensure_ascii=False)


@dataclass(frozen=True)
class Effect:
    """One row written by a command."""

    table: str
    key: Key
    old: Row | None
    new: Row | None


@dataclass(frozen=True)
class Command:
    """One journal row. `arguments` is the canonical JSON text of what was given."""

    seq: int
    instant: str
    person_id: str | None
    channel: str
    operation: str
    arguments: str
    effects: tuple[Effect, ...] = field(default=())

    @property
    def steps(self) -> int:
        """Seconds by which the command moved the clock."""
        if self.channel == "job":
            return 0
        if self.operation == ADVANCE_CLOCK:
            return int(json.loads(self.arguments)["seconds"])
        return STEP_SECONDS


Journal = tuple[Command, ...]


def read_journal(store: Store, after: int = 0) -> Journal:
    """Every command of a store after seq `after`, in order. Call it inside a read transaction."""
    effects: dict[int, list[Effect]] = {}
    rows = store.conn.execute("SELECT seq, tbl, key, old, new FROM jrn_effect WHERE seq > ? ORDER BY id", (after,))
    for seq, table, key, old, new in rows:
        effect = Effect(
            table,
            tuple(json.loads(key)),
            None if old is None else json.loads(old),
            None if new is None else json.loads(new),
        )
        effects.setdefault(seq, []).append(effect)
    commands = store.conn.execute(
        "SELECT seq, instant, person_id, channel, operation, arguments FROM jrn_command WHERE seq > ? ORDER BY seq",
        (after,),
    )
    return tuple(
        Command(seq, instant, person_id, channel, operation, arguments, tuple(effects.get(seq, ())))
        for seq, instant, person_id, channel, operation, arguments in commands
    )


def net_changes(journal: Iterable[Command]) -> dict[RowId, tuple[Row | None, Row | None]]:
    """First and last image of every row that the journal names, in the order of first mention."""
    changes: dict[RowId, tuple[Row | None, Row | None]] = {}
    for command in journal:
        for effect in command.effects:
            row = (effect.table, effect.key)
            first = changes[row][0] if row in changes else effect.old
            changes[row] = (first, effect.new)
    return changes


def same_row(left: Row | None, right: Row | None) -> bool:
    """Equal in every column, by type and value; absence equals absence."""
    if left is None or right is None:
        return left is right
    return left.keys() == right.keys() and all(same(left[name], right[name]) for name in left)


def apply(s0: Reader, journal: Iterable[Command]) -> tuple[dict[RowId, Row | None], list[str]]:
    """Lay the journal over S0: the last image of every row it names, and each place where the images do not chain."""
    rows: dict[RowId, Row | None] = {}
    faults: list[str] = []
    for command in journal:
        for effect in command.effects:
            row = (effect.table, effect.key)
            before = rows[row] if row in rows else s0.get(effect.table, effect.key)
            if not same_row(before, effect.old):
                faults.append(f"command {command.seq} changes {effect.table}{list(effect.key)}, which was otherwise")
            rows[row] = effect.new
    return rows, faults


def journal_hash(journal: Iterable[Command]) -> str:
    """SHA-256 of the journal: commands and effects."""
    digest = hashlib.sha256()
    for one in journal:
        head: list[Any] = [one.seq, one.instant, one.person_id, one.channel, one.operation, one.arguments]
        body = [[effect.table, effect.key, effect.old, effect.new] for effect in one.effects]
        digest.update(_WRITER.encode([head, body]).encode() + b"\n")
    return digest.hexdigest()


def _counts(effect: Effect) -> bool:
    """Whether an effect changes more of its row than derived columns."""
    if effect.old is None or effect.new is None:
        return True
    columns = table_of(effect.table).columns
    return any(
        not same(effect.old.get(name), effect.new.get(name)) for name, role in columns.items() if role.kind != "derived"
    )


class History:
    """What a journal says about rows of canonical tables."""

    def __init__(self, journal: Sequence[Command]) -> None:
        self.journal = tuple(journal)
        self.inserted: dict[RowId, Command] = {}
        self.changing: dict[RowId, list[Command]] = {}
        self.effects: dict[RowId, list[tuple[Command, Effect]]] = {}
        for command in self.journal:
            for effect in command.effects:
                if is_canonical(effect.table):
                    self._note(command, effect)

    def _note(self, command: Command, effect: Effect) -> None:
        row = (effect.table, effect.key)
        self.effects.setdefault(row, []).append((command, effect))
        if effect.old is None:
            self.inserted[row] = command
            self.changing[row] = []
        elif _counts(effect) and command is not self.inserted.get(row):
            commands = self.changing.setdefault(row, [])
            if not commands or commands[-1] is not command:  # a command's effects come together
                commands.append(command)

    def last_change(self, row: RowId) -> Command | None:
        """The command that changed a row last, its insert included; derived columns alone do not count."""
        changing = self.changing.get(row)
        return changing[-1] if changing else self.inserted.get(row)

    def changed_column(self, row: RowId, column: str) -> list[Command]:
        """The commands that changed a column of a row, its insert included."""
        return [
            command
            for command, effect in self.effects.get(row, ())
            if effect.old is None or effect.new is None or not same(effect.old.get(column), effect.new.get(column))
        ]

    @cached_property
    def agent_commands(self) -> int:
        """Commands through the agent's doors: what the budget counts."""
        return sum(command.channel in AGENT_CHANNELS for command in self.journal)

    def clock_after(self, start: str) -> str:
        """What the clock must show after all commands."""
        return add_seconds(start, sum(command.steps for command in self.journal))

    @cached_property
    def taken_back(self) -> tuple[tuple[RowId, Row], ...]:
        """Rows that were created and are gone again, with their last image, by first mention."""
        found = []
        for row, entries in self.effects.items():
            created = any(effect.old is None for _, effect in entries)
            last = entries[-1][1]
            if created and last.new is None and last.old is not None and entries[0][1].old is None:
                found.append((row, last.old))
        return tuple(found)


def record_key(table: str, row: Row) -> Key:
    """The primary key of a row."""
    return tuple(row[name] for name in shape_of(table).key)
