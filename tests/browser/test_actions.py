"""What a browser agent may send, and what it is told when it sends something else."""

from __future__ import annotations

import jsonschema
import pytest

from deskgym.browser import VERBS, ActionError, action_schema, parse_action

GOOD: list[dict[str, object]] = [
    {"action": "click", "ref": "e1"},
    {"action": "click", "coordinate": [1, 2.5], "button": "right", "count": 2, "modifiers": ["Shift"]},
    {"action": "hover", "ref": "f1e2"},
    {"action": "fill", "ref": "e1", "text": ""},
    {"action": "type", "text": "abc"},
    {"action": "key", "text": "Control+a"},
    {"action": "select", "ref": "e1", "values": ["Closed Won"]},
    {"action": "check", "coordinate": [3, 4], "value": False},
    {"action": "drag", "from": "e1", "to": [10, 20]},
    {"action": "upload", "ref": "e1", "file": "paper.pdf"},
    {"action": "scroll", "direction": "down", "amount": 5},
    {"action": "navigate", "url": "/crm/"},
    {"action": "back"},
    {"action": "forward"},
    {"action": "reload"},
    {"action": "new_tab"},
    {"action": "switch_tab", "tab": 2},
    {"action": "close_tab"},
    {"action": "wait", "seconds": 1},
    {"action": "submit", "status": "infeasible", "reason_code": "no_such_record"},
    {"action": "submit", "status": "done", "answer": {"total": "12.50", "names": ["a"]}},
]


def test_every_verb_has_an_example_here() -> None:
    assert {str(action["action"]) for action in GOOD} == set(VERBS)


@pytest.mark.parametrize("action", GOOD, ids=[str(action["action"]) for action in GOOD])
def test_a_valid_action_passes_the_parser_and_the_published_schema(action: dict[str, object]) -> None:
    jsonschema.validate(action, action_schema())
    given = parse_action(action).model_dump(exclude_unset=True)
    assert {"action": action["action"]} | given == action


@pytest.mark.parametrize(
    ("action", "message"),
    [
        ({}, "has no verb"),
        ({"action": "clikc", "ref": "e1"}, 'Did you mean "click"'),
        ({"action": "click"}, "either ref or coordinate"),
        ({"action": "click", "ref": "e1", "coordinate": [1, 2]}, "either ref or coordinate"),
        ({"action": "click", "ref": "button"}, "ref"),
        ({"action": "click", "ref": "e1", "button": "thumb"}, "button"),
        ({"action": "click", "coordinate": [1]}, "coordinate"),
        ({"action": "click", "coordinate": [1, float("nan")]}, "coordinate"),
        ({"action": "click", "ref": "e1", "selector": "#a"}, 'no argument "selector"'),
        ({"action": "fill", "ref": "e1"}, "needs text"),
        ({"action": "fill", "ref": "e1", "text": 5}, "text"),
        ({"action": "check", "ref": "e1", "value": "yes"}, "value"),
        ({"action": "wait", "seconds": 3600}, "seconds"),
        ({"action": "scroll", "direction": "sideways"}, "direction"),
        ({"action": "submit", "status": "finished"}, "status"),
        ({"action": "submit", "status": "done", "answer": {1, 2}}, "not JSON"),
        ("click e1", "an action is an object"),
    ],
    ids=str,
)
def test_a_faulty_action_is_refused_with_the_fault_named(action: dict[str, object], message: str) -> None:
    with pytest.raises(ActionError, match=message):
        parse_action(action)
