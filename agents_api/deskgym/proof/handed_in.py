"""Answers alone pass nothing: none (A3), always the same (A4), odd ones and dumps, after no work or wild work (A5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeVar

from deskgym_apps.kit.store import Store
from deskgym_graders.answers import submitted
from deskgym_graders.codec import canonical_text, encode_raw
from deskgym_graders.grade import grade
from deskgym_graders.spec import Submission, Task
from deskgym_graders.tasks import bind
from deskgym_graders.verdict import Integrity

from ..agents.constant import constant_answer
from ..pool import origin_of
from .case import Attempt, Case, PlacedWorld, all_fail
from .report import Gate
from .wild import WildEnd, wild_ends

CONSTANTS: tuple[Any, ...] = ("0", "1", "yes", "no", "", "n/a", 0, 1, True, False)
EMPTY_ANSWERS: tuple[Any, ...] = (None, "", {}, [])
ODD_ANSWERS: tuple[Any, ...] = ("", {}, [], "null", 0, False, "^.*$", {"$ne": None}, [None] * 1000, "x" * 60_000)
BINDINGS = 100
MOST_PASSES = 0.01
Item = TypeVar("Item")


def a3_nothing(case: Case) -> Gate:
    """No work: nothing handed in, done at once, empty answers."""
    given = [None, Submission(), *(Submission(answer=answer) for answer in EMPTY_ANSWERS)]
    return all_fail("A3", ((f"{one}", lambda one=one: case.judged(one)) for one in given))  # type: ignore[misc]


def a4_constants(case: Case) -> Gate:
    """The same answer to everything, with either status; the answer that most seeds of the template have."""
    task = case.task
    codes = {None, "not_found", "impossible", task.expectation.reason_code}
    answers = list(_constant_answers(case))
    given = [Submission(answer=answer) for answer in answers]
    given += [Submission("infeasible", code, answer) for code in sorted(codes, key=str) for answer in answers]
    attempts = ((f"{one}", lambda one=one: case.judged(one)) for one in given)
    gate = all_fail("A4", attempts)
    usual = usual_answers(task.template, case.world) if passes_without_work(task) else ()
    faults = [one.fault for one in usual if one.passed > one.tried * MOST_PASSES]
    return Gate("A4", gate.attempts + sum(one.tried for one in usual), (*gate.faults, *faults))


def passes_without_work(task: Task) -> bool:
    """Whether what is handed in is all that is asked for, so that a constant could be right."""
    return not task.expectation.any_of


def _constant_answers(case: Case) -> Iterator[Any]:
    schema = case.task.answer_schema
    if schema is None:
        yield None
        return
    seen = set()
    for value in (*CONSTANTS, *_first_rows(case.s0)):
        answer = constant_answer(schema, value)
        if (text := canonical_text(answer)) not in seen:
            seen.add(text)
            yield answer


def _first_rows(store: Store) -> Iterator[str]:
    """The id and what people call it of the first record of every table."""
    for name, table in sorted(store.tables.items()):
        if table.prefix is not None and name in store.shapes:
            row = store.one(f'SELECT * FROM "{name}" ORDER BY id LIMIT 1') or {}
            for column, role in table.columns.items():
                if row.get(column) and (role.kind == "id" or (role.kind == "text" and role.of == "name")):
                    yield str(row[column])


@dataclass(frozen=True)
class Usual:
    """A constant drawn from some seeds of a template, and how many of others it passes, without any work."""

    name: str
    submission: Submission
    passed: int
    tried: int

    @property
    def fault(self) -> str:
        """What it shows where it passes too often."""
        text = canonical_text(encode_raw(self.submission.answer))
        return f"{self.name}, {text}, passes {self.passed} of {self.tried} other seeds"


@cache
def usual_answers(template: str, world: PlacedWorld, bindings: int = BINDINGS) -> tuple[Usual, ...]:
    """The most frequent answer and the answer of the most frequent values, tried on as many other seeds.

    Once a process for each template and world. Raises SpecError for a seed that does not bind.
    """
    s0 = origin_of(world).store
    drawn = [bind(template, s0, seed, check=False) for seed in range(2 * bindings)]
    known, others = drawn[:bindings], drawn[bindings:]
    return tuple(
        Usual(name, one, sum(_passes(task, s0, one) for task in others), len(others)) for name, one in _modes(known)
    )


def _modes(tasks: Sequence[Task]) -> Iterator[tuple[str, Submission]]:
    own = [task.submission for task in tasks]
    whole = _mode(own, lambda one: [one.status, one.reason_code, encode_raw(one.answer)])
    yield "the most frequent answer", whole
    answers = [answer for one in own if isinstance(answer := encode_raw(one.answer), dict)]
    names = sorted({name for answer in answers for name in answer})
    if names:
        values = {name: _mode([answer.get(name) for answer in answers], lambda value: value) for name in names}
        yield "the answer of the most frequent values", Submission(whole.status, whole.reason_code, values)


def _mode(items: Sequence[Item], told: Callable[[Item], Any]) -> Item:
    """The first of the items that are told the same most often."""
    texts = [canonical_text(told(item)) for item in items]
    return items[texts.index(Counter(texts).most_common(1)[0][0])]


def _passes(task: Task, s0: Store, given: Submission) -> bool:
    return grade(task, s0, (), (), submitted(given, task.person_id), integrity=Integrity()).passed


def a5_wild(case: Case) -> Gate:
    """Odd and dumped answers; the wild end states of the world, with the right answer handed in."""
    ends = wild_ends(case.world)
    broken = [fault for end in ends for fault in end.broken]
    own = all_fail("A5", (*_odd_answers(case), *_wild_work(case)), broken)
    return replace(own, attempts=own.attempts + len(ends), shared=len(ends))


def _odd_answers(case: Case) -> Iterator[Attempt]:
    own = case.task.submission
    for answer in (*ODD_ANSWERS, *_dumps(case)):
        one = Submission(own.status, own.reason_code, answer)
        yield f"the answer {str(answer)[:60]}", lambda one=one: case.judged(one)  # type: ignore[misc]


def _wild_work(case: Case) -> Iterator[Attempt]:
    for own in _ends_of(case.world, case.task.person_id):
        yield own.name, lambda own=own: case.judged(case.task.submission, own.atoms, own.journal)  # type: ignore[misc]


# The latest ends that somebody is said to have left. The seeds of a template often have the same person; kept for all
# people they would fill the memory.
_signed: list[tuple[tuple[WildEnd, ...], str, tuple[WildEnd, ...]]] = []


def _ends_of(world: PlacedWorld, person_id: str) -> tuple[WildEnd, ...]:
    ends = wild_ends(world)
    if not _signed or _signed[0][0] is not ends or _signed[0][1] != person_id:
        _signed[:] = [(ends, person_id, tuple(end.as_done_by(person_id) for end in ends))]
    return _signed[0][2]


def _dumps(case: Case) -> Iterator[Any]:
    """Everything at once in each field, the other fields being right."""
    own = encode_raw(case.task.submission.answer)
    if not isinstance(own, dict):
        return
    names = [row["id"] for row in case.s0.all("SELECT id FROM org_person ORDER BY id")]
    for name, value in own.items():
        if isinstance(value, list):
            yield own | {name: [*value, *names]}
            yield own | {name: value + value if value else names}
        else:
            yield own | {name: [value, *names]}
            yield own | {name: " ".join([str(value), *names])}
