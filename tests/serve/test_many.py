"""Many live episodes at once: no error, and each holds exactly what was done in it.

Scaled by DESKGYM_TEST_SCALE; 1 is the issue's 200 episodes and 5,000 commands.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from deskgym.episode import Episode
from deskgym.remote import RemoteEpisode

from .conftest import Server, serving

CLIENTS = 8
FIRST_USE_KB = 32 * 1024
"""What a worker takes once, for templates, shapes and code, however many episodes it serves."""


@pytest.fixture(scope="module")
def roomy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("many"), "--workers", "2", "--capacity", "250") as running:
        running.wait_for("ready")
        yield running


def memory_kb(pid: int) -> int:
    """Proportional memory of a process, in kB."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def commands(number: int, count: int) -> list[tuple[str, dict[str, Any]]]:
    """What is done in the episode of that number."""
    return [
        ("crm_create", {"object": "account", "values": {"name": f"Account {number} {step}"}}) for step in range(count)
    ]


def test_many_clients_in_many_episodes_and_each_holds_its_own_work_alone(roomy: Server) -> None:
    count = roomy.scaled(200, at_least=16)
    each = 50 if count == 200 else 12  # in every second episode; the others stay as they were
    with roomy.client() as client, ThreadPoolExecutor(CLIENTS) as pool:
        before = {pid: memory_kb(pid) for pid in roomy.workers()}
        episodes = list(pool.map(lambda _: client.start("crm/close-won", seed=0), range(count)))
        busy = episodes[::2]
        clean = episodes[1].state_hash()

        def work(item: tuple[int, int]) -> None:
            step, number = item
            busy[number].call_tool(*commands(number, each)[step])

        list(pool.map(work, product(range(each), range(len(busy)))))
        hashes = list(pool.map(RemoteEpisode.state_hash, episodes))
        assert set(hashes[1::2]) == {clean}
        assert len(set(hashes[::2])) == len(busy)
        for number in (0, len(busy) - 1):
            assert busy[number].seq() == each
        with Episode.start("crm/close-won", seed=0, home="memory") as alone:
            for call in commands(0, each):
                alone.call_tool(*call)
            names = sorted(row["new"]["name"] for row in alone.diff() if row["table"] == "crm_account")
        found = sorted(row["new"]["name"] for row in busy[0].diff() if row["table"] == "crm_account")
        assert found == names
        grown = sum(memory_kb(pid) - before[pid] for pid in roomy.workers())
        assert grown <= 1024 * count + FIRST_USE_KB * len(before), f"{grown} kB for {count} live episodes"
        with ThreadPoolExecutor(CLIENTS) as closers:
            list(closers.map(RemoteEpisode.close, episodes))
        assert client.episodes() == []
