"""One agent at one task: what an agent gets, what it did, step by step, and what the grader says of it.

What an agent gets wrong is an error it is told of, and a step like any other. `rollout.run_trial` runs one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from deskgym_apps.kit.errors import ServiceError
from deskgym_graders.oracle import resolve
from deskgym_graders.spec import Call, Submission
from deskgym_seeds.streams import Stream

from .episode import Episode

if TYPE_CHECKING:
    from deskgym_graders.spec import Task

    from .browser import Observation
    from .remote import RemoteEpisode
    from .window import Window

Surface = Literal["mcp", "browser"]
SURFACES: tuple[Surface, ...] = ("mcp", "browser")
MAX_STEPS = 100


@dataclass(frozen=True)
class TrialSpec:
    """Which agent does which task, through which door. Plain data: it pickles and goes into `run.json`.

    `options` go to the agent. `attempt` counts repeats: it changes the agent's random draws, not the task.
    `server`: URL of a control plane whose episodes are used; None for episodes of this process.
    `pictures`: keep a screenshot of each step of a browser trial. `replay`: the grader's command replay.
    """

    task: str
    seed: int
    agent: str
    surface: Surface = "mcp"
    attempt: int = 0
    max_steps: int = MAX_STEPS
    world: str = "small:1"
    variation: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    pictures: bool = False
    replay: bool = True
    root: Path | None = None
    server: str | None = None

    @property
    def instance(self) -> str:
        """`crm/close-won@3`."""
        return f"{self.task}@{self.seed}"


@dataclass(frozen=True)
class Step:
    """One thing the agent did. `action` is JSON: `{"tool", "arguments"}`, or a browser action.

    `result` is what the agent got back, `error` why it was refused. `diff`: what it changed, as `Episode.diff`.
    `target`: role, name and box of what a browser action was aimed at. `picture`: PNG after the step.
    """

    number: int
    action: Mapping[str, Any]
    result: Any
    error: str | None
    hash_before: str
    hash_after: str
    diff: tuple[Mapping[str, Any], ...]
    target: Mapping[str, Any] | None = None
    url: str | None = None
    picture: bytes | None = field(default=None, repr=False)

    def as_dict(self) -> dict[str, Any]:
        """JSON data, without the picture."""
        body = asdict(self)
        del body["picture"]
        return body


@dataclass(frozen=True)
class TrialResult:
    """What came of a trial. `status`: graded, env_error or spec_error; `reward` is None unless graded.

    `wall_s` in seconds, from the start of the episode to the verdict. `error`: kind, message and hint of a fault.
    """

    task: str
    seed: int
    agent: str
    surface: Surface
    attempt: int
    status: str
    reward: float | None
    reason: str
    steps: int
    wall_s: float
    state_hash: str | None
    feedback: str = ""
    verdict: Mapping[str, Any] | None = None
    error: Mapping[str, str] | None = None
    submission: Mapping[str, Any] | None = None
    trace: tuple[Step, ...] = field(default=(), repr=False)
    journal: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)

    @property
    def passed(self) -> bool:
        return self.status == "graded" and self.reward == 1.0

    def as_row(self) -> dict[str, Any]:
        """The row of `trials.jsonl`: JSON data without trace and journal."""
        names = [name for name in self.__dataclass_fields__ if name not in ("trace", "journal")]
        return {name: getattr(self, name) for name in names}


class OutOfSteps(Exception):
    """The agent used up its steps; the trial is graded as it stands."""


class Trial:
    """What an agent gets: the task's public face, its door, and the record of what it does.

    Only `oracle`-like agents may look at `task`; others use `instruction`, `answer_schema`, `tools`, `observe`, `act`,
    `call` and `submit`.
    """

    def __init__(
        self,
        episode: Episode | RemoteEpisode,
        surface: Surface = "mcp",
        *,
        seed: int = 0,
        attempt: int = 0,
        max_steps: int = MAX_STEPS,
        window: Window | None = None,
    ) -> None:
        if (surface == "browser") != (window is not None):
            raise ValueError("a browser trial needs a window, another has none")
        self.episode = episode
        self.surface: Surface = surface
        self.seed = seed
        self.attempt = attempt
        self.max_steps = max_steps
        self.window = window
        self.trace: list[Step] = []
        self._hash = episode.state_hash()

    @property
    def task(self) -> Task:
        """The task with its expectation and oracle. Raises LookupError for free work."""
        if self.episode.task is None:
            raise LookupError("this trial has no task")
        return self.episode.task

    @property
    def instruction(self) -> str:
        return self.episode.public.instruction

    @property
    def answer_schema(self) -> Mapping[str, Any] | None:
        return self.episode.public.answer_schema

    @property
    def done(self) -> bool:
        """Whether the work was handed in."""
        return self.episode.sealed

    @property
    def steps_left(self) -> int:
        return self.max_steps - len(self.trace)

    def stream(self, name: str) -> Stream:
        """Random draws of an agent: by task, seed and attempt."""
        task = self.episode.task
        return Stream(str(self.seed), "agent", name, task.template if task else "", self.attempt)

    # --- Steps ---------------------------------------------------------------------------------------

    def _open_step(self) -> int:
        if self.steps_left <= 0:
            raise OutOfSteps(f"{self.max_steps} steps are used up")
        return self.episode.seq()

    def _note(self, seq: int, action: Mapping[str, Any], *, result: Any = None, error: str | None = None) -> None:
        before, wrote = self._hash, self.episode.seq() > seq
        if wrote:  # without a command nothing can have changed
            self._hash = self.episode.state_hash()
        target, url, picture = self._look(action)
        self.trace.append(
            Step(
                number=len(self.trace) + 1,
                action=action,
                result=result,
                error=error,
                hash_before=before,
                hash_after=self._hash,
                diff=tuple(self.episode.diff(seq)) if wrote else (),
                target=target,
                url=url,
                picture=picture,
            )
        )

    def _look(self, action: Mapping[str, Any]) -> tuple[Mapping[str, Any] | None, str | None, bytes | None]:
        if self.window is None:
            return None, None, None
        seen = self.window.last if "action" in action else self.window.observe()
        return (None, None, None) if seen is None else (seen.target, seen.url, seen.screenshot)

    def note_refusal(self, given: str, error: str) -> None:
        """Count what is no action at all as a step. Raises OutOfSteps where none is left."""
        self._note(self._open_step(), {"text": given}, error=error)

    def call(self, tool: str, arguments: Mapping[str, Any] | None = None) -> Any:
        """Call one tool (mcp), or carry it out by hand in the pages (browser); one step.

        Raises ServiceError where it is refused, OutOfSteps where no step is left.
        """
        given = dict(arguments or {})
        seq, action = self._open_step(), {"tool": tool, "arguments": given}
        try:
            if self.window is None:
                result = self.episode.call_tool(tool, given)
            else:
                result = self.window.perform(Call(tool, given))
        except ServiceError as refused:
            self._note(seq, action, error=str(refused))
            raise
        self._note(seq, action, result=result)
        return result

    def perform(self, calls: tuple[Call, ...]) -> dict[str, Any]:
        """Carry out calls whose arguments may hold `Var`s; returns the saved results. Raises as `call`."""
        results: dict[str, Any] = {}
        for call in calls:
            result = self.call(call.tool, resolve(call.args, results))
            if call.save_as is not None:
                results[call.save_as] = result
        return results

    def observe(self) -> Observation:
        """What the browser shows. Raises LookupError for another surface."""
        if self.window is None:
            raise LookupError("only a browser trial has pages to observe")
        return self.window.observe()

    def act(self, action: Mapping[str, Any]) -> Observation:
        """One browser action; one step. Its `error` tells what the agent got wrong."""
        if self.window is None:
            raise LookupError("only a browser trial takes browser actions; use call")
        seq = self._open_step()
        seen = self.window.act(action)
        self._note(seq, dict(action), error=seen.error)
        return seen

    def submit(self, submission: Submission | None = None) -> None:
        """Hand in the work; one step. Raises ServiceError where it is refused (through the browser: a RuntimeError)."""
        given = submission or Submission()
        body = {"status": given.status, "reason_code": given.reason_code, "answer": given.answer}
        body = {name: value for name, value in body.items() if value is not None}
        if self.window is None:
            self.call("submit_answer", body)
            return
        seen = self.act({"action": "submit", **body})
        if seen.error is not None:
            raise SubmissionRefused(seen.error)


class SubmissionRefused(ServiceError):
    """What was handed in through the browser was refused; it did not count."""

    code = "refused"
    status = 422
