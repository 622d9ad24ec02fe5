"""Columns that the server sets, explained by their role (grading.md §3.2, DESIGN §6): what each must hold in S1.

| kind | must hold |
|---|---|
| clock | instant of the command that inserted the row; never changes |
| actor | person of that command; never changes |
| touch, touch_actor | instant and person of the last command that changed more of the row than derived columns |
| version | S0's version (a new row: the initial one) + number of such commands |
| derived | what the registry's function gives on S1 |
| worded | anything whose normal form, which the registry's function gives on S1, stands in the column that it names |
| clock_when | instant of a command that changed the column it follows, or NULL where the schema allows it |
| clock_if, actor_if, batch_if | set by the command that set the boolean column it follows; NULL while that is 0 |
| id | 3-character prefix and 12 more; never changes |

A rule gives a sentence of what is wrong, or None. Nothing here knows a task.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from deskgym_apps.kit.roles import Key, Reader, Role, Row

from .diff import RowId, same
from .journal import Command, History
from .shapes import SERVER_SET, TOUCHED, shape_of, table_of

_ID = re.compile(r"[A-Z0-9]{3}[0-9A-HJKMNP-TV-Z]{12}")


def _said(column: str, value: Any, should: str) -> str:
    return f"{column} is {value!r}, it should be {should}"


class _Nothing:
    """What a derived column of a row that no app could have written would be."""

    def __repr__(self) -> str:
        return "underivable"


def _derive(role: Role, state: Reader, row: Row) -> Any:
    try:
        return None if role.derive is None else role.derive(state, row)
    except (TypeError, KeyError, ValueError, AttributeError, ArithmeticError):
        return _Nothing()


class Rules:
    """The role rules over one S0, S1 and journal."""

    def __init__(self, s0: Reader, s1: Reader, history: History) -> None:
        self.s0, self.s1, self.history = s0, s1, history

    def clock_instants(self, row: RowId, column: str) -> tuple[str, ...]:
        """Instants that a clock_when column may hold: of the commands that changed the column it follows."""
        role = table_of(row[0]).columns[column]
        if role.kind != "clock_when":
            return ()
        return tuple(command.instant for command in self.history.changed_column(row, str(role.of)))

    def new_row_faults(self, table: str, key: Key, row: Row) -> dict[str, str]:
        """What is wrong with the server-set columns of a new row: column -> sentence."""
        faults = {}
        for column, role in table_of(table).columns.items():
            if role.kind in SERVER_SET:
                fault = self._new_cell(table, key, row, column, role)
                if fault is not None:
                    faults[column] = fault
        return faults

    def _new_cell(self, table: str, key: Key, row: Row, column: str, role: Role) -> str | None:
        value, inserted = row.get(column), self.history.inserted.get((table, key))
        if inserted is None:
            return _said(column, value, "written by a command, but none inserted the row")
        if role.kind == "id":
            return self._id(table, column, value)
        if role.kind == "clock":
            return None if value == inserted.instant else _said(column, value, inserted.instant)
        if role.kind == "actor":
            return None if value == inserted.person_id else _said(column, value, str(inserted.person_id))
        if role.kind == "version":
            first = shape_of(table).defaults.get(column, 1)
            wanted = int(first or 0) + len(self.history.changing.get((table, key), ()))
            return None if same(value, wanted) else _said(column, value, str(wanted))
        return self._following(table, key, row, column, role)

    def _id(self, table: str, column: str, value: Any) -> str | None:
        prefix = table_of(table).prefix
        if prefix is None or column not in shape_of(table).key:
            return None
        fits = isinstance(value, str) and value.startswith(prefix) and _ID.fullmatch(value)
        return None if fits else _said(column, value, f"an id that begins with {prefix}")

    def changed_row_faults(self, table: str, key: Key, columns: Iterable[str]) -> dict[str, str]:
        """What is wrong with the server-set columns of a row of S0, given that `columns` were meant to change:
        column -> sentence.

        Every touch, version and derived column of the row is held to its rule, changed or not; the others where
        they changed, or where the column they follow is among `columns`.
        """
        before, after = self.s0.get(table, key), self.s1.get(table, key)
        if before is None or after is None:
            return {}
        meant, faults = set(columns), {}
        for column, role in table_of(table).columns.items():
            if role.kind not in SERVER_SET or column in meant:
                continue
            fault = self._changed_cell(table, key, (before, after), column, role, meant)
            if fault is not None:
                faults[column] = fault
        return faults

    def _changed_cell(
        self, table: str, key: Key, rows: tuple[Row, Row], column: str, role: Role, meant: set[str]
    ) -> str | None:
        (before, after), moved = rows, not same(rows[0].get(column), rows[1].get(column))
        if role.kind in ("id", "clock", "actor"):
            return _said(column, after.get(column), "unchanged") if moved else None
        if role.kind == "version":
            wanted = int(before[column]) + len(self.history.changing.get((table, key), ()))
            return None if same(after[column], wanted) else _said(column, after[column], str(wanted))
        if role.kind in ("clock_when", "clock_if", "actor_if", "batch_if") and role.of not in meant:
            return _said(column, after.get(column), f"unchanged, as {role.of} is") if moved else None
        if role.kind == "clock_when" and not moved:
            return None
        if role.kind == "derived" and not moved and not self._was_derived(table, before, column, role):
            return None
        if role.kind in TOUCHED and not self.history.changing.get((table, key)):
            return _said(column, after.get(column), "unchanged") if moved else None
        return self._following(table, key, after, column, role)

    def _was_derived(self, table: str, before: Row, column: str, role: Role) -> bool:
        """Whether S0 itself holds what the function gives: seeded mess is left alone."""
        return same(_derive(role, self.s0, before), before.get(column))

    def _following(self, table: str, key: Key, row: Row, column: str, role: Role) -> str | None:
        value, last = row.get(column), self.history.last_change((table, key))
        if role.kind == "derived":
            wanted = _derive(role, self.s1, row)
            return None if same(value, wanted) else _said(column, value, repr(wanted))
        if role.kind == "worded":
            wanted = _derive(role, self.s1, row)
            return None if same(row.get(str(role.of)), wanted) else _said(column, value, f"what {role.of} says")
        if role.kind == "touch":
            return (
                None
                if last is not None and value == last.instant
                else _said(column, value, "the last change's instant")
            )
        if role.kind == "touch_actor":
            return None if last is not None and value == last.person_id else _said(column, value, "the last changer")
        if role.kind == "clock_when":
            fits = value is None and column not in shape_of(table).not_null
            if fits or value in self.clock_instants((table, key), column):
                return None
            return _said(column, value, f"an instant at which {role.of} changed")
        return self._while_set(row, column, role, self.history.changed_column((table, key), str(role.of)))

    def _while_set(self, row: Row, column: str, role: Role, setters: list[Command]) -> str | None:
        value = row.get(column)
        if row.get(str(role.of)) != 1:
            return None if value is None else _said(column, value, f"NULL while {role.of} is 0")
        if not setters:
            return _said(column, value, f"set together with {role.of}")
        fits = {
            "clock_if": value == setters[-1].instant,
            "actor_if": value == setters[-1].person_id,
            "batch_if": isinstance(value, str) and value != "",
        }
        return None if fits[role.kind] else _said(column, value, f"set by the command that set {role.of}")

    def restored(self, table: str, key: Key) -> bool:
        """Whether a row of S0 is as it was but for touch, version and derived columns, and these hold their rules."""
        before, after = self.s0.get(table, key), self.s1.get(table, key)
        if before is None or after is None:
            return False
        for column, role in table_of(table).columns.items():
            if role.kind not in TOUCHED and role.kind != "derived" and not same(before[column], after[column]):
                return False
        return not self.changed_row_faults(table, key, ())
