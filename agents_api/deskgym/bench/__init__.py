"""Speed and size, measured as ratios in one run (DESIGN §8): each figure beside a floor that is measured with it.

rows = [measure(name) for name in FIGURES]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from deskgym_apps.kit.errors import nearest

from ..errors import DeskgymError
from . import browsing, building, episodes, memory, server, serving
from .figure import Bench, Figure

FIGURES: dict[str, Callable[[Bench], Figure]] = {
    "episode.new.file": episodes.new_file,
    "episode.new.memory": episodes.new_memory,
    "grade": episodes.grade,
    "grade.replay": episodes.grade_with_replay,
    "oracle.episode": episodes.oracle,
    "oracle.episode.replay": episodes.oracle_with_replay,
    "mcp.call": serving.mcp_call,
    "browser.step": browsing.step,
    "browser.reset": browsing.reset,
    "page.server": serving.page,
    **{f"page.server.{kind}": partial(serving.page, kinds=(kind,)) for kind in serving.PAGES},
    "memory.worker": memory.worker,
    "memory.per_episode": memory.per_episode,
    "serve.new": server.new,
    "serve.reset": server.reset,
    "serve.state": server.state,
    "serve.grade": server.grade,
    "serve.load": server.load,
    "serve.memory.worker": server.memory_worker,
    "serve.memory.episode": server.memory_episode,
    "world.build": building.world,
}


def chosen(names: Sequence[str]) -> list[str]:
    """The figures of these names, all where none is given. Raises DeskgymError (not_found) for an unknown one."""
    for name in names:
        if name not in FIGURES:
            known = list(FIGURES)
            hint = f"figures: {', '.join(known)}"
            raise DeskgymError("not_found", f'there is no figure "{name}".{nearest(name, known)}', hint)
    return [name for name in FIGURES if not names or name in names]


def measure(name: str, bench: Bench) -> Figure:
    """One figure. Raises DeskgymError where what it measures does not work here."""
    return FIGURES[chosen([name])[0]](bench)


__all__ = ["FIGURES", "Bench", "Figure", "chosen", "measure"]
