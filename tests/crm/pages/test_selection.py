"""The selection of a list and what is done with it, in the pages and without scripts (row 12, X-9, P3)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from tests.crm.fixture import ADA, DANA, HARBOUR, KESTREL, LUIS, OVERDUE, ROWAN, TODO, YEN
from werkzeug.test import TestResponse

from .conftest import FORM, Site, fields_of

LIST = "/crm/opportunities"
OPEN = f"{LIST}?field1=is_closed&op1=equals&value1=No"


def bar(site: Site, path: str) -> dict[str, str]:
    """The hidden fields of a list's selection bar."""
    page = site.get(path)
    found = re.search(r'<form class="selection-bar"(.*?)</form>', page, re.DOTALL)
    assert found is not None
    return fields_of(found[1])


def step(answer: TestResponse, action: str) -> list[tuple[str, str]]:
    """The fields of the form that an answer shows, repeated names included."""
    for found, body in FORM.findall(answer.text):
        if unescape(found) == action:
            pairs = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', body)
            return [(name, unescape(value)) for name, value in pairs]
    raise AssertionError(answer.text[:3000])


def send(site: Site, path: str, pairs: list[tuple[str, str]]) -> TestResponse:
    data: dict[str, Any] = {}
    for name, value in pairs:
        data.setdefault(name, []).append(value)
    return site.client.post(path, data=data, headers={"Origin": "http://localhost"})


def begin(site: Site, path: str, act: str, rows: list[str], **more: str) -> TestResponse:
    pairs = list((bar(site, path) | more).items()) + [("row", row) for row in rows]
    return send(site, f"{path.split('?')[0]}/bulk/{act}", pairs)


def test_rows_have_checkboxes_under_their_names_and_the_bar_its_buttons(site: Site) -> None:
    page = site.get(LIST)
    assert 'aria-label="Select Kestrel – FY26 renewal"' in page
    assert 'aria-label="Select all 3 on this page"' in page
    for label in ("Change fields", "Change owner", "Delete"):
        assert f">{label}</button>" in page


def test_chosen_records_get_new_values_in_one_command(site: Site) -> None:
    url = f"{LIST}/bulk/update"
    first = begin(site, LIST, "update", [YEN, KESTREL])
    assert "Change 2 opportunities" in first.text
    assert site.commands() == []
    second = send(site, url, [*step(first, url), ("set_next_step", "1"), ("set_close_date", "1")])
    assert site.commands() == []
    done = send(site, url, [*step(second, url), ("next_step", "Call"), ("close_date", "2031-06-30")])
    assert done.headers["Location"] == f"{LIST}?done=bulk&n=2"
    assert site.command() == (
        "crm.bulk_update",
        {
            "object": "opportunity",
            "ids": [KESTREL, YEN],  # in the order of ids, however the list is sorted
            "expected_count": 2,
            "values": {"next_step": "Call", "close_date": "2031-06-30"},
        },
    )


def test_x_9_all_that_match_are_sent_as_the_filter_with_their_number(site_of: Callable[[str], Site]) -> None:
    site = site_of(ADA)
    url = f"{LIST}/bulk/owner"
    first = begin(site, OPEN, "owner", [], scope="all")
    assert "Change owner of 3 opportunities" in first.text
    fields = [*step(first, url), ("owner_id", LUIS), ("owner_id__text", "Luis Ortega"), ("move_open_activities", "1")]
    assert send(site, url, fields).status_code == 303
    _, arguments = site.command()
    assert arguments["filter"] == [{"field": "is_closed", "op": "equals", "value": False}]
    assert arguments["expected_count"] == 3
    assert arguments["move_open_activities"] is True
    assert "ids" not in arguments


def test_p3_the_dialog_names_how_many_and_deletes_so_many(site: Site) -> None:
    path, url = "/crm/tasks?q=quote", "/crm/tasks/bulk/delete"
    first = begin(site, path, "delete", [], scope="all")
    assert "Delete 1 task?" in first.text
    done = send(site, url, step(first, url))
    assert done.headers["Location"] == "/crm/tasks?q=quote&done=bulk-deleted&n=1"
    assert site.store.get("crm_task", TODO)["is_deleted"] == 1  # type: ignore[index]
    assert site.store.get("crm_task", OVERDUE)["is_deleted"] == 0  # type: ignore[index]


def test_x_9_where_the_number_changed_meanwhile_the_form_comes_again_with_the_new_one(site: Site) -> None:
    url = "/crm/tasks/bulk/delete"
    first = begin(site, "/crm/tasks", "delete", [], scope="all")
    count = int(dict(step(first, url))["expected_count"])
    made = site.form("/crm/tasks/new") | {"subject": "One more"}
    site.post("/crm/tasks/new", made)
    again = send(site, url, step(first, url))
    assert again.status_code == 409
    assert f"{count + 1} tasks match now, not {count}" in unescape(again.text)
    assert dict(step(again, url))["expected_count"] == str(count + 1)
    assert [name for name, _ in site.commands()] == ["crm.create_task"]


def test_crm_1_closing_many_asks_for_the_reason_and_names_each_record(site: Site) -> None:
    url = f"{LIST}/bulk/update"
    first = begin(site, LIST, "update", [KESTREL, YEN])
    second = send(site, url, [*step(first, url), ("set_stage", "1")])
    assert "Lost reason" in second.text
    refused = send(site, url, [*step(second, url), ("stage", "Closed Lost"), ("lost_reason", "")])
    assert refused.status_code == 422
    assert "Kestrel – FY26 renewal: Closed Lost needs a lost reason" in unescape(refused.text)
    done = send(site, url, [*step(refused, url), ("stage", "Closed Lost"), ("lost_reason", "Price")])
    assert done.status_code == 303
    assert site.store.get("crm_opportunity", KESTREL)["stage"] == "Closed Lost"  # type: ignore[index]


def test_a_chosen_field_left_empty_is_emptied(site: Site) -> None:
    url = f"{LIST}/bulk/update"
    first = begin(site, LIST, "update", [KESTREL])
    second = send(site, url, [*step(first, url), ("set_amount", "1")])
    assert send(site, url, [*step(second, url), ("amount", "")]).status_code == 303
    assert site.command()[1]["values"] == {"amount": None}


def test_without_scripts_nothing_selected_offers_all_that_match(site: Site) -> None:
    url = f"{LIST}/bulk/delete"
    answer = begin(site, OPEN, "delete", [])
    assert answer.status_code == 422
    assert "Use all 2 opportunities that match" in answer.text
    following = send(site, url, step(answer, url))
    assert "Delete 2 opportunities?" in following.text


def test_choosing_no_field_is_told(site: Site) -> None:
    url = f"{LIST}/bulk/update"
    first = begin(site, LIST, "update", [KESTREL])
    assert "Choose at least one field" in send(site, url, step(first, url)).text


def test_who_may_not_change_many_has_no_checkboxes(site_of: Callable[[str], Site]) -> None:
    site = site_of(ROWAN)
    assert "selection-bar" not in site.get("/crm/accounts")
    assert "selection-bar" not in site_of(DANA).get("/crm/accounts")
    token = {"form_token": "0" * 64, "row": HARBOUR}
    assert site.post(f"{LIST}/bulk/delete", token).status_code == 403


@pytest.mark.parametrize("filters", ["{", "[]", '{"field1": 3}'])
def test_a_selection_that_cannot_be_read_is_refused(site: Site, filters: str) -> None:
    answer = site.post(f"{LIST}/bulk/delete", bar(site, LIST) | {"scope": "all", "filters": filters})
    assert answer.status_code == 400


def test_the_hidden_filters_are_those_of_the_list(site: Site) -> None:
    pairs = json.loads(bar(site, f"{OPEN}&q=kes&scope=mine")["filters"])
    assert pairs == {"q": "kes", "scope": "mine", "field1": "is_closed", "op1": "equals", "value1": "No"}
