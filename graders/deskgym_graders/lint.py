"""Lints of a compiled task against its world (grading.md §3.8)."""

from __future__ import annotations

from deskgym_apps.kit.store import Store

from .spec import Task


def check_task(task: Task, world: Store) -> None:
    """Raise SpecError for the first fault."""
