"""The rows in which two images of one table differ, read from their pages (SQLite's file format, b-tree pages).

For WITHOUT ROWID tables, whose rows are cells of an index b-tree. A page that both images have, byte for byte, holds
the same rows in both, so only the others are read. Exact or nothing: whatever is not plainly a sound tree in key
order raises Unreadable, and the caller compares in SQL.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from operator import lt
from struct import unpack_from
from typing import Any

from .row_bytes import Unreadable, record_values, varint

_INTERIOR, _LEAF = 2, 10
_MET = 32  # pages of copies that are remembered of a table


@dataclass(frozen=True)
class Image:
    """The bytes of a database file, whose pages have `size` bytes, of which `usable` hold content."""

    data: bytes
    size: int
    usable: int

    @classmethod
    def of(cls, data: bytes) -> Image:
        """The image of a file's bytes; its header says how large pages are."""
        size = int.from_bytes(data[16:18], "big")
        size = 65_536 if size == 1 else size
        return cls(data, size, size - data[20])

    @cached_property
    def most(self) -> int:
        """How long a row may be and stand in one page."""
        return (self.usable - 12) * 64 // 255 - 23

    def start(self, number: int) -> int:
        """Where page `number` (from 1) begins. Raises Unreadable where there is no such page."""
        if not 1 <= number <= len(self.data) // self.size:
            raise Unreadable(f"there is no page {number}")
        return (number - 1) * self.size


@dataclass(frozen=True)
class Node:
    """One page: `cells` are rows as records. An interior page has one child more than cells, before, between, after.

    `overflow`: the pages that hold the tails of long rows. `keys`: the primary key of each cell.
    """

    children: tuple[int, ...]
    cells: tuple[bytes, ...]
    overflow: tuple[int, ...]
    keys: tuple[tuple[Any, ...], ...]


Key = tuple[Any, ...]


@dataclass(frozen=True)
class Tree:
    """Every page of one table by number, the page of each row's tail, and the primary key of every record.

    `parents`: the page above each page. `spans`: the first and the last key under each page; none of an empty table.
    `between`: the keys that stand before and after each page in pages above it, None where none does.
    `met`: pages of copies by their bytes, since the next copy may have them too.
    """

    nodes: Mapping[int, Node]
    tails: Mapping[int, int]
    keys: Mapping[bytes, Key]
    parents: Mapping[int, int] = field(default_factory=dict)
    spans: Mapping[int, tuple[Key, Key]] = field(default_factory=dict)
    between: Mapping[int, tuple[Key | None, Key | None]] = field(default_factory=dict)
    met: dict[bytes, Node] = field(default_factory=dict, compare=False)

    def stale(self, differing: frozenset[int]) -> frozenset[int]:
        """The pages of which the rows may be others where these pages differ."""
        return differing.union(self.tails[page] for page in differing & self.tails.keys())

    def touched(self, stale: frozenset[int]) -> set[int]:
        """The pages of this tree with a stale page at or under them."""
        found: set[int] = set()
        for page in stale & self.nodes.keys():
            while page not in found:
                found.add(page)
                page = self.parents.get(page, page)
        return found


class _Walk:
    """One way through a tree in key order.

    The pages of `other` are the same here, but for those that are `stale`. What lies under a page of `other` that is
    not `touched` is the same from there down: it is `kept` as a whole, and its pages are not visited. Several of them
    that stood side by side, and still do with the same rows between, are in order among themselves.
    """

    def __init__(self, image: Image, root: int, width: int, other: Tree, stale: frozenset[int]) -> None:
        self._image, self._root, self._width = image, root, width
        self._other, self._stale = other, stale
        self._touched = other.touched(stale)
        self._last: Key | None = None
        self.nodes: dict[int, Node] = {}
        self.tails: dict[int, int] = {}
        self.kept: set[int] = set()

    def visit(self, number: int) -> None:
        node = self._other.nodes.get(number)
        if node is not None and number not in self._touched and number in self._other.spans:
            self._pass(*self._other.spans[number])
            self.kept.add(number)
            return
        if node is None or number in self._stale:
            node = _read_again(self._other, self._image, number, self._width)
        self._note(number, node)
        if not node.children:
            if node.cells:
                self._pass(node.keys[0], node.keys[-1])
            return
        at = 0
        while at < len(node.children):
            end = self._run(node, at)
            if end > at:
                self._keep(node.children[at:end])
            else:
                self.visit(node.children[at])
                end = at + 1
            if end <= len(node.keys):
                self._pass(node.keys[end - 1], node.keys[end - 1])
            at = end

    def _run(self, node: Node, at: int) -> int:
        """Where the children end, from `at` on, that are not touched and stand side by side in `other` as well."""
        children, keys, spans, touched = node.children, node.keys, self._other.spans, self._touched
        parent = self._other.parents.get(children[at])
        if parent is None:
            return at
        before = self._other.nodes[parent]
        first = before.children.index(children[at])
        end = at
        for child, known in zip(children[at:], before.children[first:], strict=False):
            if child != known or child in touched or child not in spans:
                break
            if end > at and keys[end - 1] != before.keys[first + end - at - 1]:
                break
            end += 1
        return end

    def _keep(self, pages: Sequence[int]) -> None:
        spans = self._other.spans
        self._pass(spans[pages[0]][0], spans[pages[-1]][1])
        self.kept.update(pages)

    def is_of_kept(self, number: int) -> bool:
        """Whether a page of rows or of a tail is at or under a page that was kept."""
        other = self._other
        page = number if number in other.nodes else other.tails.get(number)
        while page is not None and page not in self.kept:
            page = other.parents.get(page)
        return page is not None

    def _note(self, number: int, node: Node) -> None:
        if not node.cells and (node.children or number != self._root):
            raise Unreadable(f"page {number} is empty")
        if number in self.nodes:
            raise Unreadable(f"page {number} is used twice")
        self.nodes[number] = node
        for page in node.overflow:
            if page in self.tails:
                raise Unreadable(f"page {page} is used twice")
            self.tails[page] = number

    def _pass(self, first: Key, final: Key) -> None:
        if self._last is not None and not self._last < first:
            raise Unreadable(f"{first} follows {self._last}")
        self._last = final


def _walk(image: Image, root: int, width: int, other: Tree, stale: frozenset[int]) -> _Walk:
    walk = _Walk(image, root, width, other, stale)
    try:
        walk.visit(root)
    except (TypeError, RecursionError) as error:
        raise Unreadable(f"its keys have no order, or it has no end: {error}") from error
    if not walk.tails.keys().isdisjoint(walk.nodes) or any(map(walk.is_of_kept, chain(walk.nodes, walk.tails))):
        raise Unreadable("a page is used for rows and for the tail of one, or for two tails")
    return walk


def read_tree(image: Image, root: int, width: int) -> Tree:
    """Every page of a table, of which `width` columns are the primary key, ascending and compared bytewise.

    Raises Unreadable.
    """
    walk = _walk(image, root, width, Tree({}, {}, {}), frozenset())
    keys = {cell: key for node in walk.nodes.values() for cell, key in zip(node.cells, node.keys, strict=True)}
    parents = {child: number for number, node in walk.nodes.items() for child in node.children}
    spans = {number: (_end(walk.nodes, number, 0), _end(walk.nodes, number, -1)) for number in walk.nodes if keys}
    return Tree(walk.nodes, walk.tails, keys, parents, spans, dict(_between(walk.nodes, root)))


def _between(nodes: Mapping[int, Node], root: int) -> Iterator[tuple[int, tuple[Key | None, Key | None]]]:
    """Each page with the keys before and after it in pages above it."""
    waiting: list[tuple[int, Key | None, Key | None]] = [(root, None, None)]
    while waiting:
        number, low, high = waiting.pop()
        yield number, (low, high)
        node = nodes[number]
        ends = (low, *node.keys, high)
        waiting += [(child, ends[at], ends[at + 1]) for at, child in enumerate(node.children)]


def _end(nodes: Mapping[int, Node], number: int, side: int) -> Key:
    """The first (`side` 0) or last (-1) key under a page."""
    while nodes[number].children:
        number = nodes[number].children[side]
    return nodes[number].keys[side]


def changed_records(
    before: Tree, image: Image, root: int, width: int, differing: frozenset[int]
) -> tuple[list[bytes], list[bytes]]:
    """The records that only `before` has, and those that only the tree in `image` has, whose root is the same page.

    `differing`: every page of the two images that is not the same in both. Raises Unreadable.
    """
    stale = before.stale(differing)
    leaves = _leaves(before, image, root, width, stale)
    if leaves is not None:
        return _apart((before.nodes[number] for number in leaves), leaves.values())
    walk = _walk(image, root, width, before, stale)
    return _apart((before.nodes[number] for number in _left(before, root, walk.kept)), walk.nodes.values())


def _apart(before: Iterable[Node], after: Iterable[Node]) -> tuple[list[bytes], list[bytes]]:
    """The rows of some pages that only one side has. Neither has a row twice, since its keys ascend."""
    gone: set[bytes] = set()
    came: set[bytes] = set()
    for node in before:
        gone.update(node.cells)
    for node in after:
        came.update(node.cells)
    return list(gone - came), list(came - gone)


def _leaves(before: Tree, image: Image, root: int, width: int, stale: frozenset[int]) -> dict[int, Node] | None:
    """The stale pages as they are now, where all that differs is rows in leaves: every page above them is the same.

    None where that is not so, or not plain: rows with tails, keys out of place.
    """
    found: dict[int, Node] = {}
    for number in stale & before.nodes.keys():
        old = before.nodes[number]
        if old.children or old.overflow:
            return None
        node = _read_again(before, image, number, width)
        if node.children or node.overflow or not (node.cells or number == root):
            return None
        if node.cells and not _fits(before.between[number], node.keys[0], node.keys[-1]):
            return None
        found[number] = node
    return found


def _read_again(before: Tree, image: Image, number: int, width: int) -> Node:
    """A page by its bytes: where no row has a tail, what it holds depends on nothing else."""
    start = image.start(number)
    page = image.data[start : start + image.size]
    node = before.met.get(page)
    if node is None:
        node = _read_node(image, number, width, before.keys)
        if not node.overflow:
            if len(before.met) >= _MET:
                before.met.clear()
            before.met[page] = node
    return node


def _fits(between: tuple[Key | None, Key | None], first: Key, final: Key) -> bool:
    low, high = between
    try:
        return (low is None or low < first) and (high is None or final < high)
    except TypeError:
        return False


def _left(tree: Tree, number: int, kept: Collection[int]) -> Iterator[int]:
    """The pages at and under a page that no kept page has at or under it."""
    if number not in kept:
        yield number
        for child in tree.nodes[number].children:
            yield from _left(tree, child, kept)


def _read_node(image: Image, number: int, width: int, known: Mapping[bytes, Key]) -> Node:
    """One page; `known`: the keys of records that were read before."""
    data, start = image.data, image.start(number)
    kind, count = data[start], int.from_bytes(data[start + 3 : start + 5], "big")
    if kind not in (_INTERIOR, _LEAF):
        raise Unreadable(f"page {number} is of kind {kind}")
    head = 12 if kind == _INTERIOR else 8
    if head + 2 * count > image.usable:
        raise Unreadable(f"page {number} has no room for {count} cells")
    overflow: list[int] = []
    places = [start + place for place in unpack_from(f">{count}H", data, start + head)]
    children: tuple[int, ...] = ()
    if kind == _INTERIOR:
        children = tuple(int.from_bytes(data[at : at + 4], "big") for at in (*places, start + 8))
        places = [at + 4 for at in places]
    end = start + image.usable
    cells = [  # most rows are short
        data[at + 1 : at + 1 + data[at]]
        if at < end and data[at] < 0x80 and at + data[at] < end
        else _payload(image, at, end, overflow)
        for at in places
    ]
    keys = [known.get(cell) or tuple(record_values(cell, width)) for cell in cells]
    if not all(map(lt, keys, keys[1:])):
        raise Unreadable(f"the rows of page {number} are not in order")
    return Node(children, tuple(cells), tuple(overflow), tuple(keys))


def _payload(image: Image, at: int, end: int, overflow: list[int]) -> bytes:
    """The record of the cell at `at` in a page that ends at `end`; its overflow pages are noted."""
    data, usable = image.data, image.usable
    if at + 9 > len(data):
        raise Unreadable("a cell lies outside the file")
    length, at = varint(data, at)
    if length > len(data):
        raise Unreadable("a row is longer than the file")
    local = length if length <= image.most else _local_length(image, length)
    if at + local + (4 if local < length else 0) > end:
        raise Unreadable("a cell does not fit in its page")
    record = data[at : at + local]
    following = int.from_bytes(data[at + local : at + local + 4], "big") if local < length else 0
    while len(record) < length:
        start = image.start(following)
        overflow.append(following)
        record += data[start + 4 : start + 4 + min(usable - 4, length - len(record))]
        following = int.from_bytes(data[start : start + 4], "big")
    return record


def _local_length(image: Image, length: int) -> int:
    """How much of a row that is too long for its page stands in it."""
    least = (image.usable - 12) * 32 // 255 - 23
    local = least + (length - least) % (image.usable - 4)
    return local if local <= image.most else least
