from __future__ import annotations

from collections.abc import Iterator

import pytest

from deskgym.browser.sync import Browser


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with Browser() as started:
        yield started
