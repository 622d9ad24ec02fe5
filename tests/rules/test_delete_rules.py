"""CRM-10 and X-8 through both doors: delete, the recycle bin, and coming back."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.crm.fixture import (
    ADA,
    ALDERCROFT,
    BRIGHTMOOR,
    CALL,
    DANA,
    HARBOUR,
    JUN,
    KESTREL,
    LOST,
    LUIS,
    MAIL,
    MARTA,
    NOTE,
    OLGA,
    OSEI,
    OVERDUE,
    PRIYA,
    TERN,
    TODO,
    VISIT,
    WON,
    task,
)

from deskgym_apps.kit.call import advance_clock

from .conftest import Doorway
from .doors import PageDoorway, ToolDoorway
from .house import House

ITS_OWN = (ALDERCROFT, MARTA, OSEI, KESTREL, LOST, CALL, TODO, OVERDUE, VISIT, NOTE)


def gone(house: House, *record_ids: str) -> set[str]:
    return {record_id for record_id in record_ids if house.record(record_id)["is_deleted"]}


def test_crm_10_1_an_account_takes_along_what_lives_by_it_in_one_batch(door: Doorway) -> None:
    assert door.delete(ALDERCROFT, by=ADA).code == "done"
    assert gone(door.house, *ITS_OWN) == set(ITS_OWN)
    assert {door.house.record(record_id)["delete_batch"] for record_id in ITS_OWN} == {ALDERCROFT}
    assert {door.house.record(record_id)["deleted_by"] for record_id in ITS_OWN} == {ADA}
    assert gone(door.house, BRIGHTMOOR, JUN, HARBOUR, WON) == set()


def test_crm_10_1_an_activity_with_another_live_parent_stays(door_with: Callable[..., Doorway]) -> None:
    shared = task(9, "Both", DANA, who_id=JUN, what_id=KESTREL)
    door = door_with({"crm_task": [shared], "crm_note_link": [{"note_id": NOTE, "record_id": BRIGHTMOOR}]})
    assert door.delete(ALDERCROFT, by=ADA).code == "done"
    row = door.house.record(shared["id"])
    assert (row["is_deleted"], row["what_id"], row["who_id"]) == (0, None, JUN)
    assert gone(door.house, NOTE) == set()


def test_crm_10_2_a_won_deal_keeps_its_account_and_is_listed(door: Doorway) -> None:
    with door.house.unchanged():
        refused = door.delete(TERN, by=ADA)
    assert refused.code == "validation"
    assert "Tern pumps" in refused.text


def test_crm_10_3_the_bin_shows_mine_or_all_i_may_restore(pages: PageDoorway) -> None:
    pages.delete(TODO, by=PRIYA)
    pages.delete(OVERDUE, by=DANA)
    mine, everything = (pages.house.get(f"/crm/recycle-bin?scope={scope}").text for scope in ("mine", "org"))
    assert ("Chase the signature" in mine, "Send revised quote" in mine) == (True, False)
    assert ("Chase the signature" in everything, "Send revised quote" in everything) == (True, True)
    assert "Chase the signature" not in pages.house.get("/crm/recycle-bin?scope=org", LUIS).text


@pytest.mark.parametrize(("seconds", "code"), [(15 * 86_400 - 10, "done"), (15 * 86_400, "not_found")])
def test_crm_10_3_records_are_purged_after_15_days(door: Doorway, seconds: int, code: str) -> None:
    assert door.delete(TODO).code == "done"
    advance_clock(door.house.store, seconds)
    assert door.undelete(TODO).code == code
    assert len(gone(door.house, TODO)) == (code != "done")


def test_crm_10_4_undelete_restores_the_batch_and_its_links(door: Doorway) -> None:
    before = {record_id: door.house.record(record_id) for record_id in ITS_OWN}
    links = door.house.store.all("SELECT * FROM crm_account_contact ORDER BY account_id, contact_id")
    assert door.delete(ALDERCROFT, by=ADA).code == "done"
    assert door.undelete(ALDERCROFT, by=ADA).code == "done"
    moved = {"row_version", "updated_at", "updated_by"}
    for record_id, was in before.items():
        row = door.house.record(record_id)
        assert {name: row[name] for name in row if name not in moved} == {
            name: was[name] for name in was if name not in moved
        }
    assert door.house.store.all("SELECT * FROM crm_account_contact ORDER BY account_id, contact_id") == links


def test_crm_10_5_rows_deleted_earlier_on_their_own_stay_deleted(door: Doorway) -> None:
    assert door.delete(OVERDUE).code == "done"
    assert door.delete(ALDERCROFT, by=ADA).code == "done"
    assert door.undelete(ALDERCROFT, by=ADA).code == "done"
    assert gone(door.house, *ITS_OWN) == {OVERDUE}


def reuse_the_number(door: Doorway) -> str:
    """Aldercroft is deleted and another account gets its number."""
    assert door.delete(ALDERCROFT, by=ADA).code == "done"
    made = door.create("account", by=ADA, name="Second Comer", account_number="00012345")
    assert made.code == "done", str(made)
    return made.id


def test_crm_10_6_undelete_over_a_unique_value_is_refused_with_the_record_in_its_way(door: Doorway) -> None:
    other = reuse_the_number(door)
    with door.house.unchanged():
        refused = door.undelete(ALDERCROFT, by=ADA)
    assert refused.code == "validation"
    assert "Second Comer" in refused.text
    assert other in refused.text


def test_p4_a_deleted_account_reserves_no_number(door: Doorway) -> None:
    other = reuse_the_number(door)
    assert door.undelete(ALDERCROFT, by=ADA).code == "validation"
    assert door.update(other, {"account_number": "00000001"}, by=ADA).code == "done"
    assert door.undelete(ALDERCROFT, by=ADA).code == "done"


def test_x_8_1_every_unique_value_is_one_of_live_rows_alone(door: Doorway) -> None:
    indexes = door.house.store.all("SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql LIKE '%UNIQUE%'")
    named = {row["sql"].split(" ON ")[1].split("(")[0] for row in indexes if "is_deleted = 0" in row["sql"]}
    assert "crm_account" in named
    taken = door.create("account", by=ADA, name="Twin", account_number="00012345")
    assert (taken.code, set(taken.faults)) == ("validation", {"account_number"})
    reuse_the_number(door)


def test_crm_10_7_deleted_rows_appear_nowhere(door: Doorway) -> None:
    assert door.delete(KESTREL).code == "done"
    assert KESTREL not in door.ids("opportunity")
    assert door.found("kestrel") == []
    assert door.sees(KESTREL) == "not_found"
    for record in (ALDERCROFT, MARTA):  # Marta wrote a mail about the deal
        assert "Kestrel" not in door.timeline_text(record)
    refused = door.create("task", subject="About it", what_id=KESTREL)
    assert (refused.code, set(refused.faults)) == ("validation", {"what_id"})
    if isinstance(door, ToolDoorway):
        found = door.house.tool("get", {"id": ALDERCROFT, "related": ["opportunities"]})
        assert KESTREL not in [row["id"] for row in found["related"]["opportunities"]["rows"]]
        mail = door.house.tool("get", {"id": MAIL})["record"]
        assert (mail["who_name"], mail["what_name"]) == ("Marta Ilić", None)
    else:
        assert door.house.client(DANA).get("/crm/lookup/opportunity?q=kes").json == {"options": [], "more": False}
        assert KESTREL not in door.house.get(f"/crm/accounts/{ALDERCROFT}/related").text
        assert KESTREL not in door.house.get("/crm/opportunities/board").text
        for page in (f"/crm/emails/{MAIL}", "/crm/emails"):
            assert "Kestrel" not in door.house.get(page).text


def test_crm_10_8_a_deleted_record_never_blocks_one_with_the_same_values(door: Doorway) -> None:
    mail = door.house.record(MARTA)["email"]
    assert door.delete(MARTA).code == "done"
    made = door.create("contact", last_name="Ilić", first_name="Marta", email=mail, account_id=ALDERCROFT)
    assert made.code == "done", str(made)
    assert door.undelete(MARTA).code == "done"


def test_crm_10_9_a_record_comes_back_only_under_a_live_parent(door: Doorway) -> None:
    assert door.delete(LOST, by=DANA).code == "done"
    assert door.delete(ALDERCROFT, by=ADA).code == "done"
    with door.house.unchanged():
        refused = door.undelete(LOST, by=OLGA)
    assert refused.code == "validation"
