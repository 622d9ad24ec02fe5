"""Which tables of a copy can differ from its image: those with a page that does (full comparison, but cheap).

A table's rows live in the pages of its b-tree. Where both keep every b-tree at the same root page, and every page that
the image uses for a table is, byte for byte, the same in the copy, then so are its rows; a page of an index counts for
its table. Only the other tables need to be compared row by row. Where a root page differs (rebuilt, or bent to other
pages), or SQLite was built without `dbstat`, every table is compared.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from weakref import WeakKeyDictionary

from deskgym_apps.kit.store import Store


@dataclass(frozen=True)
class _Image:
    data: bytes
    page_size: int
    owners: dict[int, str]
    roots: list[tuple[str, str, str, int]]


_memory: WeakKeyDictionary[Store, _Image] = WeakKeyDictionary()


@lru_cache(maxsize=4)
def _file_bytes(path: Path, _size: int, _changed: int) -> bytes:
    return path.read_bytes()


@lru_cache(maxsize=4)
def _file_owners(path: Path, _size: int, _changed: int) -> dict[int, str]:
    with Store.read_image(path) as world:
        return _owners(world)


def _stamp(path: Path) -> tuple[Path, int, int]:
    status = path.stat()
    return path, status.st_size, status.st_mtime_ns


def image_bytes(world: Store) -> bytes:
    """The image of a world as `Store.memory` takes it; the last few files are kept."""
    return _file_bytes(*_stamp(world.path)) if world.path is not None else _image(world).data


def _owners(world: Store) -> dict[int, str]:
    try:
        pages = world.conn.execute("SELECT pageno, name FROM dbstat WHERE schema = 'main'").fetchall()
    except sqlite3.OperationalError:
        return {}
    tables = {name: table for _, name, table, _ in _roots(world)}
    return {page: tables.get(name, name) for page, name in pages}


def _roots(store: Store) -> list[tuple[str, str, str, int]]:
    """Type, name, table and root page of everything in the schema. Equal SQL does not make them equal."""
    rows = store.conn.execute("SELECT type, name, tbl_name, rootpage FROM main.sqlite_schema ORDER BY type, name")
    return [(row[0], row[1], row[2], row[3]) for row in rows]


def _page_size(data: bytes) -> int:
    size = int.from_bytes(data[16:18], "big")
    return 65_536 if size == 1 else size


def _image(world: Store) -> _Image:
    if world.path is not None:
        data = _file_bytes(*_stamp(world.path))
        return _Image(data, _page_size(data), _file_owners(*_stamp(world.path)), _roots(world))
    known = _memory.get(world)
    if known is None:
        data = world.conn.serialize()
        known = _memory[world] = _Image(data, _page_size(data), _owners(world), _roots(world))
    return known


def tables_that_may_differ(world: Store, s1: Store) -> frozenset[str] | None:
    """Tables of which a page differs; None where that cannot be told. Both have the same schema.

    `world` is an image that nobody writes. Inside a read transaction of S1.
    """
    image = _image(world)
    now, size = s1.conn.serialize(), image.page_size
    if not image.owners or now[16:18] != image.data[16:18] or _roots(s1) != image.roots:
        return None
    return frozenset(
        owner
        for page, owner in image.owners.items()
        if now[(page - 1) * size : page * size] != image.data[(page - 1) * size : page * size]
    )
