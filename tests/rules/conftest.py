"""One fixture for every rule: `door` is the same house entered by pages and by tools."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.crm.fixture import Rows, build_image

from deskgym_apps.crm import defaults

from .doors import PageDoorway, ToolDoorway
from .house import House, Lobby

Doorway = PageDoorway | ToolDoorway


@pytest.fixture(scope="session")
def lobby(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lobby]:
    """Where all episodes of the tests live."""
    opened = Lobby(tmp_path_factory.mktemp("rules"))
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def image() -> bytes:
    return build_image()


@pytest.fixture
def house(lobby: Lobby, image: bytes) -> House:
    """An episode of the hand-made world."""
    return lobby.house(image)


@pytest.fixture(scope="session")
def images() -> dict[str, bytes]:
    """Images that tests made, by what they added."""
    return {}


@pytest.fixture
def house_with(lobby: Lobby, images: dict[str, bytes]) -> Callable[..., House]:
    """A maker of episodes with more rows or other organisation-wide defaults."""

    def make(more: Rows | None = None, **owd: str) -> House:
        key = json.dumps([more, owd, defaults.OWD, defaults.STAGES], sort_keys=True)
        if key not in images:
            images[key] = build_image(more, owd=owd)
        return lobby.house(images[key])

    return make


@pytest.fixture(params=["page", "tool"])
def enter(request: pytest.FixtureRequest) -> Callable[[House], Doorway]:
    """Enters a house by one of the doors."""
    return PageDoorway if request.param == "page" else ToolDoorway


@pytest.fixture
def door(enter: Callable[[House], Doorway], house: House) -> Doorway:
    """The hand-made world through one door."""
    return enter(house)


@pytest.fixture
def door_with(enter: Callable[[House], Doorway], house_with: Callable[..., House]) -> Callable[..., Doorway]:
    """A maker of worlds with more rows, entered by one door."""

    def make(*rows: Any, **owd: str) -> Doorway:
        return enter(house_with(*rows, **owd))

    return make


@pytest.fixture
def pages(house: House) -> PageDoorway:
    """The hand-made world through its pages alone."""
    return PageDoorway(house)


@pytest.fixture
def tools(house: House) -> ToolDoorway:
    """The hand-made world through its tools alone."""
    return ToolDoorway(house)
