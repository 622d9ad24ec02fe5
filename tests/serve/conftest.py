"""A real server for a module's tests: `deskgym serve` as a process, with two workers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from deskgym.client import Client

READY_S = 120
MAIN = "from deskgym.cli import main; main()"


def environment() -> dict[str, str]:
    """The environment of a person who starts a server, with a secret in it that nothing may inherit."""
    path = os.pathsep.join(entry for entry in sys.path if entry)
    kept = {name: os.environ[name] for name in ("HOME", "DESKGYM_CACHE", "DESKGYM_CHROMIUM") if name in os.environ}
    return {"PATH": os.environ["PATH"], "PYTHONPATH": path, "DESKGYM_PROBE_SECRET": "honeytoken-in-env", **kept}


@dataclass
class Server:
    """A running `deskgym serve`, and what it said so far."""

    process: subprocess.Popen[str]
    folder: Path
    lines: list[dict[str, Any]] = field(default_factory=list)
    _news: threading.Condition = field(default_factory=threading.Condition, repr=False)

    def __post_init__(self) -> None:
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._news:
                self.lines.append(json.loads(line))
                self._news.notify_all()
        with self._news:
            self.lines.append({"event": "end of output"})
            self._news.notify_all()

    def wait_for(self, event: str, count: int = 1, **facts: Any) -> dict[str, Any]:
        """The `count`th line of an event with these facts."""

        def found() -> list[dict[str, Any]]:
            return [line for line in self.lines if line.get("event") == event and facts.items() <= line.items()]

        with self._news:
            done = self._news.wait_for(
                lambda: len(found()) >= count or self.lines[-1:] == [{"event": "end of output"}], READY_S
            )
            assert done, f"no {event} in {READY_S} s: {self.lines[-5:]}"
        assert len(found()) >= count, self.lines[-10:]
        return found()[count - 1]

    def wait_for_log(self, message: str) -> None:
        """Return once a process logged this message."""
        with self._news:
            assert self._news.wait_for(lambda: any(line.get("message") == message for line in self.lines), READY_S)

    @property
    def control_url(self) -> str:
        return str(self.wait_for("ready")["control_url"])

    @property
    def agent_url(self) -> str:
        return str(self.wait_for("ready")["agent_url"])

    @property
    def token_file(self) -> Path:
        return self.folder / "control" / "token"

    @property
    def token(self) -> str:
        return self.token_file.read_text().strip()

    def pid(self, process: str) -> int:
        """The present process of that name."""
        return int(
            [line for line in self.lines if line.get("event") == "started" and line["process"] == process][-1]["pid"]
        )

    def workers(self) -> list[int]:
        names = {line["process"] for line in self.lines if line.get("event") == "started"} - {"control"}
        return [self.pid(name) for name in sorted(names)]

    def kill(self, process: str) -> None:
        """`kill -9`, and return once another one was started."""
        starts = sum(line.get("event") == "started" and line["process"] == process for line in self.lines)
        os.kill(self.pid(process), signal.SIGKILL)
        self.wait_for("started", starts + 1, process=process)

    @staticmethod
    def scaled(count: int, *, at_least: int) -> int:
        """A count of the issue, times `DESKGYM_TEST_SCALE`; a few where that is not set."""
        return max(at_least, int(count * float(os.environ.get("DESKGYM_TEST_SCALE", "0"))))

    def client(self, **options: Any) -> Client:
        return Client(self.control_url, token_file=self.token_file, **options)

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        code = self.process.wait(60)
        self.wait_for("end of output")
        return code


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[Server]:
    """`deskgym serve` on free ports until the block ends."""
    words = [sys.executable, "-c", MAIN, "serve", "--json", "--port", "0", "--control-port", "0"]
    words += ["--folder", str(folder), *options]
    with subprocess.Popen(words, env=environment(), stdout=subprocess.PIPE, text=True) as process:
        server = Server(process, folder)
        try:
            yield server
        finally:
            if process.poll() is None:
                server.stop()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("serve"), "--workers", "2") as running:
        running.wait_for("ready")
        yield running


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    with server.client() as asking:
        yield asking
        for row in asking.episodes():
            asking.remove(f"/v1/episodes/{row['id']}")
