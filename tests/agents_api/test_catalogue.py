"""Worlds are checked and tasks compiled once a process, and again where they have changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from deskgym import catalogue
from deskgym.errors import DeskgymError
from deskgym.pool import World
from deskgym.run.facts import run_facts
from deskgym.run.plan import Plan, make_plan
from deskgym.run.record import RunFolder
from deskgym.run.regrade import regrade, replay
from deskgym.run.runner import run_all
from deskgym_graders.spec import Task


def test_a_task_is_compiled_once_a_process() -> None:
    world = catalogue.world("small:1")
    first = catalogue.bind("crm/close-won", world, 11)
    assert catalogue.bind("crm/close-won@11", world) is first
    assert catalogue.bind("crm/close-won", world, 12) is not first


def test_a_world_is_checked_again_once_its_files_have_changed() -> None:
    world = catalogue.world("small:1")
    assert catalogue.world("small:1") is world
    status = world.reference_path.stat()
    os.utime(world.reference_path, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    assert catalogue.world("small:1") is not world


def _plan() -> Plan:
    return make_plan(["crm/close-won", "crm/new-amount"], (3, 4), agent="oracle", surface="mcp", world_name="small:1")


def test_a_run_compiles_the_first_instance_of_each_template_before_it_begins() -> None:
    plan = _plan()
    assert list(plan.tasks) == ["crm/close-won@3", "crm/new-amount@3"]
    assert len(plan.specs()) == 4


def test_an_instance_that_does_not_compile_is_a_spec_error_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bind = catalogue.bind

    def sometimes(name: str, world: World, seed: int | None = None) -> Task:
        if (name, seed) == ("crm/close-won", 4):
            raise DeskgymError("invalid_task", "crm/close-won@4 does not compile: no such deal")
        return bind(name, world, seed)

    plan = _plan()
    monkeypatch.setattr(catalogue, "bind", sometimes)
    folder = RunFolder.create(tmp_path / "run", run_facts(plan))
    rows = list(run_all(folder, plan.specs(), 1))
    assert [(row["task"], row["seed"], row["status"], row["reward"]) for row in rows] == [
        ("crm/close-won", 3, "graded", 1.0),
        ("crm/close-won", 4, "spec_error", None),
        ("crm/new-amount", 3, "graded", 1.0),
        ("crm/new-amount", 4, "graded", 1.0),
    ]
    assert "no such deal" in rows[1]["feedback"]
    again = list(regrade(folder))
    assert [row["status"] for row in again] == [row["status"] for row in rows]
    assert all(row["same"] for row in again)
    assert [row["same_task"] for row in again if row["status"] == "graded"] == [True, True, True]
    assert [row["status"] for row in replay(folder)] == [row["status"] for row in rows]
