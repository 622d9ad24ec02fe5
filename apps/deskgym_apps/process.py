"""What a server process of either plane needs: its log, its end, a socket that it may share with others.

Several workers accept from one listening socket, which the process that started them bound and keeps: connections wait
there while a worker is started anew, and the idle worker takes the next one.
"""

from __future__ import annotations

import json
import logging
import os
import resource
import signal
import sys
import threading
from socket import socket

import uvicorn

BACKLOG = 2048


class JsonLines(logging.Formatter):
    """One JSON object a record."""

    def format(self, record: logging.LogRecord) -> str:
        line = {"level": record.levelname.lower(), "logger": record.name, "message": record.getMessage()}
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def log_to_stdout(level: str = "info") -> None:
    """JSON lines on stdout from that level on."""
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=level.upper(), handlers=[handler])
    for quiet in ("mcp", "httpx"):
        logging.getLogger(quiet).setLevel(logging.WARNING)


def allow_many_files() -> None:
    """Raise the limit of open files as far as it goes: an open store takes four."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def end_on_signals() -> None:
    """Let SIGTERM and SIGINT end this process by way of its exit hooks; a server answers what is under way first."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(0))


def end_with_stdin() -> None:
    """End as on SIGTERM once stdin ends: nothing that was started outlives what started it, even after a kill."""

    def wait() -> None:
        while os.read(0, 4096):
            continue
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, name="stdin", daemon=True).start()


class SharedSocketServer(uvicorn.Server):
    """A server on a socket that other processes accept from as well.

    It takes one connection at a time: asyncio accepts as many in a row as the backlog says, which would let the first
    worker that wakes take all. The backlog of the socket itself is set back afterwards.
    """

    def __init__(self, config: uvicorn.Config) -> None:
        config.backlog = 1
        super().__init__(config)

    async def startup(self, sockets: list[socket] | None = None) -> None:
        await super().startup(sockets)
        for shared in sockets or ():
            shared.listen(BACKLOG)
