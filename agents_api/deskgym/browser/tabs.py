"""Tabs: what each page shows, where it may be, and when it has settled."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

from playwright.async_api import Dialog, Download, Error, Frame, Page, Request, Response

from .guard import BLANK, ERROR_PAGE, Origin

SETTLE_SECONDS = 5.0
_GONE = re.compile(r"context was destroyed|navigat|Cannot find context|detached", re.IGNORECASE)


class BrowserFault(Exception):
    """The browser or the server failed, through no fault of the agent: an `env_error`, never a reward."""

    kind = "env_error"


def script(name: str) -> str:
    """The text of one of our page scripts."""
    return resources.files(__package__).joinpath("scripts", name).read_text(encoding="utf-8")


WATCH = script("watch.js")
_SETTLE = script("settle.js")


@dataclass(frozen=True)
class Settled:
    """What a page was when it came to rest. `calm` is False where it was still busy after the limit."""

    url: str
    title: str
    calm: bool


@dataclass(frozen=True)
class Failure:
    """A navigation that came to nothing."""

    url: str
    reason: str


@dataclass
class Tab:
    """One page of a session. `note` receives sentences about what happened without being asked for."""

    number: int
    page: Page
    origin: Origin
    note: Callable[[str], None]
    last_good: str | None = None
    failure: Failure | None = None
    crashed: bool = False
    settled: Settled = field(default=Settled(BLANK, "", True))
    _moves: int = 0
    _moved: asyncio.Event = field(default_factory=asyncio.Event)
    _forget: bool = False

    def __post_init__(self) -> None:
        self.page.on("framenavigated", self._on_navigated)
        self.page.on("requestfailed", self._on_failed)
        self.page.on("response", self._on_response)
        self.page.on("download", self._on_download)
        self.page.on("dialog", self._on_dialog)
        self.page.on("crash", self._on_crash)

    def _move(self) -> None:
        self._moves += 1
        self._moved.set()

    def _on_navigated(self, frame: Frame) -> None:
        if frame == self.page.main_frame:
            self._move()

    def _is_main_navigation(self, request: Request) -> bool:
        return request.is_navigation_request() and request.frame == self.page.main_frame

    def _on_failed(self, request: Request) -> None:
        if not self.origin.holds(request.url):
            self.note(f"blocked: {request.url} is outside this workplace")
        if self._is_main_navigation(request):
            self.failure = Failure(request.url, request.failure or "failed")
            self._forget = True
            self._move()

    def _on_response(self, response: Response) -> None:
        if response.status in (204, 205) and self._is_main_navigation(response.request):
            self._forget = True
            self._move()

    def _on_download(self, download: Download) -> None:
        self.note(f"blocked: the download of {download.suggested_filename}")
        self._forget = True
        self._move()

    def _on_crash(self, _page: Page) -> None:
        self.crashed = True
        self._move()

    async def _on_dialog(self, dialog: Dialog) -> None:
        # A page may ask before it is left; staying would trap the agent, so that one question is answered with yes.
        leaves = dialog.type == "beforeunload"
        self.note(f'dialog {"accepted" if leaves else "dismissed"}: {dialog.type} "{dialog.message[:200]}"')
        await (dialog.accept() if leaves else dialog.dismiss())

    async def settle(self, seconds: float = SETTLE_SECONDS) -> Settled:
        """Wait for load and `html[data-busy]="0"`, through any navigation under way, at most `seconds`."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        found: dict[str, Any] | None = None
        while (left := end - loop.time()) > 0 and not (self.crashed or self.page.is_closed()):
            moves, forget = self._moves, self._forget
            self._forget = False
            self._moved.clear()
            found = await self._evaluate(forget, left)
            if found is None:
                await asyncio.sleep(0)
            elif not found["leaving"]:
                break
            elif self._moves == moves:
                await self._wait_for_move(left)
        if self.crashed:
            raise BrowserFault(f"the page of tab {self.number} crashed")
        self.settled = self._result(found)
        return self.settled

    def _result(self, found: dict[str, Any] | None) -> Settled:
        if found is None:
            return Settled(BLANK if self.page.is_closed() else self.page.url, "", False)
        return Settled(found["url"], found["title"], bool(found["calm"]) and not found["leaving"])

    async def _evaluate(self, forget: bool, left: float) -> dict[str, Any] | None:
        """What the document says, or None where it was replaced meanwhile."""
        try:
            async with asyncio.timeout(left):
                answer: dict[str, Any] = await self.page.evaluate(
                    _SETTLE, {"forget": forget, "limit": int(left * 1000)}
                )
                return answer
        except TimeoutError:
            return None
        except Error as error:
            if self.page.is_closed() or self.crashed or _GONE.search(error.message):
                return None
            raise BrowserFault(f"the page does not answer: {error.message}") from error

    async def _wait_for_move(self, left: float) -> None:
        try:
            async with asyncio.timeout(left):
                await self._moved.wait()
        except TimeoutError:
            self._forget = True

    def is_allowed(self) -> bool:
        """Whether what the tab shows now may be shown."""
        return self.page.url in (BLANK, "") or self.origin.holds(self.page.url)

    async def keep_inside(self) -> bool:
        """After an action: go back from a page that is not this workplace's. False where the tab was closed for it.

        Raises BrowserFault where the workplace itself cannot be reached.
        """
        failure, self.failure = self.failure, None
        if self.page.is_closed():
            return False
        url = self.page.url
        if self.is_allowed():
            if self.origin.holds(url):
                self.last_good = url
            return True
        self._explain(url, failure)
        if self.last_good is None:
            await self.page.close()
            return False
        await self.open(self.last_good)
        await self.settle()
        return True

    def _explain(self, url: str, failure: Failure | None) -> None:
        if not url.startswith(ERROR_PAGE):
            self.note(f"blocked: {url} is outside this workplace; the tab went back")
        elif failure is None:
            self.note(f"blocked: tab {self.number} led outside this workplace")
        elif self.origin.holds(failure.url):
            raise BrowserFault(f"{failure.url} cannot be reached: {failure.reason}")

    async def open(self, url: str) -> None:
        """Load an address of this origin. Raises BrowserFault where the server does not answer."""
        try:
            await self.page.goto(url, wait_until="commit", timeout=15_000)
        except Error as error:
            if self.failure is None and "ERR_ABORTED" in error.message:
                return  # a download, or an answer without a page
            if self.failure is not None and not self.origin.holds(self.failure.url):
                return  # it led away; keep_inside says so
            raise BrowserFault(f"{url} cannot be opened: {error.message.splitlines()[0]}") from error
