"""Building a world from nothing."""

from __future__ import annotations

import tempfile
from pathlib import Path

from deskgym_seeds.world import build_world

from .figure import Bench, Figure, figure, timed


def world(bench: Bench) -> Figure:
    """Every table of the world, written to an empty folder."""
    values = []
    for _ in range(bench.samples(3)):
        with tempfile.TemporaryDirectory(prefix="deskgym-bench-") as folder:
            target = Path(folder) / "world"
            values.append(timed(lambda place=target: build_world(bench.world, place)))  # type: ignore[misc]
    return figure("world.build", values)
