"""Evidence makes a task verified only where it is whole and only for the sources it was made with."""

import ast
import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deskgym import evidence
from deskgym.errors import DeskgymError
from deskgym.proof import GATES, AuditReport, Gate
from deskgym_graders import tasks
from deskgym_graders.tasks import template_named, templates

NAME = "crm/close-won"
SUBJECT = "crm/bring-back-task@0"
BIGGEST = 16_000


def report(seed: int = 0, **change: Any) -> AuditReport:
    """What an audit without fault reports."""
    detail = {
        "total": 3,
        "killed": 2,
        "killed_by": {"MISSING": 2},
        "equivalents": [["perturb: a", "it does not matter"]],
    }
    shared = {"A5": 1, "A9": 3, "A11": 3, "A12": 1}
    gates = tuple(Gate(name, 3, (), detail if name == "A6" else {}, shared.get(name, 0)) for name in GATES)
    widgets = ("aria", "native")[seed % 2]
    return replace(AuditReport(NAME, seed, "0" * 64, ("mcp", "browser"), gates, {}, widgets, SUBJECT), **change)


def without(name: str) -> tuple[Gate, ...]:
    return tuple(gate for gate in report().gates if gate.name != name)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of evidence of one test."""
    monkeypatch.setenv("DESKGYM_EVIDENCE", str(tmp_path / "evidence"))
    return tmp_path / "evidence"


def test_a_task_is_a_draft_until_an_audit_of_two_seeds_is_kept() -> None:
    assert evidence.status_of(NAME) == "draft"
    evidence.write_evidence(NAME, "small:1", [report(0)])
    assert evidence.status_of(NAME) == "draft"
    evidence.write_evidence(NAME, "small:1", [report(0), report(1)])
    assert evidence.status_of(NAME) == "verified"
    assert evidence.status_of(NAME, "small:2") == "draft"


@pytest.mark.parametrize(
    "lacking",
    [
        report(1, widgets="aria"),
        report(1, gates=without("A18")),
        report(1, gates=(*without("A2"), Gate("A2", 0))),
        report(1, gates=(*without("A2"), Gate("A2", 4, ("a variant fails",)))),
        report(1, skipped={"A18": "only mcp was audited"}),
        report(1, gates=(*without("A6"), Gate("A6", 3, (), {"total": 3, "killed": 2, "equivalents": []}))),
    ],
    ids=["one variant of the pages", "no A18", "nothing tried", "a fault", "a gate skipped", "a survivor"],
)
def test_evidence_that_lacks_something_proves_nothing(lacking: AuditReport) -> None:
    evidence.write_evidence(NAME, "small:1", [report(0), lacking])
    assert evidence.status_of(NAME) == "draft"


@pytest.mark.parametrize("gate", ["A5", "A9", "A11", "A12"])
def test_evidence_that_lacks_what_tasks_share_proves_nothing(gate: str) -> None:
    path = evidence.write_evidence(NAME, "small:1", [report(0), report(1)])
    body = json.loads(path.read_text("utf-8"))
    assert body["shared"] == {"subject": SUBJECT, "gates": {"A5": 1, "A9": 3, "A11": 3, "A12": 1}}
    assert [one["gates"]["A5"] for one in body["instances"]] == [2, 2], "what is shared is counted once"
    del body["shared"]["gates"][gate]
    path.write_text(json.dumps(body), "utf-8")
    assert evidence.status_of(NAME) == "draft"


def test_evidence_whose_subject_is_no_task_any_more_proves_nothing() -> None:
    path = evidence.write_evidence(NAME, "small:1", [report(0), report(1)])
    path.write_text(path.read_text("utf-8").replace(SUBJECT, "crm/no-such-task@0"), "utf-8")
    assert evidence.status_of(NAME) == "draft"


def test_any_digest_that_differs_unverifies(folder: Path) -> None:
    path = evidence.write_evidence(NAME, "small:1", [report(0), report(1)])
    body = json.loads(path.read_text("utf-8"))
    assert set(body["digests"]) == {"apps", "audit", "engine", "graders", "pages", "shared", "task", "world"}
    for part in body["digests"]:
        changed = {**body, "digests": {**body["digests"], part: "0" * 64}}
        path.write_text(json.dumps(changed), "utf-8")
        assert evidence.status_of(NAME) == "draft", part
    path.write_text(json.dumps(body), "utf-8")
    assert evidence.status_of(NAME) == "verified"


@pytest.mark.parametrize("part", ["apps", "audit", "engine", "graders", "pages", "shared", "task"])
def test_a_change_of_any_source_of_a_part_changes_its_digest_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    """On copies of the sources, each part in a folder of its own."""
    copies: dict[str, tuple[Path, ...]] = {}
    for name, paths in evidence.parts_of(template_named(NAME), SUBJECT).items():
        copies[name] = tuple(_copied(path, tmp_path / name / str(at)) for at, path in enumerate(paths))
    monkeypatch.setattr(evidence, "parts_of", lambda *_: copies)
    before = evidence.digests_of(template_named(NAME), "small:1", SUBJECT)
    for path in copies[part]:
        target = path if path.is_file() else next(file for file in sorted(path.rglob("*")) if file.suffix == ".py")
        own = target.read_bytes()
        target.write_bytes(own + b"# another\n")
        evidence.path_digest.cache_clear()
        after = evidence.digests_of(template_named(NAME), "small:1", SUBJECT)
        assert {name for name in before if before[name] != after[name]} == {part}, path
        target.write_bytes(own)


def _copied(path: Path, target: Path) -> Path:
    target.mkdir(parents=True)
    copy: Callable[..., Any] = shutil.copyfile if path.is_file() else shutil.copytree
    copy(path, target / path.name)
    return target / path.name


@pytest.mark.parametrize("name", templates())
def test_whatever_a_task_imports_of_the_tasks_room_is_in_a_part(name: str) -> None:
    template = template_named(name)
    room = Path(tasks.__file__).parent
    waiting, seen = [Path(str(sys.modules[template.function.__module__].__file__))], set[Path]()
    while waiting:
        path = waiting.pop()
        seen.add(path)
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                folder = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
                named = (folder.with_suffix(".py"), *(folder / f"{alias.name}.py" for alias in node.names))
                waiting += [file for file in named if file.is_file() and room in file.parents and file not in seen]
    parts = evidence.parts_of(template, SUBJECT)
    assert seen <= {*parts["task"], *parts["graders"]}


def test_the_parts_hold_the_pages_templates_and_the_modules_that_a_task_draws_from() -> None:
    parts = evidence.parts_of(template_named(NAME), SUBJECT)
    names = {path.name for path in parts["task"]}
    assert names >= {"deals.py", "picks.py"}
    assert not names & {"__init__.py", "history.py", "owners.py"}, "what the template does not import is no part"
    assert {path.name for path in parts["apps"]} == {"kit", "desk", "crm"}
    assert any(path.name == "proof" for path in parts["audit"])
    assert "evidence" not in {path.name for path in parts["graders"]}
    engine = {"/".join(path.parts[-2:]) for path in parts["engine"]}
    assert engine >= {"deskgym/episode.py", "control/door.py", "browser/session.py", "deskgym/window.py"}
    assert not [name for name in engine if name.startswith(("cli/", "proof/", "bench/"))]
    assert {path.name for path in parts["shared"]} >= {"crm", "records.py"}, "all apps, and the subject's module"
    kit = next(path for path in parts["apps"] if path.name == "kit")
    assert list(kit.rglob("*.html")), "what the pages look like is part of their digest"


def test_evidence_of_one_state_is_the_same_bytes_and_names_no_place_or_time(folder: Path) -> None:
    reports = [report(1), report(0)]
    first = evidence.write_evidence(NAME, "small:1", reports).read_bytes()
    assert evidence.write_evidence(NAME, "small:1", reports[::-1]).read_bytes() == first
    assert str(Path.cwd()).encode() not in first


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"task": "crm/close-won"}'])
def test_a_file_that_is_no_evidence_is_refused_and_the_task_stays_a_draft(folder: Path, text: str) -> None:
    path = evidence.write_evidence(NAME, "small:1", [report(0), report(1)])
    path.write_text(text, "utf-8")
    with pytest.raises(DeskgymError):
        evidence.read_evidence(path)
    assert evidence.status_of(NAME) == "draft"


def test_shipped_evidence_names_tasks_is_small_and_tells_of_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DESKGYM_EVIDENCE")
    for path in sorted(evidence.evidence_folder().glob("*")):
        known = evidence.read_evidence(path)
        assert known["task"] in templates()
        assert path == evidence.file_of(known["task"])
        assert evidence.proves(known), path.name
        assert path.stat().st_size <= BIGGEST, path.name
