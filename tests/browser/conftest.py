from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from tests.browser.site import Site, serve

from deskgym.browser import Observation, Parts, Start
from deskgym.browser.sync import Browser, Session

NOW = "2031-03-14T09:00:00Z"


class Driver:
    """A session, with the ref of a node by role and name in the latest observation."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.seen: Observation = session.observe()

    def ref(self, role: str, name: str) -> str:
        nodes = self.session.asynchronous.nodes()
        return next(node.ref for node in nodes if node.role == role and node.name == name)

    def box(self, role: str, name: str) -> list[float]:
        """The middle of a node, as a coordinate."""
        nodes = self.session.asynchronous.nodes()
        box = next(node.box for node in nodes if node.role == role and node.name == name)
        assert box is not None
        return [box[0] + box[2] / 2, box[1] + box[3] / 2]

    def act(self, action: str, **arguments: object) -> Observation:
        self.seen = self.session.act({"action": action, **arguments})
        return self.seen

    def do(self, action: str, **arguments: object) -> Observation:
        """An action that must not fail."""
        seen = self.act(action, **arguments)
        assert seen.error is None, seen.error
        return seen

    def go(self, path: str) -> Observation:
        return self.do("navigate", url=path)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with Browser() as started:
        yield started


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    with serve() as first, serve() as second:
        first.other, second.other = second.port, first.port
        first.neighbour = second
        yield first


@pytest.fixture
def enter(browser: Browser, site: Site) -> Iterator[Callable[..., Driver]]:
    """Open a page of the site in a fresh session."""
    opened: list[Session] = []

    def open_page(path: str = "/", **start: object) -> Driver:
        settings = {"now": NOW, "parts": Parts(screenshot=False)} | start
        opened.append(browser.open(site.url + path, start=Start(**settings)))  # type: ignore[arg-type]
        return Driver(opened[-1])

    yield open_page
    for session in opened:
        session.close()
