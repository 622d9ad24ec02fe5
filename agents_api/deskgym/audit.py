"""Proof of a task's grader (grading.md §3.9): the oracle passes through every door, nothing else does.

    report = audit_task("crm/close-won", 3)
    report.passed, report.faults

Gates: A1 oracle, A2 variants, A3 nothing done or handed in, A4 constants, A5 wild answers and wild end states,
A6 mutants, A8 the work of other seeds, A10 determinism, A11 reset, A18 both doors do the same commands.
A zero counts only where the verdict is sound: graded, and not for INTEGRITY.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Any

from deskgym_apps.desk.service import answer_text
from deskgym_apps.kit.canonical import full_dump
from deskgym_apps.kit.errors import Invalid, ServiceError
from deskgym_apps.kit.store import Store
from deskgym_graders.answers import submitted
from deskgym_graders.codec import SpecError, encode_raw
from deskgym_graders.grade import grade
from deskgym_graders.mutate import mutation_report, oracle_journal
from deskgym_graders.oracle import resolve
from deskgym_graders.spec import Submission, Task
from deskgym_graders.tasks import template_named
from deskgym_graders.verdict import Integrity, Verdict

from .agents.constant import constant_answer
from .catalogue import bind, parse_instance
from .catalogue import world as open_world
from .episode import Episode
from .pool import origin_of
from .trial import Surface, TrialResult, TrialSpec, run_trial
from .wild import monkey, wild_ends

CONSTANTS: tuple[Any, ...] = ("0", "1", "yes", "no", "", "n/a", 0, 1, True, False)
EMPTY_ANSWERS: tuple[Any, ...] = (None, "", {}, [])
ODD_ANSWERS: tuple[Any, ...] = ("", {}, [], "null", 0, False, "^.*$", {"$ne": None}, [None] * 1000, "x" * 60_000)


@dataclass(frozen=True)
class Gate:
    """One check: how many attempts it made, and a sentence for each that went wrong."""

    name: str
    attempts: int
    faults: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return self.attempts > 0 and not self.faults


@dataclass(frozen=True)
class AuditReport:
    """What became of one instance. `skipped`: gates that were not tried, with the reason."""

    task: str
    seed: int
    digest: str
    surfaces: tuple[str, ...]
    gates: tuple[Gate, ...]
    skipped: dict[str, str] = field(default_factory=dict)
    mutants: dict[str, Any] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether every gate that was tried passed."""
        return all(gate.passed for gate in self.gates)

    @property
    def complete(self) -> bool:
        """Whether no gate was left out."""
        return not self.skipped

    @property
    def faults(self) -> list[str]:
        """Every fault with its gate."""
        return [f"{gate.name}: {fault}" for gate in self.gates for fault in gate.faults or _untried(gate)]

    def as_dict(self) -> dict[str, Any]:
        """JSON data."""
        return asdict(self) | {"passed": self.passed, "complete": self.complete, "faults": self.faults}


def _untried(gate: Gate) -> tuple[str, ...]:
    return () if gate.attempts else ("nothing was tried",)


class _Audit:
    """The gates of one instance on one world."""

    def __init__(self, task: Task, world: str, surfaces: Sequence[Surface], seeds: Sequence[int]) -> None:
        self.task, self.world, self.surfaces = task, world, tuple(surfaces)
        self.others = [bind(task.template, open_world(world), seed) for seed in seeds if seed != task.seed]
        self.s0: Store = origin_of(open_world(world)).store
        self.journal = oracle_journal(task, self.s0)
        self.mutants: dict[str, Any] = {}
        self.oracles: dict[str, TrialResult] = {}

    def spec(self, surface: Surface, **options: Any) -> TrialSpec:
        """A trial of the oracle."""
        steps = 20 + 2 * sum(map(len, (self.task.oracle, *(variant.calls for variant in self.task.variants))))
        return TrialSpec(
            self.task.template, self.task.seed, "oracle", surface, world=self.world, options=options, max_steps=steps
        )

    def judged(self, submission: Submission | None) -> Verdict:
        """The verdict on a submission after no work at all. Raises Invalid where the door refuses it."""
        if submission is not None:
            answer_text(submission.answer)
        given = None if submission is None else submitted(submission, self.task.person_id)
        return grade(self.task, self.s0, (), (), given, integrity=Integrity())

    def all_fail(self, name: str, attempts: Iterator[tuple[str, Callable[[], Verdict]]]) -> Gate:
        """A gate that holds where every attempt gets a sound 0, or is refused at the door."""
        count, faults = 0, []
        for label, attempt in attempts:
            count += 1
            try:
                verdict = attempt()
            except Invalid:
                continue
            if verdict.status != "graded" or verdict.reward != 0.0 or verdict.reason == "INTEGRITY":
                faults.append(f"{label} gets {verdict.reward} ({verdict.reason}): {verdict.feedback}")
        return Gate(name, count, tuple(faults))

    # --- gates ---------------------------------------------------------------------------------------

    def a1_oracle(self) -> Gate:
        """The oracle passes through each door."""
        faults = []
        for surface in self.surfaces:
            result = self.oracles[surface] = run_trial(self.spec(surface))
            if not result.passed:
                refused = next((step.error for step in result.trace if step.error), None)
                faults.append(f"{surface}: {result.status} {result.reason}: {refused or result.feedback}")
        return Gate("A1", len(self.surfaces), tuple(faults))

    def a2_variants(self) -> Gate:
        """Every variant gets the reason it should."""
        faults = []
        for variant in self.task.variants:
            result = run_trial(self.spec("mcp", variant=variant.name))
            if result.reason != variant.reason or result.passed != (variant.reason == "OK"):
                faults.append(f"{variant.name} gets {result.reason}, not {variant.reason}: {result.feedback}")
        return Gate("A2", len(self.task.variants), tuple(faults))

    def a3_nothing(self) -> Gate:
        """No work: nothing handed in, done at once, empty answers."""
        given = [None, Submission(), *(Submission(answer=answer) for answer in EMPTY_ANSWERS)]
        return self.all_fail("A3", ((f"{one}", lambda one=one: self.judged(one)) for one in given))  # type: ignore[misc]

    def a4_constants(self) -> Gate:
        """The same answer to everything, with either status."""
        schema = self.task.answer_schema
        answers: list[Any] = [None] if schema is None else [constant_answer(schema, value) for value in CONSTANTS]
        codes = {None, "not_found", "impossible", self.task.expectation.reason_code}
        given = [Submission(answer=answer) for answer in answers]
        given += [Submission("infeasible", code, answer) for code in sorted(codes, key=str) for answer in answers]
        return self.all_fail("A4", ((f"{one}", lambda one=one: self.judged(one)) for one in given))  # type: ignore[misc]

    def a5_wild(self) -> Gate:
        """Odd and dumped answers; the wild end states of the world, with the right answer handed in."""
        return self.all_fail("A5", self._wild())

    def _wild(self) -> Iterator[tuple[str, Callable[[], Verdict]]]:
        own = self.task.submission
        answers: list[Any] = [*ODD_ANSWERS, *self._dumps()]
        for answer in answers:
            one = Submission(own.status, own.reason_code, answer)
            yield f"the answer {str(answer)[:60]}", lambda one=one: self.judged(one)  # type: ignore[misc]
        right = submitted(own, self.task.person_id)
        for end in wild_ends(self.world):
            journal = end.as_done_by(self.task.person_id)
            yield (
                end.name,
                lambda end=end, journal=journal: grade(  # type: ignore[misc]
                    self.task, self.s0, end.atoms, journal, right, integrity=Integrity()
                ),
            )

    def _dumps(self) -> Iterator[Any]:
        """Everything at once in each field, the other fields being right."""
        own = encode_raw(self.task.submission.answer)
        if not isinstance(own, dict):
            return
        names = [row["id"] for row in self.s0.all("SELECT id FROM org_person ORDER BY id")]
        for name, value in own.items():
            if isinstance(value, list):
                yield own | {name: [*value, *names]}
                yield own | {name: value + value if value else names}
            else:
                yield own | {name: [value, *names]}
                yield own | {name: " ".join([str(value), *names])}

    def a6_mutants(self) -> Gate:
        """Every mutant that is not equal by rule is killed."""
        report = mutation_report(self.task, self.s0)
        killed = sum(report.killed.values())
        self.mutants = {
            "total": report.total,
            "killed": killed,
            "equivalents": [list(item) for item in report.equivalents],
        }
        faults = [
            *(f"survives: {item}" for item in report.survivors),
            *(f"unsound: {item}" for item in report.unsound),
            *(f"nothing breaks {item}" for item in report.idle),
            *(f"refused: {item}" for item in report.refused),
        ]
        return Gate("A6", report.total, tuple(faults))

    def a8_other_seeds(self) -> Gate:
        """The work and the answer of other seeds."""
        different = [other for other in self.others if other.expectation != self.task.expectation]
        return self.all_fail("A8", ((other.id, lambda other=other: self._cross(other)) for other in different))  # type: ignore[misc]

    def _cross(self, other: Task) -> Verdict:
        with Episode.start(self.task, world=self.world, home="memory") as episode:
            results: dict[str, Any] = {}
            for call in other.oracle:
                try:
                    results[call.save_as or ""] = episode.call_tool(call.tool, resolve(call.args, results))
                except (ServiceError, SpecError):
                    continue  # another person's work may be refused here; the rest is done all the same
            given = other.submission
            episode.submit(given.status, reason_code=given.reason_code, answer=encode_raw(given.answer))
            return episode.grade(replay=False)

    def a10_determinism(self) -> Gate:
        """Twice here, and once in a process with other hash seed, zone and language: the same."""
        first = fingerprint(self.task.id, self.world)
        faults = [] if fingerprint(self.task.id, self.world) == first else ["the second run differs"]
        if _elsewhere(self.task, self.world) != first:
            faults.append("another process with other hash seed, zone and language differs")
        return Gate("A10", 2, tuple(faults))

    def a11_reset(self) -> Gate:
        """After a monkey and a reset the world is S0, to the last row."""
        return Gate("A11", 1, () if reset_is_whole(self.world) else ("a reset store differs from S0",))

    def a18_parity(self) -> Gate:
        """Both doors: equal state, equal commands."""
        tools, pages = self.oracles["mcp"], self.oracles["browser"]
        faults = [] if tools.state_hash == pages.state_hash else ["the state hashes differ"]
        if _commands(tools) != _commands(pages):
            faults.append(f"the commands differ: {_commands(tools)} by tools, {_commands(pages)} by pages")
        return Gate("A18", 1, tuple(faults))


def _commands(result: TrialResult) -> list[tuple[str, Any]]:
    return [(entry["operation"], entry["arguments"]) for entry in result.journal]


def fingerprint(instance: str, world: str) -> dict[str, Any]:
    """What an oracle run leaves: state hash, journal, verdict."""
    name, seed = parse_instance(instance)
    result = run_trial(TrialSpec(name, seed or 0, "oracle", world=world, max_steps=1000))
    return {
        "state": result.state_hash,
        "journal": json.loads(json.dumps(result.journal)),
        "verdict": [result.status, result.reward, result.reason],
    }


_PROGRAM = """
import importlib, json, sys
importlib.import_module(sys.argv[1])
from deskgym.audit import fingerprint
print(json.dumps(fingerprint(sys.argv[2], sys.argv[3])))
"""


def _elsewhere(task: Task, world: str) -> Any:
    module = template_named(task.template).function.__module__
    surroundings = os.environ | {
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "PYTHONHASHSEED": "4711",
        "TZ": "Pacific/Chatham",
        "LANG": "tr_TR.UTF-8",
    }
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, module, task.id, world],
        env=surroundings, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr


@cache
def reset_is_whole(world: str) -> bool:
    """Whether a store that a monkey used is S0 again once it was given back: full dumps, compared once a process."""
    with Episode.start(world=world) as first:
        monkey(99)(first)
        if first.seq() == 0:
            raise ValueError("the monkey did nothing")
    with Episode.start(world=world) as again:
        return full_dump(again.store) == full_dump(again.origin.store)


def audit_task(
    name: str,
    seed: int = 0,
    *,
    world: str = "small:1",
    surfaces: Sequence[Surface] = ("mcp",),
    seeds: Sequence[int] = (),
) -> AuditReport:
    """Audit one instance. `seeds`: those whose work must fail here (A8).

    Raises DeskgymError for a name that is none and for a task that does not compile.
    """
    task = bind(name, open_world(world), seed)
    work = _Audit(task, world, surfaces, seeds or (seed + 1, seed + 2))
    tried = [
        work.a1_oracle, work.a3_nothing, work.a4_constants, work.a5_wild, work.a6_mutants, work.a10_determinism,
        work.a11_reset,
    ]  # fmt: skip
    skipped = {}
    if task.variants:
        tried.append(work.a2_variants)
    if any(other.expectation != task.expectation for other in work.others):
        tried.append(work.a8_other_seeds)
    if {"mcp", "browser"} <= set(surfaces):
        tried.append(work.a18_parity)
    else:
        skipped["A18"] = f"only {', '.join(surfaces)} was audited"
    gates = tuple(_held(gate) for gate in tried)
    return AuditReport(task.template, task.seed, task.digest, tuple(surfaces), gates, skipped, work.mutants)


def _held(gate: Callable[[], Gate]) -> Gate:
    """A gate's outcome; a task too unsound for it to run is a fault of the gate."""
    try:
        return gate()
    except SpecError as error:
        return Gate(gate.__name__.split("_", 1)[0].upper(), 1, (str(error),))
