"""Due jobs: what happens by itself as the clock moves (X-1), by due time, table, id."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .apps import apps
from .store import Store


@dataclass(frozen=True, order=True)
class Job:
    """One due thing: the operation to run, and where it stands in the order."""

    due_at: str
    table: str
    id: str
    operation: str = field(compare=False)
    arguments: dict[str, Any] = field(compare=False)
    person_id: str = field(compare=False, default="")


Source = Callable[[Store, str], Job | None]
_sources: list[Source] = []


def job_source(function: Source) -> Source:
    """Register a function that gives an app's earliest job due at or before an instant.

    Its operation must make the job no longer due, else the clock could not move on.
    """
    _sources.append(function)
    return function


def next_due(store: Store, until: str) -> Job | None:
    """The earliest job due at or before `until`, over all apps."""
    for app in apps().values():
        app.module("service")
    found = [job for source in _sources if (job := source(store, until)) is not None]
    return min(found, default=None)
