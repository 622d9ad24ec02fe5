"""`deskgym mcp`: one episode for an MCP client, on standard input and output."""

from __future__ import annotations

import asyncio
from importlib import import_module
from pathlib import Path

import click

from ..episode import Episode
from ..errors import DeskgymError


@click.command()
@click.argument("task", required=False)
@click.option("--seed", type=click.IntRange(0), show_envvar=True, help="Which instance; 0 unless TASK names one.")
@click.option("--world", default="small:1", show_default=True, show_envvar=True, help="The world.")
@click.option(
    "--verdict",
    type=click.Path(path_type=Path, dir_okay=False),
    show_envvar=True,
    help="Write the verdict to this file at the end.",
)
def mcp(task: str | None, seed: int | None, world: str, verdict: Path | None) -> None:
    """Serve one episode of TASK on stdio; without TASK, free work in the world.

    The verdict goes to the file of --verdict and a line on stderr, never to the client.
    """
    import json

    if verdict is not None and task is None:
        raise DeskgymError("usage", "free work has no verdict", "name a TASK")
    serve = import_module("deskgym_apps.mcp").serve_stdio
    with Episode.start(task, seed=seed, world=world) as episode:
        click.echo(f"deskgym: serving {task or 'free work'} in {world}", err=True)
        asyncio.run(serve(episode.root, episode.token))
        if task is None:
            return
        found = episode.grade()
        click.echo(f"deskgym: {found.status} {found.reason} reward {found.reward}", err=True)
        if verdict is not None:
            verdict.write_text(json.dumps(found.to_json(), ensure_ascii=False, indent=1) + "\n", "utf-8")
