"""Episodes as Gymnasium environments.

    env = deskgym.make("crm/close-won", seed=3)                       # tool calls
    env = deskgym.make("crm/close-won", seed=3, surface="browser")    # clicks and key strokes
    env = gymnasium.make("deskgym.gym:deskgym/Task-v0", task="crm/close-won", task_seed=3)

An action is JSON text: `{"tool": "crm_get", "arguments": {…}}` or `{"action": "click", "ref": "e12"}`. An observation
is a dict of texts, all JSON or plain. What the agent gets wrong is in the observation's `error`. The episode is
`terminated` once the work is handed in, and then the reward is the verdict's; it is `truncated` after `max_steps`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import gymnasium
from gymnasium import spaces

from deskgym_apps.kit.errors import Invalid, ServiceError

from .catalogue import bind, world
from .episode import Episode
from .errors import DeskgymError
from .remote import RemoteEpisode
from .spaces import UnicodeText
from .trial import MAX_STEPS, SURFACES, Surface, Trial
from .window import Window

ENV_ID = "deskgym/Task-v0"
Observed = dict[str, Any]


class InfrastructureFault(RuntimeError):
    """The verdict could not be had; this is no reward of 0. Run the episode again."""


class TaskEnv(gymnasium.Env[Observed, str]):
    """One task as an environment.

    `reset(seed=n)` begins the instance `task@n`; without a seed the same instance begins again. `options` of reset
    may hold `task` and `variation`. The info holds task, seed, world and, at the end, status, reason and feedback.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 (as the base class)

    def __init__(
        self,
        task: str,
        task_seed: int | None = None,
        *,
        surface: Surface = "mcp",
        world_name: str = "small:1",
        max_steps: int = MAX_STEPS,
        variation: Mapping[str, Any] | None = None,
        render_mode: str | None = None,
    ) -> None:
        if surface not in SURFACES:
            raise DeskgymError("usage", f'there is no surface "{surface}"', f"surfaces: {', '.join(SURFACES)}")
        if max_steps < 1:
            raise DeskgymError("usage", f"max_steps is 1 or more, not {max_steps}")
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise DeskgymError("usage", f'there is no render mode "{render_mode}"', 'use "ansi"')
        self.task_name = task
        self.task_seed = task_seed
        self.surface: Surface = surface
        self.world_name = world_name
        self.max_steps = max_steps
        self.variation = dict(variation or {})
        self.render_mode = render_mode
        self.action_space = UnicodeText()
        self.observation_space = spaces.Dict({name: UnicodeText(10_000_000) for name in _FIELDS[surface]})
        self._trial: Trial | None = None
        self._shown: Observed = {}
        self._bound = bind(task, world(world_name), task_seed)

    @property
    def trial(self) -> Trial:
        """The running trial. Raises DeskgymError before the first reset."""
        if self._trial is None:
            raise DeskgymError("usage", "the environment was not reset yet", "call env.reset() first")
        return self._trial

    @property
    def episode(self) -> Episode | RemoteEpisode:
        """The episode under the environment, for trainers."""
        return self.trial.episode

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observed, dict[str, Any]]:
        """Begin an instance in a fresh world. Raises DeskgymError for one that does not exist."""
        super().reset(seed=seed)
        given = options or {}
        self._leave()
        if seed is not None or "task" in given:
            name = str(given.get("task", self._bound.template)).split("@", 1)[0]
            self._bound = bind(name, world(self.world_name), self._bound.seed if seed is None else seed)
        home = "file" if self.surface == "browser" else "memory"
        episode = Episode.start(
            self._bound,
            world=self.world_name,
            home=home,  # type: ignore[arg-type]
            variation=given.get("variation", self.variation),
        )
        try:
            window = Window(episode) if self.surface == "browser" else None
        except BaseException:
            episode.close()
            raise
        self._trial = Trial(episode, self.surface, seed=self._bound.seed, max_steps=self.max_steps, window=window)
        return self._observed(None, None), self._info()

    def step(self, action: str) -> tuple[Observed, float, bool, bool, dict[str, Any]]:
        """Do one action. Raises InfrastructureFault where no verdict can be had, DeskgymError after the end."""
        trial = self.trial
        if trial.done or trial.steps_left <= 0:
            raise DeskgymError("conflict", "the episode is over", "call env.reset()")
        result, error = self._act(trial, action)
        terminated = trial.done
        truncated = not terminated and trial.steps_left <= 0
        info = self._info()
        reward = 0.0
        if terminated or truncated:
            verdict = trial.episode.grade()
            if verdict.reward is None:
                raise InfrastructureFault(f"{verdict.status}: {verdict.feedback}")
            info |= {"status": verdict.status, "reason": verdict.reason, "feedback": verdict.feedback}
            reward = verdict.reward
        return self._observed(result, error), reward, terminated, truncated, info

    def _act(self, trial: Trial, action: str) -> tuple[Any, str | None]:
        """Result and error of an action; an action that is none costs a step too."""
        try:
            given = _parsed(action)
        except Invalid as refused:
            trial.note_refusal(str(action), str(refused))
            return None, str(refused)
        if self.surface == "browser":
            return None, trial.act(given).error
        try:
            tool, arguments = _tool_call(given)
        except Invalid as refused:
            trial.note_refusal(str(action), str(refused))
            return None, str(refused)
        try:
            return trial.call(tool, arguments), None
        except ServiceError as refused:
            return None, json.dumps(refused.as_dict(), ensure_ascii=False, sort_keys=True)

    def _observed(self, result: Any, error: str | None) -> Observed:
        trial = self.trial
        seen: Observed = {
            "instruction": trial.instruction,
            "answer_schema": _text(trial.answer_schema),
            "error": error or "",
            "now": trial.episode.now,
        }
        if trial.window is None:
            seen["result"] = _text(result)
            seen["tools"] = _text([tool_face(tool) for tool in trial.episode.tools().values()])
        else:
            page = trial.window.observe()
            seen |= {"url": _path(page.url), "title": page.title, "aria": page.aria}
        self._shown = seen
        return dict(seen)

    def _info(self) -> dict[str, Any]:
        trial = self.trial
        return {
            "task": self._bound.id,
            "seed": self._bound.seed,
            "world": self.world_name,
            "surface": self.surface,
            "steps": len(trial.trace),
            "state_hash": trial.episode.state_hash(),
        }

    def render(self) -> Any:
        """The latest observation as text, where render_mode is "ansi"."""
        if self.render_mode == "ansi":
            return "\n".join(f"{name}: {value}" for name, value in self._shown.items() if name != "tools")
        return None

    def _leave(self) -> None:
        trial, self._trial = self._trial, None
        if trial is None:
            return
        try:
            if trial.window is not None:
                trial.window.close()
        finally:
            trial.episode.close()

    def close(self) -> None:
        """End the episode. Safe to call twice."""
        self._leave()


_FIELDS = {
    "mcp": ("instruction", "answer_schema", "error", "now", "result", "tools"),
    "browser": ("instruction", "answer_schema", "error", "now", "url", "title", "aria"),
}


def tool_face(tool: Any) -> dict[str, Any]:
    """What an agent is told of a tool: name, description and schema of its arguments."""
    return {"name": tool.name, "description": tool.description, "schema": dict(tool.schema)}


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _path(url: str) -> str:
    """An address without scheme and host, whose port differs from process to process."""
    return "/" + url.split("://", 1)[-1].partition("/")[2]


def _parsed(action: Any) -> dict[str, Any]:
    """The action as an object. Raises Invalid."""
    try:
        given = json.loads(action) if isinstance(action, str) else action
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise Invalid('an action is a JSON object such as {"tool": "crm_get", "arguments": {"id": "…"}}')
    return given


def _tool_call(given: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    tool, arguments = given.get("tool"), given.get("arguments", {})
    unknown = sorted(set(given) - {"tool", "arguments"})
    if not isinstance(tool, str) or not isinstance(arguments, dict) or unknown:
        raise Invalid('a tool call is {"tool": name, "arguments": {…}} and nothing else')
    return tool, arguments


def make(
    task: str,
    seed: int | None = None,
    surface: Surface = "mcp",
    *,
    world: str = "small:1",
    max_steps: int = MAX_STEPS,
    variation: Mapping[str, Any] | None = None,
    render_mode: str | None = None,
) -> gymnasium.Env[Observed, str]:
    """The environment of a task: `make("crm/close-won", seed=3, surface="browser")`.

    Raises DeskgymError: not_found for a task or world that does not exist, invalid_task for one that does not compile.
    """
    given: dict[str, Any] = {
        "task": task,
        "task_seed": seed,
        "surface": surface,
        "world_name": world,
        "max_steps": max_steps,
        "variation": variation,
    }
    env = TaskEnv(**given, render_mode=render_mode)
    env.spec = deepcopy(gymnasium.spec(ENV_ID))
    env.spec.kwargs = given
    return env


gymnasium.register(ENV_ID, entry_point=f"{__name__}:TaskEnv")
