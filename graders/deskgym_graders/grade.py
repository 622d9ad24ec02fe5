"""From S0, atoms, journal and submission to a verdict: pure, binary, the first reason that applies (DESIGN §6).

`grade` decides; `grade_store` reads a sealed store in one read transaction, checks its integrity, and calls it.
A state that cannot be read is `env_error`, an unsound task `spec_error`: never 0.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence

from deskgym_apps.kit.canonical import StateHasher
from deskgym_apps.kit.roles import Reader, Row
from deskgym_apps.kit.store import Store

from .answers import Submitted, check_submission
from .assign import Evidence
from .codec import SpecError
from .compare import Cell, satisfies
from .diff import Atom, Ins, atoms_of_changes, beside, same
from .journal import ADVANCE_CLOCK, AGENT_CHANNELS, Effect, History, Journal, net_changes, read_journal
from .match import Outcome, match_goal
from .pages import Comparison
from .replay import MALFORMED, check_integrity
from .shapes import shapes, table_of
from .spec import Never, Task
from .verdict import Integrity, Verdict, versions


def _people_faults(task: Task, journal: Journal, submission: Submitted | None) -> Iterator[str]:
    people = {task.person_id, *task.people}
    for command in journal:
        if command.channel in AGENT_CHANNELS and command.person_id not in people:
            yield f"command {command.seq} was given by {command.person_id}, who has no part in this task"
        elif command.channel == "control" and command.operation != ADVANCE_CLOCK:
            yield f"command {command.seq} {command.operation} came through control, which only moves the clock"
        elif command.channel not in (*AGENT_CHANNELS, "control", "job"):
            yield f"command {command.seq} came through {command.channel}, which is no door"
    if submission is not None and submission.person_id not in people and submission.channel != "control":
        yield f"it was handed in by {submission.person_id}, who has no part in this task"


def _is_act(never: Never, effect: Effect) -> bool:
    op = "insert" if effect.old is None else "delete" if effect.new is None else "update"
    if effect.table != never.table or never.op not in (op, "write"):
        return False
    if op == "update" and never.columns:
        before, after = effect.old or {}, effect.new or {}
        return any(not same(before.get(name), after.get(name)) for name in never.columns)
    return True


def _forbidden(task: Task, evidence: Evidence, journal: Journal) -> Iterator[str]:
    """`never` and irreversible acts, judged on the journal: undoing them does not help (P18)."""
    kept = {(atom.table, atom.key) for atom in evidence.atoms if isinstance(atom, Ins)}
    for command in journal:
        for effect in command.effects:
            written: Row = (effect.new if effect.new is not None else effect.old) or {}
            for never in task.expectation.never:
                if _is_act(never, effect) and _holds(never, evidence.s1, written, command.person_id):
                    yield f"command {command.seq} {command.operation} did a forbidden {never.op} on {never.table}"
            known = effect.table in shapes() and table_of(effect.table).irreversible
            if known and effect.old is None and (effect.table, effect.key) not in kept:
                yield f"command {command.seq} {command.operation} took back what cannot be taken back"


def _holds(never: Never, state: Reader, row: Row, person_id: str | None) -> bool:
    return all(
        satisfies(comparator, Cell(state, never.table, row, column, actor=person_id))
        for column, comparator in never.values.items()
    )


def _best(task: Task, evidence: Evidence) -> Outcome:
    goals = task.expectation.any_of or ((),)
    outcomes = []
    for goal in goals:
        outcomes.append(match_goal(evidence, task.expectation, goal))
        if outcomes[-1].faults == 0:
            break
    return min(outcomes, key=lambda outcome: outcome.faults)


def _shown(sentences: Sequence[str], most: int = 2) -> str:
    more = len(sentences) - most
    return "; ".join(sentences[:most]) + (f"; and {more} more" if more > 0 else "")


def _judge(outcome: Outcome, over: str | None) -> tuple[str, str]:
    if outcome.wrong:
        return "WRONG_VALUE", f"A value is not the one asked for: {_shown(outcome.wrong)}."
    if outcome.missing:
        return "MISSING", f"Not done: {_shown(outcome.missing)}."
    if outcome.unexplained:
        return "COLLATERAL", f"Changed without being asked for: {_shown(outcome.unexplained)}."
    if over is not None:
        return "BUDGET", over
    return "OK", "Done as asked, and nothing else was changed."


def _graded(
    reason: str, feedback: str, integrity: Integrity, outcome: Outcome | None = None, faults: Iterable[str] = ()
) -> Verdict:
    found = outcome or Outcome()
    return Verdict(
        status="graded",
        reward=1.0 if reason == "OK" else 0.0,
        reason=reason,
        feedback=feedback,
        missing=(*found.wrong, *found.missing),
        unexplained=found.unexplained,
        faults=tuple(faults),
        replayed=integrity.replayed,
        hashes=dict(integrity.hashes),
        versions=versions(),
    )


def not_graded(status: str, feedback: str, integrity: Integrity | None = None) -> Verdict:
    """A verdict without reward: `env_error` or `spec_error`."""
    assert status in ("env_error", "spec_error")
    known = integrity or Integrity()
    return Verdict(
        status=status,  # type: ignore[arg-type]
        reward=None,
        reason=status.upper(),
        feedback=feedback,
        replayed=known.replayed,
        hashes=dict(known.hashes),
        versions=versions(),
    )


def grade(
    task: Task,
    s0: Reader,
    atoms: Iterable[Atom],
    journal: Journal,
    submission: Submitted | None,
    *,
    integrity: Integrity,
) -> Verdict:
    """The verdict on one sealed episode. Pure: same arguments, same verdict; nothing is read but its arguments.

    `atoms`: the canonical differences of S1 to S0. `journal`: from S0 to the seal. `integrity`: see replay.py.
    """
    faults = (*integrity.faults, *_people_faults(task, journal, submission))
    if faults:
        return _graded("INTEGRITY", f"The records cannot be believed: {_shown(faults)}.", integrity, faults=faults)
    try:
        return _decide(task, Evidence(s0, atoms, History(journal)), journal, submission, integrity)
    except SpecError as error:
        return not_graded("spec_error", f"The task is unsound: {error}", integrity)
    except (LookupError, TypeError, ValueError, ArithmeticError) as error:
        return not_graded("env_error", f"The state could not be judged: {type(error).__name__}: {error}", integrity)


def _decide(
    task: Task, evidence: Evidence, journal: Journal, submission: Submitted | None, integrity: Integrity
) -> Verdict:
    forbidden = list(_forbidden(task, evidence, journal))
    handed_in = check_submission(task.expectation, submission)
    outcome = _best(task, evidence)
    if forbidden:
        return _graded("FORBIDDEN", f"A forbidden act: {_shown(forbidden)}.", integrity, outcome, forbidden)
    if handed_in is not None:
        return _graded(*handed_in, integrity, outcome)
    given, most = evidence.history.agent_commands, task.commands_at_most
    over = f"It took {given} commands, at most {most} are allowed." if given > most else None
    return _graded(*_judge(outcome, over), integrity, outcome)


def read_submission(store: Store) -> Submitted | None:
    """The stored submission, or None."""
    row = store.one("SELECT person_id, status, reason_code, answer, channel, instant FROM desk_submission")
    return None if row is None else Submitted(**row)


def _read(task: Task, world: Store, s1: Store, replay: bool, hasher: StateHasher | None) -> Verdict:
    with s1.reading():
        compared = Comparison(world, s1)
        if compared.by_page:
            return _verdict(task, world, s1, compared, False, replay, hasher)
    with beside(world, s1) as attached, s1.reading():  # a rebuilt file: every row is compared
        return _verdict(task, world, s1, Comparison(world, s1), attached, replay, hasher)


def _verdict(
    task: Task,
    world: Store,
    s1: Store,
    compared: Comparison,
    attached: bool,
    replay: bool,
    hasher: StateHasher | None,
) -> Verdict:
    try:
        journal = read_journal(s1)
        integrity = check_integrity(world, s1, journal, replay=replay, compared=compared, attached=attached)
        atoms = atoms_of_changes(net_changes(journal))
    except MALFORMED as error:
        fault = f"the journal cannot be read: {type(error).__name__}: {error}"
        return grade(task, world, (), (), None, integrity=Integrity((fault,), False))
    hashes: Mapping[str, str] = {**integrity.hashes, "task": task.digest}
    if hasher is not None and not integrity.faults:  # it takes the journal's word for what changed
        hashes = {**hashes, "state": hasher.hash(s1)}
    submission = read_submission(s1)
    moved = submission is not None and submission.instant != s1.now
    faults = (*integrity.faults, *(["the clock does not stand where the work was handed in"] if moved else []))
    integrity = Integrity(faults, integrity.replayed, hashes)
    return grade(task, compared.rows_before, atoms, journal, submission, integrity=integrity)


def grade_store(
    task: Task, world: Store, s1: Store, *, replay: bool = True, hasher: StateHasher | None = None
) -> Verdict:
    """Grade an episode's store against its world's image, in one read transaction of the store.

    `replay`: carry the commands out again on a fresh copy (always, but in benchmarks; the verdict says so).
    `hasher`: made once per world, adds the state hash, which takes as long as the rest.
    Never raises for what the store holds: a store that cannot be read is `env_error`.
    """
    try:
        if world.meta("world") != task.world:
            return not_graded("env_error", f"The image is of {world.meta('world')}, the task of {task.world}.")
        return _read(task, world, s1, replay, hasher)
    except (sqlite3.Error, OSError, KeyError) as error:
        return not_graded("env_error", f"The state could not be read: {error}")
