"""Take every change of a store back, in reverse (DESIGN §3): how pooled stores become fresh again."""

from __future__ import annotations

import json
import sqlite3
from contextlib import suppress
from typing import Any

from .schema import TableShape
from .store import Store


def _key(text: str) -> tuple[Any, ...]:
    return tuple(json.loads(text))


def _put_back(store: Store, shape: TableShape, key: tuple[Any, ...], old: str | None, new: str | None) -> None:
    where = " AND ".join(f'"{name}" = ?' for name in shape.key)
    if new is not None and old is None:
        _one(store.conn.execute(f'DELETE FROM "{shape.name}" WHERE {where}', key))
        return
    row = json.loads(old or "{}")
    if new is None:
        columns = ", ".join(f'"{name}"' for name in row)
        marks = ", ".join("?" for _ in row)
        store.conn.execute(f'INSERT INTO "{shape.name}"({columns}) VALUES ({marks})', tuple(row.values()))
        return
    columns = ", ".join(f'"{name}" = ?' for name in row if name not in shape.key)
    values = [value for name, value in row.items() if name not in shape.key]
    _one(store.conn.execute(f'UPDATE "{shape.name}" SET {columns} WHERE {where}', (*values, *key)))


def _one(done: sqlite3.Cursor) -> None:
    if done.rowcount != 1:
        raise ValueError(f"an effect of the journal is not to be taken back: it finds {done.rowcount} rows")


def undo_all(store: Store, until_seq: int = 0, *, check: bool = True) -> int:
    """Undo every command after `until_seq`, the seal included. Returns how many effects were undone.

    No token may point to the store. Raises ValueError where an effect finds no row to take it back from, or a foreign
    key is broken afterwards; nothing is changed then.
    `check=False` leaves that to a caller who compares the store with its image.
    """
    with suppress(sqlite3.IntegrityError):  # on the way back a row may stand without its parent for a moment
        return _undo(store, until_seq, check)
    store.conn.execute("PRAGMA foreign_keys = OFF")  # which has every statement compiled anew
    try:
        return _undo(store, until_seq, check)
    finally:
        store.conn.execute("PRAGMA foreign_keys = ON")


def _undo(store: Store, until_seq: int, check: bool) -> int:
    with store.writing() as conn:
        conn.execute("INSERT INTO jrn_open(one, seq, mode) VALUES (1, 0, 'undo')")
        effects = conn.execute(
            "SELECT tbl, key, old, new FROM jrn_effect WHERE seq > ? ORDER BY id DESC", (until_seq,)
        ).fetchall()
        for table, key, old, new in effects:
            _put_back(store, store.shapes[table], _key(key), old, new)
        conn.execute("DELETE FROM jrn_effect WHERE seq > ?", (until_seq,))
        conn.execute("DELETE FROM jrn_command WHERE seq > ?", (until_seq,))
        conn.execute("DELETE FROM desk_submission")
        broken = conn.execute("PRAGMA foreign_key_check").fetchall() if check else []
        if broken:
            raise ValueError(f"undo left {len(broken)} broken foreign keys, first in {broken[0][0]}")
        conn.execute("DELETE FROM jrn_open")
    return len(effects)
