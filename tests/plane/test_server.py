"""Pages and MCP on one port: one thread, one size limit, quiet logs, refusals in each door's own language."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client
from tests.fixtures.pad import service, world

import deskgym_apps
from deskgym_apps.kit import folder
from deskgym_apps.kit.canonical import full_dump, state_hash
from deskgym_apps.kit.session import COOKIE
from deskgym_apps.kit.store import Store
from deskgym_apps.server import ServerThread

MCP = f"/s/{world.TOKEN}/mcp"
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


@pytest.fixture
def base(root: Path) -> Iterator[str]:
    thread = ServerThread(root)
    yield thread.start()
    thread.stop()


def call(base: str, *calls: tuple[str, Any]) -> list[Any]:
    """What the server answers to tool calls of the SDK's client."""

    async def run() -> list[Any]:
        async with Client(f"{base}{MCP}") as client:
            return [await client.call_tool(name, arguments) for name, arguments in calls]

    return asyncio.run(run())


def rpc(base: str, name: str, arguments: Any, path: str = MCP, **headers: str) -> Any:
    """One tool call without a client, so that anything can be sent."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    accept = {"accept": "application/json, text/event-stream"}
    answer = httpx.post(f"{base}{path}", json=body, headers=accept | headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


def pages(base: str) -> httpx.Client:
    """A browser in Ana's episode."""
    return httpx.Client(timeout=60, base_url=base, cookies={COOKIE: world.TOKEN}, headers={"Origin": base})


def test_both_doors_reach_the_same_state_by_the_same_work(root: Path, image: Path, base: str) -> None:
    world.occupy(root, image, token="o" * 40, episode="two")
    arguments = {"id": world.MILK, "row_version": 1, "values": {"title": "Buy oat milk", "cost": "3"}}
    (by_tool,) = call(base, ("pad_change", arguments))
    assert by_tool.structured_content == {"id": world.MILK, "row_version": 2}
    with httpx.Client(timeout=60, base_url=base, cookies={COOKIE: "o" * 40}, headers={"Origin": base}) as browser:
        form = {
            "row_version": "1",
            "title": "Buy oat milk",
            "cost": "3.00",
            "body": " two\nlitres ",
            "colour": "yellow",
        }
        assert browser.post(f"/pad/{world.MILK}/edit", data=form).status_code == 303
    with Store.open(root / "one/store.db") as tool, Store.open(root / "two/store.db") as page:
        assert state_hash(tool) == state_hash(page)
        columns = "SELECT operation, arguments, instant FROM jrn_command"
        assert tool.all(columns) == page.all(columns)


def test_pages_and_tools_run_on_one_thread_that_is_not_the_event_loop(
    base: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: set[str] = set()
    columns = service._columns

    def noted(given: dict[str, Any]) -> dict[str, Any]:
        seen.add(threading.current_thread().name)
        return columns(given)

    monkeypatch.setattr(service, "_columns", noted)
    call(base, ("pad_write", {"title": "by tool"}))
    with pages(base) as browser:
        assert browser.post("/pad/new", data={"title": "by page", "colour": "yellow"}).status_code == 303
    assert len(seen) == 1
    assert seen.pop().startswith("WSGI")


def test_many_at_once_are_served_one_after_the_other(root: Path, base: str) -> None:
    def work(number: int) -> None:
        if number % 2:
            assert not rpc(base, "pad_write", {"title": f"tool {number}"})["result"].get("isError")
        else:
            with pages(base) as browser:
                form = {"title": f"page {number}", "colour": "yellow"}
                assert browser.post("/pad/new", data=form).status_code == 303

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(24)))
    with Store.open(root / "one/store.db") as store:
        assert [row["seq"] for row in store.all("SELECT seq FROM jrn_command ORDER BY seq")] == list(range(1, 25))


@pytest.mark.parametrize(
    ("name", "arguments", "code", "message"),
    [
        ("pad_writ", {}, "not_found", 'Did you mean "pad_write" or'),
        ("crm_get", {"id": "x"}, "not_found", "no tool"),
        ("pad_write", {}, "validation", "pad_write needs the argument title"),
        ("pad_write", {"titel": "x"}, "validation", 'Did you mean "title"?'),
        ("pad_write", {"title": ["x"]}, "validation", "valid string, not list"),
        ("pad_write", {"title": "x", "colour": "red"}, "validation", "'yellow', 'green' or 'blue'"),
        ("pad_write", {"title": "x", "idempotency_key": 5}, "validation", "text of 1 to 200 characters"),
        ("pad_change", {"id": world.MILK, "row_version": 9, "values": {"title": "x"}}, "conflict", "version 9"),
        ("pad_change", {"id": "x", "row_version": 1, "values": 5}, "validation", "values"),
        ("pad_read", {"limit": 5}, "validation", 'no argument "limit"'),
        ("pad_break", {}, "internal", "nothing was changed"),
        ("submit_answer", {"status": "maybe"}, "validation", "'done' or 'infeasible'"),
    ],
)
def test_what_a_tool_refuses_is_an_error_result_that_a_model_can_act_on(
    root: Path, base: str, name: str, arguments: dict[str, Any], code: str, message: str
) -> None:
    with Store.open(root / "one/store.db") as store:
        before = full_dump(store)
        result = rpc(base, name, arguments)["result"]
        assert result["isError"] is True
        body = json.loads(result["content"][0]["text"])
        assert body == result["structuredContent"]
        assert body["code"] == code
        assert message in body["message"]
        assert full_dump(store) == before


def test_a_fault_of_a_tool_is_logged_and_not_told(base: str, caplog: pytest.LogCaptureFixture) -> None:
    result = rpc(base, "pad_break", {})["result"]
    assert "division" not in json.dumps(result)
    assert "ZeroDivisionError" in caplog.text


@pytest.mark.parametrize("arguments", [[], "x", 5])
def test_arguments_that_are_no_object_are_refused(base: str, arguments: Any) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "pad_read", "arguments": arguments}}
    answer = httpx.post(f"{base}{MCP}", json=body, headers={"accept": "application/json, text/event-stream"})
    assert "error" in answer.json() or answer.json()["result"]["isError"]


def test_a_list_is_wrapped_so_that_structured_content_is_an_object(base: str) -> None:
    result = rpc(base, "pad_read", {})["result"]
    listed = json.loads(result["content"][0]["text"])
    assert [row["title"] for row in listed] == ["Buy milk", "Bake bread"]
    assert result["structuredContent"] == {"result": listed}


def test_the_bearer_door_serves_the_same_episode(base: str) -> None:
    result = rpc(base, "desk_instruction", {}, path="/mcp", authorization=f"Bearer {world.TOKEN}")["result"]
    assert result["structuredContent"]["instruction"] == "Buy oat milk instead."
    assert httpx.post(f"{base}/mcp", json=LIST, headers={"authorization": f"Basic {world.TOKEN}"}).status_code == 404


def test_mcp_calls_from_another_site_are_refused(base: str) -> None:
    for headers in ({"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}, {"host": "evil.example"}):
        assert httpx.post(f"{base}{MCP}", json=LIST, headers=headers).status_code in (403, 421)
    accept = {"accept": "application/json, text/event-stream"}
    assert httpx.post(f"{base}{MCP}", json=LIST, headers=accept | {"origin": base}).status_code == 200


def test_after_the_seal_tools_still_read_and_no_longer_write(base: str) -> None:
    rpc(base, "finish", {})
    assert not rpc(base, "pad_read", {})["result"].get("isError")
    for name, arguments in (("pad_write", {"title": "x"}), ("finish", {})):
        assert rpc(base, name, arguments)["result"]["structuredContent"]["code"] == "sealed"


@pytest.mark.parametrize("verb", ["GET", "DELETE"])
def test_mcp_has_no_stream_and_no_session(base: str, verb: str) -> None:
    answer = httpx.request(verb, f"{base}{MCP}", headers={"accept": "text/event-stream"}, timeout=5)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def test_ten_megabytes_are_refused_in_each_doors_own_language(root: Path, base: str) -> None:
    with Store.open(root / "one/store.db") as store:
        before = full_dump(store)
        answer = httpx.post(f"{base}{MCP}", content=b"x" * 10_000_000)
        assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")
        with pages(base) as browser:
            page = browser.post("/desk/submit", data={"status": "done", "answer": "x" * 10_000_000})
            assert (page.status_code, "This is too large" in page.text) == (413, True)
            chunked = browser.post("/desk/submit", content=(b"x" * 100_000 for _ in range(20)))
            assert chunked.status_code == 413
        assert full_dump(store) == before


def test_a_slow_sender_holds_nobody_up(base: str) -> None:
    port = int(base.rsplit(":", 1)[1])
    with socket.create_connection(("127.0.0.1", port)) as slow:
        head = f"POST /desk/submit HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 50\r\n\r\nstatus="
        slow.sendall(head.encode())
        with pages(base) as browser:
            assert browser.get("/pad/", timeout=10).status_code == 200


def test_the_rest_of_an_answer_is_sent_without_waiting_for_the_client(base: str) -> None:
    """Head and body leave one after the other: with Nagle's delay the body waits 40 ms for the client's late ack."""
    port = int(base.rsplit(":", 1)[1])
    with pages(base) as browser:  # which keeps its connection
        browser.get("/desk")
        near = [item for item in gc.get_objects() if isinstance(item, socket.socket) and item.fileno() >= 0]
        accepted = [
            item
            for item in near
            if item.family == socket.AF_INET
            and item.getsockname()[1] == port
            and not item.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
        ]
        assert [item.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0 for item in accepted] == [True]


def test_no_log_line_tells_a_token_and_ordinary_requests_are_noted(base: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "deskgym.access")
    httpx.get(f"{base}/enter/{world.TOKEN}")
    rpc(base, "pad_read", {})
    with pages(base) as browser:
        browser.get("/pad/?q=secret")
    lines = [record.getMessage() for record in caplog.records if record.name == "deskgym.access"]
    assert lines == ["GET /pad/ 200"]
    assert world.TOKEN not in caplog.text


def test_no_answer_carries_the_time_or_the_servers_name(base: str) -> None:
    with pages(base) as browser:
        for path in ("/desk", "/healthz", "/nothing"):
            assert not {"date", "server"} & set(browser.get(path).headers)


def test_the_server_ends_on_sigterm_with_its_stores_closed(root: Path, tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    place = str(Path(deskgym_apps.__file__).parents[1])
    command = [sys.executable, "-W", "error", "-m", "deskgym_apps.server", "--root", str(root), "--port", str(port)]
    environment = os.environ | {"PYTHONPATH": place}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        lines = []
        while "serving on 127.0.0.1" not in (line := server.stdout.readline()):
            lines.append(line)
            assert line, lines
        with pages(f"http://127.0.0.1:{port}") as browser:
            assert browser.get("/desk").status_code == 200
        assert (root / "one/store.db-wal").exists()
        server.send_signal(signal.SIGTERM)
        rest = server.stdout.read()
        assert server.wait(20) in (0, -signal.SIGTERM)
    records = [json.loads(line) for line in rest.splitlines()]
    assert {"level": "info", "logger": "deskgym.access", "message": "GET /desk 200"} in records
    assert not (root / "one/store.db-wal").exists()


def test_a_token_of_another_root_opens_nothing(base: str, tmp_path: Path) -> None:
    folder.grant(tmp_path / "elsewhere", "e" * 40, "one", world.ANA)
    assert httpx.post(f"{base}/s/{'e' * 40}/mcp", json=LIST).status_code == 404
