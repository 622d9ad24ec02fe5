"""The order of all tests: folders whose files take longest come first, so that no process is left alone with one."""

from __future__ import annotations

import pytest

LONGEST_FIRST = ("plane", "agents_api", "pages", "serve", "cli", "run", "promises", "seeds", "docs", "containers")


def _rank(item: pytest.Item) -> int:
    folder = item.nodeid.split("/")[1]
    return LONGEST_FIRST.index(folder) if folder in LONGEST_FIRST else len(LONGEST_FIRST)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort by folder; within one, the order is that of the files."""
    items.sort(key=_rank)
