"""What a run will do: which instances, how often, by whom."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..agents import make_agent
from ..catalogue import bind, choose, world
from ..errors import DeskgymError
from ..trial import MAX_STEPS, Surface, TrialSpec
from .enlist import enlist

_PART = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")
_MOST_TRIALS = 100_000


def parse_seeds(text: str) -> tuple[int, ...]:
    """`0-2,7` -> (0, 1, 2, 7), each once and in order. Raises DeskgymError (usage)."""
    seeds: dict[int, None] = {}
    for part in text.split(","):
        match = _PART.fullmatch(part.strip())
        first = int(match[1]) if match else 0
        last = int(match[2] or match[1]) if match else -1
        if last < first:
            raise DeskgymError("usage", f'"{text}" names no seeds', "write them like 3, 0-4 or 0-2,7")
        if last - first >= _MOST_TRIALS:
            raise DeskgymError("usage", f"{part} is more than {_MOST_TRIALS} seeds", "run them in parts")
        seeds.update(dict.fromkeys(range(first, last + 1)))
    return tuple(seeds)


@dataclass(frozen=True)
class Plan:
    """The resolved configuration of a run. `tasks` holds digests of instances by their id: the first of each template.

    The others are compiled where their trials run; every verdict names the digest of its task.
    """

    agent: str
    surface: Surface
    world: str
    instances: tuple[tuple[str, int], ...]
    attempts: int = 1
    max_steps: int = MAX_STEPS
    options: Mapping[str, Any] = field(default_factory=dict)
    variation: Mapping[str, Any] = field(default_factory=dict)
    pictures: bool = False
    tasks: Mapping[str, str] = field(default_factory=dict)
    server: str | None = None

    def specs(self, root: Path | None = None) -> list[TrialSpec]:
        """Every trial, by task, seed and attempt."""
        return [
            TrialSpec(
                task=task,
                seed=seed,
                agent=self.agent,
                surface=self.surface,
                attempt=attempt,
                max_steps=self.max_steps,
                world=self.world,
                variation=self.variation,
                options=self.options,
                pictures=self.pictures,
                root=root,
                server=self.server,
            )
            for task, seed in self.instances
            for attempt in range(self.attempts)
        ]

    def as_dict(self) -> dict[str, Any]:
        """JSON data, for `run.json`."""
        return asdict(self) | {"instances": [list(instance) for instance in self.instances]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Plan:
        """The plan of a `run.json`."""
        return cls(**{**data, "instances": tuple((task, seed) for task, seed in data["instances"])})


def make_plan(
    patterns: Sequence[str], seeds: Sequence[int], *, agent: str, surface: Surface, world_name: str, **rest: Any
) -> Plan:
    """Resolve names, and compile the first instance of each template: the first trial does not wait for the rest.

    Raises DeskgymError: not_found for unknown tasks, agents and worlds, invalid_task for one that does not compile.
    """
    options = rest.get("options") or {}
    enlist(agent)
    make_agent(agent, options)
    opened = world(world_name)
    instances = tuple(
        dict.fromkeys(
            (name, seed) for name, named in choose(patterns) for seed in (seeds if named is None else (named,))
        )
    )
    firsts = dict(reversed(instances))
    digests = {f"{name}@{seed}": bind(name, opened, seed).digest for name, seed in reversed(firsts.items())}
    return Plan(agent=agent, surface=surface, world=world_name, instances=instances, tasks=digests, **rest)
