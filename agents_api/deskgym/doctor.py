"""Whether this machine has what deskgym needs: each finding with what to do about it."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from .browser import Chromium

_NAME = re.compile(r"[A-Za-z0-9._-]+")  # what a requirement such as "mcp<3,>=2.3" begins with
_SPACE_NEEDED = 500 * 2**20
_SQLITE = (3, 37, 0)


@dataclass(frozen=True)
class Finding:
    """One thing looked at. `warn`: some of deskgym works without it; `fail`: nothing does."""

    name: str
    status: Literal["ok", "warn", "fail"]
    detail: str
    hint: str = ""

    def as_row(self) -> dict[str, Any]:
        return asdict(self)


def _python() -> Finding:
    found = f"{platform.python_version()} at {sys.executable}"
    return Finding("python", "ok", found)


def _sqlite() -> Finding:
    if sqlite3.sqlite_version_info < _SQLITE:
        return Finding("sqlite", "fail", sqlite3.sqlite_version, "SQLite 3.37 or newer is needed (STRICT tables)")
    return Finding("sqlite", "ok", sqlite3.sqlite_version)


def _packages() -> Finding:
    try:
        needed = [line for line in requires("deskgym") or () if "extra ==" not in line]
    except PackageNotFoundError:
        return Finding("packages", "warn", "deskgym runs from a folder, not installed", "pip install -e .")
    names = [found.group() for line in needed if (found := _NAME.match(line))]
    missing = []
    for name in names:
        try:
            version(name)
        except PackageNotFoundError:
            missing.append(name)
    if missing:
        return Finding("packages", "fail", f"missing: {', '.join(missing)}", f"pip install {' '.join(missing)}")
    return Finding("packages", "ok", f"{len(names)} installed")


def _browser() -> Finding:
    from .browser import NoBrowser, find_chromium

    try:
        found = find_chromium()
    except NoBrowser as error:
        return Finding("browser", "warn", error.message, error.hint)
    who = "" if found.account is None else f", run as {found.account.name}"
    return Finding("browser", "ok", f"{found.version} at {found.path}{who}", _browser_hint(found))


def _browser_hint(found: Chromium) -> str:
    if found.account is None and os.geteuid() == 0:
        return "it runs as root: let DESKGYM_BROWSER_USER name a user who may enter its folder and the temporary one"
    return ""


def _writable(name: str, folder: Path, variable: str) -> Finding:
    """Tries to make a file in the folder, or in the nearest parent that exists."""
    place = folder
    while not place.exists() and place != place.parent:
        place = place.parent
    try:
        with tempfile.TemporaryFile(dir=place):
            free = shutil.disk_usage(place).free
    except OSError as error:
        return Finding(name, "fail", f"{folder}: {error.strerror}", f"set {variable} to a folder you may write to")
    if free < _SPACE_NEEDED:
        return Finding(name, "warn", f"{folder}: {free // 2**20} MiB left", "free some disk space")
    return Finding(name, "ok", f"{folder}, {free // 2**20} MiB left")


def _cache() -> Finding:
    from deskgym_seeds.world import cache_folder

    return _writable("cache", cache_folder(), "DESKGYM_CACHE")


def _episodes() -> Finding:
    return _writable("episodes", Path(os.environ.get("DESKGYM_EPISODES") or tempfile.gettempdir()), "DESKGYM_EPISODES")


def _world() -> Finding:
    from deskgym_seeds.world import cached_worlds, check_world

    found = [world for world in cached_worlds() if world.name == "small:1"]
    if not found:
        return Finding("world", "ok", "small:1 is not built yet; the first use builds it")
    faults = check_world(found[0])
    if faults:
        return Finding("world", "warn", f"small:1 is damaged: {'; '.join(faults)}", "the next use builds it again")
    return Finding("world", "ok", f"small:1 in {found[0].folder}")


def _tasks() -> Finding:
    from .catalogue import app_names, templates

    return Finding("tasks", "ok", f"{len(templates())} templates, apps: {', '.join(app_names())}")


_CHECKS: tuple[Callable[[], Finding], ...] = (
    _python, _sqlite, _packages, _browser, _cache, _episodes, _world, _tasks,
)  # fmt: skip


def examine() -> Iterator[Finding]:
    """Every finding, in order."""
    for look in _CHECKS:
        yield look()
