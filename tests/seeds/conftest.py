"""The public world, built once per test session in a folder of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from deskgym_apps.kit.store import Store
from deskgym_seeds.world import World, build_world


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> World:
    folder: Path = tmp_path_factory.mktemp("worlds") / "small-1"
    return build_world("small:1", folder)


@pytest.fixture(scope="session")
def store(small: World) -> Iterator[Store]:
    with small.open() as opened:
        yield opened
