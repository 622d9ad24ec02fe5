"""MCP through the SDK's own client, over real HTTP and over stdio, on the small world."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client, StdioServerParameters

from deskgym.episode import Episode
from deskgym_apps.server import ServerThread


@pytest.fixture
def episode(tmp_path: Path) -> Iterator[Episode]:
    with Episode.start("crm/next-step@1", root=tmp_path) as started:
        yield started


@pytest.fixture
def base_url(episode: Episode) -> Iterator[str]:
    thread = ServerThread(episode.root)
    yield thread.start()
    thread.stop()


def talk(target: Any, *calls: tuple[str, dict[str, Any]]) -> tuple[list[Any], list[Any]]:
    """The tools a server lists, and what it answers to calls."""

    async def run() -> tuple[list[Any], list[Any]]:
        async with Client(target) as client:
            listed = (await client.list_tools()).tools
            return listed, [await client.call_tool(name, arguments) for name, arguments in calls]

    return asyncio.run(run())


def test_every_tool_is_described_and_says_whether_it_writes(episode: Episode, base_url: str) -> None:
    listed, _ = talk(f"{base_url}/s/{episode.token}/mcp")
    names = {tool.name for tool in listed}
    assert {"crm_query", "crm_update", "desk_instruction", "submit_answer", "finish"} <= names
    assert all(tool.description and tool.annotations is not None for tool in listed)
    assert "x-widget" not in json.dumps([tool.input_schema for tool in listed])
    writes = {tool.name for tool in listed if not tool.annotations.read_only_hint}
    assert {"crm_create", "crm_update", "crm_delete"} <= writes
    assert all("idempotency_key" in tool.input_schema["properties"] for tool in listed if tool.name in writes)


def test_the_oracle_over_http_earns_the_reward_and_refusals_change_nothing(episode: Episode, base_url: str) -> None:
    assert episode.task is not None
    call = episode.task.oracle[0]
    before = episode.state_hash()
    wrong = ("crm_update", {**call.args, "values": {"next_stp": "x"}})
    stale = ("crm_update", {**call.args, "row_version": 99})
    unknown: tuple[str, dict[str, Any]] = ("crm_updat", {})
    _, answers = talk(f"{base_url}/s/{episode.token}/mcp", wrong, stale, unknown)
    bodies = [json.loads(answer.content[0].text) for answer in answers]
    assert [answer.is_error for answer in answers] == [True, True, True]
    assert [body["code"] for body in bodies] == ["validation", "conflict", "not_found"]
    assert 'Did you mean "next_step"' in bodies[0]["message"]
    assert episode.state_hash() == before
    talk(f"{base_url}/s/{episode.token}/mcp", (call.tool, dict(call.args)), ("finish", {}))
    verdict = episode.grade()
    assert (verdict.status, verdict.reward, verdict.replayed) == ("graded", 1.0, True)


def test_the_same_key_and_arguments_write_once(episode: Episode, base_url: str) -> None:
    call = ("crm_create", {"object": "account", "values": {"name": "Marl"}, "idempotency_key": "one"})
    _, answers = talk(f"{base_url}/s/{episode.token}/mcp", call, call)
    assert answers[0].structured_content == answers[1].structured_content
    assert len(episode.journal()) == 1


def test_an_unknown_token_is_404_and_a_revoked_one_410(episode: Episode, base_url: str) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert httpx.post(f"{base_url}/s/{'x' * 40}/mcp", json=body).status_code == 404
    assert httpx.post(f"{base_url}/mcp", json=body).status_code == 404
    snapshot, token = episode.snapshot(), episode.token
    episode.restore(snapshot)
    assert httpx.post(f"{base_url}/s/{token}/mcp", json=body).status_code == 410
    assert httpx.post(f"{base_url}/mcp", json=body, headers={"authorization": f"Bearer {token}"}).status_code == 410


@pytest.mark.parametrize("verb", ["GET", "POST"])
def test_nothing_of_control_is_reachable_from_the_agents_port(episode: Episode, base_url: str, verb: str) -> None:
    before = episode.state_hash()
    paths = ("state", "reset", "grade", "finish", "config", "debug", "api/sql-runner", "openapi.json", "specs/a.py")
    for path in (*paths, "v1/episodes", "metrics", "admin", f"s/{episode.token}/state", "..%2fstore.db"):
        assert httpx.request(verb, f"{base_url}/{path}").status_code == 404, path
    assert episode.state_hash() == before


def test_a_foreign_host_header_is_refused(episode: Episode, base_url: str) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    answer = httpx.post(f"{base_url}/s/{episode.token}/mcp", json=body, headers={"host": "evil.example"})
    assert answer.status_code in (403, 421)


def test_one_episode_on_stdio(episode: Episode) -> None:
    code = (
        "import asyncio, sys; from pathlib import Path; from deskgym_apps.mcp import serve_stdio; "
        "asyncio.run(serve_stdio(Path(sys.argv[1]), sys.argv[2]))"
    )
    paths = ":".join(path for path in sys.path if path)
    server = StdioServerParameters(
        command=sys.executable,
        args=["-c", code, str(episode.root), str(episode.token)],
        env={"PYTHONPATH": paths},
    )
    listed, answers = talk(server, ("desk_instruction", {}), ("crm_whoami", {}))
    assert "crm_query" in {tool.name for tool in listed}
    assert episode.task is not None
    assert answers[0].structured_content["instruction"] == episode.task.instruction
    assert not answers[1].is_error
