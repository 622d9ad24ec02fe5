"""Names to things: worlds, apps, task templates and instances, with the nearest name where one is unknown."""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from deskgym_apps.kit.apps import apps
from deskgym_apps.kit.errors import nearest

from .errors import DeskgymError, describe
from .pool import World, origin_of

if TYPE_CHECKING:
    from deskgym_graders.spec import Task

_INSTANCE = re.compile(r"(?P<name>[^@]+)(?:@(?P<seed>-?\d+))?")


def app_names() -> tuple[str, ...]:
    """Every app an agent works in, sorted; the desk is always there and not listed."""
    return tuple(name for name in apps() if name != "desk")


_worlds: dict[tuple[str, str, str | None], tuple[World, object]] = {}
_MOST_BOUND = 4096
_bound: dict[tuple[str, Any, int], Task] = {}


def _stamp(opened: World) -> object:
    """What changes when the files of a world do; None where they are gone."""
    try:
        return [(file.st_ino, file.st_size, file.st_mtime_ns) for file in _files(opened)]
    except FileNotFoundError:
        return None


def _files(opened: World) -> Iterator[os.stat_result]:
    for path in (opened.store_path, opened.reference_path):
        if path is not None:
            yield path.stat()


def world(name: World | str) -> Any:
    """An open world; its files are checked once a process, and again where they have changed.

    Raises DeskgymError (not_found) for an unknown name.
    """
    if not isinstance(name, str):
        return name
    from deskgym_seeds.world import SECRET_VARIABLE, cache_folder, open_world

    key = name, str(cache_folder()), os.environ.get(SECRET_VARIABLE)
    known = _worlds.get(key)
    if known is not None and _stamp(known[0]) == known[1]:
        return known[0]
    try:
        opened = open_world(name)
        _worlds[key] = opened, _stamp(opened)
        return opened
    except OSError as error:
        raise describe(error) from error
    except Exception as error:
        if hasattr(error, "kind"):
            raise describe(error) from error
        raise


def templates() -> Mapping[str, Any]:
    """Every task template by name, sorted."""
    from deskgym_graders.tasks import templates as found

    return found()


def parse_instance(text: str) -> tuple[str, int | None]:
    """`crm/close-won@3` -> ("crm/close-won", 3). Raises DeskgymError (usage) for other text."""
    match = _INSTANCE.fullmatch(text)
    if match is None:
        raise DeskgymError("usage", f'"{text}" names no task', "write it like crm/close-won or crm/close-won@3")
    seed = match["seed"]
    if seed is not None and int(seed) < 0:
        raise DeskgymError("usage", f"a seed is 0 or more, not {seed}")
    return match["name"], None if seed is None else int(seed)


def unknown_task(name: str, known: Sequence[str]) -> DeskgymError:
    """The error for a task that does not exist."""
    return DeskgymError("not_found", f'there is no task "{name}".{nearest(name, known)}', "see: deskgym list tasks")


def bind(name: str, world: World, seed: int | None = None) -> Task:
    """The task instance of a template name and a seed, compiled once a process.

    Raises DeskgymError: not_found, or invalid_task.
    """
    from deskgym_graders.tasks import UnknownTask, template_named
    from deskgym_graders.tasks import bind as bind_template

    template, named_seed = parse_instance(name)
    if named_seed is not None and seed is not None and named_seed != seed:
        raise DeskgymError("usage", f"{name} names seed {named_seed}, but seed {seed} is given too", "give one of them")
    chosen = named_seed if named_seed is not None else seed if seed is not None else 0
    try:
        origin = origin_of(world)
        key = f"{origin.path}|{world.digest}", template_named(template), chosen
        if key not in _bound:
            if len(_bound) >= _MOST_BOUND:
                _bound.clear()
            _bound[key] = bind_template(template, origin.store, chosen)
    except UnknownTask as error:
        raise unknown_task(template, list(templates())) from error
    except Exception as error:
        fault = describe(error)
        kind = "invalid_task" if fault.kind == "internal" else fault.kind
        hint = fault.hint if fault.kind != "internal" else "deskgym lint says more"
        raise DeskgymError(kind, f"{template}@{chosen} does not compile: {fault.message}", hint) from error
    return _bound[key]


def choose(patterns: Sequence[str]) -> list[tuple[str, int | None]]:
    """Templates that match any of the patterns, each with the seed a pattern names, in catalogue order.

    Raises DeskgymError (not_found) for a pattern that matches nothing.
    """
    known = list(templates())
    chosen: dict[tuple[str, int | None], None] = {}
    for pattern in patterns:
        name, seed = parse_instance(pattern)
        matching = fnmatch.filter(known, name)
        if not matching:
            raise unknown_task(name, known)
        chosen.update({(match, seed): None for match in matching})
    return sorted(chosen, key=lambda item: (item[0], -1 if item[1] is None else item[1]))
