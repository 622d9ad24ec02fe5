"""The first world, opened once a file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from deskgym_apps.kit.store import Store
from deskgym_seeds.world import World, open_world


@pytest.fixture(scope="module")
def world() -> World:
    return open_world("small:1")


@pytest.fixture(scope="module")
def image(world: World) -> Iterator[Store]:
    with world.open() as store:
        yield store
