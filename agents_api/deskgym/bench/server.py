"""A whole server, as a trainer uses it: control's calls, the agent plane under load, and what live episodes weigh.

`deskgym serve` runs as processes of its own, with two workers.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import httpx

from ..client import Client
from ..errors import DeskgymError
from ..remote import RemoteEpisode
from .figure import Bench, Figure, alternate, figure, timed
from .process import Served
from .scratch import scratch_root
from .serving import call

WORKERS = 2
CLIENTS = 8
EPISODES = 20
TASK = "crm/close-won"
_PROGRAM = "from deskgym.cli import main; main()"


@dataclass(frozen=True)
class Running:
    """A server, and what one asks it by. `workers`: its processes of the agent plane; `control`: the other one."""

    client: Client
    workers: tuple[Served, ...]
    control: Served

    def start(self, bench: Bench) -> RemoteEpisode:
        """A new episode."""
        return self.client.start(TASK, seed=0, world=bench.world)


@contextmanager
def running(bench: Bench) -> Iterator[Running]:
    """`deskgym serve` until the block ends. Raises DeskgymError (env_error) where it does not start."""
    with scratch_root() as folder:
        words = [sys.executable, "-P", "-c", _PROGRAM, "serve", "--port=0", "--control-port=0", f"--folder={folder}"]
        words += [f"--workers={WORKERS}", f"--world={bench.world}", "--capacity=1000"]
        path = os.pathsep.join(entry for entry in sys.path if entry)
        with subprocess.Popen(
            words, env=os.environ | {"PYTHONPATH": path}, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            try:
                lines = [process.stdout.readline().split() for _ in range(2)]
                if not all(lines):
                    raise DeskgymError("env_error", "the server does not start", "run: deskgym serve")
                agents, control = lines[0][2], lines[1][2]
                with Client(control, token_file=folder / "control" / "token") as client:
                    yield _seen(client, process.pid, agents, control)
            finally:
                process.terminate()


def _seen(client: Client, supervisor: int, agents: str, control: str) -> Running:
    children = Path(f"/proc/{supervisor}/task/{supervisor}/children").read_text().split()
    names = {int(pid): Path(f"/proc/{pid}/cmdline").read_text().split("\0") for pid in children}
    workers = tuple(Served(agents, pid) for pid, words in names.items() if "deskgym_apps.server" in words)
    kept = next(Served(control, pid) for pid, words in names.items() if "deskgym.control" in words)
    return Running(client, workers, kept)


# --- Control ----------------------------------------------------------------------------------------------


def _beside_health(name: str, bench: Bench, count: int, work: Callable[[Running, RemoteEpisode], object]) -> Figure:
    """A call of control's, alternated with one that does nothing: `/healthz`."""
    with running(bench) as server, server.start(bench) as episode, httpx.Client(trust_env=False) as http:
        subject = partial(work, server, episode)
        floor = partial(http.get, f"{server.control.base_url}/healthz")
        return figure(name, *alternate(subject, floor, bench.samples(count), warm=3))


def new(bench: Bench) -> Figure:
    """A new episode over HTTP, and its end."""
    return _beside_health("serve.new", bench, 60, lambda server, _: server.start(bench).close())


def reset(bench: Bench) -> Figure:
    """An episode goes on in a fresh place under a new token."""
    return _beside_health("serve.reset", bench, 60, lambda _, episode: episode.reset())


def state(bench: Bench) -> Figure:
    """The canonical state over HTTP."""
    return _beside_health("serve.state", bench, 40, lambda _, episode: episode.state())


def grade(bench: Bench) -> Figure:
    """The verdict with command replay, over HTTP, on one command's work."""
    with running(bench) as server, server.start(bench) as episode, httpx.Client(trust_env=False) as http:
        episode.call_tool("crm_create", {"object": "account", "values": {"name": "Measured"}})
        floor = partial(http.get, f"{server.control.base_url}/healthz")
        return figure("serve.grade", *alternate(episode.grade, floor, bench.samples(60), warm=3))


# --- The agent plane --------------------------------------------------------------------------------------


def load(bench: Bench) -> Figure:
    """A reading tool call while 8 clients ask 2 workers at once. Floor: the same call by one client alone."""
    with running(bench) as server:
        episodes = [server.start(bench) for _ in range(CLIENTS)]
        count = bench.samples(60)

        def ask(episode: RemoteEpisode) -> list[float]:
            with httpx.Client(timeout=60, trust_env=False) as http:
                one = partial(call, http, episode.mcp_url, "crm_query", {"object": "account", "limit": 25})
                one()
                return [timed(one) for _ in range(count)]

        alone = ask(episodes[0])
        with ThreadPoolExecutor(CLIENTS) as pool:
            together = [value for values in pool.map(ask, episodes) for value in values]
        return figure("serve.load", together, alone)


# --- Memory -----------------------------------------------------------------------------------------------


def _touch(episode: RemoteEpisode) -> None:
    """As much use of an episode as opens it in a worker."""
    for _ in range(2 * WORKERS):
        episode.call_tool("crm_query", {"object": "account", "limit": 25})
    episode.call_tool("crm_create", {"object": "account", "values": {"name": "Measured"}})


def memory_worker(bench: Bench) -> Figure:
    """Each worker of a server in use. Floor: the control plane beside them."""
    with running(bench) as server, server.start(bench) as episode:
        _touch(episode)
        return figure("serve.memory.worker", [one.pss() for one in server.workers], [server.control.pss()], "MiB")


def memory_episode(bench: Bench) -> Figure:
    """What all processes of a server grow by with each further live episode."""
    grown = []
    with running(bench) as server:
        everyone = (*server.workers, server.control)
        _touch(server.start(bench))
        for _ in range(bench.samples(4)):
            before = sum(one.pss() for one in everyone)
            for _ in range(EPISODES):
                _touch(server.start(bench))
            grown.append((sum(one.pss() for one in everyone) - before) / EPISODES)
    return figure("serve.memory.episode", grown, unit="MiB")
