"""Cases: numbers, owners, statuses and what follows from them (CRM-8, CRM-9 h, CRM-10)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from deskgym_apps.kit.call import advance_clock
from deskgym_apps.kit.errors import Conflict, Forbidden, Invalid, NotFound

from .fixture import (
    ADA,
    ALDERCROFT,
    BILLING_QUEUE,
    BRIGHTMOOR,
    CASE_MAIL,
    DANA,
    DESK_GROUP,
    HUGO,
    INES,
    INVOICE,
    JUN,
    LEAK,
    LUIS,
    MARTA,
    NORA,
    OLD_CASE,
    OLGA,
    OSEI,
    ROWAN,
    TECH_QUEUE,
    TERN,
    TOM,
    WES,
    World,
    build_image,
    ident,
    service_rows,
)
from .invariants import broken

Made = Callable[..., World]


@pytest.fixture(scope="module")
def case_image() -> bytes:
    return build_image(service_rows())


@pytest.fixture(params=["service", "tool"])
def world(request: pytest.FixtureRequest, case_image: bytes) -> Iterator[World]:
    opened = World(case_image, request.param)
    yield opened
    opened.close()


def closed(reason: str = "Device Fault", resolution: str = "Seal replaced.") -> dict[str, str]:
    return {"status": "Closed", "reason": reason, "resolution": resolution}


def test_crm_8_numbers_have_8_digits_and_no_gaps(world: World) -> None:
    made = [world.create("case", subject=f"Case {at}", by=INES) for at in range(3)]
    assert [world.record(case)["number"] for case in made] == ["00000004", "00000005", "00000006"]
    with pytest.raises(Invalid):
        world.create("case", subject="", by=INES)
    world.delete(made[2], by=NORA)
    assert world.record(world.create("case", subject="Next", by=INES))["number"] == "00000007"


def test_crm_8_the_first_matching_entry_assigns_a_case_without_an_owner(world: World) -> None:
    def owner(**values: str) -> str:
        return str(world.record(world.create("case", subject="x", by=DANA, **values))["owner_id"])

    assert owner(type="Billing", account_id=BRIGHTMOOR) == BILLING_QUEUE
    assert owner(type="Billing", account_id=TERN) == OLGA
    assert owner(type="Delivery", account_id=BRIGHTMOOR) == OLGA
    assert owner(type="Technical") == TECH_QUEUE
    assert owner(type="Billing", account_id=BRIGHTMOOR, owner_id=HUGO) == HUGO
    assert owner(type="Billing", contact_id=JUN) == BILLING_QUEUE  # by the contact's account


@pytest.mark.parametrize("owner", [TOM, DESK_GROUP, "GRP000000000099", "PRS000000000099"])
def test_i7_a_case_belongs_to_an_active_user_or_a_queue_of_cases(world: World, owner: str) -> None:
    with pytest.raises(Invalid) as refused:
        world.create("case", subject="x", owner_id=owner, by=INES)
    assert str(refused.value.errors[0].field).endswith("owner_id")


def test_i7_only_cases_belong_to_queues(world: World) -> None:
    with pytest.raises((Invalid, NotFound)):
        world.update(ALDERCROFT, {"owner_id": TECH_QUEUE}, by=ADA)


def test_crm_8_closing_needs_reason_and_resolution(world: World) -> None:
    with pytest.raises(Invalid) as refused:
        world.update(LEAK, {"status": "Closed"}, by=INES)
    assert [str(fault.field).split(".")[-1] for fault in refused.value.errors] == ["reason", "resolution"]
    with pytest.raises(Invalid):
        world.create("case", subject="x", status="Closed", by=INES)
    world.update(LEAK, closed(), by=INES)
    row = world.record(LEAK)
    assert (row["closed_at"], row["reason"], row["resolution"]) == (world.store.now, "Device Fault", "Seal replaced.")
    assert world.history(LEAK) == [("status", "New", "Closed")]
    assert broken(world.store) == []


def test_crm_8_an_open_case_has_no_resolution(world: World) -> None:
    with pytest.raises(Invalid, match="only a closed case has a resolution"):
        world.update(LEAK, {"resolution": "Done"}, by=INES)
    world.update(LEAK, {"reason": "Other"}, by=INES)


def test_crm_8_opening_again_clears_closing_and_resolution(world: World) -> None:
    world.update(OLD_CASE, {"status": "Working"}, by=INES)
    row = world.record(OLD_CASE)
    assert (row["closed_at"], row["resolution"], row["reason"]) == (None, None, "Device Fault")
    assert broken(world.store) == []


def test_crm_8_a_closed_case_keeps_its_words(world: World) -> None:
    for field in ("reason", "resolution"):
        with pytest.raises(Invalid):
            world.update(OLD_CASE, {field: None}, by=INES)
    world.update(OLD_CASE, {"resolution": "Replaced under warranty."}, by=INES)
    assert world.record(OLD_CASE)["closed_at"] == "2030-11-04T10:00:00Z"


def test_crm_8_an_escalated_case_stays_known_as_such(world: World) -> None:
    assert world.record(LEAK)["is_escalated"] == 0
    world.update(LEAK, {"status": "Escalated"}, by=INES)
    world.update(LEAK, {"status": "Working"}, by=INES)
    assert world.record(LEAK)["is_escalated"] == 1
    assert broken(world.store) == []


def test_crm_9_h_priority_high_needs_a_contact(world: World) -> None:
    with pytest.raises(Invalid, match="priority High needs a contact"):
        world.create("case", subject="x", priority="High", by=INES)
    case = world.create("case", subject="x", priority="High", contact_id=MARTA, by=INES)
    with pytest.raises(Invalid, match="priority High needs a contact"):
        world.update(case, {"contact_id": None}, by=ADA)
    world.update(case, {"contact_id": None, "priority": "Low"}, by=ADA)


def test_i6_no_case_follows_from_itself(world: World) -> None:
    child = world.create("case", subject="child", parent_id=LEAK, owner_id=INES, by=INES)
    for parent in (child, LEAK):
        with pytest.raises(Invalid, match="cannot be its own parent"):
            world.update(LEAK, {"parent_id": parent}, by=INES)
    assert broken(world.store) == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("status", "Done"),
        ("priority", "Urgent"),
        ("product_id", MARTA),
        ("account_id", LEAK),
        ("parent_id", ALDERCROFT),
    ],
)
def test_values_that_no_case_has_are_refused(world: World, field: str, value: str) -> None:
    with pytest.raises(Invalid) as refused:
        world.update(LEAK, {field: value}, by=INES)
    assert str(refused.value.errors[0].field).endswith(field)


def test_x_7_two_users_do_not_overwrite_each_other(world: World) -> None:
    version = world.version(LEAK)
    world.update(LEAK, {"priority": "Low"}, by=INES)
    with pytest.raises(Conflict, match="Ines Falk changed this case since you opened it: priority"):
        world.update(LEAK, {"status": "Working"}, by=NORA, row_version=version)


def test_crm_3_members_of_the_owning_queue_work_and_take_its_cases(world_with: Made) -> None:
    world = world_with(service_rows(), case="private", account="private")
    assert world.ids("case", by=HUGO) == [INVOICE]
    world.update(INVOICE, {"owner_id": HUGO}, by=HUGO)
    assert world.record(INVOICE)["owner_id"] == HUGO
    assert world.notes_to(HUGO) == []
    for stranger in (INES, WES):
        with pytest.raises(NotFound):
            world.update(INVOICE, {"priority": "Low"}, by=stranger)


def test_crm_3_a_role_above_the_owner_sees_the_case_and_the_role_beside_does_not(world_with: Made) -> None:
    world = world_with(service_rows(), case="private", account="private")
    assert world.ids("case", by=INES) == [OLD_CASE, LEAK]
    assert set(world.ids("case", by=NORA)) == {OLD_CASE, INVOICE, LEAK}  # sees all by profile
    assert world.ids("case", by=LUIS) == []


def test_crm_3_a_visible_case_lets_its_account_be_read(world_with: Made) -> None:
    """By a representative, for a service agent reads all opportunities, and so the accounts of all."""
    closed = {"case": "private", "account": "private", "contact": "private"}
    assert BRIGHTMOOR not in world_with(service_rows(), **closed).ids("account", by=WES)
    member = {"id": ident("GRM", 9), "group_id": BILLING_QUEUE, "member_kind": "user", "member_id": WES}
    world = world_with(service_rows() | {"crm_group_member": [member]}, **closed)
    assert BRIGHTMOOR in world.ids("account", by=WES)
    world.update(INVOICE, {"owner_id": INES}, by=WES)
    assert BRIGHTMOOR not in world.ids("account", by=WES)


def test_crm_3_by_default_a_case_takes_the_level_of_its_account(world: World) -> None:
    assert LEAK in world.ids("case", by=ROWAN)
    world.update(LEAK, {"priority": "Low"}, by=DANA)  # owns the account
    with pytest.raises(Forbidden):
        world.update(LEAK, {"priority": "High"}, by=LUIS)
    with pytest.raises(Forbidden):
        world.update(LEAK, {"priority": "High"}, by=ROWAN)


def test_row_16_a_new_owner_is_told_and_a_queue_is_not(world: World) -> None:
    world.update(LEAK, {"owner_id": BILLING_QUEUE}, by=NORA)
    world.update(LEAK, {"owner_id": HUGO}, by=NORA)
    assert world.notes_to(HUGO) == ["Nora Vestergaard made you the owner of the case Leak at the flange"]
    assert [field for field, _, _ in world.history(LEAK)] == ["owner_id", "owner_id"]


def test_crm_10_an_account_takes_its_cases_along_and_brings_them_back(world: World) -> None:
    before = {case: world.record(case) for case in (LEAK, OLD_CASE)}
    world.delete(ALDERCROFT, by=ADA)
    assert world.ids("case", by=ADA) == [INVOICE]
    assert world.ask("search", text="leak", objects=["case"], by=ADA)["groups"] == []
    assert world.ids("case_comment", by=ADA) == []
    world.undelete(ALDERCROFT, by=ADA)
    for case, row in before.items():
        after = world.record(case)
        assert {name: after[name] for name in ("account_id", "contact_id", "is_deleted", "number")} == {
            name: row[name] for name in ("account_id", "contact_id", "is_deleted", "number")
        }
    assert broken(world.store) == []


def test_crm_10_what_pointed_to_a_deleted_case_lets_go_of_it(world: World) -> None:
    child = world.create("case", subject="child", parent_id=LEAK, owner_id=INES, by=INES)
    task = world.create("task", subject="Send seal", what_id=LEAK, by=INES)
    world.delete(LEAK, by=NORA)
    assert world.record(child)["parent_id"] is None
    assert world.record(task)["is_deleted"] == 1
    with pytest.raises(NotFound):
        world.ask("get", id=LEAK, by=INES)
    with pytest.raises(Invalid, match="was deleted by Nora Vestergaard"):
        world.create("task", subject="x", what_id=LEAK, by=INES)
    world.undelete(LEAK, by=NORA)
    assert world.record(child)["parent_id"] == LEAK
    assert broken(world.store) == []


def test_crm_3_support_agents_may_not_delete_cases(world: World) -> None:
    with pytest.raises(Forbidden, match="may not delete cases"):
        world.delete(LEAK, by=INES)


def test_crm_12_activities_and_notes_are_about_cases_too(world: World) -> None:
    world.create("task", subject="Send seal", what_id=LEAK, by=INES)
    world.create("note", title="Plant layout", body="Line 2 is upstairs.", record_ids=[LEAK], by=INES)
    got = world.ask("get", id=LEAK, related=["tasks", "notes", "emails", "comments"], by=INES)["related"]
    assert [row["what_name"] for row in got["tasks"]["rows"]] == ["Leak at the flange"]
    assert [row["title"] for row in got["notes"]["rows"]] == ["Plant layout"]
    assert [row["id"] for row in got["emails"]["rows"]] == [CASE_MAIL]
    kinds = [item["kind"] for group in world.ask("timeline", id=LEAK, by=INES)["groups"] for item in group["items"]]
    assert sorted(kinds) == ["email", "note", "task"]


def test_crm_14_cases_are_found_by_number_subject_and_company(world: World) -> None:
    for text in ("00000001", "flange", "leak fla"):
        groups = world.ask("search", text=text, objects=["case"], by=INES)["groups"]
        assert [row["id"] for group in groups for row in group["rows"]] == [LEAK]
    groups = world.ask("search", text="brightmoor", objects=["case"], by=INES)["groups"]
    assert [row["id"] for row in groups[0]["rows"]] == [INVOICE]


def test_lookups_of_owners_offer_users_and_queues_by_name(world: World) -> None:
    rows = world.read("lookup", {"object": "owner", "text": "billing"}, by=INES)["rows"]
    assert [(row["object"], row["id"], row["name"]) for row in rows] == [("queue", BILLING_QUEUE, "Billing – EU")]
    assert DESK_GROUP not in [row["id"] for row in world.read("lookup", {"object": "queue", "text": ""})["rows"]]


def test_crm_6_cases_are_listed_by_owner_name_queue_or_user(world: World) -> None:
    assert world.ids("case", ("owner_name", "equals", "billing – eu"), by=NORA) == [INVOICE]
    assert world.ids("case", ("owner_id", "equals", "me"), ("is_closed", "equals", False), by=INES) == [LEAK]


def test_i9_history_names_queue_and_person(world: World) -> None:
    world.update(INVOICE, {"owner_id": HUGO}, by=HUGO)
    rows = world.ask("history", id=INVOICE, by=NORA)["rows"]
    assert [(row["old"], row["new"]) for row in rows] == [("Billing – EU", "Hugo Marchand")]


def test_a_closed_case_of_someone_else_is_no_ground_to_read_a_deleted_contact(world: World) -> None:
    world.delete(OSEI, by=ADA)
    with pytest.raises(Invalid, match="was deleted by"):
        world.update(LEAK, {"contact_id": OSEI}, by=DANA)
    advance_clock(world.store, 60)
    assert broken(world.store) == []


def test_crm_8_closing_many_cases_needs_reason_and_resolution_too(world: World) -> None:
    chosen = {"object": "case", "ids": sorted([INVOICE, LEAK]), "expected_count": 2}

    def bulk(**values: str) -> object:
        given = chosen | {"values": values}
        return (
            world.tool("bulk_update", given, by=NORA)
            if world.door == "tool"
            else world.run("bulk_update", given, by=NORA)
        )

    with pytest.raises(Invalid, match="a closed case needs a reason"):
        bulk(status="Closed")
    assert world.record(LEAK)["status"] == "New"
    bulk(**closed())
    assert {world.record(case)["status"] for case in (INVOICE, LEAK)} == {"Closed"}
    bulk(owner_id=TECH_QUEUE)
    assert {world.record(case)["owner_id"] for case in (INVOICE, LEAK)} == {TECH_QUEUE}
    assert broken(world.store) == []


def test_crm_6_cases_and_articles_have_list_views(world: World) -> None:
    for thing in ("case", "article"):
        made = world.run("create_list_view", {"object": thing, "name": "Mine", "scope": "mine"}, by=NORA)
        assert world.ids(thing, list_view=made["id"], by=NORA) == ([] if thing == "case" else world.ids(thing, by=NORA))
