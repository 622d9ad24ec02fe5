"""Assigning expected new rows to new rows by complete search (grading.md §3.3, 3): backtracking with variables.

A strict assignment gives every expected row a row of its own without any fault. Where there is none, the best one
tells what is missing and which columns nobody asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import islice

from deskgym_apps.kit.roles import Key, Reader

from .bipartite import assignable
from .codec import SpecError
from .comparators import Default, RefTo
from .compare import Cell, satisfies
from .diff import Atom, Ins, RowId, Upd, same
from .explain import Rules
from .journal import History
from .overlay import Overlay
from .shapes import default_of
from .spec import Goal, Insert, Update

MAX_NODES = 20_000
MAX_LOOSE = 100

Assignment = tuple[tuple[Insert, Ins | None, tuple[str, ...]], ...]
_Faults = tuple[str, ...] | None


class Evidence:
    """S0, the atoms and the journal, indexed. `s1` is S0 with the atoms laid over it."""

    def __init__(self, s0: Reader, atoms: Iterable[Atom], history: History) -> None:
        self.s0, self.atoms, self.history = s0, tuple(atoms), history
        self.s1 = Overlay(s0, self.atoms)
        self.rules = Rules(s0, self.s1, history)
        self.by_row: dict[RowId, list[Atom]] = {}
        self.inserts: dict[str, list[Ins]] = {}
        for atom in self.atoms:
            self.by_row.setdefault((atom.table, atom.key), []).append(atom)
            if isinstance(atom, Ins):
                self.inserts.setdefault(atom.table, []).append(atom)

    def clock_explained(self, atom: Upd) -> bool:
        """Whether the clock shows S0's instant and the steps of all commands."""
        return same(atom.new, self.history.clock_after(str(atom.old)))


def _variables(step: Insert) -> set[str]:
    return {value.var for value in step.values.values() if isinstance(value, RefTo)}


def ordered_inserts(goal: Goal) -> list[Insert]:
    """Inserts with those first that others refer to. Raises SpecError for unknown names and circles."""
    waiting = [step for step in goal if isinstance(step, Insert)]
    names = {step.save_as for step in waiting if step.save_as is not None}
    used: set[str] = set().union(*(_variables(step) for step in waiting))
    for step in goal:
        if isinstance(step, Update):
            used |= {value.var for value in step.set.values() if isinstance(value, RefTo)}
    if used - names:
        raise SpecError(f'RefTo("{sorted(used - names)[0]}") names no insert of the same goal (save_as)')
    ordered: list[Insert] = []
    known: set[str] = set()
    while waiting:
        ready = [step for step in waiting if _variables(step) <= known]
        if not ready:
            raise SpecError("expected rows refer to each other in a circle")
        ordered += ready
        known |= {step.save_as for step in ready if step.save_as is not None}
        waiting = [step for step in waiting if step not in ready]
    return ordered


def _row_faults(evidence: Evidence, step: Insert, atom: Ins, bound: Mapping[str, Key]) -> _Faults:
    """None where a stated value differs; else what is wrong with columns that nobody asked for."""
    row = (atom.table, atom.key)
    inserted = evidence.history.inserted.get(row)
    person = None if inserted is None else inserted.person_id
    faults = []
    for column, comparator in step.values.items():
        clock = evidence.rules.clock_instants(row, column)
        cell = Cell(evidence.s1, atom.table, atom.row, column, bound, person, clock)
        if satisfies(comparator, cell):
            continue
        if not isinstance(comparator, Default):
            return None
        wanted = default_of(atom.table, column, person)
        faults.append(f"{atom}.{column} is {cell.value!r}; nobody asked for other than {wanted!r}")
    rules = evidence.rules.new_row_faults(atom.table, atom.key, atom.row)
    return (*faults, *(f"{atom}.{fault}" for column, fault in rules.items() if column not in step.values))


class _Search:
    """Backtracking over expected rows and candidates in a fixed order. Equal steps take candidates in order only."""

    def __init__(self, evidence: Evidence, steps: list[Insert], strict: bool) -> None:
        self.evidence, self.steps, self.strict = evidence, steps, strict
        self.nodes = 0
        self._known: dict[tuple[int, int, tuple[Key | None, ...]], _Faults] = {}

    @cached_property
    def _wants(self) -> list[tuple[str, ...]]:
        return [tuple(sorted(_variables(step))) for step in self.steps]

    def faults(self, at: int, index: int, atom: Ins, bound: Mapping[str, Key]) -> _Faults:
        known = (at, index, tuple(bound.get(name) for name in self._wants[at]))
        if known not in self._known:
            self._known[known] = _row_faults(self.evidence, self.steps[at], atom, bound)
        return self._known[known]

    def run(
        self, at: int = 0, bound: Mapping[str, Key] | None = None, used: tuple[int, ...] = (), chosen: Assignment = ()
    ) -> Iterator[Assignment]:
        """Every assignment; `used` holds the index of each step's candidate, -1 for none."""
        self.nodes += 1
        if self.nodes > MAX_NODES:
            return
        if at == len(self.steps):
            yield chosen
            return
        bound, step, none_fits = bound or {}, self.steps[at], True
        twin = at > 0 and step.save_as is None and self.steps[at - 1] == step
        taken = {index for index, (other, _, _) in zip(used, chosen, strict=True) if other.table == step.table}
        for index, atom in enumerate(self.evidence.inserts.get(step.table, ())):
            if index in taken or (twin and index < used[-1]):
                continue
            faults = self.faults(at, index, atom, bound)
            if faults is None or (faults and self.strict):
                continue
            none_fits = False
            saved = bound if step.save_as is None else {**bound, step.save_as: atom.key}
            yield from self.run(at + 1, saved, (*used, index), (*chosen, (step, atom, faults)))
        if none_fits and not self.strict:
            yield from self.run(at + 1, bound, (*used, -1), (*chosen, (step, None, ())))


def _enough(evidence: Evidence, steps: list[Insert]) -> bool:
    """Whether there could be a row for each step, names left open: a quick no for most that fail."""
    for table in {step.table for step in steps}:
        mine = [
            replace(step, values={name: value for name, value in step.values.items() if not isinstance(value, RefTo)})
            for step in steps
            if step.table == table
        ]
        rows = evidence.inserts.get(table, ())
        if not assignable([[_row_faults(evidence, step, atom, {}) == () for atom in rows] for step in mine]):
            return False
    return True


def strict_assignments(evidence: Evidence, steps: list[Insert]) -> Iterator[Assignment]:
    """Every assignment without faults that uses other rows or binds names otherwise than those before.

    Raises SpecError, at the end, where the search had to stop early: nobody may be failed on half a search.
    """
    if not _enough(evidence, steps):
        return
    search = _Search(evidence, steps, strict=True)
    seen = set()
    for assignment in search.run():
        rows = frozenset((atom.table, atom.key) for _, atom, _ in assignment if atom is not None)
        names = tuple(atom.key for step, atom, _ in assignment if step.save_as is not None and atom is not None)
        if (rows, names) not in seen:
            seen.add((rows, names))
            yield assignment
    if search.nodes > MAX_NODES:
        raise SpecError(f"{len(steps)} expected rows are too alike to be matched in {MAX_NODES} steps")


def best_assignment(evidence: Evidence, steps: list[Insert]) -> Assignment:
    """The assignment with the most rows and the fewest faults among the first few: for telling what is missing."""
    search = _Search(evidence, steps, strict=False)

    def merit(chosen: Assignment) -> tuple[int, int]:
        return sum(atom is not None for _, atom, _ in chosen), -sum(len(faults) for _, _, faults in chosen)

    return max(islice(search.run(), MAX_LOOSE), key=merit)
