"""Server processes to measure: the agent plane, and the least that could stand in its place."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..errors import DeskgymError

PLANE = """
import gc, sys
from pathlib import Path
from deskgym_apps.server import ServerThread
server = ServerThread(Path(sys.argv[1]))
server.start()
gc.collect()
gc.freeze()
print(server.base_url, flush=True)
sys.stdin.read()
server.stop()
"""

# What a connection to each of some files takes, in MiB; the first is opened before the count begins.
CONNECTIONS = """
import sqlite3, sys
from pathlib import Path

def pss():
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("Pss:")).split()[1]) / 1024

def opened(path):
    conn = sqlite3.connect(path)
    conn.execute("SELECT * FROM org_meta").fetchone()
    return conn

first, *others = sys.argv[1:]
kept = [opened(first)]
before = pss()
kept += [opened(path) for path in others]
print((pss() - before) / len(others), flush=True)
sys.stdin.read()
for conn in kept:
    conn.close()
"""

# What the plane is made of, without an app: one empty page, one empty tool.
FRAME = """
import contextlib, gc, socket, sys, threading
import flask, uvicorn
from a2wsgi import WSGIMiddleware
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.routing import Mount, Route

pages = flask.Flask("frame")
pages.add_url_rule("/page", view_func=lambda: "ok")

EMPTY = {"name": "empty", "inputSchema": {"type": "object", "properties": {}}}
NOTHING = {"content": [{"type": "text", "text": "{}"}], "structuredContent": {}}

async def list_tools(*_):
    return types.ListToolsResult.model_validate({"tools": [EMPTY]})

async def call(*_):
    return types.CallToolResult.model_validate(NOTHING)

if hasattr(Server, "call_tool"):  # mcp 1.x
    server = Server("frame")
    async def listed(_): return types.ServerResult(await list_tools())
    async def called(_): return types.ServerResult(await call())
    server.request_handlers = {types.ListToolsRequest: listed, types.CallToolRequest: called}
else:
    server = Server("frame", on_list_tools=list_tools, on_call_tool=call)
manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True)

class Door:
    async def __call__(self, scope, receive, send):
        await manager.handle_request(scope, receive, send)

@contextlib.asynccontextmanager
async def lifespan(_app):
    async with manager.run():
        yield

routes = [Route("/mcp", Door()), Mount("/", WSGIMiddleware(pages, workers=1))]
held = socket.socket(proto=socket.IPPROTO_TCP)  # so that asyncio sends small answers at once
held.bind(("127.0.0.1", 0))
held.listen()
config = uvicorn.Config(Starlette(routes=routes, lifespan=lifespan), log_config=None, access_log=False)
running = uvicorn.Server(config)
thread = threading.Thread(target=running.run, args=([held],), daemon=True)
thread.start()
gc.collect()
gc.freeze()
print(f"http://127.0.0.1:{held.getsockname()[1]}", flush=True)
sys.stdin.read()
running.should_exit = True
thread.join(10)
held.close()
"""


@dataclass(frozen=True)
class Served:
    """A server in a process of its own."""

    base_url: str
    pid: int

    def pss(self) -> float:
        """Its proportional set size in MiB. Raises DeskgymError where this system does not tell."""
        try:
            text = Path(f"/proc/{self.pid}/smaps_rollup").read_text()
        except OSError as error:
            raise DeskgymError("env_error", f"cannot read the memory of a process: {error}", "use Linux") from error
        line = next(line for line in text.splitlines() if line.startswith("Pss:"))
        return int(line.split()[1]) / 1024


@contextmanager
def served(program: str, *arguments: str) -> Iterator[Served]:
    """Run a server program until the block ends. Raises DeskgymError (env_error) where it does not start."""
    path = os.pathsep.join(entry for entry in sys.path if entry)
    process = subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": path},
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        base_url = process.stdout.readline().strip()
        if not base_url:
            raise DeskgymError("env_error", "the server to measure did not start", "run: deskgym doctor")
        yield Served(base_url, process.pid)
    finally:
        process.stdin.close()
        process.stdout.close()
        process.wait(30)
