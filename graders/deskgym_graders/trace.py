"""Trace mutants: the right end state with a story that cannot be true. Killed by replay (DESIGN §6).

Wrong channel or person, missing or altered or exchanged system rows, permuted history, arguments that do not fit,
columns that the app would have set and did not. Row mutants are graded with replay taken for granted; these are not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

from .diff import Ins, same
from .forge import Forgery
from .journal import AGENT_CHANNELS, Command
from .operators import Mutant
from .shapes import SERVER_SET, role_of, shape_of, shapes, table_of
from .spec import Task


def _with_command(base: Forgery, seq: int, **changes: Any) -> Forgery:
    journal = tuple(replace(command, **changes) if command.seq == seq else command for command in base.journal)
    return replace(base, journal=journal)


def _doors(task: Task, base: Forgery) -> Iterator[Mutant]:
    for command in base.journal:
        if command.channel not in AGENT_CHANNELS:
            continue
        name = f"command {command.seq} {command.operation}"
        yield Mutant("wrong channel", f"{name} as a job", _with_command(base, command.seq, channel="job"))
        stranger = next((row["id"] for row in base.s0.select("org_person") if row["id"] != task.person_id), None)
        yield Mutant("wrong person", f"{name} by {stranger}", _with_command(base, command.seq, person_id=stranger))
        yield Mutant("wrong arguments", name, _with_command(base, command.seq, arguments="{}"))
        yield Mutant("wrong operation", name, _with_command(base, command.seq, operation="mutant.act"))


def _system_rows(base: Forgery) -> Iterator[Mutant]:
    rows = [atom for atom in base.atoms if isinstance(atom, Ins) and table_of(atom.table).system]
    for atom in rows:
        yield Mutant("missing system row", str(atom), base.without_row(atom.table, atom.key))
        copy = base.copy_of(atom.table, atom.row, "said twice")
        if copy is not None:
            yield Mutant("added system row", str(atom), base.then([copy]))
        for column in shape_of(atom.table).columns:
            role = role_of(atom.table, column)
            if role.kind == "text" and role.of == "free":
                forged = base.with_cells(atom.table, atom.key, {column: "forged"})
                yield Mutant("altered system row", f"{atom}.{column}", forged)
    for first, second in pairwise(rows):
        if first.table != second.table:
            continue
        key = shape_of(first.table).key
        left = {name: value for name, value in first.row.items() if name not in key}
        right = {name: value for name, value in second.row.items() if name not in key}
        if left != right:
            forged = base.with_cells(first.table, first.key, right).with_cells(second.table, second.key, left)
            yield Mutant("system rows exchanged", f"{first} and {second}", forged)


def _order(base: Forgery) -> Iterator[Mutant]:
    for first, second in pairwise(base.journal):
        if first.channel not in AGENT_CHANNELS or second.channel not in AGENT_CHANNELS:
            continue
        told = {"operation", "arguments", "person_id", "channel"}
        if all(getattr(first, name) == getattr(second, name) for name in told):
            continue
        swapped = {
            first.seq: replace(first, operation=second.operation, arguments=second.arguments),
            second.seq: replace(second, operation=first.operation, arguments=first.arguments),
        }
        journal: tuple[Command, ...] = tuple(swapped.get(command.seq, command) for command in base.journal)
        yield Mutant("permuted history", f"commands {first.seq} and {second.seq}", replace(base, journal=journal))
    for command in base.journal:
        yield Mutant("effects left out", f"command {command.seq}", base.without_command(command.seq))
    if base.journal:
        extra = base.then([("org_meta", ("sim_now",), {})])
        yield Mutant("command that never was", "at the end", extra)


def _columns_left(base: Forgery) -> Iterator[Mutant]:
    """Server-set columns of changed rows as if the app had not set them."""
    seen = set()
    for command in base.journal:
        for effect in command.effects:
            row = (effect.table, effect.key)
            before = base.s0.get(*row) if effect.table in shapes() else None
            if before is None or effect.new is None or row in seen or effect.table == "org_meta":
                continue
            seen.add(row)
            for column, value in before.items():
                if role_of(effect.table, column).kind in SERVER_SET and not same(
                    (base.row(*row) or {}).get(column), value
                ):
                    forged = base.with_cells(*row, {column: value}, derive=False)
                    yield Mutant("server column left", f"{effect.table}{list(effect.key)}.{column}", forged)


def trace_mutants(task: Task, base: Forgery) -> Iterator[Mutant]:
    """Every trace mutant of the oracle's journal."""
    yield from _doors(task, base)
    yield from _system_rows(base)
    yield from _order(base)
    yield from _columns_left(base)
