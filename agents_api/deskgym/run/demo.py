"""The demonstration: three agents at a few tasks through both doors, and a film of one browser trial."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import DeskgymError, describe
from ..trial import Surface
from .facts import browser_facts, run_facts
from .plan import make_plan
from .record import RunFolder
from .runner import run_all

_TASKS = ("crm/close-won", "crm/new-amount", "crm/which-namesake")
_FILMED = "crm/close-won"
_BROWSER_MONKEY_STEPS = 5
_WIDTH, _HEIGHT = 1280, 720


@dataclass(frozen=True)
class Scene:
    """One run of the demonstration: an agent at tasks through a door."""

    agent: str
    surface: Surface
    tasks: tuple[str, ...] = _TASKS
    options: Mapping[str, Any] = field(default_factory=dict)
    pictures: bool = False

    @property
    def name(self) -> str:
        return f"{self.agent}-{self.surface}"


SCENES = (
    Scene("oracle", "mcp"),
    Scene("noop", "mcp"),
    Scene("monkey", "mcp"),
    Scene("oracle", "browser", (_FILMED,), pictures=True),
    Scene("noop", "browser", (_FILMED,)),
    Scene("monkey", "browser", (_FILMED,), {"steps": _BROWSER_MONKEY_STEPS}),
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
        yield row | {"run_dir": str(run.path)}


def film(folder: Path) -> Path | None:
    """`index.html`: one screenshot per step of the oracle's browser trial, its target framed. None without pictures."""
    run = RunFolder(folder / "oracle-browser")
    if not run.path.is_dir():
        return None
    frames = [
        _frame(step, run.path.name) for row in run.rows() for step in run.steps(row) if step["picture"] is not None
    ]
    if not frames:
        return None
    page = folder / "index.html"
    page.write_text(_PAGE.replace("{{frames}}", "\n".join(frames)), "utf-8")
    return page


def _frame(step: Mapping[str, Any], run: str) -> str:
    action = html.escape(json.dumps(step["action"], ensure_ascii=False))
    changes = "".join(f"<li>{html.escape(_change(change))}</li>" for change in step["diff"])
    return (
        f'<figure><figcaption>Step {step["number"]} <code>{action}</code></figcaption><div class="shot">'
        f'<img src="{run}/{step["picture"]}" alt="The page after step {step["number"]}">{_box(step["target"])}</div>'
        f"<ul>{changes or '<li>nothing changed</li>'}</ul></figure>"
    )


def _change(change: Mapping[str, Any]) -> str:
    key = ", ".join(str(part) for part in change["key"])
    if change["op"] != "update":
        return f"{change['op']} {change['table']} {key}"
    pairs = [f"{name}: {change['old'][name]} → {value}" for name, value in change["new"].items()]
    return f"{change['table']} {key}: {'; '.join(pairs)}"


def _box(target: Mapping[str, Any] | None) -> str:
    if not target or not target.get("box"):
        return ""
    box = target["box"]
    x, y, width, height = (box[name] for name in ("x", "y", "width", "height")) if isinstance(box, dict) else box
    place = [100 * x / _WIDTH, 100 * y / _HEIGHT, 100 * width / _WIDTH, 100 * height / _HEIGHT]
    style = "left:{:.3f}%;top:{:.3f}%;width:{:.3f}%;height:{:.3f}%".format(*place)
    label = html.escape(f"{target.get('role') or ''} {target.get('name') or ''}".strip())
    return f'<span class="target" style="{style}" title="{label}"></span>'


_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>A trial, step by step</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 1000px; margin: 2rem auto; padding: 0 1rem; color: #222 }
figure { margin: 0 0 2.5rem } figcaption { margin-bottom: .5rem; overflow-wrap: anywhere }
.shot { position: relative; border: 1px solid #ccc } .shot img { display: block; width: 100% }
.target { position: absolute; outline: 3px solid #c2185b; outline-offset: 3px; border-radius: 2px }
ul { margin: .5rem 0; padding-left: 1.2rem; font-size: .9rem; overflow-wrap: anywhere }
</style>
<h1>A trial, step by step</h1>
<p>The oracle at work in the browser. What each step aimed at is framed; below it, what changed in the records.</p>
{{frames}}
</html>
"""
