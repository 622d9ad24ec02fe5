"""Episodes of the pad's world for the tests of pages and server. The pad is an app only while a module's tests run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fixtures.pad import world


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The pad's world image."""
    with world.registered():
        yield world.build(tmp_path_factory.mktemp("pad") / "world.db")


@pytest.fixture
def root(image: Path, tmp_path: Path) -> Path:
    """A root with one episode: Ana's, with the token `world.TOKEN`."""
    world.occupy(tmp_path / "episodes", image)
    return tmp_path / "episodes"
