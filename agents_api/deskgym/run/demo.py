"""The demonstration: a few agents at a few tasks through both doors, and a film of one browser trial."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import DeskgymError, describe
from ..trial import Surface
from .facts import browser_facts, run_facts
from .film import write_film
from .plan import make_plan
from .record import RunFolder
from .runner import run_all

_TASKS = ("crm/close-won", "crm/new-amount", "crm/which-namesake")
_IN_BROWSER = ("crm/close-won",)
_BROWSER_MONKEY_STEPS = 5


@dataclass(frozen=True)
class Scene:
    """One run of the demonstration: an agent at tasks through a door. `who`: what the table calls the agent."""

    agent: str
    surface: Surface
    tasks: tuple[str, ...] = _TASKS
    options: Mapping[str, Any] = field(default_factory=dict)
    pictures: bool = False
    who: str = ""

    @property
    def label(self) -> str:
        return self.who or self.agent

    @property
    def name(self) -> str:
        """The scene's folder."""
        return f"{self.label.replace(' ', '-')}-{self.surface}"


FILMED = Scene(f"{__package__}.by_hand:ByHand", "browser", _IN_BROWSER, pictures=True, who="by hand")
SCENES = (
    Scene("oracle", "mcp"),
    Scene("noop", "mcp"),
    Scene("monkey", "mcp"),
    Scene("oracle", "browser", _IN_BROWSER),
    FILMED,
    Scene("monkey", "browser", _IN_BROWSER, {"steps": _BROWSER_MONKEY_STEPS}),
)


def scenes() -> tuple[tuple[Scene, ...], DeskgymError | None]:
    """What can be shown on this machine, and why not all of it."""
    try:
        browser_facts()
    except DeskgymError as error:
        return tuple(scene for scene in SCENES if scene.surface != "browser"), error
    return SCENES, None


def demo_folder(parent: Path) -> Path:
    """A new folder under the next free number: `runs/demo-0001`. Raises DeskgymError where it cannot be made."""
    taken = [int(path.name[5:]) for path in parent.glob("demo-*") if path.name[5:].isdigit()]
    path = parent / f"demo-{max(taken, default=0) + 1:04}"
    try:
        path.mkdir(parents=True)
    except OSError as error:
        raise describe(error) from error
    return path


def play(scene: Scene, folder: Path) -> Iterator[dict[str, Any]]:
    """Run one scene into its own run folder; yields a row per trial."""
    plan = make_plan(
        scene.tasks,
        (0,),
        agent=scene.agent,
        surface=scene.surface,
        world_name="small:1",
        options=scene.options,
        pictures=scene.pictures,
    )
    run = RunFolder.create(folder / scene.name, run_facts(plan))
    for row in run_all(run, plan.specs(), 1):
        yield row | {"run_dir": str(run.path), "who": scene.label}


def film(folder: Path, rows: Sequence[Mapping[str, Any]]) -> Path | None:
    """`index.html`: the browser trial of the agent that works by hand, a picture a step. None without a browser."""
    run = RunFolder(folder / FILMED.name)
    page = folder / "index.html"
    return page if run.path.is_dir() and write_film(run, page, rows) else None
