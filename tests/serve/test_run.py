"""Runs against a server: the same as without one, and a fault of the server is env_error, never reward 0."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from deskgym.rollout import run_trial
from deskgym.trial import Trial, TrialSpec

from .conftest import MAIN, Server, environment


def run(folder: Path, *options: str, token_file: Path | None = None) -> tuple[int, list[dict[str, Any]], str]:
    """Exit code, rows and error of `deskgym run`."""
    words = [sys.executable, "-c", MAIN, "run", "--json", "--out", str(folder), "-n", "1", *options]
    words += ["--token-file", str(token_file)] if token_file else []
    done = subprocess.run(words, env=environment(), capture_output=True, text=True, check=False, timeout=300)
    rows = [json.loads(line) for line in (folder / "trials.jsonl").read_text().splitlines()] if folder.is_dir() else []
    return done.returncode, rows, done.stderr


def test_a_run_on_a_server_ends_as_one_here_and_can_be_graded_again(server: Server, tmp_path: Path) -> None:
    options = ("-t", "crm/close-won", "--seeds", "0-1", "-a", "oracle")
    code, there, error = run(tmp_path / "there", *options, "--server", server.control_url, token_file=server.token_file)
    assert code == 0, error
    assert [(row["status"], row["reward"]) for row in there] == [("graded", 1.0)] * 2
    code, here, _ = run(tmp_path / "here", *options)
    for one, other in zip(there, here, strict=True):
        same = ("task", "seed", "reward", "reason", "steps", "state_hash", "submission")
        assert {name: one[name] for name in same} == {name: other[name] for name in same}
    words = [sys.executable, "-c", MAIN, "grade", str(tmp_path / "there"), "--json"]
    graded = subprocess.run(words, env=environment(), capture_output=True, text=True, check=False, timeout=300)
    assert graded.returncode == 0, graded.stdout


def test_no_server_is_env_error_in_the_run_and_exit_code_4(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deskgym.client.PATIENCE_S", 0.0)
    spec = TrialSpec("crm/close-won", 0, "oracle", server="http://127.0.0.1:9")
    monkeypatch.setenv("DESKGYM_TOKEN_FILE", str(server.token_file))
    result = run_trial(spec)
    assert (result.status, result.reward, result.reason) == ("env_error", None, "ENV_ERROR")
    assert result.error is not None
    assert result.error["kind"] == "env_error"


def spec_of(server: Server, monkeypatch: pytest.MonkeyPatch, agent: str = "oracle") -> TrialSpec:
    monkeypatch.setenv("DESKGYM_TOKEN_FILE", str(server.token_file))
    return TrialSpec("crm/close-won", 0, agent, server=server.control_url)


@pytest.mark.parametrize("fault", ["ended", "reset", "store"])
def test_an_episode_that_breaks_under_the_agent_is_env_error(
    server: Server, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    call = Trial.call

    def broken(trial: Trial, tool: str, arguments: Any = None) -> Any:
        with server.client() as control:
            if fault == "ended":
                control.remove(f"/v1/episodes/{trial.episode.id}")
            elif fault == "reset":
                control.episode(str(trial.episode.id)).reset()
            else:
                for path in (server.folder / "episodes").glob("*/store.db"):
                    path.write_bytes(b"broken")
        return call(trial, tool, arguments)

    monkeypatch.setattr(Trial, "call", broken)
    result = run_trial(spec_of(server, monkeypatch))
    assert (result.status, result.reward) == ("env_error", None), result.feedback


def test_what_an_agent_gets_wrong_is_graded_there_too(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    result = run_trial(spec_of(server, monkeypatch, "noop"))
    assert (result.status, result.reward) == ("graded", 0.0)


def test_a_wrong_token_is_a_fault_with_its_kind(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "token"
    path.write_text("x" * 40)
    path.chmod(0o600)
    monkeypatch.setenv("DESKGYM_TOKEN_FILE", str(path))
    result = run_trial(TrialSpec("crm/close-won", 0, "oracle", server=server.control_url))
    assert result.error is not None
    assert (result.status, result.reward, result.error["kind"]) == ("env_error", None, "unauthorized")


@pytest.mark.browser
def test_the_oracle_solves_through_the_browser_of_a_server(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKGYM_TOKEN_FILE", str(server.token_file))
    by_hand = run_trial(TrialSpec("crm/close-won", 0, "oracle", surface="browser", server=server.control_url))
    by_tool = run_trial(TrialSpec("crm/close-won", 0, "oracle", server=server.control_url))
    assert (by_hand.status, by_hand.reward) == ("graded", 1.0), by_hand.feedback
    assert by_hand.state_hash == by_tool.state_hash
