"""What is the same for every task of a world: found once for an audit, by one process, and handed to the others.

    once(world, "the planes", kind, lambda: ...)   kept in this process, and as JSON in the folder that `share` named

Where a proof needs an episode of some task, it is one of the `subject`: the same for every audit of a world.
"""

from __future__ import annotations

import gc
import hashlib
import os
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter

from deskgym_apps.kit.tools import tools
from deskgym_graders.spec import Task

from ..catalogue import bind, templates
from ..errors import DeskgymError
from .case import PlacedWorld

Found = TypeVar("Found")
_LEAST_COMMANDS = 2
_found: dict[tuple[PlacedWorld, str], Any] = {}
_folder: list[Path] = []


def share(folder: Path) -> None:
    """Keep what is found in a folder besides, and look there first. Every process that is told so does the same.

    The folder is nobody else's: what lies in it is believed.
    """
    _folder[:] = [folder]


def forget() -> None:
    """Remove what was shared: its owner is gone."""
    while _folder:
        shutil.rmtree(_folder.pop(), ignore_errors=True)


def once(world: PlacedWorld, part: str, kind: type[Found], find: Callable[[], Found]) -> Found:
    """What `find` gives, of that type: looked for where no process has found it yet."""
    key = world, part
    if key not in _found:
        path = _file_of(world, part)
        if path is not None and path.exists():
            _found[key] = TypeAdapter(kind).validate_json(path.read_bytes())
            gc.freeze()  # it stays: looking for garbage in it time and again would take a tenth of an audit
        else:
            _found[key] = find()
            if path is not None:
                _keep(path, TypeAdapter(kind).dump_json(_found[key]))
    found: Found = _found[key]
    return found


def _file_of(world: PlacedWorld, part: str) -> Path | None:
    name = hashlib.sha256(f"{world}|{part}".encode()).hexdigest()[:32]
    return _folder[0] / f"{name}.json" if _folder else None


def _keep(path: Path, found: bytes) -> None:
    partial = path.with_suffix(f".{os.getpid()}")
    partial.write_bytes(found)
    partial.rename(path)


@cache
def subject(world: PlacedWorld) -> Task:
    """The task, by name the first of those with several commands, in whose episodes the machinery is attacked.

    It is bound with seed 0. Raises DeskgymError (not_found) where no task can be bound to the world.
    """
    first: Task | None = None
    for name in templates():
        try:
            task = bind(name, world, 0)
        except DeskgymError:
            continue
        writing = [call for call in task.oracle if tools(task.apps)[call.tool].writes]
        if len(writing) >= _LEAST_COMMANDS:
            return task
        first = first or task
    if first is None:
        raise DeskgymError("not_found", f"no task can be bound to {world.name} with seed 0", "write one for it")
    return first
