"""The MCP server of the agent plane: the apps' tools, over streamable HTTP (stateless JSON) and over stdio.

The episode is bound by path (`/s/<token>/mcp`) or bearer token, never by a session id (DESIGN §5). Input is checked by
`call_tool`; what it refuses comes back as an `isError` result with `{code, message, field?, allowed?}`.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from starlette.requests import Request

from .kit.errors import ServiceError
from .kit.folder import Entry, locate, read_public
from .kit.store import Store
from .kit.tools import Tool, call_tool, published_schema, tools

log = logging.getLogger("deskgym.mcp")
_KEY = {
    "type": "string",
    "maxLength": 200,
    "description": "Repeating a call with the same key and arguments gives the first result and changes nothing.",
}


def episode_store(entry: Entry) -> Store:
    """An open store of an episode with what the agent may know. The caller closes it."""
    public = read_public(entry.folder)
    store = Store.open(entry.folder / "store.db", Path(public.reference) if public.reference else None)
    store.public = public
    return store


def token_of(request: Request) -> str:
    """The agent token of a request: from the path, else the bearer header, else empty."""
    path_token = request.path_params.get("token")
    if path_token:
        return str(path_token)
    scheme, _, value = request.headers.get("authorization", "").partition(" ")
    return value.strip() if scheme.casefold() == "bearer" else ""


def tool_face(tool: Tool) -> types.Tool:
    """How a tool is published: schema without form hints, with `idempotency_key` where it writes."""
    schema = dict(published_schema(tool.schema))
    if tool.writes:
        schema["properties"] = {**schema.get("properties", {}), "idempotency_key": _KEY}
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=schema,
        annotations=types.ToolAnnotations(
            read_only_hint=not tool.writes,
            destructive_hint=tool.destructive,
            idempotent_hint=tool.idempotent or not tool.writes,
            open_world_hint=False,
        ),
    )


def _result(data: Any, *, is_error: bool = False) -> types.CallToolResult:
    body = data if isinstance(data, dict) else {"result": data}
    text = json.dumps(data, ensure_ascii=False)
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)], structured_content=body, is_error=is_error
    )


@dataclass
class ToolDoor:
    """Carries out tool calls of the episodes under `root`, one at a time and never on the event loop."""

    root: Path
    executor: ThreadPoolExecutor

    def list_tools(self, token: str) -> list[types.Tool]:
        """The tools of a token's episode. Raises ServiceError for an unknown or revoked token."""
        entry = locate(self.root, token)
        return [tool_face(tool) for tool in tools(read_public(entry.folder).apps).values()]

    def call(self, token: str, name: str, arguments: Mapping[str, Any] | None) -> types.CallToolResult:
        """Call one tool. Refusals and faults are `isError` results, never exceptions."""
        try:
            entry = locate(self.root, token)
            with episode_store(entry) as store:
                names = store.public.apps if store.public else ()
                given = {} if arguments is None else arguments
                return _result(call_tool(store, name, given, person_id=entry.person_id, app_names=names))
        except ServiceError as error:
            return _result(error.as_dict(), is_error=True)
        except Exception:
            log.exception("tool %s failed", name)
            return _result({"code": "internal", "message": "the tool failed; nothing was changed"}, is_error=True)

    async def off_loop(self, function: Any, *arguments: Any) -> Any:
        """Run a function in the single-thread executor."""
        return await asyncio.get_running_loop().run_in_executor(self.executor, function, *arguments)


def make_server(door: ToolDoor, fixed_token: str | None = None) -> Server[Any]:
    """The protocol server. `fixed_token`: the one episode of a stdio server; else each request names its own."""

    def token_for(context: Any) -> str:
        return fixed_token if fixed_token is not None else token_of(context.request)

    async def list_tools(context: Any, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=await door.off_loop(door.list_tools, token_for(context)))

    async def call(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        found: types.CallToolResult = await door.off_loop(door.call, token_for(context), params.name, params.arguments)
        return found

    return Server("deskgym", on_list_tools=list_tools, on_call_tool=call)


async def serve_stdio(root: Path, token: str) -> None:
    """Serve one episode on stdin and stdout until stdin ends. Raises ServiceError for an unknown token."""
    locate(root, token)
    with ThreadPoolExecutor(1) as executor:
        server = make_server(ToolDoor(root, executor), token)
        async with stdio_server() as (reader, writer):
            await server.run(reader, writer, server.create_initialization_options())
