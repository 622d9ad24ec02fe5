"""STAY-12: messages between guests and hosts."""

from __future__ import annotations

from typing import Any

import pytest

from deskgym_apps.kit.errors import Conflict, Invalid, NotFound
from deskgym_apps.stays.service.people import PolicyRefusal

from .fixture import (
    BARN,
    COMING,
    ELSEWHERE,
    GIL,
    HANA,
    INN,
    LOFT,
    NIA,
    OTHERS_THREAD,
    OTTO,
    STAYED,
    THREAD,
    VERA,
    World,
)


def _unread(world: World, by: str) -> dict[str, int]:
    return {row["id"]: row["unread"] for row in world.ask("threads", by=by)["rows"]}


def test_stay_12_a_listing_and_a_guest_have_one_thread(world: World) -> None:
    first = world.do("message", by=NIA, listing=LOFT, body="Is there a cot?")
    again = world.do("message", by=NIA, code=COMING, body="We land at 23:10.")
    answer = world.do("message", by=HANA, code=COMING, body="Fine.")
    assert first["thread"] == again["thread"] == answer["thread"]
    said = [(row["sender_id"], row["body"]) for row in world.rows("message", thread_id=first["thread"])]
    assert sorted(said) == sorted([(NIA, "Is there a cot?"), (NIA, "We land at 23:10."), (HANA, "Fine.")])
    row = world.row("thread", first["thread"])
    assert (row["listing_id"], row["guest_id"], row["host_id"]) == (LOFT, NIA, HANA)
    assert len([row for row in world.rows("thread") if row["guest_id"] == NIA]) == 1


def test_stay_12_a_message_about_a_stay_goes_into_the_thread_that_is_there(world: World) -> None:
    done = world.do("message", by=HANA, code=STAYED, body="Did you leave a scarf?")
    assert done["thread"] == THREAD
    row = world.row("message", done["id"])
    assert (row["kind"], row["sender_id"], row["at"]) == ("user", HANA, done["at"])


def test_stay_12_unread_are_the_messages_of_others_since_the_thread_was_read(world: World) -> None:
    assert _unread(world, HANA) == {THREAD: 2}
    assert _unread(world, GIL) == {THREAD: 1}
    world.do("read_thread", by=HANA, id=THREAD)
    assert _unread(world, HANA) == {THREAD: 0}
    world.do("message", by=HANA, thread=THREAD, body="See you.")
    assert _unread(world, HANA) == {THREAD: 0}
    assert _unread(world, GIL) == {THREAD: 2}
    world.do("message", by=GIL, thread=THREAD, body="Bye.")
    assert _unread(world, HANA) == {THREAD: 1}


def test_x_11_looking_at_a_thread_marks_nothing_and_reading_it_changes_no_graded_row(world: World) -> None:
    before = world.dump()
    world.ask("thread", by=HANA, id=THREAD)
    assert _unread(world, HANA) == {THREAD: 2}
    world.do("read_thread", by=HANA, id=THREAD)
    assert world.dump() == before


def test_the_thread_shows_its_messages_in_order_with_the_stays(world: World) -> None:
    found = world.ask("thread", by=GIL, id=THREAD)
    said = [message["body"] for message in found["messages"] if message["kind"] == "user"]
    assert said == ["Is there a lift?", "There is.", "Thanks, see you."]
    assert [stay["code"] for stay in found["reservations"]] == [STAYED]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"body": "x"}, "thread"),
        ({"thread": THREAD, "code": STAYED, "body": "x"}, "code"),
        ({"thread": THREAD, "body": ""}, "body"),
        ({"thread": THREAD, "body": " \n "}, "body"),
        ({"thread": THREAD}, "body"),
        ({"thread": "x", "body": "x"}, "thread"),
        ({"code": "12", "body": "x"}, "code"),
        ({"thread": THREAD, "body": "x" * 4001}, "body"),
    ],
)
def test_a_faulty_message_is_refused_by_field(world: World, given: dict[str, Any], field: str) -> None:
    before = world.dump()
    with pytest.raises(Invalid) as refused:
        world.do("message", **given)
    assert refused.value.field == field
    assert world.dump() == before


def test_nobody_writes_to_themselves(world: World) -> None:
    with pytest.raises(PolicyRefusal, match="your own listing"):
        world.do("message", by=HANA, listing=LOFT, body="Hello me")


def test_x_10_others_threads_stays_and_hidden_listings_are_not_there(world: World) -> None:
    for given in ({"thread": OTHERS_THREAD}, {"code": ELSEWHERE}, {"listing": "LST000000000009"}):
        with pytest.raises(NotFound):
            world.do("message", by=GIL, body="Hello", **given)
    for operation in ("read_thread",):
        with pytest.raises(NotFound):
            world.do(operation, by=GIL, id=OTHERS_THREAD)
    with pytest.raises(NotFound):
        world.ask("thread", by=GIL, id=OTHERS_THREAD)
    assert OTHERS_THREAD not in _unread(world, GIL)
    world.do("update_listing", by=OTTO, listing=BARN, values={"status": "unlisted"}, row_version=1)
    with pytest.raises(NotFound):
        world.do("message", by=GIL, listing=BARN, body="Still free?")
    assert world.do("message", by=VERA, listing=BARN, body="Still there?")["thread"] == OTHERS_THREAD


def test_hosts_keep_texts_for_messages(world: World) -> None:
    made = world.do("quick_reply", action="create", title="Way in", body="The key is in the box.")
    world.do("quick_reply", action="update", id=made["id"], body="The code is 0000.")
    found = world.ask("thread", id=THREAD)["quick_replies"]
    assert [(reply["title"], reply["body"]) for reply in found] == [("Way in", "The code is 0000.")]
    with pytest.raises(Conflict, match="Way in"):
        world.do("quick_reply", action="create", title="Way in", body="Again.")
    with pytest.raises(NotFound):
        world.do("quick_reply", by=OTTO, action="delete", id=made["id"])
    with pytest.raises(Invalid):
        world.do("quick_reply", action="create", title="No text")
    world.do("quick_reply", action="delete", id=made["id"])
    assert world.rows("quick_reply") == []


def test_a_first_message_to_a_listing_begins_a_thread_that_its_host_sees_unread(world: World) -> None:
    done = world.do("message", by=GIL, listing=INN, body="Any room in May?")
    assert _unread(world, HANA)[done["thread"]] == 1
