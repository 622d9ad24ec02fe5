"""The same again: determinism of the oracle's run here and elsewhere (A10), and of a store that was reset (A11)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from functools import cache
from typing import Any

from deskgym_apps.kit.canonical import full_dump
from deskgym_graders.tasks import template_named

from ..catalogue import app_names
from ..episode import Episode
from ..pool import Origin
from ..rollout import run_trial
from ..trial import TrialSpec
from .case import Case, PlacedWorld
from .foreign import foreigner_of
from .report import Gate
from .shared import once
from .wild import Hands, Work, monkey

AT_ONCE = 8
_MOST_STEPS = 1000


def a10_determinism(case: Case) -> Gate:
    """Twice here, and in a process with other hash seed, zone, language and year, alone and eight at once: the same."""
    task, world = case.task, case.world
    first = fingerprint(task.template, task.seed, world)
    faults = [] if fingerprint(task.template, task.seed, world) == first else ["the second run differs"]
    there = elsewhere(task.template, case.seeds, world)
    if isinstance(there, str):
        faults.append(f"another process cannot do it: {there}")
    else:
        own = [one for seed, one in there if seed == task.seed]
        if own[0] != first:
            faults.append("a process with other hash seed, zone, language and year does otherwise")
        if any(one != own[0] for one in own[1:]):
            faults.append(f"of {AT_ONCE} at once in one process some do otherwise")
    return Gate("A10", 3, tuple(faults))


def fingerprint(template: str, seed: int, world: PlacedWorld) -> dict[str, Any]:
    """What an oracle run leaves, as JSON data: state hash, journal, verdict, and the answers that the tools gave."""
    spec = TrialSpec(template, seed, "oracle", world=world, max_steps=_MOST_STEPS)  # type: ignore[arg-type]
    result = run_trial(spec)
    found: dict[str, Any] = json.loads(
        json.dumps(
            {
                "state": result.state_hash,
                "journal": result.journal,
                "results": [[step.result, step.error] for step in result.trace],
                "verdict": [result.status, result.reward, result.reason, result.feedback],
            }
        )
    )
    return found


@cache
def elsewhere(template: str, seeds: tuple[int, ...], world: PlacedWorld) -> Sequence[tuple[int, Any]] | str:
    """(seed, fingerprint) of some seeds in one process with foreign settings, each alone and then some at once; or what
    it said as it broke.
    """
    module = template_named(template).function.__module__
    reference = None if world.reference_path is None else str(world.reference_path)
    given = [module, template, seeds, AT_ONCE, world.name, world.digest, str(world.store_path), reference]
    return foreigner_of(module).ask(given)


def a11_reset(case: Case) -> Gate:
    """After a monkey and a reset the world is S0, to the last row."""
    return Gate("A11", 1, reset_faults(case.world), shared=1)


def reset_faults(world: PlacedWorld) -> tuple[str, ...]:
    """What differs from S0 in a store that a monkey used and that was given back; once for an audit."""
    return once(world, "the reset", tuple[str, ...], lambda: reset_faults_after(world, monkey(99), app_names()))


def reset_faults_after(world: PlacedWorld, work: Work, apps: tuple[str, ...]) -> tuple[str, ...]:
    """What differs from S0 in a store after some work and a reset: full dumps, counters and journal included.

    The work is that of the first person who may do any of it.
    """
    with Episode.start(world=world, home="memory", app_names=apps) as episode:
        people = (
            episode.person_id,
            *(str(row["id"]) for row in episode.store.all("SELECT id FROM org_person ORDER BY id")),
        )
    with closing(Origin(world)) as origin, origin.memory() as store:
        untouched = full_dump(origin.store)
        for person in people:
            work(Hands(store, person, apps))
            if full_dump(store) != untouched:
                break
        else:
            return ("the monkey did nothing, so that nothing was reset",)
        if not origin.renew(store):
            return ("undoing what was done in the store did not give S0",)
        return () if full_dump(store) == full_dump(origin.store) else ("a reset store differs from S0",)
