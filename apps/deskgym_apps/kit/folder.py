"""The episode folder that control and the agent plane share: store, files, and what the agent may know.

    <root>/tokens/<sha256 of agent token>   one line of JSON: the episode, the person, or why it is gone
    <root>/<episode>/store.db  files/  public.json

Neither task, seed, expectation nor S0 is in it (DESIGN §3).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .errors import NotFound, ServiceError
from .variation import check

_TOKEN = re.compile(r"[A-Za-z0-9_\-]{20,128}")


class Gone(ServiceError):
    """The token belonged to an episode that was reset or ended (410)."""

    code = "gone"
    status = 410


@dataclass(frozen=True)
class Public:
    """What the agent's side may know of an episode. `reference` is the path of the read-only database.

    Raises Invalid for a variation that does not exist (variation.py).
    """

    instruction: str
    answer_schema: Mapping[str, Any] | None
    apps: tuple[str, ...]
    reference: str | None = None
    variation: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check(self.variation)


@dataclass(frozen=True)
class Entry:
    """Where a token leads: an episode's folder and the person who acts."""

    episode: str
    folder: Path
    person_id: str


def _write(path: Path, value: Any) -> None:
    partial = path.with_name(path.name + ".partial")
    partial.unlink(missing_ok=True)
    # Made anew, following no link: whoever runs as a worker's user may put things into the folder of an episode.
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(json.dumps(value, ensure_ascii=False))
    os.replace(partial, path)


def _token_path(root: Path, token: str) -> Path:
    return root / "tokens" / hashlib.sha256(token.encode()).hexdigest()


def create_folder(root: Path, episode: str, public: Public) -> Path:
    """Make the folder of a new episode, without its store. Raises FileExistsError."""
    folder = root / episode
    (folder / "files").mkdir(parents=True, exist_ok=False)
    write_public(folder, public)
    return folder


def write_public(folder: Path, public: Public) -> None:
    """Write `public.json`."""
    _write(folder / "public.json", asdict(public))


def read_public(folder: Path) -> Public:
    """Read `public.json`."""
    data = json.loads((folder / "public.json").read_text(encoding="utf-8"))
    return Public(**data | {"apps": tuple(data["apps"])})


def grant(root: Path, token: str, episode: str, person_id: str) -> None:
    """Let a token enter an episode as a person."""
    (root / "tokens").mkdir(parents=True, exist_ok=True)
    _write(_token_path(root, token), {"episode": episode, "person_id": person_id})


def revoke(root: Path, token: str) -> None:
    """End a token: from now on it answers 410."""
    _write(_token_path(root, token), {"gone": True})


def revoke_others(root: Path, tokens: Collection[str]) -> None:
    """End every token that is not one of these: control's when it starts again after a crash."""
    folder = root / "tokens"
    kept = {_token_path(root, token).name for token in tokens}
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.suffix == ".partial":
            path.unlink()
        elif path.name not in kept and not json.loads(path.read_text(encoding="utf-8")).get("gone"):
            _write(path, {"gone": True})


def locate(root: Path, token: str) -> Entry:
    """Where a token leads. Raises NotFound for an unknown one, Gone for a revoked one."""
    if not _TOKEN.fullmatch(token):
        raise NotFound("this is not an episode token")
    path = _token_path(root, token)
    if not path.is_file():
        raise NotFound("no episode has this token")
    data = json.loads(path.read_text(encoding="utf-8"))
    if data.get("gone"):
        raise Gone("this episode has ended; start a new one to get a new token")
    return Entry(data["episode"], root / data["episode"], data["person_id"])
