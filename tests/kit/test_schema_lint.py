"""The lint of an app's tables, shown to catch each fault that would break the journal or determinism."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from deskgym_apps.kit.apps import App, apps
from deskgym_apps.kit.image import create_tables
from deskgym_apps.kit.schema import install_triggers, is_canonical, lint_schema, read_shapes, schema_text

SOUND = "CREATE TABLE pad_x(id TEXT NOT NULL PRIMARY KEY, n INTEGER NOT NULL DEFAULT 3) STRICT, WITHOUT ROWID"
COLUMNS = ", ".join(f"c{number} TEXT" for number in range(60))
FAULTS = [
    ("CREATE TABLE pad_x(id TEXT NOT NULL PRIMARY KEY) STRICT", "STRICT, WITHOUT ROWID"),
    ("CREATE TABLE pad_x(id TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID", "STRICT, WITHOUT ROWID"),
    ("CREATE TABLE pad_x(id TEXT NOT NULL) STRICT", "no primary key"),
    (f"CREATE TABLE pad_x(id TEXT NOT NULL PRIMARY KEY, {COLUMNS}) STRICT, WITHOUT ROWID", "61 columns"),
    (SOUND.replace("n INTEGER", "o TEXT REFERENCES org_person(id) ON DELETE CASCADE, n INTEGER"), "ON DELETE/UPDATE"),
    (SOUND.replace("n INTEGER", "o TEXT REFERENCES org_person(id) ON UPDATE SET NULL, n INTEGER"), "ON DELETE/UPDATE"),
    (SOUND.replace("n INTEGER", "b BLOB, n INTEGER"), "BLOB, REAL and ANY"),
    (SOUND.replace("n INTEGER", "b REAL, n INTEGER"), "BLOB, REAL and ANY"),
    (SOUND.replace("n INTEGER", "b ANY, n INTEGER"), "BLOB, REAL and ANY"),
    (SOUND.replace("PRIMARY KEY", "PRIMARY KEY ON CONFLICT REPLACE"), "ON CONFLICT REPLACE"),
    ("CREATE VIRTUAL TABLE pad_x USING fts5(body)", "virtual tables"),
    (SOUND + "; CREATE TRIGGER pad_t AFTER INSERT ON pad_x BEGIN DELETE FROM pad_x; END", "trigger"),
    (SOUND + "; CREATE VIEW pad_v AS SELECT id FROM pad_x", "view"),
    (SOUND.replace("n INTEGER NOT NULL DEFAULT 3", "n TEXT DEFAULT CURRENT_TIMESTAMP"), "CURRENT_"),
    (SOUND.replace("n INTEGER NOT NULL DEFAULT 3", "n TEXT DEFAULT (hex(randomblob(4)))"), "default"),
    (SOUND.replace("n INTEGER NOT NULL DEFAULT 3", "n INTEGER AS (length(id)) STORED"), "generated"),
]


@pytest.fixture
def conn() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as opened:
        create_tables(opened, [])
        yield opened


@pytest.mark.parametrize(("sql", "fault"), FAULTS)
def test_a_planted_fault_is_found_and_no_triggers_are_installed(conn: sqlite3.Connection, sql: str, fault: str) -> None:
    conn.executescript(sql)
    faults = lint_schema(conn)
    assert any("pad_" in each and fault in each for each in faults), faults
    with pytest.raises(ValueError, match="schema faults"):
        install_triggers(conn)


def test_the_tables_of_kit_and_every_app_are_sound(conn: sqlite3.Connection) -> None:
    for app in apps().values():
        conn.executescript(app.schema)
    assert lint_schema(conn) == []


def test_columns_whose_names_hold_forbidden_words_are_allowed(conn: sqlite3.Connection) -> None:
    conn.executescript(
        "CREATE TABLE pad_x(id TEXT NOT NULL PRIMARY KEY, any_note TEXT, replaced_by TEXT, real_name TEXT) "
        "STRICT, WITHOUT ROWID"
    )
    assert lint_schema(conn) == []


def test_a_shape_knows_columns_key_and_literal_defaults(conn: sqlite3.Connection) -> None:
    conn.executescript(
        "CREATE TABLE pad_x(b TEXT NOT NULL, a INTEGER NOT NULL DEFAULT -2, c TEXT DEFAULT 'it''s', "
        "d TEXT DEFAULT NULL, PRIMARY KEY(b, a)) STRICT, WITHOUT ROWID"
    )
    shape = read_shapes(conn)["pad_x"]
    assert (shape.app, shape.columns, shape.key) == ("pad", ("b", "a", "c", "d"), ("b", "a"))
    assert shape.defaults == {"a": -2, "c": "it's", "d": None}
    assert shape.not_null == {"a", "b"}


def test_which_tables_are_canonical() -> None:
    canonical = ["org_meta", "org_person", "pad_note"]
    outside = ["org_id_counter", "org_form_token", "desk_submission", "pad_ui_choice", "jrn_effect", "sqlite_stat1"]
    assert [name for name in canonical + outside if is_canonical(name)] == canonical


def test_every_column_of_every_app_has_a_role_and_no_role_lacks_its_column(conn: sqlite3.Connection) -> None:
    for app in apps().values():
        conn.executescript(app.schema)
    shapes = {name: shape for name, shape in read_shapes(conn).items() if is_canonical(name)}
    tables: dict[str, object] = {}
    for app in apps().values():
        assert isinstance(app, App)
        for name, table in app.tables.items():
            assert set(table.columns) == set(shapes[name].columns), name
            tables[name] = table
    assert set(tables) == {name for name in shapes if not name.startswith("org_")}


def test_the_schema_text_tells_two_schemas_apart(conn: sqlite3.Connection) -> None:
    before = schema_text(conn)
    conn.execute("CREATE INDEX pad_i ON org_person(city)")
    assert schema_text(conn) != before
