"""Memory stores that were given back: fresh again, row by row, or not used again."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait

import pytest

from deskgym.episode import Episode
from deskgym.pool import KEPT, Origin
from deskgym_apps.kit import tools as kit_tools
from deskgym_apps.kit.canonical import full_dump
from deskgym_apps.kit.errors import ServiceError
from deskgym_apps.kit.store import Store
from deskgym_graders.journal import read_journal
from deskgym_graders.pages import Comparison
from deskgym_graders.replay import check_integrity

from .memo_world.world import MILK, TinyWorld


@pytest.fixture
def origin(tiny: TinyWorld) -> Iterator[Origin]:
    origin = Origin(tiny)
    yield origin
    origin.close()


def _worked(episode: Episode) -> None:
    episode.call_tool("memo_add", {"title": "Tea"})
    episode.advance_clock(60)
    episode.submit()


def test_a_store_that_was_given_back_is_s0_to_the_last_row_and_the_next_id(tiny: TinyWorld) -> None:
    made = []
    for _ in range(3):
        with Episode.start(world=tiny, home="memory", app_names=["memo"]) as episode:
            assert full_dump(episode.store) == full_dump(episode.origin.store)
            assert not episode.sealed
            made.append(episode.call_tool("memo_add", {"title": "Tea"})["id"])
            episode.submit()
    assert len(set(made)) == 1


def test_whoever_keeps_the_store_of_an_episode_that_ended_finds_it_closed(tiny: TinyWorld) -> None:
    with Episode.start(world=tiny, home="memory", app_names=["memo"]) as episode:
        kept = episode.store
        _worked(episode)
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        kept.one("SELECT 1")


def test_a_command_under_way_ends_before_its_store_is_given_back(origin: Origin) -> None:
    store = origin.memory()
    begun, go_on = threading.Event(), threading.Event()

    def work() -> None:
        with store.writing() as conn:
            begun.set()
            go_on.wait()
            conn.execute("INSERT INTO jrn_open VALUES (1, 0, 'inject')")
            conn.execute("UPDATE memo_memo SET title = 'late'")
            conn.execute("DELETE FROM jrn_open")

    with ThreadPoolExecutor(2) as pool:
        working = pool.submit(work)
        begun.wait()
        returning = pool.submit(origin.take_back, store)
        early = wait([returning], timeout=0.2).done
        go_on.set()
        working.result()
        returning.result()
    assert not early
    with origin.memory() as again:
        assert full_dump(again) == full_dump(origin.store)


def test_a_store_is_used_again_without_being_read_again(origin: Origin) -> None:
    first = origin.memory()
    connection = first.conn
    origin.take_back(first)
    again = origin.memory()
    assert again.conn is connection
    again.close()


@pytest.mark.parametrize(
    "statements",
    [
        ("INSERT INTO jrn_open VALUES (1, 0, 'inject')", f"DELETE FROM memo_memo WHERE id = '{MILK}'"),
        ("DROP TRIGGER jrn_update_memo_memo",),
        ("INSERT INTO jrn_open VALUES (1, 0, 'inject')", "UPDATE org_id_counter SET next = next + 1"),
        (
            "INSERT INTO jrn_command VALUES (9, '', NULL, 'mcp', '', '')",
            "INSERT INTO jrn_effect VALUES (1, 9, 'x', '', '', '')",
        ),
        (
            "INSERT INTO jrn_command VALUES (9, '', NULL, 'mcp', '', '')",
            f"INSERT INTO jrn_effect VALUES (1, 9, 'memo_memo', '[{10**30}]', NULL, '{{}}')",
        ),
        (
            "INSERT INTO jrn_command VALUES (9, '', NULL, 'mcp', '', '')",
            f"INSERT INTO jrn_effect VALUES (1, 9, 'memo_memo', '{'[' * 100_000}', NULL, '{{}}')",
        ),
        (
            "INSERT INTO jrn_command VALUES (9, '', NULL, 'mcp', '', '')",
            "INSERT INTO jrn_effect VALUES (1, 9, 'memo_memo', '5', '[]', '{}')",
        ),
        ("PRAGMA user_version = 2",),
        ("BEGIN",),
    ],
)
def test_a_store_that_was_meddled_with_is_not_used_again(origin: Origin, statements: tuple[str, ...]) -> None:
    store = origin.memory()
    for statement in statements:
        store.conn.execute(statement)
    connection = store.conn
    origin.take_back(store)
    again = origin.memory()
    assert again.conn is not connection
    assert full_dump(again) == full_dump(origin.store)
    again.close()


def _graded(origin: Origin, tiny: TinyWorld) -> Store:
    """A store in which something was done, found to be S0 and its journal by the grader's integrity."""
    store = origin.memory()
    with Episode.start(world=tiny, home="memory", app_names=["memo"]) as episode:
        who = episode.person_id
    kit_tools.call_tool(store, "memo_add", {"title": "Tea"}, person_id=who, app_names=("memo",), channel="mcp")
    with store.reading():
        found = check_integrity(
            origin.store, store, read_journal(store), replay=False, compared=Comparison(origin.store, store)
        )
    assert not found.faults
    return store


def test_a_store_that_was_graded_is_undone_and_not_compared_again(origin: Origin, tiny: TinyWorld) -> None:
    store = _graded(origin, tiny)
    connection = store.conn
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Origin, "is_fresh", None)
        origin.take_back(store)
    again = origin.memory()
    assert again.conn is connection
    assert full_dump(again) == full_dump(origin.store)
    assert [row[0] for row in again.conn.execute("PRAGMA integrity_check")] == ["ok"]
    again.close()


@pytest.mark.parametrize(
    "statements",
    [
        ("INSERT INTO jrn_open VALUES (1, 0, 'inject')", f"DELETE FROM memo_memo WHERE id = '{MILK}'"),
        ("INSERT INTO jrn_open VALUES (1, 0, 'inject')", "UPDATE memo_memo SET title = 'x'", "DELETE FROM jrn_open"),
        ("DROP TRIGGER jrn_update_memo_memo",),
        ("PRAGMA user_version = 2",),
        ("PRAGMA application_id = 2",),
        ("BEGIN",),
    ],
)
def test_a_store_that_was_meddled_with_after_it_was_graded_is_not_used_again(
    origin: Origin, tiny: TinyWorld, statements: tuple[str, ...]
) -> None:
    store = _graded(origin, tiny)
    for statement in statements:
        store.conn.execute(statement)
    connection = store.conn
    origin.take_back(store)
    again = origin.memory()
    assert again.conn is not connection
    assert full_dump(again) == full_dump(origin.store)
    again.close()


@pytest.mark.parametrize("name", ["org_person", "sqlite_autoindex_org_person_2", "the header"])
def test_bytes_that_were_bent_behind_the_back_of_sqlite_do_not_reach_the_next_episode(
    tiny: TinyWorld, name: str
) -> None:
    with Episode.start(world=tiny, app_names=["memo"]) as episode:
        _worked(episode)
        assert full_dump(episode.store)  # so that the connection has read every page
        conn = episode.store.conn
        conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        sql = "SELECT rootpage FROM sqlite_schema WHERE name = ? UNION ALL SELECT 1"
        (root,) = conn.execute(sql, (name,)).fetchone()
        (size,) = conn.execute("PRAGMA page_size").fetchone()
        assert episode.folder is not None
        with (episode.folder / "store.db").open("r+b") as file:
            file.seek((root - 1) * size + 3)
            count = int.from_bytes(file.read(2), "big")
            file.seek((root - 1) * size + 3)
            file.write((count - 1).to_bytes(2, "big"))  # one row less
    for _ in range(2):
        with Episode.start(world=tiny, app_names=["memo"]) as episode:
            assert full_dump(episode.store) == full_dump(episode.origin.store)
            assert [row[0] for row in episode.store.conn.execute("PRAGMA integrity_check")] == ["ok"]


def test_no_more_than_a_few_are_kept(origin: Origin) -> None:
    stores = [origin.memory() for _ in range(KEPT + 2)]
    for store in stores:
        origin.take_back(store)
    assert len(origin._idle) == KEPT


def test_a_rehearsal_leaves_every_byte_as_it_was_and_refusals_inside_it_undo_themselves(tiny: TinyWorld) -> None:
    with Episode.start(world=tiny, home="memory", app_names=["memo"]) as episode:
        store: Store = episode.store
        before = store.conn.serialize()
        with store.rehearsing():
            made = episode.call_tool("memo_add", {"title": "Tea"})
            with pytest.raises(ServiceError):
                episode.call_tool("memo_add", {"title": ""})
            assert store.get("memo_memo", made["id"]) is not None
            assert episode.seq() == 1
        assert store.conn.serialize() == before
        assert episode.call_tool("memo_add", {"title": "Tea"}) == made


def test_a_file_store_that_was_meddled_with_is_copied_anew(tiny: TinyWorld) -> None:
    with Episode.start(world=tiny, app_names=["memo"]) as episode, episode.store.writing() as conn:
        conn.execute("INSERT INTO jrn_open VALUES (1, 0, 'inject')")
        conn.execute("UPDATE memo_memo SET title = 'forged'")
        conn.execute("DELETE FROM jrn_open")
    with Episode.start(world=tiny, app_names=["memo"]) as episode:
        assert full_dump(episode.store) == full_dump(episode.origin.store)
