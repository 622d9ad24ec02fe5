"""X-10, X-17: every object, every action and every kind of person, by pages, tools, search, lookups and related lists.

What a person may do is worked out here once more, in Python and straight from the tables (CRM-3), and the doors are
held to that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from tests.crm.fixture import (
    ALDERCROFT,
    BRIGHTMOOR,
    CALL,
    HARBOUR,
    JUN,
    KESTREL,
    LOST,
    MAIL,
    MARTA,
    NOTE,
    OSEI,
    OVERDUE,
    PAST_VISIT,
    PEOPLE,
    TERN,
    TODO,
    VISIT,
    WON,
    YEN,
)

from deskgym_apps.kit.store import Store

from .conftest import Doorway
from .doors import PageDoorway, ToolDoorway
from .house import FOLDERS, KINDS, OBJECTS, House, Refused

RECORDS = (
    *(ALDERCROFT, BRIGHTMOOR, TERN, MARTA, OSEI, JUN, KESTREL, HARBOUR, WON, LOST, YEN),
    *(CALL, TODO, OVERDUE, VISIT, PAST_VISIT, NOTE),
)
SHARED = ("account", "contact", "opportunity")  # objects with related lists, a timeline and a default of their own
ACTIVE = {name: person for name, person in PEOPLE.items() if name != "tom"}
CHANGES = {"account": "description", "contact": "description", "opportunity": "next_step", "task": "comments",
           "event": "location", "note": "title"}  # fmt: skip


class Law:
    """CRM-3 in words of its own, over the rows of a store."""

    def __init__(self, store: Store, person: str) -> None:
        self.store, self.person = store, person
        self.user = store.get("crm_user", person) or {}
        profile = store.get("crm_profile", self.user["profile_id"]) or {}
        self.is_admin = bool(profile["is_admin"])

    def right(self, kind: str, verb: str) -> bool:
        row = self.store.get("crm_object_perm", ("profile", self.user["profile_id"], kind))
        return self.is_admin or bool(row and row[verb])

    def is_above(self, owner: str) -> bool:
        of_owner = (self.store.get("crm_user", owner) or {}).get("role_id")
        at = (self.store.get("crm_role", of_owner) or {}).get("parent_role_id") if of_owner else None
        while at is not None:
            if at == self.user["role_id"]:
                return True
            at = (self.store.get("crm_role", at) or {}).get("parent_role_id")
        return False

    def level(self, record_id: str) -> int:
        """0 none, 1 read, 2 write, 3 all; capped by the profile."""
        kind = OBJECTS[record_id[:3]]
        reached = self.reached(kind, record_id)
        if not self.right(kind, "can_read"):
            return 0
        return reached if self.right(kind, "can_edit") else min(reached, 1)

    def reached(self, kind: str, record_id: str) -> int:
        row = self.store.get(f"crm_{kind}", record_id) or {}
        if self.is_admin or self.right(kind, "modify_all"):
            return 3
        if row["owner_id"] == self.person or self.is_above(row["owner_id"]):
            return 3
        levels = [1 if self.right(kind, "view_all") else 0]
        if kind in SHARED:
            access = (self.store.get("crm_owd", kind) or {})["access"]
            levels.append({"private": 0, "read": 1, "write": 2}.get(access, 0))
            if access == "parent" and row["account_id"]:
                levels.append(self.level(row["account_id"]))
            if kind == "account" and any(self.holds(child, record_id) for child in ("contact", "opportunity")):
                levels.append(1)
        elif kind == "note":
            links = self.store.select("crm_note_link", note_id=record_id)
            levels += [min(2, self.level(link["record_id"])) for link in links]
        else:
            levels += [min(2, self.level(row[name])) for name in ("who_id", "what_id") if row[name]]
        return max(levels)

    def holds(self, child: str, account_id: str) -> bool:
        """Whether a contact or deal of the account is theirs, their team's, or open to all."""
        if not self.right(child, "can_read"):
            return False
        access = (self.store.get("crm_owd", child) or {})["access"]
        is_open = access in ("read", "write") or self.right(child, "view_all")
        rows = [row for row in self.store.select(f"crm_{child}", account_id=account_id) if not row["is_deleted"]]
        return any(is_open or row["owner_id"] == self.person or self.is_above(row["owner_id"]) for row in rows)

    def may_read_mail(self, mail: dict[str, Any]) -> bool:
        """By its addresses, or by the contact or record it is about."""
        mine = (self.store.get("org_person", self.person) or {})["email"]
        about = [mail[name] for name in ("who_id", "what_id") if mail[name]]
        return self.is_admin or mine in (mail["from_addr"], mail["to_addrs"]) or any(map(self.level, about))

    def may_delete(self, record_id: str) -> bool:
        return self.level(record_id) == 3 and self.right(OBJECTS[record_id[:3]], "can_delete")


def name_of(house: House, record_id: str) -> str:
    row = house.record(record_id)
    return str(next(row[name] for name in ("name", "last_name", "subject", "title") if name in row))


@pytest.mark.parametrize("name", ACTIVE)
def test_x_10_7_every_way_to_every_record_obeys_the_same_law(door: Doorway, name: str) -> None:
    house, person = door.house, PEOPLE[name]
    law = Law(house.store, person)
    lists = {kind: set(door.ids(kind, by=person)) for kind in KINDS}
    for record in RECORDS:
        kind, level = OBJECTS[record[:3]], law.level(record)
        seen = level > 0
        where = f"{name} {record} {name_of(house, record)}"
        assert (door.sees(record, by=person) == "done") == seen, where
        assert (record in lists[kind]) == seen, where
        assert (record in door.found(name_of(house, record), by=person, kind=kind)) == seen, where
        if isinstance(door, PageDoorway):
            offered = house.client(person).get(f"/crm/lookup/{kind}", query_string={"q": name_of(house, record)})
            ids = [option["id"] for option in (offered.json or {}).get("options", ())]
            assert (record in ids) == seen, where
    assert all(lists[kind] <= set(RECORDS) for kind in KINDS)


DEFAULTS: dict[str, dict[str, str]] = {
    "all private": {"account": "private", "contact": "private", "opportunity": "private"},
    "private accounts": {"account": "private"},
    "open deals": {"account": "private", "opportunity": "read", "contact": "private"},
    "all open": {"account": "write", "contact": "write", "opportunity": "write"},
    "deals by account": {"account": "write", "opportunity": "parent"},
}


@pytest.mark.parametrize("name", ACTIVE)
@pytest.mark.parametrize("default", DEFAULTS)
def test_x_10_7_under_every_default_lists_records_search_and_changes_obey_the_law(
    house_with: Callable[..., House], default: str, name: str
) -> None:
    house, person = house_with(**DEFAULTS[default]), PEOPLE[name]
    tools, law = ToolDoorway(house), Law(house.store, person)
    expected = {record: law.level(record) for record in RECORDS}
    lists = {kind: set(tools.ids(kind, by=person)) for kind in KINDS}
    assert {record: record in lists[OBJECTS[record[:3]]] for record in RECORDS} == {
        record: level > 0 for record, level in expected.items()
    }
    for record, level in expected.items():
        kind = OBJECTS[record[:3]]
        code = "not_found" if level == 0 else "forbidden" if level == 1 else "done"
        assert tools.update(record, {CHANGES[kind]: f"by {name}"}, by=person).code == code, record
        assert (record in tools.found(name_of(house, record), by=person, kind=kind)) == (level > 0), record
    mail = house.row("email_message", MAIL)
    assert (tools.sees(MAIL, by=person) == "done") == law.may_read_mail(mail)
    assert (MAIL in PageDoorway(house).found("renewal", by=person)) == law.may_read_mail(mail)


@pytest.mark.parametrize("name", ACTIVE)
def test_x_10_7_every_action_on_every_record_obeys_the_same_law(door: Doorway, name: str) -> None:
    house, person = door.house, PEOPLE[name]
    law = Law(house.store, person)
    for record in RECORDS:
        level, kind = law.level(record), OBJECTS[record[:3]]
        where = f"{name} {record} level {level}"
        expected = "not_found" if level == 0 else "forbidden" if level == 1 else "done"
        assert door.update(record, {CHANGES[kind]: f"by {name}"}, by=person).code == expected, where
        if not law.may_delete(record):
            refusal = "not_found" if level == 0 else "forbidden"
            assert door.delete(record, by=person).code == refusal, where
        if isinstance(door, PageDoorway) and level:
            text = house.get(f"/crm/{FOLDERS[kind]}/{record}", person).text
            assert (f"/crm/{FOLDERS[kind]}/{record}/edit" in text) == (level > 1), where
            assert (f"/crm/{FOLDERS[kind]}/{record}/delete" in text) == law.may_delete(record), where
            if level > 1:
                assert ("owner_id__text" in door.draft(record, by=person).form) == (level == 3), where


@pytest.mark.parametrize("name", ACTIVE)
def test_x_10_7_creating_needs_the_right_of_the_object(door: Doorway, name: str) -> None:
    house, person = door.house, PEOPLE[name]
    law = Law(house.store, person)
    given: dict[str, dict[str, Any]] = {
        "account": {"name": "x"}, "contact": {"last_name": "x"}, "task": {"subject": "x"},
        "opportunity": {"name": "x", "close_date": "2031-06-12"},
        "event": {"subject": "x", "start_at": "2031-03-20T09:00:00Z", "end_at": "2031-03-20T10:00:00Z"},
        "note": {"title": "x", "body": "x", "record_ids": [TERN]},
    }  # fmt: skip
    for kind, values in given.items():
        may = law.right(kind, "can_create")
        assert door.create(kind, by=person, **values).code == ("done" if may else "forbidden"), kind
        if isinstance(door, PageDoorway):
            text = house.get(f"/crm/{FOLDERS[kind]}", person).text
            assert (f'href="/crm/{FOLDERS[kind]}/new"' in text) == may, kind


@pytest.mark.parametrize("name", ACTIVE)
def test_x_10_7_related_lists_timelines_and_counts_show_what_may_be_read(door: Doorway, name: str) -> None:
    house, person = door.house, PEOPLE[name]
    law = Law(house.store, person)
    for account in (ALDERCROFT, BRIGHTMOOR, TERN):
        if isinstance(door, PageDoorway):
            text = house.get(f"/crm/accounts/{account}/related", person).text
            shown = {record for record in RECORDS if f'"/crm/{FOLDERS[OBJECTS[record[:3]]]}/{record}"' in text}
        else:
            wanted = ["contacts", "opportunities", "tasks", "events", "notes"]
            found = house.tool("get", {"id": account, "related": wanted}, person)["related"]
            shown = {row["id"] for one in found.values() for row in one["rows"]}
            assert all(one["total"] == len(one["rows"]) for one in found.values())
        assert {record for record in shown if not law.level(record)} == set(), (name, account)
        for deal in (KESTREL, HARBOUR, WON, LOST):
            is_its = house.record(deal)["account_id"] == account
            assert (deal in shown) == (is_its and law.level(deal) > 0), (name, account, deal)
        text = door.timeline_text(account, by=person)
        for task in (CALL, TODO, VISIT):
            if not law.level(task):
                assert name_of(house, task) not in text, (name, task)


@pytest.mark.parametrize("name", ACTIVE)
def test_x_10_7_history_and_actions_of_what_is_not_seen_are_404(door: Doorway, name: str) -> None:
    house, person = door.house, PEOPLE[name]
    law = Law(house.store, person)
    for record in (record for record in RECORDS if not law.level(record)):
        kind = OBJECTS[record[:3]]
        if isinstance(door, PageDoorway):
            folder = FOLDERS[kind]
            tabs = ("history", "edit", "delete") + (("related",) if kind in SHARED else ())
            assert {house.get(f"/crm/{folder}/{record}/{tab}", person).status_code for tab in tabs} == {404}, record
            with pytest.raises(Refused, match="not_found"):
                door.draft(record, by=person)
        else:
            codes = {house.tool(tool, {"id": record}, person)["code"] for tool in ("get", "delete")}
            codes |= {house.tool("timeline", {"id": record, "action": "history"}, person)["code"]}
            assert codes == {"not_found"}, record
            # Whether there is such a record or not, and also of an object without a timeline, the refusal is the same.
            told = {
                json.dumps(house.tool("timeline", {"id": asked}, person)).replace(asked, "it")
                for asked in (record, f"{record[:3]}{'9' * 12}")
            }
            assert len(told) == 1, told
            assert json.loads(told.pop())["code"] == ("not_found" if kind in SHARED else "bad_query"), record


_LINK = re.compile(r'(?:href|data-dialog-href)="([^"]*)"')


@pytest.mark.parametrize("name", ["ada", "mei", "luis", "olga"])
def test_x_17_1_no_link_of_any_role_leads_nowhere(pages: PageDoorway, name: str) -> None:
    seen, waiting = {"/crm/"}, ["/crm/"]
    while waiting:
        path = waiting.pop(0)
        answer = pages.house.get(path, PEOPLE[name])
        assert answer.status_code == 200, f"{path}: {answer.status_code}"
        assert "lorem" not in answer.text.lower()
        for link in map(unescape, _LINK.findall(answer.text)):
            assert link != "#", path
            link = path.split("?")[0] + link if link.startswith("?") else link
            bare = re.sub(r"[A-Z]{3}\d{12}", "ID", link.split("&")[0])
            kind = re.sub(r"=.*", "", bare)
            if link.startswith("/crm/") and sum(one.startswith(kind) for one in seen) < 4 and link not in seen:
                seen.add(link)
                waiting.append(link)
    assert len(seen) > 60
