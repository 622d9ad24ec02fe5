"""The supervisor: binds both sockets, starts both planes, starts anew what dies, drains at SIGTERM.

It keeps the listening sockets open, so a client that connects while a process is started anew waits instead of being
refused. Its children end when it does, whatever ends it: their stdin is a pipe that it holds.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from deskgym_apps.process import BACKLOG

from ..errors import DeskgymError, describe
from .environment import control_environment, worker_environment

GRACE_S = 10
SOON_S = 5.0
MOST_FAILURES = 5
READY_S = 120.0
Tell = Callable[..., None]


@dataclass(frozen=True)
class Plan:
    """What to serve. `workers` 0: the control plane alone. `agent_url`: where agents find the pages, from outside.

    `root`: episodes; `folder`: control's own. `log_level` of the children; `quiet`: their log goes to stderr.
    """

    root: Path
    folder: Path
    token: str
    host: str = "127.0.0.1"
    port: int = 8000
    control_host: str = "127.0.0.1"
    control_port: int = 8001
    workers: int = 1
    capacity: int = 256
    ttl_s: int = 3600
    world: str = "small:1"
    agent_url: str | None = None
    hosts: tuple[str, ...] = ()
    control_hosts: tuple[str, ...] = ()
    log_level: str = "info"
    quiet: bool = False


def bind(host: str, port: int, option: str) -> socket.socket:
    """A listening socket. Raises DeskgymError: port_in_use, or usage for an address that is not ours."""
    try:
        family, kind, proto, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as error:
        raise DeskgymError("usage", f'"{host}" is no address ({error.strerror})') from error
    opened = socket.socket(family, kind, proto)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(address)
        opened.listen(BACKLOG)
    except OSError as error:
        opened.close()
        fault = describe(error)
        if fault.kind == "port_in_use":
            hint = f"stop the other program, or choose another port with {option}"
            raise DeskgymError("port_in_use", f"port {port} of {host} is in use", hint) from error
        kind_of = fault.kind if fault.kind == "no_permission" else "usage"
        raise DeskgymError(kind_of, f"cannot listen on port {port} of {host}: {error.strerror}") from error
    return opened


def url_of(listening: socket.socket) -> str:
    """How this machine reaches a listening socket."""
    host, port = listening.getsockname()[:2]
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{name}:{port}"


@dataclass
class _Child:
    """A process to keep alive. `start` gives it its descriptors anew each time."""

    name: str
    start: Callable[[], Any]
    process: asyncio.subprocess.Process | None = None
    failures: int = 0


class Supervisor:
    """Both planes as a plan says. `tell(event, **facts)` is called for what people and logs want to know."""

    def __init__(self, plan: Plan, tell: Tell) -> None:
        self.plan = plan
        self._tell = tell
        self._stopping = asyncio.Event()
        self._fault: DeskgymError | None = None
        self.signal = signal.SIGTERM
        self._agents = bind(plan.host, plan.port, "--port") if plan.workers else None
        try:
            self._control = bind(plan.control_host, plan.control_port, "--control-port")
        except DeskgymError:
            self._close_sockets()
            raise
        local = url_of(self._agents) if self._agents else f"http://127.0.0.1:{plan.port}"
        self.agent_url = (plan.agent_url or local).rstrip("/")
        self._agents_at = local
        self.control_url = url_of(self._control)
        self._children = [_Child("control", self._start_control)]
        self._children += [_Child(f"worker {number}", self._start_worker) for number in range(1, plan.workers + 1)]

    # --- Children ------------------------------------------------------------------------------------

    async def _spawn(self, words: list[str], env: dict[str, str], keep: tuple[int, ...]) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            *words,
            stdin=asyncio.subprocess.PIPE,
            stdout=sys.stderr.fileno() if self.plan.quiet else None,
            env=env,
            pass_fds=keep,
            cwd="/",
            process_group=0,
        )

    async def _start_worker(self) -> asyncio.subprocess.Process:
        assert self._agents is not None
        words = ["deskgym_apps.server", "--root", str(self.plan.root), "--fd", str(self._agents.fileno())]
        words += ["--until-stdin-ends", "--log-level", self.plan.log_level]
        words += [word for host in self.plan.hosts for word in ("--allow-host", host)]
        return await self._spawn(words, worker_environment(), (self._agents.fileno(),))

    async def _start_control(self) -> asyncio.subprocess.Process:
        plan = self.plan
        reader, writer = os.pipe()
        try:
            os.write(writer, plan.token.encode())
            os.close(writer)
            words = ["deskgym.control", "--root", str(plan.root), "--folder", str(plan.folder)]
            words += ["--fd", str(self._control.fileno()), "--token-fd", str(reader), "--agent-url", self.agent_url]
            words += ["--capacity", str(plan.capacity), "--ttl", str(plan.ttl_s), "--world", plan.world]
            words += ["--log-level", plan.log_level]
            words += [word for host in plan.control_hosts for word in ("--allow-host", host)]
            return await self._spawn(words, control_environment(), (self._control.fileno(), reader))
        finally:
            os.close(reader)

    async def _keep(self, child: _Child) -> None:
        """Start a child, and again when it ends, until the server stops."""
        loop = asyncio.get_running_loop()
        while not self._stopping.is_set():
            began = loop.time()
            child.process = await child.start()
            self._tell("started", process=child.name, pid=child.process.pid)
            code = await child.process.wait()
            if self._stopping.is_set():
                return
            self._tell("ended", process=child.name, pid=child.process.pid, code=code)
            child.failures = child.failures + 1 if loop.time() - began < SOON_S else 0
            if child.failures >= MOST_FAILURES:
                self._fault = DeskgymError("env_error", f"{child.name} ends as soon as it starts", "its log says why")
                self._stopping.set()
                return
            await self._pause(0.05 * 4 ** max(0, child.failures - 1) if child.failures else 0)

    async def _pause(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)

    # --- The life of a server ------------------------------------------------------------------------

    async def run(self) -> int:
        """Serve until SIGTERM or SIGINT. Raises DeskgymError (env_error) where a plane cannot be kept running."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop, number)
        keepers = [asyncio.create_task(self._keep(child)) for child in self._children]
        ready = asyncio.create_task(self._announce())
        try:
            await self._stopping.wait()
        finally:
            ready.cancel()
            await self._drain(keepers)
        if self._fault is not None:
            raise self._fault
        self._tell("stopped")
        return 130 if self.signal == signal.SIGINT else 0

    def _stop(self, number: signal.Signals) -> None:
        self.signal = number
        self._stopping.set()

    async def _announce(self) -> None:
        paths = [f"{self.control_url}/readyz"] + ([f"{self._agents_at}/healthz"] if self._agents else [])
        async with httpx.AsyncClient(trust_env=False, timeout=READY_S) as client:
            while not self._stopping.is_set():
                if all([await _answers(client, path) for path in paths]):
                    self._tell(
                        "ready", agent_url=self.agent_url, control_url=self.control_url, workers=self.plan.workers
                    )
                    return
                await self._pause(0.1)

    async def _drain(self, keepers: list[asyncio.Task[None]]) -> None:
        """Take no new connections, let the requests under way end, then end."""
        self._tell("draining")
        self._close_sockets()
        running = [child.process for child in self._children if child.process and child.process.returncode is None]
        for process in running:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
        _, late = await asyncio.wait(keepers, timeout=GRACE_S + 2)
        for process in running if late else ():
            if process.returncode is None:
                self._tell("killed", pid=process.pid)
                process.kill()
        await asyncio.gather(*keepers)

    def _close_sockets(self) -> None:
        for opened in (self._agents, getattr(self, "_control", None)):
            if opened is not None:
                opened.close()


async def _answers(client: httpx.AsyncClient, url: str) -> bool:
    try:
        return (await client.get(url)).status_code == 200
    except httpx.TransportError:
        return False
