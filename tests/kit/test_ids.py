"""Ids come from the world and a counter alone (X-4)."""

from __future__ import annotations

import hmac
import re
import sqlite3
from contextlib import closing

import pytest
from tests.fixtures.pad.world import ANA, BEN

from deskgym_apps.kit import ids
from deskgym_apps.kit.call import advance_clock, run
from deskgym_apps.kit.errors import ServiceError
from deskgym_apps.kit.store import Store


def write(store: Store, person: str = ANA, title: str = "x") -> str:
    return str(run(store, "pad.write_note", {"title": title}, person_id=person, channel="ui")["id"])


def test_x4_an_id_is_a_prefix_and_twelve_crockford_characters() -> None:
    found = {ids.opaque("key", "pad_note", counter, "PAD") for counter in range(1, 5001)}
    assert len(found) == 5000
    assert all(re.fullmatch(r"PAD[0-9A-HJKMNP-TV-Z]{12}", each) for each in found)
    assert {each[3] for each in found} == set("0123456789ABCDEFGHJKMNPQRSTVWXYZ")


def test_x4_an_id_depends_on_world_table_and_counter_only() -> None:
    known = ids.opaque("key", "pad_note", 1, "PAD")
    number = int(hmac.new(b"key", b"pad_note|1", "sha256").hexdigest()[:15], 16)
    assert known == "PAD" + "".join(
        "0123456789ABCDEFGHJKMNPQRSTVWXYZ"[number // 32**place % 32] for place in range(11, -1, -1)
    )
    assert ids.opaque("other", "pad_note", 1, "PAD") != known
    assert ids.opaque("key", "pad_tag", 1, "PAD") != known
    assert ids.opaque("key", "pad_note", 2, "PAD") != known


def test_x4_neither_time_person_arguments_nor_refusals_change_the_next_ids(store: Store, file_store: Store) -> None:
    advance_clock(store, 86_400)
    with pytest.raises(ServiceError):
        write(store, title="")
    first = [write(store, BEN, f"b{number}") for number in range(3)]
    assert first == [write(file_store, ANA, "a") for _ in range(3)]


def test_a_counter_has_no_gaps_and_belongs_to_the_transaction() -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as conn:
        conn.execute("CREATE TABLE org_id_counter(name TEXT PRIMARY KEY, next INTEGER)")
        assert [ids.take(conn, "case"), ids.take(conn, "case"), ids.take(conn, "quote")] == [1, 2, 1]
        conn.execute("BEGIN")
        assert ids.take(conn, "case") == 3
        conn.execute("ROLLBACK")
        assert ids.take(conn, "case") == 3
