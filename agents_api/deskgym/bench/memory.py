"""Memory of a worker, and of each live episode in it, as proportional set size."""

from __future__ import annotations

from contextlib import ExitStack

import httpx

from .. import catalogue
from ..episode import Episode
from .figure import Bench, Figure, figure
from .process import CONNECTIONS, FRAME, Served, served
from .serving import call, plane

EPISODES = 20


def _touch(client: httpx.Client, server: Served, episode: Episode) -> None:
    """One read and one write through the server, so that it holds the episode open."""
    url = f"{server.base_url}/s/{episode.token}/mcp"
    call(client, url, "crm_query", {"object": "account", "limit": 25})
    call(client, url, "crm_create", {"object": "task", "values": {"subject": "Measured"}})


def worker(bench: Bench) -> Figure:
    """A worker that serves all apps and has answered calls. Floor: the bare framework, which has answered one."""
    ours, bare = [], []
    for _ in range(bench.samples(3)):
        with plane(bench) as (episode, server), served(FRAME) as frame, httpx.Client(timeout=30) as client:
            _touch(client, server, episode)
            call(client, f"{frame.base_url}/mcp", "empty", {})
            ours.append(server.pss())
            bare.append(frame.pss())
    return figure("memory.worker", ours, bare, "MiB")


def per_episode(bench: Bench) -> Figure:
    """What a worker grows by with each further live episode on file. Floor: SQLite's connection to the same file."""
    grown, bare = [], []
    with plane(bench) as (first, server), httpx.Client(timeout=30) as client, ExitStack() as stack:
        world = catalogue.world(bench.world)
        for _ in range(3):
            _touch(client, server, first)
        for _ in range(bench.samples(5)):
            before = server.pss()
            begun = [stack.enter_context(Episode.start(world=world, root=first.root)) for _ in range(EPISODES)]
            for episode in begun:
                _touch(client, server, episode)
            grown.append((server.pss() - before) / EPISODES)
            bare.append(_connections([str(episode.store.path) for episode in begun]))
    return figure("memory.per_episode", grown, bare, "MiB")


def _connections(paths: list[str]) -> float:
    """What a process grows by in MiB with each connection that has read one row and the schema."""
    with served(CONNECTIONS, *paths) as bare:
        return float(bare.base_url)
