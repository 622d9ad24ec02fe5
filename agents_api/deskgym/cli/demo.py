"""`deskgym demo`: agents at work, without a key and without a container."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from ..run.demo import demo_folder, film, play, scenes
from ._output import json_option, listing, say, success, table

_COLUMNS = ("agent", "surface", "task", "seed", "status", "reward", "reason", "steps", "wall_s")
_INFRASTRUCTURE = 4


@click.command()
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path("runs"), show_envvar=True, help="Where to keep it."
)
@json_option
def demo(out: Path, as_json: bool) -> int:
    """Let the oracle, an idle agent and a monkey work at a few tasks, by tools and in the browser."""
    began = time.perf_counter()
    shown, missing = scenes()
    folder = demo_folder(out)
    rows: list[dict[str, Any]] = []
    for scene in shown:
        click.echo(f"{scene.agent} through {scene.surface} …", err=True)
        rows += play(scene, folder)
    page = film(folder)
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
            say(f"{row['agent']} through {row['surface']}, {row['task']}: {row['feedback']}")
    if data["browser"]:
        say(f"\nWithout the browser's half: {data['browser']['message']}. {data['browser']['hint']}")
    say(f"\n{data['counts']['total']} trials in {data['wall_s']} s, kept in {data['run_dir']}")
    if data["film"]:
        say(f"The oracle's browser trial, a picture a step: {data['film']}")
    say("\nNext:")
    say("  deskgym list tasks                                  what there is to do")
    say("  deskgym run -t 'crm/*' --seeds 0-4 -a oracle        an agent at many tasks")
    say(f"  deskgym replay {data['run_dir']}/oracle-mcp --verify    the same steps, the same states")
