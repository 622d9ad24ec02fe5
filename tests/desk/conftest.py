"""An episode of the pad's world whose task asks for an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from tests.fixtures.pad import world

from deskgym_apps.kit.stores import OpenStores
from deskgym_apps.server import create_pages

Enter = Callable[..., FlaskClient]


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The pad's world image."""
    with world.registered():
        yield world.build(tmp_path_factory.mktemp("pad") / "world.db")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The root of the episodes of one test."""
    return tmp_path / "episodes"


@pytest.fixture
def enter(image: Path, root: Path) -> Iterator[Enter]:
    """`enter(answer_schema=…)`: a browser in a new episode with those public facts."""
    stores = OpenStores(root)

    def entered(**public: Any) -> FlaskClient:
        number = len(list(root.glob("*/store.db")))
        token = f"{number:040d}"
        world.occupy(root, image, token=token, episode=str(number), **public)
        client = create_pages(root, stores=stores).test_client()
        assert client.get(f"/enter/{token}").status_code == 303
        return client

    yield entered
    stores.close()
