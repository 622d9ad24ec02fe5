"""`deskgym mcp`: one episode for an MCP client, on standard input and output."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import signal
from pathlib import Path

import click

from ..episode import Episode
from ..errors import DeskgymError, describe


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
    """Serve one episode to an MCP client on stdio.

    An episode of TASK; without TASK, free work in the world.

    The verdict goes to the file of --verdict and a line on stderr, never to the client.
    """
    if verdict is not None and task is None:
        raise DeskgymError("usage", "free work has no verdict", "name a TASK")
    if verdict is not None:
        _check_place(verdict)
    from deskgym_apps.mcp import serve_stdio
    from deskgym_graders import grade, replay  # noqa: F401  (loaded now: a client that goes waits but two seconds)

    with Episode.start(task, seed=seed, world=world) as episode:
        click.echo(f"deskgym: serving {task or 'free work'} in {world}", err=True)
        asyncio.run(serve_stdio(episode.root, episode.token))
        if task is None:
            return
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # which clients send then; the verdict is still to be written
        found = episode.grade()
        click.echo(f"deskgym: {found.status} {found.reason} reward {found.reward}", err=True)
        if verdict is not None:
            verdict.write_text(json.dumps(found.to_json(), ensure_ascii=False, indent=1) + "\n", "utf-8")


def _check_place(verdict: Path) -> None:
    """Raise DeskgymError where the verdict could not be written: before the work, not after it."""
    if not verdict.parent.is_dir():
        hint = "make it, or name another file for the verdict"
        raise DeskgymError("usage", f"there is no folder {verdict.parent}", hint)
    if not os.access(verdict if verdict.exists() else verdict.parent, os.W_OK):
        raise describe(PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(verdict)))
