"""Making a world image: an empty store to seed, then triggers, rollback-journal mode and a vacuum (DESIGN §3)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from .apps import apps, kit_schema
from .schema import install_triggers, read_shapes


def create_tables(conn: sqlite3.Connection, app_names: Iterable[str] | None = None) -> None:
    """Create the shared tables and those of the named apps (all by default) in an empty database."""
    conn.executescript(kit_schema())
    chosen = sorted(apps()) if app_names is None else sorted(app_names)
    for name in chosen:
        conn.executescript(apps()[name].schema)


def insert_rows(conn: sqlite3.Connection, table: str, rows: Iterable[Mapping[str, Any]]) -> int:
    """Insert rows of equal or differing columns. Returns how many."""
    count = 0
    for row in rows:
        columns = ", ".join(f'"{name}"' for name in row)
        marks = ", ".join("?" for _ in row)
        conn.execute(f'INSERT INTO "{table}"({columns}) VALUES ({marks})', tuple(row.values()))
        count += 1
    return count


def finish_image(conn: sqlite3.Connection) -> None:
    """Install the journal, check foreign keys, and compact. The connection must be outside a transaction."""
    install_triggers(conn)
    broken = conn.execute("PRAGMA foreign_key_check").fetchall()
    if broken:
        raise ValueError(f"seeded rows break {len(broken)} foreign keys; first: {tuple(broken[0])}")
    conn.execute("PRAGMA journal_mode = DELETE")
    conn.execute("VACUUM")


def inject_rows(path: Path, rows: Mapping[str, Iterable[Mapping[str, Any]]]) -> None:
    """Add rows to a private copy of an image before S0 is taken (DESIGN §3, state injection).

    `rows`: table -> rows, in an order that satisfies no constraint by itself; foreign keys are checked at the end.
    Raises ValueError that names the table and what is wrong; nothing is added then.
    """
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        shapes = read_shapes(conn)
        conn.execute("BEGIN IMMEDIATE")
        try:
            conn.execute("INSERT INTO jrn_open(one, seq, mode) VALUES (1, 0, 'inject')")
            for table, wanted in rows.items():
                if table not in shapes:
                    raise ValueError(f'there is no table "{table}" to add rows to')
                given = [dict(row) for row in wanted]
                unknown = sorted({name for row in given for name in row} - set(shapes[table].columns))
                if unknown:  # a name stands in the statement as it is, so only those of the schema may
                    raise ValueError(f'{table} has no column "{unknown[0]}"')
                insert_rows(conn, table, given)
            broken = conn.execute("PRAGMA foreign_key_check").fetchall()
            if broken:
                raise ValueError(f"added rows break a foreign key of {broken[0][0]} to {broken[0][2]}")
            conn.execute("DELETE FROM jrn_open")
        except (sqlite3.Error, ValueError) as error:
            conn.execute("ROLLBACK")
            raise ValueError(f"cannot add these rows: {error}") from error
        conn.execute("COMMIT")
