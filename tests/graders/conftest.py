"""Every test here runs with W1 among the apps, and leaves it behind. The first world is there for those who want it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.fixtures.w1.world import registered

from deskgym_apps.kit.store import Store
from deskgym_seeds.world import World, open_world


@pytest.fixture(scope="package", autouse=True)
def _w1() -> Iterator[None]:
    with registered():
        yield


@pytest.fixture(scope="module")
def first() -> World:
    return open_world("small:1")


@pytest.fixture(scope="module")
def image(first: World) -> Iterator[Store]:
    """The first world, to be read."""
    with first.open() as store:
        yield store
