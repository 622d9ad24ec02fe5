"""The agent that asks a language model, against an endpoint that answers by script."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deskgym.agents.llm_pages import read_action
from deskgym.catalogue import bind, world
from deskgym.errors import DeskgymError
from deskgym.rollout import run_trial
from deskgym.trial import TrialResult, TrialSpec

from . import deals
from .scripted_model import Endpoint, endpoint, tool_call, words

CHANGE, READ = deals.next_step.name, deals.read_deal.name


def trial(at: Endpoint, task: str, surface: str = "mcp", **options: Any) -> TrialResult:
    settings = {"url": at.url, "model": "scripted", "pause": 0.0, **options}
    return run_trial(TrialSpec(task, 1, "llm", surface, max_steps=8, options=settings))  # type: ignore[arg-type]


def test_a_model_that_calls_the_right_tools_passes() -> None:
    call = bind(CHANGE, world("small:1"), 1).oracle[0]

    def script(messages: list[dict[str, Any]], turn: int) -> Any:
        return tool_call(call.tool, call.args) if turn == 1 else tool_call("finish", {})

    with endpoint(script) as at:
        result = trial(at, CHANGE)
    assert (result.reward, result.reason, result.steps) == (1.0, "OK", 2)
    names = [tool["function"]["name"] for tool in at.asked[0]["tools"]]
    assert "crm_update" in names
    assert "submit_answer" in names
    system, task = at.asked[0]["messages"]
    assert system["role"] == "system"
    assert bind(CHANGE, world("small:1"), 1).instruction in task["content"]
    told = at.asked[1]["messages"][-1]
    assert (told["role"], told["tool_call_id"]) == ("tool", "c1")
    assert json.loads(told["content"])["id"] == call.args["id"]


def test_a_model_is_told_what_it_got_wrong_and_may_put_it_right() -> None:
    answer = bind(READ, world("small:1"), 1).submission.answer
    script = [
        words("Let me think."),
        tool_call("crm_get", "{not json"),
        tool_call("crm_gett", {}),
        tool_call("crm_get", {"id": "ACC000000000000"}),
        tool_call("submit_answer", {"status": "done", "answer": answer}),
    ]
    with endpoint(lambda _messages, turn: script[turn - 1]) as at:
        result = trial(at, READ)
    assert (result.reward, result.steps) == (1.0, 5)
    told = [str(body["messages"][-1]["content"]) for body in at.asked[1:]]
    assert "submit_answer" in told[0]
    assert "JSON object" in told[1]
    assert 'Did you mean "crm_get"' in told[2]
    assert told[3].startswith("Error:")
    assert [step.error is None for step in result.trace] == [False, False, False, False, True]


def test_a_model_that_never_hands_in_runs_out_of_steps() -> None:
    with endpoint(lambda _messages, _turn: words("Hm.")) as at:
        result = trial(at, CHANGE)
    assert (result.status, result.reward, result.reason, result.steps) == ("graded", 0.0, "NO_SUBMISSION", 8)


@pytest.mark.parametrize(
    ("reply", "kind", "requests"),
    [
        ((401, "no"), "unauthorized", 1),
        ((400, "context too long"), "env_error", 1),
        ((503, "busy"), "env_error", 3),
        ((200, "not json"), "env_error", 1),
        ((200, '{"choices": []}'), "env_error", 1),
    ],
)
def test_a_fault_of_the_endpoint_is_no_reward_of_zero(reply: tuple[int, str], kind: str, requests: int) -> None:
    with endpoint(lambda _messages, _turn: reply) as at:
        result = trial(at, CHANGE, retries=2)
    assert (result.status, result.reward) == ("env_error", None)
    assert result.error is not None
    assert result.error["kind"] == kind
    assert len(at.asked) == requests


def test_an_endpoint_that_is_not_there_is_named() -> None:
    with endpoint(lambda _messages, _turn: words("")) as at:
        pass
    result = trial(at, CHANGE, retries=0)
    assert result.error is not None
    assert at.url in result.error["message"]


def test_a_busy_endpoint_is_asked_again() -> None:
    with endpoint(lambda _messages, turn: (429, "later") if turn == 1 else tool_call("finish", {})) as at:
        result = trial(at, CHANGE)
    assert (result.status, result.steps) == ("graded", 1)


def test_the_address_can_name_the_trial_and_the_key_comes_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("abc\n")
    with endpoint(lambda _messages, _turn: tool_call("finish", {})) as at:
        trial(at, CHANGE, url=f"{at.url}/{{task}}/{{seed}}/{{attempt}}", key_file=str(tmp_path / "key"))
    assert at.paths == ["/v1/crm.test-next-step/1/0/chat/completions"]
    assert at.keys == ["Bearer abc"]


def test_a_key_file_that_is_missing_or_empty_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    for name, message in (("none", "No such file"), ("empty", "holds no key")):
        options = {"url": "http://127.0.0.1:1/v1", "model": "m", "key_file": str(tmp_path / name)}
        with pytest.raises(DeskgymError, match=message):
            run_trial(TrialSpec(CHANGE, 1, "llm", options=options))


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ('{"action": "back"}', {"action": "back"}),
        ('I go back.\n```json\n{"action": "back"}\n```', {"action": "back"}),
        ('{"plan": {"x": 1}} {"action": "click", "ref": "e1"}', {"action": "click", "ref": "e1"}),
        ('{"action": "back"} no: {"action": "reload"}', {"action": "reload"}),
        ("{broken {{", None),
        ('["action"]', None),
        ("", None),
    ],
)
def test_an_action_is_found_in_what_a_model_says(text: str, action: dict[str, Any] | None) -> None:
    assert read_action(text) == action


@pytest.mark.browser
def test_a_model_works_in_the_pages_by_their_tree() -> None:
    answer = bind(READ, world("small:1"), 1).submission.answer
    script = [
        words("I am at the start."),
        words('{"action": "navigate", "url": "/crm/accounts"}'),
        words('{"action": "click", "ref": "e99999"}'),
        words(f"Done. {json.dumps({'action': 'submit', 'status': 'done', 'answer': answer})}"),
    ]
    with endpoint(lambda _messages, turn: script[turn - 1]) as at:
        result = trial(at, READ, "browser")
    assert (result.reward, result.steps) == (1.0, 4), result.feedback
    shown = [body["messages"][-1]["content"] for body in at.asked]
    assert "one JSON object" in shown[1]
    assert "/crm/accounts" in shown[2]
    assert "[ref=" in shown[2]
    assert "Your last action failed" in shown[3]
    assert at.asked[3]["messages"][2]["content"] == "(an earlier page)"


@pytest.mark.browser
def test_a_model_works_in_the_pages_by_their_pixels() -> None:
    script = [words('{"action": "click", "coordinate": [5, 5]}'), words('{"action": "submit", "status": "done"}')]
    with endpoint(lambda _messages, turn: script[turn - 1]) as at:
        result = trial(at, CHANGE, "browser", mode="pixels")
    assert (result.status, result.reward, result.reason) == ("graded", 0.0, "MISSING")
    text, picture = at.asked[0]["messages"][-1]["content"]
    assert "[ref=" not in text["text"]
    assert picture["image_url"]["url"].startswith("data:image/png;base64,iVBOR")


def test_a_mode_has_to_go_with_its_surface() -> None:
    with endpoint(lambda _messages, _turn: words("")) as at:
        result = trial(at, CHANGE, mode="pixels")
        with pytest.raises(DeskgymError, match='no mode "eyes"'):
            trial(at, CHANGE, mode="eyes")
    assert result.error is not None
    assert result.error["kind"] == "usage"
