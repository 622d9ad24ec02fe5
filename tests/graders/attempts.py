"""Carrying out calls on W1 and grading what became of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from tests.fixtures.w1 import tasks  # noqa: F401  registers the templates
from tests.fixtures.w1.world import image_bytes, open_world, registered

from deskgym_apps.kit.store import Store
from deskgym_graders.diff import Atom, atoms_of_changes
from deskgym_graders.grade import grade, grade_store, read_submission
from deskgym_graders.journal import Journal, net_changes, read_journal
from deskgym_graders.oracle import carry_out, hand_in
from deskgym_graders.spec import Call, Submission, Task
from deskgym_graders.tasks import bind
from deskgym_graders.verdict import Integrity, Verdict

DONE = Submission()


def w1_task(name: str) -> Task:
    """A task of W1, compiled with its lints."""
    with registered(), open_world() as world:
        return bind(f"w1/{name}@0", world)


@contextmanager
def worked(task: Task, calls: Iterable[Call], submission: Submission | None = DONE) -> Iterator[Store]:
    """A copy of W1 after the calls and the submission."""
    with Store.memory(image_bytes()) as store:
        carry_out(store, task, calls)
        if submission is not None:
            hand_in(store, task, submission)
        yield store


def verdict(task: Task, calls: Iterable[Call], submission: Submission | None = DONE) -> Verdict:
    """What `grade_store` says, with replay."""
    with open_world() as world, worked(task, calls, submission) as store:
        return grade_store(task, world, store)


def result(task: Task, calls: Iterable[Call], submission: Submission | None = DONE) -> tuple[float | None, str]:
    """Reward and reason."""
    found = verdict(task, calls, submission)
    return found.reward, found.reason


def evidence(task: Task, calls: Iterable[Call]) -> tuple[tuple[Atom, ...], Journal]:
    """Atoms and journal of the calls."""
    with worked(task, calls, None) as store, store.reading():
        journal = read_journal(store)
        return atoms_of_changes(net_changes(journal)), journal


def pure(task: Task, calls: Iterable[Call], change: Callable[[list[Atom]], list[Atom]]) -> Verdict:
    """What `grade` alone says about the atoms of the calls after a change to them."""
    with open_world() as world, worked(task, calls, task.submission) as store:
        journal, handed_in = read_journal(store), read_submission(store)
        atoms = change(list(atoms_of_changes(net_changes(journal))))
        return grade(task, world, atoms, journal, handed_in, integrity=Integrity())
