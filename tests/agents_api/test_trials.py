"""One agent at one task of the real world."""

import pytest

from deskgym.catalogue import bind, world
from deskgym.errors import DeskgymError
from deskgym.rollout import _started, run_trial
from deskgym.trial import TrialResult, TrialSpec

from . import deals

TASKS = (deals.next_step.name, deals.read_deal.name)


def trial(agent: str, task: str = TASKS[0], **more: object) -> TrialResult:
    return run_trial(TrialSpec(task, 1, agent, **more))  # type: ignore[arg-type]


@pytest.mark.parametrize("task", TASKS)
def test_the_oracle_passes_and_those_who_know_nothing_do_not(task: str) -> None:
    assert trial("oracle", task).reward == 1.0
    for agent in ("noop", "constant", "monkey"):
        result = trial(agent, task)
        assert (result.status, result.reward) == ("graded", 0.0), agent


@pytest.mark.parametrize("first", [KeyboardInterrupt(), ValueError("the agent broke")])
def test_what_broke_a_trial_off_is_told_and_not_that_its_episode_does_not_close(first: BaseException) -> None:
    spec = TrialSpec(TASKS[0], 1, "noop")
    started = _started(spec, bind(spec.task, world(spec.world), spec.seed))
    close, started.episode.close = started.episode.close, _broken  # type: ignore[method-assign]
    with pytest.raises(type(first)) as told, started:
        raise first
    assert told.value is first
    with pytest.raises(OSError, match="disk"), started:
        pass
    close()


def _broken() -> None:
    raise OSError("the disk is full")


def test_each_step_says_what_it_changed() -> None:
    result = trial("oracle")
    change, submission = result.trace
    assert change.hash_before != change.hash_after == submission.hash_before == result.state_hash
    assert ("update", "crm_opportunity") in {(row["op"], row["table"]) for row in change.diff}
    assert submission.diff == ()


def test_a_monkey_is_the_same_monkey_by_seed_and_attempt() -> None:
    first, again, other = trial("monkey"), trial("monkey"), trial("monkey", attempt=1)
    assert [step.as_dict() for step in first.trace] == [step.as_dict() for step in again.trace]
    assert first.trace[0].action != other.trace[0].action or first.trace[1].action != other.trace[1].action


def test_a_replayed_trial_has_the_same_hash_at_every_step() -> None:
    first = trial("monkey")
    again = trial("replay", options={"steps": [step.as_dict() for step in first.trace]})
    assert [step.hash_after for step in again.trace] == [step.hash_after for step in first.trace]


def test_the_steps_run_out_and_the_work_so_far_is_graded() -> None:
    result = trial("oracle", max_steps=1)
    assert (result.status, result.reward, result.reason, result.steps) == ("graded", 0.0, "NO_SUBMISSION", 1)


def test_a_fault_of_the_infrastructure_is_no_reward_of_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("deskgym.episode.Episode.call_tool", broken)
    result = trial("oracle")
    assert (result.status, result.reward) == ("env_error", None)
    assert result.error is not None
    assert result.error["kind"] == "capacity"


def test_unknown_agents_and_options_are_named() -> None:
    with pytest.raises(DeskgymError, match='Did you mean "oracle"'):
        trial("oracel")
    with pytest.raises(DeskgymError, match="stepz"):
        trial("monkey", options={"stepz": 3})
