"""The agent plane on one port. Today it serves MCP; pages are mounted beside it as the apps bring them.

create_server(root)           a Starlette application over the episodes under `root`
ServerThread(root).start()    the same in a thread of this process, on a free loopback port
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from socket import socket
from typing import Any

import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from .kit.errors import ServiceError
from .kit.folder import locate
from .mcp import ToolDoor, make_server, token_of

_HOSTS = ["127.0.0.1:*", "localhost:*", "[::1]:*"]
_ORIGINS = ["http://127.0.0.1:*", "http://localhost:*", "http://[::1]:*"]


class _McpDoor:
    """The MCP endpoint as an ASGI application: checks the token, then hands over to the session manager."""

    def __init__(self, root: Path, manager: StreamableHTTPSessionManager) -> None:
        self.root, self.manager = root, manager

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            locate(self.root, token_of(Request(scope)))
        except ServiceError as error:
            await JSONResponse({"error": error.as_dict()}, status_code=error.status)(scope, receive, send)
            return
        await self.manager.handle_request(scope, receive, send)


async def _health(_request: Request) -> Response:
    return JSONResponse({"ok": True})


def create_server(root: Path) -> Starlette:
    """The application: `/s/<token>/mcp`, `/mcp` with a bearer token, `/healthz`. Anything else is 404."""
    executor = ThreadPoolExecutor(1, thread_name_prefix="deskgym-tools")
    manager = StreamableHTTPSessionManager(
        make_server(ToolDoor(root, executor)),
        json_response=True,
        stateless=True,
        security_settings=TransportSecuritySettings(
            enable_dns_rebinding_protection=True, allowed_hosts=_HOSTS, allowed_origins=_ORIGINS
        ),
    )
    door = _McpDoor(root, manager)

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        async with manager.run():
            yield
        executor.shutdown()

    routes = [Route("/healthz", _health), Route("/s/{token}/mcp", door), Route("/mcp", door)]
    return Starlette(routes=routes, lifespan=lifespan)


class ServerThread:
    """The agent plane in a thread, on a free port of 127.0.0.1."""

    def __init__(self, root: Path) -> None:
        self._socket = socket()
        self._socket.bind(("127.0.0.1", 0))
        config = uvicorn.Config(create_server(root), log_level="warning", access_log=False)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), daemon=True)

    @property
    def base_url(self) -> str:
        """`http://127.0.0.1:<port>`."""
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def start(self) -> str:
        """Start serving; the socket takes requests from now on. Returns the base URL."""
        self._socket.listen()
        self._thread.start()
        return self.base_url

    def stop(self) -> None:
        """Finish the requests under way, then end."""
        self._server.should_exit = True
        self._thread.join(10)
        self._socket.close()
