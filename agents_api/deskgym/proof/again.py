"""The same again: determinism of the oracle's run here and elsewhere (A10), and of a store that was reset (A11)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
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
from .report import Gate
from .wild import Hands, Work, monkey

FOREIGN = {"PYTHONHASHSEED": "4711", "TZ": "Pacific/Chatham", "LANG": "tr_TR.UTF-8", "LC_ALL": "C"}
AT_ONCE = 8
_MOST_STEPS = 1000
_PATIENCE = 300  # seconds


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


# The clock is put forward before anything of ours is imported. The first runs are made alone, the others at once.
_PROGRAM = """
import datetime, json, sys, time
shift = datetime.timedelta(days=400)
seconds, nanoseconds, moment, day = time.time, time.time_ns, datetime.datetime, datetime.date
time.time = lambda: seconds() + shift.total_seconds()
time.time_ns = lambda: nanoseconds() + int(shift.total_seconds()) * 10**9
class Later(moment):
    now = classmethod(lambda cls, tz=None: moment.now(tz) + shift)
    utcnow = classmethod(lambda cls: moment.now(datetime.timezone.utc).replace(tzinfo=None) + shift)
    today = classmethod(lambda cls: moment.today() + shift)
class LaterDay(day):
    today = classmethod(lambda cls: day.today() + shift)
datetime.datetime, datetime.date = Later, LaterDay
import importlib
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice
from pathlib import Path
module, template, seeds, at_once, name, digest, store, reference = json.loads(sys.argv[1])
importlib.import_module(module)
from deskgym.proof.again import fingerprint
from deskgym.proof.case import PlacedWorld
world = PlacedWorld(name, digest, Path(store), Path(reference) if reference else None)
made = lambda seed: (seed, fingerprint(template, seed, world))
found = [made(seed) for seed in seeds]
with ThreadPoolExecutor(at_once) as pool:
    found += pool.map(made, islice(cycle(seeds), max(at_once, len(seeds))))
print(json.dumps(found))
"""


@cache
def elsewhere(template: str, seeds: tuple[int, ...], world: PlacedWorld) -> Sequence[tuple[int, Any]] | str:
    """(seed, fingerprint) of some seeds in one process with foreign settings, each alone and then some at once; or what
    it said as it broke.
    """
    reference = None if world.reference_path is None else str(world.reference_path)
    module = template_named(template).function.__module__
    given = json.dumps([module, template, seeds, AT_ONCE, world.name, world.digest, str(world.store_path), reference])
    surroundings = os.environ | FOREIGN | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, given],
        env=surroundings, capture_output=True, text=True, check=False, timeout=_PATIENCE,
    )  # fmt: skip
    if done.returncode != 0:
        return done.stderr
    return [(seed, found) for seed, found in json.loads(done.stdout)]


def a11_reset(case: Case) -> Gate:
    """After a monkey and a reset the world is S0, to the last row."""
    return Gate("A11", 1, reset_faults(case.world))


@cache
def reset_faults(world: PlacedWorld) -> tuple[str, ...]:
    """What differs from S0 in a store that a monkey used and that was given back; once a process."""
    return reset_faults_after(world, monkey(99), app_names())


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
