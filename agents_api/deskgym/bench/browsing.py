"""A browser step and a reset beside Playwright's own click and snapshot of the same page."""

from __future__ import annotations

import time
from functools import partial

from .. import catalogue
from ..browser import Parts
from ..browser.pace import Pace, pace
from ..browser.session import Session
from ..episode import Episode
from ..errors import DeskgymError
from ..pool import origin_of, pool_of
from ..serving import stop_servers
from ..window import Window, shared_browser
from .figure import Bench, Figure, figure, timed
from .scratch import scratch_root

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


def reset(bench: Bench) -> Figure:
    """A new episode from a filled pool, entered in a fresh context, observed. Floor: a new context, the same page.

    The context was made beforehand, while nobody waited: its process runs, the server's styles, scripts and font are
    in its cache, its clock stands. What that takes is not in the figure; it is about what the floor takes.
    """
    world = catalogue.world(bench.world)
    values: list[float] = []
    floors: list[float] = []
    with scratch_root() as root:
        try:
            for number in range(bench.samples(20) + 1):
                pool_of(root, origin_of(world)).fill(1)
                begun: list[Window] = []
                value = timed(lambda keep=begun: keep.append(_enter(Episode.start(world=world, root=root))))  # type: ignore[misc]
                floor = _leave(begun[0])
                if number:  # the first starts browser and server
                    values.append(value)
                    floors.append(floor)
        finally:
            stop_servers()
    return figure("browser.reset", values, floors)


def _enter(episode: Episode) -> Window:
    return Window(episode, parts=Parts(screenshot=False))


def _leave(window: Window) -> float:
    """How long Playwright takes in ms to open the window's page in a new context; ends the window and its episode."""
    try:
        shared_browser().ready()  # so that the two do not meet
        return window.session.perform(partial(_bare, url=window.episode.enter_url))
    finally:
        window.close()
        window.episode.close()


async def _bare(session: Session, url: str) -> float:
    browser = session.page.context.browser
    if browser is None:
        raise DeskgymError("env_error", "the browser of this window is not known")
    began = time.perf_counter()
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto(url)
    took = (time.perf_counter() - began) * 1000
    await context.close()
    return took
