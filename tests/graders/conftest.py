"""Every test here runs with W1 among the apps, and leaves it behind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.fixtures.w1.world import registered


@pytest.fixture(scope="package", autouse=True)
def _w1() -> Iterator[None]:
    with registered():
        yield
