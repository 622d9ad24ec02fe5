"""X-17: as each role, every link and every button that can be reached from home does something."""

from __future__ import annotations

import httpx
import pytest

from deskgym.episode import Episode

from .crawler import Crawler, dead_parts, links, presses
from .page_parts import PageParts

PEOPLE = """
SELECT min(p.id) AS id, f.name AS profile FROM crm_user u JOIN crm_profile f ON f.id = u.profile_id
JOIN org_person p ON p.id = u.person_id WHERE u.is_active = 1 GROUP BY f.name ORDER BY f.name
"""


@pytest.fixture(scope="module")
def people() -> dict[str, str]:
    """A person of each profile."""
    with Episode.start(home="memory", app_names=("crm",)) as episode:
        return {str(row["profile"]): str(row["id"]) for row in episode.store.all(PEOPLE)}


def crawled(person: str) -> tuple[Crawler, int]:
    """A crawl as a person, and how many buttons it pressed."""
    with (
        Episode.start(app_names=("crm",), person=person) as episode,
        httpx.Client(timeout=60, base_url=episode.base_url, headers={"Origin": episode.base_url}) as client,
    ):
        client.get(episode.enter_url, follow_redirects=True)
        crawler = Crawler(client)
        crawler.walk()
        return crawler, crawler.press()


@pytest.mark.parametrize(("profile", "buttons"), [("Sales Representative", 20), ("Read Only", 0)])
def test_x17_every_link_and_button_does_something(people: dict[str, str], profile: str, buttons: int) -> None:
    crawler, pressed = crawled(people[profile])
    assert crawler.dead == []
    assert len(crawler.pages) > 50
    assert pressed >= buttons


@pytest.mark.parametrize(
    ("markup", "fault"),
    [
        ('<a href="">x</a>', 'a link leads to ""'),
        ("<a>x</a>", 'a link leads to ""'),
        ('<a href="javascript:x()">x</a>', 'a link leads to "javascript:x()"'),
        ('<a href="#there">x</a><p id="here">', "a link leads to #there, which is not there"),
        ('<button popovertarget="menu">x</button>', "a button is for ['menu'], which is not there"),
        ('<button class="b">x</button>', 'a button does nothing: <button class="b">'),
        ('<form></form><button type="submit">x</button>', 'a button does nothing: <button type="submit">'),
        ('<form><button type="button">x</button></form>', 'a button does nothing: <button type="button">'),
        ("<p>Lorem Ipsum</p>", "text that means nothing"),
    ],
)
def test_a_dead_part_is_named(markup: str, fault: str) -> None:
    assert list(dead_parts(PageParts(markup))) == [fault]


ALIVE = """
<a href="/crm/">x</a><a href="?page=2">x</a><a href="#main" data-url="/crm/y">x</a><a href="mailto:a@b.example">x</a>
<main id="main"></main><div data-dialog-href="/crm/z"></div><button data-dismiss>x</button>
<button popovertarget="main">x</button><button type="submit" form="f">x</button>
<form method="get" action="/crm/search"><input name="q" value="a &amp; b"></form>
<form id="f" method="post" action="/crm/save">
  <input type="hidden" name="token" value="t"><input type="checkbox" name="off" value="1"><input value="unnamed">
  <input type="checkbox" name="on" value="1" checked><textarea name="text">one
two &lt;</textarea>
  <select name="first"><option value="a">A<option value="b">B</select>
  <select name="chosen"><option value="a">A<option value="b" selected>B</select><select name="empty"></select>
  <button type="submit" name="go" value="1">x</button><button type="submit" formaction="/crm/other">x</button>
  <button type="submit" disabled>x</button>
</form>
"""
SENT = (("token", "t"), ("on", "1"), ("text", "one\ntwo <"), ("first", "a"), ("chosen", "b"), ("empty", ""))


def test_what_is_alive_is_followed_and_pressed_with_what_a_browser_would_send() -> None:
    page = PageParts(ALIVE)

    assert list(dead_parts(page)) == []
    assert list(links(page)) == ["/crm/", "?page=2", "/crm/y", "/crm/z", "/crm/search?q=a & b"]
    assert [(press.action, press.fields) for press in presses("/crm/", page)] == [
        ("/crm/save", (*SENT, ("go", "1"))),
        ("/crm/other", SENT),
    ]
