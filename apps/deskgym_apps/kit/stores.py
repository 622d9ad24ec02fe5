"""The open stores of a server process: found by agent token, a few kept open, closed when others need the room."""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from .errors import ServiceError
from .folder import Entry, Public, locate, read_public
from .schema import TableShape, read_shapes
from .store import Store

KEPT = 64
WARM = 8  # of these, which keep what they have read in memory


class Unavailable(ServiceError):
    """The episode's store cannot be opened: a fault of the environment, not of the request (503)."""

    code = "unavailable"
    status = 503


@dataclass
class _Opened:
    store: Store
    public_stamp: tuple[int, int]
    is_warm: bool = True


class OpenStores:
    """Stores under one root of episodes, least recently used first. Use them on one thread.

    A token is looked up on every call, so that a revoked one is refused at once.
    """

    def __init__(self, root: Path, keep: int = KEPT) -> None:
        self.root = root
        self._keep = keep
        self._open: OrderedDict[Path, _Opened] = OrderedDict()
        self._shapes: dict[tuple[str, ...], Mapping[str, TableShape]] = {}
        self._lock = threading.RLock()

    def enter(self, token: str) -> tuple[Entry, Store]:
        """Who acts and on which store. Raises NotFound or Gone for the token, Unavailable for the store."""
        entry = locate(self.root, token)
        with self._lock:
            return entry, self._store(entry.folder)

    def _store(self, folder: Path) -> Store:
        try:
            stamp = _stamp(folder / "public.json")
            known = self._open.get(folder)
            if known is None:
                public = read_public(folder)
                store = self._opened(folder / "store.db", public)
                known = self._open[folder] = _Opened(store, stamp)
                self._evict()
            elif known.public_stamp != stamp:
                known.store.public, known.public_stamp = read_public(folder), stamp
        except (OSError, sqlite3.Error, ValueError) as error:
            raise Unavailable("this episode cannot be opened; it may have just ended") from error
        self._open.move_to_end(folder)
        known.is_warm = True
        self._cool()
        return known.store

    def _cool(self) -> None:
        """Have the store that was used before the last few give the memory of its pages back: half of what it holds.

        The system's file cache has them still.
        """
        for known in islice(reversed(self._open.values()), WARM, WARM + 1):
            if known.is_warm:
                known.store.conn.execute("PRAGMA shrink_memory")
                known.is_warm = False

    def _opened(self, path: Path, public: Public) -> Store:
        store = Store.open(path, None if public.reference is None else Path(public.reference))
        try:
            store.public = public
            rows = store.conn.execute("SELECT sql FROM sqlite_schema WHERE type = 'table' ORDER BY name").fetchall()
            key = tuple(str(row[0]) for row in rows)
            if key not in self._shapes:
                self._shapes[key] = read_shapes(store.conn)
            store.shapes = self._shapes[key]
        except BaseException:
            store.close()
            raise
        return store

    def _evict(self) -> None:
        while len(self._open) > self._keep:
            self._open.popitem(last=False)[1].store.close()

    def close(self) -> None:
        """Close every store."""
        with self._lock:
            while self._open:
                self._open.popitem()[1].store.close()


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_ino, status.st_mtime_ns
