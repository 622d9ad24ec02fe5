"""The audit passes sound tasks, and each gate fails where a fault of its kind is planted."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from tests.fixtures.leaky import world as leaky_world

from deskgym import pool
from deskgym.audit import audit_task
from deskgym.proof import Case, Gate, again, doors, handed_in, near, wild
from deskgym.proof.case import PlacedWorld
from deskgym_apps.kit import undo
from deskgym_graders.comparators import Any as Anything
from deskgym_graders.comparators import Eq, TextEq
from deskgym_graders.diff import Del, Ins, Upd
from deskgym_graders.expected import changed
from deskgym_graders.shapes import SERVER_SET, role_of, table_of
from deskgym_graders.spec import Delete, Expectation, Step, Submission, Update

from . import deals, planted

NEXT_STEP, READ_DEAL = deals.next_step.name, deals.read_deal.name


def case_of(name: str, seed: int = 1, **change: Any) -> Case:
    """The case of a template over tools, with a fault planted in its task."""
    case = Case.of(name, seed, surfaces=("mcp",))
    case.task = replace(case.task, **change)
    return case


@pytest.mark.parametrize("name", [NEXT_STEP, READ_DEAL])
def test_sound_tasks_pass_every_gate_that_needs_no_browser(name: str) -> None:
    report = audit_task(name, 1)
    assert report.faults == []
    assert [gate.name for gate in report.gates] == ["A1", "A2", "A3", "A4", "A5", "A6", "A8", "A9", "A10", "A11", "A12"]
    assert all(gate.attempts for gate in report.gates)
    assert list(report.skipped) == ["A18"]
    assert not report.complete
    killed, total, equal = (report.mutants[name] for name in ("killed", "total", "equivalents"))
    assert killed + len(equal) == total > 20


# --- A1, A2: the right work passes ----------------------------------------------------------------------


def test_a1_names_an_oracle_that_does_not_solve_its_task() -> None:
    gate = doors.a1_oracle(case_of(planted.idle_oracle.name))
    assert len(gate.faults) == 1
    assert gate.faults[0].startswith("mcp: graded MISSING")


def test_a2_names_a_variant_that_the_grader_refuses() -> None:
    gate = doors.a2_variants(case_of(planted.refused_variant.name))
    assert len(gate.faults) == 1
    assert gate.faults[0].startswith("with a remark gets COLLATERAL, not OK")


def test_a2_names_a_variant_whose_calls_are_refused() -> None:
    task = case_of(NEXT_STEP).task
    (call,) = task.oracle
    stale = replace(call, args={**call.args, "row_version": 99})
    gate = doors.a2_variants(case_of(NEXT_STEP, variants=(replace(task.variants[0], calls=(stale,)),)))
    assert len(gate.faults) == 1
    assert gate.faults[0].startswith("a slip put right is refused")


def test_a2_tries_refused_calls_looking_around_and_other_spellings_of_every_task() -> None:
    names = {variant.name for variant in doors.detours(case_of(NEXT_STEP))}
    assert names == {"each call refused once before", "after looking around"}
    case = case_of("crm/open-expected")
    own = case.task.submission.answer
    spelt = [variant.submission.answer for variant in doors.spellings(case) if variant.submission]
    assert spelt
    assert all(answer != own for answer in spelt)
    assert doors.a2_variants(case).faults == ()


def test_an_env_error_is_no_verdict_and_is_tried_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = case_of(NEXT_STEP).oracle("mcp")
    broken = replace(sound, status="env_error", reward=None, state_hash=None)
    ends = iter([broken, sound, broken, broken, sound])
    monkeypatch.setattr("deskgym.proof.case.run_trial", lambda _: next(ends))
    assert doors.a1_oracle(case_of(NEXT_STEP)).passed
    assert not doors.a1_oracle(case_of(NEXT_STEP)).passed
    assert next(ends) is sound


# --- A3, A4, A5: answers alone pass nothing -------------------------------------------------------------


def test_a3_names_a_task_that_passes_without_work() -> None:
    assert not handed_in.a3_nothing(case_of(NEXT_STEP, expectation=Expectation())).passed


def test_a4_names_an_infeasible_task_that_a_constant_passes() -> None:
    lazy = Expectation(status="infeasible", reason_code="not_found")
    given = Submission("infeasible", "not_found")
    gate = handed_in.a4_constants(case_of(NEXT_STEP, expectation=lazy, submission=given))
    assert any("gets 1.0" in fault for fault in gate.faults)


def test_a4_names_a_template_whose_most_frequent_answer_passes_on_other_seeds() -> None:
    case = case_of(planted.guessable.name)
    one, _ = handed_in.usual_answers(case.task.template, case.world)
    assert one.tried == 100
    assert 10 <= one.passed <= 50
    assert any("passes" in fault and "of 100 other seeds" in fault for fault in handed_in.a4_constants(case).faults)


def test_a4_counts_what_most_seeds_answer_as_tried() -> None:
    case = case_of(READ_DEAL)
    gate = handed_in.a4_constants(case)
    assert gate.faults == ()
    assert gate.attempts > 200


def _accepting(end: wild.WildEnd) -> Expectation:
    """An expectation that asks for just what a wild end did."""
    rows: dict[tuple[str, tuple[Any, ...]], dict[str, Any]] = {}
    goal: list[Step] = []
    for atom in end.atoms:
        if table_of(atom.table).part_of is not None:
            continue  # goes with what it is a part of
        if isinstance(atom, Del):
            goal.append(Delete(atom.table, atom.key))
        elif isinstance(atom, Ins):
            assert table_of(atom.table).system, f"{atom.table}: {end.name} makes records too"
        elif isinstance(atom, Upd) and role_of(atom.table, atom.column).kind not in SERVER_SET:
            rows.setdefault((atom.table, atom.key), {})[atom.column] = Eq(atom.new)
    goal += [Update(table, key, values) for (table, key), values in rows.items()]
    return Expectation(any_of=(tuple(goal),), budget=10**6)


def test_a5_names_a_task_that_takes_what_a_wild_end_did() -> None:
    case = case_of(NEXT_STEP)
    ends = wild.wild_ends(case.world)
    chosen = next(end for end in ends if end.name == "delete everything")
    accepted = _accepting(chosen.as_done_by(case.task.person_id))
    gate = handed_in.a5_wild(case_of(NEXT_STEP, expectation=accepted))
    assert [fault.split(" gets ")[0] for fault in gate.faults] == ["delete everything"]
    assert "gets 1.0 (OK)" in gate.faults[0]


def test_a5_names_a_task_that_takes_a_dump_for_an_answer() -> None:
    spec = case_of(READ_DEAL).task.expectation.answer
    assert spec is not None
    dump = next(answer["id"] for answer in handed_in._dumps(case_of(READ_DEAL)) if isinstance(answer["id"], str))
    loose = replace(spec, fields={**spec.fields, "id": TextEq(dump)})
    gate = handed_in.a5_wild(case_of(READ_DEAL, expectation=Expectation(answer=loose)))
    assert len(gate.faults) == 1
    assert gate.faults[0].startswith("the answer ")


def test_the_wild_end_states_really_changed_the_world() -> None:
    ends = {end.name: end for end in wild.wild_ends(PlacedWorld.of("small:1"))}
    assert len(ends) == 3 + 20
    assert len(ends["delete everything"].journal) > 100
    assert len(ends["change everything"].journal) > 100
    made = {atom.table for atom in ends["add everything"].atoms if isinstance(atom, Ins)}
    assert made >= {"crm_account", "crm_contact", "crm_opportunity", "crm_task", "crm_event", "crm_note"}
    assert all(end.atoms for end in ends.values())
    assert [end.broken for end in ends.values() if end.broken] == []


# --- A6, A8: work that is almost right ------------------------------------------------------------------


def test_a6_names_a_mutant_that_survives() -> None:
    (call,) = case_of(NEXT_STEP).task.oracle
    loose = Expectation(any_of=((changed("crm_opportunity", call.args["id"], next_step=Anything("any text")),),))
    assert not near.a6_mutants(case_of(NEXT_STEP, expectation=loose)).passed


def test_a8_names_a_task_that_another_seed_s_work_passes() -> None:
    other = case_of(NEXT_STEP, 2).task
    case = case_of(NEXT_STEP, expectation=other.expectation, person_id=other.person_id)
    case.__dict__["others"] = (other,)
    gate = near.a8_other_seeds(case)
    assert [fault.split(" gets ")[0] for fault in gate.faults] == [f"{NEXT_STEP}@2"]


def test_a8_names_a_template_that_asks_for_the_same_whatever_the_seed() -> None:
    gate = near.a8_other_seeds(case_of(planted.same_for_all.name))
    assert gate.faults == (f"every seed of {planted.same_for_all.name} asks for the same",)


# --- A10, A11: the same again ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def leaky(tmp_path_factory: pytest.TempPathFactory) -> Iterator[leaky_world.LeakyWorld]:
    """The world of an app with faults, which is known only while this module's tests run."""
    with leaky_world.registered():
        from tests.fixtures.leaky import tasks  # noqa: F401  registers the templates

        yield leaky_world.build(tmp_path_factory.mktemp("leaky") / "world.db")
        pool.release()


@pytest.mark.parametrize(
    ("operation", "passes"), [("add", True), ("stamp", False), ("year", False), ("shuffle", False)]
)
def test_a10_names_operations_that_read_the_environment_or_leak_the_order_of_a_set(
    leaky: leaky_world.LeakyWorld, monkeypatch: pytest.MonkeyPatch, operation: str, passes: bool
) -> None:
    monkeypatch.delenv("TZ", raising=False)
    gate = again.a10_determinism(Case.of(f"leaky/{operation}", 0, leaky))
    assert gate.passed == passes, gate.faults
    if not passes:
        assert gate.faults == ("a process with other hash seed, zone, language and year does otherwise",)


def test_a10_names_runs_that_get_in_each_others_way(monkeypatch: pytest.MonkeyPatch) -> None:
    case = case_of(NEXT_STEP)
    first = again.fingerprint(case.task.template, 1, case.world)
    monkeypatch.setattr(again, "elsewhere", lambda *_: [(1, first), (1, first), (1, {**first, "state": "other"})])
    assert again.a10_determinism(case).faults == ("of 8 at once in one process some do otherwise",)


def test_a10_names_a_run_that_is_not_the_same_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    case = case_of(NEXT_STEP)
    first = again.fingerprint(case.task.template, 1, case.world)
    runs = iter([first, {**first, "state": "other"}])
    monkeypatch.setattr(again, "fingerprint", lambda *_: next(runs))
    assert again.a10_determinism(case).faults == ("the second run differs",)


def _add_a_slip(hands: wild.Hands) -> None:
    hands.call("leaky_add", {"title": "Two"})


def test_a11_passes_where_undo_takes_everything_back(leaky: leaky_world.LeakyWorld) -> None:
    assert again.reset_faults_after(PlacedWorld.of(leaky), _add_a_slip, ("leaky",)) == ()


def test_a11_names_an_undo_that_forgets_a_counter(
    leaky: leaky_world.LeakyWorld, monkeypatch: pytest.MonkeyPatch
) -> None:

    put_back = undo._put_back

    def forgetful(store: Any, shape: Any, *change: Any) -> None:
        if shape.name != "org_id_counter":
            put_back(store, shape, *change)

    monkeypatch.setattr(undo, "_put_back", forgetful)
    faults = again.reset_faults_after(PlacedWorld.of(leaky), _add_a_slip, ("leaky",))
    assert faults == ("undoing what was done in the store did not give S0",)


def test_a11_passes_a_store_that_is_undone(leaky: leaky_world.LeakyWorld) -> None:
    assert again.reset_faults_after(PlacedWorld.of(leaky), _add_a_slip, ("leaky",)) == ()


def test_a11_is_not_passed_by_a_monkey_that_does_nothing(leaky: leaky_world.LeakyWorld) -> None:
    faults = again.reset_faults_after(PlacedWorld.of(leaky), lambda _: None, ("leaky",))
    assert faults == ("the monkey did nothing, so that nothing was reset",)


def test_a_call_that_breaks_is_a_fault_of_its_wild_end_and_a_refused_one_is_not(leaky: leaky_world.LeakyWorld) -> None:
    def work(hands: wild.Hands) -> None:
        _add_a_slip(hands)
        hands.call("leaky_add", {"title": ""})
        hands.call("leaky_divide", {"title": "Three"})

    end = wild.wild_end(PlacedWorld.of(leaky), "careless", work, ("leaky",))
    assert end.refused == 1
    assert len(end.broken) == 1
    assert end.broken[0].startswith("careless: leaky_divide breaks with ZeroDivisionError")


def test_wild_work_is_that_of_somebody_who_may_do_some_of_it() -> None:
    read_only: list[str] = []

    def work(hands: wild.Hands) -> None:
        if not read_only or hands.person_id in read_only:
            read_only.append(hands.person_id)  # the first one may do nothing
            return
        hands.call("crm_create", {"object": "account", "values": {"name": "Left by the next one"}})

    end = wild.wild_end(PlacedWorld.of("small:1"), "shy", work)
    (shy,), (command,) = read_only, end.journal
    assert command.person_id != shy


def test_a5_names_a_tool_that_breaks_in_wild_work(
    leaky: leaky_world.LeakyWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    end = wild.wild_end(PlacedWorld.of(leaky), "monkey 1", wild.monkey(1), ("leaky",))
    monkeypatch.setattr(handed_in, "wild_ends", lambda _: (end,))
    gate = handed_in.a5_wild(case_of(NEXT_STEP))
    assert gate.faults
    assert all("leaky_divide breaks with ZeroDivisionError" in fault for fault in gate.faults)


# --- A18: both doors alike ------------------------------------------------------------------------------


def test_a18_names_other_commands_and_other_answers_with_an_equal_state() -> None:
    result = case_of(READ_DEAL).oracle("mcp")
    work = case_of(NEXT_STEP).oracle("mcp")
    assert list(doors.differences(work, work)) == []
    (entry,) = work.journal
    again = {**entry, "arguments": {**entry["arguments"], "values": {}}}
    (found,) = doors.differences(work, replace(work, journal=(again,)))
    assert found.startswith("the commands differ")
    other = replace(result, submission={**(result.submission or {}), "answer": "{}"})
    assert [text.split(":")[0] for text in doors.differences(result, other)] == ["what was handed in differs"]


def test_a18_is_not_passed_by_two_trials_that_broke() -> None:
    result = case_of(NEXT_STEP).oracle("mcp")
    broken = replace(result, status="env_error", reward=None, state_hash=None, journal=(), feedback="no browser")
    assert len(list(doors.differences(broken, replace(broken, surface="browser")))) == 2


@pytest.mark.browser
@pytest.mark.parametrize(("seed", "widgets"), [(0, "aria"), (1, "native")])
def test_both_doors_do_the_same_in_either_variant_of_the_pages(seed: int, widgets: str) -> None:
    case = Case.of("crm/close-lost", seed, surfaces=("mcp", "browser"))
    assert case.widgets == widgets
    assert doors.a1_oracle(case) == Gate("A1", 2)
    assert doors.a18_parity(case) == Gate("A18", 1)


@pytest.mark.browser
def test_a18_names_a_page_object_that_leaves_out_an_argument(monkeypatch: pytest.MonkeyPatch) -> None:
    from deskgym.pages import crm

    whole = crm.ACTIONS["update"]

    async def careless(visit: Any, args: dict[str, Any]) -> dict[str, Any]:
        values = dict(args["values"])
        values.popitem()
        return await whole(visit, {**args, "values": values})

    case = Case.of("crm/close-lost", 0, surfaces=("mcp", "browser"))
    assert len(case.task.oracle[-1].args["values"]) > 1, "the task writes several fields"
    monkeypatch.setattr(crm, "ACTIONS", {**crm.ACTIONS, "update": careless})
    assert doors.a18_parity(case).faults
