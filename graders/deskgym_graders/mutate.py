"""Grading the grader: every mutant of the oracle's end state must fail, but for those equal by rule (grading.md §3.10).

    report = mutation_report(task, world)
    report.survivors, report.unsound, report.idle     all three empty: the expectation is tight

A mutant is killed by a verdict of 0 for what it changed. A kill by INTEGRITY, env_error or spec_error is none
(`unsound`). Row mutants carry a journal made to match; trace mutants are killed by replay. `equivalents` lists what
passes because a comparator, an alternative, an allowance or a role rule accepts it, with the reason. `idle`: parts of
the expectation that no mutant breaks (lint L7).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from deskgym_apps.kit.errors import ServiceError
from deskgym_apps.kit.roles import Reader
from deskgym_apps.kit.schema import is_canonical
from deskgym_apps.kit.store import Store

from . import operators
from .answers import Submitted, submitted
from .assign import Evidence, ordered_inserts, strict_assignments
from .codec import SpecError
from .comparators import Any, Between, Clock, Comparator, OneOf
from .compare import Cell, satisfies
from .forge import Forgery
from .grade import grade
from .journal import History, Journal, read_journal
from .match import match_goal
from .never import act_mutants, act_names
from .operators import Mutant, Targets, find_targets
from .oracle import carry_out
from .pages import image_bytes
from .remembered import Remembered
from .replay import replay_faults
from .shapes import role_of, shape_of
from .spec import Goal, Insert, Task, Update
from .trace import trace_mutants
from .verdict import Integrity, Verdict
from .wrong_answers import answer_mutants


@dataclass(frozen=True)
class MutationReport:
    """What became of the mutants of one task. `killed`: reason of the verdict -> how many."""

    total: int
    killed: Mapping[str, int]
    equivalents: tuple[tuple[str, str], ...]
    survivors: tuple[str, ...]
    unsound: tuple[str, ...]
    idle: tuple[str, ...]
    refused: tuple[str, ...]
    by_operator: Mapping[str, int]

    @property
    def tight(self) -> bool:
        """Whether all that should fail failed, for a sound reason, and all that is equal by rule passed."""
        return not (self.survivors or self.unsound or self.idle or self.refused)


def oracle_journal(task: Task, world: Store) -> Journal:
    """The journal of the oracle on a fresh copy of the world. Raises SpecError where a call is refused."""
    with Store.memory(image_bytes(world), world.reference) as store:
        try:
            carry_out(store, task, task.oracle)
        except ServiceError as error:
            raise SpecError(f"{task.id}: the oracle is refused: {error}") from error
        with store.reading():
            return read_journal(store)


def _met(task: Task, evidence: Evidence) -> Goal:
    for goal in task.expectation.any_of:
        if match_goal(evidence, task.expectation, goal).faults == 0:
            return goal
    if task.expectation.any_of:
        raise SpecError(f"{task.id}: the oracle meets no alternative, so there is nothing to mutate")
    return ()


def targets_of(task: Task, world: Reader, journal: Journal) -> Targets:
    """What the oracle did for the alternative that it meets. Raises SpecError where it meets none."""
    base = Forgery(world, journal, task.person_id)
    evidence = Evidence(world, base.atoms, History(journal))
    goal = _met(task, evidence)
    assignment = next(strict_assignments(evidence, ordered_inserts(goal)))
    return find_targets(base, goal, [(step, atom) for step, atom, _ in assignment if atom is not None])


def row_mutants(task: Task, targets: Targets, tables: Sequence[str]) -> Iterator[Mutant]:
    """Every row mutant, those equal by rule included and marked. `tables`: those of the world that count."""
    found: list[Iterable[Mutant]] = [
        operators.drop_each(targets),
        operators.perturb_each(targets),
        operators.lookalikes(task, targets),
        operators.first_few(targets),
        operators.duplicates(targets),
        operators.wrong_parents(targets),
        operators.misplaced(targets),
        operators.one_cell_collateral(targets, tables),
        operators.row_collateral(targets, tables),
        operators.wholesale(targets, tables),
        operators.clocks(targets),
        act_mutants(task, targets, tables),
    ]
    done = targets.base.atoms
    for mutants in found:
        for mutant in mutants:
            if mutant.forgery.atoms != done or mutant.operator in ("forbidden act", "irreversible act"):
                yield _marked(targets, mutant)


def _comparator(targets: Targets, mutant: Mutant) -> Comparator | None:
    if mutant.cell is None:
        return None
    table, key, column = mutant.cell
    for row, step in targets.rows:
        if row == (table, key) and isinstance(step, Insert | Update):
            return (step.values if isinstance(step, Insert) else step.set).get(column)
    return None


def _marked(targets: Targets, mutant: Mutant) -> Mutant:
    """The mutant with the reason why it is as good as the oracle's state, if the cell's own comparator takes it."""
    comparator = _comparator(targets, mutant)
    if comparator is None or mutant.cell is None:
        return mutant
    table, key, column = mutant.cell
    state = mutant.forgery.state
    row = state.get(table, key)
    bound = {step.save_as: done[1] for done, step in targets.rows if isinstance(step, Insert) and step.save_as}
    if row is None or not satisfies(comparator, Cell(state, table, row, column, bound, mutant.forgery.person_id)):
        return mutant
    because = {Any: "Any: it does not matter", OneOf: "another member of the closed set", Between: "within its bounds"}
    reason = because.get(type(comparator), f"{type(comparator).__name__} takes it")
    return replace(mutant, equivalent=f"{role_of(table, column).kind} {column}: {reason}")


def _explained(task: Task, targets: Targets, mutant: Mutant) -> str | None:
    """Why a passing mutant is as good as the oracle's state, if another alternative or an allowance takes it."""
    evidence = Evidence(targets.base.s0, mutant.forgery.atoms, History(mutant.forgery.journal))
    steps = {id(step) for _, step in targets.rows}
    for number, goal in enumerate(task.expectation.any_of):
        own = any(id(step) in steps for step in goal)
        bare = replace(task.expectation, allowed=())
        if not own and match_goal(evidence, bare, goal).faults == 0:
            return f"it is alternative {number + 1}"
        if own and task.expectation.allowed and match_goal(evidence, bare, goal).faults > 0:
            return "an allowance takes it"
    return None


def judge(task: Task, mutant: Mutant, handed_in: Submitted | None, integrity: Integrity | None = None) -> Verdict:
    """The verdict on a mutant."""
    forged = mutant.forgery
    return grade(task, forged.s0, forged.atoms, forged.journal, handed_in, integrity=integrity or Integrity())


class _Tally:
    def __init__(self, task: Task) -> None:
        self.task = task
        self.killed: Counter[str] = Counter()
        self.operators: Counter[str] = Counter()
        self.equivalents: list[tuple[str, str]] = []
        self.survivors: list[str] = []
        self.unsound: list[str] = []
        self.refused: list[str] = []
        self.broken: set[str] = set()

    def note(self, mutant: Mutant, verdict: Verdict, targets: Targets, *, by_trace: bool = False) -> None:
        name = f"{mutant.operator}: {mutant.label}"
        self.operators[mutant.operator] += 1
        sound = verdict.status == "graded" and (by_trace or verdict.reason != "INTEGRITY")
        if verdict.passed:
            reason = mutant.equivalent or _explained(self.task, targets, mutant)
            if reason is None:
                self.survivors.append(name)
            else:
                self.equivalents.append((name, reason))
        elif not sound:
            self.unsound.append(f"{name} ({verdict.reason}: {verdict.feedback})")
        elif mutant.equivalent is not None:
            self.refused.append(f"{name} ({verdict.feedback})")
        else:
            self.killed[verdict.reason] += 1
            if mutant.component is not None:
                self.broken.add(mutant.component)

    def note_answer(self, name: str, component: str, verdict: Verdict) -> None:
        self.operators["answer"] += 1
        if verdict.passed:
            self.survivors.append(f"answer: {name}")
        elif verdict.status != "graded" or verdict.reason == "INTEGRITY":
            self.unsound.append(f"answer: {name} ({verdict.feedback})")
        else:
            self.killed[verdict.reason] += 1
            self.broken.add(component)


def _components(task: Task, targets: Targets) -> set[str]:
    named = {
        targets.component(row, column)
        for row, column in targets.cells
        if not isinstance(_step(targets, row, column), Any | Clock)
        and not (isinstance(dict(targets.rows)[row], Insert) and column in shape_of(row[0]).key)
    }
    named |= {targets.component(row) for row, _ in targets.rows}
    named |= set(act_names(task))
    if task.expectation.answer is not None:
        named |= {f"answer.{name}" for name in task.expectation.answer.fields}
    return named


def _step(targets: Targets, row: object, column: str) -> Comparator | None:
    for known, step in targets.rows:
        if known == row and isinstance(step, Insert | Update):
            return (step.values if isinstance(step, Insert) else step.set).get(column)
    return None


def _note_others(tally: _Tally, task: Task, world: Store, others: Iterable[Task], handed_in: Submitted) -> None:
    """The oracle and the answer of other seeds, on this one (A8). An equal expectation is no other task."""
    for other in others:
        if other.expectation == task.expectation:
            continue
        journal, given = oracle_journal(other, world), submitted(other.submission, task.person_id)
        journal = tuple(replace(command, person_id=task.person_id) for command in journal)
        atoms = Forgery(world, journal, task.person_id).atoms
        answer = given if task.expectation.answer is not None else handed_in
        tally.note_answer(
            f"all of {other.id}", "seed", grade(task, world, atoms, journal, answer, integrity=Integrity())
        )


def mutation_report(task: Task, world: Store, *, replay: bool = True, others: Iterable[Task] = ()) -> MutationReport:
    """Make every mutant of a task, grade it, and count. Raises SpecError where the oracle itself does not pass.

    `others`: the same template under other seeds, on the same world; their work must fail here.
    """
    journal, s0 = oracle_journal(task, world), Remembered(world)
    targets, handed_in = targets_of(task, s0, journal), submitted(task.submission, task.person_id)
    own = grade(task, s0, targets.base.atoms, journal, handed_in, integrity=Integrity())
    if not own.passed:
        raise SpecError(f"{task.id}: the oracle itself gets {own.reason}: {own.feedback}")
    tally = _Tally(task)
    for mutant in row_mutants(task, targets, sorted(filter(is_canonical, world.shapes))):
        tally.note(mutant, judge(task, mutant, handed_in), targets)
    for name, component, given in answer_mutants(task):
        verdict = grade(task, s0, targets.base.atoms, journal, given, integrity=Integrity())
        tally.note_answer(name, component, verdict)
    _note_others(tally, task, world, others, handed_in)
    if replay:
        image = image_bytes(world)
        for mutant in trace_mutants(task, targets.base):
            faults = tuple(replay_faults(image, mutant.forgery.journal, world))
            tally.note(mutant, judge(task, mutant, handed_in, Integrity(faults, True)), targets, by_trace=True)
    return MutationReport(
        total=tally.operators.total(),
        killed=dict(sorted(tally.killed.items())),
        equivalents=tuple(tally.equivalents),
        survivors=tuple(tally.survivors),
        unsound=tuple(tally.unsound),
        idle=tuple(sorted(_components(task, targets) - tally.broken)),
        refused=tuple(tally.refused),
        by_operator=dict(sorted(tally.operators.items())),
    )
