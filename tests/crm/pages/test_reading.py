"""Every page a person can reach answers, and what they may not read is not there."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

import pytest
from tests.crm.fixture import DANA, KESTREL, LUIS, PRIYA, ROWAN

from .conftest import Site

_LINK = re.compile(r'(?:href|data-dialog-href)="([^"]*)"')


@pytest.mark.parametrize("person", [DANA, PRIYA, ROWAN])
def test_x17_no_link_leads_nowhere(site_of: Callable[[str], Site], person: str) -> None:
    site = site_of(person)
    seen, waiting = {"/crm/"}, ["/crm/"]
    while waiting and len(seen) < 260:
        path = waiting.pop()
        page = site.get(path)
        for link in map(unescape, _LINK.findall(page)):
            assert link != "#", path
            if link.startswith("?"):
                link = path.split("?")[0] + link
            if link.startswith("/crm/") and link not in seen and link.count("=") < 5:
                seen.add(link)
                waiting.append(link)
    assert len(seen) > 60


def test_x10_a_record_one_may_not_read_is_404(site_of: Callable[[str], Site]) -> None:
    site = site_of(LUIS)
    for tab in ("", "/edit", "/delete", "/history", "/related", "/stage"):
        site.get(f"/crm/opportunities/{KESTREL}{tab}", 404)


def test_x10_what_one_may_not_change_is_403(site_of: Callable[[str], Site]) -> None:
    site = site_of(ROWAN)
    site.get("/crm/accounts/new", 403)
    assert "New account" not in site.get("/crm/accounts")


def test_an_id_of_another_object_is_404(site: Site) -> None:
    site.get(f"/crm/accounts/{KESTREL}", 404)
    site.get("/crm/nothing", 404)


def test_x9_filters_of_the_panel_are_conditions(site: Site) -> None:
    page = site.get("/crm/accounts?q=brightm")
    assert "Brightmoor" in page
    assert ">Aldercroft Ltd<" not in page
    page = site.get("/crm/opportunities?field1=amount&op1=gte&value1=1&field2=is_closed&op2=equals&value2=no")
    assert "Amount is at least or from 1" in page


def test_x9_a_filter_that_cannot_be_read_is_400_and_stays_in_the_panel(site: Site) -> None:
    page = site.get("/crm/opportunities?field1=amount&op1=contains&value1=abc", 400)
    assert "has no operator" in page
    assert "abc" in page
    site.get("/crm/opportunities?sort=nothing", 400)
    site.get("/crm/opportunities?page=x", 400)


_PLACES = [
    ("opportunities?field1=stage&op1=blank&field2=amount&op2=gt&value2=abc", "value2", "Amount takes a number like"),
    ("opportunities?q=a&field1=close_date&op1=gt&value1=nonsense", "value1", "Close date takes a date like"),
    ("opportunities/board?field1=stage&op1=equals&value1=Closed+Wun", "value1", "Did you mean"),
    ("opportunities?field1=amount&op1=starts_with&value1=1", "op1", "Amount has no operator &#34;starts with&#34;"),
    ("opportunities?field1=amount&op1=in&value1=1", "op1", "is at least or from"),
    ("accounts?field1=colour&op1=equals&value1=1", "field1", "no field"),
]


@pytest.mark.parametrize(("path", "name", "words"), _PLACES)
def test_x9_what_is_wrong_with_a_filter_stands_at_the_input_that_it_is_about(
    site: Site, path: str, name: str, words: str
) -> None:
    page = site.get(f"/crm/{path}", 400)
    assert page.count("field-error") == 1
    id_, said = re.findall(r'<p class="field-error" id="([^"]*)">(.*?)</p>', page, re.DOTALL)[0]
    assert id_.endswith(f"-{name}-error")
    assert words in said


def test_x9_a_list_whose_filter_cannot_be_read_does_not_say_that_nothing_matches(site: Site) -> None:
    page = site.get("/crm/opportunities?field1=amount&op1=gt&value1=abc", 400)
    assert "Nothing was looked for" in page
    assert "No opportunities match" not in page
    assert "0 opportunities" not in page
    assert "0 opportunities" not in site.get("/crm/opportunities/board?field1=amount&op1=gt&value1=abc", 400)
    assert '<p class="page-subtitle">1 opportunity</p>' in site.get("/crm/opportunities/board?q=kestrel")
    assert "No opportunities match" in site.get("/crm/opportunities?q=zzzz")


def test_x11_reading_writes_nothing(site: Site) -> None:
    for path in ("/crm/", "/crm/accounts", "/crm/search?q=alder", "/crm/notifications", "/crm/recycle-bin"):
        site.get(path)
    assert site.commands() == []


def test_a_lookup_answers_with_what_tells_namesakes_apart(site: Site) -> None:
    response = site.client.get("/crm/lookup/account?q=alder")
    option = response.get_json()["options"][0]
    assert option["label"].startswith("Aldercroft")
    assert "owner" in option["detail"]


def test_the_desk_shows_what_waits_in_northbeam(site: Site) -> None:
    page = site.get("/desk")
    assert "overdue or due today" in page
    assert 'href="/crm/notifications"' in page


def test_crm_11_field_history_stands_in_the_timeline_too(site: Site) -> None:
    path = f"/crm/opportunities/{KESTREL}/edit"
    assert site.post(path, site.form(path) | {"amount": "20000", "close_date": "2031-06-30"}).status_code == 303
    page = site.get(f"/crm/opportunities/{KESTREL}")
    assert "Amount: 12,345.67 USD → 20,000.00 USD" in page
    assert "→ 30 June 2031" in page
    assert f'href="/crm/opportunities/{KESTREL}/history"' in page
    assert "Change · Dana Whitcombe · 14 March 2031" in page
