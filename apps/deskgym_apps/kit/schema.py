"""The schema of a store: read from the database, linted, and turned into journal triggers (DESIGN §3)."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

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


def _image(columns: tuple[str, ...], row: str) -> str:
    return "json_object(" + ", ".join(f"'{name}', {row}.\"{name}\"" for name in columns) + ")"


def journal_triggers(shape: TableShape) -> list[str]:
    """The triggers that record every change of one table, and refuse writes outside a command."""
    name, columns, key = shape.name, shape.columns, shape.key
    guard = "SELECT RAISE(ABORT, 'write outside a command') WHERE NOT EXISTS (SELECT 1 FROM jrn_open);"

    def key_of(row: str) -> str:
        return "json_array(" + ", ".join(f'{row}."{column}"' for column in key) + ")"

    def record(event: str, row: str, old: str, new: str) -> str:
        return (
            f'CREATE TRIGGER jrn_{event}_{name} AFTER {event.upper()} ON "{name}" BEGIN {guard} '
            f"INSERT INTO jrn_effect(seq, tbl, key, old, new) SELECT seq, '{name}', {key_of(row)}, {old}, {new} "
            "FROM jrn_open WHERE mode = 'work'; END"
        )

    moved = " OR ".join(f'OLD."{column}" IS NOT NEW."{column}"' for column in key)
    return [
        record("insert", "NEW", "NULL", _image(columns, "NEW")),
        record("update", "NEW", _image(columns, "OLD"), _image(columns, "NEW")),
        record("delete", "OLD", _image(columns, "OLD"), "NULL"),
        f'CREATE TRIGGER jrn_key_{name} BEFORE UPDATE ON "{name}" WHEN {moved} BEGIN '
        f"SELECT RAISE(ABORT, 'the primary key of {name} cannot change'); END",
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
    for shape in read_shapes(conn).values():
        if is_journaled(shape.name):
            for statement in journal_triggers(shape):
                conn.execute(statement)
    for statement in guard_triggers():
        conn.execute(statement)
