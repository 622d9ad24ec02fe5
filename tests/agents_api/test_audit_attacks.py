"""The gates that attack and break the machinery: they hold on a sound one, and name each hole that is planted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

from deskgym.control import places, reading
from deskgym.control.door import Guard
from deskgym.proof import Case, attacked, broken, probes, shared
from deskgym_apps import server
from deskgym_apps.desk import service as desk
from deskgym_apps.kit import folder, session
from deskgym_graders import grade as grading
from deskgym_graders.verdict import Integrity

from . import deals

NEXT_STEP, READ_DEAL = deals.next_step.name, deals.read_deal.name
Plant = Callable[[pytest.MonkeyPatch], None]


@pytest.fixture(autouse=True)
def _asked_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found once for an audit is found again in each test."""
    monkeypatch.setattr(shared, "_found", {})


def case() -> Case:
    return Case.of(NEXT_STEP, 1, surfaces=("mcp",))


# --- A9 -------------------------------------------------------------------------------------------------


def test_a9_holds_and_asks_the_planes_once() -> None:
    first = attacked.a9_attacks(case())
    assert first.faults == ()
    assert (first.attempts, first.shared) == (8 + len(attacked.FORGERIES), 8)
    answer = attacked.a9_attacks(Case.of(READ_DEAL, 1, surfaces=("mcp",)))
    assert (answer.faults, answer.attempts, answer.shared) == ((), 8, 8)  # there are no rows to forge
    assert sum(part == "the planes" for _, part in shared._found) == 1


def no_token_asked(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Guard, "_check_token", lambda *_: None)


def control_on_the_agents_port(patch: pytest.MonkeyPatch) -> None:
    sound = server.create_server

    async def episodes(_request: Any) -> JSONResponse:
        return JSONResponse({"rows": []})

    def careless(root: Any, **options: Any) -> Starlette:
        made = sound(root, **options)
        made.router.routes.insert(0, Route("/v1/episodes", episodes, methods=["GET", "POST"]))
        return made

    patch.setattr(server, "create_server", careless)


def old_tokens_stay(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(folder, "revoke", lambda *_: None)
    patch.setattr(places.Places, "discard", lambda *_: None)


def posts_from_anywhere(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(session, "check_same_origin", lambda *_, **__: None)


HOLES: tuple[tuple[Plant, str], ...] = (
    (no_token_asked, "POST /v1/episodes answered"),
    (control_on_the_agents_port, "GET /v1/episodes answered 200"),
    (old_tokens_stay, "a former token is answered"),
    (posts_from_anywhere, "POST /desk/submit with {'Origin': 'http://evil.example'} answered"),
)


@pytest.mark.parametrize(("plant", "fault"), HOLES, ids=[plant.__name__ for plant, _ in HOLES])
def test_a9_names_a_hole_in_the_planes(monkeypatch: pytest.MonkeyPatch, plant: Plant, fault: str) -> None:
    one = case()
    monkeypatch.setattr(probes, "CONTROL_PATHS", ("/v1/episodes",))  # each hole shows there
    monkeypatch.setattr(probes, "FILES", ())
    plant(monkeypatch)
    _, found = attacked.attack_faults(one.world)
    assert any(line.startswith(fault) for line in found), found


def test_a9_names_every_forgery_that_a_careless_grader_believes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grading, "check_integrity", lambda *_, **__: Integrity((), True))
    tried, found = attacked.forgery_faults(case())
    assert tried == len(attacked.FORGERIES)
    assert len(found) == tried
    # Rows that no command made, and commands that made none, are no work to a grader that believes everything.
    assert [line for line in found if "graded 1.0 (OK)" in line] == found[2:], found


# --- A12 ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [NEXT_STEP, READ_DEAL])
def test_a12_holds(name: str) -> None:
    gate = broken.a12_faults(Case.of(name, 1, surfaces=("mcp",)))
    assert gate.faults == ()
    assert (gate.attempts, gate.shared) == (11, 1)


def test_a12_names_all_that_a_grader_which_sees_nothing_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "grade", lambda *_: {"status": "graded", "reward": 1.0})
    found = [fault.rsplit(":", 1)[0] for fault in broken.a12_faults(case()).faults]
    whats = [(one.__doc__ or "").rstrip(".") for one in broken.BREAKS]
    assert found[: len(whats)] == whats
    assert found[-1] == "the agent plane is killed"


def test_a12_names_a_control_that_grades_a_store_which_is_no_longer_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "_identity", lambda _path: (0, 0))
    found = broken.a12_faults(case()).faults
    assert found == ("The store is gone while control holds it open: graded 1.0",)


def test_a12_names_a_grader_that_gives_0_where_it_was_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = grading.not_graded

    def careless(status: Any, feedback: str, *rest: Any) -> Any:
        return replace(sound(status, feedback, *rest), status="graded", reward=0.0)

    monkeypatch.setattr(grading, "not_graded", careless)
    found = list(broken.interrupted_faults(case()))
    assert len(found) == 2
    assert all(fault.endswith("graded 0.0") for fault in found)


def test_a12_names_an_answer_that_breaks_the_desk(monkeypatch: pytest.MonkeyPatch) -> None:
    def fragile(_answer: Any) -> str:
        raise RecursionError("nested too deep")

    monkeypatch.setattr(desk, "answer_text", fragile)
    found = list(broken.malformed_faults(case()))
    assert len(found) == len(broken.MALFORMED)
    assert all("RecursionError" in fault for fault in found)
