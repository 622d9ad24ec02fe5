"""Properties of the grader over generated atoms, histories and orders."""

from __future__ import annotations

import itertools
import sqlite3
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fixtures.w1.tasks import book, mail, order, reassign
from tests.fixtures.w1.world import image_bytes, open_world, registered

from deskgym_apps.kit.errors import ServiceError
from deskgym_apps.kit.schema import is_canonical
from deskgym_apps.kit.store import Store
from deskgym_graders.answers import submitted
from deskgym_graders.codec import SpecError
from deskgym_graders.diff import Atom, Upd, atoms_of_changes, diff_stores, same
from deskgym_graders.forge import Forgery
from deskgym_graders.grade import grade, grade_store
from deskgym_graders.journal import net_changes, read_journal, record_key
from deskgym_graders.mutate import oracle_journal
from deskgym_graders.oracle import carry_out, hand_in
from deskgym_graders.overlay import Overlay
from deskgym_graders.perturb import one_change, perturbations
from deskgym_graders.shapes import SERVER_SET, role_of, shape_of
from deskgym_graders.spec import Call, Submission, Task
from deskgym_graders.verdict import REASONS, Integrity, Verdict

from .attempts import w1_task
from .test_verdict_cases import ALL

steady = settings(derandomize=True, deadline=None, max_examples=60)
WORLD = open_world()
TASKS = {name: w1_task(name) for name in ALL}
with registered():
    BASES = {name: Forgery(WORLD, oracle_journal(task, WORLD), task.person_id) for name, task in TASKS.items()}
TABLES = [name for name in WORLD.shapes if is_canonical(name) and next(iter(WORLD.select(name)), None)]


@pytest.fixture(scope="module", autouse=True)
def _close_world() -> Any:
    yield
    WORLD.close()


def judged(task: Task, forged: Forgery, atoms: tuple[Atom, ...] | None = None) -> Verdict:
    handed_in = submitted(task.submission, task.person_id)
    shown = forged.atoms if atoms is None else atoms
    return grade(task, WORLD, shown, forged.journal, handed_in, integrity=Integrity())


@given(name=st.sampled_from(ALL), data=st.data())
@steady
def test_the_order_of_atoms_does_not_change_the_verdict(name: str, data: st.DataObject) -> None:
    base = BASES[name]
    atoms = tuple(data.draw(st.permutations(base.atoms)))
    assert judged(TASKS[name], base, atoms) == judged(TASKS[name], base)
    assert judged(TASKS[name], base, atoms).reward == 1.0


def test_the_order_of_independent_commands_does_not_change_the_verdict() -> None:
    task = TASKS["reassign-overdue"]
    extra = (reassign("O6", "U1"), reassign("O6", "U2"))
    for calls in itertools.permutations([*task.oracle, *extra]):
        if calls.index(extra[0]) < calls.index(extra[1]):
            with Store.memory(image_bytes()) as store:
                carry_out(store, task, calls)
                hand_in(store, task, task.submission)
                assert grade_store(task, WORLD, store).passed


@given(name=st.sampled_from(ALL), table=st.sampled_from(TABLES), data=st.data())
@steady
def test_any_unexplained_change_added_to_a_pass_is_collateral(name: str, table: str, data: st.DataObject) -> None:
    base = BASES[name]
    touched = {atom.key for atom in base.atoms if atom.table == table} | {("sim_now",)}
    rows = [row for row in WORLD.select(table) if record_key(table, row) not in touched]
    if not rows:
        return
    row = data.draw(st.sampled_from(rows))
    key, op = record_key(table, row), data.draw(st.sampled_from(["update", "delete", "insert"]))
    copy = base.copy_of(table, row, "added")
    columns = [
        n for n in shape_of(table).columns if n not in shape_of(table).key and role_of(table, n).kind not in SERVER_SET
    ]
    if op == "insert" and copy is not None:
        forged = base.then([copy])
    elif op == "update" and columns:
        column = data.draw(st.sampled_from(columns))
        choices = [value for _, value in perturbations(WORLD, table, column, row[column])]
        choices.append(one_change(WORLD, table, column, row))
        value = data.draw(st.sampled_from([v for v in choices if not same(v, row[column])]))
        forged = base.then([(table, key, {column: value})])
    else:
        forged = base.then([(table, key, None)])
    found = judged(TASKS[name], forged)
    never = TASKS[name].expectation.never
    assert (found.status, found.reward) == ("graded", 0.0)
    assert found.reason == "COLLATERAL" or (never and found.reason == "FORBIDDEN")
    assert any(f"{table}{list(key)}" in said or f"+{table}" in said for said in found.unexplained)


@pytest.mark.parametrize("name", ALL)
def test_dropping_any_atom_of_a_goal_row_fails(name: str) -> None:
    base, task = BASES[name], TASKS[name]
    mine = {step.table for goal in task.expectation.any_of for step in goal}
    dropped = [atom for atom in base.atoms if atom.table in mine]
    assert dropped or not task.expectation.any_of
    for atom in dropped:
        rest = tuple(other for other in base.atoms if other != atom)
        assert judged(task, base, rest).reward == 0.0, str(atom)


@given(name=st.sampled_from(ALL), data=st.data())
@steady
def test_dropping_several_goal_atoms_fails(name: str, data: st.DataObject) -> None:
    base, task = BASES[name], TASKS[name]
    mine = {step.table for goal in task.expectation.any_of for step in goal}
    atoms = [atom for atom in base.atoms if atom.table in mine]
    if atoms:
        gone = data.draw(st.lists(st.sampled_from(atoms), min_size=1, unique_by=id))
        assert judged(task, base, tuple(atom for atom in base.atoms if atom not in gone)).reward == 0.0


@pytest.mark.parametrize("name", ALL)
def test_grading_is_pure(name: str) -> None:
    base, task = BASES[name], TASKS[name]
    before = task.digest, base.atoms, base.journal, WORLD.conn.total_changes
    first, second = judged(task, base), judged(task, base)
    assert first == second
    assert (task.digest, base.atoms, base.journal, WORLD.conn.total_changes) == before


CALLS: list[Call] = [
    *(reassign(key, owner) for key in ("O1", "O4", "O6") for owner in ("U1", "U2", "U4")),
    Call("w1_add_note", {"account_id": "A1", "body": "Renewal call moved to 21 March"}),
    Call("w1_add_note", {"account_id": "A2", "body": "x"}),
    Call("w1_delete_note", {"id": "N1"}),
    Call("w1_delete_note", {"id": "N2"}),
    Call("w1_update_account", {"id": "A4", "values": {"name": "Contoso"}}),
    Call("w1_update_account", {"id": "A4", "values": {"name": "Contoso Ltd"}}),
    Call("w1_update_opp", {"id": "O4", "values": {"stage": "Closed Won"}}),
    Call("w1_update_opp", {"id": "O4", "values": {"stage": "Proposal"}}),
    Call("w1_invite", {"booking_id": "B1", "person_id": "U1"}),
    Call("w1_uninvite", {"booking_id": "B1", "person_id": "U1"}),
    Call("w1_cancel_booking", {"id": "B1"}),
    book("R2"),
    order(),
    order("market", None),
    mail(),
]
histories = st.lists(st.sampled_from(CALLS), max_size=12)


def _carried_out(store: Store, task: Task, calls: list[Call]) -> None:
    for call in calls:
        with suppress(ServiceError, sqlite3.IntegrityError):
            carry_out(store, task, [call])


@given(calls=histories)
@steady
def test_the_journal_and_a_full_comparison_give_the_same_atoms(calls: list[Call]) -> None:
    with Store.memory(image_bytes()) as store:
        _carried_out(store, TASKS["win"], calls)
        told = atoms_of_changes(net_changes(read_journal(store)))
        assert told == diff_stores(WORLD, store)
        overlay = Overlay(WORLD, told)
        for table in (name for name in store.shapes if is_canonical(name)):
            assert [dict(row) for row in overlay.select(table)] == [dict(row) for row in store.select(table)]
        for owner in ("U1", "U2"):
            mine = [row["id"] for row in store.select("w1_opp", owner_id=owner)]
            assert [row["id"] for row in overlay.select("w1_opp", owner_id=owner)] == mine


@given(calls=histories, name=st.sampled_from(ALL))
@steady
def test_whatever_an_agent_does_gets_a_verdict_with_integrity(calls: list[Call], name: str) -> None:
    task = TASKS[name]
    with Store.memory(image_bytes()) as store:
        _carried_out(store, task, calls)
        hand_in(store, task, task.submission)
        found = grade_store(task, WORLD, store)
    assert found.status == "graded"
    assert found.reason in REASONS
    assert found.reason != "INTEGRITY"
    assert (found.reward == 1.0) == (found.reason == "OK")
    assert found.replayed


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["amount", "currency", "x"]), inner),
    max_leaves=6,
)


@given(answer=JSON)
@steady
def test_no_made_up_answer_passes_or_breaks_the_grader(answer: Any) -> None:
    task = TASKS["open-total"]
    if isinstance(answer, dict) and str(answer.get("amount")) in ("17300", "17,300.00"):
        return
    handed_in = submitted(Submission(answer=answer), task.person_id)
    found = grade(task, WORLD, (), (), handed_in, integrity=Integrity())
    assert (found.status, found.reward) == ("graded", 0.0)
    assert found.reason.startswith("ANSWER_")


def test_an_update_that_only_touches_the_row_is_a_corrected_slip_and_one_cell_more_is_not() -> None:
    base, task = BASES["reassign-overdue"], TASKS["reassign-overdue"]
    touched = base.then([("w1_opp", ("O6",), {})])
    assert judged(task, touched).reward == 1.0
    assert [atom.column for atom in touched.atoms if isinstance(atom, Upd) and atom.key == ("O6",)] == [
        "row_version",
        "updated_at",
        "updated_by",
    ]
    assert judged(task, base.then([("w1_opp", ("O6",), {"amount": 70_001})])).reason == "COLLATERAL"


def test_an_unknown_table_is_a_spec_error_with_the_nearest_name() -> None:
    with pytest.raises(SpecError, match='Did you mean "w1_opp"'):
        shape_of("w1_op")
