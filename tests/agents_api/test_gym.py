"""Episodes as Gymnasium environments."""

import json
import subprocess
import sys
import time
from typing import Any

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env

import deskgym
from deskgym.errors import DeskgymError
from deskgym.spaces import UnicodeText

from . import deals

NEXT_STEP = "crm/test-next-step"
assert deals.next_step.name == NEXT_STEP


def call(tool: str, **arguments: Any) -> str:
    return json.dumps({"tool": tool, "arguments": arguments})


def test_the_environment_passes_gymnasium_s_own_check() -> None:
    env = deskgym.make(NEXT_STEP, seed=3)
    try:
        check_env(env.unwrapped)
    finally:
        env.close()


def test_handing_the_work_in_ends_the_episode_with_the_verdict_as_reward() -> None:
    env = deskgym.make(NEXT_STEP, seed=3)
    try:
        env.reset()
        task: Any = env.unwrapped.trial.task  # type: ignore[attr-defined]
        (oracle,) = task.oracle
        seen, reward, terminated, truncated, _ = env.step(call(oracle.tool, **oracle.args))
        assert (seen["error"], reward, terminated, truncated) == ("", 0.0, False, False)
        seen, reward, terminated, truncated, info = env.step(call("finish"))
        assert (reward, terminated, truncated, info["reason"]) == (1.0, True, False, "OK")
        with pytest.raises(DeskgymError, match="over"):
            env.step(call("finish"))
        env.reset()
        seen, reward, terminated, _, info = env.step(call("finish"))
        assert (reward, terminated, info["reason"]) == (0.0, True, "MISSING")
    finally:
        env.close()


@pytest.mark.parametrize(
    "action", ["", "nonsense", "[]", '{"tool": 3}', '{"tool": "crm_gett"}', call("crm_get", id=7), "[" * 5000]
)
def test_a_wrong_action_is_an_error_observation(action: str) -> None:
    env = deskgym.make(NEXT_STEP, seed=3)
    try:
        env.reset()
        seen, reward, terminated, truncated, info = env.step(action)
        assert seen["error"]
        assert (reward, terminated, truncated, info["steps"]) == (0.0, False, False, 1)
    finally:
        env.close()


def test_the_episode_is_cut_off_after_its_last_step() -> None:
    env = deskgym.make(NEXT_STEP, seed=3, max_steps=2)
    try:
        env.reset()
        assert env.step("x")[3] is False
        _, reward, terminated, truncated, info = env.step("x")
        assert (reward, terminated, truncated, info["reason"]) == (0.0, False, True, "NO_SUBMISSION")
    finally:
        env.close()


def test_the_seed_of_reset_chooses_the_instance() -> None:
    env = deskgym.make(NEXT_STEP, seed=3)
    try:
        assert env.reset()[1]["task"] == f"{NEXT_STEP}@3"
        assert env.reset(seed=5)[1]["task"] == f"{NEXT_STEP}@5"
        assert env.reset()[1]["task"] == f"{NEXT_STEP}@5"
    finally:
        env.close()


def test_the_registered_id_makes_the_same_environment() -> None:
    env = gymnasium.make("deskgym.gym:deskgym/Task-v0", task=NEXT_STEP, task_seed=3)
    try:
        assert env.reset()[1]["task"] == f"{NEXT_STEP}@3"
    finally:
        env.close()


def test_unknown_names_are_refused_with_what_would_be_right() -> None:
    with pytest.raises(DeskgymError, match="crm/close-lsot"):
        deskgym.make("crm/close-lsot")
    with pytest.raises(DeskgymError, match="touch"):
        deskgym.make(NEXT_STEP, surface="touch")  # type: ignore[arg-type]


def test_any_text_is_in_the_space() -> None:
    space = UnicodeText(100, seed=1)
    assert all(space.contains(space.sample()) for _ in range(50))
    assert "漢字 ü" in space
    assert "x" * 101 not in space
    assert 3 not in space
    assert space == UnicodeText(100) != UnicodeText(99)


def test_importing_deskgym_alone_is_quick() -> None:
    code = "import sys, time; t = time.perf_counter(); import deskgym; print(time.perf_counter() - t, *sys.modules)"
    began = time.perf_counter()
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=_env())
    seconds, *modules = out.stdout.split()
    assert float(seconds) < 0.3, f"{seconds} s of {time.perf_counter() - began} s"
    assert not {"gymnasium", "numpy", "pydantic", "flask", "playwright"} & set(modules)


def _env() -> dict[str, str]:
    return {"PYTHONPATH": ":".join(path for path in sys.path if path)}
