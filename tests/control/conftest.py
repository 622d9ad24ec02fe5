"""A keeper with a clock that the test moves, and the HTTP door in front of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from deskgym import pool
from deskgym.control.door import Door
from deskgym.control.keeper import Keeper, Settings

TOKEN = "control-token-of-the-tests-0123456789"
AGENTS = "http://127.0.0.1:8000"
NOW = 1_900_000_000


@dataclass
class Wall:
    """The wall clock of a keeper, in the hands of a test."""

    now: float = NOW

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def wall() -> Wall:
    return Wall()


@pytest.fixture
def settings(tmp_path: Path, wall: Wall) -> Iterator[Settings]:
    (tmp_path / "episodes").mkdir()
    (tmp_path / "control").mkdir()
    yield Settings(tmp_path / "episodes", tmp_path / "control", AGENTS, capacity=4, ttl_s=100, now=wall)
    pool.forget(tmp_path / "episodes")


@pytest.fixture
def keeper(settings: Settings) -> Iterator[Keeper]:
    made = Keeper(settings)
    yield made
    made.close()


@pytest.fixture
def again(settings: Settings, keeper: Keeper) -> Iterator[Callable[[], Keeper]]:
    """Another keeper of the same folder, as after a kill: the first one never got to close anything."""
    made: list[Keeper] = []

    def resume() -> Keeper:
        pool.forget(settings.root)  # what a killed process kept in memory is gone
        made.append(Keeper(settings))
        made[-1].resume()
        return made[-1]

    yield resume
    for one in made:
        one.close()


class Asking:
    """The control plane as a caller sees it."""

    def __init__(self, client: TestClient) -> None:
        self.client = client

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        given = {"Authorization": f"Bearer {TOKEN}", **{name.replace("_", "-"): text for name, text in headers.items()}}
        return self.client.request(method, path, json=body, headers=given)

    def data(self, method: str, path: str, body: Any = None) -> Any:
        """The data of an answer that must be a success."""
        answer = self(method, path, body)
        assert answer.json()["ok"] is True, answer.text
        assert answer.json()["schema"] == "deskgym/1"
        return answer.json()["data"]

    def error(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, str, str]:
        """Status, kind and message of an answer that must be a refusal."""
        answer = self(method, path, body, **headers)
        return told(answer)


def told(answer: Any) -> tuple[int, str, str]:
    """Status, kind and message of a refusal."""
    envelope = answer.json()
    assert set(envelope) == {"schema", "ok", "error"}
    assert (envelope["schema"], envelope["ok"]) == ("deskgym/1", False)
    assert set(envelope["error"]) == {"kind", "message", "hint"}
    return answer.status_code, envelope["error"]["kind"], envelope["error"]["message"]


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """The control plane of a module's tests, with room for four episodes."""
    home = tmp_path_factory.mktemp("control")
    for name in ("episodes", "control"):
        (home / name).mkdir()
    settings = Settings(home / "episodes", home / "control", AGENTS, capacity=4, ttl_s=1000)
    made = Door(lambda: Keeper(settings), TOKEN, world="small:1")
    with TestClient(made.app, base_url="http://127.0.0.1:8001", raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def ask(door: TestClient) -> Iterator[Asking]:
    """The control plane without an episode."""
    asking = Asking(door)
    yield asking
    for row in asking.data("GET", "/v1/episodes")["rows"]:
        asking.data("DELETE", f"/v1/episodes/{row['id']}")
