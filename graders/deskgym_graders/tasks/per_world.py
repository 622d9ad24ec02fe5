"""What a world holds is read and sorted once: hundreds of bindings draw from one world."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from deskgym_apps.kit.store import Store

Arguments = ParamSpec("Arguments")
Found = TypeVar("Found")


def _state(world: Store) -> tuple[int, int]:
    """Moves with every write to the world's database, through this connection or another."""
    (version,) = world.conn.execute("PRAGMA data_version").fetchone()
    return world.conn.total_changes, int(version)


def per_world(
    function: Callable[Concatenate[Store, Arguments], Found],
) -> Callable[Concatenate[Store, Arguments], Found]:
    """Remember what a function of a world gives, for as long as the world stays open and nobody writes to it.

    The other arguments are positional and hashable. Callers share the result and must not change it.
    """
    memory: WeakKeyDictionary[Store, tuple[tuple[int, int], dict[Hashable, Found]]] = WeakKeyDictionary()

    @wraps(function)
    def once(world: Store, /, *args: Arguments.args, **named: Arguments.kwargs) -> Found:
        if named:
            raise TypeError(f"{function.__name__} takes what it draws by in order, not by name: {', '.join(named)}")
        state = _state(world)
        known, found = memory.get(world, (None, {}))
        if known != state:
            found = {}
            memory[world] = (state, found)
        if args not in found:
            found[args] = function(world, *args, **named)
        return found[args]

    return once
