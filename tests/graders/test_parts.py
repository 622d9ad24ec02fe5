"""Rows that only spell out another one, and columns in a person's own words: the normal form is held to account."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from deskgym_apps.kit.store import Store
from deskgym_graders.answers import submitted
from deskgym_graders.codec import SpecError
from deskgym_graders.compile import check_goal
from deskgym_graders.diff import Upd
from deskgym_graders.expected import changed
from deskgym_graders.forge import Forgery
from deskgym_graders.grade import grade
from deskgym_graders.mutate import oracle_journal, targets_of
from deskgym_graders.perturb import perturbations
from deskgym_graders.spec import Task, Update
from deskgym_graders.tasks import bind
from deskgym_graders.verdict import Integrity, Verdict
from deskgym_seeds.world import open_world

PARTS = "crm_list_view_filter"


@pytest.fixture(scope="module")
def world() -> Iterator[Store]:
    with open_world("small:1").open() as store:
        yield store


@pytest.fixture(scope="module")
def task(world: Store) -> Task:
    return bind("crm/mend-view@0", world)


@pytest.fixture
def done(world: Store, task: Task) -> Forgery:
    return targets_of(task, world, oracle_journal(task, world)).base


def view_of(task: Task) -> tuple[Any, ...]:
    """The key of the view that the task is about."""
    step = task.expectation.any_of[0][0]
    assert isinstance(step, Update)
    return tuple(step.key)


def judged(task: Task, forged: Forgery) -> Verdict:
    handed_in = submitted(task.submission, task.person_id)
    return grade(task, forged.s0, forged.atoms, forged.journal, handed_in, integrity=Integrity())


def test_parts_are_explained_with_the_row_that_they_spell_out(task: Task, done: Forgery) -> None:
    assert any(atom.table == PARTS for atom in done.atoms)
    assert judged(task, done).passed


def test_parts_that_do_not_come_to_the_normal_form_fail(task: Task, done: Forgery) -> None:
    part = next(atom for atom in done.atoms if atom.table == PARTS and isinstance(atom, Upd))
    verdict = judged(task, done.with_cells(PARTS, part.key, {"value": '"1"'}))
    assert (verdict.passed, verdict.reason) == (False, "COLLATERAL")
    assert "conditions" in verdict.feedback


def test_a_normal_form_that_its_parts_do_not_come_to_fails(task: Task, done: Forgery) -> None:
    """The view says what it should, and its filters are as they were."""
    lie = done
    for atom in done.atoms:
        if atom.table == PARTS:
            lie = lie.without_row(PARTS, atom.key)
    assert not judged(task, lie).passed


def test_parts_of_a_row_that_nobody_asked_for_stay_collateral(task: Task, done: Forgery) -> None:
    other = next(row for row in done.s0.select(PARTS) if row["list_view_id"] != view_of(task)[0])
    key = (other["list_view_id"], other["pos"])
    for cells in ({"value": '"1"'}, None):
        assert judged(task, done.then([(PARTS, key, cells)])).reason == "COLLATERAL"


def test_logic_that_changes_what_is_meant_fails_though_no_goal_names_it(task: Task, done: Forgery) -> None:
    view = view_of(task)
    count = sum(1 for row in done.s0.select(PARTS, list_view_id=view[0])) + 1
    same = " AND ".join(str(number) for number in range(count, 0, -1))
    other = " OR ".join(str(number) for number in range(count, 0, -1))
    assert judged(task, done.then([("crm_list_view", view, {"filter_logic": same})])).passed
    assert not judged(task, done.then([("crm_list_view", view, {"filter_logic": other})])).passed


def test_a_goal_names_the_whole_and_never_its_parts() -> None:
    with pytest.raises(SpecError, match="are parts of another row"):
        check_goal((changed(PARTS, ("LVW000000000001", 1), value='"1"'),))


def test_near_misses_of_json_differ_in_one_place(world: Store) -> None:
    value = '[[["in","stage",["a","b"]],["until","close_date",["days",0]]]]'
    found = dict(perturbations(world, "crm_list_view", "conditions", value))
    assert found["opposite"] in (value.replace('"in"', '"not_in"'), value.replace("until", "from"))
    assert {"part left out", "part twice", "parts exchanged", "another word", "one more", "written wider"} <= set(found)
    assert value not in found.values()
