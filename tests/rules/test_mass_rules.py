"""P3, X-9, CRM-1 through both doors: what is done with all that match is done with them and with nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest
from tests.crm.fixture import ADA, DANA, OLGA, WON, ident, opportunity, task
from tests.crm.pages.conftest import FORM, fields_of

from .conftest import Doorway
from .doors import PageDoorway
from .house import FOLDERS, Outcome, plain


def in_bulk(
    door: Doorway, kind: str, name: str, value: str, act: str, values: Mapping[str, str], by: str, meant: int
) -> Outcome:
    """Select all records whose field has the value, `meant` of them, and delete or change them."""
    if not isinstance(door, PageDoorway):
        arguments: dict[str, Any] = {"object": kind, "action": act, "expected_count": meant}
        arguments["filter"] = [{"field": name, "op": "equals", "value": value}]
        found = door.house.tool("bulk_update", arguments | ({"values": dict(values)} if values else {}), by)
        return Outcome(found.get("code", "done"), text=str(found))
    query = urlencode({"field1": name, "op1": "equals", "value1": value})
    page = door.house.get(f"/crm/{FOLDERS[kind]}?{query}", by).text
    bar = re.search(r'<form class="selection-bar"(.*?)</form>', page, re.DOTALL)
    assert bar is not None
    url = f"/crm/{FOLDERS[kind]}/bulk/{act}"
    answer = door.house.post(url, fields_of(bar[1]) | {"scope": "all"}, by)
    assert re.search(rf"\b{meant} {FOLDERS[kind]}", plain(answer.text)), plain(answer.text)[:600]
    steps = [{}] if act == "delete" else [{f"set_{field}": "1" for field in values}, values]
    for more in steps:
        form = next(fields_of(body) for action, body in FORM.findall(answer.text) if unescape(action) == url)
        answer = door.house.post(url, form | dict(more), by)
    return door.outcome(answer)


@pytest.fixture
def crowded(door_with: Callable[..., Doorway]) -> Doorway:
    """300 tasks, 12 of which are called alike."""
    return door_with(
        {"crm_task": [task(100 + at, "Pick me" if at % 25 == 0 else f"Task {at}", DANA) for at in range(300)]}
    )


def test_p3_all_that_match_a_filter_are_deleted_and_nothing_else(crowded: Doorway) -> None:
    done = in_bulk(crowded, "task", "subject", "Pick me", "delete", {}, ADA, 12)
    assert done.code == "done", str(done)
    gone = {row["subject"] for row in crowded.house.store.all("SELECT subject FROM crm_task WHERE is_deleted = 1")}
    count = crowded.house.store.one("SELECT count(*) AS n FROM crm_task WHERE is_deleted = 1")
    assert (gone, count) == ({"Pick me"}, {"n": 12})


def test_x_9_4_select_all_is_the_filter_and_its_number_is_shown(crowded: Doorway) -> None:
    done = in_bulk(crowded, "task", "subject", "Pick me", "update", {"priority": "High"}, ADA, 12)
    assert done.code == "done", str(done)
    assert len(crowded.ids("task", ("subject", "equals", "Pick me"), ("priority", "equals", "High"), by=ADA)) == 12
    journal = crowded.house.store.one("SELECT operation, arguments FROM jrn_command")
    assert journal is not None
    assert journal["operation"] == "crm.bulk_update"
    assert '"filter":[{"field":"subject","op":"equals","value":"Pick me"}]' in journal["arguments"]
    assert "TSK" not in journal["arguments"]
    assert crowded.house.store.one("SELECT count(*) AS n FROM crm_task WHERE priority = 'High'") == {"n": 13}


def test_crm_1_2_a_mass_change_of_stage_sets_the_defaults(door_with: Callable[..., Doorway]) -> None:
    deals = [opportunity(20 + at, "Many", OLGA, "Closed Won", amount=100) for at in range(3)]
    door = door_with({"crm_opportunity": deals})
    change = {"stage": "Proposal/Price Quote"}
    done = in_bulk(door, "opportunity", "name", "Many", "update", change, OLGA, 3)
    assert done.code == "done", str(done)
    for at in range(3):
        row = door.house.record(ident("OPP", 20 + at))
        assert (row["probability"], row["forecast_category"], row["closed_at"]) == (75, "Commit", None)
    assert door.house.record(WON)["stage"] == "Closed Won"


def test_crm_1_8_a_mass_change_to_closed_lost_needs_the_reason(door_with: Callable[..., Doorway]) -> None:
    deals = [opportunity(20 + at, "Many", OLGA, "Prospecting", amount=100) for at in range(2)]
    door = door_with({"crm_opportunity": deals})
    with door.house.unchanged():
        refused = in_bulk(door, "opportunity", "name", "Many", "update", {"stage": "Closed Lost"}, OLGA, 2)
    assert refused.code == "validation", str(refused)
    assert "lost reason" in refused.text
