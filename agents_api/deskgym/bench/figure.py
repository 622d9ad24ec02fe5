"""A figure: what was measured, how often, and how it compares with its floor."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from math import ceil
from pathlib import Path
from typing import Any, Literal

Unit = Literal["ms", "MiB"]


@dataclass(frozen=True)
class Bench:
    """What figures are measured on: a world, and how many samples of the usual number to take (at least 3)."""

    world: str = "small:1"
    share: float = 1.0
    task: str | None = None
    folder: Path | None = None

    def samples(self, usual: int) -> int:
        """How many samples to take where `usual` is the number for a full run."""
        return max(3, ceil(usual * self.share))


@dataclass(frozen=True)
class Figure:
    """Times in ms, sizes in MiB. `floor_p50` is what the least that could do the job takes, measured in the same run.

    `ratio` is p50 / floor_p50; both are None where there is nothing to compare with.
    """

    name: str
    p50: float
    p95: float
    unit: Unit
    n: int
    floor_p50: float | None
    ratio: float | None

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def percentile(values: Sequence[float], percent: int) -> float:
    """The nearest-rank percentile of at least one value."""
    ordered = sorted(values)
    return ordered[max(0, ceil(len(ordered) * percent / 100) - 1)]


def figure(name: str, values: Sequence[float], floors: Sequence[float] = (), unit: Unit = "ms") -> Figure:
    """The figure of measured values and of the floor's, rounded to 3 decimals."""
    middle = percentile(values, 50)
    floor = percentile(floors, 50) if floors else None
    return Figure(
        name=name,
        p50=round(middle, 3),
        p95=round(percentile(values, 95), 3),
        unit=unit,
        n=len(values),
        floor_p50=None if floor is None else round(floor, 3),
        ratio=None if not floor else round(middle / floor, 3),
    )


def timed(work: Callable[[], object]) -> float:
    """How long a call takes, in ms."""
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def alternate(
    subject: Callable[[], object], floor: Callable[[], object], count: int, warm: int = 1
) -> tuple[list[float], list[float]]:
    """Times of two calls in ms, one after the other `count` times, so that the machine's moods meet both."""
    for _ in range(warm):
        subject()
        floor()
    subjects, floors = [], []
    for _ in range(count):
        subjects.append(timed(subject))
        floors.append(timed(floor))
    return subjects, floors
