"""Each hole that a careless change could open is planted here, and the probe that guards against it finds it."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.browser.site import serve

from deskgym import pool
from deskgym.browser import Parts, Start
from deskgym.browser.guard import Origin
from deskgym.browser.sync import Browser
from deskgym.control.door import Guard
from deskgym.control.keeper import Settings
from deskgym.episode import Episode
from deskgym.proof import probes
from deskgym.proof.planes import control_at
from deskgym.serve.environment import control_environment, worker_environment
from deskgym_graders import grade as grading
from deskgym_graders.oracle import carry_out
from deskgym_graders.verdict import Integrity

TOKEN = "control-token-of-the-tests-0123456789"
WAITING = [sys.executable, "-c", "import sys; print(flush=True); sys.stdin.read()"]


# --- The control token in an environment ---------------------------------------------------------------


@contextmanager
def waiting(environment: dict[str, str]) -> Iterator[int]:
    """A process with this environment, once it runs."""
    pipe = subprocess.PIPE
    with subprocess.Popen(WAITING, env=environment, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process.pid
        process.communicate("")


def test_a_token_in_the_environment_of_a_worker_is_found(tmp_path: Path) -> None:
    careless = {"PATH": "/usr/bin", "DESKGYM_TOKEN": TOKEN, "SOME_API_KEY": "honeytoken"}
    for environment in (worker_environment(careless), control_environment(careless)):
        with waiting(environment) as pid:
            assert probes.secrets_of_a_process(pid, (TOKEN, "honeytoken"), tmp_path) == []
    with waiting(worker_environment(careless) | careless) as pid:
        found = probes.secrets_of_a_process(pid, (TOKEN, "honeytoken"), tmp_path)
        assert found == [f"environ of {pid} holds a secret"] * 2


def test_a_file_of_controls_in_the_hands_of_a_worker_is_found(tmp_path: Path) -> None:
    path = tmp_path / "control.db"
    path.write_text("")
    code = "import sys; held = open(sys.argv[1]); print(flush=True); sys.stdin.read()"
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)], env={}, stdin=pipe, stdout=pipe, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert probes.secrets_of_a_process(process.pid, (), tmp_path) == [f"{process.pid} holds {path} open"]
        process.communicate("")


# --- A control plane that asks for no token ------------------------------------------------------------


@contextmanager
def control(tmp_path: Path) -> Iterator[str]:
    """A control plane on a free port of loopback."""
    for name in ("episodes", "control"):
        (tmp_path / name).mkdir()
    settings = Settings(tmp_path / "episodes", tmp_path / "control", "http://127.0.0.1:8000", capacity=1)
    with control_at(settings, TOKEN) as url:
        yield url
    pool.forget(tmp_path / "episodes")


@pytest.mark.parametrize("hole", [False, True])
def test_a_control_plane_that_asks_for_no_token_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hole: bool
) -> None:
    if hole:
        monkeypatch.setattr(Guard, "_check_token", lambda *_: None)
    with control(tmp_path) as url:
        found = probes.control_answers_strangers(url, ("x" * 43,), "0123456789abcdef")
    assert bool(found) is hole
    assert hole is any("POST /v1/episodes answered" in line for line in found)


def test_a_control_plane_on_the_agents_port_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Guard, "_check_token", lambda *_: None)
    with control(tmp_path) as url:
        found = probes.control_on_the_agents_port(url, "t" * 43, ("x" * 43,))
    assert [line for line in found if line.startswith(("GET /v1/episodes answered 200", "GET /metrics answered 200"))]


# --- A store written past the services -----------------------------------------------------------------


def whitewash(path: Path) -> None:
    """Make the commands of a store say something else, and leave the schema as it was."""
    conn = sqlite3.connect(path, isolation_level=None)
    triggers = conn.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        conn.execute(f'DROP TRIGGER "{name}"')
    conn.execute("UPDATE jrn_command SET arguments = json_remove(arguments, '$.values.stage')")
    for _, sql in triggers:
        conn.execute(sql)
    conn.close()


@pytest.mark.parametrize("hole", [False, True])
def test_a_grader_that_believes_a_store_unchecked_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hole: bool
) -> None:
    with Episode.start("crm/close-won@3", root=tmp_path) as episode:
        assert episode.task is not None
        assert episode.folder is not None
        carry_out(episode.store, episode.task, episode.task.oracle)
        whitewash(episode.folder / "store.db")
        episode.submit()
        if hole:
            monkeypatch.setattr(grading, "check_integrity", lambda *_, **__: Integrity((), True))
        verdict = episode.grade()
    assert (verdict.reward, verdict.reason) == ((1.0, "OK") if hole else (0.0, "INTEGRITY")), json.dumps(verdict.faults)


# --- A browser that opens files ------------------------------------------------------------------------

ADDRESSES = ("file:///proc/self/environ", "file:///etc/hostname")


def files_through_the_browser(session: Any) -> list[str]:
    """P2: addresses of the machine, typed by the agent."""
    found = []
    for address in ADDRESSES:
        seen = session.act({"action": "navigate", "url": address})
        if seen.error is None or "PATH=" in seen.aria or Path("/etc/hostname").read_text().strip() in seen.aria:
            found.append(address)
    return found


@pytest.mark.browser
@pytest.mark.parametrize("hole", [False, True])
def test_p2_a_browser_that_opens_files_is_found(monkeypatch: pytest.MonkeyPatch, hole: bool) -> None:
    if hole:
        monkeypatch.setattr(Origin, "resolve", lambda _self, address: address)
        monkeypatch.setattr(Origin, "holds", lambda _self, _url: True)
    with serve() as site, Browser() as browser:
        session = browser.open(f"{site.url}/", start=Start(now="2031-03-14T09:00:00Z", parts=Parts(screenshot=False)))
        found = files_through_the_browser(session)
        session.close()
    assert bool(found) is hole, found


@pytest.mark.browser
@pytest.mark.parametrize("hole", [False, True])
def test_an_upload_of_any_path_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hole: bool) -> None:
    (tmp_path / "files").mkdir()
    secret = tmp_path / "secret.txt"
    secret.write_text("control token")
    if hole:
        monkeypatch.setattr(
            "deskgym.browser.hands.read_upload", lambda _folder, name: ("x.txt", Path(name).read_bytes())
        )
    start = Start(now="2031-03-14T09:00:00Z", parts=Parts(screenshot=False), files=tmp_path / "files")
    with serve() as site, Browser() as browser:
        session = browser.open(f"{site.url}/upload", start=start)
        session.observe()
        ref = next(node.ref for node in session.asynchronous.nodes() if node.name == "Paper" and node.role == "button")
        taken = session.act({"action": "upload", "ref": ref, "file": str(secret)}).error is None
        session.close()
    assert taken is hole
