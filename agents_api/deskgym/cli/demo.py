"""`deskgym demo`: agents at work, without a key and without a container."""

from __future__ import annotations

import shlex
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import click

from ..run.demo import demo_folder, film, play, scenes
from ._output import json_option, listing, say, success, table

_COLUMNS = ("who", "surface", "task", "reward", "reason", "steps", "wall_s")
_INFRASTRUCTURE = 4


@click.command()
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path("runs"), show_envvar=True, help="Where to keep it."
)
@json_option
def demo(out: Path, as_json: bool) -> int:
    """Show agents at work on a few tasks.

    The oracle, an idle agent and a monkey, by tools and in the browser, without a key or a container. About 20 seconds.
    """
    began = time.perf_counter()
    shown, missing = scenes()
    folder = demo_folder(out)
    rows: list[dict[str, Any]] = []
    for scene in shown:
        click.echo(f"{scene.label} through {scene.surface} …", err=True)
        rows += play(scene, folder)
    page = film(folder, rows)
    data = listing(rows, "status") | {
        "run_dir": str(folder),
        "film": str(page) if page else None,
        "browser": missing.as_dict() if missing else None,
        "wall_s": round(time.perf_counter() - began, 1),
    }
    if as_json:
        success(data)
    else:
        _print(data)
    return _INFRASTRUCTURE if any(row["status"] != "graded" for row in rows) else 0


def _print(data: dict[str, Any]) -> None:
    table(data["rows"], _COLUMNS)
    for row in data["rows"]:
        if row["status"] != "graded":
            say(f"{row['who']} through {row['surface']}, {row['task']}: {row['feedback']}")
    if data["browser"]:
        say(f"\nWithout the browser's half: {data['browser']['message']}. {data['browser']['hint']}")
    say(f"\n{data['counts']['total']} trials in {data['wall_s']} s, kept in {data['run_dir']}")
    if data["film"]:
        say(f"A trial in the browser, a picture a step: open {data['film']}")
    say("\nWhat to try next:")
    command = _command()
    for words, what in _next(data["run_dir"]):
        say(f"  {command} {words}\n      {what}")


def _command() -> str:
    """How this deskgym is called from the present folder: by its name only where the shell finds it."""
    if shutil.which("deskgym"):
        return "deskgym"
    beside = Path(sys.executable).with_name("deskgym")
    if not beside.is_file():
        return f"{shlex.quote(sys.executable)} -m deskgym"
    return shlex.quote(str(beside.relative_to(Path.cwd()) if beside.is_relative_to(Path.cwd()) else beside))


def _next(folder: str) -> tuple[tuple[str, str], ...]:
    """Verbs to try with their arguments, and what they are for."""
    return (
        ("list tasks", "what there is to do"),
        ("show crm/close-won@3 --oracle", "one task: its instruction, its solution, what is graded"),
        ("run -t 'crm/*' --seeds 0-4 -a oracle", "an agent at many tasks"),
        (f"replay {shlex.quote(folder)}/oracle-mcp --verify", "the same steps again, and the same states"),
    )
