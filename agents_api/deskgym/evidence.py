"""What an audit proved, and whether it still holds: any change of app, task, grader, world, pages, engine or audit
undoes it.

One JSON file a template under `deskgym_graders/evidence/`, or under `DESKGYM_EVIDENCE`. It holds nothing of the time
or the machine: the same sources give the same bytes.

    instances   per seed: gates with the attempts that were made on this very instance
    shared      gates with the attempts that were made once for all tasks of the world, in episodes of `subject`
    digests     of all that both depend on; `shared` of what the second does, which is every app and the subject too
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from deskgym_apps.kit.apps import shipped_apps
from deskgym_graders.tasks import Template, UnknownTask, template_named

from .catalogue import world as open_world
from .errors import DeskgymError, describe
from .proof.case import WIDGETS
from .proof.report import GATES, AuditReport

_LEAST_SEEDS = 2
_FIELDS = frozenset({"task", "world", "digests", "instances", "shared"})
_SHARED = ("A5", "A9", "A11", "A12")  # gates of which a part is the same for all tasks of a world
_OF_INSTANCE = frozenset({"seed", "digest", "surfaces", "widgets", "gates", "mutants", "skipped", "faults"})


def evidence_folder() -> Path:
    """Where evidence lies."""
    given = os.environ.get("DESKGYM_EVIDENCE")
    return Path(given) if given else _package("deskgym_graders") / "evidence"


# --- What a proof depends on ----------------------------------------------------------------------------


def digests_of(template: Template, world: str, subject: str) -> dict[str, str]:
    """SHA-256 of all that a proof of the template depends on, by part. `subject`: an instance, see `proof.shared`."""
    parts = {name: _digest(paths) for name, paths in parts_of(template, subject).items()}
    return parts | {"world": str(open_world(world).digest)}


def parts_of(template: Template, subject: str) -> dict[str, tuple[Path, ...]]:
    """The folders and files of each part.

    Another task is no part, but for the subject of what is shared: it changes no verdict on this one. A module that the
    template imports is.
    """
    graders, agents = _package("deskgym_graders"), _package("deskgym")
    apps = sorted({"kit", "desk", *template.apps})
    audit = (agents / "proof", agents / "audit.py")
    return {
        "apps": tuple(_package(f"deskgym_apps.{name}") for name in apps),
        "audit": audit,
        "engine": _engine(audit, agents),
        "graders": (*sorted(graders.glob("*.py")), *sorted((graders / "tasks").glob("*.py"))),
        "pages": (agents / "pages",),
        "shared": (
            *(_package(app.package) for app in shipped_apps().values()),
            *_modules_of(template_named(subject.partition("@")[0])),
        ),
        "task": tuple(_modules_of(template)),
    }


@cache
def _engine(audit: tuple[Path, ...], agents: Path) -> tuple[Path, ...]:
    """What the audit imports of this package, and so on: episodes, planes, browser. Its own modules are none of it.

    They are found by their places: importing them only to ask for their sources would take seconds.
    """
    waiting = [file for path in audit for file in ([path] if path.is_file() else sorted(path.glob("*.py")))]
    seen = set(waiting)
    own = set(waiting)
    while waiting:
        path = waiting.pop()
        package = ".".join(path.parent.relative_to(agents.parent).parts)
        for name in _imports(path, package):
            place = agents.parent.joinpath(*name.split("."))
            found = [file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file()]
            waiting += [file for file in found if file not in seen and agents in file.parents]
            seen.update(waiting)
    return (*sorted(seen - own), *sorted((agents / "browser" / "scripts").iterdir()))


def _package(name: str) -> Path:
    return Path(str(resources.files(name)))


def _modules_of(template: Template) -> Iterator[Path]:
    """The template's module, and those of its own package that it imports, and so on."""
    module = template.function.__module__
    if _source_of(module) is None:
        raise DeskgymError("invalid_task", f"{template.name} has no source file", "define it in a module")
    package = module.rpartition(".")[0]
    waiting, seen = [module], set[str]()
    while waiting:
        name = waiting.pop()
        path = None if name in seen else _source_of(name)
        seen.add(name)
        if path is not None:
            yield path
            waiting += [found for found in _imports(path, package) if found.startswith(f"{package}.")]


def _source_of(name: str) -> Path | None:
    """The source file of a module; None for a name that is no module."""
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        return None
    return None if spec is None or spec.origin is None else Path(spec.origin)


def _imports(path: Path, package: str) -> Iterator[str]:
    """Full names of what a source file may import as a module; names that are no modules among them."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            home = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            yield home
            yield from (f"{home}.{alias.name}" for alias in node.names)


def _digest(paths: Iterable[Path]) -> str:
    return hashlib.sha256("|".join(path_digest(path) for path in paths).encode()).hexdigest()


@cache
def path_digest(path: Path) -> str:
    """SHA-256 over a file, or over the names and contents of all files below a folder; read once a process."""
    digest = hashlib.sha256()
    files = [path] if path.is_file() else sorted(path.rglob("*"))
    for file in files:
        if file.is_file() and "__pycache__" not in file.parts:
            name, data = file.relative_to(path.parent).as_posix(), file.read_bytes()
            digest.update(f"{name}|{len(data)}|".encode() + data)
    return digest.hexdigest()


# --- Keeping and reading --------------------------------------------------------------------------------


def write_evidence(name: str, world: str, reports: Sequence[AuditReport]) -> Path:
    """Keep what an audit found of a template. Raises DeskgymError where the folder cannot be written."""
    ordered = sorted(reports, key=lambda report: report.seed)
    subject = str(ordered[0].subject)
    body = {
        "task": name,
        "world": world,
        "digests": digests_of(template_named(name), world, subject),
        "shared": {"subject": subject, "gates": {gate.name: gate.shared for gate in ordered[0].gates if gate.shared}},
        "instances": [_instance(report) for report in ordered],
    }
    path = file_of(name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(body, indent=1, sort_keys=True, ensure_ascii=False) + "\n", "utf-8")
    except OSError as error:
        raise describe(error) from error
    return path


def file_of(name: str) -> Path:
    """Where the evidence of a template lies, if there is any."""
    return evidence_folder() / f"{name.replace('/', '.')}.json"


def _instance(report: AuditReport) -> dict[str, Any]:
    mutants = dict(report.mutants)
    equivalents: dict[str, list[str]] = {}
    for label, reason in mutants.get("equivalents", ()):
        equivalents.setdefault(reason, []).append(label)
    return {
        "seed": report.seed,
        "digest": report.digest,
        "surfaces": list(report.surfaces),
        "widgets": report.widgets,
        "gates": {gate.name: gate.attempts - gate.shared for gate in report.gates},
        "mutants": mutants | {"equivalents": equivalents},
        "skipped": dict(report.skipped),
        "faults": report.faults,
    }


def read_evidence(path: Path) -> dict[str, Any]:
    """The content of an evidence file. Raises DeskgymError (env_error) for one that is not as they are written."""
    try:
        known = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise DeskgymError("env_error", f"{path} cannot be read: {error}", "run the audit again") from error
    if not (isinstance(known, dict) and set(known) == _FIELDS and isinstance(known["instances"], list)):
        raise DeskgymError("env_error", f"{path} holds no evidence", "run the audit again")
    shared = known["shared"]
    if not (isinstance(shared, dict) and set(shared) == {"subject", "gates"} and isinstance(shared["gates"], dict)):
        raise DeskgymError("env_error", f"{path} does not say what was shared", "run the audit again")
    if not all(isinstance(one, dict) and set(one) == _OF_INSTANCE for one in known["instances"]):
        raise DeskgymError("env_error", f"{path} holds no instances of an audit", "run the audit again")
    found: dict[str, Any] = known
    return found


def proves(known: Mapping[str, Any]) -> bool:
    """Whether evidence is enough: every gate through both doors without fault, on two seeds, in both variants."""
    instances: Sequence[Mapping[str, Any]] = known["instances"]
    return (
        len({one["seed"] for one in instances}) >= _LEAST_SEEDS
        and {one["widgets"] for one in instances} == set(WIDGETS)
        and all(known["shared"]["gates"].get(name, 0) > 0 for name in _SHARED)
        and all(_passed(one) for one in instances)
    )


def _passed(one: Mapping[str, Any]) -> bool:
    """Whether every gate was tried on an instance without fault. A11 is shared as a whole, and so may A9 be."""
    gates, mutants = one["gates"], one["mutants"]
    equal = sum(len(labels) for labels in mutants.get("equivalents", {}).values())
    return (
        set(gates) == set(GATES)
        and all(attempts > 0 or name in ("A9", "A11") for name, attempts in gates.items())
        and not one["faults"]
        and not one["skipped"]
        and bool(mutants)
        and mutants["killed"] + equal == mutants["total"]
    )


def status_of(name: str, world: str = "small:1") -> str:
    """`verified` where an audit through both doors passed on exactly these sources, else `draft`."""
    path = file_of(name)
    if not path.exists():
        return "draft"
    try:
        known = read_evidence(path)
    except DeskgymError:
        return "draft"
    if not (known["task"] == name and known["world"] == world and proves(known)):
        return "draft"
    try:
        now = digests_of(template_named(name), world, str(known["shared"]["subject"]))
    except UnknownTask:
        return "draft"
    return "verified" if known["digests"] == now else "draft"
