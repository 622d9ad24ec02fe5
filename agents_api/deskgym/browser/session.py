"""A session: one agent's browser window in one episode. `observe()` and `act(action)` are all it needs."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.async_api import BrowserContext, Error, Page

from . import actions as a
from .aim import is_stale
from .guard import Origin
from .hands import Hands
from .observation import Node, Observation, Parts, TabInfo, Tree, prune_dom, take_screenshot, take_snapshot
from .tabs import SETTLE_SECONDS, BrowserFault, Settled, Tab

ACTION_SECONDS = 30.0
POPUP_SECONDS = 2.0
MAX_TABS = 12

Submit = Callable[[dict[str, Any]], Awaitable[None]]


async def _no_submission(_submission: dict[str, Any]) -> None:
    raise a.ActionError("nothing can be submitted here")


@dataclass(frozen=True)
class Start:
    """What a session begins with.

    `now`: the instant that pages see as the present, `YYYY-MM-DDTHH:MM:SSZ` (None: the real one).
    `files`: folder whose files may be uploaded. `submit` takes status, reason_code and answer, and raises
    ActionError where the submission is refused.
    """

    now: str | None = None
    instruction: str | None = None
    files: Path | None = None
    submit: Submit = _no_submission
    parts: Parts = field(default_factory=Parts)


class Session:
    """Tabs of one context, the step count, and what happened since the last observation."""

    def __init__(
        self, context: BrowserContext, page: Page, origin: Origin, targets: Callable[[], int], start: Start
    ) -> None:
        self.context = context
        self.origin = origin
        self.start = start
        self.step = 0
        self.done = False
        self.tabs: list[Tab] = []
        self._targets = targets
        self._seen = 0
        self._notices: list[str] = []
        self._tree = Tree()
        self._target: dict[str, Any] | None = None
        self._popped = asyncio.Event()
        self._background = False
        self._closers: list[Callable[[], Awaitable[None]]] = []
        self.active = self._add(page)
        context.on("page", self._on_page)

    @property
    def page(self) -> Page:
        """The page of the present tab."""
        return self.active.page

    def on_close(self, closer: Callable[[], Awaitable[None]]) -> None:
        """Call `closer` when the session ends."""
        self._closers.append(closer)

    async def enter(self, url: str) -> None:
        """Load the first page. Raises BrowserFault where the server does not answer."""
        await self.active.open(url)
        await asyncio.gather(self.settle(), self._make_readable())

    async def _make_readable(self) -> None:
        """Have Playwright put into the page what a snapshot needs, while it loads. The snapshot itself does it else."""
        with contextlib.suppress(Error, TimeoutError):
            async with asyncio.timeout(SETTLE_SECONDS):
                await self.page.locator("html").count()

    async def close(self) -> None:
        """End the session; its cookies and storage are gone."""
        try:
            await self.context.close()
        finally:
            closers, self._closers = self._closers, []
            for closer in closers:
                await closer()

    # --- tabs ---------------------------------------------------------------------------------------------------

    def _add(self, page: Page) -> Tab:
        self._seen += 1
        tab = Tab(self._seen, page, self.origin, self._notices_append)
        self.tabs.append(tab)
        return tab

    def _notices_append(self, sentence: str) -> None:
        if sentence not in self._notices:
            self._notices.append(sentence)

    def _on_page(self, page: Page) -> None:
        if any(tab.page == page for tab in self.tabs):
            return
        tab = self._add(page)
        self._notices_append(f"tab {tab.number} was opened")
        if not self._background:
            self.active = tab
        self._popped.set()

    async def _await_popups(self) -> None:
        """Windows that the page opened are known to the browser before they are usable; wait for those."""
        try:
            async with asyncio.timeout(POPUP_SECONDS):
                while self._seen < self._targets():
                    self._popped.clear()
                    await self._popped.wait()
        except TimeoutError:
            self._seen = max(self._seen, self._targets())

    def _drop_closed(self) -> None:
        self.tabs = [tab for tab in self.tabs if not tab.page.is_closed()]

    async def settle(self) -> Settled:
        """Bring every tab to rest inside the workplace, and say how the present one is. Page objects call it too."""
        await self.active.settle()
        await self._await_popups()
        for tab in list(self.tabs):
            if tab is self.active and tab.settled.url == tab.page.url and tab.is_allowed():
                await tab.keep_inside()
                continue
            await tab.settle()
            await tab.keep_inside()
        await self._keep_a_tab()
        return self.active.settled

    async def _keep_a_tab(self) -> None:
        self._drop_closed()
        if not self.tabs:
            page = await self.context.new_page()
            self.active = next((tab for tab in self.tabs if tab.page == page), None) or self._add(page)
            await self.active.open(f"{self.origin}/")
        elif self.active not in self.tabs:
            self.active = self.tabs[-1]
        else:
            return
        await self.active.settle()

    def _tab(self, number: int | None) -> Tab:
        if number is None:
            return self.active
        for tab in self.tabs:
            if tab.number == number:
                return tab
        raise a.ActionError(f"there is no tab {number}; tabs: {', '.join(str(tab.number) for tab in self.tabs)}")

    # --- observing ----------------------------------------------------------------------------------------------

    async def observe(self, parts: Parts | None = None) -> Observation:
        """What the present tab shows. Raises BrowserFault where the browser or the server failed."""
        return await self._observe(None, parts or self.start.parts, await self.settle())

    def nodes(self) -> tuple[Node, ...]:
        """The nodes of the latest observation, in the order of the page."""
        return tuple(self._tree.nodes.values())

    async def _observe(self, error: str | None, parts: Parts, settled: Settled) -> Observation:
        notices, self._notices[:] = tuple(self._notices), []
        try:
            aria = await take_snapshot(self.page)
            screenshot = await take_screenshot(self.page) if parts.screenshot else None
            dom = prune_dom(await self.page.content()) if parts.dom else None
        except Error as fault:
            raise BrowserFault(f"the page cannot be read: {fault.message}") from fault
        self._tree = Tree(aria)
        focused = self._tree.focused()
        return Observation(
            step=self.step,
            url=settled.url,
            title=settled.title,
            tabs=tuple(
                TabInfo(tab.number, tab.settled.url, tab.settled.title, tab is self.active) for tab in self.tabs
            ),
            aria=aria,
            focused=focused.as_dict() if focused else None,
            error=error,
            notices=notices,
            instruction=self.start.instruction,
            target=self._target,
            settled=settled.calm,
            done=self.done,
            dom=dom,
            screenshot=screenshot,
        )

    # --- acting -------------------------------------------------------------------------------------------------

    async def act(self, action: Mapping[str, Any] | a.Action, parts: Parts | None = None) -> Observation:
        """Do one action and return what the page shows then.

        What the agent got wrong is in the observation's `error`. Raises BrowserFault only for what it did not do.
        """
        self.step += 1
        self._target = None
        error: str | None = None
        try:
            parsed = a.parse_action(action)
            self._aim_note(parsed)
            async with asyncio.timeout(ACTION_SECONDS):
                await self._perform(parsed)
        except a.ActionError as fault:
            error = str(fault)
        except TimeoutError:
            error = f"the action took longer than {ACTION_SECONDS:g} seconds"
        except Error as fault:
            error = self._playwright_fault(fault)
        settled = await self.settle()
        self._background = False
        return await self._observe(error, parts or self.start.parts, settled)

    def _playwright_fault(self, fault: Error) -> str:
        browser = self.context.browser
        if browser is None or not browser.is_connected():
            raise BrowserFault("the browser ended") from fault
        if is_stale(fault):
            return "the page changed while the action was under way; look again"
        return f"the action failed: {fault.message.splitlines()[0]}"

    def _aim_note(self, action: a.Action) -> None:
        ref = getattr(action, "ref", None) or getattr(action, "source", None)
        point = getattr(action, "coordinate", None)
        if isinstance(ref, list):
            ref, point = None, ref
        node = self._tree.nodes.get(ref) if ref else self._tree.at(*point) if point else None
        self._target = node.as_dict() if node else None

    async def _perform(self, action: a.Action) -> None:
        if isinstance(action, a.Click):
            self._background = action.button == "middle" or bool({"Control", "Meta"} & set(action.modifiers))
        hands = Hands(self.page, self.start.files)
        method = getattr(hands, action.action, None) or getattr(self, f"_do_{action.action}")
        await method(action)

    async def _do_navigate(self, action: a.Navigate) -> None:
        await self.active.open(self.origin.resolve(action.url))

    async def _do_back(self, _action: a.Back) -> None:
        await self._history(-1)

    async def _do_forward(self, _action: a.Forward) -> None:
        await self._history(1)

    async def _history(self, by: int) -> None:
        move = self.page.go_back if by < 0 else self.page.go_forward
        before = self.page.url
        if by < 0 and not await self._can_go_back():
            raise a.ActionError("there is no earlier page in this tab")
        answer = await move(wait_until="commit", timeout=10_000)
        if answer is None and self.page.url == before:
            raise a.ActionError(f"there is no {'earlier' if by < 0 else 'later'} page in this tab")

    async def _can_go_back(self) -> bool:
        """Every tab begins at a blank page, which is not the agent's."""
        return bool(await self.page.evaluate("() => window.navigation.canGoBack"))

    async def _do_reload(self, _action: a.Reload) -> None:
        await self.page.reload(wait_until="commit", timeout=15_000)

    async def _do_new_tab(self, action: a.NewTab) -> None:
        url = self.origin.resolve(action.url or "/")
        if len(self.tabs) >= MAX_TABS:
            raise a.ActionError(f"{MAX_TABS} tabs are open; close one first")
        page = await self.context.new_page()
        self.active = next(tab for tab in self.tabs if tab.page == page)
        self._notices.clear()
        await self.active.open(url)

    async def _do_switch_tab(self, action: a.SwitchTab) -> None:
        self.active = self._tab(action.tab)
        await self.page.bring_to_front()

    async def _do_close_tab(self, action: a.CloseTab) -> None:
        tab = self._tab(action.tab)
        if len(self.tabs) == 1:
            raise a.ActionError("this is the last tab; it cannot be closed")
        await tab.page.close()

    async def _do_wait(self, action: a.Wait) -> None:
        await asyncio.sleep(action.seconds)

    async def _do_submit(self, action: a.Submit) -> None:
        given = action.model_dump(exclude={"action"}, exclude_none=True)
        await self.start.submit(given)
        self.done = True
