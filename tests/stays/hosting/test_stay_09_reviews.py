"""STAY-9 and J7: reviews in both directions, replies, ratings."""

from __future__ import annotations

from typing import Any

import pytest

from deskgym_apps.kit.call import open_journal
from deskgym_apps.kit.errors import Forbidden, Invalid, NotFound
from deskgym_apps.stays.rules_reviews import window_closes
from deskgym_apps.stays.service.people import PolicyRefusal

from .fixture import COMING, GIL, HANA, LEFT, LOFT, NIA, NOW, OLD, OTTO, REVIEW, STAYED, STAYS, VERA, World

STARS = {"cleanliness": 5, "accuracy": 4, "checkin": 5, "communication": 5, "location": 4, "value": 3}
DAY = 24 * 3600


def _as_guest(world: World, code: str = STAYED, by: str = GIL, **more: Any) -> Any:
    return world.do("review", by=by, **({"code": code, "overall": 4, "body": "A good stay."} | STARS | more))


def test_stay_9_a_review_waits_for_the_other_side_and_both_come_out_together(world: World) -> None:
    mine = _as_guest(world, private_note="The lamp is loose.")
    assert (mine["is_published"], mine["published_by"]) == (False, "2031-03-22T00:00:00Z")
    assert world.ask("stay_reviews", code=STAYED)["theirs"] is None
    assert world.ask("reviews", listing=LOFT)["total"] == 1
    world.do("review", by=HANA, code=STAYED, overall=5, body="Kind guests.")
    rows = {row["direction"]: row for row in world.rows("review", reservation_id=STAYS[STAYED])}
    assert {name: rows["guest_to_host"][name] for name in STARS} == STARS
    assert rows["host_to_guest"]["cleanliness"] is None
    published = {(row["is_published"], row["published_at"]) for row in rows.values()}
    assert published == {(1, rows["host_to_guest"]["submitted_at"])}
    theirs = world.ask("stay_reviews", code=STAYED)["theirs"]
    assert (theirs["body"], theirs["private_note"]) == ("A good stay.", "The lamp is loose.")
    assert "private_note" not in world.ask("reviews", listing=LOFT, by=OTTO)["rows"][0]


def test_stay_9_a_review_alone_comes_out_when_the_fourteen_days_are_over(world: World) -> None:
    made = _as_guest(world)
    world.wait(8 * DAY)
    row = world.row("review", made["id"])
    assert (row["is_published"], row["published_at"]) == (1, window_closes("2031-03-08"))


def test_stay_9_the_window_is_fourteen_days(world: World) -> None:
    world.wait(7 * DAY + 14 * 3600)  # 21 March, 23:00 UTC
    _as_guest(world)
    world.wait(2 * 3600)
    with pytest.raises(PolicyRefusal, match="14 days after checkout"):
        world.do("review", by=HANA, code=STAYED, overall=5, body="Too late.")


@pytest.mark.parametrize(("code", "by"), [(COMING, NIA), (OLD, HANA)])
def test_stay_9_only_stays_that_ended_lately_are_reviewed(world: World, code: str, by: str) -> None:
    before = world.dump()
    with pytest.raises(PolicyRefusal):
        _as_guest(world, code, by)
    assert world.dump() == before


def test_stay_9_a_stay_cancelled_after_check_in_is_reviewed(world: World) -> None:
    assert _as_guest(world, LEFT, NIA)["direction"] == "guest_to_host"


def test_stay_9_a_review_is_written_once_and_for_good(world: World) -> None:
    _as_guest(world)
    with pytest.raises(PolicyRefusal, match="cannot be changed"):
        _as_guest(world, overall=1)


def test_guests_rate_every_category_and_hosts_none(world: World) -> None:
    with pytest.raises(Invalid) as refused:
        world.do("review", by=GIL, code=STAYED, overall=4, body="Short.", cleanliness=4)
    assert {fault.field for fault in refused.value.errors} == set(STARS) - {"cleanliness"}
    with pytest.raises(Invalid) as refused:
        world.do("review", by=HANA, code=STAYED, overall=4, body="Tidy.", cleanliness=4)
    assert refused.value.field == "cleanliness"


@pytest.mark.parametrize(
    ("given", "field"), [({"overall": 6}, "overall"), ({"overall": 0}, "overall"), ({"body": " "}, "body")]
)
def test_a_faulty_review_is_refused_by_field(world: World, given: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid) as refused:
        _as_guest(world, **given)
    assert refused.value.field == field


def test_x_10_others_stays_cannot_be_reviewed_or_looked_at(world: World) -> None:
    for by in (OTTO, NIA):
        with pytest.raises(NotFound):
            _as_guest(world, by=by)
        with pytest.raises(NotFound):
            world.ask("stay_reviews", by=by, code=STAYED)


def test_stay_9_the_host_replies_once_to_a_published_review(world: World) -> None:
    done = world.do("reply_review", id=REVIEW, reply="It is 30 Mbps now.")
    row = world.row("review", REVIEW)
    assert (row["reply"], row["reply_at"], row["body"]) == (
        "It is 30 Mbps now.",
        done["reply_at"],
        "Lovely loft, slow Wi-Fi.",
    )
    with pytest.raises(PolicyRefusal, match="already"):
        world.do("reply_review", id=REVIEW, reply="Again.")
    assert world.ask("reviews", listing=LOFT, by=GIL)["rows"][0]["reply"] == "It is 30 Mbps now."


def test_only_the_host_replies_and_only_to_what_can_be_read(world: World) -> None:
    with pytest.raises(Forbidden):
        world.do("reply_review", by=VERA, id=REVIEW, reply="Mine.")
    hidden = _as_guest(world)["id"]
    with pytest.raises(NotFound):
        world.do("reply_review", id=hidden, reply="Too early.")
    world.do("review", by=HANA, code=STAYED, overall=5, body="Kind guests.")
    other = next(row for row in world.rows("review") if row["direction"] == "host_to_guest")
    with pytest.raises(PolicyRefusal):
        world.do("reply_review", id=other["id"], reply="To myself.")
    with pytest.raises(Invalid):
        world.do("reply_review", id=hidden, reply=" ")


def test_the_stays_to_review_are_listed_for_guest_and_host(world: World) -> None:
    assert [(row["code"], row["role"]) for row in world.ask("reviews_to_write", by=GIL)["rows"]] == [(STAYED, "guest")]
    assert [(row["code"], row["role"]) for row in world.ask("reviews_to_write")["rows"]] == [(STAYED, "host")]
    assert [row["code"] for row in world.ask("reviews_to_write", by=NIA)["rows"]] == [LEFT]
    _as_guest(world)
    assert world.ask("reviews_to_write", by=GIL)["total"] == 0


def test_j7_a_rating_is_the_mean_of_published_reviews_and_hidden_under_three(world: World) -> None:
    assert world.ask("reviews", listing=LOFT)["rating"] is None
    assert world.ask("host_listing", id=LOFT)["rating"] is None
    stars = (4, 4)
    with world.store.writing() as conn:
        open_journal(world.store, NOW, None, "job", "stays.seeded", "{}")
        for number, overall in enumerate(stars, start=2):
            columns = ", ".join(
                row for row in world.row("review", REVIEW) if row not in ("id", "reservation_id", "overall")
            )
            conn.execute(
                f"INSERT INTO stays_review(id, reservation_id, overall, {columns}) SELECT ?, ?, ?, {columns} "
                "FROM stays_review WHERE id = ?",
                (f"RVW{number:012d}", STAYS[STAYED] if number == 2 else STAYS[COMING], overall, REVIEW),
            )
        conn.execute("DELETE FROM jrn_open")
    assert world.ask("reviews", listing=LOFT)["rating"] == "3.67"  # (3 + 4 + 4) / 3
    assert world.ask("host_listing", id=LOFT)["rating"] == "3.67"
