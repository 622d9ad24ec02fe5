"""Both planes as threads of this process, on a folder of their own: what the gates attack and break."""

from __future__ import annotations

import logging
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from socket import create_server

import uvicorn

from deskgym_apps.server import ServerThread

from .. import pool
from ..client import Client
from ..control.__main__ import prepare_folders
from ..control.door import Door
from ..control.keeper import Keeper, Settings
from ..control.secret import new_token
from .case import PlacedWorld

_log = logging.getLogger("uvicorn.error")


@dataclass(frozen=True)
class Planes:
    """Where they answer, and where they keep what. `root`: episodes; `folder`: control's own."""

    agent_url: str
    control_url: str
    token: str
    root: Path
    folder: Path


@contextmanager
def keeping(world: PlacedWorld, root: Path, folder: Path, agent_url: str = "http://127.0.0.1:9") -> Iterator[Keeper]:
    """Control without its door; it knows the world whatever its name. Use it on this thread."""
    prepare_folders(root, folder)
    keeper = Keeper(Settings(root, folder, agent_url))
    keeper.know(world)
    try:
        yield keeper
    finally:
        keeper.close()


@contextmanager
def control_at(settings: Settings, token: str, world: PlacedWorld | None = None) -> Iterator[str]:
    """The control plane on a free port of loopback; gives its address."""

    def keeper() -> Keeper:
        made = Keeper(settings)
        if world is not None:
            made.know(world)
        return made

    door = Door(keeper, token, world="small:1" if world is None else world.name)
    server = uvicorn.Server(uvicorn.Config(door.app, log_config=None, lifespan="on", ws="none"))
    with create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def both_planes(world: PlacedWorld) -> Iterator[Planes]:
    """Both planes, until the block ends; nothing of them stays."""
    with ExitStack() as stack:
        stack.callback(_log.setLevel, _log.level)
        _log.setLevel(logging.ERROR)  # attacks make a server warn
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="deskgym-attacked-")))
        root, folder = home / "episodes", home / "control"
        prepare_folders(root, folder)
        agents = ServerThread(root)
        stack.callback(agents.stop)
        agent_url, token = agents.start(), new_token()
        stack.callback(pool.forget, root)
        settings = Settings(root, folder, agent_url)
        yield Planes(agent_url, stack.enter_context(control_at(settings, token, world)), token, root, folder)


@contextmanager
def client_of(planes: Planes) -> Iterator[Client]:
    """A client of control that does not try again: what is broken is to be seen."""
    with Client(planes.control_url, planes.token, patience_s=0.0) as client:
        yield client
