"""Both services of compose.yaml, running on one folder of episodes."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from deskgym.client import Client

from .engine import Container, Engine


def free_port() -> int:
    """A port that nobody uses at present."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


@dataclass
class Planes:
    """The two containers, where they answer, and a client of control."""

    app: Container
    control: Container
    app_port: int
    control_port: int
    client: Client


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return Engine(tmp_path_factory.mktemp("engine"))


@pytest.fixture(scope="module")
def planes(engine: Engine) -> Iterator[Planes]:
    app_port, control_port = free_port(), free_port()
    agent_url = f"http://127.0.0.1:{app_port}"
    with (
        engine.running("control", f"--control-port={control_port}", f"--agent-url={agent_url}") as control,
        engine.running("app", f"--port={app_port}") as app,
    ):
        control.server.wait_for("ready")
        app.server.wait_for_log("Application startup complete.")
        with Client(f"http://127.0.0.1:{control_port}", token=control.server.token) as client:
            yield Planes(app, control, app_port, control_port, client)
