"""Merging in the pages: from a selection to the comparison, the confirmation and the one command (CRM-4)."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from tests.crm.fixture import ADA, ALDERCROFT, BRIGHTMOOR, DANA, JUN, MARTA, OSEI, PRIYA, ROWAN, TERN
from werkzeug.test import TestResponse

from deskgym_apps.kit.call import run

from .conftest import FORM, Site
from .test_selection import bar, send

COMPARE = f"/crm/accounts/merge?record={ALDERCROFT}&record={BRIGHTMOOR}"


@pytest.fixture
def site(site_of: Callable[[str], Site]) -> Site:
    return site_of(ADA)


def select(site: Site, *rows: str, path: str = "/crm/accounts", **more: str) -> TestResponse:
    """Send the selection bar with these rows to be merged."""
    pairs = list((bar(site, path) | {"scope": "selected"} | more).items())
    return send(site, f"{path}/merge", [*pairs, *(("row", row) for row in rows)])


def comparison(site: Site, path: str = COMPARE) -> list[tuple[str, str]]:
    """What the comparison sends untouched."""
    page = site.get(path)
    hidden = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', page.split("compare-form")[1])
    radios = re.findall(r'type="radio" name="([^"]*)" value="([^"]*)" checked', page)
    return [(name, unescape(value)) for name, value in (*hidden, *radios)]


def confirmation(site: Site, pairs: list[tuple[str, str]], status: int = 200) -> tuple[str, list[tuple[str, str]]]:
    """The confirming page and the fields of its form."""
    answer = site.client.get("/crm/accounts/merge/confirm", query_string=pairs)
    assert answer.status_code == status, answer.text
    return answer.text, hidden_of(answer)


def hidden_of(answer: TestResponse) -> list[tuple[str, str]]:
    for found, body in FORM.findall(answer.text):
        if unescape(found) == "/crm/accounts/merge/run":
            pairs = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', body)
            return [(name, unescape(value)) for name, value in pairs]
    return []


def test_two_records_of_a_list_are_compared_and_merged_by_one_command(site: Site) -> None:
    answer = select(site, ALDERCROFT, BRIGHTMOOR)
    assert (answer.status_code, answer.headers["Location"]) == (303, COMPARE)
    page = site.get(COMPARE)
    assert page.index("Aldercroft Ltd") < page.index("Brightmoor Süd GmbH")
    assert 'aria-label="Type of Aldercroft Ltd, Leeds, owner Dana Whitcombe: Customer"' in page
    assert 'aria-label="Keep Brightmoor Süd GmbH, Köln, owner Luis Ortega"' in page
    chosen = [(name, BRIGHTMOOR if name == "choose_name" else value) for name, value in comparison(site)]
    text, pairs = confirmation(site, chosen)
    assert "Merge into Aldercroft Ltd?" in text
    assert "From Brightmoor Süd GmbH" in text
    assert site.commands() == []
    answer = send(site, "/crm/accounts/merge/run", pairs)
    assert answer.status_code == 303, answer.text
    assert answer.headers["Location"].startswith(f"/crm/accounts/{ALDERCROFT}?done=merged")
    assert site.command() == (
        "crm.merge_records",
        {
            "survivor": ALDERCROFT,
            "losers": [BRIGHTMOOR],
            "field_choices": {"name": BRIGHTMOOR},
            "row_versions": {ALDERCROFT: 1, BRIGHTMOOR: 1},
        },
    )
    assert "Merged into" in site.get(answer.headers["Location"])
    gone = site.get(f"/crm/accounts/{BRIGHTMOOR}", 404)
    assert "merged this account into Brightmoor Süd GmbH" in gone


def test_sending_the_confirmation_twice_merges_once(site: Site) -> None:
    _, pairs = confirmation(site, comparison(site))
    first, second = (send(site, "/crm/accounts/merge/run", pairs) for _ in range(2))
    assert first.headers["Location"].split("?")[0] == second.headers["Location"].split("?")[0]
    assert len(site.commands()) == 1


def test_another_record_can_be_the_one_that_stays(site: Site) -> None:
    path = f"{COMPARE}&survivor={BRIGHTMOOR}"
    _, pairs = confirmation(site, comparison(site, path))
    send(site, "/crm/accounts/merge/run", pairs)
    name, arguments = site.command()
    assert (name, arguments["survivor"], arguments["losers"]) == ("crm.merge_records", BRIGHTMOOR, [ALDERCROFT])
    assert "field_choices" not in arguments


@pytest.mark.parametrize("rows", [(), (ALDERCROFT,), (ALDERCROFT, BRIGHTMOOR, TERN, "ACC000000000009")])
def test_no_selected_record_is_dropped_in_silence(site: Site, rows: tuple[str, ...]) -> None:
    answer = select(site, *rows)
    assert answer.status_code == 422
    assert "Two or three accounts can be merged at a time" in answer.text
    assert select(site, scope="all").status_code == 422


def test_a_stale_version_of_any_record_is_refused_with_who_changed_it(site: Site) -> None:
    pairs = comparison(site)
    values = {"id": BRIGHTMOOR, "row_version": 1, "values": {"website": "www.example.com"}}
    run(site.store, "crm.update_account", values, person_id=PRIYA, channel="ui")
    _, form = confirmation(site, pairs)
    answer = send(site, "/crm/accounts/merge/run", form)
    assert answer.status_code == 409
    assert "Priya Raman changed this account since you opened it: website" in answer.text
    assert len(site.commands()) == 1


def test_only_who_may_delete_accounts_sees_the_button_and_the_pages(site_of: Callable[[str], Site]) -> None:
    for person in (DANA, ROWAN):
        other = site_of(person)
        assert ">Merge</button>" not in other.get("/crm/accounts")
        other.get(COMPARE, 403)
    mine = site_of(DANA)
    assert ">Merge</button>" in mine.get("/crm/contacts")
    page = mine.get(f"/crm/contacts/merge?record={MARTA}&record={JUN}", 403)
    assert "may not delete enough" in page
    assert "Keep Jun Arai" not in mine.get(f"/crm/contacts/merge?record={MARTA}&record={OSEI}")


@pytest.mark.parametrize(
    ("query", "status"),
    [
        (f"record={ALDERCROFT}", 400),
        (f"record={ALDERCROFT}&record={MARTA}", 422),
        (f"record={MARTA}&record={OSEI}", 400),
        (f"record={ALDERCROFT}&record=ACC000000000099", 404),
        (f"record={ALDERCROFT}&record={BRIGHTMOOR}&survivor={TERN}", 400),
    ],
)
def test_an_address_that_compares_nothing_is_refused(site: Site, query: str, status: int) -> None:
    site.get(f"/crm/accounts/merge?{query}", status)
    site.get("/crm/opportunities/merge?" + query, 403)


@pytest.mark.parametrize(
    "change", [{"choose_name": TERN}, {f"version_{ALDERCROFT}": "x"}, {f"version_{BRIGHTMOOR}": ""}, {"survivor": "x"}]
)
def test_a_confirmation_of_what_cannot_be_is_refused(site: Site, change: dict[str, Any]) -> None:
    pairs = [(name, change.get(name, value)) for name, value in comparison(site)]
    confirmation(site, pairs, 400)
