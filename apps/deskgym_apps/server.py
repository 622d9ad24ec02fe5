"""The agent plane: pages and MCP on one port (DESIGN §5). User routes only; nothing here resets, reads or grades state.

create_pages(root)            the Flask application of the pages
create_server(root)           pages, `/s/<token>/mcp`, `/mcp` and `/healthz` as one ASGI application
ServerThread(root).start()    the same in a thread of this process, on a free loopback port
python -m deskgym_apps.server --root DIR --host 127.0.0.1 --port 8000 --workers 2

Pages and tool calls share one thread, never the event loop.
"""

from __future__ import annotations

import contextlib
import gc
import logging
import sys
import threading
from collections.abc import AsyncIterator, Collection
from importlib.util import find_spec
from pathlib import Path
from socket import IPPROTO_TCP, socket
from typing import Any

import click
import flask
import uvicorn
from a2wsgi import WSGIMiddleware
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route

from .desk import entrance
from .forks import Forks
from .kit.apps import apps
from .kit.gate import Gate
from .kit.origin import LOOPBACK
from .kit.session import Sessions
from .kit.stores import OpenStores
from .mcp import HttpDoor, ToolDoor
from .process import (
    SharedSocketServer,
    allow_many_files,
    end_on_signals,
    end_with,
    keep_files_private,
    listening_on,
    log_to_stdout,
)

GRACE_S = 10
_log = logging.getLogger("deskgym.server")


def create_pages(root: Path, *, stores: OpenStores | None = None, hosts: Collection[str] = ()) -> flask.Flask:
    """The pages of every app, for the episodes under `root`. `hosts`: names to answer to besides loopback's."""
    pages = flask.Flask("deskgym_apps", static_folder=None, template_folder=None)
    pages.jinja_env.auto_reload = False
    sessions = Sessions(stores or OpenStores(root), (*LOOPBACK, *hosts), entrance.shell)
    sessions.install(pages)
    entrance.install(pages, sessions)
    for name, app in apps().items():
        if find_spec(f"{app.package}.routes") is not None:
            pages.register_blueprint(app.module("routes").blueprint, url_prefix=f"/{name}")
    return pages


async def _health(_request: Request) -> Response:
    return JSONResponse({"ok": True})


def create_server(root: Path, *, hosts: Collection[str] = ()) -> Starlette:
    """The agent plane for the episodes under `root`. `hosts`: names to answer to besides loopback's, "*" for all."""
    stores = OpenStores(root)
    flask_pages: Any = create_pages(root, stores=stores, hosts=hosts)
    pages = WSGIMiddleware(flask_pages, workers=1)
    door = HttpDoor(ToolDoor(stores, pages.executor))

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        async with door.running():
            yield
        pages.executor.shutdown()  # after this nothing else uses the stores
        stores.close()

    routes = [
        Route("/healthz", _health),
        Route("/s/{token}/mcp", door),
        Route("/mcp", door),
        Mount("/", pages),  # type: ignore[arg-type]  # a2wsgi has its own names for the parts of ASGI
    ]
    return Starlette(routes=routes, lifespan=lifespan, middleware=[Middleware(Gate, hosts=(*LOOPBACK, *hosts))])


def _config(root: Path, hosts: Collection[str]) -> uvicorn.Config:
    return uvicorn.Config(
        create_server(root, hosts=hosts),
        log_config=None,
        access_log=False,
        date_header=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
    )


class ServerThread:
    """The agent plane in a thread, on a free port of 127.0.0.1."""

    def __init__(self, root: Path) -> None:
        self._socket = socket(proto=IPPROTO_TCP)  # so that asyncio sends the rest of an answer without waiting
        self._socket.bind(("127.0.0.1", 0))
        self._server = uvicorn.Server(_config(root, ()))
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), daemon=True)

    @property
    def base_url(self) -> str:
        """`http://127.0.0.1:<port>`."""
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def start(self) -> str:
        """Start serving; the socket takes requests from now on. Returns the base URL."""
        self._socket.listen(128)
        self._thread.start()
        return self.base_url

    def stop(self) -> None:
        """Finish the requests under way, then end."""
        self._server.should_exit = True
        self._thread.join(GRACE_S + 1)
        self._socket.close()


def _listening(host: str, port: int, fd: int | None) -> socket:
    """The socket to serve on. Raises click.ClickException where the address cannot be had."""
    if fd is not None:
        return socket(fileno=fd)
    try:
        return listening_on(host, port)
    except OSError as error:
        raise click.ClickException(f"cannot listen on port {port} of {host}: {error.strerror}") from error


@click.command()
@click.option("--root", type=click.Path(path_type=Path, exists=True, file_okay=False), required=True)
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535))
@click.option(
    "--workers", default=1, show_default=True, type=click.IntRange(1, 256), help="Processes; one a processor."
)
@click.option("--fd", type=click.IntRange(3), help="An inherited socket that listens, in place of host and port.")
@click.option("--allow-host", "hosts", multiple=True, help='A further host name to answer to; "*" for any.')
@click.option("--until-stdin-ends", is_flag=True, help="End when stdin does: a worker does not outlive its supervisor.")
@click.option("--log-level", type=click.Choice(["info", "warning", "error"]), default="info", show_default=True)
def main(
    root: Path,
    host: str,
    port: int,
    workers: int,
    fd: int | None,
    hosts: tuple[str, ...],
    until_stdin_ends: bool,
    log_level: str,
) -> None:
    """Serve the episodes under ROOT to agents: pages and MCP. Ends on SIGTERM when the requests under way are done."""
    if workers > 1 and until_stdin_ends:
        raise click.UsageError("--until-stdin-ends is for one worker")
    log_to_stdout(log_level)
    allow_many_files()
    end_on_signals()
    keep_files_private(root)
    with _listening(host, port, fd) as shared:
        config = _config(root.resolve(), hosts)
        address, bound = shared.getsockname()[:2]
        _log.info("serving on %s, port %d", address, bound)
        gc.collect()
        gc.freeze()

        def serve() -> None:
            SharedSocketServer(config).run([shared])

        if workers > 1:
            sys.exit(Forks(workers, serve).run())
        if until_stdin_ends:
            end_with()
        serve()


if __name__ == "__main__":
    main(auto_envvar_prefix="DESKGYM_APP")
