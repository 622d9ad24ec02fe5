"""The guard (grading.md C5, P2, P9): a session reaches its own origin and nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.browser.conftest import NOW, Driver
from tests.browser.site import Site

from deskgym.browser import ActionError, Look, Parts, Start
from deskgym.browser.guard import Origin
from deskgym.browser.sync import Browser

Enter = Callable[..., Driver]

FORBIDDEN = [
    "file:///etc/hostname",
    "FILE:/etc/hostname",
    "view-source:http://127.0.0.1:8000/",
    "view-source:file:///etc/hostname",
    "chrome://version",
    "chrome-extension://abc/page.html",
    "about:config",
    "devtools://devtools/bundled/inspector.html",
    "data:text/html,hi",
    "javascript:alert(1)",
    "java\tscript:alert(1)",
    "blob:http://127.0.0.1:8000/1",
    "ftp://127.0.0.1/",
    "ws://127.0.0.1:8000/",
    "http://127.0.0.1:8001/v1/episodes",
    "http://localhost:8000/",
    "http://[::1]:8000/",
    "https://127.0.0.1:8000/",
    "http://127.0.0.1:8000@example.com/",
    "http://user:word@127.0.0.1:8000/",
    "http://example.com/",
    "//example.com/",
    "/\\example.com/",
    "\\\\example.com/",
    "http:\\\\example.com/",
    "http:///example.com/",
    "http://127.0.0.1:99999/",
]


@pytest.mark.parametrize("address", FORBIDDEN)
def test_c5_an_address_outside_the_origin_is_refused_before_it_is_tried(address: str) -> None:
    with pytest.raises(ActionError):
        Origin.of("http://127.0.0.1:8000/enter/x").resolve(address)


@pytest.mark.parametrize(
    ("address", "full"),
    [
        ("/crm/accounts?q=a%20b", "http://127.0.0.1:8000/crm/accounts?q=a%20b"),
        ("crm/", "http://127.0.0.1:8000/crm/"),
        ("http://127.0.0.1:8000/desk#answer", "http://127.0.0.1:8000/desk#answer"),
        ("/go?to=http://example.com/", "http://127.0.0.1:8000/go?to=http://example.com/"),
    ],
)
def test_addresses_of_the_origin_resolve(address: str, full: str) -> None:
    assert Origin.of("http://127.0.0.1:8000/").resolve(address) == full


@pytest.mark.browser
@pytest.mark.parametrize("address", ["file:///etc/hostname", "view-source:file:///etc/hostname", "chrome://version"])
def test_p2_a_forbidden_navigation_is_an_error_and_the_page_stays(enter: Enter, address: str) -> None:
    agent = enter("/")
    seen = agent.act("navigate", url=address)
    assert "is blocked" in (seen.error or "")
    assert (seen.title, len(seen.tabs)) == ("index", 1)


@pytest.mark.browser
@pytest.mark.parametrize(
    ("role", "name"),
    [
        ("link", "Other port"),
        ("link", "A file"),
        ("link", "Redirect"),
        ("link", "Jump"),
        ("link", "Download"),
        ("link", "Nothing"),
        ("button", "Open other"),
        ("button", "Open data"),
        ("button", "Source"),
    ],
)
def test_p2_no_element_of_a_page_leads_out(enter: Enter, site: Site, role: str, name: str) -> None:
    agent = enter("/away")
    seen = agent.do("click", ref=agent.ref(role, name))
    for tab in seen.tabs:
        assert tab.url.startswith(site.url) or tab.url == "about:blank"
    assert seen.url.startswith(site.url)
    assert site.neighbour is not None
    assert site.neighbour.hits == []
    if name in ("Other port", "Redirect", "Download", "Open other"):
        assert any("blocked" in notice for notice in seen.notices), seen.notices
    assert agent.do("navigate", url="/two").title == "two"


@pytest.mark.browser
def test_p2_fetches_images_frames_and_sockets_reach_the_origin_only(enter: Enter, site: Site) -> None:
    agent = enter("/reach")
    assert "no no yes no no" in agent.seen.aria
    assert site.neighbour is not None
    assert site.neighbour.hits == []


@pytest.mark.browser
def test_p2_a_page_that_was_led_out_behind_our_back_is_taken_back(enter: Enter, site: Site) -> None:
    agent = enter("/two")

    async def escape(session: object) -> None:
        await session.page.goto("view-source:file:///etc/hostname")  # type: ignore[attr-defined]

    agent.session.perform(escape)
    seen = agent.session.observe()
    assert seen.url == f"{site.url}/two"
    assert "blocked: file:///etc/hostname is outside this workplace; the tab went back" in seen.notices


@pytest.mark.browser
def test_p9_every_session_begins_without_cookies_and_storage(enter: Enter) -> None:
    first, second = enter("/store"), enter("/store")
    for agent in (first, second):
        status = agent.seen.aria.split("status", 1)[1]
        assert "seen=1" not in status
        assert "| 0 |" in status
    assert "seen=1 | 1 |" in first.do("reload").aria


@pytest.mark.browser
def test_pages_see_the_episodes_instant_its_zone_and_its_language(browser: Browser, site: Site) -> None:
    look = Look(locale="de-DE", timezone="Europe/Berlin")
    with browser.open(site.url + "/store", start=Start(now=NOW, parts=Parts(False)), look=look) as session:
        aria = session.observe().aria
    assert "Fri Mar 14 2031 10:00:00 GMT+0100" in aria
    assert "| de-DE | Europe/Berlin" in aria


@pytest.mark.browser
def test_p2_no_shortcut_of_the_browser_opens_anything_else(enter: Enter, site: Site) -> None:
    agent = enter("/two")
    for keys in ("ctrl+u", "ctrl+o", "ctrl+t", "ctrl+n", "ctrl+shift+i", "ctrl+l", "ctrl+h", "ctrl+j", "F12", "F1"):
        seen = agent.do("key", text=keys)
        assert [tab.url for tab in seen.tabs] == [f"{site.url}/two"], keys
    agent.do("type", text="file:///etc/hostname")
    assert agent.do("key", text="Enter").url == f"{site.url}/two"
