"""What control reads: verdict, state, journal, and the catalogue. Nothing here changes an episode."""

from __future__ import annotations

import base64
import json
import platform
from collections import Counter
from dataclasses import replace
from typing import Any

from deskgym_graders.grade import not_graded
from deskgym_graders.verdict import versions

from .. import __version__
from ..episode import Episode
from ..errors import DeskgymError
from ..listing import app_rows, task_rows, world_rows
from ..run.record import pack
from .keeper import Answer, Keeper
from .registry import Entry


def grade(keeper: Keeper, entry: Entry) -> Answer:
    """The verdict on the present state, with command replay; for this caller only.

    The expectation is computed from world, task and seed; where it no longer comes out as it was at the start, the
    verdict is spec_error. Raises DeskgymError (usage) for free work, env_error where the store cannot be read.
    """
    if entry.task is None:
        raise DeskgymError("usage", "free work has no verdict", "start the episode with a task")
    try:
        with keeper.opened(entry) as episode:
            verdict = episode.grade()
            if verdict.passed and (stray := _stray_steps(keeper, entry, episode)):
                fault = f"the clock was moved by {stray} s, which control was never asked for"
                verdict = replace(
                    verdict, reward=0.0, reason="INTEGRITY", feedback=fault, faults=(*verdict.faults, fault)
                )
    except DeskgymError as error:
        if error.kind not in ("conflict", "invalid_task"):
            raise
        verdict = not_graded("spec_error", error.message)
    keeper.verdicts[verdict.reason] = keeper.verdicts.get(verdict.reason, 0) + 1
    return {"id": entry.id, **verdict.to_json()}


def _stray_steps(keeper: Keeper, entry: Entry, episode: Episode) -> int:
    """Seconds of the steps of the clock in the journal that this control did not make: forged in the store."""
    rows = episode.store.all("SELECT arguments FROM jrn_command WHERE channel = 'control' ORDER BY seq")
    made = Counter(int(json.loads(row["arguments"])["seconds"]) for row in rows)
    stray = made - Counter(keeper.registry.steps(entry.id))
    return sum(seconds * count for seconds, count in stray.items())


def diff(keeper: Keeper, entry: Entry, after: int) -> Answer:
    """Net changes since a command: `{op, table, key, old, new}` a row."""
    with keeper.opened(entry) as episode:
        return {"id": entry.id, "seq": episode.seq(), "changes": episode.diff(after)}


def journal(keeper: Keeper, entry: Entry, after: int) -> Answer:
    """Commands after one, each with its effects."""
    with keeper.opened(entry) as episode:
        return {"id": entry.id, "commands": episode.journal(after)}


def state(keeper: Keeper, entry: Entry) -> Answer:
    """The canonical state."""
    with keeper.opened(entry) as episode:
        return {"id": entry.id, "seq": episode.seq(), "state": episode.state()}


def state_hash(keeper: Keeper, entry: Entry) -> Answer:
    """SHA-256 of the canonical state, and whether the work is handed in."""
    with keeper.opened(entry) as episode:
        return {
            "id": entry.id,
            "seq": episode.seq(),
            "now": episode.now,
            "sealed": episode.sealed,
            "state_hash": episode.state_hash(),
        }


def tasks(keeper: Keeper, world: str) -> list[dict[str, Any]]:
    """A row a template, bound to seed 0 of a world. Raises DeskgymError: not_found, no_secret."""
    if world not in keeper.task_rows:
        keeper.task_rows[world] = task_rows(keeper.world(world))
    return keeper.task_rows[world]


def apps() -> list[dict[str, Any]]:
    """A row an app."""
    return app_rows()


def worlds() -> list[dict[str, Any]]:
    """A row a world, without where it lies."""
    return [{name: value for name, value in row.items() if name != "folder"} for row in world_rows()]


def version() -> Answer:
    """What runs here: versions of deskgym and Python, digests of the rooms that decide a verdict."""
    return {"deskgym": __version__, "python": platform.python_version(), "digests": versions()}


def pages(keeper: Keeper, entry: Entry) -> Answer:
    """The whole store, as a run keeps it: image of the world + these pages = the store, byte for byte."""
    with keeper.opened(entry) as episode:
        taken = episode.snapshot()
        packed = pack(episode.origin.image, taken.image)
    return {"id": entry.id, "seq": taken.seq, "pages": base64.b64encode(packed).decode()}
