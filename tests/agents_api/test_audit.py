"""The audit passes a sound task and catches a planted fault of each kind."""

from dataclasses import replace
from pathlib import Path

import pytest

from deskgym import audit, evidence
from deskgym.audit import audit_task
from deskgym.catalogue import bind
from deskgym.catalogue import world as open_world
from deskgym.wild import wild_ends
from deskgym_graders.comparators import Any as Anything
from deskgym_graders.expected import changed
from deskgym_graders.spec import Expectation, Submission, Task
from deskgym_graders.tasks import template_named

from . import deals

NEXT_STEP, READ_DEAL = deals.next_step.name, deals.read_deal.name


def work(name: str, **change: object) -> audit._Audit:
    """The audit of a task with a fault planted."""
    task: Task = replace(bind(name, open_world("small:1"), 1), **change)  # type: ignore[arg-type]
    made = audit._Audit(bind(name, open_world("small:1"), 1), "small:1", ("mcp",), (2,))
    made.task = task
    return made


def test_sound_tasks_pass_every_gate_that_needs_no_browser() -> None:
    for name in (NEXT_STEP, READ_DEAL):
        report = audit_task(name, 1)
        assert report.faults == []
        assert {"A1", "A3", "A4", "A5", "A6", "A8", "A10", "A11"} <= {gate.name for gate in report.gates}
        assert list(report.skipped) == ["A18"]
        assert not report.complete


def test_a1_names_an_oracle_that_does_not_solve_its_task(monkeypatch: pytest.MonkeyPatch) -> None:
    planted = work(NEXT_STEP)
    monkeypatch.setattr("deskgym.catalogue.bind", lambda *_: replace(planted.task, oracle=()))
    gate = planted.a1_oracle()
    assert not gate.passed
    assert "MISSING" in gate.faults[0]


def test_a3_names_a_task_that_passes_without_work() -> None:
    assert not work(NEXT_STEP, expectation=Expectation()).a3_nothing().passed


def test_a4_names_an_infeasible_task_that_a_constant_passes() -> None:
    lazy = Expectation(status="infeasible", reason_code="not_found")
    gate = work(NEXT_STEP, expectation=lazy, submission=Submission("infeasible", "not_found")).a4_constants()
    assert any("1.0" in fault for fault in gate.faults)


def test_a6_names_a_mutant_that_survives() -> None:
    task = bind(NEXT_STEP, open_world("small:1"), 1)
    (call,) = task.oracle
    loose = Expectation(any_of=((changed("crm_opportunity", call.args["id"], next_step=Anything("any text")),),))
    assert not work(NEXT_STEP, expectation=loose).a6_mutants().passed


def test_a8_names_a_task_that_another_seed_s_work_passes() -> None:
    other = bind(NEXT_STEP, open_world("small:1"), 2)
    gate = work(NEXT_STEP, expectation=other.expectation, person_id=other.person_id)
    gate.others = [replace(other, expectation=Expectation())]
    assert not gate.a8_other_seeds().passed


def test_the_wild_end_states_really_changed_the_world() -> None:
    ends = {end.name: end for end in wild_ends("small:1")}
    assert len(ends["delete everything"].journal) > 100
    assert len(ends["change everything"].journal) > 100
    assert all(end.atoms for end in ends.values())


def test_evidence_holds_only_for_the_sources_it_was_made_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKGYM_EVIDENCE", str(tmp_path))
    assert evidence.status_of(NEXT_STEP) == "draft"
    digests = evidence.digests_of(template_named(NEXT_STEP), "small:1")
    evidence.write_evidence(NEXT_STEP, digests, {"verified": True})
    assert evidence.status_of(NEXT_STEP) == "verified"
    for changed_part in digests:
        evidence.write_evidence(NEXT_STEP, digests | {changed_part: "0"}, {"verified": True})
        assert evidence.status_of(NEXT_STEP) == "draft"
    evidence.write_evidence(NEXT_STEP, digests, {"verified": False})
    assert evidence.status_of(NEXT_STEP) == "draft"
