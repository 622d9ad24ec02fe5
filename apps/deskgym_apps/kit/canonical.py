"""The canonical state, its hash, and the full dump (DESIGN §3). "The same" always means these, never file bytes."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterable
from typing import Any

from .schema import is_canonical
from .store import Store

State = dict[str, dict[str, dict[str, dict[str, Any]]]]


def _value(value: Any) -> Any:
    return unicodedata.normalize("NFC", value) if isinstance(value, str) else value


def table_rows(store: Store, table: str) -> dict[str, dict[str, Any]]:
    """Rows of a table: JSON array of the key -> column -> value, by key."""
    shape = store.shapes[table]
    columns = sorted(shape.columns)
    order = ", ".join(f'"{name}"' for name in shape.key)
    wanted = ", ".join(f'"{name}"' for name in columns)
    key_at = [columns.index(name) for name in shape.key]
    rows = {}
    for row in store.conn.execute(f'SELECT {wanted} FROM "{table}" ORDER BY {order}'):
        key = json.dumps([row[index] for index in key_at], ensure_ascii=False, separators=(",", ":"))
        rows[key] = {name: _value(value) for name, value in zip(columns, row, strict=True)}
    return rows


def canonical_state(store: Store) -> State:
    """App -> table -> key -> column -> value. Leaves out journal, counters, tokens, `_ui_` tables and the seal."""
    state: State = {}
    for table in sorted(name for name in store.shapes if is_canonical(name)):
        state.setdefault(table.split("_", 1)[0], {})[table] = table_rows(store, table)
    return state


def _table_bytes(store: Store, table: str) -> bytes:
    rows = table_rows(store, table)
    return json.dumps(rows, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def canonical_bytes(store: Store) -> bytes:
    """The canonical state as UTF-8 JSON, keys sorted, NFC."""
    return json.dumps(canonical_state(store), sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


class StateHasher:
    """SHA-256 of the canonical state, rendering only tables that changed since the image.

    `image` is S0. Tables that the journal does not name are taken from S0's rendering.
    """

    def __init__(self, image: Store) -> None:
        self._rendered = {name: _table_bytes(image, name) for name in image.shapes if is_canonical(name)}

    def hash(self, store: Store) -> str:
        """The state hash of an episode that began as a copy of the image."""
        with store.reading():
            touched = {row[0] for row in store.conn.execute("SELECT DISTINCT tbl FROM jrn_effect")}
            fresh = {name: _table_bytes(store, name) for name in sorted(touched & self._rendered.keys())}
        return _digest(self._rendered | fresh)


def _digest(rendered: dict[str, bytes]) -> str:
    apps: dict[str, list[str]] = {}
    for name in sorted(rendered):
        apps.setdefault(name.split("_", 1)[0], []).append(name)
    digest = hashlib.sha256(b"{")
    for position, (app, names) in enumerate(sorted(apps.items())):
        digest.update(b"," * (position > 0) + json.dumps(app).encode() + b":{")
        for index, name in enumerate(names):
            digest.update(b"," * (index > 0) + json.dumps(name).encode() + b":" + rendered[name])
        digest.update(b"}")
    digest.update(b"}")
    return digest.hexdigest()


def state_hash(store: Store) -> str:
    """SHA-256 of the canonical state, every table rendered."""
    return hashlib.sha256(canonical_bytes(store)).hexdigest()


def full_dump(store: Store, tables: Iterable[str] | None = None) -> dict[str, list[list[Any]]]:
    """Every row of every table, the journal and counters included: what tests of reset and undo compare."""
    names = [
        row[0]
        for row in store.conn.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
        )
    ]
    chosen = names if tables is None else [name for name in names if name in set(tables)]
    dump = {}
    for name in chosen:
        rows = [list(row) for row in store.conn.execute(f'SELECT * FROM "{name}"')]
        dump[name] = sorted(rows, key=lambda row: json.dumps(row, ensure_ascii=False))
    return dump
