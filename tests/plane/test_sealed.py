"""Once the work is handed in: every page says so, none offers a change, and a change is refused with a page."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest
from bs4 import BeautifulSoup

from deskgym.episode import Episode

from .tour import crm_stops

SAYS = "This work has been handed in; nothing can be changed any more."
ANSWER = {"expected_revenue": "5", "currency": "EUR"}
Sealed = tuple[Episode, httpx.Client]


@pytest.fixture(scope="module")
def sealed() -> Iterator[Sealed]:
    """An episode whose work was handed in, and a browser in it."""
    with (
        Episode.start("crm/new-amount", seed=1) as episode,
        httpx.Client(timeout=60, base_url=episode.base_url, follow_redirects=True) as browser,
    ):
        browser.get(episode.enter_url)
        episode.submit("done", answer=ANSWER, channel="ui")
        yield episode, browser


def changes(page: str) -> list[str]:
    """What on a page would change something: forms that post, and links to forms."""
    soup = BeautifulSoup(page, "html.parser")
    posts = [str(form.get("action")) for form in soup.select("form[method=post]")]
    links = [
        str(link["href"])
        for link in soup.select("a[href]")
        if re.search(r"/(new|edit|delete|stage|remove)\b", str(link["href"]))
    ]
    usable = soup.select("[data-edit], [data-dialog-href], fieldset:not([disabled]) > ol input[type=radio]")
    return posts + links + [str(item) for item in usable]


def test_every_page_of_the_crm_says_so_and_offers_no_change(sealed: Sealed) -> None:
    episode, browser = sealed
    for stop in crm_stops(episode.store, episode.person_id):
        if stop.press is None:
            page = browser.get(stop.path)
            assert SAYS in page.text, stop.name
            assert changes(page.text) == [], stop.name


def test_before_the_seal_the_same_pages_do_offer_changes() -> None:
    with (
        Episode.start("crm/new-amount", seed=1) as episode,
        httpx.Client(timeout=60, base_url=episode.base_url) as browser,
    ):
        browser.get(episode.enter_url, follow_redirects=True)
        for stop in crm_stops(episode.store, episode.person_id):
            if stop.name in ("home", "account", "opportunity", "accounts", "account-edit"):
                page = browser.get(stop.path).text
                assert changes(page), stop.name
                assert SAYS not in page


@pytest.mark.parametrize("path", ["/crm/accounts/new", "/desk/submit", "/crm/recycle-bin"])
def test_a_change_is_refused_with_a_page_that_says_why(sealed: Sealed, path: str) -> None:
    episode, browser = sealed
    before = episode.state_hash()
    page = browser.post(path, data={"name": "Late Ltd"}, headers={"Origin": episode.base_url})
    assert page.status_code == 410
    assert "<h1" in page.text
    assert SAYS in page.text
    assert 'href="/desk"' in page.text
    assert episode.state_hash() == before


def test_a_form_that_is_asked_for_after_the_seal_is_gone(sealed: Sealed) -> None:
    episode, browser = sealed
    forms = [stop for stop in crm_stops(episode.store, episode.person_id) if stop.name.endswith(("-edit", "-new"))]
    assert len(forms) > 5
    assert {browser.get(stop.path).status_code for stop in forms if stop.press is None} == {410}


def test_the_desk_shows_what_was_handed_in(sealed: Sealed) -> None:
    page = sealed[1].get("/desk").text
    assert "Your work was handed in" in page
    assert "What you handed in" in page
    assert changes(page) == []


def test_tools_too_say_that_nothing_may_be_changed(sealed: Sealed) -> None:
    rights = sealed[0].call_tool("crm_whoami")["rights"]
    assert rights
    assert {verb for verbs in rights.values() for verb in verbs} <= {"read", "export"}
    assert all("read" in verbs for verbs in rights.values())


def test_a_closed_deal_that_may_not_be_opened_again_shows_no_stage_form() -> None:
    deals = "SELECT id, owner_id FROM crm_opportunity WHERE stage = 'Closed Won' AND is_deleted = 0 AND owner_id IN "
    plain = "(SELECT u.person_id FROM crm_user u JOIN crm_profile p ON p.id = u.profile_id WHERE u.is_active = 1 AND "
    with Episode.start(home="memory", app_names=("crm",)) as episode:
        row = episode.store.all(f"{deals}{plain} p.can_reopen = 0 AND p.is_admin = 0) ORDER BY id LIMIT 1")[0]
    with (
        Episode.start(app_names=("crm",), person=row["owner_id"]) as episode,
        httpx.Client(timeout=60, base_url=episode.base_url, follow_redirects=True) as browser,
    ):
        browser.get(episode.enter_url)
        assert browser.get(f"/crm/opportunities/{row['id']}").status_code == 200
        assert browser.get(f"/crm/opportunities/{row['id']}/stage?stage=Closed+Lost").status_code == 403
