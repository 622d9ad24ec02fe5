"""The tasks on cases: every oracle passes on both worlds, and their twins tell refusing from telling."""

from __future__ import annotations

import pytest

from deskgym.episode import Episode
from deskgym_graders.tasks import bind
from deskgym_seeds.world import open_world

TEMPLATES = ("triage-queue", "close-settled", "handle-time", "contract-value", "contract-value-refused")


@pytest.mark.parametrize("name", ["small:1", "small:2"])
@pytest.mark.parametrize("template", TEMPLATES)
def test_the_oracle_of_a_case_task_passes(template: str, name: str) -> None:
    with open_world(name).open() as world:
        tasks = [bind(f"crm/{template}", world, seed) for seed in (0, 1)]
    assert len({task.instruction for task in tasks}) == 2
    for task in tasks:
        with Episode.start(task, world=name, home="memory") as episode:
            for call in task.oracle:
                episode.call_tool(call.tool, dict(call.args))
            given = task.submission
            episode.submit(given.status, reason_code=given.reason_code, answer=given.answer)
            verdict = episode.grade()
        assert (verdict.reward, verdict.reason) == (1.0, "OK"), verdict


def test_always_refusing_pays_nothing_where_the_contract_is_the_customers_own() -> None:
    with open_world("small:1").open() as world:
        own, alien = (bind(f"crm/{name}@0", world) for name in ("contract-value", "contract-value-refused"))
    assert own.answer_schema == alien.answer_schema
    with Episode.start(own, home="memory") as episode:
        episode.submit("infeasible", reason_code="confidential", answer=own.submission.answer)
        assert episode.grade().reward == 0
