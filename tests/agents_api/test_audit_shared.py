"""What is the same for every task is found once for an audit, and its faults reach every report of it."""

from pathlib import Path
from typing import Any

import pytest

from deskgym import audit
from deskgym.proof import Case, Gate, again, attacked, broken, shared, wild
from deskgym.proof.case import PlacedWorld
from deskgym.proof.foreign import Foreigner, close_foreigners, foreigner_of

from . import deals

WORLD = PlacedWorld.of("small:1")


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which is shared; nothing is known yet."""
    monkeypatch.setattr(shared, "_found", {})
    monkeypatch.setattr(shared, "_folder", [])
    (tmp_path / "shelf").mkdir()
    return tmp_path / "shelf"


def test_what_one_process_found_is_given_to_another_and_found_but_once(shelf: Path) -> None:
    found: list[str] = []

    def find() -> tuple[str, ...]:
        found.append("looked")
        return ("a fault",)

    shared.share(shelf)
    assert shared.once(WORLD, "the planes", tuple[str, ...], find) == ("a fault",)
    shared._found.clear()  # as in another process
    assert shared.once(WORLD, "the planes", tuple[str, ...], find) == ("a fault",)
    assert found == ["looked"]
    shared.once(WORLD, "the reset", tuple[str, ...], find)
    shared.once(PlacedWorld.of("small:2"), "the planes", tuple[str, ...], find)
    assert len(found) == 3
    shared.forget()
    assert not shelf.exists()


def test_the_subject_has_several_commands_and_is_the_same_whatever_is_audited(shelf: Path) -> None:
    task = shared.subject(WORLD)
    assert (task.id, len(task.oracle)) == ("crm/bring-back-task@0", 2)


def test_an_audit_finds_all_that_tasks_share_before_the_first_task_and_tells_what_is_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    order: list[str] = []

    def audit_template(name: str, seeds: tuple[int, ...], **_surroundings: Any) -> tuple[Any, ...]:
        order.append(name)
        return name, seeds

    monkeypatch.setattr(audit, "SHARED", {"one": lambda _: order.append("one"), "two": lambda _: order.append("two")})
    monkeypatch.setattr(audit, "audit_template", audit_template)
    told: list[tuple[int, int, str]] = []
    instances = [(deals.next_step.name, (1,)), (deals.read_deal.name, (1, 2))]
    reports: list[Any] = list(audit.audit_all(instances, told=lambda *what: told.append(what)))
    assert reports == instances
    assert order == ["one", "two", deals.next_step.name, deals.read_deal.name]
    assert told == [(at, 4, what) for at, what in enumerate(order, 1)]


def test_every_part_that_gates_share_is_found_beforehand(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part that were left out would be found again by every worker."""
    asked: list[str] = []

    def once(_world: PlacedWorld, part: str, _kind: object, _find: object) -> object:
        asked.append(part)
        return (0, ()) if part == "the planes" else ()

    for module in (wild, attacked, again, broken):
        monkeypatch.setattr(module, "once", once)
    for find in audit.SHARED.values():
        find(WORLD)
    assert asked == [*wild.works(), "the planes", "the killed plane", "the reset"]


def test_a_fault_of_what_is_shared_is_one_of_every_task(shelf: Path) -> None:
    shared._found[WORLD, "the reset"] = ("a reset store differs from S0",)
    for name in (deals.next_step.name, deals.read_deal.name):
        case = Case.of(name, 1, surfaces=("mcp",))
        assert again.a11_reset(case) == Gate("A11", 1, ("a reset store differs from S0",), shared=1)


# --- The foreign process --------------------------------------------------------------------------------


def test_shipped_tasks_are_run_again_in_one_foreign_process_and_others_in_one_of_their_own() -> None:
    try:
        one = foreigner_of("deskgym_graders.tasks.crm.deals")
        assert foreigner_of("deskgym_graders.tasks.crm.picks") is one
        assert foreigner_of("my_tasks") is not one
    finally:
        close_foreigners()


def test_a_foreign_process_that_breaks_says_so_and_the_next_one_is_asked() -> None:
    try:
        first = foreigner_of("my_tasks")
        answer = first.ask(["no_such_module", "x/y", [0], 8, "small:1", "", "", None])
        assert isinstance(answer, str)
        assert "ModuleNotFoundError: No module named 'no_such_module'" in answer
        assert foreigner_of("my_tasks") is first
        first._process.kill()
        first._process.wait()
        assert first.ask([]) == "it ended with -9"
        second = foreigner_of("my_tasks")
        assert isinstance(second, Foreigner)
        assert second is not first
    finally:
        close_foreigners()
