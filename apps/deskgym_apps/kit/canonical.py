"""The canonical state, its hash, and the full dump (DESIGN §3). "The same" always means these, never file bytes."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterable
from typing import Any

from .roles import Row
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


def canonical_bytes(store: Store) -> bytes:
    """The canonical state as UTF-8 JSON, keys sorted, NFC."""
    return json.dumps(canonical_state(store), sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


_Touched = dict[str, dict[str, tuple[Any, ...]]]


def _text(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def _member(key: str, row: Row) -> bytes:
    return _text(key) + b":" + _text(row)


def _normal(row: Row) -> Row:
    return {name: _value(value) for name, value in row.items()}


class StateHasher:
    """The state hash in time proportional to what changed: renders only the rows that the journal names.

    Equal to `state_hash` at every moment.

    `image` is S0. Every row of S0 is rendered once; the SHA-256 of all that comes before a table is kept, so that
    only tables from the first changed one on are hashed again.
    """

    def __init__(self, image: Store) -> None:
        names = [name for name in image.shapes if is_canonical(name)]
        self._order = sorted(names, key=lambda name: (name.split("_", 1)[0], name))
        self._rows = {
            name: {key: _member(key, row) for key, row in sorted(table_rows(image, name).items())}
            for name in self._order
        }
        self._bodies = {name: b"{" + b",".join(rows.values()) + b"}" for name, rows in self._rows.items()}
        self._heads = dict(zip(self._order, self._make_heads(), strict=True))
        self._before: dict[str, Any] = {}
        digest = hashlib.sha256()
        for name in self._order:
            self._before[name] = digest.copy()
            digest.update(self._heads[name])
            digest.update(self._bodies[name])
        digest.update(b"}}" if self._order else b"{}")
        self._untouched = digest.hexdigest()

    def _make_heads(self) -> list[bytes]:
        """What stands before each table's body: `{"crm":{"crm_account":`, `,"crm_contact":`, `},"org":{"org_meta":`."""
        heads, last = [], None
        for name in self._order:
            app = name.split("_", 1)[0]
            opening = b"," if app == last else (b"{" if last is None else b"},") + _text(app) + b":{"
            heads.append(opening + _text(name) + b":")
            last = app
        return heads

    def hash(self, store: Store) -> str:
        """The state hash of an episode that began as a copy of the image."""
        with store.reading():
            touched = self._touched(store)
            fresh = {name: self._body(store, name, keys) for name, keys in touched.items()}
        if not fresh:
            return self._untouched
        first = min(self._order.index(name) for name in fresh)
        digest = self._before[self._order[first]].copy()
        for name in self._order[first:]:
            digest.update(self._heads[name])
            digest.update(fresh.get(name, self._bodies[name]))
        digest.update(b"}}")
        return str(digest.hexdigest())

    def _touched(self, store: Store) -> _Touched:
        """Table -> key as the canonical state writes it -> key, of all rows that the journal names."""
        found: _Touched = {}
        for table, text in store.conn.execute("SELECT DISTINCT tbl, key FROM jrn_effect"):
            if table in self._rows:
                key = json.loads(text)
                found.setdefault(table, {})[json.dumps(key, ensure_ascii=False, separators=(",", ":"))] = tuple(key)
        return found

    def _body(self, store: Store, table: str, keys: dict[str, tuple[Any, ...]]) -> bytes:
        rows = dict(self._rows[table])
        order_kept = True
        for text, key in keys.items():
            row = store.get(table, key)
            order_kept &= (text in rows) or row is None
            if row is None:
                rows.pop(text, None)
            else:
                rows[text] = _member(text, _normal(row))
        members = rows.values() if order_kept else [rows[text] for text in sorted(rows)]
        return b"{" + b",".join(members) + b"}"


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
