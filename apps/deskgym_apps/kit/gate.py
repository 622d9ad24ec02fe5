"""What every request to the agent plane passes first: its host, its size, and a log line without secrets.

The body is read here, on the event loop, so that a slow sender never holds the one rendering thread.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any

from .errors import ServiceError
from .origin import check_host, check_same_origin
from .session import DELAY_HEADER, MAX_BODY

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

DRAINED = 32 * MAX_BODY
_DELAY = DELAY_HEADER.lower().encode()
_SECRET_PATHS = ("/s/", "/enter/")
_SECRET_PART = re.compile(r"[A-Za-z0-9_\-]{20,}")
_log = logging.getLogger("deskgym.access")


class TooLarge(ServiceError):
    """The request holds more than the server takes (413)."""

    code = "too_large"
    status = 413


def is_mcp(path: str) -> bool:
    """Whether a path belongs to MCP, which is answered in JSON."""
    return path == "/mcp" or path.startswith("/s/")


def _header(scope: Scope, name: bytes) -> str | None:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), None)


async def _wait(start: Message) -> None:
    """Hold an answer back for as long as it asks to be (DESIGN §4, latency); the header goes no further."""
    delays = [int(value) for name, value in start["headers"] if name.lower() == _DELAY]
    if delays:
        start["headers"] = [pair for pair in start["headers"] if pair[0].lower() != _DELAY]
        await asyncio.sleep(delays[0] / 1000)


async def refuse(send: Send, error: ServiceError) -> None:
    """Answer with a refusal as JSON."""
    body = json.dumps({"error": error.as_dict()}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": error.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _read(receive: Receive) -> bytes | None:
    """The whole body, or None where it is too large; the rest of a large one is thrown away up to a limit."""
    parts: list[bytes] = []
    size, more = 0, True
    while more and size <= DRAINED:
        message = await receive()
        part = message.get("body", b"")
        size, more = size + len(part), bool(message.get("more_body"))
        parts = [*parts, part] if size <= MAX_BODY else []
    return b"".join(parts) if size <= MAX_BODY else None


class Gate:
    """An ASGI application in front of another. `hosts`: the names the server answers to."""

    def __init__(self, inner: Application, hosts: Collection[str]) -> None:
        self._inner = inner
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return

        async def noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                if not scope["path"].startswith(_SECRET_PATHS):
                    path = _SECRET_PART.sub("…", scope["path"])  # what looks like a token, at whatever path
                    _log.info("%s %s %d", scope["method"], path, message["status"])
                await _wait(message)
            await send(message)

        await self._admit(scope, receive, noted)

    async def _admit(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            host = _header(scope, b"host") or ""
            check_host(host, self._hosts)
            if is_mcp(scope["path"]):
                here = f"{scope['scheme']}://{host}"
                site = _header(scope, b"sec-fetch-site")
                check_same_origin(_header(scope, b"origin"), site, here, required=False)
            body = await _read(receive)
            if body is None:
                if is_mcp(scope["path"]):
                    raise TooLarge(f"a request holds at most {MAX_BODY // 1000} kB")
                scope, body = _announced_too_large(scope), b""
        except ServiceError as error:
            await refuse(send, error)
            return
        await self._inner(scope, _replay(body, receive), send)


def _announced_too_large(scope: Scope) -> Scope:
    """The request without its body but with a length that the pages refuse: they answer with their own 413."""
    headers = [pair for pair in scope["headers"] if pair[0] not in (b"content-length", b"transfer-encoding")]
    return {**scope, "headers": [*headers, (b"content-length", str(MAX_BODY + 1).encode())]}


def _replay(body: bytes, receive: Receive) -> Receive:
    sent = False

    async def replayed() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replayed
