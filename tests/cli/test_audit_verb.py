"""`deskgym audit`: what it prints, what it keeps, and how it ends."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from deskgym.cli.audit import _finish
from deskgym.proof import AuditReport, Gate

from .conftest import Deskgym, envelope


def test_an_audit_over_tools_alone_passes_and_leaves_the_task_a_draft(deskgym: Deskgym, tmp_path: Path) -> None:
    words = ("audit", "-t", "crm/which-namesake@0", "--surface", "mcp", "-n", "1", "--save", "--json")
    result = deskgym(*words, DESKGYM_EVIDENCE=str(tmp_path / "evidence"))
    assert result.exit_code == 0, result.output
    found = envelope(result)["data"]
    assert found["counts"] == {"total": 1, "failed": 0}
    (row,) = found["rows"]
    assert (row["task"], row["seed"], row["passed"], row["complete"]) == ("crm/which-namesake", 0, True, False)
    (kept,) = (tmp_path / "evidence").iterdir()
    assert json.loads(kept.read_text("utf-8"))["instances"][0]["skipped"] == {"A18": "only mcp was audited"}
    tasks = envelope(deskgym("list", "tasks", "--json", DESKGYM_EVIDENCE=str(tmp_path / "evidence")))["data"]["rows"]
    assert {row["status"] for row in tasks if row["task"] == "crm/which-namesake"} == {"draft"}


def test_a_fault_of_any_gate_ends_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    sound = AuditReport("crm/close-won", 0, "0" * 64, ("mcp",), (Gate("A1", 1),))
    unsound = replace(sound, seed=1, gates=(Gate("A1", 1), Gate("A3", 6, ("nothing gets 1.0 (OK)",))))
    untried = replace(sound, seed=2, gates=(Gate("A1", 0),))
    assert _finish([sound], as_json=False) == 0
    assert _finish([sound, unsound], as_json=False) == 1
    assert _finish([untried], as_json=False) == 1
    assert "2 task instances audited, 1 failed" in capsys.readouterr().out


def test_an_unknown_task_is_named_with_the_nearest(deskgym: Deskgym) -> None:
    result = deskgym("audit", "-t", "crm/close-one", "--json")
    assert result.exit_code == 2
    assert "crm/close-won" in envelope(result)["error"]["message"]
