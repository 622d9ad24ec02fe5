"""Journals that never happened, made to match: what mutants are graded with (DESIGN §6).

A forgery is the oracle's journal with effects edited, dropped or appended. Images chain from S0 and the server-set
columns of what is appended hold their rules, so that a mutant is killed for what it changed and for nothing else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from deskgym_apps.kit.call import STEP_SECONDS
from deskgym_apps.kit.dates import add_seconds
from deskgym_apps.kit.roles import Key, Reader, Row

from .diff import Atom, RowId, atoms_of_changes, same
from .journal import Command, Effect, Journal, net_changes, record_key
from .overlay import Overlay
from .shapes import default_of, role_of, shape_of, table_of

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_CLOCK: RowId = ("org_meta", ("sim_now",))


def fresh_id(table: str, salt: str) -> str:
    """An id as the app could have given it: same salt, same id."""
    digest = hashlib.sha256(f"{table}|{salt}".encode()).digest()
    return (table_of(table).prefix or "XXX") + "".join(_ALPHABET[byte & 31] for byte in digest[:12])


def _edited(journal: Journal, change: Callable[[Effect], Effect | None]) -> Journal:
    commands = []
    for command in journal:
        effects = [change(effect) for effect in command.effects]
        commands.append(replace(command, effects=tuple(effect for effect in effects if effect is not None)))
    return tuple(commands)


@dataclass(frozen=True)
class Forgery:
    """A journal over S0. Every method gives a new forgery; `person_id` gives the appended commands."""

    s0: Reader
    journal: Journal
    person_id: str

    @cached_property
    def atoms(self) -> tuple[Atom, ...]:
        """What the journal comes to."""
        return atoms_of_changes(net_changes(self.journal))

    @cached_property
    def state(self) -> Overlay:
        """S1."""
        return Overlay(self.s0, self.atoms)

    @cached_property
    def _last(self) -> dict[RowId, Row | None]:
        return {(effect.table, effect.key): effect.new for command in self.journal for effect in command.effects}

    def row(self, table: str, key: Key) -> Row | None:
        """A row as it is at the end."""
        return self._last[table, key] if (table, key) in self._last else self.s0.get(table, key)

    def without_row(self, table: str, key: Key) -> Forgery:
        """As if no command had touched the row."""
        journal = _edited(self.journal, lambda effect: None if (effect.table, effect.key) == (table, key) else effect)
        return replace(self, journal=journal)

    def without_command(self, seq: int) -> Forgery:
        """As if a command had done nothing but move the clock."""
        journal = tuple(
            replace(command, effects=tuple(e for e in command.effects if (e.table, e.key) == _CLOCK))
            if command.seq == seq
            else command
            for command in self.journal
        )
        return replace(self, journal=journal)

    def with_cells(self, table: str, key: Key, cells: Mapping[str, Any], *, derive: bool = True) -> Forgery:
        """As if the last command that wrote these cells of a changed row had written other values.

        Derived columns of the row follow, unless `derive` is off.
        """
        mine = [
            (command.seq, at)
            for command in self.journal
            for at, effect in enumerate(command.effects)
            if (effect.table, effect.key) == (table, key) and effect.new is not None
        ]
        if not mine:
            raise ValueError(f"no command wrote {table}{list(key)}")
        wanted = dict(cells)
        if derive:
            row = dict(self.row(table, key) or {}) | wanted
            wanted |= derived_cells(self.state, table, row)
        journal = self.journal
        for column, value in wanted.items():
            journal = _with_cell(journal, mine, (table, key), column, value)
        return replace(self, journal=journal)

    def then(self, changes: Iterable[tuple[str, Key, Mapping[str, Any] | None]]) -> Forgery:
        """One more command, which updates rows (columns given), inserts rows that are not there, or deletes (None)."""
        last = self.journal[-1].instant if self.journal else self._start()
        instant, seq = add_seconds(last, STEP_SECONDS), len(self.journal) + 1
        effects, now = [self._tick(last, instant)], dict[RowId, Row | None]()
        for table, key, cells in changes:
            old = now[table, key] if (table, key) in now else self.row(table, key)
            effect = Effect(table, key, old, self._written(table, old, cells, instant))
            now[table, key] = effect.new
            effects.append(effect)
        command = Command(seq, instant, self.person_id, "mcp", "mutant.act", "{}", tuple(effects))
        return replace(self, journal=(*self.journal, command))

    def _start(self) -> str:
        row = self.s0.get(*_CLOCK)
        return str((row or {})["value"])

    def _tick(self, before: str, after: str) -> Effect:
        rows = [{"key": "sim_now", "value": instant} for instant in (before, after)]
        return Effect(*_CLOCK, *rows)

    def _written(self, table: str, old: Row | None, cells: Mapping[str, Any] | None, instant: str) -> Row | None:
        if cells is None:
            return None
        if old is None:
            new = self._new_row(table, cells, instant)
        else:
            new = {**old, **self._touched(table, old, instant), **self._following(table, old, cells, instant), **cells}
        derived = derived_cells(self.state, table, new)
        return new | {name: value for name, value in derived.items() if name not in cells}

    def _touched(self, table: str, old: Row, instant: str) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for column, role in table_of(table).columns.items():
            if role.kind == "version":
                values[column] = int(old[column]) + 1
            elif role.kind in ("touch", "touch_actor"):
                values[column] = instant if role.kind == "touch" else self.person_id
        return values

    def _following(self, table: str, old: Row, cells: Mapping[str, Any], instant: str) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for column, role in table_of(table).columns.items():
            if role.of not in cells or same(old.get(str(role.of)), cells[str(role.of)]):
                continue
            on = {"clock_when": instant, "clock_if": instant, "actor_if": self.person_id, "batch_if": "mutant"}
            if role.kind in on:
                values[column] = on[role.kind] if role.kind == "clock_when" or cells[str(role.of)] == 1 else None
        return values

    def _new_row(self, table: str, cells: Mapping[str, Any], instant: str) -> dict[str, Any]:
        row: dict[str, Any] = {}
        for column in shape_of(table).columns:
            kind = role_of(table, column).kind
            if column in cells:
                row[column] = cells[column]
            elif kind in ("clock", "touch", "clock_when"):
                row[column] = instant
            elif kind in ("actor", "touch_actor"):
                row[column] = self.person_id
            elif kind == "version":
                row[column] = shape_of(table).defaults.get(column, 1)
            elif kind in ("clock_if", "actor_if", "batch_if", "derived"):
                row[column] = None
            else:
                row[column] = default_of(table, column, self.person_id)
        return row

    def copy_of(self, table: str, row: Row, salt: str) -> tuple[str, Key, dict[str, Any]] | None:
        """An insert with the contents of a row under another key; None where the key has no free id."""
        cells = {name: value for name, value in row.items() if role_of(table, name).kind not in _BY_SERVER}
        key_columns = shape_of(table).key
        if len(key_columns) != 1 or table_of(table).prefix is None:
            return None
        cells[key_columns[0]] = fresh_id(table, salt)
        return table, record_key(table, cells), cells


_BY_SERVER = frozenset(
    {"clock", "touch", "actor", "touch_actor", "version", "derived", "clock_when", "clock_if", "actor_if", "batch_if"}
)


def _with_cell(journal: Journal, mine: list[tuple[int, int]], row: RowId, column: str, value: Any) -> Journal:
    effects = {command.seq: command.effects for command in journal}
    writes = [
        place
        for place in mine
        if (effect := effects[place[0]][place[1]]).old is None
        or not same((effect.old or {}).get(column), (effect.new or {}).get(column))
    ]
    start = writes[-1] if writes else mine[-1]
    later = set(mine[mine.index(start) :])

    def change(seq: int, at: int, effect: Effect) -> Effect:
        if (seq, at) not in later or effect.new is None:
            return effect
        old = effect.old
        if old is not None and (seq, at) != start:
            old = {**old, column: value}
        return Effect(effect.table, effect.key, old, {**effect.new, column: value})

    return tuple(
        replace(command, effects=tuple(change(command.seq, at, e) for at, e in enumerate(command.effects)))
        for command in journal
    )


def derived_cells(state: Reader, table: str, row: Row) -> dict[str, Any]:
    """The derived columns of a row of which every source stands in the row itself or in `state`.

    A function that cannot take the row (a forged NULL) leaves its column as it is.
    """
    values = {}
    for column, role in table_of(table).columns.items():
        if role.derive is not None and role.kind == "derived":
            try:
                values[column] = role.derive(state, row)
            except (TypeError, KeyError, ValueError, AttributeError, ArithmeticError):
                values[column] = row.get(column)
    return values
