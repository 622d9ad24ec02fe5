"""Office applications that behave like the real thing, built to be used by agents and graded."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .client import Client
    from .episode import Episode
    from .gym import make

__version__ = "0.1.0"
__all__ = ["Client", "Episode", "__version__", "make"]

_HOMES = {"Client": "client", "Episode": "episode", "make": "gym"}


def __getattr__(name: str) -> Any:
    """Import what is asked for only then: `import deskgym` alone is quick."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
