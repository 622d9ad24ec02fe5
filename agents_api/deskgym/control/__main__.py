"""The process of the control plane: `python -m deskgym.control`. `deskgym serve` starts it."""

from __future__ import annotations

import fcntl
import os
import sys
from pathlib import Path
from socket import socket

import click
import uvicorn

from deskgym_apps.process import (
    SharedSocketServer,
    allow_many_files,
    end_on_signals,
    end_with,
    is_shared,
    keep_files_private,
    log_to_stdout,
)

from ..errors import DeskgymError, describe
from .door import Door
from .keeper import Keeper, Settings
from .secret import read_descriptor

GRACE_S = 10


def prepare_folders(root: Path, folder: Path) -> None:
    """Make the root of episodes and control's own folder (0700). Raises DeskgymError (no_permission).

    A root that is shared with a group of workers (`is_shared`) must be there already; they may not write into the list
    of tokens.
    """
    try:
        for path in (root / "tokens", folder):
            path.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o700)
        if is_shared(root):
            (root / "tokens").chmod(0o2750)
    except OSError as error:
        raise describe(error) from error


def lock(folder: Path) -> int:
    """Hold control's folder until this process ends. Waits for a control that is just ending."""
    descriptor = os.open(folder / "control.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    return descriptor


def claim(folder: Path) -> int:
    """Hold control's folder for a server. Raises DeskgymError (conflict) where another server holds it."""
    descriptor = os.open(folder / "server.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(descriptor)
        hint = "stop it, or choose another --folder"
        raise DeskgymError("conflict", f"another server uses the folder {folder.parent}", hint) from error
    return descriptor


def serve(settings: Settings, shared: socket, token: str, *, hosts: tuple[str, ...], world: str) -> None:
    """Serve until SIGTERM; the requests under way are answered."""
    door = Door(lambda: Keeper(settings), token, hosts=hosts, world=world)
    config = uvicorn.Config(
        door.app,
        lifespan="on",
        log_config=None,
        access_log=False,
        date_header=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        timeout_graceful_shutdown=GRACE_S,
    )
    SharedSocketServer(config).run([shared])


@click.command()
@click.option("--root", type=click.Path(path_type=Path, file_okay=False), required=True, help="Episodes.")
@click.option("--folder", type=click.Path(path_type=Path, file_okay=False), required=True, help="Control's own folder.")
@click.option("--fd", type=click.IntRange(3), required=True, help="An inherited socket that listens.")
@click.option("--token-fd", type=click.IntRange(3), required=True, help="An inherited descriptor that gives the token.")
@click.option("--agent-url", required=True, help="Where agents find the pages.")
@click.option("--capacity", type=click.IntRange(1), required=True)
@click.option("--ttl", type=click.IntRange(1), required=True)
@click.option("--world", required=True, help="The world to open at once.")
@click.option("--allow-host", "hosts", multiple=True)
@click.option("--log-level", default="info")
def main(
    root: Path,
    folder: Path,
    fd: int,
    token_fd: int,
    agent_url: str,
    capacity: int,
    ttl: int,
    world: str,
    hosts: tuple[str, ...],
    log_level: str,
) -> None:
    """Run the control plane on a socket that the supervisor bound, until SIGTERM or the end of stdin."""
    os.umask(0o077)
    token = read_descriptor(token_fd)
    log_to_stdout(log_level)
    allow_many_files()
    end_on_signals()
    end_with()
    prepare_folders(root, folder)
    keep_files_private(root)
    held = lock(folder)
    settings = Settings(root.resolve(), folder.resolve(), agent_url.rstrip("/"), capacity, ttl)
    with socket(fileno=fd) as shared:
        serve(settings, shared, token, hosts=hosts, world=world)
    os.close(held)


if __name__ == "__main__":
    try:
        main(standalone_mode=False)
    except DeskgymError as fault:
        click.echo(f"error: {fault.message}", err=True)
        sys.exit(fault.exit_code)
