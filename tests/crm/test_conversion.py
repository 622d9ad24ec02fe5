"""Conversion of leads, clause by clause (CRM-2), through both doors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from deskgym_apps.kit.canonical import state_hash
from deskgym_apps.kit.errors import Conflict, Forbidden, Invalid, NotFound, ServiceError

from . import fixture
from .fixture import (
    ADA,
    ALDERCROFT,
    BRIGHTMOOR,
    DANA,
    HARBOUR,
    JUN,
    KESTREL,
    LOST,
    LUIS,
    MARTA,
    OSEI,
    PRIYA,
    ROWAN,
    TOM,
    World,
    build_image,
)
from .invariants import broken
from .lead_rows import (
    IVO,
    LEAD_CALL,
    LEAD_MAIL,
    LEAD_NOTE,
    LEAD_TODO,
    LEAD_VISIT,
    MARTA_AGAIN,
    NORA,
    STALE,
    lead_rows,
)


@pytest.fixture(scope="module")
def lead_image() -> bytes:
    return build_image(lead_rows())


@pytest.fixture(params=["service", "tool"])
def world(request: pytest.FixtureRequest, lead_image: bytes) -> Iterator[World]:
    opened = World(lead_image, request.param)
    yield opened
    assert broken(opened.store) == []
    opened.close()


def convert(
    world: World, lead: str, account: str = "new", contact: str = "new", deal: str = "none", **more: Any
) -> Any:
    """Convert a lead at its present version."""
    by = more.pop("by", DANA)
    given = {"lead_id": lead, "row_version": world.version(lead), "account": account, "contact": contact} | more
    return world.ask("convert_lead", by=by, **({"opportunity": deal} | given))


def count(world: World, table: str) -> int:
    return len(world.store.all(f"SELECT 1 FROM crm_{table}"))


def test_crm_2_a_new_account_contact_and_opportunity_take_over_what_is_mapped(world: World) -> None:
    done = convert(world, IVO, deal="new", by=LUIS)
    assert done["created"] == ["account", "contact", "opportunity"]
    account, contact = world.record(done["account_id"]), world.record(done["contact_id"])
    given = ("name", "industry", "employees", "annual_revenue", "currency", "bill_city", "bill_country", "owner_id")
    assert [account[name] for name in given] == [
        *("Halden Optik GmbH", "Machinery", 90, 1_200_000_000, "EUR", "Kassel", "Germany", LUIS)
    ]
    given = ("first_name", "last_name", "email", "mobile", "mail_city", "lead_source", "email_opt_out", "do_not_call")
    assert [contact[name] for name in given] == [
        *("Ivo", "Petrov", "ivo@halden.example", "+491711234567", "Kassel", "Web", 1, 0)
    ]
    assert contact["account_id"] == done["account_id"]
    assert world.row("account_contact", (done["account_id"], done["contact_id"]))["is_direct"] == 1
    deal = world.record(done["opportunity_id"])
    assert (deal["name"], deal["stage"], deal["lead_source"]) == ("Halden Optik GmbH-", "Prospecting", "Web")
    assert (deal["account_id"], deal["owner_id"], deal["currency"]) == (done["account_id"], LUIS, "EUR")
    role = world.row("opportunity_contact_role", (done["opportunity_id"], done["contact_id"]))
    assert (role["is_primary"], role["role"]) == (1, None)


@pytest.mark.parametrize(("month", "end"), [("2", "2031-04-30"), ("1", "2031-03-31"), ("12", "2031-05-31")])
def test_crm_2_5_a_new_deal_closes_on_the_last_day_of_the_fiscal_quarter(
    monkeypatch: pytest.MonkeyPatch, month: str, end: str
) -> None:
    meta = fixture._settings()
    meta["org_meta"] = [
        row | ({"value": month} if row["key"] == "fiscal_start_month" else {}) for row in meta["org_meta"]
    ]
    monkeypatch.setattr(fixture, "_settings", lambda: meta)
    world = World(build_image(lead_rows()))
    done = convert(world, IVO, deal="new", by=LUIS)
    assert world.record(done["opportunity_id"])["close_date"] == end
    world.close()


def test_crm_2_2_matches_come_with_their_reasons(world: World) -> None:
    related = world.ask("get", id=NORA, related=["matching_accounts", "matching_contacts"])["related"]
    rows = related["matching_accounts"]["rows"]
    assert [(row["id"], row["reason"]) for row in rows] == [(ALDERCROFT, "same name but for the legal form")]
    assert related["matching_contacts"]["rows"] == []
    related = world.ask("get", id=MARTA_AGAIN, related=["matching_contacts"])["related"]
    rows = related["matching_contacts"]["rows"]
    assert [(row["id"], row["reason"], row["account_id"]) for row in rows] == [
        (MARTA, "same e-mail, same name", ALDERCROFT)
    ]
    assert (
        world.ask("get", id=IVO, related=["matching_accounts"], by=LUIS)["related"]["matching_accounts"]["rows"] == []
    )


def test_crm_2_2_a_web_domain_is_a_reason(world: World) -> None:
    world.update(ALDERCROFT, {"website": "https://www.aldercroft.example"})
    world.update(NORA, {"company": "Mill Lane Works"})
    rows = world.ask("get", id=NORA, related=["matching_accounts"])["related"]["matching_accounts"]["rows"]
    assert [(row["id"], row["reason"]) for row in rows] == [(ALDERCROFT, "same web domain")]


def test_crm_2_3_of_an_account_that_exists_only_blank_fields_are_filled(world: World) -> None:
    before = world.record(ALDERCROFT)
    done = convert(world, NORA, ALDERCROFT)
    after = world.record(ALDERCROFT)
    changed = {name for name in after if after[name] != before[name]}
    filled = {"website", "employees", "rating", "bill_street", "bill_postcode"}
    assert changed == filled | {"updated_at", "row_version"}
    assert (after["industry"], after["phone"]) == ("Machinery", "+441632960001")
    assert done["created"] == ["contact"]
    contact = world.record(done["contact_id"])
    assert (contact["do_not_call"], contact["owner_id"], contact["title"]) == (1, DANA, "Plant Manager")


def test_crm_2_3_addresses_of_two_places_are_never_mixed(world: World) -> None:
    world.update(NORA, {"city": "York"})
    convert(world, NORA, ALDERCROFT)
    row = world.record(ALDERCROFT)
    assert (row["bill_city"], row["bill_street"], row["bill_postcode"]) == ("Leeds", None, None)


def test_crm_2_3_wishes_are_not_copied_onto_a_contact_that_exists(world: World) -> None:
    contacts = count(world, "contact")
    convert(world, MARTA_AGAIN, ALDERCROFT, MARTA)
    row = world.record(MARTA)
    assert (row["do_not_call"], row["title"], row["phone"]) == (0, "Buyer", "+441632960014")
    assert row["mobile"] == "+447700900123"
    assert count(world, "contact") == contacts


def test_crm_2_3_revenue_in_another_currency_is_not_filled_in(world: World) -> None:
    convert(world, IVO, BRIGHTMOOR, by=LUIS)
    assert world.record(BRIGHTMOOR)["annual_revenue"] == 1_200_000_000
    world.update(NORA, {"company": "Osaka Works", "currency": "JPY"})
    assert world.record(ALDERCROFT)["annual_revenue"] == 1_250_000_000


def test_crm_2_5_a_deal_that_exists_is_attached_with_a_role(world: World) -> None:
    done = convert(world, NORA, ALDERCROFT, "new", KESTREL)
    assert done["opportunity_id"] == KESTREL
    role = world.row("opportunity_contact_role", (KESTREL, done["contact_id"]))
    assert role["is_primary"] == 0  # Marta is the primary contact already
    assert world.record(KESTREL)["lead_source"] == "Trade Show"
    assert world.record(KESTREL)["close_date"] == "2031-04-30"


@pytest.mark.parametrize("deal", [LOST, HARBOUR])
def test_crm_2_5_a_deal_that_is_closed_or_of_another_account_is_refused(world: World, deal: str) -> None:
    with pytest.raises(ServiceError) as refused:
        convert(world, NORA, ALDERCROFT, "new", deal)
    assert refused.value.field == "opportunity"
    assert world.record(NORA)["is_converted"] == 0


def test_crm_2_6_everything_about_the_lead_goes_to_the_new_records(world: World) -> None:
    done = convert(world, NORA, ALDERCROFT, deal="new", opportunity_name="Mill Lane line 2")
    about = (done["contact_id"], done["opportunity_id"])
    for key in (LEAD_CALL, LEAD_TODO, LEAD_VISIT):
        row = world.record(key)
        assert (row["who_id"], row["what_id"]) == about
    mail = world.row("email_message", LEAD_MAIL)
    assert (mail["who_id"], mail["what_id"]) == about
    links = {row["record_id"] for row in world.store.select("crm_note_link", note_id=LEAD_NOTE)}
    assert links == set(about)
    assert world.record(done["opportunity_id"])["name"] == "Mill Lane line 2"
    assert world.record(done["opportunity_id"])["last_activity_on"] == "2031-03-01"


def test_crm_2_6_without_a_deal_activities_are_about_the_account(world: World) -> None:
    done = convert(world, NORA, ALDERCROFT)
    assert (world.record(LEAD_TODO)["who_id"], world.record(LEAD_TODO)["what_id"]) == (done["contact_id"], ALDERCROFT)


def test_crm_2_6_what_was_about_another_record_stays_so(world: World) -> None:
    world.update(LEAD_TODO, {"what_id": KESTREL})
    convert(world, NORA, ALDERCROFT)
    assert world.record(LEAD_TODO)["what_id"] == KESTREL


def test_crm_2_6_another_owner_gets_the_new_records_and_the_open_activities(world: World) -> None:
    done = convert(world, NORA, ALDERCROFT, deal="new", owner=LUIS)
    assert [world.record(done[f"{name}_id"])["owner_id"] for name in ("contact", "opportunity")] == [LUIS, LUIS]
    assert world.record(ALDERCROFT)["owner_id"] == DANA
    owners = [world.record(key)["owner_id"] for key in (LEAD_CALL, LEAD_TODO, LEAD_VISIT)]
    assert owners == [DANA, LUIS, LUIS]
    assert len(world.notes_to(LUIS)) == 2


def test_crm_2_7_and_p5_converting_makes_exactly_one_contact(world: World) -> None:
    contacts = count(world, "contact")
    done = convert(world, IVO, deal="new", by=LUIS)
    assert count(world, "contact") == contacts + 1
    row = world.record(done["contact_id"])
    assert (row["first_name"], row["last_name"], row["email"]) == ("Ivo", "Petrov", "ivo@halden.example")


def test_crm_2_7_a_conversion_that_fails_leaves_everything_as_it_was_and_names_the_field(world: World) -> None:
    before = state_hash(world.store)
    with pytest.raises(Invalid) as refused:
        convert(world, STALE)
    assert refused.value.field == "account.phone"
    assert "call reception first" in refused.value.message
    assert state_hash(world.store) == before


def test_crm_2_7_an_owner_who_left_is_refused_by_name_of_the_field(world: World) -> None:
    with pytest.raises(Invalid) as refused:
        convert(world, NORA, ALDERCROFT, owner=TOM)
    assert refused.value.field == "owner"


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"account": "LEA000000000001"}, "account"),
        ({"account": "maybe"}, "account"),
        ({"account": ALDERCROFT, "contact": JUN}, "contact"),
        ({"account": "new", "contact": MARTA}, "contact"),
        ({"deal": "none", "opportunity_name": "X"}, "opportunity_name"),
        ({"status": "Nurturing"}, "status"),
        ({"owner": "PRS000000000099"}, "owner"),
    ],
)
def test_crm_2_1_arguments_that_cannot_be_are_refused(world: World, arguments: dict[str, str], field: str) -> None:
    with pytest.raises(ServiceError) as refused:
        convert(world, NORA, **arguments)
    assert str(refused.value.field).startswith(field)
    assert world.record(NORA)["is_converted"] == 0


def test_a_contact_that_is_related_to_the_account_may_be_chosen(world: World) -> None:
    convert(world, NORA, BRIGHTMOOR, OSEI, by=ADA)
    assert world.record(OSEI)["account_id"] == ALDERCROFT


def test_crm_2_8_a_converted_lead_is_read_only_and_out_of_lists_and_search(world: World) -> None:
    done = convert(world, NORA, ALDERCROFT)
    row = world.record(NORA)
    assert (row["status"], row["is_converted"], row["converted_at"]) == ("Qualified", 1, world.store.now)
    assert ("status", "Working - Contacted", "Qualified") in world.history(NORA)
    assert NORA not in world.ids("lead", by=ADA)
    groups = world.ask("search", text="haldane", by=ADA)["groups"]
    assert [group["object"] for group in groups] == ["contact"]
    assert all(row["object"] != "lead" for row in world.read("lookup", {"object": "who", "text": "haldane"})["rows"])
    got = world.ask("get", id=NORA)
    assert got["access"] == {"edit": False, "delete": False, "transfer": False}
    assert got["record"]["converted_contact_id"] == done["contact_id"]
    assert got["record"]["converted_account.name"] == "Aldercroft Ltd"
    with pytest.raises(Forbidden, match="was converted"):
        world.update(NORA, {"rating": "Cold"}, by=ADA)
    with pytest.raises(Forbidden, match="was converted"):
        world.delete(NORA, by=ADA)
    with pytest.raises(Invalid):
        world.create("task", subject="Too late", who_id=NORA)


def test_crm_2_8_a_second_conversion_is_refused_with_what_the_first_one_made(world: World) -> None:
    done = convert(world, NORA, ALDERCROFT, deal="new")
    with pytest.raises(Invalid, match="converted before") as refused:
        convert(world, NORA, ALDERCROFT)
    records = refused.value.as_dict()["details"]["records"]
    assert [row["id"] for row in records] == [ALDERCROFT, done["contact_id"], done["opportunity_id"]]
    for row in records:
        assert world.ask("get", id=row["id"])["name"] == row["name"]


def test_crm_2_1_a_deleted_lead_is_not_converted(world: World) -> None:
    world.delete(NORA)
    with pytest.raises(NotFound):
        convert(world, NORA, ALDERCROFT)


def test_crm_2_1_conversion_needs_write_access_to_lead_and_targets(world: World) -> None:
    with pytest.raises(NotFound):
        convert(world, NORA, by=LUIS)
    with pytest.raises(Forbidden) as refused:
        convert(world, NORA, BRIGHTMOOR)  # Luis's account: Dana may read it only
    assert refused.value.field == "account"
    with pytest.raises(ServiceError):
        convert(world, NORA, by=ROWAN)
    convert(world, NORA, ALDERCROFT, by=PRIYA)


def test_x_7_a_stale_version_is_a_conflict(world: World) -> None:
    world.update(NORA, {"rating": "Cold"}, by=ADA)
    with pytest.raises(Conflict, match="Ada Lindqvist changed this lead"):
        world.ask("convert_lead", lead_id=NORA, row_version=1, account=ALDERCROFT, contact="new", opportunity="none")


def item(world: World, lead: str, **more: str) -> dict[str, Any]:
    return (
        {"lead_id": lead, "row_version": world.version(lead), "account": "new", "contact": "new"}
        | {"opportunity": "none"}
        | more
    )


@pytest.mark.parametrize("world", ["service"], indirect=True)
def test_crm_2_9_and_frappe_1706_a_bulk_conversion_reports_each_lead(world: World) -> None:
    items = [item(world, NORA, account=ALDERCROFT), item(world, STALE), item(world, MARTA_AGAIN, account=ALDERCROFT)]
    accounts = count(world, "account")
    done = world.run("convert_leads", {"items": items})
    assert (done["converted"], done["failed"]) == (2, 1)
    assert [(row["lead_id"], row["is_converted"]) for row in done["rows"]] == [
        (NORA, True),
        (STALE, False),
        (MARTA_AGAIN, True),
    ]
    assert "call reception first" in done["rows"][1]["message"]
    assert count(world, "account") == accounts  # the failed one left nothing behind
    assert world.record(STALE)["is_converted"] == 0


@pytest.mark.parametrize("world", ["service"], indirect=True)
def test_crm_2_9_leads_at_one_new_company_do_not_make_it_twice_unseen(world: World) -> None:
    done = world.run("convert_leads", {"items": [item(world, IVO), item(world, NORA)]}, by=PRIYA)
    assert [row["is_converted"] for row in done["rows"]] == [True, True]
    assert done["rows"][0]["account_id"] != done["rows"][1]["account_id"]


@pytest.mark.parametrize("world", ["service"], indirect=True)
def test_crm_2_9_where_no_lead_can_be_converted_nothing_is_written(world: World) -> None:
    before = state_hash(world.store)
    with pytest.raises(Invalid) as refused:
        world.run("convert_leads", {"items": [item(world, STALE)]})
    assert refused.value.details["rows"][0]["lead_id"] == STALE
    assert state_hash(world.store) == before


@pytest.mark.parametrize("world", ["service"], indirect=True)
def test_the_choices_of_a_conversion_propose_the_match_and_say_why_not(world: World) -> None:
    choices = world.read("conversion_choices", {"ids": [MARTA_AGAIN, STALE]})
    assert (choices[0]["account"], choices[0]["contact"]) == (ALDERCROFT, MARTA)
    assert [row["id"] for row in choices[0]["opportunities"]] == [KESTREL]
    assert (choices[1]["account"], choices[1]["contact"]) == ("new", "new")
    convert(world, MARTA_AGAIN, ALDERCROFT, MARTA)
    again = world.read("conversion_choices", {"ids": [MARTA_AGAIN]})[0]
    assert "converted before" in again["refusal"]
    assert [row["id"] for row in again["results"]] == [ALDERCROFT, MARTA]
