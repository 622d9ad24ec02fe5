"""The browser's environment under Gymnasium's own checker, and solved by clicks and key strokes."""

import json
import re
from typing import Any
from urllib.parse import quote

import pytest
from gymnasium.utils.env_checker import check_env

import deskgym

pytestmark = pytest.mark.browser


def ref(aria: str, role: str, name: str) -> str:
    """The ref of the first element of a role whose name begins so, as an agent reads it."""
    found = re.search(rf'- {role} "{re.escape(name)}[^"]*"[^\n]*\[ref=(\w+)\]', aria)
    assert found is not None, aria
    return found[1]


def test_the_browser_environment_passes_gymnasium_s_own_check() -> None:
    env = deskgym.make("crm/close-won", seed=3, surface="browser")
    try:
        check_env(env.unwrapped)
    finally:
        env.close()


def test_the_same_actions_lead_to_the_same_observations_and_states() -> None:
    def walk() -> list[Any]:
        env = deskgym.make("crm/next-step", seed=3, surface="browser")
        try:
            seen, info = env.reset()
            path = [(seen, info)]
            for action in (
                {"action": "navigate", "url": "/crm/opportunities"},
                {"action": "click", "coordinate": [640, 78]},
                {"action": "click", "ref": "e99999"},
                {"action": "submit", "status": "done"},
            ):
                path.append(env.step(json.dumps(action)))  # type: ignore[arg-type]
            return path
        finally:
            env.close()

    first = walk()
    assert walk() == first
    assert first[3][0]["error"]
    assert (first[4][1], first[4][2], first[4][4]["reason"]) == (0.0, True, "MISSING")


def test_a_task_is_solved_by_filling_a_form() -> None:
    env = deskgym.make("crm/next-step", seed=3, surface="browser", max_steps=20)
    try:
        seen, _ = env.reset()
        name, step = re.findall(r'"([^"]+)"', seen["instruction"])[:2]

        def act(**action: Any) -> tuple[Any, ...]:
            result = env.step(json.dumps(action))
            assert result[0]["error"] == "", result[0]["error"]
            return result

        seen, *_ = act(action="navigate", url=f"/crm/search?q={quote(name)}")
        seen, *_ = act(action="click", ref=ref(seen["aria"], "link", f"{name}, "))
        seen, *_ = act(action="click", ref=ref(seen["aria"], "link", "Edit"))
        seen, *_ = act(action="fill", ref=ref(seen["aria"], "textbox", "Next step"), text=step)
        seen, *_ = act(action="click", ref=ref(seen["aria"], "button", "Save"))
        _, reward, terminated, _, info = act(action="submit", status="done")
        assert (reward, terminated, info["reason"]) == (1.0, True, "OK")
    finally:
        env.close()
