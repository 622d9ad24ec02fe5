"""The handed verdict cases P20 (forged stores) and P21 (unsound specs) on W1, each with more inputs of its kind."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from typing import Any

import pytest
from tests.fixtures.w1.tasks import NOTE, reassign
from tests.fixtures.w1.world import AGENT, open_world

from deskgym_apps.kit.store import Store
from deskgym_graders.codec import SpecError
from deskgym_graders.compile import compile_task
from deskgym_graders.expected import changed, expected_row
from deskgym_graders.grade import grade_store
from deskgym_graders.spec import Call, Draft, Eq, Expectation, Goal, Insert, Never, Number, TextEq, for_each

from .attempts import w1_task, worked

REASSIGN, ADD_NOTE = w1_task("reassign-overdue"), w1_task("add-note")


def note(body: str) -> Call:
    return Call("w1_add_note", {"account_id": "A1", "body": body})


def test_p20_a_plain_write_into_the_store_aborts() -> None:
    with open_world() as store, pytest.raises(sqlite3.IntegrityError, match="write outside a command"):
        store.conn.execute("UPDATE w1_opp SET owner_id = 'U1' WHERE id = 'O1'")


def forge(store: Store, *statements: str) -> None:
    names = [row[0] for row in store.conn.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'")]
    kept = {row[0]: row[1] for row in store.conn.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")}
    store.conn.execute("PRAGMA foreign_keys = OFF")
    for name in names:
        store.conn.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        store.conn.execute(statement)
    for sql in kept.values():
        store.conn.execute(sql)


_SET_OWNERS = "UPDATE w1_opp SET owner_id = 'U1' WHERE id IN ('O1', 'O4')"


def test_p20_dropped_triggers_break_integrity() -> None:
    with open_world() as world, worked(REASSIGN, ()) as store:
        store.conn.execute("DROP TRIGGER jrn_update_w1_opp")
        store.conn.execute(_SET_OWNERS)
        found = grade_store(REASSIGN, world, store)
    assert (found.reward, found.reason) == (0.0, "INTEGRITY")


@pytest.mark.parametrize(
    "statements",
    [
        (_SET_OWNERS,),
        ("DELETE FROM w1_note WHERE id = 'N2'",),
        ("UPDATE org_id_counter SET next = next + 1",),
        ("UPDATE org_meta SET value = '2031-03-14T09:00:09Z' WHERE key = 'sim_now'",),
        ("DELETE FROM jrn_effect WHERE id = 1",),
        ("DELETE FROM jrn_command WHERE seq = 1",),
        ("UPDATE jrn_command SET channel = 'job' WHERE seq = 1",),
        ("UPDATE jrn_command SET channel = 'control' WHERE seq = 1",),
        ("UPDATE jrn_command SET person_id = 'U1' WHERE seq = 1",),
        ("UPDATE jrn_command SET instant = '2031-03-14T09:30:00Z' WHERE seq = 1",),
        ("UPDATE jrn_effect SET new = 'no JSON' WHERE id = 1",),
        ("INSERT INTO jrn_open VALUES (1, 1, 'work')",),
        ("UPDATE jrn_command SET operation = 'w1.unknown' WHERE seq = 1",),
        ("UPDATE jrn_command SET arguments = '[]' WHERE seq = 1",),
        (f"UPDATE jrn_command SET arguments = '{'[' * 100_000}' WHERE seq = 1",),
        (
            "UPDATE jrn_command SET channel = 'control', operation = 'org.advance_clock', "
            "arguments = '{\"seconds\":1e999}'",
        ),
        ("INSERT INTO jrn_command VALUES (0, '2031-03-14T09:00:00Z', 'U9', 'mcp', 'w1.add_note', '{}')",),
        ("UPDATE jrn_effect SET key = '[]' WHERE id = 1",),
        ("UPDATE jrn_effect SET key = json_insert(key, '$[#]', 'x') WHERE id = 1",),
        (f"UPDATE jrn_effect SET key = '[{10**30}]' WHERE id = 1",),
        ("UPDATE jrn_effect SET tbl = 'jrn_command' WHERE id = 1",),
        (f"UPDATE jrn_effect SET new = '{'[' * 100_000}' WHERE id = 1",),
        ("UPDATE jrn_effect SET new = json_set(new, '$.pinned', 0.0) WHERE tbl = 'w1_note'",),
        ("UPDATE jrn_effect SET new = json_set(new, '$.pinned', json('false')) WHERE tbl = 'w1_note'",),
        ("UPDATE jrn_effect SET new = json_set(new, '$.more', 1) WHERE tbl = 'w1_note'",),
        ("INSERT INTO jrn_effect VALUES (99, 0, 'w1_note', '[[1]]', NULL, '{}')",),
    ],
)
def test_p20_triggers_put_back_after_a_forged_write_do_not_hide_it(statements: tuple[str, ...]) -> None:
    with open_world() as world, worked(ADD_NOTE, [note(NOTE)]) as store:
        assert grade_store(ADD_NOTE, world, store).reward == 1.0
    with open_world() as world, worked(ADD_NOTE, [note(NOTE)]) as store:
        forge(store, *statements)
        found = grade_store(ADD_NOTE, world, store)
    assert (found.status, found.reward, found.reason) == ("graded", 0.0, "INTEGRITY")


def test_p20_rows_and_journal_forged_together_are_caught_by_replay() -> None:
    """A forged command without its audit row and touch columns: S0 + journal = S1 holds, replay does not."""
    with open_world() as world, worked(REASSIGN, [note("x")]) as store:
        forge(
            store,
            "UPDATE w1_opp SET owner_id = 'U1' WHERE id = 'O1'",
            "INSERT INTO jrn_effect(seq, tbl, key, old, new) SELECT 1, 'w1_opp', '[\"O1\"]', o.img, n.img FROM "
            "(SELECT json_object('id', id, 'account_id', account_id, 'amount', amount, 'currency', currency, 'stage', "
            "stage, 'close_date', close_date, 'closed_at', closed_at, 'owner_id', 'U2', 'updated_at', updated_at, "
            "'updated_by', updated_by, 'row_version', row_version) img FROM w1_opp WHERE id = 'O1') o, "
            "(SELECT json_object('id', id, 'account_id', account_id, 'amount', amount, 'currency', currency, 'stage', "
            "stage, 'close_date', close_date, 'closed_at', closed_at, 'owner_id', owner_id, 'updated_at', updated_at, "
            "'updated_by', updated_by, 'row_version', row_version) img FROM w1_opp WHERE id = 'O1') n",
        )
        without = grade_store(REASSIGN, world, store, replay=False)
        found = grade_store(REASSIGN, world, store)
    assert (without.reason, without.replayed) == ("MISSING", False)
    assert (found.reason, found.replayed) == ("INTEGRITY", True)


def test_p20_a_forbidden_value_told_as_another_type_does_not_escape() -> None:
    with open_world() as world:
        row = world.get("w1_opp", "O6")
        assert row is not None
        given_away = Never("update", "w1_opp", {"owner_id": Eq("U1"), "amount": Eq(row["amount"])})
        task = replace(REASSIGN, expectation=replace(REASSIGN.expectation, never=(given_away,), any_of=((),)))
        with worked(task, [reassign("O6", "U1"), reassign("O6", row["owner_id"])]) as store:
            assert grade_store(task, world, store).reason == "FORBIDDEN"
            told = f"json_set({{0}}, '$.amount', {row['amount']}.0)"
            forge(
                store,
                f"UPDATE jrn_effect SET new = {told.format('new')} WHERE tbl = 'w1_opp' AND seq = 1",
                f"UPDATE jrn_effect SET old = {told.format('old')} WHERE tbl = 'w1_opp' AND seq = 2",
            )
            assert grade_store(task, world, store).reason == "INTEGRITY"


def _compile(goals: tuple[Goal, ...], **more: Any) -> None:
    draft = Draft(
        instruction="Do as told: Gold, U1, O1, note x.",
        person_id=AGENT,
        expectation=Expectation(any_of=goals),
        oracle=(reassign("O1", "U1"),),
        **more,
    )
    with open_world() as world:
        compile_task(draft, world, template="w1/x", seed=0, apps=("w1",), kind="mutate", level=1, revision=1)


def test_p21_no_goal_at_all_is_a_compile_error() -> None:
    with pytest.raises(SpecError, match="doing nothing would pass"):
        _compile(())


def test_p21_an_empty_alternative_is_a_compile_error() -> None:
    with pytest.raises(SpecError, match="empty goal"):
        _compile(((),))
    with pytest.raises(SpecError, match="empty goal"):
        _compile(((changed("w1_account", "A4", tier="Gold"),), ()))


def test_p21_for_each_over_no_rows_is_a_compile_error() -> None:
    nobody: list[dict[str, Any]] = []
    with pytest.raises(SpecError, match="0 rows"):
        for_each(nobody, lambda row: changed("w1_opp", row["id"], owner_id="U1"))


def test_p21_a_goal_that_holds_already_is_a_compile_error() -> None:
    with pytest.raises(SpecError, match="holds already"):
        _compile(((changed("w1_account", "A1", tier="Gold"),),))
    mixed = (changed("w1_account", "A4", tier="Gold"), changed("w1_account", "A2", tier="Gold"))
    with pytest.raises(SpecError, match="holds already"):
        _compile((mixed,))
    row = expected_row("w1_note", account_id="A3", body="Customs papers arrive with the driver.")
    with pytest.raises(SpecError, match="holds already"):
        _compile(((row,),))


def test_p21_an_insert_with_unlisted_columns_is_a_compile_error() -> None:
    with pytest.raises(SpecError, match="leaves open pinned"):
        _compile(((Insert("w1_note", {"account_id": Eq("A1"), "body": TextEq("x")}),),))


def test_p21_a_row_that_does_not_exist_is_a_compile_error() -> None:
    with pytest.raises(SpecError, match="no row"):
        _compile(((changed("w1_account", "A9", tier="Gold"),),))


def test_p21_unknown_tables_columns_and_types_are_compile_errors() -> None:
    with pytest.raises(SpecError, match='Did you mean "w1_account"'):
        changed("w1_acount", "A1", tier="Gold")
    with pytest.raises(SpecError, match='Did you mean "tier"'):
        changed("w1_account", "A1", tierr="Gold")
    with pytest.raises(SpecError, match="for answers only"):
        _compile(((changed("w1_account", "A4", tier=Number("1", 0)),),))
