"""Runs as processes: the same results in any surroundings, and folders that a kill leaves fit to go on with."""

import json
import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from deskgym import __version__
from deskgym.catalogue import templates
from deskgym_seeds.world import open_world

from .processes import LOCKED, finished, started, surroundings, trials

RUN = ("run", "-t", "crm/close-won", "-t", "crm/next-step", "--seeds", "0-1", "-a", "monkey", "-o", "steps=15")


def verdicts(stdout: str) -> dict[str, tuple[object, ...]]:
    """What must be the same of each trial, wherever it ran."""
    names = ("status", "reward", "reason", "steps", "state_hash")
    return {folder: tuple(row[name] for name in names) for folder, row in trials(stdout).items()}


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A folder in which nothing can be made."""
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)


def test_python_m_deskgym_is_the_command(tmp_path: Path) -> None:
    version = finished(["--version"], tmp_path)
    assert (version.returncode, version.stdout) == (0, f"deskgym, version {__version__}\n")
    unknown = finished(["shw"], tmp_path)
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert 'there is no verb "shw"' in unknown.stderr
    assert '"show"' in unknown.stderr


def test_neither_workers_nor_zone_nor_language_nor_hash_seed_change_a_state(tmp_path: Path) -> None:
    alone = finished([*RUN, "-n", "1", "--json", "--out", "a"], tmp_path)
    spread = finished([*RUN, "-n", "4", "--json", "--out", "b"], tmp_path)
    elsewhere = finished(
        [*RUN, "-n", "1", "--json", "--out", "c"],
        tmp_path,
        TZ="Pacific/Chatham",
        PYTHONHASHSEED="4711",
        LANG="tr_TR.UTF-8",
        LC_ALL="tr_TR.UTF-8",
    )
    found = verdicts(alone.stdout)
    assert len(found) == 4, alone.stderr
    assert verdicts(spread.stdout) == found, spread.stderr
    assert verdicts(elsewhere.stdout) == found, elsewhere.stderr


@pytest.mark.parametrize(
    ("workers", "kill", "code"), [("1", signal.SIGINT, 130), ("2", signal.SIGINT, 130), ("1", signal.SIGKILL, -9)]
)
def test_a_run_that_was_stopped_goes_on_where_it_was(
    tmp_path: Path, workers: str, kill: signal.Signals, code: int
) -> None:
    seeds = 24
    words = ["run", "-t", "crm/close-won", "--seeds", f"0-{seeds - 1}", "-n", workers, "--json", "--out", "run"]
    with started(words, tmp_path) as process:
        assert process.stdout is not None
        next(line for line in process.stdout if json.loads(line)["event"] == "trial")
        process.send_signal(kill)
        _, stderr = process.communicate(timeout=60)
    assert process.returncode == code, stderr
    assert "Traceback" not in stderr
    table = tmp_path / "run" / "trials.jsonl"
    before = {json.loads(line)["trial_dir"]: line for line in table.read_text("utf-8").splitlines()}
    assert 1 <= len(before) < seeds

    resumed = finished(["run", "--resume", "run", "-n", workers, "--json"], tmp_path)

    launch, *_, done = (json.loads(line) for line in resumed.stdout.splitlines())
    assert (launch["kept"], launch["trials"]) == (len(before), seeds - len(before))
    assert (done["trials"], done["passed"], done["errors"]) == (seeds, seeds, 0)
    assert set(trials(resumed.stdout)).isdisjoint(before), "a finished trial was repeated"
    after = table.read_text("utf-8").splitlines()
    assert [line for line in after if line in before.values()] == list(before.values())
    assert len({json.loads(line)["trial_dir"] for line in after}) == len(after) == seeds
    assert list((tmp_path / "run").rglob(".*")) == [], "a half-written file is left"
    assert finished(["grade", "run", "--json"], tmp_path).returncode == 0


HIDING = """
import os, signal

class Hiding:
    def run(self, trial):
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt:
            raise RuntimeError("the browser, which was interrupted too, cannot be closed") from None
"""


def test_an_interrupt_that_a_failing_end_of_the_trial_hides_ends_the_run_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "hiding_agent.py").write_text(HIDING, "utf-8")
    words = ["run", "-t", "crm/close-won", "--seeds", "0-2", "-a", "hiding_agent:Hiding", "-n", "1", "--out", "run"]
    done = finished([*words, "--json"], tmp_path)
    assert done.returncode == 130, done.stderr
    assert [json.loads(line)["event"] for line in done.stdout.splitlines()] == ["launch"]
    assert (tmp_path / "run" / "trials.jsonl").read_text("utf-8") == ""


def test_a_run_folder_that_may_not_be_written_is_said_before_anything_is_done(read_only: Path) -> None:
    for words in (["run", "-t", "crm/close-won", "--out", "run"], ["run", "-t", "crm/close-won"], ["demo"]):
        result = finished([*words, "--json"], read_only, LOCKED)
        error = json.loads(result.stdout)["error"]
        assert (result.returncode, error["kind"]) == (4, "no_permission"), result.stdout
        assert "Permission denied" in error["message"]
        assert error["hint"] == "choose a folder you may write to"
        assert list(read_only.iterdir()) == []


def test_a_cache_that_may_not_be_written_names_the_variable_that_moves_it(read_only: Path, tmp_path: Path) -> None:
    result = finished(["show", "crm/close-won", "--json"], tmp_path, LOCKED, DESKGYM_CACHE=str(read_only))
    error = json.loads(result.stdout)["error"]
    assert (result.returncode, error["kind"]) == (4, "no_permission")
    assert str(read_only) in error["message"]
    assert "DESKGYM_CACHE" in error["hint"]


def test_a_root_of_episodes_that_may_not_be_written_is_said(read_only: Path, tmp_path: Path) -> None:
    result = finished(["mcp", "crm/close-won"], tmp_path, LOCKED, DESKGYM_EPISODES=str(read_only / "episodes"))
    assert (result.returncode, result.stdout) == (4, "")
    assert "Permission denied" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_damaged_cache_is_built_again_and_said_on_stderr(tmp_path: Path) -> None:
    sound = open_world("small:1")
    copied = tmp_path / "cache" / sound.folder.name
    shutil.copytree(sound.folder, copied)
    os.truncate(copied / "store.db", 10_000)
    cache = {"DESKGYM_CACHE": str(tmp_path / "cache")}
    first = finished(["show", "crm/close-won@3", "--json"], tmp_path, **cache)
    assert (first.returncode, json.loads(first.stdout)["ok"]) == (0, True)
    assert "small:1" in first.stderr
    assert "is damaged; building it again" in first.stderr
    assert finished(["show", "crm/close-won@3"], tmp_path, **cache).stderr == ""


def test_what_the_demo_says_to_try_next_can_be_typed_where_the_shell_does_not_know_deskgym(tmp_path: Path) -> None:
    bare = {"PATH": "/usr/bin:/bin", "DESKGYM_CHROMIUM": "no-such-program"}
    shown = finished(["demo"], tmp_path, **bare)
    assert shown.returncode == 0, shown.stderr
    _, _, last = shown.stdout.partition("What to try next:\n")
    commands = [line.strip() for line in last.splitlines() if not line.startswith("      ")]
    assert [shlex.split(command)[-1] for command in commands if "tasks" in command] == ["tasks"]
    for command in (commands[0], commands[-1]):
        done = subprocess.run(
            command, shell=True, cwd=tmp_path, env=surroundings(**bare), capture_output=True, text=True
        )
        assert (done.returncode, done.stderr) == (0, ""), command


def test_a_line_of_a_table_stays_one_line_where_there_is_no_terminal(tmp_path: Path) -> None:
    lines = finished(["list", "tasks"], tmp_path).stdout.splitlines()
    assert len(lines) == 1 + len(templates())
    assert [line.split()[0] for line in lines[1:]] == list(templates())
