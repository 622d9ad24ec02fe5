"""The CRM's task templates: each compiles on any world, its oracle and variants get what they should, no other does."""

from __future__ import annotations

from typing import Any

import pytest

from deskgym_apps.kit.store import Store
from deskgym_graders.grade import grade_store
from deskgym_graders.mutate import mutation_report
from deskgym_graders.oracle import carry_out, hand_in
from deskgym_graders.spec import Call, Submission, Task
from deskgym_graders.tasks import bind, templates
from deskgym_seeds.world import World, open_world

NAMES = [name for name in templates() if name.startswith("crm/")]
# Goals of a dozen rows and more have some thousand mutants: those are for the audit.
MANY_ROWS = {"crm/chase-owners", "crm/push-dates", "crm/delete-account", "crm/convert-by-rule"}
CONSTANTS: tuple[Any, ...] = ({}, None, {"count": 0, "amount": "0", "currency": "USD"})


def graded(task: Task, world: World, image: Store, calls: tuple[Call, ...], given: Submission) -> tuple[object, str]:
    """Reward and reason of calls on a fresh copy of the world, with command replay."""
    with Store.memory(world.image, world.reference_path) as store:
        carry_out(store, task, calls)
        hand_in(store, task, given)
        verdict = grade_store(task, image, store)
        return verdict.reward, verdict.reason


def check(task: Task, world: World, image: Store) -> None:
    """The oracle and every variant get what the task says; doing nothing gets nothing."""
    assert graded(task, world, image, task.oracle, task.submission) == (1.0, "OK"), task.id
    for variant in task.variants:
        given = variant.submission or task.submission
        reward, reason = graded(task, world, image, variant.calls, given)
        assert (reason, reward) == (variant.reason, float(variant.reason == "OK")), f"{task.id}: {variant.name}"
    assert graded(task, world, image, (), Submission())[0] == 0, f"{task.id}: doing nothing"
    for answer in CONSTANTS:
        constant = Submission(answer=answer)
        assert graded(task, world, image, (), constant)[0] == 0, f"{task.id}: always {answer}"
    refusal = Submission("infeasible", "not_possible", task.submission.answer)
    assert graded(task, world, image, (), refusal)[0] == 0, f"{task.id}: always infeasible"


def test_there_are_templates_of_every_kind() -> None:
    kinds = {template.kind for name, template in templates().items() if name in NAMES}

    assert kinds == {"answer", "mutate", "mutate+answer", "infeasible"}


@pytest.mark.parametrize("name", NAMES)
def test_the_oracle_and_its_variants_are_graded_as_they_should_be(name: str, first: World, image: Store) -> None:
    check(bind(f"{name}@0", image), first, image)


@pytest.mark.parametrize("name", NAMES)
def test_the_oracle_passes_whatever_the_seed_draws(name: str, first: World, image: Store) -> None:
    for seed in range(1, 8):
        task = bind(f"{name}@{seed}", image)
        assert graded(task, first, image, task.oracle, task.submission) == (1.0, "OK"), task.id


@pytest.mark.parametrize("name", NAMES)
def test_templates_compile_on_another_world(name: str) -> None:
    with open_world("small:2").open() as image:
        assert bind(f"{name}@1", image).template == name


@pytest.mark.parametrize("name", [name for name in NAMES if name not in MANY_ROWS])
def test_no_mutant_of_the_oracle_passes(name: str, image: Store) -> None:
    report = mutation_report(bind(f"{name}@1", image), image)

    assert report.tight, (report.survivors, report.unsound, report.idle, report.refused)
