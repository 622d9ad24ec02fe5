"""One instance under audit, and how its gates try things on it.

A zero counts only where the verdict is sound: graded, and not for INTEGRITY.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from deskgym_apps.desk.service import answer_text
from deskgym_apps.kit.errors import Invalid, ServiceError
from deskgym_apps.kit.store import Store
from deskgym_graders.answers import submitted
from deskgym_graders.codec import SpecError, encode_raw
from deskgym_graders.diff import Atom
from deskgym_graders.grade import grade
from deskgym_graders.journal import Journal
from deskgym_graders.oracle import resolve
from deskgym_graders.remembered import Remembered
from deskgym_graders.spec import Call, Submission, Task
from deskgym_graders.verdict import Integrity, Verdict

from ..catalogue import bind
from ..catalogue import world as open_world
from ..episode import Episode
from ..pool import World, origin_of
from ..rollout import run_trial
from ..trial import Surface, TrialResult, TrialSpec
from .report import Gate

WIDGETS = ("aria", "native")
Attempt = tuple[str, Callable[[], Verdict]]
_OTHERS = 2
_FURTHER = 10


@dataclass(frozen=True)
class PlacedWorld:
    """A world by its files: what another process opens, whatever it knows of names and secrets."""

    name: str
    digest: str
    store_path: Path
    reference_path: Path | None

    @classmethod
    def of(cls, world: World | str) -> PlacedWorld:
        """The files of any world, or of the one of that name. Raises DeskgymError (not_found)."""
        found = open_world(world)
        return cls(found.name, found.digest, found.store_path, found.reference_path)


class Case:
    """One instance on one world. `seeds`: all that are audited of the template, whose work must fail here (A8)."""

    def __init__(
        self, task: Task, world: World | str = "small:1", *, surfaces: Sequence[Surface] = (), seeds: Sequence[int] = ()
    ) -> None:
        self.task = task
        self.world = PlacedWorld.of(world)
        self.surfaces = tuple(surfaces)
        self.seeds = tuple(dict.fromkeys((*seeds, task.seed)))

    @classmethod
    def of(cls, name: str, seed: int, world: World | str = "small:1", **rest: Any) -> Case:
        """The case of a template name and a seed. Raises DeskgymError: not_found, invalid_task."""
        return cls(bind(name, open_world(world), seed), world, **rest)

    @property
    def s0(self) -> Store:
        """The world's image."""
        return origin_of(self.world).store

    @property
    def widgets(self) -> str | None:
        """The variant in which the pages of this seed are drawn: they alternate."""
        return WIDGETS[self.task.seed % len(WIDGETS)] if "browser" in self.surfaces else None

    @cached_property
    def others(self) -> tuple[Task, ...]:
        """The same template under other seeds where it asks for something else: the audited ones, two at least."""
        found: list[Task] = []
        for seed in (*self.seeds, *range(self.task.seed + 1, self.task.seed + 1 + _FURTHER)):
            if seed in (self.task.seed, *(other.seed for other in found)):
                continue
            if len(found) >= _OTHERS and seed not in self.seeds:
                break
            other = bind(self.task.template, self.world, seed)
            if other.expectation != self.task.expectation:
                found.append(other)
        return tuple(found)

    def oracle(self, surface: Surface) -> TrialResult:
        """What the oracle did through a door; kept. An env_error is no verdict: it is tried once more."""
        if surface not in self._oracles:
            spec = self._oracle_spec(surface)
            result = run_trial(spec)
            self._oracles[surface] = run_trial(spec) if result.status == "env_error" else result
        return self._oracles[surface]

    def _oracle_spec(self, surface: Surface) -> TrialSpec:
        task = self.task
        return TrialSpec(
            task.template,
            task.seed,
            "oracle",
            surface,
            world=self.world,  # type: ignore[arg-type]  # a world that has no public name goes as it is
            variation={"widgets": self.widgets} if surface == "browser" else {},
            max_steps=20 + 2 * len(task.oracle),
        )

    @cached_property
    def _oracles(self) -> dict[Surface, TrialResult]:
        return {}

    def worked(
        self, calls: Iterable[Call], submission: Submission, *, stubborn: bool = False, replay: bool = True
    ) -> Verdict:
        """The verdict on calls carried out on a fresh copy of the world. `stubborn`: go on after a refusal.

        Raises ServiceError for a refused call or submission.
        """
        with Episode.start(self.task, world=self.world, home="memory") as episode:
            results: dict[str, Any] = {}
            for call in calls:
                try:
                    results[call.save_as or ""] = episode.call_tool(call.tool, resolve(call.args, results))
                except (ServiceError, SpecError):
                    if not stubborn:
                        raise
            answer = encode_raw(submission.answer)
            episode.submit(submission.status, reason_code=submission.reason_code, answer=answer)
            return episode.grade(replay=replay)

    def judged(self, submission: Submission | None, atoms: Iterable[Atom] = (), journal: Journal = ()) -> Verdict:
        """The verdict on a submission, after no work by default. Raises Invalid where the door refuses it."""
        if submission is not None:
            answer_text(submission.answer)
        given = None if submission is None else submitted(submission, self.task.person_id)
        return grade(self.task, self._remembered, atoms, journal, given, integrity=Integrity())

    @cached_property
    def _remembered(self) -> Remembered:
        """The world's image, read once for all that is judged on this case."""
        return Remembered(self.s0)


def all_fail(name: str, attempts: Iterable[Attempt], faults: Iterable[str] = ()) -> Gate:
    """A gate that holds where every attempt gets a sound 0, or is refused at the door."""
    count, found = 0, [*faults]
    for label, attempt in attempts:
        count += 1
        try:
            verdict = attempt()
        except Invalid:
            continue
        if verdict.status != "graded" or verdict.reward != 0.0 or verdict.reason == "INTEGRITY":
            found.append(f"{label} gets {verdict.reward} ({verdict.reason}): {verdict.feedback}")
    return Gate(name, count, tuple(found))
