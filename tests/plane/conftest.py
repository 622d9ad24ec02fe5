"""An episode of the pad, and a browser that has entered it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import flask
import pytest
from flask.testing import FlaskClient
from tests.fixtures.pad import world

from deskgym_apps.kit.canonical import full_dump
from deskgym_apps.kit.store import Store
from deskgym_apps.kit.stores import OpenStores
from deskgym_apps.server import create_pages

HERE = {"Origin": "http://localhost"}


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The pad's world image. The pad is an app only while a module's tests run."""
    with world.registered():
        yield world.build(tmp_path_factory.mktemp("pad") / "world.db")


@dataclass(frozen=True)
class Site:
    """The pages of one root of episodes; `path` is the store of the first."""

    root: Path
    path: Path
    pages: flask.Flask

    def browser(self, token: str | None = world.TOKEN) -> FlaskClient:
        """A browser that entered with that token, or none."""
        client = self.pages.test_client()
        if token is not None:
            assert client.get(f"/enter/{token}").status_code in (200, 303)
        return client

    def dump(self) -> object:
        """Everything in the first episode's store."""
        with Store.open(self.path) as store:
            return full_dump(store)


@pytest.fixture
def make_site(image: Path, tmp_path: Path) -> Iterator[Callable[..., Site]]:
    """Make the pages of a root with one episode, of which `public` says what the agent may know."""
    opened: list[OpenStores] = []

    def make(**public: Any) -> Site:
        path = world.occupy(tmp_path, image, **public)
        opened.append(OpenStores(tmp_path))
        return Site(tmp_path, path, create_pages(tmp_path, stores=opened[-1]))

    yield make
    for stores in opened:
        stores.close()


@pytest.fixture
def site(make_site: Callable[..., Site]) -> Site:
    """The pages of a root with one episode of the pad."""
    return make_site()
