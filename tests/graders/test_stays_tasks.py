"""Harbourstay's task templates: each compiles on any world, its oracle and variants get what they should, and what they
expect agrees with what the tools say."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from itertools import combinations
from typing import Any

import pytest

from deskgym_apps.kit.store import Store
from deskgym_apps.kit.tools import call_tool
from deskgym_graders.grade import grade_store
from deskgym_graders.lint import GUESS_BINDINGS, lint_bindings
from deskgym_graders.oracle import carry_out, hand_in
from deskgym_graders.spec import Call, Submission, Task
from deskgym_graders.tasks import bind, templates
from deskgym_graders.tasks.stays.requests import contests, overlap
from deskgym_seeds.world import World, open_world

NAMES = [name for name in templates() if name.startswith("stays/")]
# Three hundred draws of two places take minutes: those are for `deskgym lint`.
ANSWERED = [name for name in NAMES if templates()[name].kind != "mutate" and name != "stays/two-places"]
CONSTANTS: tuple[Any, ...] = ({}, None, {"total": "0", "currency": "EUR"})


def graded(task: Task, world: World, image: Store, calls: Any, given: Submission) -> tuple[object, str]:
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
        assert graded(task, world, image, (), Submission(answer=answer))[0] == 0, f"{task.id}: always {answer}"
    refusal = Submission("infeasible", "not_possible", task.submission.answer)
    assert graded(task, world, image, (), refusal)[0] == 0, f"{task.id}: always infeasible"


def test_there_are_templates_of_every_kind_and_of_several_levels() -> None:
    found = [template for name, template in templates().items() if name in NAMES]

    assert {template.kind for template in found} == {"answer", "mutate", "mutate+answer", "infeasible"}
    assert {1, 2, 3, 4} <= {template.level for template in found}


@pytest.mark.parametrize("name", NAMES)
def test_the_oracle_and_its_variants_are_graded_as_they_should_be(name: str, first: World, image: Store) -> None:
    check(bind(f"{name}@0", image), first, image)


@pytest.mark.parametrize("name", NAMES)
def test_the_oracle_passes_whatever_the_seed_draws(name: str, first: World, image: Store) -> None:
    for seed in range(1, 5):
        task = bind(f"{name}@{seed}", image)
        assert graded(task, first, image, task.oracle, task.submission) == (1.0, "OK"), task.id


@pytest.mark.parametrize("name", NAMES)
def test_templates_compile_on_another_world(name: str) -> None:
    with open_world("small:2").open() as image:
        assert bind(f"{name}@1", image).template == name


@pytest.fixture(scope="module")
def copy(first: World) -> Iterator[Store]:
    """A copy of the world that is only read."""
    with Store.memory(first.image, first.reference_path) as store:
        yield store


def _found(copy: Store, task: Task) -> dict[str, Any]:
    """What the task's own search finds."""
    (call,) = task.oracle
    return _called(copy, task, call)


def _called(copy: Store, task: Task, call: Call) -> dict[str, Any]:
    """What a tool that reads says to the task's person."""
    given = dict(call.args)
    result: dict[str, Any] = call_tool(copy, call.tool, given, person_id=task.person_id, app_names=task.apps)
    return result


@pytest.mark.parametrize("seed", range(20))
def test_the_cheapest_place_is_the_first_that_the_search_finds(seed: int, image: Store, copy: Store) -> None:
    task = bind(f"stays/cheapest-place@{seed}", image)
    best = _found(copy, task)["rows"][0]

    assert {"place": best["title"], "total": best["total"]["amount"], "currency": best["total"]["currency"]} == (
        task.submission.answer
    )


@pytest.mark.parametrize("seed", range(20))
def test_the_places_within_a_limit_are_those_that_the_search_finds(seed: int, image: Store, copy: Store) -> None:
    task = bind(f"stays/within-limit@{seed}", image)
    answer: Any = task.submission.answer
    titles = [row["title"] for row in _found(copy, task)["rows"]]

    assert titles[answer["places"] - 1] == answer["dearest"]


@pytest.mark.parametrize("seed", range(10))
def test_a_trip_given_up_brings_back_what_the_preview_says(seed: int, image: Store, copy: Store) -> None:
    task = bind(f"stays/trade-trip@{seed}", image)
    preview, price = (_called(copy, task, call) for call in task.oracle)

    assert {"back": preview["refund"]["amount"], "new_total": price["total"]["amount"]} == {
        name: value for name, value in dict(task.submission.answer).items() if name != "currency"
    }


@pytest.mark.parametrize("seed", range(6))
def test_no_two_places_that_the_quotes_allow_cost_less_than_the_best_pair(seed: int, image: Store, copy: Store) -> None:
    task = bind(f"stays/two-places@{seed}", image)
    search, first, second = task.oracle
    stay = {name: first.args[name] for name in ("checkin", "checkout")}
    adults = int(first.args["adults"]) + int(second.args["adults"])
    prices = {row["id"]: _by_adults(copy, task, row["id"], stay, adults) for row in _every_row(copy, task, search)}
    sums = [
        prices[one][count] + prices[other][adults - count]
        for one, other in combinations(sorted(prices), 2)
        for count in prices[one]
        if adults - count in prices[other]
    ]

    assert min(sums) == Decimal(dict(task.submission.answer)["total"])


def _every_row(copy: Store, task: Task, search: Call) -> list[Any]:
    rows: list[Any] = []
    while True:
        found = _called(copy, task, Call(search.tool, {**search.args, "page": len(rows) // 18 + 1}))
        rows += found["rows"]
        if len(rows) >= found["total"]:
            return rows


def _by_adults(copy: Store, task: Task, listing: str, stay: dict[str, Any], adults: int) -> dict[int, Decimal]:
    """The total of a place for each number of adults with whom it can be booked."""
    quotes = {
        count: _called(copy, task, Call("stays_quote", {"listing": listing, **stay, "adults": count}))
        for count in range(1, adults)
    }
    return {count: Decimal(found["total"]["amount"]) for count, found in quotes.items() if found["bookable"]}


def test_a_contest_of_requests_is_won_by_the_one_that_came_first(image: Store) -> None:
    found = contests(image)

    assert len(found) >= 3
    for first, *others in found:
        assert all(first["requested_at"] < other["requested_at"] and overlap(first, other) for other in others)


@pytest.mark.parametrize("name", ANSWERED)
def test_l9_no_answer_is_right_for_more_than_one_binding_in_a_hundred(name: str, image: Store) -> None:
    found = [bind(f"{name}@{seed}", image, check=False) for seed in range(GUESS_BINDINGS)]

    assert lint_bindings(found) == []
    assert len({task.instruction for task in found}) >= 100


def test_always_refusing_pays_nothing_where_the_place_takes_the_party(first: World, image: Store) -> None:
    task, twin = (bind(f"stays/{name}@0", image) for name in ("book-for-party", "book-for-party-refused"))

    assert task.answer_schema == twin.answer_schema
    for reason in ("too_many_guests", "too_many_pets", "dates_taken"):
        refused = Submission("infeasible", reason, task.submission.answer)
        assert graded(task, first, image, (), refused)[0] == 0
    assert graded(twin, first, image, (), Submission("done", None, twin.submission.answer))[0] == 0
