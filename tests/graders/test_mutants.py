"""The grader graded: every mutant of every W1 task fails, and a grader with a hole in it lets some live."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from tests.fixtures.w1.tasks import NOTE
from tests.fixtures.w1.world import AGENT, open_world

from deskgym_graders import assign, explain, grade, match, mutate
from deskgym_graders.codec import Var
from deskgym_graders.comparators import Any as AnyValue
from deskgym_graders.comparators import RefTo
from deskgym_graders.compile import compile_task
from deskgym_graders.expected import expected_row
from deskgym_graders.mutate import MutationReport, mutation_report
from deskgym_graders.spec import Call, Draft, Expectation, Never, Task

from .attempts import w1_task
from .test_verdict_cases import ALL

OPERATORS = {
    "answer",
    "clock jumped",
    "collateral",
    "collateral on the target",
    "done and undone",
    "drop",
    "duplicate",
    "duplicate, first removed",
    "effects left out",
    "first few",
    "forbidden act",
    "irreversible act",
    "lookalike as well",
    "lookalike instead",
    "missing system row",
    "added system row",
    "altered system row",
    "system rows exchanged",
    "on all rows",
    "perturb",
    "permuted history",
    "removed and made anew",
    "row added",
    "row copied onto another",
    "row removed",
    "row under another key",
    "server column left",
    "set as no server would",
    "two rows swapped",
    "command that never was",
    "wiped",
    "wrong arguments",
    "wrong channel",
    "wrong operation",
    "wrong person",
}


def report(task: Task) -> MutationReport:
    with open_world() as world:
        return mutation_report(task, world)


@pytest.fixture(scope="module")
def reports() -> dict[str, MutationReport]:
    return {name: report(w1_task(name)) for name in ALL}


@pytest.mark.parametrize("name", ALL)
def test_every_mutant_that_is_not_equal_by_rule_is_killed(reports: Mapping[str, MutationReport], name: str) -> None:
    found = reports[name]
    assert found.survivors == ()
    assert found.unsound == ()
    assert found.refused == ()
    assert found.total > 40


@pytest.mark.parametrize("name", ALL)
def test_l7_every_part_of_an_expectation_can_fail(reports: Mapping[str, MutationReport], name: str) -> None:
    assert reports[name].idle == ()


def test_every_equivalent_has_its_reason(reports: Mapping[str, MutationReport]) -> None:
    equivalents = [pair for found in reports.values() for pair in found.equivalents]
    assert ("text body: TextEq takes it") in {reason for _, reason in equivalents}
    assert ("ref room_id: another member of the closed set") in {reason for _, reason in equivalents}
    assert all(reason for _, reason in equivalents)


def test_every_operator_is_used_by_some_task(reports: Mapping[str, MutationReport]) -> None:
    used = {operator for found in reports.values() for operator in found.by_operator}
    assert used >= OPERATORS, sorted(OPERATORS - used)


def test_trace_mutants_are_killed_by_integrity_and_row_mutants_never_are(reports: Mapping[str, MutationReport]) -> None:
    traces = {"wrong channel", "wrong person", "wrong arguments", "wrong operation", "missing system row"}
    traces |= {
        "added system row",
        "altered system row",
        "system rows exchanged",
        "permuted history",
        "effects left out",
    }
    traces |= {"command that never was", "server column left"}
    for found in reports.values():
        expected = sum(count for operator, count in found.by_operator.items() if operator in traces)
        assert found.killed.get("INTEGRITY", 0) == expected


def test_without_replay_the_trace_mutants_are_left_out() -> None:
    with open_world() as world:
        found = mutation_report(w1_task("reassign-overdue"), world, replay=False)
    assert "INTEGRITY" not in found.killed
    assert found.total > 80


def test_the_work_of_another_seed_fails_and_that_of_an_equal_task_is_not_another() -> None:
    task, other = w1_task("upgrade"), w1_task("reassign-overdue")
    with open_world() as world:
        alone = mutation_report(task, world, replay=False)
        crossed = mutation_report(task, world, replay=False, others=[other, task])
    assert crossed.total == alone.total + 1
    assert crossed.survivors == ()


def _blind(*_: Any, **__: Any) -> dict[str, str]:
    return {}


def _no_rest(original: Callable[..., match.Outcome]) -> Callable[..., match.Outcome]:
    def settle(*arguments: Any) -> match.Outcome:
        outcome = original(*arguments)
        return match.Outcome(outcome.wrong, outcome.missing, ())

    return settle


@pytest.mark.parametrize(
    ("hole", "task", "operators"),
    [
        ("open frame", "reassign-overdue", {"collateral", "lookalike as well", "row removed", "row added"}),
        ("server columns unchecked", "reassign-overdue", {"set as no server would"}),
        ("new server columns unchecked", "add-note", {"set as no server would"}),
        ("no never", "limit-order", {"forbidden act", "irreversible act"}),
        ("defaults unchecked", "add-note", {"perturb"}),
        ("anything compares", "add-note", {"perturb"}),
    ],
)
def test_a_grader_with_a_hole_lets_mutants_live(
    monkeypatch: pytest.MonkeyPatch, hole: str, task: str, operators: set[str]
) -> None:
    """A planted fault in the grader each: the mutants see it."""
    chosen = w1_task(task)
    if hole == "open frame":
        monkeypatch.setattr(match, "_settle", _no_rest(match._settle))
    elif hole == "server columns unchecked":
        monkeypatch.setattr(explain.Rules, "changed_row_faults", _blind)
    elif hole == "new server columns unchecked":
        monkeypatch.setattr(explain.Rules, "new_row_faults", _blind)
    elif hole == "no never":
        monkeypatch.setattr(grade, "_forbidden", lambda *_: iter(()))
        monkeypatch.setattr(match, "_taken_back", lambda *_: None)
    elif hole == "defaults unchecked":
        monkeypatch.setattr(assign.Evidence, "_unasked", lambda *_: iter(()))
    else:
        monkeypatch.setattr(assign, "satisfies", lambda *_: True)
    survivors = {text.split(":", 1)[0] for text in report(chosen).survivors}
    assert survivors >= operators, survivors


def test_a_grader_without_replay_lets_trace_mutants_live(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mutate, "replay_faults", lambda *_: iter(()))
    survivors = {text.split(":", 1)[0] for text in report(w1_task("reassign-overdue")).survivors}
    assert survivors >= {"missing system row", "altered system row", "wrong arguments", "permuted history"}


def _task(expectation: Expectation) -> Task:
    draft = Draft(
        instruction=f'Add the note "{NOTE}" to the account Northwind Traders.',
        person_id=AGENT,
        expectation=expectation,
        oracle=(Call("w1_add_note", {"account_id": "A1", "body": NOTE}),),
        because={"distractors": "this is about the expectation"},
    )
    with open_world() as world:
        return compile_task(draft, world, template="w1/x", seed=0, apps=("w1",), kind="mutate", level=1, revision=1)


def test_a_loose_expectation_shows_its_equivalents_with_the_reason() -> None:
    loose = expected_row("w1_note", account_id="A1", body=AnyValue("the wording is left to the worker"))
    found = report(_task(Expectation(any_of=((loose,),))))
    assert found.survivors == ()
    assert {reason for name, reason in found.equivalents if ".body" in name} == {"text body: Any: it does not matter"}


def test_a_forbidden_act_that_cannot_happen_is_idle() -> None:
    from deskgym_graders.comparators import Eq

    wanted = expected_row("w1_note", account_id="A1", body=NOTE)
    never = Never("update", "w1_account", {"name": Eq("Nobody")})
    assert report(_task(Expectation(any_of=((wanted,),), never=(never,)))).idle == ("never[0]",)


def test_an_act_that_no_row_shows_yet_is_forged_from_the_columns_it_may_not_write() -> None:
    from deskgym_graders.comparators import Eq

    wanted = expected_row("w1_note", account_id="A1", body=NOTE)
    never = Never("update", "w1_opp", {"id": Eq("O4"), "stage": Eq("Closed Won")}, ("stage",))
    assert report(_task(Expectation(any_of=((wanted,),), never=(never,)))).tight


def _two_bookings(*, invited: bool) -> Task:
    """Two rooms for two meetings; `invited`: with another guest in each, so that the bookings are referred to."""
    span = {"start_at": "2031-03-17T14:00:00Z", "end_at": "2031-03-17T15:00:00Z"}
    wanted, calls = [], []
    for name, room, title, guest in (("a", "R2", "QBR", "U1"), ("b", "R3", "Review", "U3")):
        save_as = name if invited else None
        wanted.append(expected_row("w1_booking", save_as=save_as, room_id=room, title=title, **span))
        calls.append(Call("w1_book_room", {"room_id": room, "title": title, **span}, save_as))
        if invited:
            wanted.append(expected_row("w1_guest", booking_id=RefTo(name), person_id=guest))
            calls.append(Call("w1_invite", {"booking_id": Var(f"{name}.id"), "person_id": guest}))
    draft = Draft(
        instruction="Book Birch for QBR and Cedar for Review.",
        person_id=AGENT,
        expectation=Expectation(any_of=(tuple(wanted),)),
        oracle=tuple(calls),
        because={"distractors": "this is about the operator"},
    )
    with open_world() as world:
        return compile_task(
            draft, world, template="w1/x", seed=0, apps=("w1",), kind="mutate", level=1, revision=1, check=False
        )


def test_new_rows_that_nothing_refers_to_may_exchange_their_ids() -> None:
    found = report(_two_bookings(invited=False))
    assert found.by_operator["two rows swapped"] == 1
    reasons = {reason for name, reason in found.equivalents if name.startswith("two rows swapped")}
    assert reasons == {"new rows to which nothing refers exchange ids"}
    assert found.survivors == ()
    assert found.refused == ()


def test_an_exchange_of_rows_that_are_referred_to_is_killed_and_no_equivalent() -> None:
    found = report(_two_bookings(invited=True))
    assert found.by_operator["two rows swapped"] >= 1
    assert [name for name, _ in found.equivalents if name.startswith("two rows swapped")] == []
    assert found.survivors == ()
