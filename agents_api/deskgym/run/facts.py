"""What a run records about where it was made: versions and digests."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from deskgym_graders.verdict import versions

from .. import __version__
from ..catalogue import world
from .plan import Plan
from .record import FORMAT

_PACKAGES = ("flask", "mcp", "playwright", "pydantic", "starlette", "font-source-sans-pro", "bootstrap-flask")


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def run_facts(plan: Plan) -> dict[str, Any]:
    """The content of `run.json`. Raises DeskgymError (no_browser) where a browser is needed and missing."""
    opened = world(plan.world)
    facts: dict[str, Any] = {
        "format": FORMAT,
        "versions": {
            "deskgym": __version__,
            "python": platform.python_version(),
            "packages": {name: _version(name) for name in _PACKAGES},
        },
        "digests": {"world": opened.digest, **versions()},
        "config": plan.as_dict(),
    }
    if plan.surface == "browser":
        facts["browser"] = browser_facts()
    return facts


def browser_facts() -> dict[str, str]:
    """Versions of Chromium and Playwright. Raises DeskgymError (no_browser)."""
    from ..browser import NoBrowser, find_chromium
    from ..errors import describe

    try:
        return find_chromium().facts()
    except NoBrowser as error:
        raise describe(error) from error
