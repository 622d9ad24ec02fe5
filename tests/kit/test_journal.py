"""The triggers of an image: what is written outside a command, what the journal refuses."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

import pytest
from tests.fixtures.pad.world import ANA, MILK

from deskgym_apps.kit.call import run
from deskgym_apps.kit.canonical import full_dump
from deskgym_apps.kit.store import Store

OUTSIDE = [
    f"UPDATE pad_note SET title = 'x' WHERE id = '{MILK}'",
    f"DELETE FROM pad_tag WHERE note_id = '{MILK}'",
    f"INSERT INTO pad_tag VALUES ('{MILK}', 5, 'x')",
    f"INSERT OR REPLACE INTO pad_tag VALUES ('{MILK}', 0, 'x')",
    "UPDATE org_meta SET value = '2040-01-01T00:00:00Z' WHERE key = 'sim_now'",
    "UPDATE org_person SET title = 'Chief'",
    "INSERT INTO org_id_counter VALUES ('pad_note', 5)",
    "INSERT INTO org_form_token VALUES ('t', 'p', 'h', 'o', '{}')",
    "INSERT INTO pad_ui_choice VALUES ('p', 'wide')",
]
APPEND_ONLY = [
    "UPDATE jrn_command SET operation = 'x'",
    "DELETE FROM jrn_command",
    "UPDATE jrn_effect SET new = '{}'",
    "DELETE FROM jrn_effect",
]


def tag(store: Store) -> None:
    run(store, "pad.tag_note", {"id": MILK, "words": ["dairy"]}, person_id=ANA, channel="ui")


def in_a_command(store: Store, statement: str) -> None:
    with store.writing() as conn:
        conn.execute("INSERT INTO jrn_open VALUES (1, 1, 'work')")
        conn.execute(statement)


@pytest.mark.parametrize("statement", OUTSIDE)
def test_a_write_outside_a_command_aborts(store: Store, statement: str) -> None:
    before = full_dump(store)
    with pytest.raises(sqlite3.IntegrityError, match="write outside a command"):
        store.conn.execute(statement)
    assert full_dump(store) == before


@pytest.mark.parametrize("statement", APPEND_ONLY)
def test_x13_the_journal_is_append_only_outside_and_inside_a_command(store: Store, statement: str) -> None:
    tag(store)
    before = full_dump(store)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        store.conn.execute(statement)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        in_a_command(store, statement)
    assert full_dump(store) == before


@pytest.mark.parametrize("event", ["UPDATE desk_submission SET status = 'done'", "DELETE FROM desk_submission"])
def test_the_seal_cannot_be_changed_or_broken(store: Store, event: str) -> None:
    store.conn.execute(
        "INSERT INTO desk_submission VALUES (1, ?, 'infeasible', NULL, NULL, 'ui', '2031-03-14T09:00:00Z')", (ANA,)
    )
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        store.conn.execute(event)


def test_a_second_seal_is_refused_by_the_table_itself(store: Store) -> None:
    insert = "INSERT INTO desk_submission VALUES (?, 'p', 'done', NULL, NULL, 'ui', '2031-03-14T09:00:00Z')"
    store.conn.execute(insert, (1,))
    for key in (1, 2):
        with pytest.raises(sqlite3.IntegrityError):
            store.conn.execute(insert, (key,))


def test_a_primary_key_cannot_change_even_inside_a_command(store: Store) -> None:
    before = full_dump(store)
    with pytest.raises(sqlite3.IntegrityError, match="a primary key cannot change"):
        in_a_command(store, "UPDATE pad_tag SET position = 3")
    assert full_dump(store) == before


def test_a_replaced_row_is_journaled_as_removed_and_added(store: Store) -> None:
    with store.writing() as conn:
        conn.execute("INSERT INTO jrn_command VALUES (1, '2031-03-14T09:00:01Z', NULL, 'ui', 'x.y', '{}')")
        conn.execute("INSERT INTO jrn_open VALUES (1, 1, 'work')")
        conn.execute("INSERT OR REPLACE INTO pad_tag VALUES (?, 0, 'dairy')", (MILK,))
        conn.execute("DELETE FROM jrn_open")
    effects = [(row["old"] is None, row["new"] is None) for row in store.all("SELECT * FROM jrn_effect ORDER BY id")]
    assert effects == [(False, True), (True, False)]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE pad_note SET pinned = 1, cost = NULL",
        "UPDATE pad_note SET title = 'a \"b\" \\ é', body = '', cost = -9223372036854775808",
        f"INSERT INTO pad_tag VALUES ('{MILK}', 0, 'x'), ('{MILK}', 7, 'y') ON CONFLICT DO UPDATE SET word = 'z'",
        f"INSERT OR IGNORE INTO pad_tag VALUES ('{MILK}', 0, 'x'), ('{MILK}', 8, 'y')",
        "UPDATE OR IGNORE org_person SET email = 'one@example.com'",
        "UPDATE OR REPLACE org_person SET email = 'one@example.com'",
        "UPDATE org_meta SET value = key",
        f"DELETE FROM pad_tag WHERE note_id = '{MILK}'",
    ],
)
def test_every_kind_of_write_is_journaled_with_the_rows_before_and_after(store: Store, statement: str) -> None:
    store.conn.execute("PRAGMA foreign_keys = OFF")
    tables = ("org_meta", "org_person", "pad_note", "pad_tag")
    before = {table: _rows(store, table) for table in tables}
    with store.writing() as conn:
        conn.execute("INSERT INTO jrn_command VALUES (1, '2031-03-14T09:00:01Z', NULL, 'ui', 'x.y', '{}')")
        conn.execute("INSERT INTO jrn_open VALUES (1, 1, 'work')")
        conn.execute(statement)
        conn.execute("DELETE FROM jrn_open")
    told: dict[str, dict[str, tuple[Any, Any]]] = {}
    for row in store.all("SELECT tbl, key, old, new FROM jrn_effect ORDER BY id"):
        first = told.setdefault(row["tbl"], {}).get(row["key"], (row["old"], None))[0]
        told[row["tbl"]][row["key"]] = (first, row["new"])
    assert told
    for table in tables:
        after = _rows(store, table)
        wanted = {
            json.dumps(key, separators=(",", ":"), ensure_ascii=False): (
                _image(store, table, before[table].get(key)),
                _image(store, table, after.get(key)),
            )
            for key in before[table] | after
            if before[table].get(key) != after.get(key)
        }
        changed = {key: images for key, images in told.get(table, {}).items() if images[0] != images[1]}
        assert changed == wanted
    assert store.all("SELECT * FROM jrn_open") == store.all("SELECT * FROM jrn_before") == []


def _rows(store: Store, table: str) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    """A table's rows by primary key, whose columns come first."""
    wide = len(store.shapes[table].key)
    return {tuple(row)[:wide]: tuple(row) for row in store.conn.execute(f"SELECT * FROM {table}")}


def _image(store: Store, table: str, row: tuple[Any, ...] | None) -> str | None:
    """A row as the journal writes it."""
    if row is None:
        return None
    cells = dict(zip(store.shapes[table].columns, row, strict=True))
    return json.dumps(cells, separators=(",", ":"), ensure_ascii=False)


def test_every_table_of_the_store_has_its_triggers(store: Store) -> None:
    names = {row["name"] for row in store.all("SELECT name FROM sqlite_schema WHERE type = 'trigger'")}
    for table in store.shapes:
        if table != "desk_submission":
            assert {f"jrn_{event}_{table}" for event in ("insert", "before", "update", "delete")} <= names


def test_no_command_is_left_open(store: Store) -> None:
    tag(store)
    assert store.all("SELECT * FROM jrn_open") == store.all("SELECT * FROM jrn_before") == []
