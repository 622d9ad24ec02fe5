"""A fresh copy of the fixture world for each test, once through the services and once through the tools."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from .fixture import World, build_image


@pytest.fixture(scope="session")
def image() -> bytes:
    return build_image()


@pytest.fixture(params=["service", "tool"])
def world(request: pytest.FixtureRequest, image: bytes) -> Iterator[World]:
    """The world through one door."""
    opened = World(image, request.param)
    with closing(opened.store):
        yield opened
