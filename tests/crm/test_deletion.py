"""CRM-10 and X-8: batches that go and come back together."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from deskgym_apps.kit.call import advance_clock
from deskgym_apps.kit.canonical import canonical_state
from deskgym_apps.kit.errors import Conflict, Forbidden, Invalid, NotFound

from .fixture import (
    ADA,
    ALDERCROFT,
    BRIGHTMOOR,
    CALL,
    DANA,
    JUN,
    KESTREL,
    LOST,
    LUIS,
    MARTA,
    NOTE,
    OSEI,
    OVERDUE,
    PRIYA,
    TERN,
    TODO,
    VISIT,
    World,
    account,
    contact,
    ident,
    task,
)

_RECORDS = ("account", "contact", "opportunity", "case", "task", "event", "note", "article")


def bin_of(world: World) -> set[str]:
    """Ids of all deleted rows."""
    return {
        row["id"] for table in _RECORDS for row in world.store.all(f"SELECT id FROM crm_{table} WHERE is_deleted = 1")
    }


def test_crm_10_an_account_takes_along_what_is_about_nothing_else(world: World) -> None:
    other = world.create("task", subject="Ask Jun about Aldercroft", what_id=ALDERCROFT, who_id=JUN, by=ADA)
    answer = world.delete(ALDERCROFT, by=ADA)
    gone = {ALDERCROFT, MARTA, OSEI, KESTREL, LOST, CALL, TODO, OVERDUE, VISIT, NOTE}
    assert bin_of(world) == gone
    assert answer == {"id": ALDERCROFT, "deleted": len(gone)}
    kept = world.record(other)
    assert (kept["is_deleted"], kept["what_id"], kept["who_id"]) == (0, None, JUN)
    row = world.record(MARTA)
    assert (row["deleted_at"], row["deleted_by"], row["delete_batch"]) == (world.store.now, ADA, ALDERCROFT)


def test_crm_10_undelete_restores_the_batch_and_its_links(world: World) -> None:
    world.create("task", subject="Ask Jun about Aldercroft", what_id=ALDERCROFT, who_id=JUN, by=ADA)
    world.update(BRIGHTMOOR, {"parent_id": ALDERCROFT}, by=ADA)
    world.update(JUN, {"reports_to_id": OSEI}, by=ADA)
    before = canonical_state(world.store)["crm"]
    world.delete(ALDERCROFT, by=ADA)
    assert world.record(BRIGHTMOOR)["parent_id"] is None
    assert world.record(JUN)["reports_to_id"] is None
    assert world.undelete(ALDERCROFT, by=ADA)["restored"] == 10
    after = canonical_state(world.store)["crm"]
    moving = {"updated_at", "updated_by", "row_version"}
    for table in [f"crm_{name}" for name in (*_RECORDS, "account_contact", "opportunity_contact_role", "note_link")]:
        for key, row in before[table].items():
            same = {name: value for name, value in after[table][key].items() if name not in moving}
            assert same == {name: value for name, value in row.items() if name not in moving}


def test_crm_10_rows_deleted_earlier_on_their_own_stay_deleted(world: World) -> None:
    world.delete(OSEI, by=ADA)
    world.delete(ALDERCROFT, by=ADA)
    world.undelete(ALDERCROFT, by=ADA)
    assert world.record(OSEI)["is_deleted"] == 1
    assert world.record(MARTA)["is_deleted"] == 0


def test_crm_10_an_account_with_a_won_deal_stays_and_the_deals_are_listed(world: World) -> None:
    with pytest.raises(Invalid, match=r"1 of its opportunities are won: Tern pumps") as refused:
        world.delete(TERN, by=ADA)
    assert refused.value.as_dict()["details"] == {"records": [{"id": ident("OPP", 3), "name": "Tern pumps"}]}
    assert bin_of(world) == set()


def test_crm_10_a_contact_leaves_activities_that_are_about_a_deal(world: World) -> None:
    world.update(OSEI, {"reports_to_id": MARTA})
    world.delete(MARTA)
    assert bin_of(world) == {MARTA, OVERDUE}  # the note is about the deal as well
    assert world.record(OSEI)["reports_to_id"] is None
    assert world.record(NOTE)["is_deleted"] == 0
    roles = world.ask("get", id=KESTREL, related=["contact_roles"])["related"]["contact_roles"]
    assert roles == {"rows": [], "total": 0}
    world.undelete(MARTA)
    assert world.record(OSEI)["reports_to_id"] == MARTA
    assert world.ask("get", id=KESTREL, related=["contact_roles"])["related"]["contact_roles"]["total"] == 1


def test_crm_10_a_deal_takes_its_activities_along(world: World) -> None:
    world.delete(KESTREL)
    assert bin_of(world) == {KESTREL, TODO}  # the call is with Osei, the note about Marta too
    assert world.record(CALL)["what_id"] is None
    assert world.record(ALDERCROFT)["last_activity_on"] is None
    world.undelete(KESTREL)
    assert world.record(CALL)["what_id"] == KESTREL
    assert world.record(ALDERCROFT)["last_activity_on"] == "2031-03-10"


def test_crm_10_deleted_rows_appear_nowhere(world: World) -> None:
    world.delete(KESTREL)
    assert KESTREL not in world.ids("opportunity", by=ADA)
    assert world.ask("search", text="kestrel", by=ADA)["groups"] == []
    assert world.read("lookup", {"object": "opportunity", "text": "kestrel"}, by=ADA)["rows"] == []
    assert sum(column["count"] for column in world.read("board", by=ADA)["columns"]) == 4
    related = world.ask("get", id=ALDERCROFT, related=["opportunities"], by=ADA)["related"]["opportunities"]
    assert [row["id"] for row in related["rows"]] == [LOST]
    with pytest.raises(NotFound, match="recycle bin"):
        world.ask("get", id=KESTREL)
    with pytest.raises(NotFound):
        world.update(KESTREL, {"name": "Ghost"})
    assert world.ids("opportunity", deleted=True) == [KESTREL]


def test_x_8_a_deleted_account_frees_its_number_and_cannot_come_back_over_it(world_with: Callable[..., World]) -> None:
    """P4."""
    world = world_with({"crm_account": [account(9, "Lone", DANA, account_number="99999999")]})
    world.delete(ident("ACC", 9), by=ADA)
    other = world.create("account", name="Taker", account_number="99999999")
    with pytest.raises(Invalid, match="now belongs to Taker") as refused:
        world.undelete(ident("ACC", 9), by=ADA)
    assert refused.value.field == "account_number"
    assert refused.value.as_dict()["details"] == {"records": [{"id": other, "name": "Taker"}]}
    world.update(other, {"account_number": None})
    world.undelete(ident("ACC", 9), by=ADA)


def test_crm_10_a_record_comes_back_only_under_a_live_parent(world: World) -> None:
    world.delete(MARTA)
    world.delete(ALDERCROFT, by=ADA)
    for record in (MARTA, OSEI, KESTREL, TODO, NOTE):
        with pytest.raises(Invalid, match="is in the recycle bin; bring that back first"):
            world.undelete(record, by=ADA)
    world.undelete(ALDERCROFT, by=ADA)
    world.undelete(MARTA)
    assert bin_of(world) == set()


def test_crm_10_a_returning_record_lets_go_of_what_was_deleted_meanwhile(world_with: Callable[..., World]) -> None:
    extra = {
        "crm_contact": [contact(9, "Una", "Reyes", DANA, reports_to_id=MARTA)],
        "crm_task": [task(9, "Both", DANA, who_id=MARTA, what_id=KESTREL)],
    }
    world = world_with(extra)
    world.delete(ident("CON", 9))
    world.delete(ident("TSK", 9))
    world.delete(MARTA)
    world.undelete(ident("CON", 9))
    world.undelete(ident("TSK", 9))
    assert world.record(ident("CON", 9))["reports_to_id"] is None
    assert (world.record(ident("TSK", 9))["who_id"], world.record(ident("TSK", 9))["what_id"]) == (None, KESTREL)


def test_crm_10_delete_needs_permission_and_ownership(world: World) -> None:
    with pytest.raises(Forbidden, match="may not delete accounts"):
        world.delete(ALDERCROFT, by=DANA)
    with pytest.raises(Forbidden):
        world.delete(JUN, by=DANA)  # sees it, does not own it
    with pytest.raises(NotFound):
        world.delete(KESTREL, by=LUIS)
    world.delete(KESTREL, by=PRIYA)  # a role above the owner's
    with pytest.raises(NotFound):
        world.undelete(KESTREL, by=LUIS)
    world.undelete(KESTREL, by=DANA)


def test_x_7_delete_refuses_a_stale_version(world: World) -> None:
    world.update(KESTREL, {"next_step": "x"})
    with pytest.raises(Conflict):
        world.delete(KESTREL, row_version=1)
    world.delete(KESTREL, row_version=2)


def test_crm_10_what_is_not_deleted_cannot_come_back(world: World) -> None:
    with pytest.raises(Invalid, match="is not deleted"):
        world.undelete(KESTREL)


def test_crm_10_the_recycle_bin_keeps_records_for_15_days(world: World) -> None:
    world.delete(KESTREL)
    day = 86_400
    advance_clock(world.store, 15 * day - 60)
    listed = world.read("recycle_bin", by=DANA)
    assert [(row["id"], row["with_it"], row["can_restore"]) for row in listed["rows"]] == [(KESTREL, 1, True)]
    advance_clock(world.store, 60)
    assert world.read("recycle_bin", by=DANA)["rows"] == []
    with pytest.raises(NotFound, match="purged 15 days"):
        world.undelete(KESTREL)


def test_crm_10_the_recycle_bin_shows_mine_or_what_i_may_restore(world: World) -> None:
    world.delete(KESTREL, by=PRIYA)
    world.delete(JUN, by=LUIS)
    assert [row["id"] for row in world.read("recycle_bin", by=DANA)["rows"]] == []
    assert [row["id"] for row in world.read("recycle_bin", {"scope": "org"}, by=DANA)["rows"]] == [KESTREL]
    assert [row["id"] for row in world.read("recycle_bin", {"scope": "org"}, by=ADA)["rows"]] == [JUN, KESTREL]
    assert [row["id"] for row in world.read("recycle_bin", by=PRIYA)["rows"]] == [KESTREL]


def test_an_email_of_a_deleted_record_is_not_shown(world: World) -> None:
    assert world.ids("email", by=PRIYA) == [ident("EML", 1)]
    world.delete(ALDERCROFT, by=ADA)
    assert world.ids("email", by=PRIYA) == []
