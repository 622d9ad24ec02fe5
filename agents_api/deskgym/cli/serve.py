"""`deskgym serve`: both planes, until SIGTERM."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import click

from ..errors import DeskgymError
from ..serve import default_folder
from ._output import event, say


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, show_envvar=True, help="Address of the agent plane.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, show_envvar=True)
@click.option("--control-host", default="127.0.0.1", show_default=True, show_envvar=True, help="Address of control.")
@click.option("--control-port", type=click.IntRange(0, 65535), default=8001, show_default=True, show_envvar=True)
@click.option("-n", "--workers", type=click.IntRange(1, 256), show_envvar=True, help="Processes; one a processor.")
@click.option("--control-only", is_flag=True, show_envvar=True, help="No workers: they run elsewhere, on one --root.")
@click.option("--capacity", type=click.IntRange(1, 100_000), default=256, show_default=True, show_envvar=True)
@click.option("--ttl", type=click.IntRange(1, 604_800), default=3600, show_default=True, show_envvar=True)
@click.option("--world", default="small:1", show_default=True, show_envvar=True, help="The world to open at once.")
@click.option("--folder", type=click.Path(path_type=Path), show_envvar=True, help="What the server keeps of its own.")
@click.option("--root", type=click.Path(path_type=Path), show_envvar=True, help="Episodes; FOLDER/episodes by default.")
@click.option("--token-file", type=click.Path(path_type=Path), show_envvar=True, help="A 0600 file with the token.")
@click.option("--token-fd", type=click.IntRange(3), show_envvar=True, help="A descriptor that gives the token.")
@click.option("--agent-url", show_envvar=True, help="The agent plane's address as agents see it.")
@click.option("--allow-host", "hosts", multiple=True, show_envvar=True, help="A further name of the agent plane.")
@click.option(
    "--allow-control-host", "control_hosts", multiple=True, show_envvar=True, help="A further name of control."
)
@click.option("--json", "as_json", is_flag=True, show_envvar=True, help="JSON lines on stdout, requests included.")
def serve(**given: Any) -> int:
    """Serve episodes: pages and MCP to agents on one port, the control plane to trainers on another.

    The control token is made on first use and kept in FOLDER/control/token. Ends on SIGTERM, when the requests under
    way are answered; the episodes are there again at the next start.
    """
    from ..control.__main__ import claim
    from ..serve.supervisor import Supervisor

    as_json = given.pop("as_json")
    plan, token_at = _plan(quiet=not as_json, **given)

    def tell(name: str, **facts: Any) -> None:
        if as_json:
            event(name, **facts, **({"token_file": token_at} if name == "ready" else {}))
        elif name == "ready":
            say(f"agent plane    {facts['agent_url']}  ({facts['workers']} workers)")
            say(f"control plane  {facts['control_url']}  (token: {token_at})")
            sys.stdout.flush()
        elif name in ("ended", "killed", "draining"):
            click.echo(f"{name} {' '.join(f'{key}={value}' for key, value in facts.items())}".rstrip(), err=True)

    async def run() -> int:
        return await Supervisor(plan, tell).run()

    held = claim(plan.folder)
    try:
        return asyncio.run(run())
    finally:
        os.close(held)


def _plan(
    *,
    folder: Path | None,
    root: Path | None,
    token_file: Path | None,
    token_fd: int | None,
    workers: int | None,
    control_only: bool,
    ttl: int,
    quiet: bool,
    **rest: Any,
) -> tuple[Any, str]:
    """What to serve, and where the token is."""
    from ..control.__main__ import prepare_folders
    from ..control.secret import kept_token, read_descriptor, read_token
    from ..run.runner import default_workers
    from ..serve.supervisor import Plan

    if token_file is not None and token_fd is not None:
        raise DeskgymError("usage", "the token comes from a file or from a descriptor, not from both")
    home = (folder or default_folder()).resolve()
    episodes = (root or home / "episodes").resolve()
    control = home / "control"
    prepare_folders(episodes, control)
    if token_fd is not None:
        token, token_at = read_descriptor(token_fd), f"descriptor {token_fd}"
    elif token_file is not None:
        token, token_at = read_token(token_file), str(token_file)
    else:
        token, token_at = kept_token(control / "token"), str(control / "token")
    count = 0 if control_only else workers or default_workers(256)
    level = "warning" if quiet else "info"
    plan = Plan(
        root=episodes, folder=control, token=token, workers=count, ttl_s=ttl, quiet=quiet, log_level=level, **rest
    )
    return plan, token_at
