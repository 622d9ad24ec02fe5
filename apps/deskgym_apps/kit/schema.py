"""The schema of a store: read from the database, linted, and turned into journal triggers (DESIGN §3)."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

MAX_COLUMNS = 60
_IS_LITERAL = re.compile(r"NULL|-?\d+|'(?:[^']|'')*'", re.IGNORECASE)
_UNGRADED = ("org_id_counter", "org_form_token", "desk_submission")


@dataclass(frozen=True)
class TableShape:
    """One table as SQLite has it. `defaults` holds literal defaults; a column without one is absent."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    not_null: frozenset[str]
    defaults: dict[str, str | int | None]
    sql: str

    @property
    def app(self) -> str:
        return self.name.split("_", 1)[0]

    @cached_property
    def by_key(self) -> str:
        """The statement that reads one row by its primary key, columns in the order of `columns`."""
        wanted = ", ".join(f'"{column}"' for column in self.columns)
        where = " AND ".join(f'"{column}" = ?' for column in self.key)
        return f'SELECT {wanted} FROM "{self.name}" WHERE {where}'


def is_journal(name: str) -> bool:
    return name.startswith("jrn_")


def is_canonical(name: str) -> bool:
    """Whether a table belongs to the canonical state (DESIGN §3)."""
    return not (is_journal(name) or name in _UNGRADED or "_ui_" in name or name.startswith("sqlite_"))


def is_journaled(name: str) -> bool:
    """Whether changes of a table are recorded: everything but the journal and the seal."""
    return not (is_journal(name) or name == "desk_submission" or name.startswith("sqlite_"))


def _literal(text: str | None) -> str | int | None:
    if text is None or text.upper() == "NULL":
        return None
    if text.startswith("'"):
        return text[1:-1].replace("''", "'")
    return int(text)


def read_shapes(conn: sqlite3.Connection) -> dict[str, TableShape]:
    """Every table of a store by name, sorted, without the journal's own."""
    shapes: dict[str, TableShape] = {}
    rows = conn.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name").fetchall()
    for name, sql in rows:
        if is_journal(name) or name.startswith("sqlite_"):
            continue
        info = conn.execute('SELECT name, "notnull", dflt_value, pk FROM pragma_table_info(?) ORDER BY cid', (name,))
        columns = info.fetchall()
        key = tuple(row[0] for row in sorted((row for row in columns if row[3]), key=lambda row: row[3]))
        shapes[name] = TableShape(
            name=name,
            columns=tuple(row[0] for row in columns),
            key=key,
            not_null=frozenset(row[0] for row in columns if row[1]),
            defaults={row[0]: _literal(row[2]) for row in columns if row[2] is not None},
            sql=sql,
        )
    return shapes


def schema_text(conn: sqlite3.Connection) -> str:
    """Everything in the schema, sorted, as JSON: its hash says whether two stores have one schema.

    With names, since SQLite reads one statement of a row and passes over what follows it.
    """
    rows = conn.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").fetchall()
    return json.dumps([list(row) for row in rows], ensure_ascii=False)


def _column_faults(name: str, sql: str, columns: list[tuple[str, str, str | None, int, int]]) -> Iterator[str]:
    if not any(key for _, _, _, key, _ in columns):
        yield f"{name}: no primary key"
    if len(columns) > MAX_COLUMNS:
        yield f"{name}: {len(columns)} columns, at most {MAX_COLUMNS}"
    if any(kind.upper() in ("BLOB", "REAL", "ANY") for _, kind, _, _, _ in columns):
        yield f"{name}: BLOB, REAL and ANY columns are not allowed"
    for column, _, default, _, hidden in columns:
        if default is not None and not _IS_LITERAL.fullmatch(default):
            yield f"{name}: the default of {column} is no literal: {default}"
        if hidden:
            yield f"{name}: {column} is a generated column, which the journal cannot put back"
    if re.search(r"\bON\s+CONFLICT\s+REPLACE\b", sql, re.IGNORECASE):
        yield f"{name}: ON CONFLICT REPLACE escapes the journal"


def _table_faults(conn: sqlite3.Connection, name: str, without_rowid: int, strict: int) -> Iterator[str]:
    if not (without_rowid and strict):
        yield f"{name}: graded tables are STRICT, WITHOUT ROWID"
    actions = conn.execute("SELECT on_update, on_delete FROM pragma_foreign_key_list(?)", (name,)).fetchall()
    if any(action != "NO ACTION" for pair in actions for action in pair):
        yield f"{name}: ON DELETE/UPDATE actions escape the journal"
    columns = conn.execute("SELECT name, type, dflt_value, pk, hidden FROM pragma_table_xinfo(?)", (name,)).fetchall()
    sql = conn.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (name,)).fetchone()[0]
    yield from _column_faults(name, str(sql), [tuple(row) for row in columns])


def lint_schema(conn: sqlite3.Connection) -> list[str]:
    """Faults of graded tables that would break the journal or determinism; empty when sound.

    STRICT, WITHOUT ROWID, explicit key, at most 60 columns, no ON DELETE/UPDATE action, no BLOB, no REAL, no generated
    column, only literal defaults, no virtual table, no view or trigger of an app's own, no OR REPLACE (DESIGN §3).
    """
    faults: list[str] = []
    for kind, name in conn.execute(
        "SELECT type, name FROM sqlite_schema WHERE type IN ('trigger', 'view') ORDER BY name"
    ):
        if not is_journal(name):
            faults.append(f"{name}: a {kind} of an app's own is not allowed")
    listed = "SELECT name, type, wr, strict FROM pragma_table_list WHERE schema = 'main' ORDER BY name"
    for name, kind, without_rowid, strict in conn.execute(listed).fetchall():
        if is_journal(name) or name.startswith("sqlite_"):
            continue
        if kind == "virtual":
            faults.append(f"{name}: virtual tables break the journal")
        elif kind == "table":
            faults.extend(_table_faults(conn, name, without_rowid, strict))
    return faults


def _image(columns: tuple[str, ...]) -> str:
    return "json_object(" + ", ".join(f"'{name}', \"{name}\"" for name in columns) + ")"


def journal_triggers(shape: TableShape) -> list[str]:
    """The view of one table's rows as the journal writes them, and the triggers that record every change of it.

    Every connection keeps all this in memory, parsed. So each row image is spelled once, and what the tables have
    in common is `shared_triggers`. An update is recorded in two steps, before and after it.
    """
    name, images = shape.name, f'"jrn_row_{shape.name}"'

    def record(trigger: str, event: str, row: str, into: str, tbl: str = "") -> str:
        where = " AND ".join(f'"{column}" = {row}."{column}"' for column in shape.key)
        return (
            f'CREATE TRIGGER "jrn_{trigger}_{name}" {event} ON "{name}" BEGIN '
            f"INSERT INTO {into} SELECT {tbl}jrn_key, jrn_row FROM {images} WHERE {where}; END"
        )

    key = ", ".join(f'"{column}"' for column in shape.key)
    return [
        f"CREATE VIEW {images} AS SELECT json_array({key}) AS jrn_key, {_image(shape.columns)} AS jrn_row, {key} "
        f'FROM "{name}"',
        record("insert", "AFTER INSERT", "NEW", "jrn_added", f"'{name}', "),
        record("delete", "BEFORE DELETE", "OLD", "jrn_removed", f"'{name}', "),
        record("before", "BEFORE UPDATE", "OLD", "jrn_changing"),
        record("update", "AFTER UPDATE", "NEW", "jrn_changed", f"'{name}', "),
    ]


def shared_triggers() -> list[str]:
    """What the triggers of every table write to: views that refuse writes outside a command and fill the journal."""
    clear = "DELETE FROM jrn_before;"
    guard = "SELECT RAISE(ABORT, 'write outside a command') WHERE NOT EXISTS (SELECT 1 FROM jrn_open);"
    moved = "SELECT RAISE(ABORT, 'a primary key cannot change') WHERE NEW.key IS NOT (SELECT key FROM jrn_before);"

    def fill(old: str, new: str, source: str = "jrn_open") -> str:
        return (
            "INSERT INTO jrn_effect(seq, tbl, key, old, new) "
            f"SELECT seq, NEW.tbl, NEW.key, {old}, {new} FROM {source} WHERE mode = 'work';"
        )

    def view(name: str, columns: str, body: str) -> list[str]:
        nothing = ", ".join("NULL" for _ in columns.split(","))
        return [
            f"CREATE VIEW jrn_{name}({columns}) AS SELECT {nothing}",
            f"CREATE TRIGGER jrn_write_{name} INSTEAD OF INSERT ON jrn_{name} BEGIN {body} END",
        ]

    changed = fill("jrn_before.image", "NEW.image", "jrn_open, jrn_before")
    return [
        "CREATE TABLE jrn_before(one INTEGER NOT NULL PRIMARY KEY CHECK(one = 1), key TEXT, image TEXT) STRICT",
        *view("added", "tbl, key, image", f"{guard} {fill('NULL', 'NEW.image')}"),
        *view("removed", "tbl, key, image", f"{guard} {fill('NEW.image', 'NULL')}"),
        *view("changing", "key, image", f"{clear} INSERT INTO jrn_before VALUES (1, NEW.key, NEW.image);"),
        *view("changed", "tbl, key, image", f"{guard} {moved} {changed} {clear}"),
        # An update that was left out (OR IGNORE) leaves its first step behind.
        f"CREATE TRIGGER jrn_close AFTER DELETE ON jrn_open BEGIN {clear} END",
    ]


def guard_triggers() -> list[str]:
    """The journal and the seal refuse change and removal, but for the journal in mode undo."""
    statements = []
    unless_undo = "WHERE NOT EXISTS (SELECT 1 FROM jrn_open WHERE mode = 'undo')"
    for table in ("jrn_command", "jrn_effect", "desk_submission"):
        for event in ("UPDATE", "DELETE"):
            statements.append(
                f"CREATE TRIGGER jrn_guard_{event.lower()}_{table} BEFORE {event} ON {table} BEGIN "
                f"SELECT RAISE(ABORT, '{table} is append-only') {unless_undo}; END"
            )
    return statements


def install_triggers(conn: sqlite3.Connection) -> None:
    """Add the journal's triggers to a store that has its tables. Raises ValueError where the lint finds faults."""
    faults = lint_schema(conn)
    if faults:
        raise ValueError("schema faults: " + "; ".join(faults))
    tables = [journal_triggers(shape) for shape in read_shapes(conn).values() if is_journaled(shape.name)]
    for statement in chain(shared_triggers(), *tables, guard_triggers()):
        conn.execute(statement)
