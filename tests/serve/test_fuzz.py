"""Whatever is sent to control and to the tools, nothing answers 5xx and nothing leaves the seal of a refusal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from deskgym import pool
from deskgym.control.door import Door
from deskgym.control.keeper import Keeper, Settings
from deskgym.control.openapi import document
from deskgym.episode import Episode
from deskgym_apps.kit.errors import ServiceError

TOKEN = "control-token-of-the-tests-0123456789"
FUZZ = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

# --- Values for a JSON Schema, right ones and wrong ones -------------------------------------------------

TEXTS = st.text(max_size=30) | st.sampled_from(
    ["", "\x00", "..", "' OR 1=1 --", "\u202e", "crm/close-won", "small:1", "NaN"]
)
NUMBERS = (
    st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0, 1, -1, 2**63])
)
ANYTHING: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


def fitting(schema: dict[str, Any], document_: dict[str, Any], depth: int = 0) -> st.SearchStrategy[Any]:
    """Values near a schema: mostly of its shape, now and then anything."""
    if depth > 6 or not schema:
        return ANYTHING
    if "$ref" in schema:
        target: Any = document_
        for part in schema["$ref"].lstrip("#/").split("/"):
            target = target[part]
        return fitting(target, document_, depth + 1)
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return st.one_of([fitting(inner, document_, depth + 1) for inner in schema[word]])
    if "const" in schema or "enum" in schema:
        return st.sampled_from(schema.get("enum", [schema.get("const")])) | ANYTHING
    kind = schema.get("type")
    if kind == "object":
        return objects(schema, document_, depth)
    if kind == "array":
        return st.lists(fitting(schema.get("items", {}), document_, depth + 1), max_size=3)
    if kind == "integer":
        return st.integers(schema.get("minimum", -5), schema.get("maximum", 10**6)) | ANYTHING
    return TEXTS | ANYTHING if kind == "string" else ANYTHING


def objects(schema: dict[str, Any], document_: dict[str, Any], depth: int) -> st.SearchStrategy[Any]:
    known = schema.get("properties", {})
    extra = schema.get("additionalProperties")
    fields = {name: fitting(inner, document_, depth + 1) for name, inner in known.items()}
    needed = {name: fields.pop(name) for name in schema.get("required", ()) if name in fields}
    shaped: st.SearchStrategy[Any] = st.fixed_dictionaries(needed, optional=fields)
    if isinstance(extra, dict):
        more = st.dictionaries(
            TEXTS | st.sampled_from(["org_meta", "crm_account"]), fitting(extra, document_, depth + 1), max_size=2
        )
        shaped = st.tuples(shaped, more).map(lambda two: {**two[1], **two[0]})
    return shaped | st.tuples(shaped, st.dictionaries(TEXTS, ANYTHING, max_size=1)).map(
        lambda two: {**two[0], **two[1]}
    )


# --- Control -------------------------------------------------------------------------------------------

DOCUMENT = document()
OPERATIONS = [
    (path, method, operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
    if path.startswith("/v1/episodes")
]


@pytest.fixture(scope="module")
def control(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    home: Path = tmp_path_factory.mktemp("fuzz")
    for name in ("episodes", "control"):
        (home / name).mkdir()
    kept = Settings(home / "episodes", home / "control", "http://127.0.0.1:8000", capacity=20)
    door = Door(lambda: Keeper(kept), TOKEN, world="small:1")
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with TestClient(
        door.app, base_url="http://127.0.0.1:8001", headers=headers, raise_server_exceptions=False
    ) as client:
        yield client
    pool.forget(home / "episodes")


def body_of(operation: dict[str, Any]) -> st.SearchStrategy[Any]:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    return st.just(None) if content is None else fitting(content["schema"], DOCUMENT)


def send(client: TestClient, method: str, path: str, body: Any) -> Any:
    raw = None if body is None else json.dumps(body, allow_nan=True).encode()
    return client.request(method.upper(), path, content=raw, headers={"Content-Type": "application/json"})


@pytest.mark.parametrize(
    ("path", "method", "operation"), OPERATIONS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_no_input_of_a_call_is_answered_5xx(
    control: TestClient, path: str, method: str, operation: dict[str, Any]
) -> None:
    takes_nothing = "requestBody" not in operation and not any(
        item["in"] == "query" for item in operation["parameters"]
    )

    @settings(FUZZ, max_examples=2 if takes_nothing else 40)
    @given(body=body_of(operation), after=TEXTS | st.integers(0, 10).map(str))
    def attempt(body: Any, after: str) -> None:
        if "episode" in live and control.get(f"/v1/episodes/{live['episode']}").status_code == 404:
            del live["episode"]
        if "episode" not in live:
            for row in control.get("/v1/episodes").json()["data"]["rows"]:
                control.delete(f"/v1/episodes/{row['id']}")
            live["episode"] = control.post("/v1/episodes", json={"task": "crm/close-won"}).json()["data"]["id"]
        target = path.replace("{id}", live["episode"])
        parameters = [item["name"] for item in operation["parameters"] if item["in"] == "query"]
        if parameters:
            target = str(control.build_request("GET", target, params={parameters[0]: after}).url)
        answer = send(control, method, target, body)
        assert answer.status_code < 500, answer.text
        envelope = answer.json()
        assert envelope["ok"] is (answer.status_code < 400)
        assert str(answer.status_code) in operation["responses"]

    live: dict[str, str] = {}
    attempt()


@FUZZ
@given(raw=st.binary(max_size=200), method=st.sampled_from(["GET", "POST", "DELETE"]), path=st.text(max_size=40))
def test_no_bytes_at_any_path_are_answered_5xx(control: TestClient, raw: bytes, method: str, path: str) -> None:
    answer = control.request(
        method, "/" + quote(path, errors="replace"), content=raw, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code < 500
    assert set(answer.json()) >= {"ok", "schema"} or answer.status_code == 200


# --- Tools ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def episode() -> Iterator[Episode]:
    with Episode.start(home="memory") as started:
        yield started


def tool_names() -> list[str]:
    from deskgym.catalogue import app_names
    from deskgym_apps.kit.tools import tools

    return [name for name in tools(app_names()) if name not in ("finish", "submit_answer")]


def outcome(episode: Episode, name: str, arguments: Any) -> tuple[int, Any]:
    """Status and result of a tool call."""
    try:
        return 200, episode.call_tool(name, arguments)
    except ServiceError as refused:
        return refused.status, refused.as_dict()


@pytest.mark.parametrize("name", tool_names())
def test_no_arguments_break_a_tool(episode: Episode, name: str) -> None:
    schema: Any = episode.tools()[name].schema

    @FUZZ
    @given(arguments=fitting(schema, schema))
    def attempt(arguments: Any) -> None:
        before, seq = episode.state_hash(), episode.seq()
        status, result = outcome(episode, name, arguments)
        json.dumps(result, allow_nan=False)
        assert status < 500
        assert (episode.state_hash(), episode.seq()) == (before, seq) or (status == 200 and episode.seq() == seq + 1)

    attempt()
