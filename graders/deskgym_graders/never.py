"""Mutants that do what an expectation forbids and take it back, and what can never be taken back (L7 for `never`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any as Data

from deskgym_apps.kit.roles import Row

from .comparators import (
    Between,
    Comparator,
    DateEq,
    EmailEq,
    Eq,
    Facts,
    InstantEq,
    Money,
    OneOf,
    PhoneEq,
    TextEq,
)
from .compare import Cell, satisfies
from .forge import Forgery, fresh_id
from .journal import record_key
from .operators import Mutant, Targets
from .perturb import one_change
from .shapes import SERVER_SET, role_of, shape_of, table_of
from .spec import Insert, Never, Task


def example(comparator: Comparator) -> Data:
    """A value that satisfies a comparator on a column, None where that needs a row."""
    if isinstance(comparator, Eq | TextEq | DateEq | InstantEq | EmailEq | PhoneEq):
        return comparator.value
    if isinstance(comparator, OneOf):
        return comparator.values[0]
    if isinstance(comparator, Money):
        return comparator.minor
    if isinstance(comparator, Between):
        return comparator.low
    if isinstance(comparator, Facts):
        return ", ".join(comparator.required)
    return None


def act_names(task: Task) -> list[str]:
    """The names of the forbidden acts as components of the expectation."""
    return [f"never[{number}]" for number in range(len(task.expectation.never))]


def _template_row(targets: Targets, table: str) -> Row | None:
    """Some row of a table to make another from: of the world, or of the oracle."""
    found = next(iter(targets.base.s0.select(table)), None)
    if found is not None:
        return found
    return next((targets.base.row(*row) for row, _ in targets.rows if row[0] == table), None)


def _made_up(table: str) -> dict[str, Data]:
    row: dict[str, Data] = {}
    for column in shape_of(table).columns:
        role = role_of(table, column)
        if role.kind in SERVER_SET or column not in shape_of(table).not_null:
            continue
        if column not in shape_of(table).defaults and role.initial is None:
            row[column] = 1 if role.kind in ("int", "money", "decimal", "bool") else "x"
    return row


def _new(
    targets: Targets, table: str, values: Mapping[str, Comparator], salt: str
) -> tuple[str, tuple[Data, ...], dict[str, Data]]:
    known = _template_row(targets, table)
    cells = (
        _made_up(table)
        if known is None
        else {name: value for name, value in known.items() if role_of(table, name).kind not in SERVER_SET}
    )
    cells |= {name: example(comparator) for name, comparator in values.items()}
    for column in shape_of(table).key:
        if role_of(table, column).kind == "id" or column not in cells:
            cells[column] = fresh_id(table, salt)
    return table, record_key(table, cells), cells


def _matching(targets: Targets, table: str, values: Mapping[str, Comparator]) -> Row | None:
    state = targets.base.s0
    for row in state.select(table):
        if all(satisfies(value, Cell(state, table, row, name)) for name, value in values.items()):
            return row
    return None


def _change(targets: Targets, never: Never) -> tuple[Row, dict[str, Data]] | None:
    """A row of S0 and a change of it that is forbidden; None where this world has no such row."""
    table, state = never.table, targets.base.s0
    row = _matching(targets, table, never.values)
    if row is not None:
        free = never.columns or tuple(
            name
            for name in shape_of(table).columns
            if name not in never.values
            and name not in shape_of(table).key
            and role_of(table, name).kind not in SERVER_SET
        )
        return row, {free[0]: one_change(state, table, free[0], row)}
    written = {name: value for name, value in never.values.items() if name in never.columns}
    row = _matching(targets, table, {name: value for name, value in never.values.items() if name not in written})
    return None if row is None or not written else (row, {name: example(value) for name, value in written.items()})


def _done_and_undone(targets: Targets, never: Never, number: int) -> Forgery | None:
    base, table = targets.base, never.table
    if never.op in ("insert", "write"):
        new = _new(targets, table, never.values, f"never {number}")
        return base.then([new]).then([(*new[:2], None)])
    if never.op == "delete":
        row = _matching(targets, table, never.values)
        if row is None:
            return None
        key = record_key(table, row)
        cells = {name: value for name, value in row.items() if role_of(table, name).kind not in SERVER_SET - {"id"}}
        return base.then([(table, key, None)]).then([(table, key, cells)])
    found = _change(targets, never)
    if found is None:
        return None
    row, change = found
    key, current = record_key(table, row), base.row(table, record_key(table, row)) or row
    return base.then([(table, key, change)]).then([(table, key, {name: current[name] for name in change})])


def act_mutants(task: Task, targets: Targets, tables: Iterable[str]) -> Iterator[Mutant]:
    """Each forbidden act done and undone after the oracle; a row of each irreversible table made and removed again."""
    for number, never in enumerate(task.expectation.never):
        forged = _done_and_undone(targets, never, number)
        if forged is not None:
            yield Mutant("forbidden act", f"{never.op} on {never.table}", forged, act_names(task)[number])
    mine = {row[0] for row, step in targets.rows if isinstance(step, Insert)}
    for table in tables:
        if table_of(table).irreversible and (table in mine or _template_row(targets, table) is not None):
            new = _new(targets, table, {}, "irreversible")
            forged = targets.base.then([new]).then([(*new[:2], None)])
            yield Mutant("irreversible act", f"{table} made and removed", forged)
