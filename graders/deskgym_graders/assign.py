"""Assigning expected new rows to new rows by complete search (grading.md §3.3, 3): backtracking with variables.

A strict assignment gives every expected row a row of its own without any fault. Where there is none, the best one
tells what is missing and which columns nobody asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import islice, pairwise

from deskgym_apps.kit.roles import Key, Reader

from .bipartite import assignable
from .codec import SpecError
from .comparators import Clock, Default, RefTo
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


class _Wanted:
    """The columns of an expected row, by how they are judged: what is stated, what is named, what has its default."""

    def __init__(self, step: Insert) -> None:
        self.step = step
        items = step.values.items()
        self.stated = [(name, value) for name, value in items if not isinstance(value, RefTo | Default)]
        self.named = [(name, value) for name, value in items if isinstance(value, RefTo)]
        self.by_default = [name for name, value in items if isinstance(value, Default)]
        self.variables = tuple(sorted(_variables(step)))


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
        self._wanted: dict[int, _Wanted] = {}
        self._faults: dict[tuple[int, Key, tuple[Key | None, ...] | None], _Faults] = {}
        self._defaults: dict[tuple[str, str, str | None], str | int | None] = {}

    def row_faults(self, step: Insert, atom: Ins, bound: Mapping[str, Key] | None) -> _Faults:
        """What is wrong with a new row as an expected one: see `_found`. Found once for each pair and binding.

        `bound`: the keys of the rows that names stand for; None leaves names open.
        """
        wanted = self.wanted(step)
        binding = (
            None if bound is None and wanted.named else tuple((bound or {}).get(name) for name in wanted.variables)
        )
        known = (id(step), atom.key, binding)
        if known not in self._faults:
            self._faults[known] = self._found(wanted, atom, bound)
        return self._faults[known]

    def wanted(self, step: Insert) -> _Wanted:
        """An expected row's columns, sorted once; that keeps the step, so that its id stays its own."""
        if id(step) not in self._wanted:
            self._wanted[id(step)] = _Wanted(step)
        return self._wanted[id(step)]

    def _found(self, wanted: _Wanted, atom: Ins, bound: Mapping[str, Key] | None) -> _Faults:
        """None where a stated value differs; else what is wrong with columns that nobody asked for."""
        row = (atom.table, atom.key)
        inserted = self.history.inserted.get(row)
        person = None if inserted is None else inserted.person_id
        for column, comparator in wanted.stated if bound is None else (*wanted.stated, *wanted.named):
            clock = self.rules.clock_instants(row, column) if isinstance(comparator, Clock) else ()
            if not satisfies(comparator, Cell(self.s1, atom.table, atom.row, column, bound or {}, person, clock)):
                return None
        rules, values = self.rules.new_row_faults(atom.table, atom.key, atom.row), wanted.step.values
        by_rule = (f"{atom}.{fault}" for column, fault in rules.items() if column not in values)
        return (*self._unasked(wanted, atom, person), *by_rule)

    def _unasked(self, wanted: _Wanted, atom: Ins, person: str | None) -> Iterator[str]:
        for column in wanted.by_default:
            value, right = atom.row.get(column), self._default(atom.table, column, person)
            if not same(value, right):
                yield f"{atom}.{column} is {value!r}; nobody asked for other than {right!r}"

    def _default(self, table: str, column: str, person: str | None) -> str | int | None:
        key = (table, column, person)
        if key not in self._defaults:
            self._defaults[key] = default_of(table, column, person)
        return self._defaults[key]

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


class _Search:
    """Backtracking over expected rows and candidates in a fixed order. Equal steps take candidates in order only."""

    def __init__(self, evidence: Evidence, steps: list[Insert], strict: bool) -> None:
        self.evidence, self.steps, self.strict = evidence, steps, strict
        self.nodes = 0

    @cached_property
    def _twins(self) -> list[bool]:
        """Which steps are equal to the one before them."""
        pairs = pairwise(self.steps)
        return [False, *(after.save_as is None and before == after for before, after in pairs)]

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
        twin = self._twins[at]
        taken = {index for index, (other, _, _) in zip(used, chosen, strict=True) if other.table == step.table}
        for index, atom in enumerate(self.evidence.inserts.get(step.table, ())):
            if index in taken or (twin and index < used[-1]):
                continue
            faults = self.evidence.row_faults(step, atom, bound)
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
        mine, rows = [step for step in steps if step.table == table], evidence.inserts.get(table, ())
        if not assignable([[evidence.row_faults(step, atom, None) == () for atom in rows] for step in mine]):
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
