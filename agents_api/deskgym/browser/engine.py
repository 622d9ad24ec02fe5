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
from playwright.async_api import BrowserContext, CDPSession, Error, Page, Playwright, async_playwright

from .chromium import ARGUMENTS, Chromium, NoBrowser, environment, find_chromium
from .guard import Origin
from .observation import take_snapshot
from .session import Session, Start
from .tabs import WATCH, BrowserFault

CONTEXTS_PER_BROWSER = 200
PATIENCE_S = 10  # a browser whose process was killed may answer nothing at all
PAUSE_S = 0.2  # the session that has just begun comes first
# All that a page can leave behind, but for what the network keeps of files that are the same for everybody.
_LEFT_BEHIND = "cookies,file_systems,indexeddb,local_storage,service_workers,cache_storage,websql,storage_buckets"


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
    """A context with one page, never used before. `now`: the instant that its pages see, None for the real one."""

    generation: Generation
    context: BrowserContext
    page: Page
    events: CDPSession
    name: str
    now: str | None = None

    def pages(self) -> int:
        """How many pages the context has had, those included that Playwright does not show yet."""
        return self.generation.pages[self.name]

    async def set_clock(self, now: str | None) -> None:
        """Let pages see an instant as the present. Once set, the clock cannot be the real one again."""
        if now is not None and now != self.now:
            await self.context.clock.set_fixed_time(now)
            self.now = now

    async def warm(self, origin: Origin) -> None:
        """Have a process, the origin's styles and scripts, and Playwright's own ready: show its front page to nobody.

        Nothing of it stays but what the network keeps of files: no cookie, no storage. The page's place in the
        history is taken away by `forget`, once a session has entered.
        """
        await self.page.goto(f"{origin}/", timeout=PATIENCE_S * 1000)
        await take_snapshot(self.page)
        await self.page.evaluate("() => { sessionStorage.clear(); window.name = ''; }")
        await self.events.send("Storage.clearDataForOrigin", {"origin": str(origin), "storageTypes": _LEFT_BEHIND})

    async def forget(self) -> None:
        """Make the present page the first of the tab's history."""
        await self.events.send("Page.resetNavigationHistory")


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
    _ending: set[asyncio.Task[None]] = field(default_factory=set)
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
        key, begin = (Origin.of(url), look or Look()), start or Start()
        room = await self._take(key, begin.now)
        session = Session(room.context, room.page, key[0], room.pages, begin)
        session.on_close(lambda: self._leave(room.generation))
        try:
            await room.set_clock(begin.now)
            await session.enter(url)
            await room.forget()
        except BaseException:
            await session.close()
            raise
        self._warm(key, begin.now)
        return session

    async def ready(self) -> None:
        """Wait until every spare context that is being prepared is there, and what nobody wants is gone."""
        await asyncio.gather(*self._spare.values(), return_exceptions=True)
        await asyncio.gather(*self._ending, return_exceptions=True)

    async def close(self) -> None:
        """End every session, the browsers and the driver."""
        self._closed = True
        for task in self._spare.values():
            task.cancel()
        await self.ready()
        self._spare.clear()
        for generation in [*self._old, *([self._generation] if self._generation else [])]:
            await generation.close()
        self._old.clear()
        self._generation = None
        await self.playwright.stop()

    async def _take(self, key: Key, now: str | None) -> Room:
        task = self._spare.pop(key, None)
        room = await task if task is not None else None
        if room is None:
            return await self._prepared(key, now)
        if room.generation.browser.is_connected() and (now is not None or room.now is None):
            return room
        await self._drop(room.generation, room.context)
        return await self._prepared(key, now)

    def _warm(self, key: Key, now: str | None) -> None:
        if key not in self._spare and not self._closed:
            self._spare[key] = asyncio.create_task(self._later(key, now))

    async def _later(self, key: Key, now: str | None) -> Room:
        await asyncio.sleep(PAUSE_S)
        return await self._prepared(key, now)

    async def _prepared(self, key: Key, now: str | None) -> Room:
        """A context that is warm, so that one that was waited for is no other than one that was made beforehand.

        It is cold where the origin shows no front page.
        """
        room = await self._make(key)
        try:
            async with asyncio.timeout(PATIENCE_S):
                await room.set_clock(now)
                await room.warm(key[0])
                return room
        except (Error, TimeoutError):
            await self._drop(room.generation, room.context)
            return await self._make(key)
        except BaseException:  # it is not wanted any more
            await self._drop(room.generation, room.context)
            raise

    async def _drop(self, generation: Generation, context: BrowserContext | None) -> None:
        """End a context that nobody used."""
        with contextlib.suppress(Error, TimeoutError):
            async with asyncio.timeout(PATIENCE_S):
                if context is not None:
                    await context.close()
        await self._leave(generation)

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
        context: BrowserContext | None = None
        try:
            async with asyncio.timeout(PATIENCE_S):
                context = await generation.browser.new_context(proxy=origin.proxy(), **look.options())
                await context.add_init_script(WATCH)
                page = await context.new_page()
                events = await context.new_cdp_session(page)
                return Room(generation, context, page, events, await _context_name(events))
        except BaseException:
            await self._drop(generation, context)
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
        launching = asyncio.ensure_future(
            self.playwright.chromium.launch(
                executable_path=self.chromium.program(Path(home.name)),
                args=list(ARGUMENTS),
                env=_env(Path(home.name)),
                timeout=60_000,
            )
        )
        try:
            browser = await asyncio.shield(launching)
            return Generation(browser, await _count_pages(browser), home)
        except Error as error:
            await _end_launch(launching, home)
            raise NoBrowser(f"{self.chromium.path} does not start: {error.message.splitlines()[0]}") from error
        except BaseException:  # nobody waits any more, but the driver goes on and starts it
            ending = asyncio.create_task(_end_launch(launching, home))
            self._ending.add(ending)
            ending.add_done_callback(self._ending.discard)
            raise


async def _end_launch(launching: asyncio.Future[PlaywrightBrowser], home: tempfile.TemporaryDirectory[str]) -> None:
    """End a browser that nobody wants, once it is there, and remove its folder."""
    try:
        with contextlib.suppress(Error, TimeoutError):
            browser = await launching
            async with asyncio.timeout(PATIENCE_S):
                await browser.close()
    finally:
        home.cleanup()


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


async def _context_name(events: CDPSession) -> str:
    facts = await events.send("Target.getTargetInfo")
    return str(facts["targetInfo"]["browserContextId"])


def _env(home: Path) -> dict[str, str | float | bool]:
    variables: Mapping[str, str] = environment(home)
    return dict(variables)
