"""One Chromium for many episodes: fresh contexts kept warm and used once, the browser renewed now and then."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from playwright.async_api import Browser as PlaywrightBrowser
from playwright.async_api import BrowserContext, Error, Page, Playwright, async_playwright

from .chromium import ARGUMENTS, Chromium, NoBrowser, environment, find_chromium
from .guard import Origin
from .session import Session, Start
from .tabs import WATCH, BrowserFault

CONTEXTS_PER_BROWSER = 200
PATIENCE_S = 10  # a browser whose process was killed may answer nothing at all


@dataclass(frozen=True)
class Look:
    """What makes two pages the same: size of the window, language, zone, colours."""

    width: int = 1280
    height: int = 720
    locale: str = "en-US"
    timezone: str = "UTC"
    color_scheme: str = "light"

    def options(self) -> dict[str, Any]:
        """Options of a Playwright context."""
        return {
            "viewport": {"width": self.width, "height": self.height},
            "locale": self.locale,
            "timezone_id": self.timezone,
            "color_scheme": self.color_scheme,
            "device_scale_factor": 1,
            "reduced_motion": "reduce",
            "service_workers": "block",
            "accept_downloads": False,
        }


@dataclass
class Generation:
    """One run of the browser, and how many contexts it has given and still holds.

    `pages` counts the pages that came to be in each context, by the browser's id of the context.
    """

    browser: PlaywrightBrowser
    pages: Counter[str]
    home: tempfile.TemporaryDirectory[str]
    given: int = 0
    open: int = 0

    async def close(self) -> None:
        """End the browser and remove its folder."""
        with contextlib.suppress(Error, TimeoutError):  # it is dead already
            async with asyncio.timeout(PATIENCE_S):
                await self.browser.close()
        self.home.cleanup()


@dataclass
class Room:
    """A context with one empty page, never used before."""

    generation: Generation
    context: BrowserContext
    page: Page
    name: str

    def pages(self) -> int:
        """How many pages the context has had, those included that Playwright does not show yet."""
        return self.generation.pages[self.name]


Key = tuple[Origin, Look]


@dataclass
class Browser:
    """Opens sessions. Make one with `await Browser.start()`; every method belongs to that event loop.

    `recycle_after`: contexts after which new sessions get a new browser process; the old one ends with its last.
    """

    playwright: Playwright
    chromium: Chromium
    recycle_after: int = CONTEXTS_PER_BROWSER
    _generation: Generation | None = None
    _old: list[Generation] = field(default_factory=list)
    _spare: dict[Key, asyncio.Task[Room]] = field(default_factory=dict)
    _starting: asyncio.Lock = field(default_factory=asyncio.Lock)
    _closed: bool = False

    @classmethod
    async def start(cls, chromium: Chromium | None = None, *, recycle_after: int = CONTEXTS_PER_BROWSER) -> Browser:
        """Start the driver and the browser. Raises NoBrowser where there is none, or it does not start."""
        if chromium is None:
            chromium = await asyncio.to_thread(find_chromium)
        browser = cls(await async_playwright().start(), chromium, recycle_after)
        try:
            await browser._current()
        except BaseException:
            await browser.close()
            raise
        return browser

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def facts(self) -> dict[str, str]:
        """Versions that a run records."""
        return self.chromium.facts()

    async def open(
        self,
        url: str,
        *,
        start: Start | None = None,
        look: Look | None = None,
    ) -> Session:
        """Open `url` (an `/enter/<token>` address, or any page) in a fresh context and return its session.

        Only the origin of `url` can be reached from it. Raises ValueError for an address that is not http(s),
        BrowserFault where the server does not answer.
        """
        key = (Origin.of(url), look or Look())
        room = await self._take(key)
        session = Session(room.context, room.page, key[0], room.pages, start or Start())
        session.on_close(lambda: self._leave(room.generation))
        try:
            await session.enter(url)
        except BaseException:
            await session.close()
            raise
        self._warm(key)
        return session

    async def close(self) -> None:
        """End every session, the browsers and the driver."""
        self._closed = True
        for task in self._spare.values():
            task.cancel()
        await asyncio.gather(*self._spare.values(), return_exceptions=True)
        self._spare.clear()
        for generation in [*self._old, *([self._generation] if self._generation else [])]:
            await generation.close()
        self._old.clear()
        self._generation = None
        await self.playwright.stop()

    async def _take(self, key: Key) -> Room:
        task = self._spare.pop(key, None)
        room = await task if task is not None else None
        if room is not None and room.generation.browser.is_connected():
            return room
        return await self._make(key)

    def _warm(self, key: Key) -> None:
        if key not in self._spare and not self._closed:
            self._spare[key] = asyncio.create_task(self._make(key))

    async def _make(self, key: Key) -> Room:
        """A fresh context; from a new browser where the present one turns out to be dead."""
        try:
            return await self._room(key)
        except (Error, TimeoutError):
            self._retire()
        try:
            return await self._room(key)
        except (Error, TimeoutError) as error:
            raise BrowserFault(f"the browser gives no context: {str(error).splitlines()[:1]}") from error

    def _retire(self) -> None:
        if self._generation is not None:
            self._old.append(self._generation)
            self._generation = None

    async def _room(self, key: Key) -> Room:
        origin, look = key
        generation = await self._current()
        generation.given += 1
        generation.open += 1
        try:
            async with asyncio.timeout(PATIENCE_S):
                context = await generation.browser.new_context(proxy=origin.proxy(), **look.options())
                await context.add_init_script(WATCH)
                page = await context.new_page()
                return Room(generation, context, page, await _context_name(context, page))
        except (Error, TimeoutError):
            await self._leave(generation)
            raise

    async def _leave(self, generation: Generation) -> None:
        generation.open -= 1
        if generation.open == 0 and generation in self._old:
            self._old.remove(generation)
            await generation.close()

    async def _current(self) -> Generation:
        async with self._starting:
            now = self._generation
            if now is not None and now.browser.is_connected() and now.given < self.recycle_after:
                return now
            if now is not None and now.open == 0:
                await now.close()
                self._generation = None
            self._retire()
            self._generation = await self._launch()
            return self._generation

    async def _launch(self) -> Generation:
        home = tempfile.TemporaryDirectory(prefix="deskgym-browser-", ignore_cleanup_errors=True)
        try:
            browser = await self.playwright.chromium.launch(
                executable_path=self.chromium.path, args=list(ARGUMENTS), env=_env(Path(home.name)), timeout=60_000
            )
        except Error as error:
            home.cleanup()
            raise NoBrowser(f"{self.chromium.path} does not start: {error.message.splitlines()[0]}") from error
        return Generation(browser, await _count_pages(browser), home)


async def _count_pages(browser: PlaywrightBrowser) -> Counter[str]:
    """Count new pages by context as the browser makes them, which is before Playwright can use them."""
    pages: Counter[str] = Counter()

    def created(event: dict[str, Any]) -> None:
        if event["targetInfo"]["type"] == "page":
            pages[event["targetInfo"].get("browserContextId", "")] += 1

    events = await browser.new_browser_cdp_session()
    events.on("Target.targetCreated", created)
    await events.send("Target.setDiscoverTargets", {"discover": True})
    return pages


async def _context_name(context: BrowserContext, page: Page) -> str:
    events = await context.new_cdp_session(page)
    facts = await events.send("Target.getTargetInfo")
    await events.detach()
    return str(facts["targetInfo"]["browserContextId"])


def _env(home: Path) -> dict[str, str | float | bool]:
    variables: Mapping[str, str] = environment(home)
    return dict(variables)
