"""Promise 4. What the agent reaches knows nothing of tasks and verdicts, and what decides is nowhere in its reach.

What agents get when they ask for control all the same: tests/plane/test_sessions.py. The four rooms' imports:
import-linter's contract in pyproject.toml.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

import deskgym_apps
from deskgym.episode import Episode
from deskgym_apps.kit.canonical import full_dump
from deskgym_apps.kit.tools import tools
from deskgym_apps.server import create_pages, create_server
from deskgym_graders.codec import encode_raw
from deskgym_graders.spec import Delete, Insert, Task

DECIDING = re.compile(
    r"(?<![a-z])(reset|state|grad(e|er|ing)|expect\w*|verdict|reward|oracle|seed|snapshot|restore|fork|control|debug|"
    r"admin|sql|clock|journal|diff|task_id|template_id|openapi|metrics|v1)(?![a-z])",
    re.IGNORECASE,
)


def deciding(names: Iterable[str]) -> list[str]:
    """Those of some addresses or tool names that belong to the plane that decides."""
    return sorted(name for name in names if DECIDING.search(name))


def addresses(root: Path) -> list[str]:
    """Every route of the agent plane: the pages', the server's own."""
    outer = [str(getattr(route, "path", "")) for route in create_server(root).routes]
    return [*outer, *(rule.rule for rule in create_pages(root).url_map.iter_rules())]


def test_the_agent_plane_has_no_address_and_no_tool_that_decides(tmp_path: Path) -> None:
    known = addresses(tmp_path)
    assert len(known) > 30
    assert deciding(known) == []
    assert deciding(tools(("crm", "desk"))) == []


@pytest.mark.parametrize(
    "planted", ["/crm/state", "/v1/episodes", "/desk/grade", "/reset", "/debug/<path:file>", "crm_sql"]
)
def test_an_address_or_tool_that_decides_is_named(tmp_path: Path, planted: str) -> None:
    assert deciding([*addresses(tmp_path), planted]) == [planted]


# The other three rooms are not installed where the agent plane runs alone.
ALONE = """
import importlib, pkgutil, sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("deskgym", "deskgym_graders", "deskgym_seeds"):
            raise ModuleNotFoundError(f"{name} is not installed here")
sys.meta_path.insert(0, Absent())
import deskgym_apps
names = [module.name for module in pkgutil.walk_packages(deskgym_apps.__path__, "deskgym_apps.")]
for name in [*names, *sys.argv[1:]]:
    importlib.import_module(name)
print(len(names))
"""


def imported_alone(*further: str) -> subprocess.CompletedProcess[str]:
    """Import everything of the agent plane, and further modules, without the other rooms."""
    path = os.pathsep.join([str(Path(deskgym_apps.__file__).parents[1]), str(Path(__file__).parents[2])])
    command = [sys.executable, "-c", ALONE, *further]
    return subprocess.run(command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=False)


def test_the_apps_run_where_graders_seeds_and_control_are_not_installed() -> None:
    done = imported_alone()
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 50


def test_an_app_that_reaches_for_the_graders_does_not_start() -> None:
    done = imported_alone("tests.fixtures.peeking")
    assert done.returncode != 0
    assert "deskgym_graders is not installed here" in done.stderr


def expected_values(task: Task) -> set[str]:
    """The texts that a task's goals compare with."""
    steps = [step for goal in task.expectation.any_of for step in goal if not isinstance(step, Delete)]
    compared = [cell for step in steps for cell in (step.values if isinstance(step, Insert) else step.set).values()]
    return {value for cell in compared if isinstance(value := getattr(cell, "value", None), str)}


def secrets_of(task: Task) -> set[str]:
    """What would give a task away: its names, its digest, and what it expects that the instruction does not say."""
    answer = encode_raw(task.submission.answer) or {}
    values = expected_values(task) | {str(value) for value in answer.values()}
    names = {task.id, task.template, task.digest}
    return names | {text for text in values if len(text) > 3 and text not in task.instruction}


def told(episode: Episode, task: Task) -> list[str]:
    """Files, names of files and variables of the environment that give the task away; the store is compared apart."""
    secrets, found = secrets_of(task), []
    for path in sorted(episode.root.rglob("*")):
        is_store = path.name.startswith("store.db")
        text = path.read_text(errors="replace") if path.is_file() and not is_store else ""
        found += [str(path.name) for secret in secrets if secret in text or secret in path.name]
    found += [name for name, value in os.environ.items() for secret in secrets if secret in value]
    return sorted(set(found))


TASKS = {"refusal": "crm/delete-account-blocked@3", "answer": "crm/won-quarter@3", "change": "crm/newest-signature@3"}


@pytest.mark.parametrize("name", TASKS.values(), ids=TASKS)  # pytest puts the ids into the environment
def test_nothing_that_the_agents_side_can_read_tells_of_the_task(tmp_path: Path, name: str) -> None:
    with Episode.start(name, home="file", root=tmp_path) as episode:
        assert episode.task is not None
        assert len(secrets_of(episode.task)) > 3
        assert told(episode, episode.task) == []
        assert full_dump(episode.store) == full_dump(episode.origin.store), "the store depends on the task"


@pytest.mark.parametrize("leak", ["expectation", "digest", "id", "answer", "environment"])
def test_a_trace_of_the_task_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, leak: str) -> None:
    with Episode.start("crm/delete-account-blocked@3", home="file", root=tmp_path) as episode:
        task, place = episode.task, episode.folder
        assert task is not None
        assert place is not None
        data = task.to_json()
        texts = {
            "expectation": json.dumps(data["expectation"]), "digest": task.digest, "id": task.id,
            "answer": str(encode_raw(task.submission.answer)["blocking"]),
        }  # fmt: skip
        if leak == "environment":
            monkeypatch.setenv("DESKGYM_TASK", task.id)
        else:
            (place / "files" / "notes.txt").write_text(texts[leak])
        assert told(episode, task) == ["DESKGYM_TASK" if leak == "environment" else "notes.txt"]
