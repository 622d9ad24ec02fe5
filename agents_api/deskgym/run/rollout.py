"""Which trials a run has, and carrying them out in worker processes."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor

from .. import catalogue
from ..trial import Surface, TrialResult, TrialSpec, run_trial


def plan(
    patterns: Sequence[str],
    seeds: Sequence[int],
    *,
    agent: str,
    surface: Surface,
    attempts: int,
    max_steps: int,
    world: str,
) -> list[TrialSpec]:
    """Every trial of a run, by task, seed and attempt. Raises DeskgymError (not_found) for an unknown task or world."""
    catalogue.world(world)
    return [
        TrialSpec(name, seed, agent, surface, attempt=attempt, max_steps=max_steps, world=world)
        for name, named in catalogue.choose(patterns)
        for seed in (seeds if named is None else [named])
        for attempt in range(attempts)
    ]


def carry_out(specs: Sequence[TrialSpec], workers: int) -> Iterator[TrialResult]:
    """The results in the order of the specs. One worker works in this process, more in processes of their own."""
    if workers == 1 or len(specs) < 2:
        yield from map(run_trial, specs)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(workers, len(specs)), mp_context=context) as pool:
        yield from pool.map(run_trial, specs)
