"""Templates by name, and binding them to rows of a world.

    @template("crm/close-won", kind="mutate", level=1)
    def close_won(world: Store, stream: Stream) -> Draft: ...

    bind("crm/close-won@3", world)        compiles: an unsound task raises SpecError
    templates()                           every template of tasks/<app>.py and tasks/multi/

A template draws only from its stream and reads only the world it is given, so that (world, template, seed) gives the
same task always.
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import get_args

from deskgym_apps.kit.apps import apps
from deskgym_apps.kit.errors import nearest
from deskgym_apps.kit.store import Store
from deskgym_seeds.streams import Stream

from ..codec import SpecError
from ..compile import compile_task
from ..spec import Draft, Kind, Task

_NAME = re.compile(r"[a-z0-9]+/[a-z0-9]+(-[a-z0-9]+)*")
_registered: dict[str, Template] = {}


class UnknownTask(LookupError):
    """There is no such template or seed; the message has the nearest names."""


@dataclass(frozen=True)
class Template:
    """One task family. `name` is `<app>/<what>` (`multi/<what>` over several apps)."""

    name: str
    kind: Kind
    level: int
    apps: tuple[str, ...]
    revision: int
    function: Callable[[Store, Stream], Draft]

    @property
    def summary(self) -> str:
        """The first line of the function's docstring."""
        return (self.function.__doc__ or "").strip().split("\n", 1)[0]

    def __call__(self, world: Store, stream: Stream) -> Draft:
        return self.function(world, stream)


def template(
    name: str, *, kind: Kind, level: int, apps: tuple[str, ...] | None = None, revision: int = 1
) -> Callable[[Callable[[Store, Stream], Draft]], Template]:
    """Register a template function. `apps` defaults to the app in the name; `level` is 1 (one step) to 5.

    Raises ValueError for a bad name, kind or level, or a name that is taken.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f'"{name}" is no template name; write it like crm/close-won')
    if kind not in get_args(Kind) or not 1 <= level <= 5 or revision < 1:
        raise ValueError(f"{name}: kind is one of {get_args(Kind)}, level 1 to 5, revision from 1")

    def register(function: Callable[[Store, Stream], Draft]) -> Template:
        known = _registered.get(name)
        if known is not None and known.function.__module__ != function.__module__:
            raise ValueError(f"template {name} is defined in {known.function.__module__} already")
        made = Template(name, kind, level, apps or (name.split("/", 1)[0],), revision, function)
        _registered[name] = made
        return made

    return register


@cache
def _discover() -> None:
    for info in pkgutil.iter_modules(__path__):
        if not info.ispkg:
            import_module(f"{__name__}.{info.name}")
            continue
        package = import_module(f"{__name__}.{info.name}")
        for inner in pkgutil.iter_modules(package.__path__):
            import_module(f"{package.__name__}.{inner.name}")


def templates() -> Mapping[str, Template]:
    """Every template of this package by name, sorted. Those of other modules (tests) are found by name only."""
    _discover()
    own = {name: found for name, found in _registered.items() if found.function.__module__.startswith(f"{__name__}.")}
    return dict(sorted(own.items()))


def template_named(name: str) -> Template:
    """The template of that name. Raises UnknownTask with the nearest names."""
    _discover()
    if name not in _registered:
        raise UnknownTask(f'there is no task "{name}".{nearest(name, sorted(_registered))}')
    return _registered[name]


def split_id(task_id: str) -> tuple[str, int | None]:
    """`crm/close-won@3` -> `("crm/close-won", 3)`; without `@` the seed is None. Raises UnknownTask for a bad seed."""
    name, at, seed = task_id.partition("@")
    if not at:
        return name, None
    if not re.fullmatch(r"\d{1,9}", seed):
        raise UnknownTask(f'"{seed}" is no seed; write {name}@3')
    return name, int(seed)


def bind(which: Template | str, world: Store, seed: int | None = None, *, secret: str = "", check: bool = True) -> Task:
    """The task of a template on a world. The seed stands in the id (`crm/close-won@3`) or is given; 0 by default.

    `secret`: for hidden worlds, what keeps the draws from being guessed from the public seed.
    `check=False` leaves out the lints (for a task that was checked before; the digest is the same).
    Raises UnknownTask for unknown names, SpecError for a task that does not compile on this world.
    """
    if isinstance(which, str):
        name, named = split_id(which)
        if seed is not None and named is not None and named != seed:
            raise UnknownTask(f"{which} names seed {named}, but seed {seed} is given as well")
        chosen, seed = template_named(name), named if seed is None else seed
    else:
        chosen = which
    seed = 0 if seed is None else seed
    if seed < 0:
        raise UnknownTask(f"a seed is 0 or more, not {seed}")
    missing = [name for name in chosen.apps if name not in apps()]
    if missing:
        raise SpecError(f'{chosen.name}: there is no app "{missing[0]}".{nearest(missing[0], list(apps()))}')
    stream = Stream(f"{secret}{seed}", "bind", chosen.name)
    try:
        draft = chosen(world, stream)
        return compile_task(
            draft,
            world,
            template=chosen.name,
            seed=seed,
            apps=chosen.apps,
            kind=chosen.kind,
            level=chosen.level,
            revision=chosen.revision,
            check=check,
        )
    except SpecError as error:
        raise SpecError(f"{chosen.name}@{seed}: {error}") from error
