"""Names to things: worlds, apps, task templates and instances, with the nearest name where one is unknown."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from deskgym_apps.kit.apps import apps
from deskgym_apps.kit.errors import nearest
from deskgym_apps.kit.store import Store

from .errors import DeskgymError, describe
from .pool import World

if TYPE_CHECKING:
    from deskgym_graders.spec import Task

_INSTANCE = re.compile(r"(?P<name>[^@]+)(?:@(?P<seed>-?\d+))?")


def app_names() -> tuple[str, ...]:
    """Every app an agent works in, sorted; the desk is always there and not listed."""
    return tuple(name for name in apps() if name != "desk")


def world(name: World | str) -> Any:
    """An open world. Raises DeskgymError (not_found) for an unknown name."""
    if not isinstance(name, str):
        return name
    from deskgym_seeds.world import open_world

    try:
        return open_world(name)
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
    """The task instance of a template name and a seed. Raises DeskgymError: not_found, or invalid_task."""
    from deskgym_graders.tasks import UnknownTask
    from deskgym_graders.tasks import bind as bind_template

    template, named_seed = parse_instance(name)
    if named_seed is not None and seed is not None and named_seed != seed:
        raise DeskgymError("usage", f"{name} names seed {named_seed}, but seed {seed} is given too", "give one of them")
    chosen = named_seed if named_seed is not None else seed if seed is not None else 0
    try:
        with closing(Store.read_image(world.store_path, world.reference_path)) as store:
            task: Task = bind_template(template, store, chosen)
    except UnknownTask as error:
        raise unknown_task(template, list(templates())) from error
    except Exception as error:
        fault = describe(error)
        kind = "invalid_task" if fault.kind == "internal" else fault.kind
        hint = fault.hint if fault.kind != "internal" else "deskgym lint says more"
        raise DeskgymError(kind, f"{template}@{chosen} does not compile: {fault.message}", hint) from error
    return task


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
