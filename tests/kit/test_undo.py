"""Any commands, then undo: the full dump is what it was, and so are the next ids."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings
from tests.fixtures.pad.world import ANA, BEN, MILK

from deskgym_apps.desk import service as desk
from deskgym_apps.kit.call import advance_clock, run
from deskgym_apps.kit.canonical import StateHasher, canonical_bytes, full_dump, state_hash
from deskgym_apps.kit.errors import ServiceError
from deskgym_apps.kit.store import Store
from deskgym_apps.kit.undo import undo_all

Step = tuple[str, int, int]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["write", "change", "tag", "tear", "layout", "clock", "refused"]),
        st.integers(0, 30),
        st.integers(0, 30),
    ),
    max_size=40,
)


def _note(store: Store, pick: int) -> dict[str, Any]:
    rows = list(store.select("pad_note"))
    return dict(rows[pick % len(rows)]) if rows else {"id": MILK, "row_version": 1}


def take(store: Store, step: Step) -> None:
    """Carry out one step; what the service refuses is part of the game."""
    kind, pick, number = step
    note = _note(store, pick)
    person = (ANA, BEN)[number % 2]
    commands: dict[str, tuple[str, dict[str, Any]]] = {
        "write": ("pad.write_note", {"title": f"n{number}", "parent_id": note["id"], "remind_at": _soon(number)}),
        "change": ("pad.change_note", _changes(note, number)),
        "tag": ("pad.tag_note", {"id": note["id"], "words": [f"w{index}" for index in range(number % 5)]}),
        "tear": ("pad.tear_off", {"id": note["id"]}),
        "layout": ("pad.choose_layout", {"layout": f"l{number}"}),
        "refused": ("pad.change_note", {"id": note["id"], "row_version": 1, "values": {"title": "!"}}),
    }
    try:
        if kind == "clock":
            advance_clock(store, number * 600 + 1)
        else:
            name, arguments = commands[kind]
            run(store, name, arguments, person_id=person, channel="ui", token=f"t{pick}" if number % 3 else None)
    except ServiceError:
        assert not store.conn.in_transaction


def _soon(number: int) -> str:
    return f"2031-03-14T{9 + number % 10:02d}:30:00Z"


def _changes(note: dict[str, Any], number: int) -> dict[str, Any]:
    values = {"title": f"Ünïcode {number} 'quote\"", "pinned": number % 2 == 0, "cost": f"{number}.5", "body": None}
    return {"id": note["id"], "row_version": note["row_version"], "values": values}


@given(steps=STEPS, sealed=st.booleans())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True)
def test_undo_of_any_commands_gives_the_full_dump_back(image: Path, steps: list[Step], sealed: bool) -> None:
    data = image.read_bytes()
    with Store.memory(data) as fresh, Store.memory(data) as store:
        before = full_dump(fresh)
        for step in steps:
            take(store, step)
        if sealed:
            desk.submit(store, ANA, "ui", {"status": "done", "answer": {"n": 1}})
        undo_all(store)
        assert full_dump(store) == before
        new = [
            run(each, "pad.write_note", {"title": "x"}, person_id=ANA, channel="ui")["id"] for each in (fresh, store)
        ]
        assert new[0] == new[1]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_thousand_commands_are_undone_on_file(image: Path, file_store: Store, seed: int) -> None:
    state = seed
    for _ in range(1000):
        state = state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
        kinds = ("write", "write", "change", "tag", "tear", "layout", "clock")
        take(file_store, (kinds[(state >> 33) % 7], state >> 40 & 31, state >> 50 & 31))
    assert undo_all(file_store) > 1000
    with Store.read_image(image) as fresh:
        assert full_dump(file_store) == full_dump(fresh)


@given(steps=STEPS, later=STEPS)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True)
def test_undo_goes_back_to_any_command(image: Path, steps: list[Step], later: list[Step]) -> None:
    with Store.memory(image.read_bytes()) as store:
        for step in steps:
            take(store, step)
        middle = full_dump(store)
        seq = store.one("SELECT coalesce(max(seq), 0) AS seq FROM jrn_command")
        assert seq is not None
        for step in later:
            take(store, step)
        undo_all(store, seq["seq"])
        assert full_dump(store) == middle


def test_an_undo_that_would_break_a_reference_changes_nothing(store: Store) -> None:
    parent = run(store, "pad.write_note", {"title": "parent"}, person_id=ANA, channel="ui")["id"]
    with store.writing() as conn:
        conn.execute("INSERT INTO jrn_open VALUES (1, 0, 'inject')")
        row = dict(store.get("pad_note", parent) or {}) | {"id": "PAD00000000000X", "parent_id": parent}
        conn.execute(f"INSERT INTO pad_note VALUES ({', '.join('?' * len(row))})", tuple(row.values()))
        conn.execute("DELETE FROM jrn_open")
    before = full_dump(store)
    with pytest.raises(ValueError, match="broken foreign keys"):
        undo_all(store)
    assert full_dump(store) == before
    assert store.conn.execute("PRAGMA foreign_keys").fetchone()[0] == 1


def _flags_set(store: Store) -> list[str]:
    """The flags that undoing sets; each has SQLite compile every statement of the connection anew."""
    seen: list[str] = []
    store.conn.set_trace_callback(seen.append)
    undo_all(store)
    store.conn.set_trace_callback(None)
    return [statement for statement in seen if statement.startswith("PRAGMA foreign_keys =")]


def test_undoing_leaves_foreign_keys_on_where_each_step_back_keeps_them(store: Store) -> None:
    before = full_dump(store)
    parent = run(store, "pad.write_note", {"title": "parent"}, person_id=ANA, channel="ui")["id"]
    run(store, "pad.write_note", {"title": "child", "parent_id": parent}, person_id=ANA, channel="ui")
    assert _flags_set(store) == []
    assert full_dump(store) == before


def test_undoing_turns_foreign_keys_off_where_a_row_comes_back_before_its_parent(store: Store) -> None:
    run(store, "pad.write_note", {"title": "kept"}, person_id=ANA, channel="ui")
    family = dict(store.get("pad_note", MILK) or {})
    with store.writing() as conn:
        conn.execute("INSERT INTO jrn_open VALUES (1, 0, 'inject')")
        for name, parent in (("PAD00000000000A", None), ("PAD00000000000B", "PAD00000000000A")):
            row = family | {"id": name, "parent_id": parent}
            conn.execute(f"INSERT INTO pad_note VALUES ({', '.join('?' * len(row))})", tuple(row.values()))
        conn.execute("DELETE FROM jrn_open")
    before = store.all("SELECT * FROM pad_note WHERE id <> (SELECT max(id) FROM pad_note WHERE title = 'kept')")
    with store.writing() as conn:
        conn.execute("INSERT INTO jrn_open VALUES (1, 1, 'work')")
        conn.execute("DELETE FROM pad_note WHERE id >= 'PAD00000000000A' AND id <= 'PAD00000000000B'")
        conn.execute("DELETE FROM jrn_open")
    assert _flags_set(store) == ["PRAGMA foreign_keys = OFF", "PRAGMA foreign_keys = ON"]
    assert store.all("SELECT * FROM pad_note") == before
    assert store.conn.execute("PRAGMA foreign_keys").fetchone()[0] == 1


@given(steps=STEPS)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True)
def test_the_hasher_the_state_hash_and_the_digest_of_the_bytes_agree(image: Path, steps: list[Step]) -> None:
    with Store.read_image(image) as origin, Store.memory(image.read_bytes()) as store:
        hasher = StateHasher(origin)
        for step in steps:
            take(store, step)
        digest = hashlib.sha256(canonical_bytes(store)).hexdigest()
        assert hasher.hash(store) == state_hash(store) == digest
