"""What the command line says to what it cannot do: kind, nearest name, exit code, and nothing half-written."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest

from deskgym.cli import main
from deskgym.cli._output import clean
from deskgym_seeds.world import check_world, open_world

from .conftest import Deskgym, envelope, error


@pytest.mark.parametrize(
    ("words", "kind", "said"),
    [
        (("run", "-t", "crm/close-one"), "not_found", "crm/close-won"),
        (("run", "-t", "crm/close-won", "-a", "oracel"), "not_found", "oracle"),
        (("run", "-t", "crm/close-won", "--world", "smal:1"), "not_found", "small:1"),
        (("run", "-t", "crm/close-won", "--seeds", "4-1"), "usage", "names no seeds"),
        (("run", "-t", "crm/close-won@-1"), "usage", "0 or more"),
        (("run", "-t", "crm/close-won", "--surface", "telnet"), "usage", "browser"),
        (("run", "-t", "crm/close-won", "-a", "monkey", "-o", "stepps=3"), "usage", "steps"),
        (("run",), "usage", "no task is named"),
        (("run", "--resume", "nowhere"), "not_found", "no run folder"),
        (("rum",), "usage", '"run"'),
        (("run", "--nope"), "usage", "--nope"),
        (("show", "crm/close-one"), "not_found", "crm/close-won"),
        (("grade", "nowhere"), "not_found", "no run folder"),
        (("replay", "nowhere"), "not_found", "no run folder"),
        (("world", "check", "smal:1"), "not_found", "small:1"),
        (("list", "tusks"), "usage", "tasks"),
        (("lint", "nothing/*"), "not_found", "nothing/*"),
    ],
)
def test_what_does_not_exist_is_refused_with_what_does(
    deskgym: Deskgym, tmp_path: Path, words: tuple[str, ...], kind: str, said: str
) -> None:
    result = deskgym(*words, "--json")
    found = error(result)
    assert (found["kind"], result.exit_code) == (kind, 2)
    assert said in found["message"] + found["hint"]
    assert list(tmp_path.iterdir()) == []


def test_without_json_an_error_is_a_line_on_stderr(deskgym: Deskgym) -> None:
    result = deskgym("show", "crm/close-one")
    assert (result.exit_code, result.stdout) == (2, "")
    assert 'there is no task "crm/close-one"' in result.stderr


def test_a_hidden_world_without_its_secret_is_refused(deskgym: Deskgym) -> None:
    result = deskgym("list", "tasks", "--world", "small:test-1", "--json")
    assert (error(result)["kind"], result.exit_code) == ("no_secret", 2)


def test_a_run_folder_that_cannot_be_made_is_an_error_of_infrastructure(deskgym: Deskgym, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    result = deskgym("run", "-t", "crm/close-won", "--out", "file/run", "--json")
    assert (error(result)["kind"], result.exit_code) == ("env_error", 4)


def test_an_existing_run_folder_is_not_written_over(deskgym: Deskgym, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    result = deskgym("run", "-t", "crm/close-won", "--out", "run", "--json")
    assert (error(result)["kind"], result.exit_code) == ("conflict", 2)
    assert list((tmp_path / "run").iterdir()) == []


def test_without_a_browser_a_browser_run_says_so_before_it_begins(deskgym: Deskgym, tmp_path: Path) -> None:
    result = deskgym("run", "-t", "crm/close-won", "--surface", "browser", "--json", DESKGYM_CHROMIUM="no-such-program")
    found = error(result)
    assert (found["kind"], result.exit_code) == ("no_browser", 4)
    assert "apt-get install chromium-headless-shell" in found["hint"]
    assert "DESKGYM_CHROMIUM" in found["hint"]
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_cache_is_found_and_built_again(
    deskgym: Deskgym, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound = open_world("small:1")
    copied = tmp_path / "cache" / sound.folder.name
    shutil.copytree(sound.folder, copied)
    with (copied / "store.db").open("r+b") as file:
        file.seek(5000)
        file.write(b"spoilt")
    monkeypatch.setenv("DESKGYM_CACHE", str(tmp_path / "cache"))
    result = deskgym("world", "check", "--json")
    assert result.exit_code == 1
    assert envelope(result)["data"]["rows"][0]["faults"] == ["store.db differs from its checksum"]
    assert deskgym("world", "build", "small:1", "--json").exit_code == 0
    assert check_world(open_world("small:1")) == []


def test_a_score_below_the_bar_is_exit_code_1_and_else_0(deskgym: Deskgym) -> None:
    idle = ("run", "-t", "crm/close-won", "-a", "noop", "-n", "1", "--json")
    assert deskgym(*idle, "--fail-under", "0.5").exit_code == 1
    assert deskgym(*idle).exit_code == 0


def test_a_flag_can_be_given_by_its_variable(deskgym: Deskgym) -> None:
    result = deskgym("run", "-t", "crm/close-won", "--json", DESKGYM_RUN_AGENT="oracel")
    assert "oracle" in error(result)["message"]


def test_every_verb_says_what_it_does_and_takes_json() -> None:
    context = click.Context(main, info_name="deskgym")
    for verb in main.list_commands(context):
        command = main.get_command(context, verb)
        assert command is not None
        assert command.help, verb
        commands = command.commands.values() if isinstance(command, click.Group) else [command]
        for one in commands:
            takes_json = any("--json" in option.opts for option in one.params)
            assert takes_json or verb == "mcp", f"{verb} takes no --json"


def test_control_characters_of_an_agent_do_not_reach_the_terminal() -> None:
    assert clean("a\x1b[31mb\x07\u202ec\nd") == "a[31mbc\nd"


def test_an_interrupt_ends_a_run_with_130_and_leaves_a_folder_to_resume(tmp_path: Path) -> None:
    words = [sys.executable, "-c", "from deskgym.cli import main; main()"]
    words += ["run", "-t", "crm/close-won", "--seeds", "0-39", "-n", "2", "--json", "--out", "run"]
    path = os.pathsep.join(entry for entry in sys.path if entry)
    process = subprocess.Popen(
        words,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
        if json.loads(line)["event"] == "trial":
            break
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130, stderr
    assert "Traceback" not in stderr
    rows = (tmp_path / "run" / "trials.jsonl").read_text("utf-8").splitlines()
    assert 1 <= len(rows) < 40
    assert all(json.loads(row)["status"] == "graded" for row in rows)
