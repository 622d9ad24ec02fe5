"""A fresh copy of the fixture world for each test, once through the services and once through the tools."""

from __future__ import annotations

from collections.abc import Callable, Iterator

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


@pytest.fixture(params=["service", "tool"])
def world_with(request: pytest.FixtureRequest) -> Iterator[Callable[..., World]]:
    """A maker of worlds with more rows or other organisation-wide defaults."""
    opened: list[World] = []

    def make(more: Rows | None = None, **owd: str) -> World:
        opened.append(World(build_image(more, owd=owd), request.param))
        return opened[-1]

    yield make
    for item in opened:
        item.close()
