"""Promise 5. A task ships with a proof, and the machinery of the proof sees what is wrong with a bad one.

Each gate on faults of its own kind: tests/agents_api/test_audit.py. Every template's oracle, variants and mutants:
tests/graders/test_crm_tasks.py. Answers nobody can guess: tests/graders/test_crm_draws.py. Faults that do not even
compile: tests/graders/test_lint.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.agents_api import planted

from deskgym.catalogue import bind
from deskgym.catalogue import world as opened
from deskgym.proof import Case, doors, handed_in, near
from deskgym_apps.kit.store import Store
from deskgym_graders.codec import SpecError
from deskgym_graders.comparators import Any as Anything
from deskgym_graders.compile import check_expectation
from deskgym_graders.expected import changed
from deskgym_graders.lint import check_task
from deskgym_graders.mutate import mutation_report
from deskgym_graders.spec import Expectation, Task, Variant
from deskgym_graders.tasks import templates

TEMPLATE = "crm/next-step"


def sound() -> Task:
    return bind(TEMPLATE, opened("small:1"), 1)


def any_text(task: Task) -> Task:
    """Any next step will do."""
    (step,) = task.expectation.any_of[0]
    loose = changed("crm_opportunity", step.key, next_step=Anything("any text will do"))  # type: ignore[union-attr]
    return replace(task, expectation=replace(task.expectation, any_of=((loose,),)))


def nothing_to_do(task: Task) -> Task:
    """Nothing is asked for."""
    return replace(task, expectation=Expectation())


def no_oracle(task: Task) -> Task:
    """Nobody has shown how it is done."""
    return replace(task, oracle=())


def honest_failure(task: Task) -> Task:
    """A way that should pass and does not."""
    return replace(task, variants=(Variant("nothing at all", ()),))


PROOF = {
    "A1": doors.a1_oracle,
    "A2": doors.a2_variants,
    "A3": handed_in.a3_nothing,
    "A6": near.a6_mutants,
    "A8": near.a8_other_seeds,
}


@pytest.mark.parametrize("gate", PROOF)
def test_a_sound_task_passes_each_gate(gate: str) -> None:
    found = PROOF[gate](Case.of(TEMPLATE, 1, surfaces=("mcp",), seeds=(2,)))

    assert found.faults == ()
    assert found.passed


@pytest.mark.parametrize(("plant", "gate"), [(any_text, "A6"), (nothing_to_do, "A3"), (honest_failure, "A2")])
def test_a_bad_task_fails_the_gate_that_is_there_for_it(plant: Callable[[Task], Task], gate: str) -> None:
    case = Case.of(TEMPLATE, 1, surfaces=("mcp",))
    case.task = plant(case.task)

    assert not PROOF[gate](case).passed


def test_an_oracle_that_leaves_the_work_undone_fails_its_gate() -> None:
    assert not doors.a1_oracle(Case.of(planted.idle_oracle.name, 1, surfaces=("mcp",))).passed


@pytest.mark.parametrize("plant", [nothing_to_do, no_oracle])
def test_some_bad_tasks_do_not_even_compile(plant: Callable[[Task], Task], image: Store) -> None:
    compiles(sound(), image)
    with pytest.raises(SpecError):
        compiles(plant(sound()), image)


def compiles(task: Task, image: Store) -> None:
    """What `bind` checks of a task."""
    check_expectation(task.expectation, task.kind)
    check_task(task, image)


def test_near_misses_of_a_task_are_many_and_all_of_them_fail(image: Store) -> None:
    report = mutation_report(sound(), image)

    assert report.total > 50
    assert report.tight
    assert len(templates()) > 20
