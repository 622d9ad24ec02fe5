"""S0 of one world, and a pool of fresh stores of it (DESIGN §3, "Reset, restore and fork").

<root>/tokens/                     where a token leads (kit.folder)
<root>/<random id>/store.db …      one folder an episode; ids are never used twice
"""

from __future__ import annotations

import atexit
import hashlib
import os
import secrets
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from deskgym_apps.kit import folder
from deskgym_apps.kit.call import canonical_json
from deskgym_apps.kit.canonical import StateHasher
from deskgym_apps.kit.image import inject_rows
from deskgym_apps.kit.store import Store
from deskgym_apps.kit.undo import undo_all
from deskgym_graders.pages import Comparison

from .errors import DeskgymError, describe

Injected = Mapping[str, Iterable[Mapping[str, Any]]]
KEPT = 4  # memory stores an origin keeps for later episodes
_WORN = 72  # pages that may lie otherwise in them; each is read at every grading
_EMPTY_IN_S0 = ("jrn_command", "jrn_effect", "jrn_open", "jrn_before", "desk_submission")
# What a store that was meddled with makes undoing and comparing raise; it is not used again.
_MEDDLED = (sqlite3.Error, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)
_EMPTY = folder.Public(instruction="", answer_schema=None, apps=())


class World(Protocol):
    """What an episode needs of a world; `deskgym_seeds.world.World` is one."""

    @property
    def name(self) -> str: ...
    @property
    def digest(self) -> str: ...
    @property
    def store_path(self) -> Path: ...
    @property
    def reference_path(self) -> Path | None: ...


class Origin:
    """S0: the image every episode of a world starts from, with rows injected where a task author asks for some."""

    def __init__(self, world: World, inject: Injected | None = None) -> None:
        self.world = world
        self.reference = world.reference_path
        self.path = world.store_path if not inject else _with_rows(world, inject)
        self.store = Store.read_image(self.path, self.reference)
        self._idle: list[Store] = []

    @cached_property
    def image(self) -> bytes:
        """The image file's bytes, read once."""
        return self.path.read_bytes()

    @cached_property
    def hasher(self) -> StateHasher:
        """The state hash of its episodes."""
        return StateHasher(self.store)

    def memory(self) -> Store:
        """A private copy of S0 in memory: one that was given back, since reading the schema takes longest, or new."""
        with suppress(IndexError):
            return self._idle.pop()
        store = Store.memory(self.image, self.reference)
        store.shapes = self.store.shapes
        return store

    def take_back(self, used: Store) -> None:
        """Make a memory store fresh for a later episode, or close it. Whoever still holds it finds it closed."""
        store = used.hand_on()
        if len(self._idle) < KEPT and self._is_renewed(store):
            self._idle.append(store)
        else:
            store.close()

    def renew(self, store: Store, most_pages: int | None = None) -> bool:
        """Undo all that was done in a store, and say whether it is S0 again, row by row, with an empty journal.

        `most_pages`: also False where more pages than these lie otherwise than in the image.
        """
        return _undone(store) and self.is_fresh(store, most_pages)

    def _is_renewed(self, store: Store) -> bool:
        """As `renew`, for a store that is little worn. One that was graded and not written since need not be compared
        again: it was S0 and the effects of its journal, and each of these was taken back.
        """
        proof = store.proof
        try:
            proven = proof is not None and not store.conn.in_transaction and proof.written == store.written()
        except _MEDDLED:
            return False
        if proof is None or not proven:
            return self.renew(store, most_pages=_WORN)
        return proof.pages <= _WORN and _undone(store) and _untouched(store)

    def is_fresh(self, store: Store, most_pages: int | None = None) -> bool:
        """Whether a store is S0 row by row, with an empty journal; `most_pages` as in `renew`."""
        try:
            with store.reading():
                compared = Comparison(self.store, store)
                few = most_pages is None or compared.pages <= most_pages
                return few and compared.by_page and not compared.atoms() and _untouched(store)
        except _MEDDLED:
            return False

    def close(self) -> None:
        """Close S0 and the stores that were given back."""
        while self._idle:
            self._idle.pop().close()
        self.store.close()


@dataclass
class Fresh:
    """A store equal to S0 in its own folder; no token points to it."""

    id: str
    folder: Path
    store: Store


class Pool:
    """Fresh stores of one origin under one root. Taking one from a filled pool copies nothing."""

    def __init__(self, root: Path, origin: Origin, keep: int = 4) -> None:
        self.root = root
        self.origin = origin
        self.keep = keep
        self._fresh: list[Fresh] = []
        self._lock = threading.Lock()

    def fill(self, count: int) -> None:
        """Copy until `count` stores are ready."""
        while len(self._fresh) < count:
            made = self._copy()
            with self._lock:
                self._fresh.append(made)

    def take(self) -> Fresh:
        """A fresh store: a ready one, else a new copy. Raises DeskgymError where the root cannot be written."""
        while self._fresh:
            with self._lock:
                if not self._fresh:
                    break
                ready = self._fresh.pop()
            if _untouched(ready.store):
                return ready
            _discard(ready)
        return self._copy()

    def give_back(self, used: Fresh) -> None:
        """Throw away a store whose tokens are revoked, and copy a new one in its stead.

        Undoing it would take longer: a file has to be read from its first to its last byte before later episodes may
        rely on it. And a request in flight can never write into a later episode so.
        """
        _discard(used)
        if len(self._fresh) < self.keep:
            made = self._copy()
            with self._lock:
                self._fresh.append(made)

    def _copy(self) -> Fresh:
        name = secrets.token_hex(8)
        try:
            place = folder.create_folder(self.root, name, _EMPTY)
            shutil.copyfile(self.origin.path, place / "store.db")
        except OSError as error:
            raise _cannot_write(self.root, error) from error
        return Fresh(name, place, self._open(place / "store.db"))

    def _open(self, path: Path) -> Store:
        store = Store.open(path, self.origin.reference)
        store.shapes = self.origin.store.shapes
        return store

    def put(self, image: bytes) -> Fresh:
        """A new folder with the store of a snapshot."""
        name = secrets.token_hex(8)
        try:
            place = folder.create_folder(self.root, name, _EMPTY)
            (place / "store.db").write_bytes(image)
        except OSError as error:
            raise _cannot_write(self.root, error) from error
        return Fresh(name, place, self._open(place / "store.db"))

    def close(self) -> None:
        """Throw the ready stores away."""
        with self._lock:
            ready, self._fresh = self._fresh, []
        for item in ready:
            _discard(item)


def _undone(store: Store) -> bool:
    """Undo all that was done in a store, and say whether that went well."""
    try:
        undo_all(store, check=False)
    except _MEDDLED:
        return False
    return True


def _untouched(store: Store) -> bool:
    """Whether nothing was written since the store was made fresh: its journal and seal are empty, and can be read."""
    sql = " UNION ALL ".join(f"SELECT 1 FROM {table}" for table in _EMPTY_IN_S0)
    try:
        return store.conn.execute(sql).fetchone() is None
    except sqlite3.DatabaseError:
        return False


def _discard(item: Fresh) -> None:
    item.store.close()
    with suppress(FileNotFoundError):  # whoever made the root may have removed it already
        shutil.rmtree(item.folder)


def _cannot_write(root: Path, error: OSError) -> DeskgymError:
    fault = describe(error)
    return DeskgymError(
        fault.kind,
        f"cannot make an episode under {root}: {fault.message}",
        "set DESKGYM_EPISODES to a folder you may write to",
    )


# --- What this process keeps ----------------------------------------------------------------------------

_origins: dict[tuple[str, str], Origin] = {}
_pools: dict[tuple[str, Path], Pool] = {}
_own: dict[str, Path] = {}
_lock = threading.RLock()


def _own_folder(name: str) -> Path:
    """A 0700 folder of this process, removed at its end."""
    key = f"{os.getpid()}/{name}"
    with _lock:
        if key not in _own:
            try:
                _own[key] = Path(tempfile.mkdtemp(prefix=f"deskgym-{name}-"))
            except OSError as error:
                raise _cannot_write(Path(tempfile.gettempdir()), error) from error
        return _own[key]


def default_root() -> Path:
    """The folder of episodes: `DESKGYM_EPISODES`, which other processes may serve, else a private one."""
    given = os.environ.get("DESKGYM_EPISODES")
    return Path(given) if given else _own_folder("episodes")


def origin_of(world: World, inject: Injected | None = None) -> Origin:
    """S0 of a world, opened once a process."""
    rows = {table: [dict(row) for row in some] for table, some in (inject or {}).items()}
    key = (f"{world.store_path}|{world.digest}", canonical_json(rows))
    with _lock:
        if key not in _origins:
            _origins[key] = Origin(world, rows)
        return _origins[key]


def pool_of(root: Path, origin: Origin) -> Pool:
    """The pool of an origin under a root."""
    key = (str(origin.path), root)
    with _lock:
        if key not in _pools:
            _pools[key] = Pool(root, origin)
        return _pools[key]


def forget(root: Path) -> None:
    """Throw away the ready stores under a root that is about to be removed."""
    with _lock:
        for key in [key for key in _pools if key[1] == root]:
            _pools.pop(key).close()


def drop_origin(origin: Origin) -> None:
    """Forget an S0 with injected rows that no episode starts from any more; a world's own image stays."""
    with _lock:
        for key in [key for key in _pools if key[0] == str(origin.path)]:
            _pools.pop(key).close()
        for name in [name for name, known in _origins.items() if known is origin]:
            del _origins[name]
            origin.store.close()
        if origin.path != origin.world.store_path:
            origin.path.unlink(missing_ok=True)


def _with_rows(world: World, rows: Injected) -> Path:
    """A private copy of a world's image with rows added (DESIGN §3, state injection)."""
    name = hashlib.sha256(f"{world.digest}|{canonical_json(rows)}".encode()).hexdigest()[:32]
    target = _own_folder("control") / f"{name}.db"
    if not target.exists():
        partial = target.with_suffix(".partial")
        shutil.copyfile(world.store_path, partial)
        try:
            inject_rows(partial, rows)
        except ValueError as error:
            partial.unlink()
            raise DeskgymError("usage", str(error), "check the rows to inject against the app's schema.sql") from error
        partial.rename(target)
    return target


@atexit.register
def release() -> None:
    """Close every store this process keeps and remove its private folders."""
    with _lock:
        for pool in _pools.values():
            pool.close()
        for origin in _origins.values():
            origin.close()
        _pools.clear()
        _origins.clear()
        for key in [key for key in _own if key.startswith(f"{os.getpid()}/")]:
            shutil.rmtree(_own.pop(key), ignore_errors=True)
