"""Attacks on a running server (grading.md §3.11). Each returns what it found: an empty list is a boundary that held.

They know what a worst-case agent knows: the addresses of both planes and its own token.
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from deskgym_apps.kit.session import COOKIE

from ..control.calls import CALLS

# What other gyms had on the app's own port, and what ours has on the other one.
CONTROL_PATHS = (
    *sorted({call.path for call in CALLS}),
    "/metrics",
    "/readyz",
    "/openapi.json",
    "/docs",
    "/reset",
    "/state",
    "/grade",
    "/finish",
    "/config",
    "/debug",
    "/sql",
    "/admin",
    "/api/reset",
    "/console",
    "/_debug",
    "/tokens",
    "/crm/../v1/episodes",
)
FILES = (
    "/.git/config",
    "/.git/HEAD",
    "/.env",
    "/server.py",
    "/static/../server.py",
    "/static/kit/../../server.py",
    "/static/%2e%2e/%2e%2e/server.py",
    "/static/..%2f..%2fserver.py",
    "/static/....//....//etc/passwd",
    "/static//etc/passwd",
    "/static/%2fetc/passwd",
    "/static/..\\..\\server.py",
    "/kit/static/../schema.sql",
    "/crm/static/../schema.sql",
    "/crm/static/%2e%2e/schema.sql",
    "/crm/schema.sql",
    "/store.db",
    "/episodes/store.db",
    "/tokens/",
    "/public.json",
    "/static/",
    "/static/crm.js.map",
    "/crm/static/",
    "/crm/static/board.js.map",
    "/etc/passwd",
    "//etc/passwd",
    "/file:///etc/passwd",
    "/proc/self/environ",
    "/%00",
    "/static/%00",
)


def raw(url: str, method: str, path: str, headers: Mapping[str, str] | None = None) -> tuple[int, bytes]:
    """Status and body of a request whose path is sent as it is written."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)
    try:
        connection.putrequest(method, path, skip_accept_encoding=True)
        for name, value in (headers or {}).items():
            connection.putheader(name, value)
        connection.putheader("Content-Length", "0")
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def twisted(path: str) -> Iterable[str]:
    """A path as filters that compare text would miss it."""
    yield from (
        path,
        f"/{path}",
        f"{path}/",
        f"{path}.",
        f"{path}?x=1",
        f"{path};x",
        f"{path}%00",
        f"/.{path}",
        f"/x/..{path}",
    )
    yield path.replace("/", "/%2e/", 1)
    yield path[:1] + f"%{ord(path[1]):02x}" + path[2:]
    yield path.upper()


def control_on_the_agents_port(agent_url: str, agent_token: str, guesses: Iterable[str]) -> list[str]:
    """P1: control's paths on the port of the apps, by every method, with and without tokens and forwarding headers."""
    found = []
    dressed: list[dict[str, str]] = [
        {},
        {"Cookie": f"{COOKIE}={agent_token}"},
        {"X-Forwarded-For": "127.0.0.1", "X-Real-IP": "127.0.0.1", "X-Forwarded-Host": "localhost:8001"},
        {"X-HTTP-Method-Override": "DELETE", "X-Original-URL": "/v1/episodes", "X-Rewrite-URL": "/v1/episodes"},
        {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "x" * 24},
        {"Accept": "text/event-stream"},
        *({"Authorization": f"Bearer {guess}"} for guess in guesses),
    ]
    for path in CONTROL_PATHS:
        for method in ("GET", "POST", "DELETE", "PUT", "OPTIONS", "TRACE"):
            status, body = raw(agent_url, method, path)
            found += _unless_refused(status, body, f"{method} {path}")
        for variant in twisted(path):
            status, body = raw(agent_url, "GET", variant, dressed[1])
            found += _unless_refused(status, body, f"GET {variant}")
    for headers in dressed:
        for path in CONTROL_PATHS[:8]:
            status, body = raw(agent_url, "POST", path, headers)
            found += _unless_refused(status, body, f"POST {path} with {sorted(headers)}")
    return found


def _unless_refused(status: int, body: bytes, what: str) -> list[str]:
    is_way = status in (301, 302, 303, 307, 308)
    return [] if 400 <= status < 500 or is_way else [f"{what} answered {status}: {body[:80]!r}"]


def files_of_the_server(agent_url: str, agent_token: str) -> list[str]:
    """P3: source, schema, database and system files through the pages."""
    found = []
    secrets = (b"CREATE TABLE", b"import ", b"root:", b"SQLite format 3", b"[core]", b"PATH=", b'"instruction"')
    for path in FILES:
        for headers in ({}, {"Cookie": f"{COOKIE}={agent_token}"}):
            status, body = raw(agent_url, "GET", path, headers)
            if status == 200 or status >= 500 or any(secret in body for secret in secrets):
                found.append(f"GET {path} answered {status}: {body[:80]!r}")
    return found


def control_answers_strangers(control_url: str, guesses: Iterable[str], episode: str) -> list[str]:
    """P1: the control plane on loopback, without its token or with others."""
    found = []
    tried: list[dict[str, str]] = [{}, *({"Authorization": f"Bearer {guess}"} for guess in guesses)]
    tried += [{"Authorization": f"Basic {guess}"} for guess in guesses]
    tried += [{"X-Forwarded-For": "127.0.0.1", "Cookie": "token=1"}, {"X-Api-Key": "admin"}]
    for headers in tried:
        for call in CALLS:
            status, _ = raw(control_url, call.method, call.path.replace("{id}", episode), headers)
            if status != 401:
                found.append(f"{call.method} {call.path} answered {status} with {sorted(headers)}")
        for path in ("/metrics", "/openapi.json"):
            if raw(control_url, "GET", path, headers)[0] != 401:
                found.append(f"GET {path} answers strangers")
    return found


def secrets_of_a_process(pid: int, secrets: Iterable[str], private: Path) -> list[str]:
    """Whether a process holds a secret in its environment or arguments, or a file of control's open."""
    found = []
    for name in ("environ", "cmdline"):
        text = Path(f"/proc/{pid}/{name}").read_bytes()
        found += [f"{name} of {pid} holds a secret" for secret in secrets if secret.encode() in text]
    for path in Path(f"/proc/{pid}/fd").iterdir():
        target = str(path.readlink()) if path.is_symlink() else ""
        if target.startswith(str(private)):
            found.append(f"{pid} holds {target} open")
    return found


# What no tool offers, and what no other part of the protocol does.
UNOFFERED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("tools/call", {"name": "reset", "arguments": {}}),
    ("tools/call", {"name": "grade", "arguments": {}}),
    ("tools/call", {"name": "org_advance_clock", "arguments": {"seconds": 5}}),
    ("tools/call", {"name": "__class__", "arguments": {}}),
    ("tools/call", {"name": ["submit_answer"], "arguments": {}}),
    ("tools/call", {"name": "finish", "arguments": {"person_id": "x"}}),
    ("tools/call", {"name": "finish", "arguments": {"channel": "control"}}),
    ("resources/read", {"uri": "file:///etc/passwd"}),
    ("resources/list", {}),
    ("prompts/list", {}),
    ("prompts/get", {"name": "answer"}),
    ("sampling/createMessage", {}),
    ("logging/setLevel", {"level": "debug"}),
    ("no/such/method", {}),
)


def things_no_tool_offers(agent_url: str, token: str) -> list[str]:
    """P6: tools of control, resources, prompts and unknown methods over MCP."""
    found = []
    for method, params in UNOFFERED:
        answer = rpc(agent_url, token, method, params)
        if not is_refused(answer) or "Traceback" in answer.text:
            found.append(f"{method} {params} answered {answer.status_code}: {answer.text[:80]!r}")
    return found


def work_of_a_former_token(agent_url: str, token: str) -> list[str]:
    """P9: every door with a token whose episode was reset."""
    http = {"Cookie": f"{COOKIE}={token}", "Origin": agent_url}
    late = [raw(agent_url, "POST", "/desk/submit", http), raw(agent_url, "GET", "/desk", http)]
    late += [raw(agent_url, "GET", f"/enter/{token}")]
    answer = rpc(agent_url, token, "tools/call", {"name": "finish", "arguments": {}})
    statuses = [status for status, _ in late] + [answer.status_code]
    return [f"a former token is answered {status}" for status in statuses if status != 410]


def posts_from_elsewhere(agent_url: str, token: str) -> list[str]:
    """P5: forms that another site sends with the person's cookie, or that do not say where they come from."""
    found = []
    for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}, {}):
        status, _ = raw(agent_url, "POST", "/desk/submit", {"Cookie": f"{COOKIE}={token}", **headers})
        if status != 403:
            found.append(f"POST /desk/submit with {headers} answered {status}")
    return found


def rpc(agent_url: str, token: str, method: str, params: Any) -> httpx.Response:
    """One message to the MCP door."""
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    with httpx.Client(verify=False, trust_env=False, timeout=60) as client:  # plain HTTP: a TLS context takes long
        return client.post(f"{agent_url}/s/{token}/mcp", content=json.dumps(body), headers=headers)


def is_refused(answer: httpx.Response) -> bool:
    """Whether an MCP answer is a refusal: an HTTP 4xx, a JSON-RPC error, or a tool's error result."""
    if answer.status_code != 200:
        return 400 <= answer.status_code < 500
    told = answer.json()
    return "error" in told or bool(told["result"].get("isError"))
