"""A run folder holds all that grading and replaying need, and a run comes out the same however it is spread."""

import json
from pathlib import Path

import pytest

from deskgym.errors import DeskgymError
from deskgym.run.facts import run_facts
from deskgym.run.plan import Plan, make_plan, parse_seeds
from deskgym.run.record import PAGE, RunFolder, pack, unpack
from deskgym.run.regrade import regrade, replay
from deskgym.run.runner import run_all


def a_run(path: Path, agent: str = "oracle", workers: int = 1) -> RunFolder:
    plan = make_plan(
        ["crm/close-won", "crm/new-amount"], (0, 1), agent=agent, surface="mcp", world_name="small:1", attempts=1
    )
    folder = RunFolder.create(path, run_facts(plan))
    assert len(list(run_all(folder, plan.specs(), workers))) == 4
    return folder


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return a_run(tmp_path_factory.mktemp("solved") / "run")


def test_seeds_are_read_as_written() -> None:
    assert parse_seeds("0-2, 7,1") == (0, 1, 2, 7)
    for bad in ("", "a", "2-1", "1-", "-1", "0-999999"):
        with pytest.raises(DeskgymError, match="seeds"):
            parse_seeds(bad)


def test_a_final_store_is_kept_to_the_byte_by_its_changed_pages() -> None:
    image = bytes(PAGE) * 3
    final = bytes(PAGE) + b"x" * PAGE + bytes(PAGE) + b"new page".ljust(PAGE, b"\0")
    assert unpack(image, pack(image, final)) == final
    with pytest.raises(DeskgymError, match="another build"):
        unpack(b"y" * PAGE, pack(image, final))
    with pytest.raises(DeskgymError, match="damaged"):
        unpack(image, pack(image, final)[:-5])


def test_a_stored_trial_holds_its_steps_journal_and_state(solved: RunFolder) -> None:
    row = solved.rows()[0]
    folder = solved.path / row["trial_dir"]
    assert row["trial_dir"] == "trials/crm.close-won/s0.a0"
    steps = solved.steps(row)
    assert len(steps) == row["steps"]
    assert steps[0]["hash_before"] != steps[0]["hash_after"]
    assert json.loads((folder / "final.json").read_text("utf-8"))["hash"] == row["state_hash"]
    assert json.loads((folder / "journal.jsonl").read_text("utf-8").splitlines()[0])["operation"]
    assert Plan.from_dict(solved.facts()["config"]).tasks.keys() >= {"crm/close-won@0"}


def test_grading_again_gives_the_same_verdicts_and_hashes(solved: RunFolder) -> None:
    again = list(regrade(solved))
    assert [row["same"] and row["same_task"] for row in again] == [True] * 4
    assert [row["state_hash"] for row in again] == [row["state_hash"] for row in solved.rows()]


def test_grading_again_sees_a_verdict_that_was_tampered_with(tmp_path: Path) -> None:
    folder = a_run(tmp_path / "run", "noop")
    text = (folder.path / "trials.jsonl").read_text("utf-8").replace('"reward": 0.0', '"reward": 1.0')
    (folder.path / "trials.jsonl").write_text(text, "utf-8")
    assert [(row["reward"], row["same"]) for row in regrade(folder)] == [(0.0, False)] * 4


def test_a_replay_passes_through_the_same_states(solved: RunFolder) -> None:
    assert [(row["same"], row["first_difference"]) for row in replay(solved)] == [(True, None)] * 4


def test_a_replay_names_the_first_step_that_differs(tmp_path: Path) -> None:
    folder = a_run(tmp_path / "run")
    row = folder.rows()[0]
    steps = folder.steps(row)
    steps[1]["hash_after"] = "0" * 64
    place = folder.path / row["trial_dir"] / "steps.jsonl"
    place.write_text("".join(json.dumps(step) + "\n" for step in steps), "utf-8")
    assert [found["first_difference"] for found in replay(folder)] == [2, None, None, None]


def test_workers_change_nothing_in_the_results(solved: RunFolder, tmp_path: Path) -> None:
    spread = a_run(tmp_path / "run", workers=2)
    names = ("trial_dir", "reward", "reason", "steps", "state_hash")
    assert sorted([row[name] for name in names] for row in spread.rows()) == sorted(
        [row[name] for name in names] for row in solved.rows()
    )


def test_a_line_cut_off_by_a_kill_is_no_trial(tmp_path: Path, solved: RunFolder) -> None:
    (tmp_path / "trials.jsonl").write_text(
        json.dumps(solved.rows()[0]) + "\n" + json.dumps(solved.rows()[1])[:40], "utf-8"
    )
    assert [row["trial_dir"] for row in RunFolder(tmp_path).rows()] == ["trials/crm.close-won/s0.a0"]
