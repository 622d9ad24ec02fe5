"""The public worlds of training and development, built once per test session in a folder of their own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from deskgym_apps.kit.store import Store
from deskgym_seeds.world import World, build_world


@pytest.fixture(scope="session", params=["small:1", "small:2"])
def small(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> World:
    folder: Path = tmp_path_factory.mktemp("worlds") / "world"
    return build_world(str(request.param), folder)


@pytest.fixture(scope="session")
def store(small: World) -> Iterator[Store]:
    with small.open() as opened:
        yield opened
