"""The quick state hash is the SHA-256 of the canonical state, whatever was done."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from deskgym.agents.invention import Inventor
from deskgym.episode import Episode
from deskgym_apps.kit.canonical import StateHasher, canonical_bytes, state_hash
from deskgym_apps.kit.errors import ServiceError
from deskgym_seeds.streams import Stream

from .memo_world.world import MILK, TinyWorld


@contextmanager
def by_hand(episode: Episode) -> Iterator[sqlite3.Connection]:
    """A write that no service makes, recorded as part of the first command."""
    with episode.store.writing() as conn:
        conn.execute("INSERT INTO jrn_open VALUES (1, 1, 'work')")
        yield conn
        conn.execute("DELETE FROM jrn_open")


def test_a_fresh_episode_has_the_hash_of_s0() -> None:
    with Episode.start(home="memory") as episode:
        assert StateHasher(episode.origin.store).hash(episode.store) == state_hash(episode.origin.store)


@pytest.mark.parametrize("seed", [1, 2])
def test_it_equals_the_plain_hash_after_each_of_many_random_commands(seed: int) -> None:
    stream = Stream(str(seed), "hashing")
    with Episode.start(home="memory") as episode:
        inventor = Inventor(episode.store, stream)
        tools = [tool for tool in episode.tools().values() if tool.writes and tool.name.startswith("crm_")]
        seen = {episode.state_hash()}
        for number in range(200):
            tool = stream.choice(tools)
            try:
                episode.call_tool(tool.name, inventor.arguments(tool))
            except ServiceError:
                continue
            if number % 10 == 0:
                assert episode.state_hash() == state_hash(episode.store)
            seen.add(episode.state_hash())
        assert len(seen) == episode.seq() + 1, "every command moves the clock, so every hash is new"
        assert {row["op"] for row in episode.diff()} >= {"insert", "update"}
        assert episode.state_hash() == state_hash(episode.store)


def test_rows_that_go_and_letters_that_compose_are_hashed_as_the_canonical_state_writes_them(tiny: TinyWorld) -> None:
    with Episode.start(world=tiny, home="memory", app_names=["memo"]) as episode:
        made = episode.call_tool("memo_add", {"title": "Tea"})
        with by_hand(episode) as conn:  # a service would have composed the letters before it wrote them
            conn.execute("UPDATE memo_memo SET title = ? WHERE id = ?", ('Cafe\u0301 "\\/\u2028 漢', made["id"]))
        assert "Caf\u00e9".encode() in canonical_bytes(episode.store)
        assert episode.state_hash() == state_hash(episode.store)
        with by_hand(episode) as conn:
            conn.execute("DELETE FROM memo_memo WHERE id IN (?, ?)", (made["id"], MILK))
        assert canonical_bytes(episode.store).count(b'"memo_memo":{}') == 1
        assert episode.state_hash() == state_hash(episode.store)


def test_what_was_rolled_back_is_not_hashed(tiny: TinyWorld) -> None:
    with Episode.start(world=tiny, home="memory", app_names=["memo"]) as episode:
        before = episode.state_hash()
        with episode.store.rehearsing():
            episode.call_tool("memo_add", {"title": "Tea"})
            assert episode.state_hash() == state_hash(episode.store) != before
        assert episode.state_hash() == state_hash(episode.store) == before


def test_two_states_that_differ_in_one_cell_have_two_hashes(tiny: TinyWorld) -> None:
    with Episode.start(world=tiny, home="memory", app_names=["memo"]) as one, one.fork() as other:
        one.call_tool("memo_add", {"title": "Tea"})
        other.call_tool("memo_add", {"title": "tea"})
        assert one.state_hash() != other.state_hash()
