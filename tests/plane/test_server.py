"""The agent plane as one server: MCP beside the pages, what passes the gate, what the log holds."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client
from tests.fixtures.pad import world

from deskgym_apps.kit import folder
from deskgym_apps.kit.canonical import full_dump
from deskgym_apps.kit.store import Store
from deskgym_apps.server import ServerThread

ASK = {"accept": "application/json, text/event-stream"}


@pytest.fixture
def path(image: Path, tmp_path: Path) -> Path:
    """The store of one episode under the root `tmp_path`."""
    return world.occupy(tmp_path, image)


@pytest.fixture
def base_url(path: Path, tmp_path: Path) -> Iterator[str]:
    thread = ServerThread(tmp_path)
    yield thread.start()
    thread.stop()


def dump(path: Path) -> object:
    with Store.open(path) as store:
        return full_dump(store)


def call(base_url: str, *calls: tuple[str, dict[str, Any]], token: str = world.TOKEN) -> list[Any]:
    """What the tools answer to calls of one client."""

    async def run() -> list[Any]:
        async with Client(f"{base_url}/s/{token}/mcp") as client:
            return [await client.call_tool(name, arguments) for name, arguments in calls]

    return asyncio.run(run())


def post(url: str, method: str = "tools/list", headers: dict[str, str] | None = None, **params: Any) -> httpx.Response:
    """One bare JSON-RPC request."""
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return httpx.post(url, json=body, headers=ASK | (headers or {}))


def test_the_server_says_that_it_is_well(base_url: str) -> None:
    assert httpx.get(f"{base_url}/healthz").json() == {"ok": True}


def test_a_fault_in_a_tool_is_internal_and_tells_nothing(base_url: str, path: Path, caplog: Any) -> None:
    before = dump(path)
    (answer,) = call(base_url, ("pad_break", {}))
    assert answer.is_error
    assert json.loads(answer.content[0].text)["code"] == "internal"
    assert "ZeroDivision" not in answer.content[0].text
    assert "ZeroDivisionError" in caplog.text
    assert dump(path) == before


@pytest.mark.parametrize(
    ("name", "arguments", "code", "field"),
    [
        ("pad_write", {}, "validation", "title"),
        ("pad_write", {"title": 5}, "validation", "title"),
        ("pad_write", {"title": "x", "colour": "red"}, "validation", "colour"),
        ("pad_write", {"title": "x", "colur": "blue"}, "validation", "colur"),
        ("pad_write", {"title": "x", "idempotency_key": ""}, "validation", "idempotency_key"),
        ("pad_tear_off", {"id": "PAD00000000XXXX"}, "not_found", None),
        ("pad_change", {"id": world.MILK, "row_version": 9, "values": {"title": "y"}}, "conflict", "row_version"),
        ("pad_reed", {}, "not_found", None),
        ("submit_answer", {"status": "maybe"}, "validation", "status"),
    ],
)
def test_a_refusal_is_an_error_result_with_code_and_field(
    base_url: str, path: Path, name: str, arguments: dict[str, Any], code: str, field: str | None
) -> None:
    before = dump(path)
    (answer,) = call(base_url, (name, arguments))
    body = json.loads(answer.content[0].text)
    assert answer.is_error
    assert (body["code"], body.get("field")) == (code, field)
    assert answer.structured_content == body
    assert dump(path) == before


def test_the_result_is_given_as_data_and_as_the_same_text(base_url: str) -> None:
    (listed,) = call(base_url, ("pad_read", {}))
    rows = json.loads(listed.content[0].text)
    assert [row["title"] for row in rows] == ["Buy milk", "Bake bread"]
    assert listed.structured_content == {"result": rows}


def test_nothing_is_written_by_tools_once_the_work_is_handed_in(base_url: str, path: Path) -> None:
    (done,) = call(base_url, ("finish", {}))
    assert not done.is_error
    sealed = dump(path)
    answers = call(base_url, ("pad_write", {"title": "Late"}), ("finish", {}), ("pad_read", {}))
    assert [json.loads(answer.content[0].text)["code"] for answer in answers[:2]] == ["sealed", "sealed"]
    assert not answers[2].is_error
    assert dump(path) == sealed


def test_a_page_shows_what_a_tool_wrote(base_url: str) -> None:
    call(base_url, ("pad_write", {"title": "Sweep the yard"}))
    with httpx.Client(base_url=base_url, follow_redirects=True) as browser:
        browser.get(f"/enter/{world.TOKEN}")
        assert "Sweep the yard" in browser.get("/pad/").text


def test_the_bearer_token_opens_the_same_door(base_url: str) -> None:
    headers = {"authorization": f"Bearer {world.TOKEN}"}
    by_header, by_path = post(f"{base_url}/mcp", headers=headers), post(f"{base_url}/s/{world.TOKEN}/mcp")
    assert by_header.status_code == by_path.status_code == 200
    assert by_header.json() == by_path.json()
    assert "pad_read" in [tool["name"] for tool in by_header.json()["result"]["tools"]]
    assert "mcp-session-id" not in by_header.headers


@pytest.mark.parametrize("value", ["", "Bearer", f"Basic {world.TOKEN}", world.TOKEN, "Bearer ../one"])
def test_no_other_header_opens_it(base_url: str, value: str) -> None:
    assert post(f"{base_url}/mcp", headers={"authorization": value} if value else {}).status_code == 404


def test_a_revoked_token_ends_a_client_at_once(base_url: str, tmp_path: Path) -> None:
    assert post(f"{base_url}/s/{world.TOKEN}/mcp").status_code == 200
    folder.revoke(tmp_path, world.TOKEN)
    assert post(f"{base_url}/s/{world.TOKEN}/mcp").status_code == 410
    assert httpx.get(f"{base_url}/desk", headers={"cookie": f"deskgym_token={world.TOKEN}"}).status_code == 410


@pytest.mark.parametrize("headers", [{"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}])
def test_a_foreign_page_reaches_no_tool(base_url: str, path: Path, headers: dict[str, str]) -> None:
    before = dump(path)
    answer = post(
        f"{base_url}/s/{world.TOKEN}/mcp", "tools/call", headers, name="pad_write", arguments={"title": "Planted"}
    )
    assert answer.status_code == 403
    assert dump(path) == before


def _pieces(size: int) -> Iterator[bytes]:
    for _ in range(size // 10_000):
        yield b"x" * 10_000


@pytest.mark.parametrize("place", [f"/s/{world.TOKEN}/mcp", "/mcp", "/desk/submit", "/pad/new"])
def test_a_body_over_a_megabyte_is_refused_although_no_length_announces_it(
    base_url: str, path: Path, place: str
) -> None:
    before = dump(path)
    headers = {"origin": base_url, "cookie": f"deskgym_token={world.TOKEN}"}
    answer = httpx.post(f"{base_url}{place}", content=_pieces(2_000_000), headers=headers)
    assert answer.status_code == 413
    assert dump(path) == before


def test_many_at_once_lose_nothing(base_url: str, path: Path) -> None:
    def write(number: int) -> int:
        url = f"{base_url}/s/{world.TOKEN}/mcp"
        if number % 2:
            answer = post(url, "tools/call", name="pad_write", arguments={"title": f"Note {number}"})
            return int(not answer.json()["result"]["isError"])
        headers = {"origin": base_url, "cookie": f"deskgym_token={world.TOKEN}"}
        data = {"title": f"Note {number}", "colour": "yellow"}
        return int(httpx.post(f"{base_url}/pad/new", data=data, headers=headers).status_code == 303)

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(write, range(40))) == 40
    with Store.open(path) as store:
        titles = {row["title"] for row in store.select("pad_note")}
        assert {f"Note {number}" for number in range(40)} <= titles
        seqs = [row["seq"] for row in store.all("SELECT seq FROM jrn_command ORDER BY seq")]
        assert seqs == list(range(1, 41))


def test_the_log_holds_no_token(base_url: str, caplog: Any) -> None:
    with caplog.at_level(logging.INFO):
        httpx.get(f"{base_url}/enter/{world.TOKEN}")
        post(f"{base_url}/s/{world.TOKEN}/mcp")
        httpx.get(f"{base_url}/pad/", headers={"cookie": f"deskgym_token={world.TOKEN}"})
        httpx.get(f"{base_url}/s/{world.TOKEN}/state")
    lines = [record.getMessage() for record in caplog.records if record.name == "deskgym.access"]
    assert lines == ["GET /pad/ 200"]


def test_a_stopped_server_takes_no_requests(path: Path, tmp_path: Path) -> None:
    thread = ServerThread(tmp_path)
    base_url = thread.start()
    assert httpx.get(f"{base_url}/healthz").status_code == 200
    thread.stop()
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{base_url}/healthz")


def test_the_server_program_serves_logs_without_tokens_and_ends_on_sigterm(path: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "deskgym_apps.server", "--root", str(tmp_path), "--port", "0"]
    environment = {"PYTHONPATH": os.pathsep.join(item for item in sys.path if item), "PATH": os.defpath}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
        assert server.stdout is not None
        try:
            base_url = next(found[0] for line in server.stdout if (found := re.search(r"http://127[0-9.:]+", line)))
            assert httpx.get(f"{base_url}/enter/{world.TOKEN}").status_code == 303
            assert httpx.get(f"{base_url}/nothing").status_code == 404
        finally:
            server.send_signal(signal.SIGTERM)
        rest = server.stdout.read()
    assert server.returncode in (0, -signal.SIGTERM)
    assert world.TOKEN not in rest
    assert "GET /nothing 404" in rest
    assert all(json.loads(line)["level"] for line in rest.splitlines())
