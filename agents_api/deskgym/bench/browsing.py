"""A browser step beside Playwright's own click and snapshot of the same page."""

from __future__ import annotations

from functools import partial

from .. import catalogue
from ..browser.pace import Pace, pace
from ..episode import Episode
from ..errors import DeskgymError
from ..serving import stop_servers
from ..window import Window
from .figure import Bench, Figure, figure

PAGE = "/crm/accounts"
ROLES = ("columnheader", "heading")  # a click leaves these where they are, and changes nothing


def step(bench: Bench) -> Figure:
    """Click by reference, settle, observe, on a list page. Floor: mouse click and Playwright's snapshot, alternated."""
    try:
        measured = _paces(bench)
    finally:
        stop_servers()
    return figure("browser.step", measured.steps, measured.raw)


def _paces(bench: Bench) -> Pace:
    with Episode.start(world=catalogue.world(bench.world)) as episode:
        window = Window(episode)
        try:
            seen = window.act({"action": "navigate", "url": f"{episode.base_url}{PAGE}"})
            if seen.error is not None:
                raise DeskgymError("env_error", f"{PAGE}: {seen.error}")
            role, name = _still(window)
            work = partial(pace, role=role, name=name, pairs=bench.samples(40))
            return window.session.perform(work)
        finally:
            window.close()


def _still(window: Window) -> tuple[str, str]:
    """Role and name of something to click that does nothing."""
    for role in reversed(ROLES):
        names = [node.name for node in window.nodes() if node.role == role and node.name and node.box]
        for name in names:
            if names.count(name) == 1:
                return role, name
    raise DeskgymError("env_error", f"{PAGE} shows nothing to click on", "is the page complete?")
