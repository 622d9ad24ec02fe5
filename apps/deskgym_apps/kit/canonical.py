"""The canonical state, its hash, and the full dump (DESIGN §3). "The same" always means these, never file bytes."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from typing import Any
from weakref import WeakKeyDictionary

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
_Fresh = Mapping[str, Mapping[int, bytes]]


def _text(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def _member(key: str, row: Row) -> bytes:
    return _text(key) + b":" + _text(row)


def _normal(row: Row) -> Row:
    return {name: _value(value) for name, value in row.items()}


_TOGETHER = 64  # rows that are kept as one piece of text


class _Table:
    """One table of S0 as the canonical state writes it: what stands before it, and its rows in pieces, by key."""

    def __init__(self, opening: bytes, rows: dict[str, dict[str, Any]]) -> None:
        members = [(key, _member(key, row)) for key, row in sorted(rows.items())]
        self.opening = opening
        self.pieces = [dict(members[at : at + _TOGETHER]) for at in range(0, len(members), _TOGETHER)] or [{}]
        self.texts = [b",".join(piece.values()) for piece in self.pieces]
        self.later = [b"," + text for text in self.texts]  # as they stand after other rows
        self.firsts = [next(iter(piece), "") for piece in self.pieces]

    def place(self, key: str) -> int:
        """The piece that a row of that key belongs to."""
        return max(0, bisect_right(self.firsts, key) - 1)

    def changed(self, rows: Mapping[str, bytes | None]) -> dict[int, bytes]:
        """The text of each piece in which rows are other than in S0; None is absence."""
        pieces: dict[int, dict[str, bytes]] = {}
        for key, member in rows.items():
            at = self.place(key)
            piece = pieces.setdefault(at, dict(self.pieces[at]))
            piece.pop(key, None)
            if member is not None:
                piece[key] = member
        return {at: b",".join(piece[key] for key in sorted(piece)) for at, piece in pieces.items()}


class StateHasher:
    """The state hash in time proportional to what changed: renders only the rows that the journal names.

    Equal to `state_hash` at every moment.

    `image` is S0. Every row of S0 is rendered once; the SHA-256 of all that comes before each piece of a table is
    kept, so that only what comes from the first changed piece on is hashed again.
    """

    def __init__(self, image: Store) -> None:
        names = [name for name in image.shapes if is_canonical(name)]
        self._tables: dict[str, _Table] = {}
        last = None
        for name in sorted(names, key=lambda name: (name.split("_", 1)[0], name)):
            app = name.split("_", 1)[0]
            opening = b"," if app == last else (b"{" if last is None else b"},") + _text(app) + b":{"
            self._tables[name] = _Table(opening + _text(name) + b":{", table_rows(image, name))
            last = app
        self._known: WeakKeyDictionary[Store, tuple[tuple[int, ...], str]] = WeakKeyDictionary()
        self._before: dict[tuple[str, int], Any] = {}
        self._untouched = self._feed(hashlib.sha256(), None, {}, keep=True)

    def _feed(self, digest: Any, start: tuple[str, int] | None, fresh: _Fresh, *, keep: bool = False) -> str:
        """Hash on from a piece of a table (None: from the beginning); `fresh`: pieces that are not those of S0."""
        waiting = start is not None
        for name, table in self._tables.items():
            if waiting and start is not None and name != start[0]:
                continue
            first = start[1] if waiting and start is not None else 0
            if not waiting:
                digest.update(table.opening)
            waiting = False
            changed = fresh.get(name, {})
            begun = any(table.texts[:first])
            for at in range(first, len(table.texts)):
                if keep:
                    self._before[name, at] = digest.copy()
                if at in changed:
                    text = b"," + changed[at] if begun and changed[at] else changed[at]
                else:
                    text = table.later[at] if begun and table.texts[at] else table.texts[at]
                digest.update(text)
                begun = begun or bool(text)
            digest.update(b"}")
        digest.update(b"}}" if self._tables else b"{}")
        return str(digest.hexdigest())

    def hash(self, store: Store) -> str:
        """The state hash of an episode that began as a copy of the image; computed once while nothing is written."""
        with store.reading():
            version = store.written()
            if self._known.get(store, (None, ""))[0] != version:
                self._known[store] = version, self._compute(store)
            return self._known[store][1]

    def _compute(self, store: Store) -> str:
        with store.reading():
            fresh = {
                name: self._tables[name].changed(
                    {text: self._row(store, name, text, key) for text, key in keys.items()}
                )
                for name, keys in self._touched(store).items()
            }
        if not fresh:
            return self._untouched
        name = next(name for name in self._tables if name in fresh)
        start = name, min(fresh[name])
        return self._feed(self._before[start].copy(), start, fresh)

    @staticmethod
    def _row(store: Store, table: str, text: str, key: tuple[Any, ...]) -> bytes | None:
        row = store.get(table, key)
        return None if row is None else _member(text, _normal(row))

    def _touched(self, store: Store) -> _Touched:
        """Table -> key as the canonical state writes it -> key, of all rows that the journal names."""
        found: _Touched = {}
        for table, text in store.conn.execute("SELECT DISTINCT tbl, key FROM jrn_effect"):
            if table in self._tables:
                key = json.loads(text)
                found.setdefault(table, {})[json.dumps(key, ensure_ascii=False, separators=(",", ":"))] = tuple(key)
        return found


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
