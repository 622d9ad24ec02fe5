"""A root of episodes that lasts for one figure."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..pool import forget


@contextmanager
def scratch_root() -> Iterator[Path]:
    """An empty root; its ready stores and its folder are gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="deskgym-bench-") as folder:
        root = Path(folder).resolve()
        try:
            yield root
        finally:
            forget(root)
