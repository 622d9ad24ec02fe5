"""Proof of a task's grader (grading.md §3.9): the oracle passes through every door, nothing else does.

    report = audit_task("crm/close-won", 3)
    report.passed, report.faults

The gates themselves are in `proof/`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import as_completed
from typing import Any

from deskgym_graders.codec import SpecError
from deskgym_graders.tasks import bind

from .catalogue import world as open_world
from .pool import World, origin_of
from .proof import AuditReport, Case, Gate, again, attacked, broken, doors, handed_in, near
from .trial import SURFACES, Surface
from .workers import worker_processes

Instances = tuple[str, tuple[int, ...]]


def audit_task(
    name: str,
    seed: int = 0,
    *,
    world: World | str = "small:1",
    surfaces: Sequence[Surface] = ("mcp",),
    seeds: Sequence[int] = (),
) -> AuditReport:
    """Audit one instance. `seeds`: all that are audited of the template, whose work must fail here (A8).

    The variant of the pages alternates by seed. Raises DeskgymError for a name that is none and for a task that does
    not compile.
    """
    case = Case.of(name, seed, world, surfaces=surfaces, seeds=seeds)
    tried = [
        doors.a1_oracle, doors.a2_variants, handed_in.a3_nothing, handed_in.a4_constants, handed_in.a5_wild,
        near.a6_mutants, near.a8_other_seeds, attacked.a9_attacks, again.a10_determinism, again.a11_reset,
        broken.a12_faults,
    ]  # fmt: skip
    skipped = {}
    if set(SURFACES) <= set(surfaces):
        tried.append(doors.a18_parity)
    else:
        skipped["A18"] = f"only {', '.join(surfaces)} was audited"
    gates = tuple(_held(gate, case) for gate in tried)
    task = case.task
    return AuditReport(task.template, task.seed, task.digest, tuple(surfaces), gates, skipped, case.widgets)


def _held(gate: Callable[[Case], Gate], case: Case) -> Gate:
    """A gate's outcome; a task too unsound for it to run is a fault of the gate."""
    try:
        return gate(case)
    except SpecError as error:
        return Gate(gate.__name__.split("_", 1)[0].upper(), 1, (str(error),))


def audit_template(
    name: str, seeds: Sequence[int], *, world: str = "small:1", surfaces: Sequence[Surface] = ("mcp",)
) -> tuple[AuditReport, ...]:
    """Audit a template on several seeds; what they share is tried once. Raises as `audit_task`."""
    return tuple(audit_task(name, seed, world=world, surfaces=surfaces, seeds=seeds) for seed in seeds)


def audit_all(
    instances: Sequence[Instances], *, world: str = "small:1", surfaces: Sequence[Surface] = ("mcp",), workers: int = 1
) -> Iterator[tuple[AuditReport, ...]]:
    """Audit templates, each with its seeds, in worker processes; yields the reports of a template as they come.

    One worker: in this process, in the order given. Raises as `audit_task`.
    """
    if workers <= 1 or len(instances) <= 1:
        for name, seeds in instances:
            yield audit_template(name, seeds, world=world, surfaces=surfaces)
        return
    with worker_processes(workers) as executor:
        waiting = [
            executor.submit(audit_template, name, seeds, world=world, surfaces=surfaces)
            for name, seeds in _longest_first(instances, world)
        ]
        for future in as_completed(waiting):
            yield future.result()


def _longest_first(instances: Sequence[Instances], world: str) -> list[Instances]:
    """By the length of the oracle, so that no worker is left with the longest at the end."""
    s0 = origin_of(open_world(world)).store

    def length(one: Instances) -> Any:
        try:
            return -len(bind(one[0], s0, one[1][0], check=False).oracle)
        except SpecError:
            return 0

    return sorted(instances, key=length)
