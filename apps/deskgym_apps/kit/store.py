"""One SQLite store holds every app's mutable tables of one episode (DESIGN §3).

Homes: a *file* in WAL mode for everything with pages, a *memory* copy of an image for calls in one process.
World images are kept in rollback-journal mode, since a deserialized WAL image does not open.
"""

from __future__ import annotations

import shutil
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

from .apps import registry
from .folder import Public
from .roles import Row, Table
from .schema import TableShape, is_canonical, read_shapes

BUSY_MS = 10_000
_STATEMENTS = 1024  # that a memory store keeps compiled, triggers and all


def _uri(path: Path, options: str) -> str:
    """The SQLite URI of a file; `?`, `#` and `%` in its path are quoted."""
    return f"file:{quote(str(path))}?{options}"


def _settle(conn: sqlite3.Connection) -> None:
    conn.row_factory = sqlite3.Row
    for flag in ("foreign_keys", "recursive_triggers"):
        if conn.execute(f"PRAGMA {flag}").fetchone()[0] != 1:  # setting one has every statement compiled anew
            conn.execute(f"PRAGMA {flag} = ON")
    conn.execute(f"PRAGMA busy_timeout = {BUSY_MS}")


@dataclass(frozen=True)
class Proof:
    """That a store, as it was when `written` was this, is its image and the effects of its journal, no more.

    `pages`: how many pages are not those of the image. Given by whoever compared the store with its image.
    """

    written: tuple[int, ...]
    pages: int


def _as_dicts(cursor: sqlite3.Cursor, rows: list[sqlite3.Row]) -> list[dict[str, Any]]:
    """Rows as dicts. Asking a row for each of its columns by name takes several times as long; where two columns have
    one name, it gives the first.
    """
    names = [column[0] for column in cursor.description]
    if len(set(names)) < len(names):
        return [dict(row) for row in rows]
    return [dict(zip(names, row, strict=True)) for row in rows]


class Store:
    """An open store. One writer at a time: `writing()` holds a lock and `BEGIN IMMEDIATE`.

    `reference` is the read-only database of bulk data, attached as `ref`.
    """

    def __init__(self, conn: sqlite3.Connection, path: Path | None, reference: Path | None) -> None:
        self.conn = conn
        self.path = path
        self.reference = reference
        self.public: Public | None = None  # what the agent may know of the episode, set by whoever opens it
        self._lock = threading.RLock()
        self._rehearsing = False
        self.rollbacks = 0  # SQLite's count of changes does not tell of them
        self.proof: Proof | None = None
        _settle(conn)
        if reference is not None:
            conn.execute("ATTACH DATABASE ? AS ref", (_uri(reference, "mode=ro&immutable=1"),))

    @classmethod
    def open(cls, path: Path, reference: Path | None = None) -> Store:
        """Open an episode's file for reading and writing. Raises FileNotFoundError where there is none."""
        if not path.is_file():
            raise FileNotFoundError(f"no store at {path}")
        conn = sqlite3.connect(_uri(path, "mode=rw"), uri=True, isolation_level=None, check_same_thread=False)
        store = cls(conn, path, reference)
        conn.execute("PRAGMA journal_mode = WAL")
        conn.execute("PRAGMA synchronous = OFF")
        return store

    @classmethod
    def read_image(cls, path: Path, reference: Path | None = None) -> Store:
        """Open a world image that nobody writes."""
        conn = sqlite3.connect(
            _uri(path, "mode=ro&immutable=1"), uri=True, isolation_level=None, check_same_thread=False
        )
        return cls(conn, path, reference)

    @classmethod
    def copy(cls, image: Path, target: Path, reference: Path | None = None) -> Store:
        """Copy an image to a new file and open it. Raises FileExistsError: a store is never overwritten."""
        if target.exists():
            raise FileExistsError(f"{target} exists; a store is never overwritten")
        shutil.copyfile(image, target)
        return cls.open(target, reference)

    @classmethod
    def memory(cls, image: bytes, reference: Path | None = None) -> Store:
        """A private copy of an image in memory."""
        conn = sqlite3.connect(
            "file::memory:", uri=True, isolation_level=None, check_same_thread=False, cached_statements=_STATEMENTS
        )
        conn.deserialize(image)
        return cls(conn, None, reference)

    def close(self) -> None:
        self.conn.close()

    def hand_on(self) -> Store:
        """The same open database as a new store; whoever still holds this one finds it closed."""
        heir: Store = object.__new__(type(self))
        with self._lock:  # whoever writes at this moment ends first
            heir.__dict__.update(self.__dict__, public=None, _lock=threading.RLock())
            _settle(heir.conn)
            self.conn = sqlite3.connect(":memory:")
            self.conn.close()
        return heir

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def shapes(self) -> Mapping[str, TableShape]:
        """Every table but the journal's, by name."""
        return read_shapes(self.conn)

    @cached_property
    def tables(self) -> Mapping[str, Table]:
        """Roles of the canonical tables this store has, by name."""
        roles = registry()
        return {name: roles[name] for name in self.shapes if is_canonical(name)}

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One write transaction: commits at the end, rolls back on any exception."""
        begin, undo, end = ("BEGIN IMMEDIATE", "ROLLBACK", "COMMIT")
        if self._rehearsing:
            begin, undo, end = ("SAVEPOINT command", "ROLLBACK TO command", "RELEASE command")
        with self._lock:
            self.conn.execute(begin)
            try:
                yield self.conn
            except BaseException:
                self.rollbacks += 1
                self.conn.execute(undo)
                raise
            self.conn.execute(end)

    @contextmanager
    def rehearsing(self) -> Iterator[sqlite3.Connection]:
        """Commands are carried out as ever, and at the end all is as before, byte for byte.

        For a store that nobody else uses. Foreign keys hold statement by statement; deferred ones are not checked.
        """
        with self._lock:
            self.conn.execute("BEGIN IMMEDIATE")
            self._rehearsing = True
            try:
                yield self.conn
            finally:
                self._rehearsing = False
                self.rollbacks += 1
                self.conn.execute("ROLLBACK")

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One consistent read transaction. Inside `writing` of the same thread it joins that transaction."""
        with self._lock:
            if self.conn.in_transaction:
                yield self.conn
                return
            self.conn.execute("BEGIN")
            try:
                yield self.conn
            finally:
                self.conn.execute("COMMIT")

    def written(self) -> tuple[int, ...]:
        """Numbers of which one is another after anything was written: rows, rollbacks, other connections, schema."""
        pragmas = ("data_version", "schema_version", "user_version", "application_id")
        read = [self.conn.execute(f"PRAGMA main.{name}").fetchone()[0] for name in pragmas]
        return self.conn.total_changes, self.rollbacks, *read

    def one(self, sql: str, parameters: tuple[Any, ...] | Mapping[str, Any] = ()) -> dict[str, Any] | None:
        """The first row as a dict, or None."""
        cursor = self.conn.execute(sql, parameters)
        row = cursor.fetchone()
        return None if row is None else _as_dicts(cursor, [row])[0]

    def all(self, sql: str, parameters: tuple[Any, ...] | Mapping[str, Any] = ()) -> list[dict[str, Any]]:
        """Every row as a dict."""
        cursor = self.conn.execute(sql, parameters)
        return _as_dicts(cursor, cursor.fetchall())

    def get(self, table: str, key: tuple[Any, ...] | str) -> Row | None:
        """The row of a primary key, or None."""
        shape = self.shapes[table]
        values = (key,) if isinstance(key, str) else key
        row = self.conn.execute(shape.by_key, tuple(values)).fetchone()
        return None if row is None else dict(zip(shape.columns, row, strict=True))

    def select(self, table: str, **equals: Any) -> Iterator[Row]:
        """Rows whose columns equal the given values (None matches NULL), by primary key."""
        shape = self.shapes[table]
        for column in equals:
            if column not in shape.columns:
                raise ValueError(f'table {table} has no column "{column}"')
        where = " AND ".join(f'"{column}" IS ?' for column in equals) or "1"
        order = ", ".join(f'"{column}"' for column in shape.key)
        yield from self.all(f'SELECT * FROM "{table}" WHERE {where} ORDER BY {order}', tuple(equals.values()))

    def meta(self, key: str) -> str:
        """A setting of the world: `sim_now`, `world_key`, `world`, `company`, `corp_currency`, …"""
        row = self.conn.execute("SELECT value FROM org_meta WHERE key = ?", (key,)).fetchone()
        if row is None:
            raise KeyError(f'org_meta has no key "{key}"')
        return str(row[0])

    @property
    def now(self) -> str:
        """The simulated instant (X-1)."""
        return self.meta("sim_now")
