"""What an audit proved, and whether it still holds: any change of app, task, grader or world undoes it.

One JSON file a template under `deskgym_graders/evidence/`, or under `DESKGYM_EVIDENCE`.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from deskgym_graders.tasks import Template, template_named
from deskgym_graders.verdict import source_digest

from .catalogue import world as open_world
from .errors import DeskgymError, describe


def evidence_folder() -> Path:
    """Where evidence lies."""
    given = os.environ.get("DESKGYM_EVIDENCE")
    return Path(given) if given else Path(str(resources.files("deskgym_graders"))) / "evidence"


def digests_of(template: Template, world: str) -> dict[str, str]:
    """SHA-256 of all that a verdict on the template depends on."""
    source = inspect.getsourcefile(template.function)
    if source is None:
        raise DeskgymError("invalid_task", f"{template.name} has no source file", "define it in a module")
    names = sorted({"kit", "desk", *template.apps})
    return {
        "apps": hashlib.sha256("|".join(source_digest(f"deskgym_apps.{name}") for name in names).encode()).hexdigest(),
        "graders": _grader_digest(),
        "task": hashlib.sha256(Path(source).read_bytes()).hexdigest(),
        "world": str(open_world(world).digest),
    }


def _grader_digest() -> str:
    """The graders' sources without tasks: another task changes no verdict on this one."""
    digest = hashlib.sha256()
    folder = Path(str(resources.files("deskgym_graders")))
    for path in sorted(folder.glob("*.py")):
        digest.update(path.name.encode() + b"|" + hashlib.sha256(path.read_bytes()).digest())
    digest.update((folder / "tasks" / "__init__.py").read_bytes())
    return digest.hexdigest()


def _file(name: str) -> Path:
    return evidence_folder() / f"{name.replace('/', '.')}.json"


def write_evidence(name: str, digests: Mapping[str, str], body: Mapping[str, Any]) -> Path:
    """Keep what an audit proved of a template. Raises DeskgymError where the folder cannot be written."""
    path = _file(name)
    text = json.dumps({"task": name, "digests": dict(digests), **body}, indent=1, sort_keys=True, ensure_ascii=False)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", "utf-8")
    except OSError as error:
        raise describe(error) from error
    return path


def status_of(name: str, world: str = "small:1") -> str:
    """`verified` where an audit through both doors passed on exactly these sources, else `draft`."""
    path = _file(name)
    if not path.exists():
        return "draft"
    try:
        known = json.loads(path.read_text("utf-8"))
    except ValueError:
        return "draft"
    holds = known.get("verified") is True and known.get("digests") == digests_of(template_named(name), world)
    return "verified" if holds else "draft"
