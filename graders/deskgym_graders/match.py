"""The closed frame: one goal against all atoms (grading.md §3.3, "Semantics").

A goal passes iff its steps hold and every atom is explained exactly once: by a step, by the role rules of a row that
a step or an allowance is about, as a system row, as a corrected slip, as the clock, or by an allowance. What stays is
collateral. Inserts are assigned by complete search with variables (`save_as`, `RefTo`).

    Evidence(s0, atoms, history)   built once per grading (assign.py)
    match_goal(evidence, expectation, goal) -> Outcome(wrong, missing, unexplained)
"""

from __future__ import annotations

from dataclasses import dataclass, field

from deskgym_apps.kit.roles import Key, Row

from .assign import Assignment, Evidence, best_assignment, ordered_inserts, strict_assignments
from .comparators import Any, Default
from .compare import Cell, satisfies
from .diff import Atom, Del, Ins, RowId, Upd
from .shapes import SERVER_SET, role_of, shapes, table_of
from .spec import Allowed, Delete, Expectation, Goal, Insert, Step, Update

_CLOCK: RowId = ("org_meta", ("sim_now",))


@dataclass(frozen=True)
class Outcome:
    """What one goal lacks. All three empty: it passes. Sentences for people; never shown to the agent."""

    wrong: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    unexplained: tuple[str, ...] = ()

    @property
    def faults(self) -> int:
        return len(self.wrong) + len(self.missing) + len(self.unexplained)


@dataclass
class _Books:
    """What is explained so far, under one assignment of the inserts."""

    evidence: Evidence
    bound: dict[str, Key]
    open: dict[RowId, list[Atom]]
    explained: set[RowId] = field(default_factory=set)
    meant: dict[RowId, set[str]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    unexplained: list[str] = field(default_factory=list)

    def take(self, row: RowId, atom: Atom) -> None:
        self.open[row].remove(atom)
        if not self.open[row]:
            del self.open[row]

    def cell(self, row: RowId, values: Row, column: str) -> Cell:
        rules, inserted = self.evidence.rules, self.evidence.history.inserted.get(row)
        person = None if inserted is None else inserted.person_id
        return Cell(self.evidence.s1, row[0], values, column, self.bound, person, rules.clock_instants(row, column))


def describe(step: Step) -> str:
    """A step as people read it."""
    if isinstance(step, Delete):
        return f"-{step.table}{list(step.key)}"
    values = step.values if isinstance(step, Insert) else step.set
    said = ", ".join(f"{name}={value}" for name, value in values.items() if not isinstance(value, Default | Any))
    return f"+{step.table}{{{said}}}" if isinstance(step, Insert) else f"~{step.table}{list(step.key)}{{{said}}}"


def _do_insert(books: _Books, step: Insert, atom: Ins | None, faults: tuple[str, ...]) -> None:
    if atom is None:
        books.missing.append(describe(step))
        return
    row = (atom.table, atom.key)
    books.take(row, atom)
    books.explained.add(row)
    books.unexplained += faults


def _do_update(books: _Books, step: Update) -> None:
    row = (step.table, tuple(step.key))
    before, after = books.evidence.s0.get(*row), books.evidence.s1.get(*row)
    if before is None or after is None:
        books.missing.append(describe(step))
        return
    books.meant[row] = set(step.set)
    for column, comparator in step.set.items():
        atom = next((a for a in books.open.get(row, ()) if isinstance(a, Upd) and a.column == column), None)
        if satisfies(comparator, books.cell(row, after, column)):
            if atom is not None:
                books.take(row, atom)
                books.explained.add(row)
            continue
        said = f"{step.table}{list(row[1])}.{column}: {after.get(column)!r}, expected {comparator}"
        (books.missing if atom is None else books.wrong).append(said)
        if atom is not None:
            books.take(row, atom)
            books.explained.add(row)


def _do_delete(books: _Books, step: Delete) -> None:
    row = (step.table, tuple(step.key))
    atom = next((atom for atom in books.open.get(row, ()) if isinstance(atom, Del)), None)
    if atom is None:
        books.missing.append(describe(step))
        return
    books.take(row, atom)
    books.explained.add(row)


def _fits_row(books: _Books, trace: Allowed, row: RowId, values: Row) -> bool:
    return all(satisfies(comparator, books.cell(row, values, name)) for name, comparator in trace.values.items())


def _allows(books: _Books, trace: Allowed, atom: Atom) -> bool:
    row = (atom.table, atom.key)
    if trace.table != atom.table or (trace.key is not None and tuple(trace.key) != atom.key):
        return False
    if isinstance(atom, Upd):
        after = books.evidence.s1.get(*row)
        if trace.op != "update" or after is None or atom.column not in trace.values:
            return False
        return satisfies(trace.values[atom.column], books.cell(row, after, atom.column))
    if trace.op != ("insert" if isinstance(atom, Ins) else "delete") or not _fits_row(books, trace, row, atom.row):
        return False
    return isinstance(atom, Del) or not books.evidence.rules.new_row_faults(atom.table, atom.key, atom.row)


def _spend_allowances(books: _Books, allowed: tuple[Allowed, ...]) -> list[int]:
    left = [trace.most for trace in allowed]
    for row, atoms in list(books.open.items()):
        for atom in list(atoms):
            if _is_by_rule(atom):
                continue
            at = next((n for n, trace in enumerate(allowed) if left[n] and _allows(books, trace, atom)), None)
            if at is not None:
                left[at] -= 1
                books.take(row, atom)
                books.explained.add(row)
                if isinstance(atom, Upd):
                    books.meant.setdefault(row, set()).add(atom.column)
    return left


def _is_by_rule(atom: Atom) -> bool:
    if isinstance(atom, Upd):
        return role_of(atom.table, atom.column).kind in SERVER_SET or (atom.table, atom.key) == _CLOCK
    return table_of(atom.table).system


def _explain_rows(books: _Books) -> None:
    """Server-set columns of rows that steps and allowances are about, and of corrected slips."""
    evidence = books.evidence
    for row in sorted(set(books.meant) | set(books.open), key=repr):
        table, key = row
        if row in books.explained and row in books.meant:
            _by_rule(books, row, books.meant[row])
        elif row == _CLOCK:
            for atom in list(books.open.get(row, ())):
                if isinstance(atom, Upd) and atom.column == "value" and evidence.clock_explained(atom):
                    books.take(row, atom)
        elif row in books.open and all(isinstance(atom, Upd) for atom in books.open[row]):
            derived_only = all(
                role_of(table, a.column).kind == "derived" for a in books.open[row] if isinstance(a, Upd)
            )
            if (derived_only or not table_of(table).irreversible) and evidence.rules.restored(table, key):
                del books.open[row]


def _by_rule(books: _Books, row: RowId, meant: set[str]) -> None:
    faults = books.evidence.rules.changed_row_faults(*row, meant)
    for atom in list(books.open.get(row, ())):
        if isinstance(atom, Upd) and _is_by_rule(atom):
            books.take(row, atom)
    books.unexplained += [f"{row[0]}{list(row[1])}.{fault}" for fault in faults.values()]


def _explain_parts(books: _Books) -> None:
    """Rows that only spell out a row which a step or an allowance is about: its normal form is held to account."""
    for row in list(books.open):
        atoms, part_of = books.open[row], table_of(row[0]).part_of
        if part_of is None:
            continue
        known = books.evidence.s1.get(*row) or books.evidence.s0.get(*row)
        if known is not None and part_of(known) in books.explained:
            for atom in list(atoms):
                books.take(row, atom)


def _explain_system(books: _Books) -> None:
    """New system rows whose record a step or an allowance is about, or is a corrected slip's (DESIGN §6)."""
    evidence = books.evidence
    for row in list(books.open):
        atom, table = books.open[row][0], table_of(row[0])
        if not (table.system and isinstance(atom, Ins)) or table.record is None:
            continue
        about = table.record(atom.row)
        if about is None or about[0] not in shapes() or evidence.rules.new_row_faults(*row, atom.row):
            continue
        slip = not table_of(about[0]).irreversible and evidence.rules.restored(*about)
        if about in books.explained or (slip and evidence.history.changing.get(about)):
            books.take(row, atom)


def _taken_back(books: _Books, allowed: tuple[Allowed, ...], left: list[int]) -> None:
    """Records that were created and removed again stay collateral unless an allowance is left for them.

    Link rows, whose key says all that they are, leave no trace: they count as a corrected slip.
    """
    for (table, key), row in books.evidence.history.taken_back:
        if table_of(table).system or table_of(table).prefix is None:
            continue
        at = next(
            (
                n
                for n, trace in enumerate(allowed)
                if left[n]
                and trace.op == "insert"
                and trace.table == table
                and _fits_row(books, trace, (table, key), row)
            ),
            None,
        )
        if at is None:
            books.unexplained.append(f"+{table}{list(key)} was created and removed again")
        else:
            left[at] -= 1


def _settle(evidence: Evidence, expectation: Expectation, goal: Goal, assignment: Assignment) -> Outcome:
    bound = {step.save_as: atom.key for step, atom, _ in assignment if step.save_as is not None and atom is not None}
    books = _Books(evidence, bound, {row: list(atoms) for row, atoms in evidence.by_row.items()})
    for insert, atom, faults in assignment:
        _do_insert(books, insert, atom, faults)
    for step in goal:
        if isinstance(step, Update):
            _do_update(books, step)
        elif isinstance(step, Delete):
            _do_delete(books, step)
    left = _spend_allowances(books, expectation.allowed)
    _explain_rows(books)
    _explain_parts(books)
    _explain_system(books)
    _taken_back(books, expectation.allowed, left)
    rest = [atom for atoms in books.open.values() for atom in atoms]
    rest.sort(key=lambda atom: (table_of(atom.table).system, isinstance(atom, Upd) and _is_by_rule(atom)))
    return Outcome(tuple(books.wrong), tuple(books.missing), (*map(str, rest), *books.unexplained))


def match_goal(evidence: Evidence, expectation: Expectation, goal: Goal) -> Outcome:
    """The best reading of the atoms under one goal. Raises SpecError where the inserts are too alike to be matched."""
    steps = ordered_inserts(goal)
    best: Outcome | None = None
    for assignment in strict_assignments(evidence, steps):
        outcome = _settle(evidence, expectation, goal, assignment)
        if outcome.faults == 0:
            return outcome
        best = outcome if best is None or outcome.faults < best.faults else best
    return best or _settle(evidence, expectation, goal, best_assignment(evidence, steps))
