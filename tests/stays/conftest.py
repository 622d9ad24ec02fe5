"""A fresh copy of the fixture world for each test, once through the services and once through the tools."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from .fixture import Rows, World, build_image


@pytest.fixture(scope="session")
def image() -> bytes:
    return build_image()


@pytest.fixture(params=["service", "tool"])
def world(request: pytest.FixtureRequest, image: bytes) -> Iterator[World]:
    """The world through one door."""
    opened = World(image, request.param)
    yield opened
    opened.close()


@pytest.fixture
def world_with() -> Iterator[Callable[..., World]]:
    """A maker of worlds with more rows, or with other columns of rows by id."""
    opened: list[World] = []

    def make(more: Rows | None = None, **loft: Any) -> World:
        opened.append(World(build_image(more, loft=loft), "service"))
        return opened[-1]

    yield make
    for item in opened:
        item.close()
