"""Readers that are quicker than a database say what it says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fixtures.w1.world import open_world

from deskgym_apps.kit.roles import Row
from deskgym_apps.kit.store import Store
from deskgym_graders.diff import Atom, Ins, diff_stores
from deskgym_graders.overlay import Overlay
from deskgym_graders.remembered import Remembered

OWNERS = (*(f"U{number}" for number in range(4)), None, 7)
CHANGES = st.lists(st.tuples(st.sampled_from(["insert", "update", "delete"]), st.integers(0, 9), st.integers(0, 5)))


@pytest.fixture(scope="module")
def world() -> Iterator[Store]:
    with open_world() as store:
        yield store


def _change(store: Store, done: list[tuple[str, int, int]]) -> None:
    store.conn.execute("PRAGMA foreign_keys = OFF")
    store.conn.execute("INSERT INTO jrn_open VALUES (1, 0, 'inject')")
    (row,) = store.all("SELECT * FROM w1_opp ORDER BY id LIMIT 1")
    for kind, number, owner in done:
        key = f"O{number}"
        store.conn.execute("DELETE FROM w1_opp WHERE id = ?", (key,)) if kind != "update" else None
        if kind == "update":
            store.conn.execute("UPDATE w1_opp SET owner_id = ? WHERE id = ?", (str(OWNERS[owner % 4]), key))
        elif kind == "insert":
            new = row | {"id": key, "owner_id": str(OWNERS[owner % 4])}
            marks = ", ".join("?" for _ in new)
            store.conn.execute(f"INSERT INTO w1_opp({', '.join(new)}) VALUES ({marks})", tuple(new.values()))
    store.conn.execute("DELETE FROM jrn_open")


@given(done=CHANGES)
@settings(derandomize=True, deadline=None, max_examples=100)
def test_an_overlay_selects_what_the_changed_store_selects(done: list[tuple[str, int, int]]) -> None:
    with open_world() as world, open_world() as copy:
        _change(copy, done)
        state = Overlay(world, diff_stores(world, copy))
        selections: list[dict[str, Any]] = [
            {},
            *({"owner_id": owner} for owner in OWNERS),
            {"owner_id": "U1", "id": "O1"},
        ]
        for equals in selections:
            assert list(state.select("w1_opp", **equals)) == list(copy.select("w1_opp", **equals)), equals


def test_an_overlay_tells_values_of_another_type_apart(world: Store) -> None:
    row = dict(next(world.select("w1_opp")))
    forged = Overlay(world, [_insert(row | {"id": "X1", "owner_id": 1}), _insert(row | {"id": "X2", "owner_id": True})])
    assert [found["id"] for found in forged.select("w1_opp", owner_id=1)] == ["X1"]
    assert [found["id"] for found in forged.select("w1_opp", owner_id="1")] == []


def _insert(row: dict[str, Any]) -> Atom:
    return Ins("w1_opp", (row["id"],), row)


class _Counted:
    def __init__(self, source: Store) -> None:
        self.source, self.asked = source, 0

    def get(self, table: str, key: Any) -> Row | None:
        self.asked += 1
        return self.source.get(table, key)

    def select(self, table: str, **equals: Any) -> Iterator[Row]:
        self.asked += 1
        return self.source.select(table, **equals)


def test_what_is_remembered_is_asked_for_once_and_nobody_can_change_it(world: Store) -> None:
    counted = _Counted(world)
    state = Remembered(counted)
    for _ in range(2):
        row = state.get("w1_opp", ("O1",))
        assert row == world.get("w1_opp", ("O1",))
        assert isinstance(row, dict)
        row["owner_id"] = "changed"
        assert state.get("w1_opp", ("none",)) is None
        for equals in ({}, {"owner_id": "U1"}, {"owner_id": None}):
            rows = list(state.select("w1_opp", **equals))
            assert rows == list(world.select("w1_opp", **equals))
            for one in rows:
                assert isinstance(one, dict)
                one["owner_id"] = "changed"
    assert counted.asked == 5


def test_a_selection_that_is_remembered_is_that_of_its_very_values(world: Store) -> None:
    state = Remembered(world)
    assert len({len(list(state.select("w1_opp", owner_id=owner))) for owner in ("U1", "U2", None, 1)}) > 1
    for owner in ("U1", 1, True, None, "U2"):
        assert list(state.select("w1_opp", owner_id=owner)) == list(world.select("w1_opp", owner_id=owner))
