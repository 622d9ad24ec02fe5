"""The MCP server of the agent plane: the apps' tools, over streamable HTTP (stateless JSON) and over stdio.

The episode is bound by path (`/s/<token>/mcp`) or bearer token, never by a session id (DESIGN §5). Input is checked by
`call_tool`; what it refuses comes back as an `isError` result with `{code, message, field?, allowed?}`. Works with the
lowlevel servers of both majors of the SDK: the second takes its handlers as arguments, the first by decorators.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.responses import JSONResponse

from .kit.errors import ServiceError
from .kit.folder import locate
from .kit.stores import OpenStores
from .kit.tools import Tool, call_tool, published_schema, tools

NAME = "deskgym"
_log = logging.getLogger("deskgym.mcp")
_KEY = {
    "type": "string",
    "minLength": 1,
    "maxLength": 200,
    "description": "Repeating a call with the same key and arguments gives the first result and changes nothing.",
}


class OnlyPost(ServiceError):
    """Another method than POST: a GET would open a stream on which nothing ever comes (405)."""

    code = "method_not_allowed"
    status = 405


def token_of(request: Request) -> str:
    """The agent token of a request: from the path, else the bearer header, else empty."""
    path_token = request.path_params.get("token")
    if path_token:
        return str(path_token)
    scheme, _, value = request.headers.get("authorization", "").partition(" ")
    return value.strip() if scheme.casefold() == "bearer" else ""


def tool_face(tool: Tool) -> types.Tool:
    """How a tool is published: schema without form hints, with `idempotency_key` where one command writes."""
    schema = dict(published_schema(tool.schema))
    if tool.writes:
        schema["properties"] = {**schema.get("properties", {}), "idempotency_key": _KEY}
    return types.Tool.model_validate(
        {
            "name": tool.name,
            "title": tool.title,
            "description": tool.description,
            "inputSchema": schema,
            "annotations": {
                "title": tool.title,
                "readOnlyHint": not tool.writes,
                "destructiveHint": tool.destructive,
                "idempotentHint": tool.idempotent or not tool.writes,
                "openWorldHint": False,
            },
        }
    )


def _result(data: Any, *, is_error: bool = False) -> types.CallToolResult:
    body = data if isinstance(data, dict) else {"result": data}
    text = json.dumps(data, ensure_ascii=False)
    return types.CallToolResult.model_validate(
        {"content": [{"type": "text", "text": text}], "structuredContent": body, "isError": is_error}
    )


@dataclass
class ToolDoor:
    """Carries out tool calls of the episodes under one root, one at a time and never on the event loop."""

    stores: OpenStores
    executor: ThreadPoolExecutor

    def list_tools(self, token: str) -> list[types.Tool]:
        """The tools of a token's episode. Raises ServiceError for an unknown or revoked token."""
        _entry, store = self.stores.enter(token)
        return [tool_face(tool) for tool in tools(store.public.apps if store.public else ()).values()]

    def call(self, token: str, name: str, arguments: Mapping[str, Any] | None) -> types.CallToolResult:
        """Call one tool. Refusals and faults are `isError` results, never exceptions."""
        try:
            entry, store = self.stores.enter(token)
            names = store.public.apps if store.public else ()
            given = {} if arguments is None else arguments
            return _result(call_tool(store, name, given, person_id=entry.person_id, app_names=names))
        except ServiceError as error:
            return _result(error.as_dict(), is_error=True)
        except Exception:
            _log.exception("tool %s failed", name)
            return _result({"code": "internal", "message": "the tool failed; nothing was changed"}, is_error=True)

    async def off_loop(self, function: Any, *arguments: Any) -> Any:
        """Run a function in the single-thread executor."""
        return await asyncio.get_running_loop().run_in_executor(self.executor, function, *arguments)


def make_server(door: ToolDoor, fixed_token: str | None = None) -> Any:
    """The protocol server. `fixed_token`: the one episode of a stdio server; else each request names its own."""

    def token_for(context: Any) -> str:
        return fixed_token if fixed_token is not None else token_of(context.request)

    async def list_tools(context: Any, _params: Any = None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=await door.off_loop(door.list_tools, token_for(context)))

    async def call(context: Any, params: Any) -> types.CallToolResult:
        found: types.CallToolResult = await door.off_loop(door.call, token_for(context), params.name, params.arguments)
        return found

    if hasattr(Server, "call_tool"):
        return _first_major(list_tools, call)
    return Server(NAME, on_list_tools=list_tools, on_call_tool=call)


def _first_major(list_tools: Any, call: Any) -> Any:
    """The same handlers on the lowlevel server of mcp 1.x, whose decorators would check input themselves."""
    server: Any = Server(NAME)

    async def listed(_request: Any) -> Any:
        return _wrapped(await list_tools(server.request_context))

    async def called(request: Any) -> Any:
        return _wrapped(await call(server.request_context, request.params))

    server.request_handlers[types.ListToolsRequest] = listed
    server.request_handlers[types.CallToolRequest] = called
    return server


def _wrapped(result: Any) -> Any:
    return types.ServerResult(result)  # type: ignore[operator,unused-ignore]  # a union of results in mcp 2.x


class HttpDoor:
    """The MCP endpoint as an ASGI application: checks the token, then hands over to the session manager."""

    def __init__(self, door: ToolDoor) -> None:
        self._root = door.stores.root
        self._manager = StreamableHTTPSessionManager(make_server(door), json_response=True, stateless=True)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve while this context lasts."""
        async with self._manager.run():
            yield

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            locate(self._root, token_of(Request(scope)))
            if scope["method"] != "POST":
                raise OnlyPost("this MCP server has no stream and no session; it answers to POST")
        except ServiceError as error:
            headers = {"Allow": "POST"} if isinstance(error, OnlyPost) else None
            answer = JSONResponse({"error": error.as_dict()}, status_code=error.status, headers=headers)
            await answer(scope, receive, send)
            return
        await self._manager.handle_request(scope, receive, send)


async def serve_stdio(root: Path, token: str) -> None:
    """Serve one episode on stdin and stdout until stdin ends. Raises ServiceError for an unknown token."""
    locate(root, token)
    stores = OpenStores(root)
    with ThreadPoolExecutor(1) as executor:
        server = make_server(ToolDoor(stores, executor), token)
        try:
            async with stdio_server() as (reader, writer):
                await server.run(reader, writer, server.create_initialization_options())
        finally:
            executor.submit(stores.close).result()
