"""CRM-3 and X-10 through both doors: who gets how far with a record, and by which grant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.crm.fixture import (
    ADA,
    ALDERCROFT,
    BRIGHTMOOR,
    DANA,
    DESK_GROUP,
    HARBOUR,
    JUN,
    KESTREL,
    LUIS,
    MARTA,
    MEI,
    NOTE,
    OLGA,
    PRIYA,
    ROLES,
    ROWAN,
    TERN,
    TODO,
    TOM,
    WES,
    WON,
    account,
    contact,
    ident,
    opportunity,
)

from .conftest import Doorway
from .doors import PageDoorway
from .house import House, Refused, plain

RULE = {
    "id": ident("SHR", 1),
    "object": "opportunity",
    "source_kind": "role",
    "source_id": ROLES["AE East"],
    "target_kind": "group",
    "target_id": DESK_GROUP,
    "access": "read",
}
CHANGES = {
    "ACC": {"rating": "Hot"},
    "CON": {"title": "Head of Purchasing"},
    "OPP": {"next_step": "Call"},
    "TSK": {"comments": "Called"},
    "EVT": {"location": "Leeds"},
    "NTE": {"title": "Terms"},
}


def level(door: Doorway, record_id: str, by: str) -> str:
    """none, read, write or all: what the door lets a person do with a record; each attempt on the same state."""
    if door.sees(record_id, by=by) != "done":
        assert door.sees(record_id, by=by) == "not_found"
        return "none"
    changed = door.update(record_id, CHANGES[record_id[:3]], by=by)
    if changed.code != "done":
        assert changed.code == "forbidden", str(changed)
        return "read"
    given = door.update(record_id, {"owner_id": WES if by != WES else ADA}, by=by)
    assert given.code in ("done", "forbidden"), str(given)
    is_given = door.house.record(record_id)["owner_id"] == (WES if by != WES else ADA)
    return "all" if is_given else "write"


@pytest.mark.parametrize(
    ("person", "record"),
    [(ADA, WON), (OLGA, WON), (ADA, TODO), (PRIYA, TODO)],
    ids=["administrator", "modify all", "administrator of tasks", "above the owner"],
)
def test_crm_3_1_modify_all_and_administration_reach_everything(door: Doorway, person: str, record: str) -> None:
    assert level(door, record, person) == "all"


def test_crm_3_1_modify_all_of_deals_reaches_no_task_that_is_about_nothing(door: Doorway) -> None:
    made = door.create("task", subject="Water the plants")
    assert level(door, made.id, OLGA) == "none"
    assert level(door, made.id, ADA) == "all"


def test_crm_3_1_view_all_gives_read_and_no_more(door_with: Callable[..., Doorway]) -> None:
    far = account(9, "Far Away", ADA)
    door = door_with({"crm_account": [far]}, account="private")
    assert level(door, far["id"], PRIYA) == "read"
    assert level(door, far["id"], LUIS) == "none"


def test_crm_3_2_the_owner_changes_and_gives_away(door: Doorway) -> None:
    for record in (KESTREL, MARTA, TODO, NOTE):
        assert level(door, record, DANA) == "all", record


def test_crm_3_3_roles_above_the_owner_get_what_the_owner_gets(door: Doorway) -> None:
    for record in (KESTREL, TODO, NOTE):
        assert level(door, record, PRIYA) == "all", record
    assert level(door, HARBOUR, MEI) == "none"


def test_crm_3_3_only_where_the_hierarchy_counts(
    enter: Callable[[House], Doorway], house: House, monkeypatch: pytest.MonkeyPatch, house_with: Callable[..., House]
) -> None:
    from deskgym_apps.crm import defaults

    monkeypatch.setattr(defaults, "OWD", tuple(row | {"hierarchy": 0} for row in defaults.OWD))
    assert level(enter(house_with()), KESTREL, PRIYA) == "none"
    assert level(enter(house), KESTREL, PRIYA) == "all"


@pytest.mark.parametrize(("default", "reached"), [("private", "none"), ("read", "read"), ("write", "write")])
def test_crm_3_4_the_default_of_an_object(door_with: Callable[..., Doorway], default: str, reached: str) -> None:
    assert level(door_with(opportunity=default), KESTREL, LUIS) == reached
    assert level(door_with(opportunity=default), KESTREL, DANA) == "all"


@pytest.mark.parametrize(
    ("default", "person", "reached"),
    [("read", LUIS, "read"), ("write", LUIS, "write"), ("private", WES, "none"), ("read", DANA, "all")],
)
def test_crm_3_5_parent_gives_the_level_on_the_account(
    door_with: Callable[..., Doorway], default: str, person: str, reached: str
) -> None:
    door = door_with(account=default, opportunity="private")
    assert level(door, MARTA, person) == reached


def test_crm_3_5_the_owner_of_an_account_reaches_its_contacts_wholly(door_with: Callable[..., Doorway]) -> None:
    others = contact(9, "Lena", "Ohlin", LUIS, account_id=ALDERCROFT)
    link = {"account_id": ALDERCROFT, "contact_id": others["id"], "is_direct": 1}
    door = door_with({"crm_contact": [others], "crm_account_contact": [link]})
    assert level(door, others["id"], DANA) == "all"


@pytest.mark.parametrize(("access", "reached"), [("read", "read"), ("write", "write")])
def test_crm_3_6_a_sharing_rule_gives_its_level_to_the_group(
    door_with: Callable[..., Doorway], access: str, reached: str
) -> None:
    rules = {"crm_sharing_rule": [RULE | {"access": access}]}
    assert level(door_with(rules), KESTREL, MEI) == reached
    assert level(door_with(rules), WON, MEI) == "none"  # owned by another role
    assert level(door_with(rules), KESTREL, ROWAN) == "none"  # not in the group


@pytest.mark.parametrize("cause", ["manual", "team"])
@pytest.mark.parametrize(("access", "reached"), [("read", "read"), ("write", "write")])
def test_crm_3_7_a_share_gives_its_level(
    door_with: Callable[..., Doorway], cause: str, access: str, reached: str
) -> None:
    share = {
        "object": "opportunity",
        "record_id": KESTREL,
        "grantee_kind": "user",
        "grantee_id": LUIS,
        "access": access,
        "cause": cause,
    }
    door = door_with({"crm_record_share": [share]})
    assert level(door, KESTREL, LUIS) == reached
    assert door.sees(KESTREL, by=WES) == "not_found"


@pytest.mark.parametrize("child", ["contact", "opportunity"])
def test_crm_3_8_access_to_a_record_of_an_account_gives_read_on_the_account(
    door_with: Callable[..., Doorway], child: str
) -> None:
    hidden = account(9, "Closed House", DANA)
    link = {"account_id": hidden["id"], "contact_id": ident("CON", 9), "is_direct": 1}
    made: dict[str, Any] = {
        "contact": {"crm_contact": [contact(9, "Lena", "Ohlin", WES, account_id=hidden["id"])],
                    "crm_account_contact": [link]},
        "opportunity": {"crm_opportunity": [opportunity(9, "Inside", WES, "Prospecting", account_id=hidden["id"])]},
    }[child]  # fmt: skip
    door = door_with({"crm_account": [hidden]} | made, account="private", contact="private")
    assert level(door, hidden["id"], WES) == "read"
    assert level(door, hidden["id"], LUIS) == "none"


def test_crm_3_9_object_permissions_cap_what_sharing_gives(door_with: Callable[..., Doorway]) -> None:
    share = {
        "object": "opportunity",
        "record_id": KESTREL,
        "grantee_kind": "user",
        "grantee_id": ROWAN,
        "access": "write",
        "cause": "manual",
    }
    door = door_with({"crm_record_share": [share]})
    assert level(door, KESTREL, ROWAN) == "read"  # a profile that only reads
    assert door.create("account", by=ROWAN, name="Mine").code == "forbidden"
    assert level(door, TERN, WES) in ("write", "all")
    refused = door.delete(TERN, by=WES)  # representatives may not delete accounts, not even their own
    assert refused.code == "forbidden"


def test_crm_3_9_then_fields_are_capped(door: Doorway) -> None:
    assert door.name == "page" or door.refusal("account", ("annual_revenue", "gt", 1), by=ROWAN).code == "bad_query"
    text = door.timeline_text(ALDERCROFT, by=ROWAN)
    assert "12,500,000" not in text
    assert "12500000" not in text
    with door.house.unchanged():
        refused = door.update(ALDERCROFT, {"sla_tier": "Gold"})
    assert refused.code == ("forbidden" if door.name == "tool" else "done")


def test_crm_3_9_a_field_one_may_not_set_has_no_control(pages: PageDoorway) -> None:
    assert "sla_tier" not in pages.draft(ALDERCROFT).form
    assert "sla_tier" in pages.draft(ALDERCROFT, by=ADA).form
    path = f"/crm/accounts/{ALDERCROFT}"
    assert "Annual revenue" in pages.house.get(path).text
    assert "Annual revenue" not in pages.house.get(path, ROWAN).text
    refused = pages.refusal("account", ("annual_revenue", "gt", 1), by=ROWAN)
    assert refused.code == "bad_query"


@pytest.mark.parametrize(
    ("person", "record", "code"),
    [
        (DANA, KESTREL, "done"),
        (PRIYA, KESTREL, "done"),
        (OLGA, KESTREL, "done"),
        (LUIS, KESTREL, "not_found"),
        (DANA, ALDERCROFT, "forbidden"),
        (LUIS, MARTA, "forbidden"),
        (ROWAN, TERN, "forbidden"),
    ],
    ids=["owner", "above", "modify all", "unseen", "no object delete", "read only by sharing", "profile reads"],
)
def test_crm_3_10_delete_needs_the_object_right_and_the_whole_record(
    door: Doorway, person: str, record: str, code: str
) -> None:
    if code == "done":
        assert door.delete(record, by=person).code == "done"
        assert door.house.record(record)["is_deleted"] == 1
        return
    with door.house.unchanged():
        assert door.delete(record, by=person).code == code


def test_crm_3_10_write_is_not_enough_to_delete(door_with: Callable[..., Doorway]) -> None:
    share = {
        "object": "opportunity",
        "record_id": KESTREL,
        "grantee_kind": "user",
        "grantee_id": LUIS,
        "access": "write",
        "cause": "manual",
    }
    door = door_with({"crm_record_share": [share]})
    with door.house.unchanged():
        assert door.delete(KESTREL, by=LUIS).code == "forbidden"


def test_crm_3_11_the_worked_example(door_with: Callable[..., Doorway]) -> None:
    door = door_with({"crm_sharing_rule": [RULE]})
    reached = {person: level(door_with({"crm_sharing_rule": [RULE]}), KESTREL, person) for person in (DANA, PRIYA, MEI)}
    assert reached == {DANA: "all", PRIYA: "all", MEI: "read"}
    assert door.sees(KESTREL, by=LUIS) == "not_found"
    with door.house.unchanged():
        assert door.update(KESTREL, {"next_step": "x"}, by=MEI).code == "forbidden"
        assert door.update(KESTREL, {"next_step": "x"}, by=LUIS).code == "not_found"


@pytest.mark.parametrize("person", [DANA, PRIYA, ADA, LUIS, WES, MEI, ROWAN])
def test_x_10_1_lists_search_lookups_links_and_the_record_agree(door: Doorway, person: str) -> None:
    sees = door.sees(KESTREL, by=person) == "done"
    assert sees == (person in (DANA, PRIYA, ADA))
    assert (KESTREL in door.ids("opportunity", by=person)) == sees
    assert (KESTREL in door.found("kestrel", by=person)) == sees
    assert (TODO in door.found("revised quote", by=person)) == sees == (door.sees(TODO, by=person) == "done")
    assert (KESTREL in related(door, ALDERCROFT, person)) == sees
    code = "done" if sees else "not_found"
    assert door.update(KESTREL, {"next_step": "Call"}, by=person).code == code
    refused = door.create("task", by=person, subject="About it", what_id=KESTREL)
    assert refused.code == ("done" if sees else "forbidden" if person == ROWAN else "validation")


def related(door: Doorway, account_id: str, by: str) -> str:
    """Everything the door shows of what is related to an account."""
    if door.name == "tool":
        lists = ["opportunities", "contacts", "tasks", "events", "notes", "emails"]
        return str(door.house.tool("get", {"id": account_id, "related": lists}, by))
    return door.house.get(f"/crm/accounts/{account_id}/related", by).text


def test_x_10_2_what_may_not_be_read_is_404_and_what_may_not_be_done_403(door: Doorway) -> None:
    assert door.sees(KESTREL, by=LUIS) == "not_found"
    assert door.sees(ident("OPP", 999), by=LUIS) == "not_found"
    with door.house.unchanged():
        refusals = [
            door.update(KESTREL, {"name": "x"}, by=LUIS),
            door.delete(KESTREL, by=LUIS),
            door.undelete(KESTREL, by=LUIS),
            door.link("contact_role", KESTREL, JUN, by=LUIS, role="Evaluator"),
        ]
    for refused in refusals:
        assert refused.code == "not_found", str(refused)
        assert "Kestrel" not in refused.text
    with door.house.unchanged():
        assert door.update(BRIGHTMOOR, {"rating": "Hot"}, by=DANA).code == "forbidden"


def test_x_10_3_a_won_deal_that_stands_in_the_way_is_named_only_to_who_may_read_it(
    door_with: Callable[..., Doorway],
) -> None:
    """Priya may delete her account, but one of its two won deals belongs to somebody beside her team."""
    mine = account(9, "Shared Works", PRIYA)
    seen = opportunity(8, "Open book", DANA, "Closed Won", amount=100, account_id=mine["id"])
    unseen = opportunity(9, "Secret deal", MEI, "Closed Won", amount=100, account_id=mine["id"])
    door = door_with({"crm_account": [mine], "crm_opportunity": [seen, unseen]})
    assert door.sees(unseen["id"], by=PRIYA) == "not_found"
    for person, names in ((ADA, {"Open book", "Secret deal"}), (PRIYA, {"Open book"})):
        with door.house.unchanged():
            refused = door.delete(mine["id"], by=person)
        assert refused.code == "validation"
        assert "2 of its opportunities are won" in plain(refused.text)
        assert {name for name in ("Open book", "Secret deal") if name in refused.text} == names
        assert (unseen["id"] in refused.text) == ("Secret deal" in names)


def test_p7_search_and_address_show_nothing_that_may_not_be_read(door: Doorway) -> None:
    for word in ("kestrel", "Kestrel – FY26 renewal", "osaka", "revised quote"):
        assert door.found(word, by=LUIS) == [], word
        assert door.found(word, by=DANA) != [], word
    for record in (KESTREL, TODO):
        assert door.sees(record, by=LUIS) == "not_found"


@pytest.mark.parametrize("to", ["dana@northbeam.example", "x@y.example, dana@northbeam.example"])
def test_x_10_4_a_mail_belongs_to_whom_it_was_sent_not_to_a_part_of_the_address(
    door_with: Callable[..., Doorway], to: str
) -> None:
    mail = {
        "id": ident("EML", 9), "thread_id": "T9", "direction": "in", "from_addr": "a@b.example", "to_addrs": to,
        "subject": "Private offer", "subject_norm": "private offer", "body": "For Dana.",
        "sent_at": "2031-03-12T10:30:00Z",
    }  # fmt: skip
    door = door_with({"crm_email_message": [mail]})
    assert door.sees(mail["id"], by=DANA) == "done"
    assert door.sees(mail["id"], by=LUIS) == "not_found"
    door.house.store.conn.execute("INSERT INTO jrn_open VALUES (1, 0, 'inject')")
    door.house.store.conn.execute("UPDATE org_person SET email = 'ana@northbeam.example' WHERE id = ?", (LUIS,))
    door.house.store.conn.execute("DELETE FROM jrn_open")
    assert door.sees(mail["id"], by=LUIS) == "not_found"
    assert door.found("private offer", by=LUIS) == []
    assert door.found("private offer", by=DANA) == [mail["id"]]


def test_x_10_5_an_inactive_user_may_do_nothing(door: Doorway) -> None:
    assert door.sees(ALDERCROFT, by=TOM) == "forbidden"
    with door.house.unchanged():
        assert door.create("task", by=TOM, subject="x").code == "forbidden"


def test_x_10_6_no_page_shows_what_the_person_cannot_do(pages: PageDoorway) -> None:
    for person, record, shown in ((DANA, KESTREL, True), (DANA, BRIGHTMOOR, False), (ROWAN, TERN, False)):
        folder = "opportunities" if record.startswith("OPP") else "accounts"
        text = pages.house.get(f"/crm/{folder}/{record}", person).text
        assert (f"/crm/{folder}/{record}/edit" in text) == shown
        assert (f"/crm/{folder}/{record}/delete" in text) == shown
        if not shown:
            with pytest.raises(Refused, match="forbidden"):
                pages.draft(record, by=person)
