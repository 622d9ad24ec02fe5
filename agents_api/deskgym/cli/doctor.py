"""`deskgym doctor`: does this machine have what deskgym needs, and what to do where it does not."""

from __future__ import annotations

import os
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import click

from .envelope import as_json, envelope, print_table, verb

Found = tuple[bool, str, str]


def _python() -> Found:
    version = ".".join(map(str, sys.version_info[:3]))
    return sys.version_info >= (3, 11), version, "install Python 3.11 or newer"


def _sqlite() -> Found:
    fits = sqlite3.sqlite_version_info >= (3, 38, 0)
    return fits, sqlite3.sqlite_version, "use a Python whose SQLite is 3.38 or newer (STRICT tables, JSON)"


def _chromium() -> Found:
    from ..browser.chromium import NoBrowser, find_chromium

    try:
        return True, str(find_chromium()), ""
    except NoBrowser as error:
        return False, "not found", str(error)


def _cache() -> Found:
    from deskgym_seeds.world import cache_folder

    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True, str(folder), ""
    except OSError as error:
        return False, f"{folder}: {error.strerror}", "set DESKGYM_CACHE to a folder you may write to"


def _temporary() -> Found:
    folder = os.environ.get("DESKGYM_EPISODES") or tempfile.gettempdir()
    return os.access(folder, os.W_OK), folder, "set DESKGYM_EPISODES to a folder you may write to"


CHECKS: dict[str, Callable[[], Found]] = {
    "python": _python,
    "sqlite": _sqlite,
    "chromium": _chromium,
    "cache": _cache,
    "episodes": _temporary,
}


@click.command()
@as_json
@verb
def command(json_output: bool) -> None:
    """Check this machine; exit 1 where something is missing."""
    rows: list[dict[str, Any]] = []
    for name, check in CHECKS.items():
        fits, found, advice = check()
        rows.append({"check": name, "ok": fits, "found": found, "advice": "" if fits else advice})
    if json_output:
        click.echo(envelope({"rows": rows, "ok": all(row["ok"] for row in rows)}))
    else:
        print_table(rows, ["check", "ok", "found", "advice"])
    if not all(row["ok"] for row in rows):
        raise click.exceptions.Exit(1)
