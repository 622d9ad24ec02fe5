"""Mutant operators on rows (grading.md §3.10): from the oracle's journal to states that are almost right.

Each gives `Mutant(operator, label, component, forgery)`. `component` names the part of the expectation that the
mutant breaks, so that lint L7 can show that every part can fail; None for what breaks the frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any

from deskgym_apps.kit.roles import Key, Row

from .diff import Del, Ins, RowId, Upd, same
from .forge import Forgery
from .journal import record_key
from .perturb import nearest_rows, neighbours, one_change, perturbations
from .shapes import SERVER_SET, role_of, shape_of, table_of
from .spec import Delete, Goal, Insert, Task, Update

WIPE_AT_MOST = 4_000


@dataclass(frozen=True)
class Mutant:
    """One state that should fail (or pass, where `equivalent` gives the reason)."""

    operator: str
    label: str
    forgery: Forgery
    component: str | None = None
    cell: tuple[str, Key, str] | None = None
    equivalent: str | None = None


@dataclass(frozen=True)
class Targets:
    """The oracle's atoms by what the goal says of them: goal rows with their step, and the cells it writes."""

    base: Forgery
    rows: tuple[tuple[RowId, Insert | Update | Delete], ...]
    cells: tuple[tuple[RowId, str], ...]

    def component(self, row: RowId, column: str | None = None) -> str:
        """The name of a part of the expectation."""
        return f"{row[0]}{list(row[1])}" + ("" if column is None else f".{column}")


def _listed(step: Insert | Update | Delete) -> Sequence[str]:
    return () if isinstance(step, Delete) else tuple(step.values if isinstance(step, Insert) else step.set)


def find_targets(base: Forgery, goal: Goal, assigned: Iterable[tuple[Insert, Ins]]) -> Targets:
    """What the oracle did for a goal; `assigned` pairs the expected rows with the new ones."""
    rows: list[tuple[RowId, Insert | Update | Delete]] = [((atom.table, atom.key), step) for step, atom in assigned]
    rows += [((step.table, tuple(step.key)), step) for step in goal if not isinstance(step, Insert)]
    written = {(atom.table, atom.key, atom.column) for atom in base.atoms if isinstance(atom, Upd)}
    cells = [
        (row, column)
        for row, step in rows
        for column in _listed(step)
        if isinstance(step, Insert) or (*row, column) in written
    ]
    return Targets(base, tuple(rows), tuple(cells))


def _row_text(row: RowId) -> str:
    return f"{row[0]}{list(row[1])}"


def drop_each(targets: Targets) -> Iterator[Mutant]:
    """Without each row and each changed cell."""
    base = targets.base
    for row, step in targets.rows:
        if isinstance(step, Update):
            for column in (name for target, name in targets.cells if target == row):
                old = (base.s0.get(*row) or {}).get(column)
                if role_of(row[0], column).kind in SERVER_SET:
                    continue
                forged = base.with_cells(*row, {column: old})
                yield Mutant("drop", f"{_row_text(row)}.{column}", forged, targets.component(row, column))
        yield Mutant("drop", _row_text(row), without(base, row), targets.component(row))


def without(base: Forgery, row: RowId) -> Forgery:
    """Without a row's changes and the system rows about it."""
    forged = base.without_row(*row)
    for atom in base.atoms:
        about = table_of(atom.table).record
        if isinstance(atom, Ins) and table_of(atom.table).system and about is not None and about(atom.row) == row:
            forged = forged.without_row(atom.table, atom.key)
    return forged


def perturb_each(targets: Targets) -> Iterator[Mutant]:
    """Another value in each written cell; keys of new rows stay."""
    for (table, key), column in targets.cells:
        row = targets.base.row(table, key) or {}
        if role_of(table, column).kind in SERVER_SET or column in shape_of(table).key:
            continue
        for label, value in perturbations(targets.base.s0, table, column, row.get(column)):
            forged = targets.base.with_cells(table, key, {column: value})
            name = f"{table}{list(key)}.{column}: {label}"
            component = targets.component((table, key), column)
            yield Mutant("perturb", name, forged, component, (table, key, column))


def _goal_change(targets: Targets, row: RowId) -> dict[str, Any]:
    after = targets.base.row(*row) or {}
    return {column: after[column] for target, column in targets.cells if target == row}


def _lookalikes(task: Task, targets: Targets, table: str, row: Row) -> list[Row]:
    taken = {key for (name, key), _ in targets.rows if name == table}
    named = [
        found
        for distractors in task.distractors
        if distractors.table == table
        for key in distractors.keys
        if (found := targets.base.s0.get(table, key)) is not None
    ]
    near = nearest_rows(targets.base.s0, table, row, 2 + len(taken))
    chosen = {record_key(table, other): other for other in [*named, *near]}
    return [other for key, other in chosen.items() if key not in taken][: max(2, len(named))]


def lookalikes(task: Task, targets: Targets) -> Iterator[Mutant]:
    """The same change on a row that looks like the target: instead of it, and as well."""
    for row, step in targets.rows:
        before = targets.base.s0.get(*row)
        if isinstance(step, Insert) or before is None:
            continue
        change = None if isinstance(step, Delete) else _goal_change(targets, row)
        for other in _lookalikes(task, targets, row[0], before):
            key = record_key(row[0], other)
            if change is not None and all(same(other[name], value) for name, value in change.items()):
                continue
            name = f"{row[0]}{list(key)} for {list(row[1])}"
            yield Mutant("lookalike instead", name, without(targets.base, row).then([(row[0], key, change)]))
            yield Mutant("lookalike as well", name, targets.base.then([(row[0], key, change)]))


def first_few(targets: Targets) -> Iterator[Mutant]:
    """The first k of n rows."""
    forged = targets.base
    for left in range(len(targets.rows) - 1, 0, -1):
        forged = without(forged, targets.rows[left][0])
        yield Mutant("first few", f"{left} of {len(targets.rows)}", forged)


def duplicates(targets: Targets) -> Iterator[Mutant]:
    """A new row twice; twice with the first removed again; a row of S0 removed and made anew with the same content."""
    base = targets.base
    for (table, key), step in targets.rows:
        row = base.row(table, key)
        copy = None if row is None else base.copy_of(table, row, f"copy of {key}")
        if row is None or copy is None:
            continue
        name = f"{table}{list(key)}"
        if isinstance(step, Insert):
            yield Mutant("duplicate", name, base.then([copy]))
            gone = {"is_deleted": 1} if "is_deleted" in row else None
            yield Mutant("duplicate, first removed", name, base.then([copy]).then([(table, key, gone)]))
        else:
            yield Mutant("removed and made anew", name, base.then([(table, key, None), copy]))


def wrong_parents(targets: Targets) -> Iterator[Mutant]:
    """A link row that hangs on another record of a like name."""
    base = targets.base
    for row, step in targets.rows:
        table, values = row[0], base.row(*row)
        if not isinstance(step, Insert) or values is None or table_of(table).prefix is not None:
            continue
        for column in shape_of(table).key:
            for label, other in perturbations(base.s0, table, column, values[column]):
                cells = {**_plain_cells(table, values), **{name: values[name] for name in shape_of(table).key}}
                cells[column] = other
                key = record_key(table, cells)
                if base.row(table, key) is None and isinstance(other, str):
                    forged = base.without_row(*row).then([(table, key, cells)])
                    yield Mutant(
                        "wrong parent", f"{_row_text(row)}.{column}: {label}", forged, targets.component(row, column)
                    )


def misplaced(targets: Targets) -> Iterator[Mutant]:
    """The right value in a neighbouring column; of two rows, each other's values."""
    base = targets.base
    for (table, key), column in targets.cells:
        before, row = base.s0.get(table, key), base.row(table, key) or {}
        for other in neighbours(table, column):
            moved = {other: row.get(column), column: None if before is None else before.get(column)}
            if role_of(table, column).kind not in SERVER_SET and not same(row.get(other), row.get(column)):
                name = f"{table}{list(key)}.{column} in {other}"
                yield Mutant("neighbouring column", name, base.with_cells(table, key, moved))
    for (first, step), (second, beside) in pairwise(targets.rows):
        free = all(isinstance(one, Insert) and one.save_as is None for one in (step, beside))
        renamed = "new rows to which nothing refers exchange ids" if free and table_of(first[0]).prefix else None
        yield from _swapped(base, first, second, renamed)


def _plain_cells(table: str, row: Row) -> dict[str, Any]:
    key = shape_of(table).key
    return {
        name: value
        for name, value in row.items()
        if role_of(table, name).kind not in SERVER_SET | {"id"} and name not in key
    }


def _swapped(base: Forgery, first: RowId, second: RowId, equivalent: str | None = None) -> Iterator[Mutant]:
    left, right = base.row(*first), base.row(*second)
    if first[0] != second[0] or left is None or right is None:
        return
    cells = _plain_cells(first[0], left), _plain_cells(first[0], right)
    if cells[0] != cells[1]:
        forged = base.with_cells(*first, cells[1]).with_cells(*second, cells[0])
        name = f"{_row_text(first)} and {list(second[1])}"
        yield Mutant("two rows swapped", name, forged, equivalent=equivalent)


def one_cell_collateral(targets: Targets, tables: Iterable[str]) -> Iterator[Mutant]:
    """One more cell in every table: all columns of goal rows and of a row beside them, one column elsewhere."""
    base, mine = targets.base, {table for (table, _), _ in targets.rows}
    for (table, key), step in targets.rows:
        row = base.row(table, key)
        for column in () if row is None else _free_columns(table, set(_listed(step)) if row else set()):
            if row is not None and not isinstance(step, Insert):
                value = one_change(base.s0, table, column, row)
                if same(value, row[column]):
                    continue
                forged = base.with_cells(table, key, {column: value})
                yield Mutant("collateral on the target", f"{table}{list(key)}.{column}", forged)
    for table in tables:
        row = _unrelated(base, table)
        if row is None:
            continue
        key, columns = record_key(table, row), _free_columns(table, set())
        for column in columns if table in mine else columns[:1]:
            change = {column: one_change(base.s0, table, column, row)}
            if not same(change[column], row[column]):
                yield Mutant("collateral", f"{table}{list(key)}.{column}", base.then([(table, key, change)]))


def _free_columns(table: str, listed: set[str]) -> list[str]:
    return [
        name
        for name in shape_of(table).columns
        if name not in listed and name not in shape_of(table).key and role_of(table, name).kind not in SERVER_SET
    ]


def _unrelated(base: Forgery, table: str) -> Row | None:
    touched = {atom.key for atom in base.atoms if atom.table == table}
    if table == "org_meta":
        touched.add(("sim_now",))
    return next((row for row in base.s0.select(table) if record_key(table, row) not in touched), None)


def row_collateral(targets: Targets, tables: Iterable[str]) -> Iterator[Mutant]:
    """In every table: a row removed, a row added, a row under another key, a row's content copied onto another."""
    base = targets.base
    for table in tables:
        row = _unrelated(base, table)
        if row is None:
            continue
        key = record_key(table, row)
        yield Mutant("row removed", f"{table}{list(key)}", base.then([(table, key, None)]))
        copy = base.copy_of(table, row, "added")
        if copy is not None:
            yield Mutant("row added", f"{table}{list(key)}", base.then([copy]))
            yield Mutant("row under another key", f"{table}{list(key)}", base.then([(table, key, None), copy]))
        others = (other for other in base.s0.select(table) if record_key(table, other) != key)
        for other in islice(others, 1):
            cells = _plain_cells(table, other)
            if cells and cells != _plain_cells(table, row):
                yield Mutant("row copied onto another", f"{table}{list(key)}", base.then([(table, key, cells)]))


def wholesale(targets: Targets, tables: Iterable[str]) -> Iterator[Mutant]:
    """The change on all rows; done and undone; everything wiped."""
    base = targets.base
    for row, step in targets.rows:
        if isinstance(step, Update):
            change = _goal_change(targets, row)
            rest = [
                (row[0], record_key(row[0], other), change)
                for other in base.s0.select(row[0])
                if record_key(row[0], other) != row[1]
                and any(not same(other[name], value) for name, value in change.items())
            ]
            if rest:
                yield Mutant("on all rows", _row_text(row), base.then(rest))
            break
    back: list[tuple[str, Key, dict[str, Any] | None]] = []
    for row, step in targets.rows:
        before = base.s0.get(*row)
        if isinstance(step, Update) and before is not None:
            back.append((*row, {column: before[column] for target, column in targets.cells if target == row}))
    if back:
        yield Mutant("done and undone", f"{len(back)} rows", base.then(back))
    rows = [
        (table, record_key(table, row), None)
        for table in tables
        if not table.startswith("org_")
        for row in base.s0.select(table)
    ]
    kept = {(atom.table, atom.key) for atom in base.atoms if isinstance(atom, Del)}
    yield Mutant("wiped", "everything", base.then([row for row in rows if row[:2] not in kept][:WIPE_AT_MOST]))


def clocks(targets: Targets) -> Iterator[Mutant]:
    """Instants and persons that the server would not have set, versions that do not count, a clock that jumps."""
    base = targets.base
    wrong = {"clock": "2020-01-01T00:00:00Z", "touch": "2020-01-01T00:00:00Z", "actor": "nobody", "version": 99}
    wrong |= {"touch_actor": "nobody"}
    for (table, key), step in targets.rows:
        if isinstance(step, Delete) or base.row(table, key) is None:
            continue
        for column, role in table_of(table).columns.items():
            if role.kind in wrong and (isinstance(step, Insert) or role.kind not in ("clock", "actor")):
                forged = _maybe(base, table, key, {column: wrong[role.kind]})
                if forged is not None:
                    yield Mutant("set as no server would", f"{table}{list(key)}.{column}", forged)
    yield from _kept_instants(targets)
    jumped = _maybe(base, "org_meta", ("sim_now",), {"value": "2045-01-01T00:00:00Z"})
    if jumped is not None:
        yield Mutant("clock jumped", "sim_now", jumped)


def _kept_instants(targets: Targets) -> Iterator[Mutant]:
    """An instant that was to be cleared, kept."""
    for (table, key), column in targets.cells:
        before, row = targets.base.s0.get(table, key), targets.base.row(table, key)
        if before is None or row is None or role_of(table, column).kind != "clock_when" or row[column] is not None:
            continue
        forged = _maybe(targets.base, table, key, {column: before[column]})
        if forged is not None:
            name = f"{table}{list(key)}.{column}: kept"
            yield Mutant("instant kept", name, forged, targets.component((table, key), column))


def _maybe(base: Forgery, table: str, key: Key, cells: dict[str, Any]) -> Forgery | None:
    try:
        return base.with_cells(table, key, cells)
    except ValueError:
        return None
