"""What must hold whatever an agent does: undo gives S0 back to the last row, and a kill loses no committed command."""

import multiprocessing
import os
import signal
import sqlite3
from contextlib import closing
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from deskgym.agents.invention import Inventor
from deskgym.episode import Episode
from deskgym_apps.kit.canonical import full_dump
from deskgym_apps.kit.errors import ServiceError
from deskgym_apps.kit.store import Store
from deskgym_apps.kit.tools import call_tool
from deskgym_graders.tasks.crm import picks
from deskgym_seeds.streams import Stream

COMMANDS = 1000
MOST_CALLS = 20 * COMMANDS
KILLS = 40
_IMPORTED = ["deskgym.agents.invention", "deskgym_apps.crm.tools", "deskgym_apps.crm.service", "pytest"]


def administrator() -> str:
    """Somebody who may do most things."""
    with Episode.start(home="memory") as free:
        return picks.administrator(free.store)


def random_commands(episode: Episode, seed: int) -> int:
    """Call random writing tools until so many commands are in the journal. Returns how many calls were refused."""
    stream = Stream(str(seed), "durability")
    inventor, refused = Inventor(episode.store, stream), 0
    tools = [tool for tool in episode.tools().values() if tool.writes and tool.name not in ("submit_answer", "finish")]
    for _ in range(MOST_CALLS):
        if episode.seq() >= COMMANDS:
            return refused
        tool = stream.choice(tools)
        try:
            episode.call_tool(tool.name, inventor.arguments(tool))
        except ServiceError:
            refused += 1
    raise AssertionError(f"only {episode.seq()} commands in {MOST_CALLS} calls")


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_thousand_random_commands_are_undone_to_the_last_row(seed: int, root: Path) -> None:
    with Episode.start(root=root, person=administrator()) as episode:
        refused = random_commands(episode, seed)
        assert refused, "a monkey that is never refused tests little"
        assert len(episode.diff()) > 100
        episode.submit()
        assert full_dump(episode.store) != full_dump(episode.origin.store)
        assert episode.origin.renew(episode.store)
        assert full_dump(episode.store) == full_dump(episode.origin.store)


def write_until_killed(path: Path, reference: Path, person: str, round_number: int, told: Connection) -> None:
    """Create accounts without end, and tell of each once it is committed."""
    with Store.open(path, reference) as store:
        for number in range(1_000_000):
            values = {"name": f"Killed {round_number}.{number}"}
            made = call_tool(
                store, "crm_create", {"object": "account", "values": values}, person_id=person, app_names=("crm",)
            )
            told.send(made["id"])


def kill_after(episode: Episode, round_number: int, commits: int) -> list[str]:
    """Let a process write, kill it in mid-write once it told of so many commits; returns all it told of."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_IMPORTED)
    ours, theirs = context.Pipe(duplex=False)
    path, reference = episode.folder / "store.db", episode.origin.reference  # type: ignore[operator]
    writer = context.Process(target=write_until_killed, args=(path, reference, episode.person_id, round_number, theirs))
    writer.start()
    theirs.close()
    told: list[str] = [ours.recv() for _ in range(commits)]
    assert writer.pid is not None
    os.kill(writer.pid, signal.SIGKILL)
    writer.join()
    assert writer.exitcode == -signal.SIGKILL
    while True:
        try:
            told.append(ours.recv())
        except (EOFError, OSError):
            ours.close()
            return told


def test_forty_kills_in_mid_write_lose_no_committed_command(root: Path) -> None:
    stream = Stream("1", "kills")
    committed: list[str] = []
    with Episode.start(root=root, person=administrator()) as episode:
        for round_number in range(KILLS):
            committed += kill_after(episode, round_number, stream.uniform_int(1, 40))
        with closing(sqlite3.connect(episode.folder / "store.db")) as conn:  # type: ignore[operator]
            assert conn.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert conn.execute("PRAGMA foreign_key_check").fetchall() == []
            assert conn.execute("SELECT count(*) FROM jrn_open").fetchone() == (0,)
        found = {row["id"] for row in episode.store.all("SELECT id FROM crm_account WHERE name LIKE 'Killed %'")}
        assert len(committed) == len(set(committed)) > KILLS
        assert set(committed) <= found
        assert len(found - set(committed)) <= KILLS, "a command that was not told of can only be the last of its writer"
        assert [entry["seq"] for entry in episode.journal()] == list(range(1, len(found) + 1))
