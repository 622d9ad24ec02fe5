"""Comparing by pages gives what comparing every row gives, whatever was written and whatever was bent."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deskgym_apps.kit.store import Store
from deskgym_graders import pages
from deskgym_graders.btree import Image, changed_records, read_tree
from deskgym_graders.diff import Atom, diff_stores
from deskgym_graders.pages import Comparison
from deskgym_graders.row_bytes import Unreadable, all_values, record_values

steady = settings(derandomize=True, deadline=None, max_examples=60)
SCHEMA = """
CREATE TABLE t_wide(name TEXT NOT NULL, body TEXT, part INTEGER NOT NULL, size INTEGER, PRIMARY KEY(part, name))
  STRICT, WITHOUT ROWID;
CREATE INDEX t_wide_size ON t_wide(size);
CREATE TABLE t_small(id TEXT NOT NULL PRIMARY KEY, n INTEGER) STRICT, WITHOUT ROWID;
CREATE TABLE jrn_command(seq INTEGER NOT NULL PRIMARY KEY) STRICT;
"""
# Of every width that a record has, and of rows in their page, with a tail, and with a tail of several pages.
NUMBERS = (None, 0, 1, -1, 127, -129, 40_000, -9_000_000, 2**31, 2**40, -(2**47), 2**63 - 1, -(2**63))
BODIES = ("", "x", "é漢🙂", "b" * 900, "c" * 1002, "d" * 1003, "e" * 5_000, "f" * 13_000)


def _image() -> bytes:
    draw = random.Random(7)
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as conn:
        conn.executescript(SCHEMA)
        for number in range(900):
            body = draw.choice(BODIES[:4]) if number % 9 else draw.choice(BODIES)
            row = (f"n{number:04}é", body, draw.choice((-3, 0, 5, 70_000)), draw.choice(NUMBERS))
            conn.execute("INSERT INTO t_wide VALUES (?, ?, ?, ?)", row)
        conn.executemany("INSERT INTO t_small VALUES (?, ?)", [(f"s{number}", number) for number in range(9)])
        conn.execute("VACUUM")
        return conn.serialize()


IMAGE = _image()
WORLD = Store.memory(IMAGE)
# Copies are written without triggers: what matters is which rows they hold.
WRITES = {
    "insert": "INSERT OR IGNORE INTO t_wide VALUES (:name, :body, :part, :size)",
    "grow": "UPDATE t_wide SET body = :body WHERE name LIKE :name || '%'",
    "number": "UPDATE t_wide SET size = :size WHERE part = :part AND name > :name",
    "remove": "DELETE FROM t_wide WHERE name BETWEEN :name AND :name || '5'",
    "clear": "DELETE FROM t_wide WHERE part = :part",
    "small": "INSERT OR REPLACE INTO t_small VALUES (:name, :size)",
}


@pytest.fixture(scope="module", autouse=True)
def _close_world() -> Iterator[None]:
    yield
    WORLD.close()


writes = st.lists(
    st.tuples(
        st.sampled_from(sorted(WRITES)),
        st.fixed_dictionaries(
            {
                "name": st.sampled_from([f"n{number:03}" for number in range(0, 100, 3)]),
                "body": st.sampled_from((None, *BODIES)),
                "part": st.sampled_from((-3, 0, 5, 70_000, -70_000)),
                "size": st.sampled_from(NUMBERS),
            }
        ),
    ),
    max_size=8,
)


def _in_sql(copy: Store) -> tuple[Atom, ...]:
    return diff_stores(WORLD, copy, journaled=True)


@given(done=writes)
@steady
def test_the_pages_tell_what_the_rows_tell(done: list[tuple[str, dict[str, object]]]) -> None:
    with Store.memory(IMAGE) as copy, pytest.MonkeyPatch.context() as patch:
        for name, values in done:
            copy.conn.execute(WRITES[name], values)
        wanted = _in_sql(copy)
        patch.setattr(pages, "diff_stores", None)  # nothing is left to SQL
        compared = Comparison(WORLD, copy)
        assert compared.same_schema
        assert compared.by_page
        assert compared.atoms() == wanted


def test_rows_written_back_on_other_pages_are_no_difference() -> None:
    with Store.memory(IMAGE) as copy:
        rows = copy.all("SELECT * FROM t_wide")
        copy.conn.execute("DELETE FROM t_wide")
        copy.conn.executemany("INSERT INTO t_wide VALUES (:name, :body, :part, :size)", rows[::-1])
        compared = Comparison(WORLD, copy)
        assert "t_wide" in (compared.tables or ())
        assert compared.atoms() == ()


def _bent(draw: random.Random) -> bytes:
    """The image with a few bytes of one page of a table, or of its header, changed."""
    owned = [page for page, owner in pages._owners(WORLD).items() if owner.startswith("t_")]
    data = bytearray(IMAGE)
    start = (draw.choice(owned) - 1) * 4096
    for _ in range(draw.choice((1, 1, 2, 8))):
        at = start + (draw.randrange(12) if draw.random() < 0.4 else draw.randrange(4096))
        data[at] = draw.choice((0, 255, data[at] ^ 1, data[at] ^ 128, draw.randrange(256)))
    return bytes(data)


@pytest.mark.parametrize("seed", range(8))
def test_whatever_bytes_are_bent_nothing_is_missed_that_the_rows_show(seed: int) -> None:
    draw = random.Random(seed)
    seen = {"none": 0, "some": 0, "unreadable": 0}
    for _ in range(60):
        with Store.memory(_bent(draw)) as copy:
            try:
                wanted: object = _in_sql(copy)
            except (sqlite3.Error, ValueError):  # a row that SQLite or Python cannot read
                wanted = None
            try:
                found: object = Comparison(WORLD, copy).atoms()
            except (sqlite3.Error, ValueError):
                found = None
            assert found == wanted
            seen["unreadable" if wanted is None else "some" if wanted else "none"] += 1
    assert min(seen.values()) > 0, seen


def test_trees_that_no_table_has_are_refused() -> None:
    image = Image.of(IMAGE)
    with pytest.raises(Unreadable, match="no page 0"):
        read_tree(image, 0, 1)
    with pytest.raises(Unreadable, match="is of kind"):
        read_tree(image, 1, 1)  # the schema's own, which is of another kind
    (root,) = WORLD.conn.execute("SELECT rootpage FROM sqlite_schema WHERE name = 't_wide'").fetchone()
    bent = bytearray(IMAGE)
    bent[image.start(root) + 8 : image.start(root) + 12] = root.to_bytes(4, "big")
    with pytest.raises(Unreadable, match="used twice"):
        read_tree(Image.of(bytes(bent)), root, 2)
    with pytest.raises(Unreadable, match="values short"):
        list(record_values(b"\x02\x09", 2))
    with pytest.raises(Unreadable, match="of type 7"):
        all_values(b"\x02\x07" + bytes(8))


def test_a_row_that_left_its_place_in_the_order_makes_a_tree_unreadable_though_its_page_is_in_order() -> None:
    shape, world = WORLD.shapes["t_wide"], pages._world(WORLD)
    tree, root = world.tree(shape), world.roots["t_wide"]
    leaves = [number for number, node in tree.nodes.items() if number != root and not (node.children or node.overflow)]
    for number in leaves[1:4]:
        cell = tree.nodes[number].cells[-1]
        bent = bytearray(IMAGE)
        at = IMAGE.index(cell, world.image.start(number)) + cell.index(tree.nodes[number].keys[-1][1].encode())
        bent[at] = ord("z")
        with pytest.raises(Unreadable, match="follows"):
            changed_records(tree, Image.of(bytes(bent)), root, 2, frozenset({number}))


@pytest.mark.parametrize("statement", ["PRAGMA user_version = 3", "DROP INDEX t_wide_size", "VACUUM"])
def test_where_more_than_rows_was_changed_pages_do_not_speak_for_rows(statement: str) -> None:
    with Store.memory(IMAGE) as copy:
        copy.conn.execute("DELETE FROM t_wide WHERE part = 5")
        copy.conn.execute(statement)
        compared = Comparison(WORLD, copy)
        assert compared.same_schema == ("DROP" not in statement)
        assert not compared.by_page
        assert compared.tables is None
        assert compared.atoms() == _in_sql(copy) != ()
