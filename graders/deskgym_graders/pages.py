"""What a copy differs in from its image, found by comparing pages: full comparison, but cheap.

A table's rows live in the pages of its b-tree. Where schema and root pages are the image's, every table of which all
pages are, byte for byte, those of the image has the image's rows; of the others only the pages that differ are read
(btree.py). A table whose pages cannot be read so is compared row by row; where a root page differs (rebuilt, or bent
to other pages), or SQLite was built without `dbstat`, every table is.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from weakref import WeakKeyDictionary

from deskgym_apps.kit.roles import Row
from deskgym_apps.kit.schema import TableShape, is_journaled, schema_text
from deskgym_apps.kit.store import Store

from .btree import Image, Tree, changed_records, read_tree
from .diff import Atom, diff_rows, diff_stores, sort_key
from .remembered import Remembered
from .row_bytes import Unreadable, all_values, stored_columns

_SCHEMA = ("sqlite_schema", "sqlite_master")
_AT_ONCE = 8  # pages compared together
_MAPPED = 256 * 2**20
# What a write changes in the first 100 bytes: WAL or not, counters, size, free pages, the version of SQLite.
_COUNTERS = ((18, 20), (24, 40), (92, 100))


@dataclass(frozen=True)
class _World:
    """What is read of an image that nobody writes, once a process."""

    image: Image
    owners: Mapping[int, str]
    roots: Mapping[str, int]
    schema: str
    trees: dict[str, Tree] = field(default_factory=dict)

    @cached_property
    def parts(self) -> tuple[bytes, ...]:
        """The bytes again, in parts of `_AT_ONCE` pages: what a copy is compared with."""
        step = self.image.size * _AT_ONCE
        return tuple(self.image.data[at : at + step] for at in range(0, len(self.image.data), step))

    def tree(self, shape: TableShape) -> Tree:
        """The pages of a table. Raises Unreadable."""
        if shape.name not in self.trees:
            self.trees[shape.name] = read_tree(self.image, self.roots[shape.name], len(shape.key))
        return self.trees[shape.name]


_known: WeakKeyDictionary[Store, _World] = WeakKeyDictionary()


def _world(world: Store) -> _World:
    known = _known.get(world)
    if known is None:
        data = world.conn.serialize() if world.path is None else world.path.read_bytes()
        roots = {name: root for kind, name, _, root in _places(world) if kind == "table"}
        known = _known[world] = _World(Image.of(data), _owners(world), roots, schema_hash(world))
    return known


def image_bytes(world: Store) -> bytes:
    """The image of a world as `Store.memory` takes it; kept as long as the store."""
    return _world(world).image.data


def world_schema(world: Store) -> str:
    """SHA-256 of an image's schema; read once."""
    return _world(world).schema


def schema_hash(store: Store) -> str:
    """SHA-256 of a store's schema."""
    return hashlib.sha256(schema_text(store.conn).encode()).hexdigest()


def _owners(world: Store) -> dict[int, str]:
    """The table of every page in use, those of its indexes and of long rows included; empty without `dbstat`."""
    try:
        pages = world.conn.execute("SELECT pageno, name FROM dbstat WHERE schema = 'main'").fetchall()
    except sqlite3.OperationalError:
        return {}
    tables = {name: table for _, name, table, _ in _places(world)}
    return {page: tables.get(name, name) for page, name in pages}


def _places(store: Store) -> list[tuple[str, str, str, int]]:
    """Type, name, table and root page of everything in the schema. Equal SQL does not make them equal."""
    rows = store.conn.execute("SELECT type, name, tbl_name, rootpage FROM main.sqlite_schema ORDER BY type, name")
    return [(row[0], row[1], row[2], row[3]) for row in rows]


def _lasting(header: bytes) -> bytes:
    """A file's first 100 bytes without what every write changes."""
    kept = bytearray(header[:100])
    for start, end in _COUNTERS:
        kept[start:end] = bytes(end - start)
    return bytes(kept)


def _differing(before: Sequence[bytes], after: bytes, size: int) -> frozenset[int]:
    """The numbers of the pages that are not the same in both, those that only one of them has included.

    `before` comes in parts of `_AT_ONCE` pages.
    """
    found = []
    for number, part in enumerate(before):
        if not after.startswith(part, start := number * size * _AT_ONCE):
            pages = range(0, len(part), size)
            found += [
                (start + at) // size + 1 for at in pages if not after.startswith(part[at : at + size], start + at)
            ]
    length = sum(map(len, before))
    return frozenset((*found, *range(length // size + 1, len(after) // size + 1)))


def _bytes(copy: Store) -> bytes:
    """What a file of the copy's present state would hold. Inside a read transaction."""
    if copy.path is None:
        return copy.conn.serialize()
    copy.conn.execute(f"PRAGMA mmap_size = {_MAPPED}")  # else each page costs a call to the system
    try:
        return copy.conn.serialize()
    finally:
        copy.conn.execute("PRAGMA mmap_size = 0")


class Comparison:
    """A copy beside its image `world`, which nobody writes. Make and use it inside one read transaction of the copy.

    `rows_before` reads the image's rows, each once.
    """

    def __init__(self, world: Store, copy: Store) -> None:
        self._world, self._copy = world, copy
        self.rows_before = Remembered(world)
        self._before = _world(world)
        self._after = Image.of(_bytes(copy))
        self._pages = _differing(self._before.parts, self._after.data, self._before.image.size)

    @property
    def pages(self) -> int:
        """How many pages are not the same in both."""
        return len(self._pages)

    @cached_property
    def _same_schema_pages(self) -> bool:
        """Whether statements and root pages are, byte for byte, the image's."""
        before, after = self._before.image.data, self._after.data
        if not self._before.owners or _lasting(before) != _lasting(after):
            return False
        size = self._before.image.size
        changed = any(page != 1 and self._before.owners.get(page) in _SCHEMA for page in self._pages)
        return not changed and before[100:size] == after[100:size]

    @cached_property
    def same_schema(self) -> bool:
        """Whether tables, indexes and triggers are the image's."""
        return self._same_schema_pages or schema_hash(self._copy) == self._before.schema

    @cached_property
    def by_page(self) -> bool:
        """Whether a table of which no page differs is known to have the image's rows."""
        if self._same_schema_pages:
            return True
        before, after = self._before.image.data, self._after.data
        if not self._before.owners or _lasting(before) != _lasting(after):
            return False
        return _places(self._copy) == _places(self._world)

    @cached_property
    def tables(self) -> frozenset[str] | None:
        """The tables of which a page differs; None where that cannot be told."""
        if not self.by_page:
            return None
        return frozenset(self._before.owners[page] for page in self._pages if page in self._before.owners)

    def atoms(self, *, attached: bool = False) -> tuple[Atom, ...]:
        """What `diff_stores` gives for every recorded table. Both have the same schema; `attached` as there."""
        if self.tables is None:
            return diff_stores(self._world, self._copy, attached=attached, journaled=True)
        atoms: list[Atom] = []
        for name in sorted(filter(is_journaled, self.tables & self._world.shapes.keys())):
            try:
                atoms += self._by_page(self._world.shapes[name])
            except Unreadable:
                atoms += diff_stores(self._world, self._copy, attached=attached, journaled=True, only=(name,))
        return tuple(sorted(atoms, key=sort_key))

    def _by_page(self, shape: TableShape) -> list[Atom]:
        if "collate" in shape.sql.lower():
            raise Unreadable("its keys may have an order of their own")
        before, root = self._before.tree(shape), self._before.roots[shape.name]
        gone, came = changed_records(before, self._after, root, len(shape.key), self._pages)
        return diff_rows(shape, [_row(shape, record) for record in gone], [_row(shape, record) for record in came])


def _row(shape: TableShape, record: bytes) -> Row:
    values = all_values(record)
    stored = dict(zip(stored_columns(shape.columns, shape.key), values, strict=False))
    if len(values) != len(shape.columns):
        raise Unreadable(f"a row of {shape.name} has {len(values)} values")
    return {name: stored[name] for name in shape.columns}


def tables_that_may_differ(world: Store, s1: Store) -> frozenset[str] | None:
    """Tables of which a page differs; None where that cannot be told. Both have the same schema.

    `world` is an image that nobody writes. Inside a read transaction of S1.
    """
    return Comparison(world, s1).tables
