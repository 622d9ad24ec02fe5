"""What the verbs print when all is well."""

import json
from pathlib import Path

from .conftest import Deskgym, envelope


def test_tasks_are_listed_with_what_a_caller_chooses_by(deskgym: Deskgym) -> None:
    data = envelope(deskgym("list", "tasks", "--json"))["data"]
    names = {"task", "apps", "kind", "split", "surfaces", "oracle_steps", "status"}
    assert data["counts"]["total"] == len(data["rows"]) >= 15
    assert data["truncated"] is False
    assert all(names <= set(row) for row in data["rows"])
    assert all(row["oracle_steps"] >= 1 and row["split"] == "train" for row in data["rows"])


def test_apps_worlds_and_agents_are_listed(deskgym: Deskgym) -> None:
    assert "crm" in [row["app"] for row in envelope(deskgym("list", "apps", "--json"))["data"]["rows"]]
    assert "small:1" in [row["world"] for row in envelope(deskgym("list", "worlds", "--json"))["data"]["rows"]]
    assert "oracle" in [row["agent"] for row in envelope(deskgym("list", "agents", "--json"))["data"]["rows"]]


def test_a_task_shows_its_instruction_and_its_solution_only_when_asked(deskgym: Deskgym) -> None:
    plain = envelope(deskgym("show", "crm/close-won@3", "--json"))["data"]
    full = envelope(deskgym("show", "crm/close-won@3", "--oracle", "--json"))["data"]
    assert plain["seed"] == 3
    assert plain["instruction"]
    assert "oracle" not in plain
    assert full["oracle"][0]["tool"] == "crm_update"


def test_the_tasks_have_no_faults(deskgym: Deskgym) -> None:
    result = deskgym("lint", "crm/close-won", "--seeds", "0-3", "--json")
    data = envelope(result)["data"]
    assert (result.exit_code, data["counts"]["faulty"], data["counts"]["total"]) == (0, 0, 4)


def test_doctor_finds_what_it_looked_at(deskgym: Deskgym) -> None:
    rows = envelope(deskgym("doctor", "--json"))["data"]["rows"]
    assert {"python", "sqlite", "browser", "cache", "episodes", "world"} <= {row["name"] for row in rows}


def test_doctor_without_a_browser_warns_and_says_what_to_do(deskgym: Deskgym) -> None:
    result = deskgym("doctor", "--json", DESKGYM_CHROMIUM="no-such-program")
    browser = next(row for row in envelope(result)["data"]["rows"] if row["name"] == "browser")
    assert (result.exit_code, browser["status"]) == (0, "warn")
    assert browser["hint"]


def test_a_run_streams_launch_trials_and_done(deskgym: Deskgym) -> None:
    result = deskgym("run", "-t", "crm/close-won", "--seeds", "0-1", "-n", "1", "--json")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["event"] for line in lines] == ["launch", "trial", "trial", "done"]
    assert [line["reward"] for line in lines[1:3]] == [1.0, 1.0]
    assert lines[3] | {"run_dir": ""} == {
        "schema": "deskgym/1", "event": "done", "trials": 2, "passed": 2, "failed": 0, "errors": 0, "run_dir": "",
    }  # fmt: skip
    assert Path(lines[3]["run_dir"], lines[1]["trial_dir"], "trial.json").is_file()


def test_the_demo_without_a_browser_shows_the_other_half_and_says_why(deskgym: Deskgym) -> None:
    result = deskgym("demo", "--json", DESKGYM_CHROMIUM="no-such-program")
    data = envelope(result)["data"]
    assert result.exit_code == 0
    assert data["browser"]["kind"] == "no_browser"
    assert {(row["agent"], row["reward"]) for row in data["rows"]} == {("oracle", 1.0), ("noop", 0.0), ("monkey", 0.0)}
