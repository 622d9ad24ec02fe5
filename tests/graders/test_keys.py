"""Looking at what changed finds every broken foreign key that checking the whole store finds."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deskgym_apps.kit.store import Store
from deskgym_graders.diff import diff_stores
from deskgym_graders.keys import broken_keys, links_of

steady = settings(derandomize=True, deadline=None, max_examples=150)
SCHEMA = """
CREATE TABLE t_owner(id TEXT NOT NULL PRIMARY KEY, email TEXT UNIQUE) STRICT, WITHOUT ROWID;
CREATE TABLE t_place(row INTEGER NOT NULL, seat INTEGER NOT NULL, PRIMARY KEY(row, seat)) STRICT, WITHOUT ROWID;
CREATE TABLE t_item(
  id INTEGER NOT NULL PRIMARY KEY, owner TEXT REFERENCES t_owner, mail TEXT REFERENCES t_owner(email),
  row INTEGER, seat INTEGER, parent INTEGER REFERENCES t_item(id), label TEXT,
  FOREIGN KEY(row, seat) REFERENCES t_place(row, seat)
) STRICT, WITHOUT ROWID;
"""


def _image(*more: str) -> bytes:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as conn:
        conn.executescript(SCHEMA)
        conn.executemany("INSERT INTO t_owner VALUES (?, ?)", [(f"o{n}", f"m{n}") for n in range(4)])
        conn.executemany("INSERT INTO t_place VALUES (?, ?)", [(n, n % 2) for n in range(4)])
        rows = [(n, f"o{n % 4}", f"m{n % 3}", n % 4, n % 2, max(0, n - 3), "x") for n in range(8)]
        conn.executemany("INSERT INTO t_item VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        for statement in more:
            conn.execute(statement)
        return conn.serialize()


IMAGE = _image()
WORLD = Store.memory(IMAGE)
ONE = st.integers(0, 9)
WRITES = (
    "UPDATE t_item SET owner = 'o' || :a WHERE id = :b",
    "UPDATE t_item SET mail = 'm' || :a WHERE id = :b",
    "UPDATE t_item SET mail = NULL, owner = NULL WHERE id = :b",
    "UPDATE t_item SET seat = :a WHERE id = :b",
    "UPDATE t_item SET row = NULL WHERE id = :b",
    "UPDATE t_item SET parent = :a, label = 'y' WHERE id = :b",
    "UPDATE t_owner SET email = 'm' || :a WHERE id = 'o' || :b",
    "INSERT INTO t_item VALUES (:a + 8, 'o' || :b, NULL, :a, :b, NULL, NULL)",
    "INSERT INTO t_owner VALUES ('o' || :a, 'm' || :b)",
    "DELETE FROM t_item WHERE id = :a",
    "DELETE FROM t_owner WHERE id = 'o' || :a",
    "DELETE FROM t_place WHERE row = :a",
)
writes = st.lists(st.tuples(st.sampled_from(WRITES), ONE, ONE), max_size=5)


@pytest.fixture(scope="module", autouse=True)
def _close_world() -> Iterator[None]:
    yield
    WORLD.close()


@given(done=writes)
@steady
def test_the_rows_that_changed_tell_of_every_broken_key(done: list[tuple[str, int, int]]) -> None:
    with Store.memory(IMAGE) as copy:
        copy.conn.execute("PRAGMA foreign_keys = OFF")
        for sql, a, b in done:
            with suppress(sqlite3.IntegrityError):
                copy.conn.execute(sql, {"a": a, "b": b})
        whole = sorted(row[0] for row in copy.conn.execute("PRAGMA foreign_key_check"))
        assert sorted(broken_keys(WORLD, copy, diff_stores(WORLD, copy))) == whole


def test_links_name_the_columns_of_the_parent_even_where_the_schema_leaves_them_out() -> None:
    found = {(link.columns, link.parent, link.named) for link in links_of(WORLD) or ()}
    assert found == {
        (("owner",), "t_owner", ("id",)),
        (("mail",), "t_owner", ("email",)),
        (("row", "seat"), "t_place", ("row", "seat")),
        (("parent",), "t_item", ("id",)),
    }


def test_where_the_image_itself_breaks_a_key_everything_is_checked() -> None:
    image = _image("UPDATE t_item SET owner = 'nobody' WHERE id = 1")
    with Store.memory(image) as world, Store.memory(image) as copy:
        assert links_of(world) is None
        assert broken_keys(world, copy, ()) == ["t_item"]
