"""One private copy of a world: doors, seal, copies, tokens."""

import pytest

from deskgym.episode import Episode
from deskgym.errors import DeskgymError
from deskgym_apps.kit.canonical import full_dump, state_hash
from deskgym_apps.kit.errors import Conflict, Invalid, NotFound, Sealed

from .memo_world.world import ANA, BEN, MILK, TinyWorld

HOMES = ("file", "memory")
pytestmark = pytest.mark.parametrize("home", HOMES)


def start(world: TinyWorld, home: str, **more: object) -> Episode:
    return Episode.start(world=world, home=home, app_names=["memo"], **more)  # type: ignore[arg-type]


def test_a_new_episode_equals_s0(tiny: TinyWorld, home: str) -> None:
    with start(tiny, home) as episode:
        assert full_dump(episode.store) == full_dump(episode.origin.store)
        assert episode.state_hash() == state_hash(episode.origin.store)


def test_a_tool_call_is_one_journaled_command_and_moves_the_clock(tiny: TinyWorld, home: str) -> None:
    with start(tiny, home) as episode:
        made = episode.call_tool("memo_add", {"title": "Call Ben"})
        (entry,) = episode.journal()
        assert (entry["operation"], entry["arguments"]) == ("memo.add_memo", {"title": "Call Ben"})
        assert (entry["channel"], entry["person_id"]) == ("mcp", ANA)
        assert episode.now == "2031-03-14T09:00:01Z"
        changes = {(row["op"], row["table"]): row for row in episode.diff()}
        assert set(changes) == {("insert", "memo_memo"), ("update", "org_meta")}
        assert changes["insert", "memo_memo"]["new"]["id"] == made["id"]
        assert episode.state_hash() == state_hash(episode.store)


def test_a_refused_call_leaves_nothing(tiny: TinyWorld, home: str) -> None:
    with start(tiny, home) as episode:
        before = full_dump(episode.store)
        with pytest.raises(Invalid, match="title"):
            episode.call_tool("memo_add", {"title": 7})
        with pytest.raises(NotFound, match='Did you mean "memo_add"'):
            episode.call_tool("memo_ad", {})
        with pytest.raises(Conflict):
            episode.call_tool("memo_finish", {"id": MILK, "row_version": 5})
        assert full_dump(episode.store) == before


def test_the_first_submission_seals(tiny: TinyWorld, home: str) -> None:
    with start(tiny, home) as episode:
        with pytest.raises(Invalid):
            episode.submit("finished")
        assert episode.submission is None
        episode.submit("done", answer={"count": 1})
        assert episode.sealed
        with pytest.raises(Sealed):
            episode.submit("done")
        with pytest.raises(Sealed):
            episode.call_tool("memo_add", {"title": "Late"})
        with pytest.raises(Sealed):
            episode.advance_clock(60)
        assert episode.call_tool("memo_list", {})


def test_restore_goes_back_and_new_rows_get_the_same_ids(tiny: TinyWorld, home: str) -> None:
    with start(tiny, home) as episode:
        episode.call_tool("memo_add", {"title": "One"})
        taken, dump = episode.snapshot(), full_dump(episode.store)
        first = episode.call_tool("memo_add", {"title": "Two"})
        episode.submit()
        episode.restore(taken)
        assert full_dump(episode.store) == dump
        assert episode.call_tool("memo_add", {"title": "Two"}) == first


def test_a_fork_lives_its_own_life(tiny: TinyWorld, home: str) -> None:
    with start(tiny, home) as episode:
        episode.call_tool("memo_add", {"title": "One"})
        with episode.fork() as twin:
            assert full_dump(twin.store) == full_dump(episode.store)
            twin.call_tool("memo_finish", {"id": MILK, "row_version": 1})
            assert twin.seq() == 2
            assert episode.seq() == 1
        assert len(episode.call_tool("memo_list", {})) == 2


def test_injected_rows_belong_to_s0(tiny: TinyWorld, home: str) -> None:
    extra = {"id": "MEM0000000000ZZ", "title": "Extra", "created_by": BEN, "created_at": "2031-03-01T08:00:00Z"}
    with start(tiny, home, inject={"memo_memo": [extra]}) as episode:
        assert len(episode.call_tool("memo_list", {})) == 2
        assert episode.diff() == []
        assert episode.state_hash() == state_hash(episode.origin.store)
    with pytest.raises(DeskgymError, match="nope") as refused:
        start(tiny, home, inject={"nope": [extra]})
    assert refused.value.kind == "usage"
    with start(tiny, home) as episode:
        assert len(episode.call_tool("memo_list", {})) == 1


def test_an_unknown_person_is_named(tiny: TinyWorld, home: str) -> None:
    with pytest.raises(DeskgymError, match="PRS000000000009") as refused:
        start(tiny, home, person="PRS000000000009")
    assert refused.value.kind == "not_found"


def test_the_clock_moves_on_only_for_control(tiny: TinyWorld, home: str) -> None:
    with start(tiny, home) as episode:
        episode.call_tool("memo_list", {})
        assert episode.now == "2031-03-14T09:00:00Z"
        assert episode.advance_clock(3600) == "2031-03-14T10:00:00Z"
        assert episode.journal()[0]["channel"] == "control"


def test_a_closed_episode_says_so(tiny: TinyWorld, home: str) -> None:
    episode = start(tiny, home)
    episode.close()
    episode.close()
    with pytest.raises(DeskgymError, match="closed"):
        episode.call_tool("memo_list", {})


def test_an_episode_without_task_cannot_be_graded(tiny: TinyWorld, home: str) -> None:
    with start(tiny, home) as episode, pytest.raises(DeskgymError, match="no task"):
        episode.grade()
