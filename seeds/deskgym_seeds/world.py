"""Worlds: built once from scale and seed, kept in a cache by digest, opened by name.

``small:1`` is public; ``small:test-3`` is a hidden world whose seed comes from a secret file (DESIGN §6). A folder
holds ``store.db`` and ``reference.db``, ``world.json`` (facts and checksums) and ``oracle.json`` (private: the mess
that was seeded on purpose).
"""

import fcntl
import hashlib
import hmac
import json
import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from deskgym_apps.kit.apps import kit_schema, shipped_apps
from deskgym_apps.kit.errors import nearest
from deskgym_apps.kit.image import create_tables, finish_image
from deskgym_apps.kit.store import Store

from . import organisation
from .localtime import instant_text
from .organisation import Setting, base_instant, staff
from .places import places
from .scales import SCALES

CACHE_VARIABLE: Final = "DESKGYM_CACHE"
SECRET_VARIABLE: Final = "DESKGYM_TEST_SECRET_FILE"
_STORE, _REFERENCE, _FACTS, _ORACLE = "store.db", "reference.db", "world.json", "oracle.json"
_RULES_OF_APPS: Final = ("norm.py", "ids.py", "money.py", "dates.py", "image.py", "schema.py")


class WorldError(Exception):
    """A world cannot be opened. ``kind`` is an error kind of the command line: not_found, no_secret, no_permission."""

    def __init__(self, kind: str, message: str, hint: str) -> None:
        super().__init__(f"{message} {hint}")
        self.kind, self.message, self.hint = kind, message, hint


@dataclass(frozen=True)
class World:
    """A built world in a folder. ``name`` is such as ``small:1``; ``seed`` of a hidden world is not stored."""

    name: str
    scale: str
    seed: str
    digest: str
    folder: Path

    @property
    def store_path(self) -> Path:
        """The image of every app's mutable tables: S0."""
        return self.folder / _STORE

    @property
    def reference_path(self) -> Path:
        """The bulk data that nobody changes."""
        return self.folder / _REFERENCE

    @cached_property
    def image(self) -> bytes:
        """The bytes of the store, for copies in memory."""
        return self.store_path.read_bytes()

    @cached_property
    def facts(self) -> dict[str, Any]:
        """``world.json``: name, clock, company, row counts, checksums."""
        found: dict[str, Any] = json.loads((self.folder / _FACTS).read_text("utf-8"))
        return found

    @cached_property
    def oracle(self) -> dict[str, list[dict[str, Any]]]:
        """The seeded mess by rule: private, for control, audit and tests."""
        found: dict[str, list[dict[str, Any]]] = json.loads((self.folder / _ORACLE).read_text("utf-8"))
        return found

    def open(self) -> Store:
        """The image opened for reading; close it."""
        return Store.read_image(self.store_path, self.reference_path)


def open_world(name: str = "small:1") -> World:
    """The world of that name from the cache, built first if it is not there or damaged.

    Raises WorldError: not_found for an unknown name, no_secret for a hidden world without secret, no_permission
    where the cache cannot be written.
    """
    scale, seed = _parse(name)
    digest = world_digest(scale, seed)
    folder = cache_folder() / f"{name.replace(':', '-')}-{digest[:16]}"
    world = World(name, scale, seed, digest, folder)
    if _is_sound(world):
        return world
    with _lock(folder):
        if not _is_sound(world):
            if folder.exists():
                print(f"deskgym: the cached world {name} in {folder} is damaged; building it again", file=sys.stderr)
                shutil.rmtree(folder)
            _build_beside(world)
    return world


def build_world(name: str, folder: Path) -> World:
    """Build the world into a folder that does not exist yet. Raises FileExistsError, or WorldError as `open_world`."""
    scale, seed = _parse(name)
    folder.mkdir(parents=True)
    world = World(name, scale, seed, world_digest(scale, seed), folder)
    _fill(world, make_setting(name, scale, seed, world_key(world.digest)))
    return world


def world_names() -> tuple[str, ...]:
    """Names of public worlds that tasks use: the training world and the development world of each scale."""
    return tuple(f"{scale}:{number}" for scale in SCALES for number in (1, 2))


def cached_worlds() -> list[World]:
    """The worlds in the cache, by name; those of other versions of the seeds are left out."""
    if not cache_folder().is_dir():
        return []
    found = []
    for path in sorted(cache_folder().glob(f"*/{_FACTS}")):
        try:
            name = str(json.loads(path.read_text("utf-8"))["name"])
            scale, seed = _parse(name)
        except (ValueError, KeyError, WorldError):
            continue
        world = World(name, scale, seed, world_digest(scale, seed), path.parent)
        if path.parent.name.endswith(world.digest[:16]):
            found.append(world)
    return sorted(found, key=lambda world: world.name)


def check_world(world: World) -> list[str]:
    """Faults of a cached world: files that are missing or differ from their checksums; empty when sound."""
    try:
        facts = json.loads((world.folder / _FACTS).read_text("utf-8"))
        sums: dict[str, str] = facts["sha256"]
        own = sums.pop(_FACTS)
        found = {name: _sha256(world.folder / name) for name in sorted(sums)}
        faults = [f"{name} differs from its checksum" for name in found if found[name] != sums[name]]
        return faults if own == _sum_of(facts) else [f"{_FACTS} differs from its checksum", *faults]
    except (OSError, ValueError, KeyError, TypeError) as error:
        return [f"{_FACTS} or a file it names cannot be read: {error}"]


def cache_folder() -> Path:
    """Where worlds are kept: ``$DESKGYM_CACHE``, else ``~/.cache/deskgym``."""
    given = os.environ.get(CACHE_VARIABLE)
    return Path(given) if given else Path.home() / ".cache" / "deskgym"


def world_digest(scale: str, seed: str) -> str:
    """SHA-256 over scale, seed, schema, the source of the seeds, and the rules of apps that they use."""
    digest = hashlib.sha256()
    for part in (scale, seed, _source_digest()):
        digest.update(len(part).to_bytes(4, "big") + part.encode())
    return digest.hexdigest()


def world_key(digest: str) -> str:
    """The key of a world's ids, from its digest (X-4)."""
    return hashlib.sha256(f"world key|{digest}".encode()).hexdigest()


def make_setting(name: str, scale: str, seed: str, key: str) -> Setting:
    """What the generators of a world start from: its clock and its people."""
    now = base_instant(seed)
    setting = Setting(SCALES[scale], seed, name, key, now, staff(SCALES[scale], seed, key, now))
    for number, employee in enumerate(setting.staff.values(), start=1):
        if setting.id_of("org_person", number, "PRS") != employee.id:
            raise ValueError(f"{employee.person.name} is not person {number} of {name}")
    return setting


def write_store(setting: Setting, path: Path) -> tuple[dict[str, int], dict[str, list[dict[str, Any]]]]:
    """Write every app's rows to a new store. Returns row counts by table, and the private list of mess."""
    counts: dict[str, int] = {}
    oracle: dict[str, list[dict[str, Any]]] = {}
    counters = {"org_person": len(setting.staff) + 1}
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute("PRAGMA synchronous = OFF")
        create_tables(conn, shipped_apps())
        conn.execute("BEGIN")
        for table, rows in organisation.rows(setting).items():
            counts[table] = _insert(conn, table, rows)
        for app in shipped_apps():
            if find_spec(f"deskgym_seeds.{app}") is None:
                continue
            made = import_module(f"deskgym_seeds.{app}").rows(setting)
            for table, rows in made.tables.items():
                counts[table] = _insert(conn, table, rows)
            counters |= made.counters
            oracle |= {f"{app}.{rule}": entries for rule, entries in sorted(made.oracle.items())}
        _insert(conn, "org_id_counter", [{"name": name, "next": value} for name, value in sorted(counters.items())])
        conn.execute("COMMIT")
        finish_image(conn)
    return counts, oracle


def _insert(conn: sqlite3.Connection, table: str, rows: Iterable[Mapping[str, Any]]) -> int:
    """Insert rows, those of equal columns that follow each other in one call. Returns how many."""
    count = 0
    for columns, alike in groupby(rows, key=tuple):
        values = [tuple(row.values()) for row in alike]
        names, marks = ", ".join(f'"{column}"' for column in columns), ", ".join("?" for _ in columns)
        conn.executemany(f'INSERT INTO "{table}"({names}) VALUES ({marks})', values)
        count += len(values)
    return count


def _write_reference(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute(
            "CREATE TABLE place(key TEXT NOT NULL PRIMARY KEY, city TEXT NOT NULL, state TEXT, country TEXT NOT NULL, "
            "region TEXT NOT NULL, tz TEXT NOT NULL, latitude INTEGER NOT NULL, longitude INTEGER NOT NULL, "
            "currency TEXT NOT NULL) STRICT, WITHOUT ROWID"
        )
        conn.executemany(
            "INSERT INTO place VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    place.key,
                    place.city,
                    place.state,
                    place.country.name,
                    place.country.region,
                    place.zone,
                    place.latitude,
                    place.longitude,
                    place.country.currency,
                )
                for place in places().values()
            ],
        )
        conn.execute("VACUUM")


def _fill(world: World, setting: Setting) -> None:
    counts, oracle = write_store(setting, world.store_path)
    _write_reference(world.reference_path)
    private = world.folder / _ORACLE
    private.write_text(json.dumps(oracle, ensure_ascii=False, indent=1, sort_keys=True) + "\n", "utf-8")
    private.chmod(0o600)
    facts: dict[str, Any] = {
        "name": world.name,
        "scale": world.scale,
        "digest": world.digest,
        "company": organisation.NAME,
        "sim_now": instant_text(setting.now),
        "rows": dict(sorted(counts.items())),
        "sha256": {name: _sha256(world.folder / name) for name in (_ORACLE, _REFERENCE, _STORE)},
    }
    facts["sha256"][_FACTS] = _sum_of(facts)
    (world.folder / _FACTS).write_text(json.dumps(facts, ensure_ascii=False, indent=1) + "\n", "utf-8")


def _build_beside(world: World) -> None:
    parent = world.folder.parent
    with tempfile.TemporaryDirectory(prefix=".building-", dir=parent, ignore_cleanup_errors=True) as temporary:
        target = Path(temporary) / "world"
        target.mkdir()
        fresh = World(world.name, world.scale, world.seed, world.digest, target)
        _fill(fresh, make_setting(world.name, world.scale, world.seed, world_key(world.digest)))
        target.rename(world.folder)


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    """Holds a lock between processes for one world of the cache."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        handle = open(folder.parent / f".{folder.name}.lock", "a")  # noqa: SIM115
    except OSError as error:
        raise WorldError(
            "no_permission",
            f"Cannot write to the cache of worlds, {folder.parent} ({error.strerror}).",
            f"Make it writable, or set {CACHE_VARIABLE} to a folder that is.",
        ) from error
    with handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _is_sound(world: World) -> bool:
    return world.folder.is_dir() and not check_world(world)


def _parse(name: str) -> tuple[str, str]:
    """Scale and seed of a world's name; the seed of a hidden world is made from the secret."""
    scale, _, number = name.partition(":")
    if scale not in SCALES or not (number.isdigit() and number[0] != "0"):
        hidden = number.removeprefix("test-")
        if scale in SCALES and number.startswith("test-") and hidden.isdigit():
            return scale, _hidden_seed(scale, hidden)
        close = nearest(name, [*world_names(), "small:test-1"])
        raise WorldError(
            "not_found",
            f'There is no world "{name}".',
            f"Worlds are named like small:1 or small:test-1; scales are {', '.join(SCALES)}.{close}",
        )
    return scale, number


def _hidden_seed(scale: str, number: str) -> str:
    path = os.environ.get(SECRET_VARIABLE)
    if not path:
        raise WorldError(
            "no_secret",
            f"The world {scale}:test-{number} is hidden and needs a secret.",
            f"Set {SECRET_VARIABLE} to a file that holds it.",
        )
    try:
        secret = Path(path).read_bytes().strip()
    except OSError as error:
        raise WorldError(
            "no_secret", f"The secret file {path} cannot be read ({error.strerror}).", f"Check {SECRET_VARIABLE}."
        ) from error
    if not secret:
        raise WorldError("no_secret", f"The secret file {path} is empty.", f"Check {SECRET_VARIABLE}.")
    return hmac.digest(secret, f"{scale}|{number}".encode(), "sha256").hex()


@cache
def _source_digest() -> str:
    digest = hashlib.sha256(kit_schema().encode())
    for app in shipped_apps().values():
        digest.update(app.schema.encode())
        for _path, data in rule_sources(app.package):
            digest.update(data)
    for name in _RULES_OF_APPS:
        digest.update(files("deskgym_apps.kit").joinpath(name).read_bytes())
    for path, data in sorted(_sources(files("deskgym_seeds"), "")):
        digest.update(f"{path}\0{len(data)}\0".encode() + data)
    return digest.hexdigest()


def rule_sources(package: str) -> list[tuple[str, bytes]]:
    """The modules of an app that seeds may import, since a world changes with them: path in the package, and text."""
    found: list[tuple[str, bytes]] = []
    for entry in files(package).iterdir():
        if entry.name.startswith(("rules", "defaults", "roles")):
            found += _sources(entry, f"{entry.name}/") if entry.is_dir() else [(entry.name, entry.read_bytes())]
    return sorted(found)


def _sources(folder: Traversable, prefix: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.is_dir() and entry.name != "__pycache__":
            yield from _sources(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith((".py", ".txt")):
            yield f"{prefix}{entry.name}", entry.read_bytes()


def _sum_of(facts: dict[str, Any]) -> str:
    """The checksum of the facts without the one of the facts themselves."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
