"""From a template's draft to a task: every value checked against the registry, then the lints (grading.md §3.8)."""

from __future__ import annotations

import json
from typing import Any

from deskgym_apps.kit.store import Store

from .codec import SpecError, encode_raw
from .comparators import ANSWER_ONLY, CELLS_ONLY, COMPARATORS, BagOf, Comparator, Fields, ListOf, SetOf
from .shapes import is_server_set, role_of, table_of
from .spec import Delete, Draft, Expectation, Goal, Insert, Key, Kind, Task, Update


def _check_comparators(table: str, values: Any) -> None:
    for column, comparator in values.items():
        role_of(table, column)
        if not isinstance(comparator, COMPARATORS):
            raise SpecError(f"{table}.{column}: {comparator!r} is no comparator; use expected_row or changed")
        if isinstance(comparator, ANSWER_ONLY):
            raise SpecError(f"{table}.{column}: {type(comparator).__name__} is for answers only")


def _check_step(step: Any, saved: set[str], seen: set[tuple[str, Key]]) -> None:
    if not isinstance(step, Update | Insert | Delete):
        raise SpecError(f"a goal is made of Update, Insert and Delete, not {step!r}")
    if table_of(step.table).system:
        raise SpecError(f"{step.table} is written by the app itself; its rows are explained by rule, not by a goal")
    if table_of(step.table).part_of is not None:
        raise SpecError(f"rows of {step.table} are parts of another row; name that row and its normal form")
    if isinstance(step, Insert):
        _check_comparators(step.table, step.values)
        absent = [
            name
            for name in table_of(step.table).columns
            if name not in step.values and not is_server_set(step.table, name)
        ]
        if absent:
            raise SpecError(f"a new row of {step.table} leaves open {', '.join(absent)}; use expected_row (lint L3)")
        if step.save_as is not None:
            if step.save_as in saved:
                raise SpecError(f'two inserts are saved as "{step.save_as}"')
            saved.add(step.save_as)
        return
    key = step.key if isinstance(step.key, tuple) else (step.key,)
    if (step.table, key) in seen:
        raise SpecError(f"two steps are about {step.table} {key}; make them one")
    seen.add((step.table, key))
    if isinstance(step, Update):
        if not step.set:
            raise SpecError(f"an update of {step.table} {key} sets nothing")
        _check_comparators(step.table, step.set)


def check_goal(goal: Goal) -> None:
    """Whether a goal makes sense by itself. Raises SpecError that says what is wrong."""
    if not goal:
        raise SpecError("an empty goal is met by doing nothing (lint L1)")
    saved: set[str] = set()
    seen: set[tuple[str, Key]] = set()
    for step in goal:
        _check_step(step, saved, seen)


def _check_answer(name: str, comparator: Comparator) -> None:
    if isinstance(comparator, SetOf | BagOf | ListOf):
        for inner in comparator.items:
            _check_answer(name, inner)
    elif isinstance(comparator, Fields):
        for key, inner in comparator.fields.items():
            _check_answer(f"{name}.{key}", inner)
    elif not isinstance(comparator, COMPARATORS) or isinstance(comparator, CELLS_ONLY):
        raise SpecError(f"{name}: {type(comparator).__name__} cannot stand in an answer")


def check_expectation(expectation: Expectation, kind: Kind) -> None:
    """Whether an expectation makes sense by itself (lint L1). Raises SpecError."""
    for goal in expectation.any_of:
        check_goal(goal)
    for trace in expectation.allowed:
        _check_comparators(trace.table, trace.values)
    for act in expectation.never:
        _check_comparators(act.table, act.values)
    answer, status = expectation.answer, expectation.status
    if not expectation.any_of and answer is None:
        raise SpecError("there is no goal and no answer: doing nothing would pass (lint L1)")
    if answer is not None and not answer.fields:
        raise SpecError("an answer without fields is right whatever was found (lint L1)")
    for name, comparator in () if answer is None else answer.fields.items():
        _check_answer(name, comparator)
    if (status == "infeasible") != (kind == "infeasible"):
        raise SpecError(f'kind "{kind}" and status "{status}" do not fit')
    if status == "infeasible" and (not expectation.reason_code or answer is None):
        raise SpecError("an infeasible task asks for a reason code and for evidence in the answer")
    if kind in ("answer", "mutate+answer") and answer is None:
        raise SpecError(f'a task of kind "{kind}" asks for an answer')
    if kind in ("mutate", "mutate+answer") and not expectation.any_of:
        raise SpecError(f'a task of kind "{kind}" has a goal')
    if kind == "answer" and expectation.any_of:
        raise SpecError('a task with a goal is of kind "mutate" or "mutate+answer"')


def compile_task(
    draft: Draft,
    world: Store,
    *,
    template: str,
    seed: int,
    apps: tuple[str, ...],
    kind: Kind,
    level: int,
    revision: int,
    check: bool = True,
) -> Task:
    """The task of a draft. Raises SpecError where it could not be graded soundly."""
    if not isinstance(draft, Draft):
        raise SpecError(f"a template returns a Draft, not {type(draft).__name__}")
    check_expectation(draft.expectation, kind)
    answer = draft.expectation.answer
    task = Task(
        id=f"{template}@{seed}",
        template=template,
        seed=seed,
        world=world.meta("world"),
        apps=apps,
        person_id=draft.person_id,
        instruction=draft.instruction,
        answer_schema=None if answer is None else json.loads(json.dumps(encode_raw(answer.schema))),
        expectation=draft.expectation,
        oracle=tuple(draft.oracle),
        submission=draft.submission,
        variants=tuple(draft.variants),
        wrong_answers=dict(draft.wrong_answers),
        distractors=tuple(draft.distractors),
        because=dict(draft.because),
        people=tuple(draft.people),
        kind=kind,
        level=level,
        revision=revision,
        twin=draft.twin,
    )
    if check:
        from .lint import check_task

        check_task(task, world)
    return task
