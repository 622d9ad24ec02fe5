"""CRM-4 and CRM-5, clause by clause, through both doors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.crm.fixture import (
    ADA,
    ALDERCROFT,
    BRIGHTMOOR,
    DANA,
    JUN,
    KESTREL,
    LEAK,
    LUIS,
    MARTA,
    OSEI,
    PRIYA,
    TERN,
    service_rows,
)
from tests.crm.lead_rows import IVO, lead_rows
from tests.crm.test_duplicates import rule_rows

from deskgym_apps.kit.store import Store

from .doors import PageDoorway
from .files import Door, bring, merge, undo

LEADS = ("last_name", "company", "email")


def row(door: Door, table: str, key: Any) -> dict[str, Any]:
    found = door.house.store.get(f"crm_{table}", key)
    assert found is not None
    return dict(found)


def made(store: Store, table: str = "lead") -> list[dict[str, Any]]:
    sql = f"SELECT t.* FROM crm_import_row r JOIN crm_{table} t ON t.id = r.record_id WHERE r.outcome = 'created' "
    return store.all(sql + "ORDER BY r.row_no")


def test_crm_4_1_the_survivors_values_stand_but_for_those_that_are_chosen(door: Door) -> None:
    assert merge(door, ALDERCROFT, BRIGHTMOOR, TERN, name=TERN, region=TERN).code == "done"
    found = row(door, "account", ALDERCROFT)
    assert (found["name"], found["region"], found["bill_city"]) == ("Tern Logistics", "AMER", "Leeds")
    assert merge(door, MARTA, MARTA).code in ("validation", "bad_query")
    assert merge(door, KESTREL, ALDERCROFT).code in ("validation", "forbidden")


def test_crm_4_2_what_belonged_to_the_losers_belongs_to_the_survivor(door_with: Callable[..., Door]) -> None:
    door = door_with(service_rows())
    merge(door, BRIGHTMOOR, ALDERCROFT)
    for table, key in (("contact", MARTA), ("contact", OSEI), ("opportunity", KESTREL), ("case", LEAK)):
        assert row(door, table, key)["account_id"] == BRIGHTMOOR
    assert row(door, "event", "EVT000000000001")["what_id"] == BRIGHTMOOR


def test_crm_4_3_a_doubled_key_keeps_the_survivors_row_and_fills_its_blanks(door: Door) -> None:
    merge(door, ALDERCROFT, BRIGHTMOOR)
    found = row(door, "account_contact", (ALDERCROFT, OSEI))
    assert (found["role"], found["is_direct"]) == ("Influencer", 1)
    assert door.house.store.get("crm_account_contact", (BRIGHTMOOR, OSEI)) is None


def test_crm_4_4_losers_are_deleted_and_come_back_alone(door: Door) -> None:
    merge(door, ALDERCROFT, BRIGHTMOOR)
    found = row(door, "account", BRIGHTMOOR)
    assert (found["is_deleted"], found["master_record_id"]) == (1, ALDERCROFT)
    assert door.undelete(BRIGHTMOOR, by=ADA).code == "done"
    assert row(door, "account", BRIGHTMOOR)["master_record_id"] is None
    assert row(door, "contact", JUN)["account_id"] == ALDERCROFT


def test_crm_4_5_it_needs_delete_on_the_losers_and_edit_on_the_survivor(door: Door) -> None:
    assert merge(door, ALDERCROFT, TERN, by=DANA).code == "forbidden"
    assert merge(door, MARTA, JUN, by=DANA).code == "forbidden"
    assert merge(door, MARTA, OSEI, by=DANA).code == "done"


def test_crm_5_1_separators_byte_order_marks_and_quoted_line_ends_are_read(door: Door) -> None:
    fields = ("last_name", "company", "description")
    bring(door, "lead", '\ufeffName;Firm;Note\r\nIlic;Tern;"One; two\r\nthree"\r\n', fields)
    assert [lead["description"] for lead in made(door.house.store)] == ["One; two\nthree"]


def test_crm_5_2_nothing_is_guessed_and_numbers_are_read_as_chosen(door: Door) -> None:
    fields = ("last_name", "company", "postcode", "employees")
    bring(door, "lead", "Name;Firm;Zip;Size\nIlic;Tern;02138;1.234\n", fields, numbers="1.234,50")
    assert [(lead["postcode"], lead["employees"]) for lead in made(door.house.store)] == [("02138", 1234)]


def test_crm_5_3_lookups_take_names_and_ids_and_refuse_what_is_ambiguous(door: Door) -> None:
    door.create("account", by=ADA, name="Tern Logistics")
    text = f"Name,Account\nOne,aldercroft ltd\nTwo,{TERN}\nThree,Tern Logistics\n"
    outcome, counts = bring(door, "contact", text, ("last_name", "account_id"), on_failure="skip")
    assert outcome.code == "done"
    assert counts == {"total": 3, "created": 2, "updated": 0, "skipped": 0, "failed": 1}
    assert [one["account_id"] for one in made(door.house.store, "contact")] == [ALDERCROFT, TERN]


def test_crm_5_4_a_job_skips_updates_or_creates_duplicates(door_with: Callable[..., Door]) -> None:
    door = door_with({**lead_rows(), "crm_matching_rule": rule_rows()})
    text = "Name,Firm,Mail\nPetrow,Halden,ivo@halden.example\n"
    assert bring(door, "lead", text, LEADS)[1]["skipped"] == 1
    assert bring(door, "lead", text, LEADS, duplicate_action="update")[1]["updated"] == 1
    assert row(door, "lead", IVO)["last_name"] == "Petrow"
    assert bring(door, "lead", text, LEADS, duplicate_action="create")[1]["created"] == 1


def test_crm_5_5_a_dry_run_says_what_would_happen_and_keeps_nothing(door: Door) -> None:
    text = "Name,Firm,Mail\nA,B,a@example.com\nX,Y,bad\n"
    before = door.house.store.now
    outcome, counts = bring(door, "lead", text, LEADS, dry=True)
    assert (outcome.code, counts["created"], counts["failed"]) == ("done", 1, 1)
    assert door.house.store.now == before
    assert door.house.store.all("SELECT 1 FROM crm_import_job") == []


def test_crm_5_6_failing_rows_stop_the_file_unless_they_may_be_left_out(door: Door) -> None:
    text = "Name,Firm,Mail\nA,B,a@example.com\nX,Y,bad\n"
    assert bring(door, "lead", text, LEADS)[0].code == "validation"
    assert door.house.store.all("SELECT 1 FROM crm_lead WHERE email = 'a@example.com'") == []
    assert bring(door, "lead", text, LEADS, on_failure="skip")[0].code == "done"
    assert len(made(door.house.store)) == 1


def test_crm_5_7_the_file_of_errors_has_the_rows_and_their_faults(pages: PageDoorway) -> None:
    text = "Name,Firm,Mail\nA,B,a@example.com\n=1+1,Y,bad\n"
    job = bring(pages, "lead", text, LEADS, on_failure="skip")[0].id
    lines = pages.house.get(f"/crm/imports/{job}/errors.csv", ADA).text.splitlines()
    assert lines[0] == "\ufeffName,Firm,Mail,_error"
    assert lines[1].startswith("'=1+1,Y,bad,")


def test_crm_5_8_undoing_removes_what_nobody_changed_since(door: Door) -> None:
    text = "Name,Mail\nA,a@example.com\nC,c@example.com\n"
    job = bring(door, "contact", text, ("last_name", "email"), by=PRIYA)[0].id
    first, second = made(door.house.store, "contact")
    assert door.update(first["id"], {"title": "CEO"}, by=PRIYA).code == "done"
    assert undo(door, job, by=LUIS).code == "not_found"
    assert undo(door, job, by=PRIYA).code == "done"
    assert (row(door, "contact", first["id"])["is_deleted"], row(door, "contact", second["id"])["is_deleted"]) == (0, 1)


def test_i10_what_became_of_the_rows_adds_up(door: Door) -> None:
    bring(door, "lead", "Name,Firm,Mail\nA,B,a@example.com\nX,Y,bad\n,,c@example.com\n", LEADS, on_failure="skip")
    (job,) = door.house.store.all("SELECT * FROM crm_import_job")
    rows = door.house.store.all("SELECT outcome FROM crm_import_row")
    parts = [job[name] for name in ("created", "updated", "skipped", "failed")]
    assert sum(parts) == job["total"] == len(rows) == 3
    assert [sum(one["outcome"] == name for one in rows) for name in ("created", "failed")] == [1, 2]
