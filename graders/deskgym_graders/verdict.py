"""The verdict: what a grading says, for the trainer and for people; never shown to the agent."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, Literal

REASONS = (
    "INTEGRITY",
    "FORBIDDEN",
    "NO_SUBMISSION",
    "ANSWER_COUNT",
    "ANSWER_TYPE",
    "ANSWER_WRONG",
    "WRONG_VALUE",
    "MISSING",
    "COLLATERAL",
    "BUDGET",
    "OK",
)


@dataclass(frozen=True)
class Integrity:
    """Whether the episode's records can be believed: faults as sentences (none: yes), and whether it was replayed."""

    faults: tuple[str, ...] = ()
    replayed: bool = False
    hashes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Verdict:
    """`status` graded: `reward` is 1.0 or 0.0 and `reason` one of REASONS (the first that applies).

    `status` env_error (the state could not be read) or spec_error (the task is unsound): `reward` is None, which is
    not 0; run it again or mend the task. `missing`: what the goal lacks, wrong values included. `unexplained`: changes
    that nobody asked for. `faults`: breaches of integrity or forbidden acts. `feedback`: one sentence.
    """

    status: Literal["graded", "env_error", "spec_error"]
    reward: float | None
    reason: str
    feedback: str
    missing: tuple[str, ...] = ()
    unexplained: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    replayed: bool = False
    hashes: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        return self.status == "graded" and self.reward == 1.0

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


def _feed(digest: Any, folder: Traversable) -> None:
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        if item.is_dir() and item.name != "__pycache__":
            _feed(digest, item)
        elif item.name.endswith((".py", ".sql")):
            data = item.read_bytes()
            digest.update(f"{item.name}|{len(data)}|".encode() + data)


@cache
def source_digest(package: str) -> str:
    """SHA-256 of a package's Python and SQL files: verdicts of differing digests are not to be compared."""
    digest = hashlib.sha256()
    _feed(digest, resources.files(package))
    return digest.hexdigest()


def versions() -> dict[str, str]:
    """Digests of the rooms that decide a verdict."""
    return {"apps": source_digest("deskgym_apps"), "graders": source_digest("deskgym_graders")}
