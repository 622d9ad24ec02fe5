"""The tasks on duplicates and imports: every oracle passes on both worlds, and a twin tells nothing of the other."""

from __future__ import annotations

import pytest

from deskgym.episode import Episode
from deskgym_graders.tasks import bind
from deskgym_seeds.world import open_world

TEMPLATES = ("merge-accounts", "merge-contact", "merge-contact-blocked", "import-leads", "known-contact")


@pytest.mark.parametrize("name", ["small:1", "small:2"])
@pytest.mark.parametrize("template", TEMPLATES)
def test_the_oracle_of_a_task_on_duplicates_passes(template: str, name: str) -> None:
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


def test_the_answer_to_a_merge_that_is_refused_looks_like_that_of_one_that_is_not() -> None:
    with open_world("small:1").open() as world:
        done, refused = (bind(f"crm/{name}@0", world) for name in ("merge-contact", "merge-contact-blocked"))
    assert done.answer_schema == refused.answer_schema
    with Episode.start(done, home="memory") as episode:
        episode.submit("infeasible", reason_code="no_permission", answer=done.submission.answer)
        assert episode.grade().reward == 0
