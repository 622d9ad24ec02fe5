"""Attack probes P2, P9 and P10 of grading.md §3.11 from inside a page of a running server."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from tests.browser.site import serve

from deskgym.browser import Parts, Start
from deskgym.browser.guard import Origin
from deskgym.browser.sync import Browser
from deskgym.client import Client
from deskgym.proof import in_page
from deskgym.remote import RemoteEpisode
from deskgym.window import Window

from .conftest import Server

pytestmark = pytest.mark.browser
TASK = "crm/close-won@3"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as started:
        yield started


@pytest.fixture
def episode(client: Client) -> Iterator[RemoteEpisode]:
    with client.start(TASK) as started:
        yield started


def port_of(url: str) -> int:
    return int(urlsplit(url).port or 0)


# --- P2 -------------------------------------------------------------------------------------------------


def test_p2_a_page_reaches_the_port_of_its_server_and_no_other(
    server: Server, episode: RemoteEpisode, browser: Browser
) -> None:
    """Scaled by DESKGYM_TEST_SCALE: 1 tries every port of this machine."""
    own, control = port_of(server.agent_url), port_of(server.control_url)
    window = Window(episode, browser=browser)
    try:
        with serve() as neighbour:
            step = 65535 // server.scaled(65535, at_least=60)
            ports = sorted({*range(1, 65536, step), own, control, neighbour.port} - {0})
            reached = in_page.ports_reached(window.session, ports)
            assert set(reached) == {f"fetch 127.0.0.1:{own}", f"blind 127.0.0.1:{own}"}
            assert neighbour.hits == []
    finally:
        window.close()
    assert episode.seq() == 0


def test_p2_a_page_that_may_go_anywhere_is_found_to(monkeypatch: pytest.MonkeyPatch, browser: Browser) -> None:
    monkeypatch.setattr(
        Origin, "proxy", lambda _self: {"server": "http://127.0.0.1:9", "bypass": "127.0.0.1,localhost"}
    )
    with serve() as site, serve() as neighbour:
        session = browser.open(
            f"{site.url}/two", start=Start(now="2031-03-14T09:00:00Z", parts=Parts(screenshot=False))
        )
        with session:
            reached = in_page.ports_reached(session, [neighbour.port])
        assert f"blind 127.0.0.1:{neighbour.port}" in reached
        assert neighbour.hits


def test_p2_a_name_that_was_pointed_at_the_server_is_not_answered(server: Server, episode: RemoteEpisode) -> None:
    """DNS rebinding: the name is the attacker's, the address ours."""
    with socket.create_connection(("127.0.0.1", port_of(server.agent_url))) as raw:
        raw.sendall(
            f"GET /enter/{episode.token} HTTP/1.1\r\nHost: rebound.example\r\nConnection: close\r\n\r\n".encode()
        )
        assert raw.makefile("rb").readline().split()[1] == b"421"


# --- P9 -------------------------------------------------------------------------------------------------


def test_p9_what_a_page_keeps_is_gone_in_the_next_episode(episode: RemoteEpisode, browser: Browser) -> None:
    first = Window(episode, browser=browser)
    try:
        assert in_page.leave_behind(first.session) is False  # no service worker can be registered
        assert {"localStorage", "sessionStorage"} <= set(in_page.left_behind(first.session))
        episode.reset()
        assert "desk" not in first.act({"action": "navigate", "url": "/crm/"}).title.lower()
    finally:
        first.close()
    second = Window(episode, browser=browser)
    try:
        assert in_page.left_behind(second.session) == []
    finally:
        second.close()
    assert episode.seq() == 0


# --- P10 ------------------------------------------------------------------------------------------------

_LATER = """
() => {
  const real = Date;
  window.Date = class extends real {
    constructor(...given) { super(...(given.length ? given : ["2199-01-01T00:00:00Z"])); }
    static now() { return 7226582400000; }
  };
  return new Date().toISOString();
}
"""


def test_p10_a_page_with_another_clock_and_zone_writes_the_instants_of_the_server(
    episode: RemoteEpisode, browser: Browser
) -> None:
    began = episode.now
    window = Window(episode, browser=browser)
    try:
        assert str(in_page.run_in_page(window.session, "() => new Date().toISOString()")).startswith(began[:19])
        window.act({"action": "navigate", "url": "/crm/accounts/new"})
        assert in_page.run_in_page(window.session, _LATER) == "2199-01-01T00:00:00.000Z"
        window.observe()
        name = next(node for node in window.nodes() if node.role == "textbox" and "name" in node.name.lower())
        window.act({"action": "fill", "ref": name.ref, "text": "Marl"})
        save = next(node for node in window.nodes() if node.role == "button" and node.name == "Save")
        window.act({"action": "click", "ref": save.ref})
    finally:
        window.close()
    (command,) = episode.journal()
    assert command["instant"][:17] == began[:17]
    assert "2199" not in str(command)
    assert episode.now[:10] == began[:10]
