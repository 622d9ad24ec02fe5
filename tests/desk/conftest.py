"""The desk of an episode of the pad, in a test client."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from tests.fixtures.pad import world

from deskgym_apps.desk import service
from deskgym_apps.kit.canonical import full_dump
from deskgym_apps.kit.store import Store
from deskgym_apps.kit.stores import OpenStores
from deskgym_apps.server import create_pages

HERE = {"Origin": "http://localhost"}


class Controls(HTMLParser):
    """The names that a page's forms send, and the texts of its buttons."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.buttons: list[str] = []
        self._in_button = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        name = dict(attrs).get("name")
        if tag in ("input", "select", "textarea") and name:
            self.names.add(name)
        if tag == "button":
            self._in_button = True
            self.buttons.append("")

    def handle_endtag(self, tag: str) -> None:
        self._in_button = self._in_button and tag != "button"

    def handle_data(self, data: str) -> None:
        if self._in_button:
            self.buttons[-1] += data.strip()


@dataclass(frozen=True)
class Desk:
    """One episode's desk: a browser that has entered it, and its store's path."""

    browser: FlaskClient
    path: Path

    def page(self) -> str:
        """The desk as it is now."""
        return self.browser.get("/desk").text

    def send(self, **fields: str) -> Any:
        """Fill the answer form in and press Submit, then confirm what is shown. Returns the last answer."""
        typed = {"status": "done", **fields}
        asked = self.browser.post("/desk/submit", data=typed, headers=HERE)
        if asked.status_code != 200:
            return asked
        return self.browser.post("/desk/submit", data=typed | {"confirm": "1"}, headers=HERE)

    def stored(self) -> dict[str, Any] | None:
        """What is handed in, read from the store."""
        with Store.open(self.path) as store:
            return service.submitted(store)

    def dump(self) -> object:
        """Everything in the store."""
        with Store.open(self.path) as store:
            return full_dump(store)


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The pad's world image. The pad is an app only while a module's tests run."""
    with world.registered():
        yield world.build(tmp_path_factory.mktemp("pad") / "world.db")


@pytest.fixture
def make_desk(image: Path, tmp_path: Path) -> Iterator[Callable[..., Desk]]:
    """Make the desk of an episode; `public` says what the agent may know of it."""
    opened: list[OpenStores] = []

    def make(*, person: str = world.ANA, **public: Any) -> Desk:
        path = world.occupy(tmp_path, image, person=person, **public)
        opened.append(OpenStores(tmp_path))
        browser = create_pages(tmp_path, stores=opened[-1]).test_client()
        browser.get(f"/enter/{world.TOKEN}")
        return Desk(browser, path)

    yield make
    for stores in opened:
        stores.close()
