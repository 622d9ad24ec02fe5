"""One client of the MCP server, of either major of the SDK: `python client.py JOB`, with nothing else installed.

JOB is JSON: `door` (http, bearer or stdio), `url`, `token`, `command`, `mode` and `calls`, a list of [tool, arguments].
Prints JSON: the SDK's version, the protocol's, the names of the tools, and each call's `isError` and text.
"""

import asyncio
import json
import sys
from importlib.metadata import version
from typing import Any


async def second_major(job: dict[str, Any]) -> dict[str, Any]:
    from mcp import Client, StdioServerParameters

    target: Any = job["url"]
    if job["door"] == "stdio":
        target = StdioServerParameters(command=job["command"][0], args=job["command"][1:], env=job["env"])
    elif job["door"] == "bearer":
        import httpx2
        from mcp.client.streamable_http import streamable_http_client

        headers = {"Authorization": "Bearer " + job["token"]}
        async with httpx2.AsyncClient(headers=headers) as http:
            return await _second(streamable_http_client(job["url"], http_client=http), job, Client)
    return await _second(target, job, Client)


async def _second(target: Any, job: dict[str, Any], client_class: Any) -> dict[str, Any]:
    async with client_class(target, mode=job["mode"]) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        answers = [await client.call_tool(name, arguments) for name, arguments in job["calls"]]
        return {
            "protocol": client.protocol_version,
            "tools": tools,
            "answers": [[bool(answer.is_error), answer.content[0].text] for answer in answers],
        }


async def first_major(job: dict[str, Any]) -> dict[str, Any]:
    import mcp
    from mcp.client import streamable_http
    from mcp.client.stdio import stdio_client

    first: Any = streamable_http  # names of the first major
    if job["door"] == "stdio":
        server = mcp.StdioServerParameters(command=job["command"][0], args=job["command"][1:], env=job["env"])
        opened: Any = stdio_client(server)
    else:
        headers = {"Authorization": "Bearer " + job["token"]} if job["door"] == "bearer" else None
        opened = first.streamablehttp_client(job["url"], headers=headers)
    async with opened as streams, mcp.ClientSession(streams[0], streams[1]) as session:
        started: Any = await session.initialize()
        tools = [tool.name for tool in (await session.list_tools()).tools]
        answers: Any = [await session.call_tool(name, arguments) for name, arguments in job["calls"]]
        return {
            "protocol": started.protocolVersion,
            "tools": tools,
            "answers": [[bool(answer.isError), answer.content[0].text] for answer in answers],
        }


def main() -> None:
    job = json.loads(sys.argv[1])
    major = int(version("mcp").split(".")[0])
    said = asyncio.run(first_major(job) if major == 1 else second_major(job))
    print(json.dumps({"sdk": version("mcp"), **said}))


if __name__ == "__main__":
    main()
