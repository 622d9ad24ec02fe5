"""The state hash of an episode in time proportional to what changed, not to the size of the world."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from typing import Any

from deskgym_apps.kit.canonical import StateHasher, table_rows
from deskgym_apps.kit.roles import Row
from deskgym_apps.kit.schema import is_canonical
from deskgym_apps.kit.store import Store

_Touched = dict[str, dict[str, tuple[Any, ...]]]


def _text(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def _member(key: str, row: Row) -> bytes:
    return _text(key) + b":" + _text(row)


def _normal(row: Row) -> Row:
    return {
        name: unicodedata.normalize("NFC", value) if isinstance(value, str) else value for name, value in row.items()
    }


class RowHasher(StateHasher):
    """Equal to `canonical.state_hash` at every moment, rendering only the rows that the journal names.

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
