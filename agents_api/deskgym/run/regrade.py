"""Grading and replaying what a run stored, without running an agent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

from deskgym_apps.kit.store import Store

from ..catalogue import bind, world
from ..errors import DeskgymError
from ..pool import Origin, origin_of
from ..rollout import run_trial
from ..trial import TrialSpec
from .plan import Plan
from .record import RunFolder


def _opened(folder: RunFolder) -> tuple[Plan, Origin]:
    """The plan and S0 of a run. Raises DeskgymError (conflict) where the world is another one now."""
    facts = folder.facts()
    plan = Plan.from_dict(facts["config"])
    opened = world(plan.world)
    if facts["digests"]["world"] != opened.digest:
        raise DeskgymError("conflict", f"{folder.path} was made in another build of {plan.world}", "run it again")
    return plan, origin_of(opened)


def _name(row: dict[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in ("task", "seed", "attempt", "agent", "surface", "trial_dir")}


def regrade(folder: RunFolder) -> Iterator[dict[str, Any]]:
    """A row per trial: the stored `reward` and `reason` as `was_…`, those of today, and whether they are the same.

    Trials that ended in an env_error or never began have nothing to grade and are passed on as they are.
    """
    from deskgym_graders.grade import grade_store

    _, origin = _opened(folder)
    for row in folder.rows():
        named = _name(row) | {"was_reward": row["reward"], "was_reason": row["reason"]}
        if row["status"] == "env_error" or row["verdict"] is None:
            yield named | {"status": row["status"], "reward": None, "reason": row["reason"], "same": True}
            continue
        task = bind(row["task"], origin.world, row["seed"])
        with closing(Store.memory(folder.final_image(row, origin.image), origin.reference)) as store:
            verdict = grade_store(task, origin.store, store, replay=True, hasher=origin.hasher)
        yield named | {
            "status": verdict.status,
            "reward": verdict.reward,
            "reason": verdict.reason,
            "feedback": verdict.feedback,
            "state_hash": verdict.hashes.get("state"),
            "same_task": row["verdict"]["hashes"].get("task") == task.digest,
            "same": (verdict.status, verdict.reward, verdict.reason) == (row["status"], row["reward"], row["reason"]),
        }


def replay(folder: RunFolder) -> Iterator[dict[str, Any]]:
    """Do every recorded step again in a fresh episode; a row per trial.

    `first_difference` is the number of the first step after which the state hash is another one than recorded, or
    that came or failed to come; None where all are equal.
    """
    plan, _ = _opened(folder)
    specs = {str(folder.trial_folder(spec).relative_to(folder.path)): spec for spec in plan.specs()}
    for row in folder.rows():
        if row["status"] == "env_error" or row["verdict"] is None:
            yield _name(row) | {"status": row["status"], "steps": row["steps"], "first_difference": None, "same": True}
            continue
        yield _again(folder, row, specs[row["trial_dir"]])


def _again(folder: RunFolder, row: dict[str, Any], spec: TrialSpec) -> dict[str, Any]:
    steps = folder.steps(row)
    result = run_trial(replace(spec, agent="replay", options={"steps": steps}, pictures=False))
    recorded = [(step["hash_after"], step["error"] is None) for step in steps]
    found = [(step.hash_after, step.error is None) for step in result.trace]
    pairs = enumerate(zip(recorded, found, strict=False), 1)
    first = next((number for number, (was, now) in pairs if was != now), None)
    if first is None and len(recorded) != len(found):
        first = min(len(recorded), len(found)) + 1
    same = first is None and (result.reward, result.reason) == (row["reward"], row["reason"])
    return _name(row) | {
        "status": result.status,
        "steps": len(found),
        "first_difference": first,
        "reward": result.reward,
        "reason": result.reason,
        "state_hash": result.state_hash,
        "same": same,
    }
