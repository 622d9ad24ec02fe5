"""Agents of one's own: named as module:Class, run in workers, refused with what would be right."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deskgym.agents import AGENTS

from .conftest import Deskgym, error

AGENT = '''
class Reader:
    """Reads the deal that the instruction names, then hands in."""

    def __init__(self, limit=5):
        self.limit = limit

    def run(self, trial):
        name = trial.instruction.split('"')[1]
        trial.call("crm_search", {"text": name, "limit": self.limit})
        trial.submit()


class NoAgent:
    pass
'''


@pytest.fixture(autouse=True)
def _own_import_state(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a test imports and enlists is gone after it."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    agents, modules = dict(AGENTS), set(sys.modules)
    yield
    AGENTS.clear()
    AGENTS.update(agents)
    for name in set(sys.modules) - modules:
        if name.endswith("_of_a_test"):
            del sys.modules[name]


@pytest.fixture
def module(tmp_path: Path) -> str:
    (tmp_path / "my_agents_of_a_test.py").write_text(AGENT, "utf-8")
    return "my_agents_of_a_test"


@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_agent_of_ones_own_runs_like_those_that_come_along(
    deskgym: Deskgym,
    module: str,
    workers: str,
) -> None:
    words = ["run", "-t", "crm/close-won", "--seeds", "0-1", "-a", f"{module}:Reader", "-n", workers, "--out", "run"]
    result = deskgym(*words, "-o", "limit=2", "--json")
    rows = [json.loads(line) for line in result.stdout.splitlines()][1:-1]
    assert [(row["status"], row["reason"], row["steps"], row["agent"]) for row in rows] == [
        ("graded", "MISSING", 2, f"{module}:Reader")
    ] * 2, result.stderr
    replayed = deskgym("replay", "run", "--verify", "--json")
    assert replayed.exit_code == 0
    assert deskgym("run", "--resume", "run", "--json").exit_code == 0


@pytest.mark.parametrize(
    ("agent", "kind", "said"),
    [
        ("my_agents_of_a_test:Raeder", "not_found", '"Reader"'),
        ("my_agents_of_a_test:NoAgent", "usage", "a method run(self, trial)"),
        ("no_such_module_of_a_test:Reader", "not_found", "run from the folder that holds no_such_module_of_a_test"),
    ],
)
def test_what_is_no_agent_is_refused_with_what_would_be_right(
    deskgym: Deskgym,
    module: str,
    agent: str,
    kind: str,
    said: str,
) -> None:
    result = deskgym("run", "-t", "crm/close-won", "-a", agent, "--json")
    found = error(result)
    assert (found["kind"], result.exit_code) == (kind, 2)
    assert said in found["message"] + found["hint"]


def test_a_module_that_fails_says_why(deskgym: Deskgym, tmp_path: Path) -> None:
    (tmp_path / "failing_module_of_a_test.py").write_text("import no_such_package_at_all\n", "utf-8")
    result = deskgym("run", "-t", "crm/close-won", "-a", "failing_module_of_a_test:Reader", "--json")
    assert (error(result)["kind"], result.exit_code) == ("usage", 2)
    assert "no_such_package_at_all" in error(result)["message"]


def test_an_answer_too_large_is_refused_told_in_the_step_and_graded_as_none(deskgym: Deskgym) -> None:
    value = json.dumps("x" * 10_000_000)
    words = ["run", "-t", "crm/open-expected", "-a", "constant", "-o", f"value={value}", "-n", "1", "--out", "run"]
    result = deskgym(*words, "--json")
    row = json.loads(result.stdout.splitlines()[1])
    assert (row["status"], row["reward"], row["reason"], row["steps"]) == ("graded", 0.0, "NO_SUBMISSION", 1)
    step = json.loads(Path("run", row["trial_dir"], "steps.jsonl").read_text("utf-8"))
    assert step["error"] is not None
    assert "larger than 65536 bytes" in step["error"]
    assert deskgym("grade", "run", "--json").exit_code == 0
