"""Reading a sealed store: files and memory, clocks and jobs, tokens, forged pages, unreadable files."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.fixtures.w1.tasks import order, reassign
from tests.fixtures.w1.world import build, image_bytes, open_world

from deskgym_apps.kit.call import advance_clock, run
from deskgym_apps.kit.canonical import StateHasher, state_hash
from deskgym_apps.kit.store import Store
from deskgym_graders import pages, replay
from deskgym_graders.diff import beside, diff_stores
from deskgym_graders.grade import grade_store
from deskgym_graders.journal import read_journal
from deskgym_graders.oracle import carry_out, hand_in
from deskgym_graders.spec import Submission

from .attempts import w1_task, worked
from .test_verdict_forged import forge

TASK = w1_task("reassign-overdue")


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """The image in a folder with spaces in its name, and the place of an episode's store."""
    folder = tmp_path / "a world, 50 % of it"
    folder.mkdir()
    build(folder / "world.db")
    return folder / "world.db", tmp_path / "store.db"


def test_a_file_store_gets_the_verdict_of_a_memory_store(files: tuple[Path, Path]) -> None:
    image, target = files
    with Store.read_image(image) as world, Store.copy(image, target) as store:
        carry_out(store, TASK, TASK.oracle, channel="ui")
        hand_in(store, TASK, TASK.submission, channel="ui")
        found = grade_store(TASK, world, store, hasher=StateHasher(world))
        assert found.hashes["state"] == state_hash(store)
        assert store.conn.execute("SELECT count(*) FROM pragma_database_list").fetchone()[0] == 1
    with open_world() as world, worked(TASK, TASK.oracle) as store:
        same = grade_store(TASK, world, store)
    assert found.passed
    assert same.passed
    assert found.hashes["task"] == same.hashes["task"] == TASK.digest
    assert set(found.versions) == {"apps", "graders"}
    assert json.loads(json.dumps(found.to_json()))["reason"] == "OK"


def test_comparing_beside_the_image_gives_what_comparing_apart_gives(files: tuple[Path, Path]) -> None:
    image, target = files
    with Store.read_image(image) as world, Store.copy(image, target) as store:
        carry_out(store, TASK, [*TASK.oracle, order()])
        run(store, "w1.delete_note", {"id": "N2"}, person_id="U9", channel="ui")
        with beside(world, store) as attached, store.reading():
            assert attached
            together = diff_stores(world, store, attached=True, journaled=True)
            narrowed = pages.tables_that_may_differ(world, store)
        assert together == diff_stores(world, store, journaled=True)
        assert narrowed is not None
        assert {atom.table for atom in together} <= narrowed
        assert "w1_room" not in narrowed


def test_without_dbstat_every_table_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "_owners", lambda _world: {})
    with open_world() as world, worked(TASK, TASK.oracle) as store:
        assert pages.tables_that_may_differ(world, store) is None
        assert grade_store(TASK, world, store).passed


@pytest.mark.parametrize(
    "table", ["w1_room", "w1_account", "org_person", "org_currency", "w1_booking", "org_id_counter"]
)
def test_a_forged_row_in_any_table_is_seen(files: tuple[Path, Path], table: str) -> None:
    image, target = files
    columns = {"org_person": "city = 'x'", "org_currency": "exponent = 3", "w1_booking": "title = 'x'"}
    change = columns.get(table, "next = next + 7" if table == "org_id_counter" else "name = 'x'")
    with Store.read_image(image) as world, Store.copy(image, target) as store:
        carry_out(store, TASK, TASK.oracle)
        hand_in(store, TASK, TASK.submission)
        forge(store, f"UPDATE {table} SET {change}")
        found = grade_store(TASK, world, store, replay=False)
    assert (found.reason, found.replayed) == ("INTEGRITY", False)


def test_a_broken_foreign_key_is_seen_though_the_journal_tells_of_it() -> None:
    with open_world() as world, worked(TASK, ()) as store:
        row = json.dumps({"id": "R1", "name": "Alder", "capacity": 6})
        forge(
            store,
            "INSERT INTO jrn_command VALUES (1, '2031-03-14T09:00:01Z', 'U9', 'mcp', 'w1.drop_room', '{}')",
            "DELETE FROM w1_room WHERE id = 'R1'",
            f"INSERT INTO jrn_effect VALUES (1, 1, 'w1_room', '[\"R1\"]', '{row}', NULL)",
        )
        found = grade_store(TASK, world, store, replay=False)
    assert found.reason == "INTEGRITY"
    assert any("foreign keys" in fault for fault in found.faults)


def test_control_may_move_the_clock_and_jobs_come_again_on_replay() -> None:
    task = w1_task("limit-order")
    with open_world() as world, worked(task, [order()], None) as store:
        advance_clock(store, 3 * 86_400)
        carry_out(store, task, [order()])
        hand_in(store, task, Submission())
        assert [command.channel for command in read_journal(store)] == ["mcp", "control", "job", "mcp"]
        found = grade_store(task, world, store)
    assert found.replayed
    assert found.reason == "COLLATERAL"
    assert any("w1_order" in said for said in found.unexplained)


def test_a_job_that_does_not_come_again_breaks_integrity() -> None:
    task = w1_task("limit-order")
    with open_world() as world, worked(task, [order()], None) as store:
        run(store, "w1.expire_order", {"id": _order_id(store)}, person_id="U9", channel="mcp")
        forge(store, "UPDATE jrn_command SET channel = 'job' WHERE seq = 2")
        found = grade_store(task, world, store)
    assert found.reason == "INTEGRITY"
    assert found.replayed


def _order_id(store: Store) -> str:
    return str(next(iter(store.select("w1_order")))["id"])


def test_a_call_with_a_token_replays_without_it() -> None:
    with open_world() as world, worked(TASK, (), None) as store:
        for key, token in (("O1", "one"), ("O4", "two"), ("O1", "one")):
            given = {"id": key, "values": {"owner_id": "U1"}}
            run(store, "w1.update_opp", given, person_id="U9", channel="ui", token=token)
        hand_in(store, TASK, Submission())
        assert len(read_journal(store)) == 2
        assert grade_store(TASK, world, store).passed


@pytest.mark.parametrize("damage", ["gone", "garbage", "cut"])
def test_a_store_that_cannot_be_read_is_an_env_error_and_never_0(files: tuple[Path, Path], damage: str) -> None:
    image, target = files
    with Store.copy(image, target) as store:
        carry_out(store, TASK, TASK.oracle)
        store.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    size = target.stat().st_size
    if damage == "garbage":
        with target.open("r+b") as file:
            file.seek(4096)
            file.write(os.urandom(1) * (size - 4096))
    elif damage == "cut":
        os.truncate(target, size // 2)
    with Store.read_image(image) as world, Store.read_image(target) as store:
        if damage == "gone":
            store.close()
        found = grade_store(TASK, world, store)
    assert (found.status, found.reward, found.reason) == ("env_error", None, "ENV_ERROR")
    assert found.feedback.startswith("The state could not be read")


def test_the_image_of_another_world_is_an_env_error_and_never_0() -> None:
    with open_world() as world, worked(TASK, TASK.oracle) as store:
        found = grade_store(replace(TASK, world="w1:2"), world, store)
        assert (found.status, found.reward) == ("env_error", None)
        assert "w1:1" in found.feedback
    with Store.memory(_empty()) as world, worked(TASK, TASK.oracle) as store:
        assert grade_store(TASK, world, store).status == "env_error"


def _empty() -> bytes:
    with closing(sqlite3.connect(":memory:")) as conn:
        conn.execute("CREATE TABLE x(y)")
        return conn.serialize()


def test_grading_writes_nothing_into_the_store() -> None:
    with open_world() as world, worked(TASK, TASK.oracle) as store:
        before = store.conn.total_changes, store.conn.serialize()
        assert grade_store(TASK, world, store) == grade_store(TASK, world, store)
        assert (store.conn.total_changes, store.conn.serialize()) == before


def test_replay_tells_which_command_is_not_what_it_says() -> None:
    with open_world() as world, worked(TASK, [*TASK.oracle, reassign("O6", "U1")], None) as store:
        journal = read_journal(store)
        assert list(replay.replay_faults(image_bytes(), journal, world)) == []
        odd = (*journal[:2], journal[2].__class__(**{**journal[2].__dict__, "operation": "w1.no_such"}))
        assert "command 3 w1.no_such is refused on replay" in next(replay.replay_faults(image_bytes(), odd, world))
        short = journal[:1] + journal[2:]
        assert any("command 3" in fault for fault in replay.replay_faults(image_bytes(), short, world))


def test_a_table_bent_to_other_pages_is_compared_row_by_row(files: tuple[Path, Path]) -> None:
    image, target = files
    with Store.read_image(image) as world, Store.copy(image, target) as store:
        carry_out(store, TASK, TASK.oracle, channel="ui")
        hand_in(store, TASK, TASK.submission, channel="ui")
    with closing(sqlite3.connect(target, isolation_level=None)) as conn:
        (sql,) = conn.execute("SELECT sql FROM sqlite_schema WHERE name = 'w1_room'").fetchone()
        conn.execute("PRAGMA writable_schema = ON")
        conn.execute("BEGIN IMMEDIATE")
        conn.execute(sql.replace("w1_room", "other", 1))
        conn.execute("INSERT INTO other SELECT * FROM w1_room")
        conn.execute("UPDATE other SET capacity = capacity + 1")
        (root,) = conn.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'other'").fetchone()
        conn.execute("DELETE FROM sqlite_schema WHERE tbl_name = 'other'")
        conn.execute("UPDATE sqlite_schema SET rootpage = ? WHERE type = 'table' AND name = 'w1_room'", (root,))
        (version,) = conn.execute("PRAGMA schema_version").fetchone()
        conn.execute(f"PRAGMA schema_version = {version + 1}")
        conn.execute("COMMIT")
    with Store.read_image(image) as world, Store.open(target) as store:
        assert store.one("SELECT count(*) AS n FROM w1_room WHERE capacity IN (7, 13, 11)") == {"n": 4}
        found = grade_store(TASK, world, store)
    assert (found.reward, found.reason) == (0.0, "INTEGRITY")


def test_a_trigger_hidden_behind_another_is_a_changed_schema(files: tuple[Path, Path]) -> None:
    """SQLite reads the first statement of a row of its schema and passes over the rest."""
    image, target = files
    with Store.read_image(image) as world, Store.copy(image, target) as store:
        carry_out(store, TASK, TASK.oracle, channel="ui")
        hand_in(store, TASK, TASK.submission, channel="ui")
    with closing(sqlite3.connect(target, isolation_level=None)) as conn:
        sql = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name LIMIT 2"
        (first, kept), (hidden, gone) = conn.execute(sql).fetchall()
        conn.execute("PRAGMA writable_schema = ON")
        conn.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (f"{kept};\n{gone}", first))
        conn.execute("DELETE FROM sqlite_schema WHERE name = ?", (hidden,))
    with Store.read_image(image) as world, Store.open(target) as store:
        found = grade_store(TASK, world, store)
    assert (found.reward, found.reason) == (0.0, "INTEGRITY")


def test_a_rebuilt_file_keeps_its_verdict(files: tuple[Path, Path]) -> None:
    image, target = files
    with Store.read_image(image) as world, Store.copy(image, target) as store:
        carry_out(store, TASK, TASK.oracle, channel="ui")
        hand_in(store, TASK, TASK.submission, channel="ui")
        store.conn.execute("VACUUM")
        assert grade_store(TASK, world, store).passed
