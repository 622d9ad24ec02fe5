"""The pad's world for the tests of the kit. The pad is an app only while a module's tests run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fixtures.pad import world

from deskgym_apps.kit.store import Store


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The pad's world image."""
    with world.registered():
        yield world.build(tmp_path_factory.mktemp("pad") / "world.db")


@pytest.fixture
def store(image: Path) -> Iterator[Store]:
    """A private copy of the image, in memory."""
    with Store.memory(image.read_bytes()) as opened:
        yield opened


@pytest.fixture
def file_store(image: Path, tmp_path: Path) -> Iterator[Store]:
    """A private copy of the image, on file."""
    with Store.copy(image, tmp_path / "store.db") as opened:
        yield opened
