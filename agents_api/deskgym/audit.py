"""Proof of a task's grader (grading.md §3.9): the oracle passes through every door, nothing else does.

    report = audit_task("crm/close-won", 3)
    report.passed, report.faults

The gates themselves are in `proof/`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, as_completed
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from deskgym_graders.codec import SpecError
from deskgym_graders.tasks import bind

from .catalogue import world as open_world
from .pool import World, origin_of
from .proof import AuditReport, Case, Gate, again, attacked, broken, doors, handed_in, near, shared, wild
from .proof.case import PlacedWorld
from .trial import SURFACES, Surface
from .workers import worker_processes

Instances = tuple[str, tuple[int, ...]]
Told = Callable[[int, int, str], object]
Submit = Callable[[Callable[[], Any]], Future[Any]]


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
    task, subject = case.task, shared.subject(case.world).id
    return AuditReport(task.template, task.seed, task.digest, tuple(surfaces), gates, skipped, case.widgets, subject)


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


# What is the same for every task of a world, the longest first.
SHARED: Mapping[str, Callable[[PlacedWorld], object]] = {
    **{part: partial(wild.ends_of, part=part) for part in wild.works()},
    "attacks on both planes": attacked.attack_faults,
    "a plane that is killed": broken.killed_faults,
    "a reset": again.reset_faults,
}


def audit_all(
    instances: Sequence[Instances],
    *,
    world: str = "small:1",
    surfaces: Sequence[Surface] = ("mcp",),
    workers: int = 1,
    told: Told = lambda _done, _total, _what: None,
) -> Iterator[tuple[AuditReport, ...]]:
    """Audit templates, each with its seeds, in worker processes; yields the reports of a template as they come.

    What is the same for every task of the world is found first, once for all workers. `told` is called after each
    piece of work with how many are done, how many there are, and what it was. One worker: in this process, in the
    order given. Raises as `audit_task`.
    """
    total = len(SHARED) + len(instances)
    with ExitStack() as stack:
        submit: Submit | None = None
        if workers > 1:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="deskgym-shared-")))
            begin = partial(shared.share, folder)
            submit = stack.enter_context(worker_processes(workers, begin, shared.forget)).submit
            instances = _longest_first(instances, world)
        done = 0
        for work in (
            {part: partial(_find, part, world) for part in SHARED},
            {name: partial(audit_template, name, seeds, world=world, surfaces=surfaces) for name, seeds in instances},
        ):
            for what, found in _each(submit, work):
                done += 1
                told(done, total, what)
                if found is not None:
                    yield found


def _find(part: str, world: str) -> None:
    SHARED[part](PlacedWorld.of(world))


def _each(submit: Submit | None, work: Mapping[str, Callable[[], Any]]) -> Iterator[tuple[str, Any]]:
    """The results of several pieces of work, by name, as they come; without `submit` done here, in their order."""
    if submit is None:
        yield from ((what, one()) for what, one in work.items())
        return
    names = {submit(one): what for what, one in work.items()}
    yield from ((names[future], future.result()) for future in as_completed(names))


def _longest_first(instances: Sequence[Instances], world: str) -> list[Instances]:
    """By the length of the oracle, so that no worker is left with the longest at the end."""
    s0 = origin_of(open_world(world)).store

    def length(one: Instances) -> Any:
        try:
            return -len(bind(one[0], s0, one[1][0], check=False).oracle)
        except SpecError:
            return 0

    return sorted(instances, key=length)
