"""Leads until they are converted: status, unread mark, access, activities, search, the recycle bin."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from deskgym_apps.crm.rules_leads import company_key, web_domain
from deskgym_apps.kit.errors import Conflict, Forbidden, Invalid, NotFound

from .fixture import ADA, DANA, LUIS, MARTA, MEI, PRIYA, ROWAN, World, build_image
from .invariants import broken
from .lead_rows import IVO, LEAD_CALL, LEAD_NOTE, LEAD_TODO, LEAD_VISIT, MARTA_AGAIN, NORA, STALE, lead_rows


@pytest.fixture(scope="module")
def lead_image() -> bytes:
    return build_image(lead_rows())


@pytest.fixture(params=["service", "tool"])
def world(request: pytest.FixtureRequest, lead_image: bytes) -> Iterator[World]:
    opened = World(lead_image, request.param)
    yield opened
    assert broken(opened.store) == []
    opened.close()


def test_a_new_lead_is_open_yours_and_read(world: World) -> None:
    made = world.create("lead", last_name="Okafor", company="Kite Foundry", phone="+441632960123")
    row = world.record(made)
    assert (row["status"], row["owner_id"], row["unread"], row["currency"]) == ("Open - Not Contacted", DANA, 0, "USD")
    assert (row["company_norm"], row["phone_digits"], row["is_converted"]) == ("kite foundry", "441632960123", 0)


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"last_name": "Okafor"}, "company"),
        ({"company": "Kite Foundry"}, "last_name"),
        ({"last_name": "Okafor", "company": "Kite", "email": "no.address"}, "email"),
        ({"last_name": "Okafor", "company": "Kite", "status": "Open"}, "status"),
        ({"last_name": "Okafor", "company": "Kite", "employees": -1}, "employees"),
        ({"last_name": "Okafor", "company": "K" * 101}, "company"),
        ({"last_name": "Okafor", "company": "Kite", "is_converted": True}, "is_converted"),
    ],
)
def test_a_lead_that_breaks_a_rule_is_refused_by_field(world: World, values: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid) as refused:
        world.create("lead", **values)
    assert field in str(refused.value.field)


def test_crm_2_1_a_converted_status_is_not_set_by_hand(world: World) -> None:
    with pytest.raises(Invalid, match="set by converting the lead") as refused:
        world.update(NORA, {"status": "Qualified"})
    assert "Nurturing" in refused.value.allowed
    described = {item["name"]: item for item in world.ask("describe", object="lead")["fields"]}
    assert "Qualified" not in described["status"]["allowed"]


def test_crm_11_status_owner_email_and_phone_of_a_lead_have_a_history(world: World) -> None:
    values = {"status": "Nurturing", "email": "nora@aldercroft.example", "phone": "+441632960078", "title": "Director"}
    world.update(NORA, values)
    assert {field for field, _, _ in world.history(NORA)} == {"status", "email", "phone"}
    shown = world.ask("history", id=NORA)["rows"]
    assert {row["label"] for row in shown} == {"Status", "E-mail", "Phone"}


def test_the_owners_first_edit_takes_the_unread_mark_away_and_another_persons_does_not(world: World) -> None:
    world.update(IVO, {"rating": "Cold"}, by=ADA)
    assert world.record(IVO)["unread"] == 1
    world.ask("get", id=IVO, by=LUIS)
    assert world.record(IVO)["unread"] == 1
    world.update(IVO, {"rating": "Hot"}, by=LUIS)
    assert world.record(IVO)["unread"] == 0


def test_a_lead_is_marked_as_read_by_itself_and_unread_for_a_new_owner(world: World) -> None:
    world.update(IVO, {"unread": False}, by=LUIS)
    assert world.record(IVO)["unread"] == 0
    world.update(IVO, {"owner_id": DANA}, by=LUIS)
    assert world.record(IVO)["unread"] == 1
    assert world.notes_to(DANA) == ["Luis Ortega made you the owner of the lead Ivo Petrov"]


def test_a_new_owner_gets_the_open_activities_of_a_lead_on_request(world: World) -> None:
    world.update(NORA, {"owner_id": LUIS}, move_open_activities=True)
    owners = [world.record(key)["owner_id"] for key in (LEAD_CALL, LEAD_TODO, LEAD_VISIT)]
    assert owners == [DANA, LUIS, LUIS]


def test_crm_3_leads_are_private_to_their_owner_and_those_above(world: World) -> None:
    assert set(world.ids("lead")) == {NORA, MARTA_AGAIN, STALE}
    assert set(world.ids("lead", by=LUIS)) == {IVO}
    assert set(world.ids("lead", by=PRIYA)) == {NORA, IVO, MARTA_AGAIN, STALE}
    assert world.ids("lead", by=MEI) == []
    with pytest.raises(NotFound):
        world.ask("get", id=NORA, by=LUIS)
    with pytest.raises(NotFound):
        world.update(NORA, {"rating": "Cold"}, by=LUIS)
    world.update(NORA, {"rating": "Cold"}, by=PRIYA)


@pytest.mark.parametrize(("access", "may_write"), [("read", False), ("write", True)])
def test_crm_3_defaults_of_leads_open_them_to_read_or_to_write(
    world_with: Callable[..., World], access: str, may_write: bool
) -> None:
    world = world_with(lead_rows(), lead=access)
    assert world.ask("get", id=NORA, by=LUIS)["access"]["edit"] is may_write
    if may_write:
        world.update(NORA, {"rating": "Cold"}, by=LUIS)
    else:
        with pytest.raises(Forbidden):
            world.update(NORA, {"rating": "Cold"}, by=LUIS)


def test_crm_3_a_share_opens_one_lead(world_with: Callable[..., World]) -> None:
    share = {
        "object": "lead",
        "record_id": NORA,
        "grantee_kind": "user",
        "grantee_id": LUIS,
        "access": "write",
        "cause": "manual",
    }
    rows = {name: list(found) for name, found in lead_rows().items()}
    world = world_with({**rows, "crm_record_share": [share]})
    assert set(world.ids("lead", by=LUIS)) == {NORA, IVO}
    world.update(NORA, {"rating": "Cold"}, by=LUIS)
    with pytest.raises(Forbidden):
        world.delete(NORA, by=LUIS)
    assert set(world.ids("task", ("who_id", "equals", NORA), by=LUIS)) == {LEAD_CALL, LEAD_TODO}


def test_profiles_cap_what_is_done_with_leads(world: World) -> None:
    with pytest.raises(Forbidden):
        world.create("lead", last_name="Okafor", company="Kite", by=ROWAN)
    assert "lead" in world.ask("whoami", by=ROWAN)["rights"]


def test_x_7_a_stale_version_of_a_lead_is_a_conflict(world: World) -> None:
    version = world.version(NORA)
    world.update(NORA, {"rating": "Cold"}, by=ADA)
    with pytest.raises(Conflict, match=r"Ada Lindqvist changed this lead .*rating"):
        world.update(NORA, {"rating": "Warm"}, row_version=version)


def test_crm_12_an_activity_is_with_a_contact_or_a_lead(world: World) -> None:
    made = world.create("task", subject="Ask about budget", who_id=NORA)
    assert world.record(made)["who_id"] == NORA
    world.update(made, {"who_id": MARTA})
    for wrong in ("ACC000000000001", "LEA000000000099", IVO):
        with pytest.raises(Invalid, match="no contact or lead") as refused:
            world.update(made, {"who_id": wrong})
        assert str(refused.value.field).endswith("who_id")
    rows = world.read("lookup", {"object": "who", "text": "marta"})["rows"]
    assert {(row["object"], row["id"]) for row in rows} == {("contact", MARTA), ("lead", MARTA_AGAIN)}


def test_crm_12_the_timeline_of_a_lead_has_its_activities_mails_and_notes(world: World) -> None:
    groups = world.ask("timeline", id=NORA)["groups"]
    kinds = {item["kind"] for group in groups for item in group["items"]}
    assert kinds == {"call", "task", "event", "email", "note"}
    names = {item.get("who_name") for group in groups for item in group["items"] if item["kind"] != "note"}
    assert names == {"Nora Haldane"}


def test_activities_of_a_lead_are_seen_by_those_who_see_the_lead(world: World) -> None:
    assert LEAD_TODO in world.ids("task", by=PRIYA)
    assert LEAD_TODO not in world.ids("task", by=LUIS)


def test_crm_14_search_finds_leads_by_name_company_email_and_phone(world: World) -> None:
    for text in ("haldane", "aldercroft lim", "n.haldane@", "960077"):
        groups = {group["object"]: group for group in world.ask("search", text=text, objects=["lead"])["groups"]}
        assert [row["id"] for row in groups["lead"]["rows"]] == [NORA], text


def test_x_10_search_and_lookups_show_no_lead_that_may_not_be_read(world: World) -> None:
    assert world.ask("search", text="haldane", by=LUIS)["groups"] == []
    assert world.read("lookup", {"object": "lead", "text": "haldane"}, by=LUIS)["rows"] == []


def test_crm_6_leads_are_filtered_and_sorted_by_their_fields(world: World) -> None:
    assert world.ids("lead", ("lead_source", "equals", "Trade Show")) == [NORA]
    assert world.ids("lead", ("unread", "equals", True), by=ADA) == [IVO]
    by_company = world.ids("lead", by=ADA, sort=[{"field": "company", "direction": "asc"}])
    assert by_company == [MARTA_AGAIN, NORA, IVO, STALE]


def test_crm_10_a_deleted_lead_takes_its_own_activities_along_and_brings_them_back(world: World) -> None:
    assert world.delete(NORA)["deleted"] == 5
    assert {world.record(key)["is_deleted"] for key in (NORA, LEAD_CALL, LEAD_TODO, LEAD_VISIT, LEAD_NOTE)} == {1}
    assert NORA not in world.ids("lead")
    assert world.ask("search", text="haldane")["groups"] == []
    assert world.undelete(NORA)["restored"] == 5
    assert NORA in world.ids("lead")


def test_a_note_is_attached_to_a_lead(world: World) -> None:
    made = world.create("note", title="Plans", body="Two lines", record_ids=[NORA])
    assert world.ask("get", id=NORA, related=["notes"])["related"]["notes"]["total"] == 2
    attached = world.ask("get", id=made, related=["records"])["related"]["records"]["rows"]
    assert [(row["object"], row["name"]) for row in attached] == [("lead", "Nora Haldane")]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Halden Optik GmbH", "HALDEN OPTIK"),
        ("Åland Øst, Ltd.", "Aland Ost Limited"),
        ("Krakow Sp. z o.o.", "Kraków"),
        ("Foo S.A. de C.V.", "Foo"),
        ("Becker & Söhne GmbH & Co. KG", "Becker & Sohne"),
        ("PT Sinar Jaya Tbk", "Sinar Jaya"),
    ],
)
def test_crm_2_2_companies_are_the_same_but_for_case_accents_marks_and_legal_form(one: str, other: str) -> None:
    assert company_key(one) == company_key(other)


@pytest.mark.parametrize(("one", "other"), [("Tern Logistics", "Tern Pumps"), ("Halden", "Holden"), ("The AG", "AG")])
def test_crm_2_2_other_companies_are_not(one: str, other: str) -> None:
    assert company_key(one) != company_key(other)


def test_crm_2_2_web_and_mail_addresses_have_a_domain() -> None:
    for address in ("https://www.kestrel.example/de", "KESTREL.example", "m.ilic@kestrel.example"):
        assert web_domain(address) == "kestrel.example"
    assert web_domain(None) == ""
