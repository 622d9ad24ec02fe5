"""The closed frame in detail: assignment with variables, alternatives, allowances, slips, role rules, budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from tests.fixtures.w1.tasks import NOTE, book, order, reassign
from tests.fixtures.w1.world import AGENT, open_world, registered

from deskgym_graders import assign
from deskgym_graders.codec import SpecError, Var
from deskgym_graders.compile import compile_task
from deskgym_graders.expected import changed, expected_row
from deskgym_graders.spec import (
    Allowed,
    Call,
    Clock,
    Distractors,
    Draft,
    Eq,
    Expectation,
    Goal,
    Insert,
    OneOf,
    RefTo,
    Submission,
    Task,
    TextEq,
    Variant,
)

from .attempts import pure, result, verdict, w1_task

BECAUSE = {"distractors": "these tests are about the match"}


def make(*goals: Goal, oracle: Sequence[Call] = (), because: dict[str, str] | None = None, **more: Any) -> Task:
    """A task of these alternatives, without the lints: these tests are about the match."""
    expectation = Expectation(any_of=goals, **more)
    draft = Draft("Do it.", AGENT, expectation, tuple(oracle) or (reassign("O1", "U1"),), because=because or BECAUSE)
    with registered(), open_world() as world:
        return compile_task(
            draft, world, template="w1/x", seed=0, apps=("w1",), kind="mutate", level=1, revision=1, check=False
        )


def booking(title: str = "QBR", save_as: str | None = None, hour: str = "14") -> Any:
    start, end = f"2031-03-17T{hour}:00:00Z", f"2031-03-17T{int(hour) + 1}:00:00Z"
    room = OneOf(("R2", "R3"))
    return expected_row("w1_booking", room_id=room, title=title, start_at=start, end_at=end, save_as=save_as)


def guest(person: str, of: str) -> Any:
    return expected_row("w1_guest", booking_id=RefTo(of), person_id=person)


def invite(of: str, person: str) -> Call:
    return Call("w1_invite", {"booking_id": Var(f"{of}.id"), "person_id": person})


with registered():
    TWO = make((booking(save_as="a"), booking(save_as="b"), guest("U1", "a"), guest("U3", "b"), guest("U2", "b")))


def test_children_are_matched_to_the_right_one_of_two_equal_parents() -> None:
    """Complete search: either new booking could be `a`; only one choice fits the guests."""
    for first, second in (("p", "q"), ("q", "p")):
        calls = [book("R2", save_as="p"), book("R3", save_as="q"), invite(first, "U1")]
        calls += [invite(second, "U3"), invite(second, "U2")]
        assert result(TWO, calls) == (1.0, "OK")


def test_children_of_another_parent_are_missing() -> None:
    calls = [book("R2", save_as="p"), book("R3", save_as="q"), invite("p", "U1"), invite("p", "U3"), invite("q", "U2")]
    assert result(TWO, calls) == (0.0, "MISSING")


def test_eight_equal_rows_are_matched_and_nine_are_collateral() -> None:
    task = make(tuple(expected_row("w1_note", account_id="A1", body=NOTE) for _ in range(8)))
    note = Call("w1_add_note", {"account_id": "A1", "body": NOTE})
    assert result(task, [note] * 8) == (1.0, "OK")
    assert result(task, [note] * 9) == (0.0, "COLLATERAL")
    assert result(task, [note] * 7) == (0.0, "MISSING")


def test_rows_that_several_expectations_fit_are_assigned_as_a_whole() -> None:
    """A greedy match would give R2 to the first expectation and leave the second without a row."""
    either = booking()
    only = replace(either, values={**either.values, "room_id": Eq("R2")})
    for goal in ((either, only), (only, either)):
        assert result(make(goal), [book("R2"), book("R3")]) == (1.0, "OK")
    assert result(make((either, only)), [book("R3"), book("R2", "16")]) == (0.0, "MISSING")


def test_each_alternative_is_complete_and_their_parts_do_not_mix() -> None:
    first = (changed("w1_account", "A3", tier="Gold"), changed("w1_opp", "O2", stage="Proposal", owner_id="U1"))
    second = (changed("w1_account", "A4", tier="Gold"), changed("w1_opp", "O2", owner_id="U3"))
    task = make(first, second)
    gold = {key: Call("w1_update_account", {"id": key, "values": {"tier": "Gold"}}) for key in ("A3", "A4")}
    assert result(task, [gold["A3"], reassign("O2", "U1")]) == (1.0, "OK")
    assert result(task, [gold["A4"], reassign("O2", "U3")]) == (1.0, "OK")
    assert result(task, [gold["A3"], reassign("O2", "U3")])[0] == 0.0
    assert result(task, [gold["A3"], gold["A4"], reassign("O2", "U1")]) == (0.0, "COLLATERAL")


def test_an_allowance_takes_cells_up_to_its_budget() -> None:
    tier = Allowed("update", "w1_account", {"tier": OneOf(("Gold", "Platinum"))}, most=1)
    task = make((changed("w1_opp", "O1", owner_id="U1"),), allowed=(tier,))
    gold = {key: Call("w1_update_account", {"id": key, "values": {"tier": "Platinum"}}) for key in ("A3", "A4")}
    silver = Call("w1_update_account", {"id": "A1", "values": {"tier": "Silver"}})
    assert result(task, [reassign("O1", "U1"), gold["A3"]]) == (1.0, "OK")
    assert result(task, [reassign("O1", "U1"), gold["A3"], gold["A4"]]) == (0.0, "COLLATERAL")
    assert result(task, [reassign("O1", "U1"), silver]) == (0.0, "COLLATERAL")
    keyed = make((changed("w1_opp", "O1", owner_id="U1"),), allowed=(replace(tier, key=("A4",)),))
    assert result(keyed, [reassign("O1", "U1"), gold["A4"]]) == (1.0, "OK")
    assert result(keyed, [reassign("O1", "U1"), gold["A3"]]) == (0.0, "COLLATERAL")


def test_an_allowed_removal_is_tolerated_once() -> None:
    note = Allowed("delete", "w1_note", {"account_id": Eq("A3")})
    task = make((changed("w1_opp", "O1", owner_id="U1"),), allowed=(note,))
    gone = [Call("w1_delete_note", {"id": key}) for key in ("N1", "N2")]
    assert result(task, [reassign("O1", "U1"), gone[0]]) == (1.0, "OK")
    assert result(task, [reassign("O1", "U1"), *gone]) == (0.0, "COLLATERAL")


def test_an_allowance_cannot_stand_for_the_goal() -> None:
    task = make((booking(),), allowed=(Allowed("insert", "w1_booking", {"title": TextEq("QBR")}),))
    assert result(task, [book("R2", "16")]) == (0.0, "MISSING")
    assert result(task, [book("R2", "16"), book("R2")]) == (1.0, "OK")


@pytest.mark.parametrize("task", ["reassign-overdue", "open-total"])
def test_a_corrected_slip_is_explained_with_its_system_rows(task: str) -> None:
    chosen = w1_task(task)
    slip = [reassign("O3", "U1"), reassign("O3", "U4"), reassign("O3", "U3")]
    assert result(chosen, [*slip, *chosen.oracle], chosen.submission) == (1.0, "OK")
    assert result(chosen, [*slip[:2], *chosen.oracle], chosen.submission) == (0.0, "COLLATERAL")


def test_a_system_row_about_a_record_that_nobody_changed_is_collateral() -> None:
    task = w1_task("reassign-overdue")
    for about, reason in (
        ("O1", "OK"),
        ("O4", "OK"),
        ("O5", "COLLATERAL"),
        ("O6", "COLLATERAL"),
        ("gone", "COLLATERAL"),
    ):

        def change(atoms: list[Any], about: str = about) -> list[Any]:
            first = next(atom for atom in atoms if atom.table == "w1_audit")
            return [replace(a, row={**a.row, "opp_id": about}) if a is first else a for a in atoms]

        assert pure(task, task.oracle, change).reason == reason


def test_a_slip_on_the_target_itself_is_explained() -> None:
    task = w1_task("reassign-overdue")
    assert result(task, [reassign("O1", "U4"), *task.oracle]) == (1.0, "OK")


def test_a_slip_that_leaves_an_instant_behind_is_collateral() -> None:
    """O5 was closed in January; reopened and closed again it is closed today."""
    task = w1_task("reassign-overdue")
    calls = [Call("w1_update_opp", {"id": "O5", "values": {"stage": stage}}) for stage in ("Proposal", "Closed Won")]
    assert result(task, [*calls, *task.oracle]) == (0.0, "COLLATERAL")


def test_a_record_created_and_removed_again_is_collateral_and_a_link_is_not() -> None:
    task = make((changed("w1_opp", "O1", owner_id="U1"),))
    note = [Call("w1_add_note", {"account_id": "A1", "body": "x"}, "n"), Call("w1_delete_note", {"id": Var("n.id")})]
    link = {"booking_id": "B1", "person_id": "U1"}
    assert result(task, [*note, reassign("O1", "U1")]) == (0.0, "COLLATERAL")
    assert result(task, [Call("w1_invite", link), Call("w1_uninvite", link), reassign("O1", "U1")]) == (1.0, "OK")
    allowed = make(
        (changed("w1_opp", "O1", owner_id="U1"),), allowed=(Allowed("insert", "w1_note", {"account_id": Eq("A1")}),)
    )
    assert result(allowed, [*note, reassign("O1", "U1")]) == (1.0, "OK")
    assert result(allowed, [*note, *note, reassign("O1", "U1")]) == (0.0, "COLLATERAL")


def test_more_commands_than_the_budget_fail_a_finished_task() -> None:
    task = w1_task("reassign-overdue")
    back = [reassign("O6", "U1"), reassign("O6", "U2")]
    assert task.commands_at_most == 20
    assert result(task, [*back * 9, *task.oracle]) == (1.0, "OK")
    assert result(task, [*back * 10, *task.oracle]) == (0.0, "BUDGET")
    tight = replace(task, expectation=replace(task.expectation, budget=2))
    assert result(tight, task.oracle) == (1.0, "OK")
    assert result(tight, [*back, *task.oracle]) == (0.0, "BUDGET")


def test_an_unfinished_task_over_budget_is_missing_not_budget() -> None:
    task = w1_task("reassign-overdue")
    assert result(task, [reassign("O6", "U1"), reassign("O6", "U2")] * 11) == (0.0, "MISSING")


def test_a_clock_when_column_holds_an_instant_at_which_its_column_changed() -> None:
    implicit = make((changed("w1_opp", "O4", stage="Closed Won"),))
    stage = [Call("w1_update_opp", {"id": "O4", "values": {"stage": name}}) for name in ("Closed Lost", "Closed Won")]
    assert result(implicit, stage) == (1.0, "OK")
    explicit = make((changed("w1_opp", "O4", stage="Closed Won", closed_at=Clock()),))
    assert result(explicit, stage[1:]) == (1.0, "OK")

    def forged(value: str | None) -> Any:
        def change(atoms: list[Any]) -> list[Any]:
            closed = [atom for atom in atoms if getattr(atom, "column", None) == "closed_at"]
            return [replace(a, new=value) if a in closed else a for a in atoms]

        return change

    for value in ("2031-03-14T09:30:00Z", "2031-03-14T09:00:00Z", ""):
        assert pure(implicit, stage[1:], forged(value)).reason == "COLLATERAL"
        assert pure(explicit, stage[1:], forged(value)).reason == "WRONG_VALUE"
    assert pure(explicit, stage[1:], forged(None)).reason == "WRONG_VALUE"


def test_a_clock_if_column_follows_its_boolean() -> None:
    task = make((changed("w1_booking", "B1", is_cancelled=1),))
    cancel = [Call("w1_cancel_booking", {"id": "B1"})]
    assert result(task, cancel) == (1.0, "OK")
    for drop in (True, False):

        def change(atoms: list[Any], drop: bool = drop) -> list[Any]:
            kept = [a for a in atoms if getattr(a, "column", None) != "cancelled_at"]
            wrong = [replace(a, new="2031-01-01T00:00:00Z") for a in atoms if a not in kept]
            return kept if drop else [*kept, *wrong]

        assert pure(task, cancel, change).reason == "COLLATERAL"


def test_a_derived_column_must_be_what_its_function_gives() -> None:
    task = make((changed("w1_account", "A4", name="Contoso Limited"),))
    rename = [Call("w1_update_account", {"id": "A4", "values": {"name": "Contoso Limited"}})]
    assert result(task, rename) == (1.0, "OK")

    def stale(atoms: list[Any]) -> list[Any]:
        return [atom for atom in atoms if getattr(atom, "column", None) != "name_norm"]

    def wrong(atoms: list[Any]) -> list[Any]:
        return [replace(a, new="x") if getattr(a, "column", None) == "name_norm" else a for a in atoms]

    assert pure(task, rename, stale).reason == "COLLATERAL"
    assert pure(task, rename, wrong).reason == "COLLATERAL"


def test_an_expired_order_is_not_as_it_was_asked_for() -> None:
    from deskgym_apps.kit.call import advance_clock
    from deskgym_graders.grade import grade_store

    from .attempts import worked

    task = w1_task("limit-order")
    for seconds, reason in ((3600, "OK"), (2 * 86_400, "COLLATERAL")):
        with open_world() as world, worked(task, [order()], None) as store:
            advance_clock(store, seconds)
            from deskgym_graders.oracle import hand_in

            hand_in(store, task, Submission())
            found = grade_store(task, world, store)
        assert (found.reason, found.replayed) == (reason, True)


def test_unknown_names_and_circles_are_spec_errors() -> None:
    task = make((guest("U1", "nobody"),))
    assert verdict(task, ()).status == "spec_error"
    circle = (
        replace(guest("U1", "b"), save_as="a"),
        replace(guest("U2", "a"), save_as="b"),
    )
    found = verdict(make(circle), ())
    assert (found.status, found.reward, found.reason) == ("spec_error", None, "SPEC_ERROR")


def _many() -> tuple[Task, list[Call]]:
    parents = tuple(booking(save_as=f"p{n}") for n in range(9))
    children = tuple(guest("U1", f"p{n}") for n in range(9))
    task = make((*parents, *children), budget=100)
    calls = [book("R2", f"{n}", save_as=f"b{n}") for n in range(10, 19)]
    return replace(task, expectation=_any_hour(task.expectation)), calls


def test_nine_like_parents_with_a_child_each_are_matched_and_one_child_less_is_missing() -> None:
    task, calls = _many()
    invited = [invite(f"b{n}", "U1") for n in range(10, 19)]
    assert result(task, [*calls, *invited]) == (1.0, "OK")
    assert result(task, [*calls, *invited[:-1]]) == (0.0, "MISSING")


def test_rows_too_alike_to_be_matched_are_a_spec_error_and_never_a_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    task, calls = _many()
    wrong = [invite(f"b{n}", "U1") for n in range(10, 18)] + [invite("b10", "U3")]
    task = replace(task, expectation=replace(task.expectation, any_of=(_with_u3(task.expectation.any_of[0]),)))
    monkeypatch.setattr(assign, "MAX_NODES", 100)
    found = verdict(task, [*calls, *wrong])
    assert (found.status, found.reward) == ("spec_error", None)
    assert "too alike" in found.feedback


def _with_u3(goal: Goal) -> Goal:
    return (*goal[:-1], guest("U3", "p8"))


def _any_hour(expectation: Expectation) -> Expectation:
    from deskgym_graders.comparators import Any as AnyValue

    free = AnyValue("any hour will do here")
    goal = tuple(
        replace(step, values={**step.values, "start_at": free, "end_at": free})
        if isinstance(step, Insert) and step.table == "w1_booking"
        else step
        for step in expectation.any_of[0]
    )
    return replace(expectation, any_of=(goal,))


def test_a_person_who_has_no_part_in_the_task_breaks_integrity() -> None:
    from deskgym_graders.grade import grade_store
    from deskgym_graders.oracle import carry_out, hand_in

    from .attempts import worked

    task = w1_task("reassign-overdue")
    with open_world() as world, worked(task, (), None) as store:
        carry_out(store, task, task.oracle, person_id="U3")
        hand_in(store, task, Submission())
        assert grade_store(task, world, store).reason == "INTEGRITY"
        assert grade_store(replace(task, people=("U3",)), world, store).reason == "OK"


def test_the_best_alternative_is_the_one_reported() -> None:
    task = make(
        (changed("w1_account", "A4", tier="Gold"), changed("w1_account", "A3", tier="Gold")),
        (changed("w1_opp", "O1", owner_id="U1"),),
    )
    found = verdict(task, [reassign("O1", "U3")])
    assert found.reason == "WRONG_VALUE"
    assert found.missing == ("w1_opp['O1'].owner_id: 'U3', expected Eq(value='U1')",)
    assert "w1_opp" in found.feedback


def test_a_variant_and_a_distractor_are_data() -> None:
    assert Variant("x", ()).reason == "OK"
    assert Distractors("x", "w1_opp", ("O1",)).keys == (("O1",),)  # type: ignore[arg-type]


def test_an_unasked_answer_is_not_read() -> None:
    task = w1_task("add-note")
    assert result(task, task.oracle, Submission(answer="All done")) == (1.0, "OK")


def test_compile_refuses_two_steps_on_one_row_and_system_tables() -> None:
    with pytest.raises(SpecError, match="make them one"):
        make((changed("w1_opp", "O1", owner_id="U1"), changed("w1_opp", "O1", stage="Proposal")))
    audit = expected_row("w1_audit", opp_id="O1", field="owner_id")
    with pytest.raises(SpecError, match="written by the app itself"):
        make((audit,))
