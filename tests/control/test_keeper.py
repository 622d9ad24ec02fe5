"""The life of episodes under control: start, reset, snapshot, restore, fork, leases, and going on after a kill."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from deskgym import catalogue
from deskgym.control import changing, inputs, reading
from deskgym.control.keeper import Keeper, Settings
from deskgym.control.registry import Entry
from deskgym.errors import DeskgymError
from deskgym_apps.kit import folder
from deskgym_apps.kit import tools as kit_tools
from deskgym_apps.kit.call import advance_clock
from deskgym_apps.kit.canonical import full_dump
from deskgym_apps.kit.errors import NotFound, Sealed
from deskgym_apps.kit.store import Store
from deskgym_graders.oracle import resolve

from .conftest import Wall

TASK = "crm/close-won"
Again = Callable[[], Keeper]


def start(keeper: Keeper, **given: Any) -> dict[str, Any]:
    return keeper.start(inputs.Start(task=TASK, seed=3, **given))


def entry_of(keeper: Keeper, face: dict[str, Any]) -> Entry:
    return keeper.registry.get(face["id"])


@contextmanager
def worker(keeper: Keeper, token: str) -> Iterator[Callable[..., Any]]:
    """Tool calls as a worker makes them: by token, on a connection of its own."""
    place = folder.locate(keeper.settings.root, token)
    public = folder.read_public(place.folder)
    with Store.open(place.folder / "store.db") as store:
        store.public = public

        def call(name: str, arguments: dict[str, Any]) -> Any:
            return kit_tools.call_tool(store, name, arguments, person_id=place.person_id, app_names=public.apps)

        yield call


def solve(keeper: Keeper, token: str) -> None:
    task = catalogue.bind(TASK, catalogue.world("small:1"), 3)
    results: dict[str, Any] = {}
    with worker(keeper, token) as call:
        for step in task.oracle:
            result = call(step.tool, resolve(step.args, results))
            if step.save_as is not None:
                results[step.save_as] = result


def hash_of(keeper: Keeper, face: dict[str, Any]) -> str:
    return str(reading.state_hash(keeper, entry_of(keeper, face))["state_hash"])


def is_gone(keeper: Keeper, token: str) -> bool:
    try:
        folder.locate(keeper.settings.root, token)
    except folder.Gone:
        return True
    return False


# --- Starting and grading ------------------------------------------------------------------------------


def test_an_episode_is_started_solved_handed_in_and_graded(keeper: Keeper) -> None:
    face = start(keeper)
    assert face["task"] == f"{TASK}@3"
    assert face["enter_url"] == f"http://127.0.0.1:8000/enter/{face['agent_token']}"
    assert face["lease_expires"] == "2030-03-17T17:48:20Z"
    entry = entry_of(keeper, face)
    assert reading.grade(keeper, entry)["reason"] == "NO_SUBMISSION"
    solve(keeper, face["agent_token"])
    assert changing.submit(keeper, entry, inputs.Submit()) == {"id": face["id"], "submitted": True}
    verdict = reading.grade(keeper, entry)
    assert (verdict["status"], verdict["reward"], verdict["replayed"]) == ("graded", 1.0, True)
    with pytest.raises(Sealed):
        changing.submit(keeper, entry, inputs.Submit())


def test_nothing_of_the_task_but_its_instruction_is_where_workers_read(keeper: Keeper) -> None:
    face = start(keeper)
    entry = entry_of(keeper, face)
    written = "".join(
        path.read_text("utf-8", errors="replace")
        for path in keeper.settings.root.rglob("*")
        if path.is_file() and path.suffix != ".db"
    )
    assert (
        face["instruction"]
        in json.loads((keeper.settings.root / entry.folder / "public.json").read_text())["instruction"]
    )
    assert TASK not in written
    assert str(entry.task_digest) not in written
    assert face["agent_token"] not in written
    world = catalogue.world("small:1")
    assert str(world.folder) not in written, "beside the reference database lie S0 and the seeded mess"


def test_injected_rows_are_part_of_the_first_state_and_their_image_goes_with_the_last_episode(keeper: Keeper) -> None:
    rows = {"org_meta": [{"key": "motto", "value": "measure twice"}]}
    plain, face = start(keeper), start(keeper, inject=rows)
    with (
        worker(keeper, face["agent_token"]),
        Store.open(keeper.settings.root / entry_of(keeper, face).folder / "store.db") as store,
    ):
        assert store.meta("motto") == "measure twice"
    assert hash_of(keeper, face) != hash_of(keeper, plain)
    entry = entry_of(keeper, face)
    image = keeper.begun(entry).origin.path
    assert image.exists()
    keeper.end(face["id"])
    assert not image.exists()
    assert hash_of(keeper, start(keeper, inject=rows)) != hash_of(keeper, plain)


def test_an_expectation_that_no_longer_comes_out_the_same_is_spec_error_and_no_reward(
    keeper: Keeper, settings: Settings
) -> None:
    face = start(keeper)
    with sqlite3.connect(settings.folder / "control.db") as conn:
        conn.execute("UPDATE episode SET task_digest = 'of an older version'")
    conn.close()
    verdict = reading.grade(keeper, entry_of(keeper, face))
    assert (verdict["status"], verdict["reward"]) == ("spec_error", None)


def test_a_store_that_cannot_be_read_is_env_error_and_no_reward(keeper: Keeper) -> None:
    face = start(keeper)
    entry = entry_of(keeper, face)
    keeper.places.close()
    place = keeper.settings.root / entry.folder
    for name in ("store.db-wal", "store.db-shm"):
        (place / name).unlink(missing_ok=True)
    (place / "store.db").write_bytes(b"no database at all" * 1000)
    with pytest.raises(DeskgymError) as caught:
        reading.state_hash(keeper, entry)
    assert caught.value.kind == "env_error"
    with pytest.raises(DeskgymError) as caught:
        reading.grade(keeper, entry)
    assert caught.value.kind == "env_error"


def test_a_fresh_store_that_was_damaged_is_given_to_nobody(keeper: Keeper) -> None:
    keeper.warm("small:1")
    for path in keeper.settings.root.glob("*/store.db"):
        path.write_bytes(b"no database at all" * 1000)
        for beside in path.parent.glob("store.db-*"):
            beside.unlink()
    face = start(keeper)
    solve(keeper, face["agent_token"])


# --- Other places --------------------------------------------------------------------------------------


def test_a_reset_goes_on_in_another_folder_with_the_same_dump_and_the_old_token_answers_410(keeper: Keeper) -> None:
    face = start(keeper)
    first = entry_of(keeper, face)
    with Store.open(keeper.settings.root / first.folder / "store.db") as store:
        before = full_dump(store)
    solve(keeper, face["agent_token"])
    renewed = changing.reset(keeper, first, inputs.Asked())
    second = entry_of(keeper, face)
    assert renewed["id"] == face["id"]
    assert renewed["agent_token"] != face["agent_token"]
    assert second.folder != first.folder
    assert not (keeper.settings.root / first.folder).exists()
    assert is_gone(keeper, face["agent_token"])
    with Store.open(keeper.settings.root / second.folder / "store.db") as store:
        assert full_dump(store) == before
    solve(keeper, renewed["agent_token"])


def test_a_late_write_into_the_old_folder_never_reaches_the_new_one(keeper: Keeper) -> None:
    face = start(keeper)
    with worker(keeper, face["agent_token"]) as call:
        call("crm_create", {"object": "account", "values": {"name": "before"}})
        changing.reset(keeper, entry_of(keeper, face), inputs.Asked())
        fresh = hash_of(keeper, face)
        call("crm_create", {"object": "account", "values": {"name": "late"}})
    assert hash_of(keeper, face) == fresh


def test_snapshot_restore_and_fork_work_after_any_command(keeper: Keeper) -> None:
    face = start(keeper)
    entry = entry_of(keeper, face)
    (keeper.settings.root / entry.folder / "files" / "list.csv").write_text("a,b\n")
    with worker(keeper, face["agent_token"]) as call:
        call("crm_create", {"object": "account", "values": {"name": "kept"}})
        taken = changing.snapshot(keeper, entry, inputs.Asked())
        kept = hash_of(keeper, face)
        call("crm_create", {"object": "account", "values": {"name": "not kept"}})
    assert taken["seq"] == 1
    later = hash_of(keeper, face)
    twin = changing.fork(keeper, entry, inputs.MaybeFromSnapshot(snapshot=taken["snapshot"]))
    present = changing.fork(keeper, entry, inputs.MaybeFromSnapshot())
    assert (hash_of(keeper, twin), hash_of(keeper, present)) == (kept, later)
    restored = changing.restore(keeper, entry, inputs.FromSnapshot(snapshot=taken["snapshot"]))
    assert hash_of(keeper, restored) == kept
    assert (keeper.settings.root / entry_of(keeper, restored).folder / "files" / "list.csv").read_text() == "a,b\n"
    assert is_gone(keeper, face["agent_token"])
    with worker(keeper, restored["agent_token"]) as call:
        call("crm_create", {"object": "account", "values": {"name": "after"}})
    assert (hash_of(keeper, twin), hash_of(keeper, present)) == (kept, later)
    assert len({item["agent_token"] for item in (face, twin, present, restored)}) == 4


def test_a_snapshot_belongs_to_its_episode(keeper: Keeper) -> None:
    one, two = start(keeper), start(keeper)
    taken = changing.snapshot(keeper, entry_of(keeper, one), inputs.Asked())["snapshot"]
    with pytest.raises(DeskgymError, match="has no snapshot"):
        changing.restore(keeper, entry_of(keeper, two), inputs.FromSnapshot(snapshot=taken))


def test_two_people_work_in_one_episode_each_by_a_token_of_their_own(keeper: Keeper) -> None:
    face = start(keeper)
    entry = entry_of(keeper, face)
    with keeper.opened(entry) as episode:
        other = next(
            row["id"]
            for row in episode.store.all("SELECT person_id AS id FROM crm_user ORDER BY 1")
            if row["id"] != face["person"]
        )
    let_in = changing.token(keeper, entry, inputs.Person(person=other))
    assert changing.token(keeper, entry, inputs.Person(person=other)) == let_in
    for token, person in ((face["agent_token"], face["person"]), (let_in["agent_token"], other)):
        with worker(keeper, token) as call:
            assert call("crm_whoami", {})["id"] == person
    changing.reset(keeper, entry, inputs.Asked())
    assert is_gone(keeper, face["agent_token"])
    assert is_gone(keeper, let_in["agent_token"])
    assert set(keeper.registry.tokens(face["id"])) == {face["person"], other}


def test_the_clock_moves_only_forward_and_stands_after_the_seal(keeper: Keeper) -> None:
    face = start(keeper)
    entry = entry_of(keeper, face)
    before = reading.state_hash(keeper, entry)["now"]
    assert changing.clock(keeper, entry, inputs.Clock(seconds=60))["now"] > before
    changing.submit(keeper, entry, inputs.Submit())
    with pytest.raises(Sealed):
        changing.clock(keeper, entry, inputs.Clock(seconds=60))
    assert reading.grade(keeper, entry)["replayed"] is True


# --- Capacity and leases -------------------------------------------------------------------------------


def test_a_full_server_says_when_to_try_again(keeper: Keeper, wall: Wall) -> None:
    for ttl_s in (50, 30, 3000, 3000):
        face = start(keeper, ttl_s=ttl_s)
    full = entry_of(keeper, face)
    with pytest.raises(DeskgymError) as caught:
        start(keeper)
    assert caught.value.kind == "capacity"
    with pytest.raises(DeskgymError) as caught:
        changing.fork(keeper, full, inputs.MaybeFromSnapshot())
    assert caught.value.kind == "capacity"
    assert keeper.retry_after() == 30
    wall.now += 30
    keeper.reap()
    start(keeper)


def test_a_lease_ends_and_takes_folder_and_tokens_with_it(keeper: Keeper, wall: Wall) -> None:
    face = start(keeper, ttl_s=10)
    other = start(keeper, ttl_s=1000)
    place = entry_of(keeper, face).folder
    wall.now += 9
    assert keeper.reap() == []
    wall.now += 1
    assert keeper.reap() == [face["id"]]
    assert is_gone(keeper, face["agent_token"])
    assert not (keeper.settings.root / place).exists()
    with pytest.raises(DeskgymError, match="its lease ran out"):
        entry_of(keeper, face)
    assert [row["id"] for row in keeper.episodes()] == [other["id"]]


def test_a_heartbeat_and_a_growing_journal_lengthen_a_lease_and_reading_does_not(keeper: Keeper, wall: Wall) -> None:
    beating, working, read, idle = (start(keeper, ttl_s=10) for _ in range(4))
    wall.now += 8
    changing.heartbeat(keeper, entry_of(keeper, beating), inputs.Heartbeat())
    with worker(keeper, working["agent_token"]) as call:
        call("crm_create", {"object": "account", "values": {"name": "one"}})
    with worker(keeper, read["agent_token"]) as call:
        call("crm_whoami", {})
    wall.now += 8
    assert set(keeper.reap()) == {read["id"], idle["id"]}
    wall.now += 12
    assert set(keeper.reap()) == {beating["id"], working["id"]}


def test_a_heartbeat_may_change_the_length_of_a_lease(keeper: Keeper, wall: Wall) -> None:
    face = start(keeper, ttl_s=10)
    changing.heartbeat(keeper, entry_of(keeper, face), inputs.Heartbeat(ttl_s=500))
    wall.now += 400
    assert keeper.reap() == []
    assert entry_of(keeper, face).ttl_s == 500


def test_an_episode_whose_store_is_gone_is_reaped_all_the_same(keeper: Keeper, wall: Wall) -> None:
    face = start(keeper, ttl_s=10)
    keeper.places.discard(entry_of(keeper, face).folder)
    wall.now += 20
    assert keeper.reap() == [face["id"]]


# --- Once, whatever happens ----------------------------------------------------------------------------


def test_the_same_request_id_gives_the_same_answer_and_does_nothing_again(keeper: Keeper) -> None:
    face = start(keeper, request_id="a")
    assert start(keeper, request_id="a") == face
    assert len(keeper.episodes()) == 1
    entry = entry_of(keeper, face)
    reset = changing.reset(keeper, entry, inputs.Asked(request_id="b"))
    assert changing.reset(keeper, entry_of(keeper, face), inputs.Asked(request_id="b")) == reset
    moved = changing.clock(keeper, entry_of(keeper, face), inputs.Clock(seconds=5, request_id="c"))
    assert changing.clock(keeper, entry_of(keeper, face), inputs.Clock(seconds=5, request_id="c")) == moved
    changing.submit(keeper, entry_of(keeper, face), inputs.Submit(request_id="d"))
    changing.submit(keeper, entry_of(keeper, face), inputs.Submit(request_id="d"))
    assert reading.state_hash(keeper, entry_of(keeper, face))["seq"] == 1


def test_a_request_id_of_another_request_is_a_conflict(keeper: Keeper) -> None:
    face = start(keeper, request_id="a")
    with pytest.raises(DeskgymError) as caught:
        start(keeper, request_id="a", ttl_s=5)
    assert caught.value.kind == "conflict"
    with pytest.raises(DeskgymError):
        changing.reset(keeper, entry_of(keeper, face), inputs.Asked(request_id="a"))


def test_a_refused_request_may_be_asked_again_under_its_id(keeper: Keeper) -> None:
    with pytest.raises(DeskgymError):
        keeper.start(inputs.Start(task="crm/nothing", request_id="a"))
    with pytest.raises(DeskgymError):
        keeper.start(inputs.Start(task="crm/nothing", request_id="a"))
    assert keeper.start(inputs.Start(task=TASK, request_id="b"))["task"] == f"{TASK}@0"


def test_episodes_tokens_leases_and_request_ids_come_back_after_a_kill(keeper: Keeper, again: Again) -> None:
    face = start(keeper, request_id="a", ttl_s=1000)
    solve(keeper, face["agent_token"])
    taken = changing.snapshot(keeper, entry_of(keeper, face), inputs.Asked())
    before = hash_of(keeper, face)
    revived = again()
    assert start(revived, request_id="a", ttl_s=1000) == face
    assert revived.episode(face["id"])["snapshots"] == [{"snapshot": taken["snapshot"], "seq": taken["seq"]}]
    assert hash_of(revived, face) == before
    changing.submit(revived, entry_of(revived, face), inputs.Submit())
    assert reading.grade(revived, entry_of(revived, face))["reward"] == 1.0


def test_a_lease_that_ended_while_control_was_away_gets_a_minute(keeper: Keeper, again: Again, wall: Wall) -> None:
    face = start(keeper, ttl_s=10)
    wall.now += 1000
    revived = again()
    assert revived.reap() == []
    wall.now += 60
    assert revived.reap() == [face["id"]]


# A process that resets an episode and is killed at a moment: right after that step, with nothing cleaned up.
KILLED = """
import os, sys
from pathlib import Path
from deskgym.control import changing, inputs
from deskgym.control.keeper import Keeper, Settings

root, folder, episode, moment = sys.argv[1:]
keeper = Keeper(Settings(Path(root), Path(folder), "http://127.0.0.1:8000", now=lambda: 1_900_000_000))
owner = {"move": keeper.registry, "face": keeper, "settle": keeper}.get(moment, keeper.places)
step = getattr(owner, moment)

def killed(*values):
    if moment != "settle":
        step(*values)
    os._exit(9)

setattr(owner, moment, killed)
changing.reset(keeper, keeper.registry.get(episode), inputs.Asked(request_id="r"))
"""


@pytest.mark.parametrize("moment", ["publish", "move", "face", "settle", "revoke", "discard"])
def test_a_kill_at_any_point_of_a_reset_leaves_the_old_place_or_the_new_one(
    keeper: Keeper, again: Again, moment: str
) -> None:
    face = start(keeper)
    solve(keeper, face["agent_token"])
    worked, first = hash_of(keeper, face), entry_of(keeper, face)
    words = [str(keeper.settings.root), str(keeper.settings.folder), face["id"], moment]
    environment = {"PATH": os.defpath, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    environment |= {name: os.environ[name] for name in ("HOME", "DESKGYM_CACHE") if name in os.environ}
    assert subprocess.run([sys.executable, "-c", KILLED, *words], env=environment, check=False).returncode == 9
    revived = again()
    present = entry_of(revived, face)
    tokens = revived.registry.tokens(face["id"])
    places = {path.name for path in revived.settings.root.iterdir()} - {"tokens", "reference"}
    assert places == {present.folder}
    if moment in ("settle", "revoke", "discard"):
        assert present.folder != first.folder
        assert is_gone(revived, face["agent_token"])
    else:
        assert (present.folder, hash_of(revived, face)) == (first.folder, worked)
        assert list(tokens.values()) == [face["agent_token"]]
    assert folder.locate(revived.settings.root, next(iter(tokens.values()))).episode == present.folder
    live = [path for path in (revived.settings.root / "tokens").iterdir() if "gone" not in path.read_text()]
    assert len(live) == 1
    once_more = changing.reset(revived, present, inputs.Asked(request_id="r"))
    assert folder.locate(revived.settings.root, once_more["agent_token"]).episode == entry_of(revived, face).folder


class Killed(BaseException):
    """The process is killed at this point: nothing after it happens."""


@pytest.mark.parametrize("call", ["clock", "submit"])
def test_a_step_that_a_kill_broke_off_after_it_was_made_is_not_made_twice(
    keeper: Keeper, again: Again, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    face = start(keeper)

    def ask(by: Keeper) -> Any:
        if call == "clock":
            return changing.clock(by, entry_of(by, face), inputs.Clock(seconds=60, request_id="r"))
        return changing.submit(by, entry_of(by, face), inputs.Submit(answer={"n": 1}, request_id="r"))

    def kill(*_: Any) -> None:
        raise Killed

    monkeypatch.setattr(keeper.registry, "answer_request", kill)
    with pytest.raises(Killed):
        ask(keeper)
    revived = again()
    ask(revived)
    assert reading.state_hash(revived, entry_of(revived, face))["seq"] == (1 if call == "clock" else 0)
    assert ask(revived) == ask(revived)


def test_folders_and_tokens_that_nobody_was_given_are_removed_at_the_start(keeper: Keeper, again: Again) -> None:
    face = start(keeper)
    root = keeper.settings.root
    folder.grant(root, "x" * 43, entry_of(keeper, face).folder, face["person"])
    (root / "0123456789abcdef").mkdir()
    (root / "tokens" / "cut.partial").write_text("{")
    again()
    assert is_gone(keeper, "x" * 43)
    assert not (root / "0123456789abcdef").exists()
    assert not (root / "tokens" / "cut.partial").exists()
    assert folder.locate(root, face["agent_token"]).person_id == face["person"]


def test_an_episode_whose_folder_was_lost_is_told_as_ended(keeper: Keeper, again: Again) -> None:
    face = start(keeper)
    keeper.places.discard(entry_of(keeper, face).folder)
    with pytest.raises(DeskgymError, match="its folder was lost"):
        entry_of(again(), face)


def test_an_unknown_token_is_not_found(keeper: Keeper) -> None:
    start(keeper)
    with pytest.raises(NotFound):
        folder.locate(keeper.settings.root, "y" * 43)


# --- Steps of the clock ---------------------------------------------------------------------------------


def step(keeper: Keeper, face: dict[str, Any], seconds: int) -> None:
    changing.clock(keeper, entry_of(keeper, face), inputs.Clock(seconds=seconds))


def verdict_of(keeper: Keeper, face: dict[str, Any]) -> tuple[float, str]:
    changing.submit(keeper, entry_of(keeper, face), inputs.Submit())
    verdict = reading.grade(keeper, entry_of(keeper, face))
    return verdict["reward"], verdict["reason"]


def test_a_step_of_the_clock_that_control_was_not_asked_for_earns_nothing(keeper: Keeper) -> None:
    """A worker that an agent has taken over can write a command that replays; control alone moves the clock."""
    face = start(keeper)
    solve(keeper, face["agent_token"])
    with Store.open(keeper.settings.root / entry_of(keeper, face).folder / "store.db") as store:
        advance_clock(store, 3600)
    assert verdict_of(keeper, face) == (0.0, "INTEGRITY")


def test_steps_that_control_made_are_its_own_after_restore_and_in_a_fork(keeper: Keeper) -> None:
    face = start(keeper)
    step(keeper, face, 60)
    kept = changing.snapshot(keeper, entry_of(keeper, face), inputs.Asked())["snapshot"]
    step(keeper, face, 60)
    restored = changing.restore(keeper, entry_of(keeper, face), inputs.FromSnapshot(snapshot=kept))
    twin = changing.fork(keeper, entry_of(keeper, face), inputs.MaybeFromSnapshot())
    for one in (restored, twin):
        step(keeper, one, 5)
        solve(keeper, one["agent_token"])
        assert verdict_of(keeper, one) == (1.0, "OK")
