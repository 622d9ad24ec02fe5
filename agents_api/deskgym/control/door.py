"""The HTTP door of the control plane: who may ask, what a request may hold, and how it is answered.

First the name it is asked by, then whether a browser asks, then the token, then size and form: without the token
nothing tells a known path from an unknown one. `/healthz` and `/readyz` alone need none.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket

from deskgym_apps.kit.errors import Invalid, ServiceError
from deskgym_apps.kit.operations import Input, parse_input
from deskgym_apps.kit.origin import LOOPBACK, WrongHost, check_host

from ..errors import DeskgymError, describe
from .calls import CALLS, Call, Given
from .keeper import Keeper
from .metrics import CONTENT_TYPE, Requests, render
from .openapi import document
from .secret import is_same

SCHEMA = "deskgym/1"
MOST_BYTES = 1_000_000
DRAINED_BYTES = 32 * MOST_BYTES
REAP_S = 1.0
OPEN = ("/healthz", "/readyz")
STATUS = {
    "usage": 400,
    "unauthorized": 401,
    "not_found": 404,
    "conflict": 409,
    "sealed": 410,
    "too_large": 413,
    "invalid_task": 422,
    "no_secret": 422,
    "capacity": 429,
    "no_permission": 503,
    "env_error": 503,
    "timeout": 504,
}
_SERVICE_KINDS = {"not_found": "not_found", "conflict": "conflict", "sealed": "sealed"}
_log = logging.getLogger("deskgym.control")
_access = logging.getLogger("deskgym.access")


class Refused(DeskgymError):
    """A refusal whose status says more than its kind."""

    def __init__(self, status: int, kind: str, message: str, hint: str = "") -> None:
        super().__init__(kind, message, hint)
        self.status = status


def fault_of(error: BaseException) -> DeskgymError:
    """Any exception as what the caller is told; what nobody foresaw is logged and told without detail."""
    if isinstance(error, ServiceError):
        return DeskgymError(_SERVICE_KINDS.get(error.code, "usage"), error.message)
    if isinstance(error, sqlite3.Error):
        _log.error("a database failed", exc_info=error)
        return DeskgymError("env_error", f"a database failed: {error}", "the log of the control plane says more")
    fault = describe(error)
    if fault.kind == "internal":
        _log.error("a request failed", exc_info=error)
        return DeskgymError("internal", "the fault is on this side", "the log of the control plane says more")
    return fault


def refusal(fault: DeskgymError, headers: dict[str, str] | None = None) -> Response:
    """The envelope of an error, with the status of its kind."""
    status = fault.status if isinstance(fault, Refused) else STATUS.get(fault.kind, 500)
    extra = dict(headers or {})
    if status == 401:
        extra["WWW-Authenticate"] = "Bearer"
    return JSONResponse({"schema": SCHEMA, "ok": False, "error": fault.as_dict()}, status, extra)


def success(data: Any, status: int = 200) -> Response:
    """The envelope of an answer."""
    return JSONResponse({"schema": SCHEMA, "ok": True, "data": data}, status)


def listing(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """A list: always whole."""
    return {"rows": rows, "counts": {"total": len(rows)}, "truncated": False}


# --- Who may ask ------------------------------------------------------------------------------------------


class Guard:
    """In front of everything: Host, no browser, the token. Notes each request in the access log and the figures."""

    def __init__(self, inner: ASGIApp, token: str, hosts: Collection[str], requests: Requests) -> None:
        self._inner = inner
        self._token = token
        self._hosts = hosts
        self._requests = requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        began = time.perf_counter()

        async def noted(message: Any) -> None:
            if message["type"] == "http.response.start":
                self._note(scope, message["status"], time.perf_counter() - began)
            await send(message)

        try:
            self.check(scope["path"], scope["headers"])
        except DeskgymError as fault:
            with contextlib.suppress(ClientDisconnect, Refused):
                await read_body(Request(scope, receive))
            await refusal(fault)(scope, receive, noted)
            return
        await self._inner(scope, receive, noted)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        call = scope.get("deskgym.call", "refused")
        self._requests.note(call, status, seconds)
        if scope["path"] not in OPEN:
            episode = scope.get("path_params", {}).get("id", "-") if call != "refused" else "-"
            _access.info("%s %s %d %.1fms", call, episode[:40], status, seconds * 1000)

    def check(self, path: str, headers: Iterable[tuple[bytes, bytes]]) -> None:
        """Raise Refused unless the request may be answered."""
        given: dict[str, list[str]] = {}
        for name, value in headers:
            given.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        hosts = given.get("host", [])
        try:
            check_host(hosts[0] if len(hosts) == 1 else "", self._hosts)
        except WrongHost as error:
            raise Refused(421, "usage", error.message, "use a loopback name, or see --allow-host") from None
        if any(name == "origin" or name.startswith("sec-fetch-") for name in given):
            raise Refused(403, "unauthorized", "the control plane does not answer to browsers")
        if path not in OPEN:
            self._check_token(given.get("authorization", []))

    def _check_token(self, given: list[str]) -> None:
        scheme, _, token = (given[0] if len(given) == 1 else "").partition(" ")
        if scheme.casefold() != "bearer" or not is_same(token.strip(), self._token):
            raise Refused(401, "unauthorized", "a token is required", "Authorization: Bearer <control token>")


# --- What a request holds ---------------------------------------------------------------------------------


async def read_body(request: Request) -> bytes:
    """The whole body. Raises Refused (too_large); a large one is read on to a limit, so that the answer arrives."""
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > DRAINED_BYTES:
            break
        parts = [*parts, part] if size <= MOST_BYTES else []
    if size > MOST_BYTES:
        raise Refused(413, "too_large", f"a request holds at most {MOST_BYTES // 1000} kB", "send less")
    return b"".join(parts)


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is no number of JSON")


def parse_json(raw: bytes) -> dict[str, Any]:
    """The object that a body holds; an empty body is an empty object. Raises DeskgymError (usage)."""
    if not raw.strip():
        return {}
    try:
        data = json.loads(raw.decode("utf-8"), object_pairs_hook=_no_twins, parse_constant=_no_constant)
        json.dumps(data, ensure_ascii=False).encode("utf-8")  # a lone surrogate is no text
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deep" if isinstance(error, RecursionError) else str(error)
        raise DeskgymError("usage", f"the body is no JSON: {reason}", "send one JSON object in UTF-8") from None
    if not isinstance(data, dict):
        raise DeskgymError("usage", f"the body is a {type(data).__name__}, not an object", "send one JSON object")
    return data


def parse_body(model: type[Input], raw: bytes, content_type: str) -> Input:
    """The checked body. Raises DeskgymError (usage) that names every fault, with the nearest names."""
    if raw.strip() and content_type.split(";")[0].strip().lower() != "application/json":
        raise Refused(415, "usage", "the body is not announced as JSON", "Content-Type: application/json")
    try:
        return parse_input(model, parse_json(raw))
    except Invalid as error:
        faults = [f"{f.field}: {f.message}" if f.field and "." in f.field else f.message for f in error.errors]
        raise DeskgymError("usage", "; ".join(faults), f"fields: {', '.join(model.model_fields) or 'none'}") from None


# --- Answers ----------------------------------------------------------------------------------------------


class Door:
    """The application in front of a keeper. Everything of the keeper's runs on one thread of the executor."""

    def __init__(self, keeper: Callable[[], Keeper], token: str, *, hosts: Collection[str] = (), world: str) -> None:
        self._make = keeper
        self._world = world
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="keeper")
        self._requests = Requests()
        self._ready = "it is starting"
        self._closing = False
        self.keeper: Keeper | None = None
        routes = [self._route(call) for call in CALLS]
        routes += [
            Route("/healthz", self._healthz),
            Route("/readyz", self._readyz),
            Route("/metrics", self._metrics),
            Route("/openapi.json", self._openapi),
        ]
        self._inner = Starlette(
            routes=[*routes, WebSocketRoute("/{path:path}", _no_socket)],
            lifespan=self._lifespan,
            exception_handlers={HTTPException: _not_served, Exception: _broken},
        )
        self._inner.router.redirect_slashes = False
        self.app: ASGIApp = Guard(self._inner, token, (*LOOPBACK, *hosts), self._requests)

    async def on_thread(self, work: Callable[[], Any]) -> Any:
        """Run on the keeper's thread."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, work)

    @property
    def _kept(self) -> Keeper:
        if self.keeper is None:
            raise DeskgymError("env_error", f"the control plane is not ready: {self._ready}", "try again")
        return self.keeper

    @contextlib.asynccontextmanager
    async def _lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        self.keeper = await self.on_thread(self._make)
        await self.on_thread(self.keeper.resume)
        tasks = [asyncio.create_task(self._warm()), asyncio.create_task(self._reap())]
        try:
            yield
        finally:
            self._closing = True
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self.on_thread(self.keeper.close)
            self._executor.shutdown()

    async def _warm(self) -> None:
        try:
            await self.on_thread(lambda: self._kept.warm(self._world))
            self._ready = ""
        except Exception as error:
            self._ready = fault_of(error).message
            _log.error("world %s cannot be opened: %s", self._world, self._ready)

    async def _reap(self) -> None:
        while True:
            await asyncio.sleep(REAP_S)
            try:
                for episode in await self.on_thread(self._kept.reap):
                    _log.info("episode %s reaped", episode)
            except Exception:
                _log.exception("reaping failed; it goes on")

    def _route(self, call: Call) -> Route:
        async def endpoint(request: Request) -> Response:
            request.scope["deskgym.call"] = call.name
            try:
                raw = await read_body(request)
                body = (
                    None if call.body is None else parse_body(call.body, raw, request.headers.get("content-type", ""))
                )
                if body is None and raw.strip():
                    raise DeskgymError("usage", f"{call.name} takes no body", "send none")
                given = Given(request.path_params, call.parse_query(request.query_params.multi_items()), body)
                keeper = self._kept
                data = await self.on_thread(lambda: call.work(keeper, given))
            except ClientDisconnect:
                return Response(status_code=400)  # nobody reads it
            except Exception as error:
                return await self._refused(error)
            if not self._closing:
                self._executor.submit(keeper.refill)
            return success(listing(data) if isinstance(data, list) else data, call.status)

        return Route(call.path, endpoint, methods=[call.method])

    async def _refused(self, error: Exception) -> Response:
        fault = fault_of(error)
        if fault.kind == "capacity" and self.keeper is not None:
            seconds = await self.on_thread(self.keeper.retry_after)
            return refusal(fault, {"Retry-After": str(seconds)})
        return refusal(fault)

    async def _healthz(self, request: Request) -> Response:
        request.scope["deskgym.call"] = "healthz"
        return success({"live": True})

    async def _readyz(self, request: Request) -> Response:
        request.scope["deskgym.call"] = "readyz"
        if self._ready:
            return refusal(DeskgymError("env_error", f"not ready: {self._ready}", "try again"))
        return success({"ready": True})

    async def _metrics(self, request: Request) -> Response:
        request.scope["deskgym.call"] = "metrics"
        text = await self.on_thread(lambda: render(self._kept, self._requests))
        return PlainTextResponse(text, media_type=CONTENT_TYPE)

    async def _openapi(self, request: Request) -> Response:
        request.scope["deskgym.call"] = "openapi"
        return JSONResponse(document())


async def _no_socket(socket: WebSocket) -> None:
    await socket.close(1008)


async def _not_served(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        return refusal(DeskgymError("not_found", "there is no such call", "GET /openapi.json lists them"))
    hint = "GET /openapi.json lists the calls"
    fault = Refused(error.status_code, "usage", "this path does not answer to this method", hint)
    return refusal(fault, dict(error.headers or {}))


async def _broken(_request: Request, error: Exception) -> Response:
    return refusal(fault_of(error))
