"""One command is one transaction: journal row, clock step, work, due jobs; a refused one leaves nothing."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

import pytest
from tests.fixtures.pad.world import ANA, BEN, BREAD, MILK, NOW

from deskgym_apps.desk import service as desk
from deskgym_apps.kit.call import advance_clock, read, run
from deskgym_apps.kit.canonical import full_dump
from deskgym_apps.kit.errors import Conflict, Invalid, NotFound, Sealed
from deskgym_apps.kit.store import Store


def write(store: Store, title: str = "Call the bank", **more: Any) -> dict[str, Any]:
    given = {"title": title, **more}
    token = given.pop("token", None)
    result: dict[str, Any] = run(store, "pad.write_note", given, person_id=ANA, channel="ui", token=token)
    return result


def change(store: Store, version: int = 1, **values: Any) -> Any:
    arguments = {"id": MILK, "row_version": version, "values": values}
    return run(store, "pad.change_note", arguments, person_id=BEN, channel="mcp")


def test_a_command_is_journaled_with_what_was_given_and_what_it_changed(store: Store) -> None:
    change(store, title=" Buy oat milk ")
    command = store.one("SELECT * FROM jrn_command")
    assert command == {
        "seq": 1,
        "instant": "2031-03-14T09:00:01Z",
        "person_id": BEN,
        "channel": "mcp",
        "operation": "pad.change_note",
        "arguments": f'{{"id":"{MILK}","row_version":1,"values":{{"title":"Buy oat milk"}}}}',
    }
    effects = store.all("SELECT tbl, key, old, new FROM jrn_effect ORDER BY id")
    assert [(row["tbl"], row["key"]) for row in effects] == [("org_meta", '["sim_now"]'), ("pad_note", f'["{MILK}"]')]
    old, new = json.loads(effects[1]["old"]), json.loads(effects[1]["new"])
    assert {name: new[name] for name in new if new[name] != old[name]} == {
        "title": "Buy oat milk",
        "title_norm": "buy oat milk",
        "updated_at": "2031-03-14T09:00:01Z",
        "updated_by": BEN,
        "row_version": 2,
    }


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"id": MILK, "row_version": 1, "values": {"title": "! Buy milk"}}, Invalid),
        ({"id": MILK, "row_version": 7, "values": {"title": "Milk"}}, Conflict),
        ({"id": "PAD000000000009", "row_version": 1, "values": {"title": "Milk"}}, NotFound),
        ({"id": MILK, "row_version": 1, "values": {"colour": "red"}}, Invalid),
        ({"id": MILK, "row_version": "1", "values": {}}, Invalid),
    ],
)
def test_a_refused_command_leaves_nothing(store: Store, arguments: dict[str, Any], error: type[Exception]) -> None:
    before = full_dump(store)
    with pytest.raises(error):
        run(store, "pad.change_note", arguments, person_id=ANA, channel="ui")
    assert full_dump(store) == before
    assert not store.conn.in_transaction


def test_a_fault_in_the_middle_of_a_command_leaves_nothing(store: Store) -> None:
    before = full_dump(store)
    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
        run(store, "pad.write_note", {"title": "x"}, person_id="PRS000000000009", channel="ui")
    assert full_dump(store) == before
    assert write(store)["row_version"] == 1


def test_x7_a_conflict_names_who_changed_the_record(store: Store) -> None:
    change(store, title="Buy tea")
    with pytest.raises(Conflict) as caught:
        change(store, title="Buy rum")
    details = caught.value.details
    assert (details["changed_by"], details["changed_at"], details["row_version"]) == (BEN, "2031-03-14T09:00:01Z", 2)
    assert details["yours"] == {"title": "Buy rum"}


def test_x1_a_command_moves_the_clock_by_one_second_and_its_rows_carry_that_instant(store: Store) -> None:
    key = write(store)["id"]
    assert store.now == "2031-03-14T09:00:01Z"
    row = store.get("pad_note", key)
    assert row is not None
    assert (row["created_at"], row["updated_at"]) == (store.now, store.now)
    write(store)
    assert store.now == "2031-03-14T09:00:02Z"


def test_x1_reads_refusals_and_the_seal_move_no_clock(store: Store) -> None:
    read(store, "pad.read_notes", {}, person_id=ANA)
    with pytest.raises(Conflict):
        change(store, version=9, title="x")
    desk.submit(store, ANA, "ui", {"status": "done"})
    assert store.now == NOW


def test_x1_due_jobs_run_after_the_work_in_the_order_of_due_time_table_and_id(store: Store) -> None:
    last = write(store, "third", remind_at="2031-03-14T10:00:01Z")["id"]
    for title in ("one", "two"):
        write(store, title, remind_at="2031-03-14T10:00:00Z")
    advance_clock(store, 7200)
    jobs = store.all("SELECT instant, channel, person_id, arguments FROM jrn_command WHERE seq > 4 ORDER BY seq")
    due = store.all("SELECT id, due_at, sent_at, note_id FROM pad_reminder ORDER BY due_at, id")
    assert [json.loads(job["arguments"])["reminder_id"] for job in jobs] == [row["id"] for row in due]
    assert due[2]["note_id"] == last
    assert [row["sent_at"] for row in due] == [row["due_at"] for row in due] == [job["instant"] for job in jobs]
    assert {(job["channel"], job["person_id"]) for job in jobs} == {("job", None)}
    assert store.now == "2031-03-14T11:00:03Z"


def test_x1_a_job_that_falls_due_with_a_command_runs_in_its_transaction(store: Store) -> None:
    write(store, remind_at="2031-03-14T09:00:02Z")
    assert store.one("SELECT sent_at FROM pad_reminder") == {"sent_at": None}
    write(store)
    assert store.one("SELECT sent_at FROM pad_reminder") == {"sent_at": "2031-03-14T09:00:02Z"}
    assert [row["channel"] for row in store.all("SELECT channel FROM jrn_command ORDER BY seq")] == ["ui", "ui", "job"]


@pytest.mark.parametrize("seconds", [0, -1])
def test_x1_the_clock_only_goes_forward(store: Store, seconds: int) -> None:
    with pytest.raises(Invalid, match="only goes forward"):
        advance_clock(store, seconds)
    assert store.now == NOW


def test_x6_the_same_token_and_arguments_answer_with_the_first_result(store: Store) -> None:
    first = write(store, token="form")
    before = full_dump(store)
    assert write(store, token="form") == first
    assert full_dump(store) == before


def test_x6_other_arguments_another_person_or_another_operation_are_new_commands(store: Store) -> None:
    first = write(store, token="form")
    assert write(store, "Call again", token="form")["id"] != first["id"]
    theirs = run(store, "pad.write_note", {"title": "Call the bank"}, person_id=BEN, channel="ui", token="form")
    assert theirs["id"] != first["id"]
    for operation in ("pad.tag_note", "pad.tag_note"):
        arguments = {"id": MILK, "words": ["dairy"]}
        run(store, operation, arguments, person_id=ANA, channel="ui", token="form")
    count = store.one("SELECT count(*) AS n FROM jrn_command")
    assert count == {"n": 4}


def test_x6_a_refused_command_does_not_use_its_token_up(store: Store) -> None:
    arguments = {"id": BREAD, "row_version": 1, "values": {"title": "!"}}
    for _ in range(2):
        with pytest.raises(Invalid):
            run(store, "pad.change_note", arguments, person_id=ANA, channel="ui", token="form")


def test_x6_a_replay_still_answers_after_the_seal_since_it_writes_nothing(store: Store) -> None:
    first = write(store, token="form")
    desk.submit(store, ANA, "ui", {"status": "done"})
    assert write(store, token="form") == first
    with pytest.raises(Sealed):
        write(store, "more", token="form")


def test_nothing_is_written_once_the_episode_is_sealed(store: Store) -> None:
    desk.submit(store, ANA, "mcp", {"status": "infeasible", "reason_code": "no_milk", "answer": {"b": 1, "a": [2.5]}})
    before = full_dump(store)
    with pytest.raises(Sealed):
        write(store)
    with pytest.raises(Sealed):
        advance_clock(store, 60)
    with pytest.raises(Sealed):
        desk.submit(store, ANA, "ui", {"status": "done"})
    assert full_dump(store) == before
    assert desk.submitted(store) == {
        "person_id": ANA,
        "status": "infeasible",
        "reason_code": "no_milk",
        "answer": '{"a":[2.5],"b":1}',
        "channel": "mcp",
        "instant": NOW,
    }


@pytest.mark.parametrize(
    ("submission", "message"),
    [
        ({"status": "finished"}, "must be 'done' or 'infeasible'"),
        ({"status": "done", "anwser": 1}, 'no field "anwser".'),
        ({"status": "done", "answer": float("nan")}, "not finite"),
        ({"status": "done", "answer": "x" * 70_000}, "larger than"),
        ({"status": "done", "answer": "\ud800"}, "surrogate"),
        ({"status": "done", "answer": json.loads("[" * 40 + "]" * 40)}, "nested deeper"),
        ({}, "status is required"),
    ],
)
def test_malformed_submissions_are_refused_and_do_not_count(
    store: Store, submission: dict[str, Any], message: str
) -> None:
    with pytest.raises(Invalid, match=message):
        desk.submit(store, ANA, "mcp", submission)
    assert desk.submitted(store) is None
    desk.submit(store, ANA, "mcp", {"status": "done"})


def test_x11_a_query_that_writes_is_stopped_by_the_store(store: Store) -> None:
    before = full_dump(store)
    with pytest.raises(sqlite3.IntegrityError, match="write outside a command"):
        read(store, "pad.write_in_a_query", {}, person_id=ANA)
    assert full_dump(store) == before


def test_commands_and_queries_are_not_mistaken_for_each_other(store: Store) -> None:
    with pytest.raises(ValueError, match="only reads"):
        run(store, "pad.read_notes", {}, person_id=ANA, channel="ui")
    with pytest.raises(ValueError, match="writes"):
        read(store, "pad.tear_off", {"id": MILK}, person_id=ANA)
    with pytest.raises(NotFound, match=r'Did you mean "pad\.write_note"'):
        run(store, "pad.write_notes", {}, person_id=ANA, channel="ui")


def test_the_same_commands_give_the_same_rows_in_every_home(store: Store, file_store: Store) -> None:
    for home in (store, file_store):
        write(home, remind_at="2031-03-14T09:00:02Z")
        change(home, title="Buy rum", cost="3.5", pinned=True)
        run(home, "pad.tag_note", {"id": MILK, "words": ["a", "b"]}, person_id=ANA, channel="ui")
        run(home, "pad.tear_off", {"id": MILK}, person_id=ANA, channel="ui")
    assert full_dump(file_store) == full_dump(store)
