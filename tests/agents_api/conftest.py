"""Fixtures of the episode tests: a tiny world of an app of their own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from deskgym import pool
from deskgym_apps.kit import apps as kit_apps

from .memo_world.world import TinyWorld, build


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TinyWorld]:
    """The tiny world. Its app exists only while the module's tests run."""
    package = f"{__package__}.memo_world.memo"
    kit_apps.register_app(package)
    try:
        yield build(tmp_path_factory.mktemp("tiny") / "world.db")
    finally:
        pool.release()
        kit_apps._registered.remove(package)
        kit_apps.apps.cache_clear()
        kit_apps.registry.cache_clear()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root of episodes of one test."""
    return tmp_path / "episodes"
