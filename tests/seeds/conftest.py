"""The public worlds of training and development, built once per test session in a folder of their own."""

from collections.abc import Callable, Iterator
from functools import cache

import pytest

from deskgym_apps.kit.store import Store
from deskgym_seeds.world import World, build_world


@pytest.fixture(scope="session")
def build_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], World]:
    """A world by name, built the first time: `small` is made anew whenever the tests of a file change its name."""
    return cache(lambda name: build_world(name, tmp_path_factory.mktemp("worlds") / "world"))


@pytest.fixture(scope="session", params=["small:1", "small:2"])
def small(request: pytest.FixtureRequest, build_once: Callable[[str], World]) -> World:
    return build_once(str(request.param))


@pytest.fixture(scope="session")
def store(small: World) -> Iterator[Store]:
    with small.open() as opened:
        yield opened
