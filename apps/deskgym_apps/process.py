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
import stat
import sys
import threading
from pathlib import Path
from socket import AF_INET, AF_INET6, create_server, socket

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


def end_with(descriptor: int = 0) -> None:
    """End as on SIGTERM once a descriptor ends, stdin by default: nothing outlives what started it."""

    def wait() -> None:
        while os.read(descriptor, 4096):
            continue
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, name="lifeline", daemon=True).start()


def is_shared(root: Path) -> bool:
    """Whether the folder of episodes is one that control and workers share as different users of one group.

    That is what the set-group-ID bit of the folder says: what is made below it then belongs to the group.
    """
    return bool(root.stat().st_mode & stat.S_ISGID)


def keep_files_private(root: Path) -> None:
    """What this process makes from now on is for its user, and for the group where `root` is shared with one."""
    os.umask(0o007 if is_shared(root) else 0o077)


def listening_on(host: str, port: int) -> socket:
    """A listening socket that forks may share. Raises OSError where the address is taken or none of ours."""
    made = create_server((host, port), family=AF_INET6 if ":" in host else AF_INET, backlog=BACKLOG)
    return socket(fileno=made.detach())  # made anew so that it knows itself as TCP, and sends small answers at once


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
