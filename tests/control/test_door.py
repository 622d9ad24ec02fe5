"""The control plane over HTTP: every call, and every kind of bad input as an envelope of its kind."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from deskgym.control.calls import CALLS
from deskgym.control.openapi import document

from .conftest import TOKEN, Asking, told

EPISODES = "/v1/episodes"


@pytest.fixture
def face(ask: Asking) -> dict[str, Any]:
    """A live episode."""
    found: dict[str, Any] = ask.data("POST", EPISODES, {"task": "crm/close-won", "seed": 3})
    return found


def test_every_call_of_an_episodes_life_answers_as_the_document_says(ask: Asking) -> None:
    described = ask("GET", "/openapi.json").json()
    assert described == document()
    one = ask.data("POST", EPISODES, {"task": "crm/close-won@3", "ttl_s": 60})["id"]
    snapshot = ask.data("POST", f"{EPISODES}/{one}/snapshot", {})["snapshot"]
    person = ask.data("GET", f"{EPISODES}/{one}")["person"]
    bodies: dict[str, Any] = {
        "start": {"request_id": "r"},
        "token": {"person": person},
        "restore": {"snapshot": snapshot},
        "clock": {"seconds": 5},
    }
    asked = set()
    for call in sorted(CALLS, key=lambda call: (call.name == "end", call.name == "submit")):
        path = call.path.replace("{id}", one)
        answer = ask(call.method, path, None if call.body is None else bodies.get(call.name, {}))
        assert answer.status_code == call.status, answer.text
        operation = described["paths"][call.path][call.method.lower()]
        schema = operation["responses"][str(call.status)]["content"]["application/json"]["schema"]
        Draft202012Validator(schema | {"components": described["components"]}).validate(answer.json())
        asked.add(call.name)
    assert asked == {call.name for call in CALLS}


def test_the_catalogue_and_the_figures_can_be_read(ask: Asking, face: dict[str, Any]) -> None:
    assert "crm/close-won" in [row["task"] for row in ask.data("GET", "/v1/tasks")["rows"]]
    assert ask.data("GET", "/v1/apps")["rows"][0]["app"] == "crm"
    assert ask.data("GET", "/v1/worlds")["counts"]["total"] >= 2
    assert set(ask.data("GET", "/version")) == {"deskgym", "python", "digests"}
    assert ask("GET", "/readyz").json()["data"] == {"ready": True}
    figures = ask("GET", "/metrics")
    assert figures.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = figures.text.splitlines()
    assert "deskgym_episodes_live 1" in lines
    answered = [line.split() for line in lines if line.startswith('deskgym_requests_total{call="start"')]
    count = sum(int(number) for _, number in answered)
    assert any('status="201"' in labels for labels, _ in answered)
    assert f'deskgym_request_seconds_bucket{{call="start",le="+Inf"}} {count}' in lines
    assert face["agent_token"] not in figures.text


def test_a_list_of_episodes_holds_no_token(ask: Asking, face: dict[str, Any]) -> None:
    listed = ask("GET", EPISODES)
    assert listed.json()["data"]["counts"] == {"total": 1}
    assert face["agent_token"] not in listed.text


# --- Who may ask ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", [EPISODES, "/metrics", "/openapi.json", "/version", "/nothing", "/", "/healthz/", "//healthz"]
)
@pytest.mark.parametrize(
    "authorization",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Bearer wrong",
        f"Basic {TOKEN}",
        TOKEN,
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN[:-1]}",
    ],
)
def test_without_the_token_nothing_is_told_of_any_path(ask: Asking, path: str, authorization: str | None) -> None:
    headers = {} if authorization is None else {"Authorization": authorization}
    answer = ask.client.get(f"http://127.0.0.1:8001{path}", headers=headers)
    assert told(answer) == (401, "unauthorized", "a token is required")
    assert answer.headers["www-authenticate"] == "Bearer"


def test_a_token_given_twice_is_no_token(ask: Asking) -> None:
    twice = [("Authorization", f"Bearer {TOKEN}"), ("Authorization", f"Bearer {TOKEN}")]
    assert ask.client.get(EPISODES, headers=twice).status_code == 401


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_health_needs_no_token(ask: Asking, path: str) -> None:
    assert ask.client.get(path).status_code in (200, 503)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://127.0.0.1:8001"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Sec-Fetch-Site": "none"},
        {"Sec-Fetch-Mode": "navigate"},
        {"Sec-Fetch-Dest": "document"},
        {"sec-fetch-user": "?1"},
    ],
)
@pytest.mark.parametrize("path", [EPISODES, "/healthz"])
def test_a_browser_is_refused_even_with_the_token(ask: Asking, headers: dict[str, str], path: str) -> None:
    assert ask.error("GET", path, **headers)[:2] == (403, "unauthorized")


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:8001", "", "localhost.", "0.0.0.0:8001"])
def test_a_foreign_host_is_refused_even_with_the_token(ask: Asking, host: str) -> None:
    assert ask.error("GET", EPISODES, Host=host)[:2] == (421, "usage")
    assert ask.error("GET", "/healthz", Host=host)[:2] == (421, "usage")


# --- What a request may hold ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "raw",
    [
        b"{",
        b"nonsense",
        b"[]",
        b'"text"',
        b"null",
        b"5",
        b'{"task": NaN}',
        b'{"task": Infinity}',
        b'{"task": "a", "task": "b"}',
        b'{"task": "\\ud800"}',
        b'{"task": "\xff"}',
        b"\xef\xbb\xbf{}",
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b'{"seed": ' + b"9" * 5000 + b"}",
    ],
)
def test_what_is_no_json_object_is_usage(ask: Asking, raw: bytes) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    assert told(ask.client.post(EPISODES, content=raw, headers=headers))[:2] == (400, "usage")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"tusk": "x"}, 'Did you mean "task"?'),
        ({"task": "crm/close-wan"}, 'Did you mean "crm/close-won"'),
        ({"task": "crm/close-won@3", "seed": 4}, "names seed 3, but seed 4"),
        ({"task": 5}, "task"),
        ({"seed": 3}, "a seed without a task"),
        ({"task": "crm/close-won", "seed": -1}, "greater than or equal to 0"),
        ({"task": "crm/close-won", "seed": 10**30}, "less than"),
        ({"task": "crm/close-won", "seed": True}, "integer"),
        ({"task": "crm/close-won", "seed": "3"}, "integer"),
        ({"task": "a\u0000b"}, "printable"),
        ({"world": "smal:1"}, "There is no world"),
        ({"person": "nobody"}, 'no person "nobody"'),
        ({"ttl_s": 0}, "greater than"),
        ({"variation": {"theme": "pink"}}, "one of light, dark, contrast"),
        ({"variation": {"thema": "dark"}}, "thema"),
        ({"variation": {"locale": "../../x"}}, "locale"),
        ({"inject": {"crm_nothing": [{}]}}, 'no table "crm_nothing"'),
        ({"inject": {"org_meta": [{"key": 5}]}}, "cannot add these rows"),
        ({"inject": {"org_meta": [{'k"; DROP TABLE org_meta; --': "x"}]}}, "inject"),
        ({"inject": {"org_meta": [{"key": 2**63}]}}, "inject"),
        ({"inject": {"org_meta": [{"key": [1]}]}}, "inject"),
        ({"inject": {"jrn_command": [{"seq": 1}]}}, "jrn_command"),
        ({"request_id": ""}, "request_id"),
        ({"request_id": "x" * 201}, "200 characters"),
    ],
)
def test_a_bad_start_is_told_what_would_be_right(ask: Asking, body: dict[str, Any], message: str) -> None:
    status, kind, text = ask.error("POST", EPISODES, body)
    assert (status, kind) in ((400, "usage"), (404, "not_found"))
    assert message in text
    assert ask.data("GET", EPISODES)["rows"] == []


def test_a_hidden_world_without_its_secret_is_no_secret(ask: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DESKGYM_TEST_SECRET_FILE", raising=False)
    assert ask.error("POST", EPISODES, {"world": "small:test-1"})[:2] == (422, "no_secret")


@pytest.mark.parametrize(
    ("method", "path", "body", "message"),
    [
        ("POST", "clock", {}, "seconds is required"),
        ("POST", "clock", {"seconds": 0}, "greater than or equal to 1"),
        ("POST", "clock", {"seconds": 1.5}, "integer"),
        ("POST", "restore", {}, "snapshot is required"),
        ("POST", "submit", {"status": "finished"}, "'done' or 'infeasible'"),
        ("POST", "submit", {"answer": [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]}, "nested deeper"),
        ("POST", "submit", {"answer": "x" * 70_000}, "larger than"),
        ("POST", "reset", {"hard": True}, 'no field "hard"'),
        ("POST", "grade", {"replay": False}, 'no field "replay"'),
        ("GET", "journal?after=-1", None, "whole number"),
        ("GET", "journal?after=x", None, "whole number"),
        ("GET", "journal?after=1&after=2", None, "given twice"),
        ("GET", "journal?before=1", None, 'no parameter "before"'),
        ("GET", "journal?after=" + "9" * 30, None, "whole number"),
        ("GET", "state?deep=1", None, 'no parameter "deep"'),
    ],
)
def test_bad_input_of_a_call_is_usage_and_changes_nothing(
    ask: Asking, face: dict[str, Any], method: str, path: str, body: Any, message: str
) -> None:
    before = ask.data("GET", f"{EPISODES}/{face['id']}/state_hash")
    status, kind, text = ask.error(method, f"{EPISODES}/{face['id']}/{path}", body)
    assert (status, kind) == (400, "usage")
    assert message in text
    assert ask.data("GET", f"{EPISODES}/{face['id']}/state_hash") == before


def test_a_body_where_none_is_taken_is_usage(ask: Asking, face: dict[str, Any]) -> None:
    assert ask.error("GET", f"{EPISODES}/{face['id']}/state", {})[:2] == (400, "usage")


def test_a_body_that_is_not_announced_as_json_is_refused(ask: Asking) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": kind}
        assert told(ask.client.post(EPISODES, content=b"{}", headers=headers))[:2] == (415, "usage")


def test_ten_megabytes_are_too_large_with_and_without_the_token(ask: Asking) -> None:
    large = json.dumps({"task": "x" * 10_000_000}).encode()
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    assert told(ask.client.post(EPISODES, content=large, headers=headers))[:2] == (413, "too_large")
    assert told(ask.client.post(EPISODES, content=large))[:2] == (401, "unauthorized")
    chunked = (b"x" * 100_000 for _ in range(20))
    assert told(ask.client.post(EPISODES, content=chunked, headers=headers))[:2] == (413, "too_large")


@pytest.mark.parametrize("name", ["0123456789abcdef", "..", "%2e%2e%2fcontrol.db", "a" * 300, "%00", "'; --", "\u202e"])
@pytest.mark.parametrize("call", ["", "/state", "/journal", "/pages"])
def test_an_unknown_episode_is_not_found(ask: Asking, name: str, call: str) -> None:
    assert ask.error("GET", f"{EPISODES}/{name}{call}")[:2] == (404, "not_found")


def test_an_ended_episode_is_not_found_and_says_why(ask: Asking, face: dict[str, Any]) -> None:
    ask.data("DELETE", f"{EPISODES}/{face['id']}")
    status, kind, message = ask.error("POST", f"{EPISODES}/{face['id']}/reset", {})
    assert (status, kind) == (404, "not_found")
    assert "it was deleted" in message


def test_a_second_submission_is_sealed(ask: Asking, face: dict[str, Any]) -> None:
    ask.data("POST", f"{EPISODES}/{face['id']}/submit", {"status": "done"})
    assert ask.error("POST", f"{EPISODES}/{face['id']}/submit", {"status": "done"})[:2] == (410, "sealed")
    assert ask.error("POST", f"{EPISODES}/{face['id']}/clock", {"seconds": 5})[:2] == (410, "sealed")


def test_free_work_has_no_verdict(ask: Asking) -> None:
    one = ask.data("POST", EPISODES)["id"]
    assert ask.error("POST", f"{EPISODES}/{one}/grade", {})[:2] == (400, "usage")


def test_a_full_server_answers_429_with_retry_after(ask: Asking) -> None:
    for _ in range(4):
        ask.data("POST", EPISODES, {})
    answer = ask("POST", EPISODES, {})
    assert told(answer)[:2] == (429, "capacity")
    assert 1 <= int(answer.headers["retry-after"]) <= 60


@pytest.mark.parametrize(
    ("method", "path"), [("PUT", EPISODES), ("DELETE", EPISODES), ("PATCH", "/version"), ("POST", "/metrics")]
)
def test_another_method_is_405_and_says_which_are_taken(ask: Asking, method: str, path: str) -> None:
    answer = ask(method, path)
    assert told(answer)[:2] == (405, "usage")
    assert answer.headers["allow"]


def test_an_unknown_path_is_not_found(ask: Asking) -> None:
    for path in ("/nothing", "/v1", "/v1/episodes/", "//v1/episodes", "/docs", "/redoc", "/admin"):
        assert (
            ask.client.get(f"http://127.0.0.1:8001{path}", headers={"Authorization": f"Bearer {TOKEN}"}).status_code
            == 404
        ), path


def test_a_fault_on_this_side_is_told_without_detail(
    ask: Asking, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any) -> Any:
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr("deskgym.control.reading.versions", broken)
    answer = ask("GET", "/version")
    assert told(answer)[:2] == (500, "internal")
    assert "secret" not in answer.text
    assert "secret detail" in caplog.text


def test_no_log_line_holds_a_token_or_a_body(
    ask: Asking, face: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    ask("GET", f"{EPISODES}/{face['id']}")
    ask("POST", f"{EPISODES}/{face['id']}/submit", {"answer": "the answer"})
    ask.client.get(EPISODES, headers={"Authorization": "Bearer wrong-token-0123456789"})
    assert "episode" in caplog.text
    for secret in (TOKEN, face["agent_token"], "the answer", "wrong-token"):
        assert secret not in caplog.text
