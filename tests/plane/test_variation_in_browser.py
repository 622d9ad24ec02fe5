"""No variation may change a verdict: the oracle through the pages ends in the state that it reaches through tools."""

from __future__ import annotations

from typing import Any

import pytest

from deskgym.rollout import run_trial
from deskgym.trial import TrialSpec
from deskgym_apps.kit.variation import AXES, draw

pytestmark = pytest.mark.browser

FAR: dict[str, Any] = {
    "theme": "contrast",
    "accent": "teal",
    "density": "compact",
    "widgets": "native",
    "labels": {"Amount": "Deal value", "Stage": "Deal stage", "Close date": "Closing date"},
    "field_order": "another",
    "locale": "de_DE",
    "page_size": 10,
    "latency_ms": 80,
    "notice": "fire-drill",
}
TASKS = ("crm/log-call", "crm/which-namesake", "crm/reopen-lost", "crm/hold-deal")


def test_every_axis_has_a_value_that_is_tried() -> None:
    assert set(FAR) == set(AXES)


def by_hand(task: str, variation: dict[str, Any]) -> tuple[str, float | None, str | None]:
    """How the oracle ends in the pages of an episode with that variation."""
    result = run_trial(TrialSpec(task, 1, "oracle", surface="browser", variation=variation))
    return result.status, result.reward, result.state_hash


def by_tools(task: str) -> tuple[str, float | None, str | None]:
    """How the oracle ends through tools."""
    result = run_trial(TrialSpec(task, 1, "oracle"))
    return result.status, result.reward, result.state_hash


@pytest.mark.parametrize("axis", FAR)
def test_one_axis_changes_no_verdict(axis: str) -> None:
    found = by_hand("crm/new-amount", {axis: FAR[axis]})
    assert found == by_tools("crm/new-amount")
    assert found[:2] == ("graded", 1.0)


@pytest.mark.parametrize(("seed", "task"), list(enumerate(TASKS)))
def test_all_axes_together_change_no_verdict(seed: int, task: str) -> None:
    found = by_hand(task, draw(seed))
    assert found == by_tools(task)
    assert found[:2] == ("graded", 1.0)
