"""The same without `await`: a browser on a thread of its own, usable inside an event loop too."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Mapping
from types import TracebackType
from typing import Any, Self, TypeVar

from . import engine, session
from .actions import Action
from .chromium import Chromium
from .engine import CONTEXTS_PER_BROWSER, Look
from .observation import Observation, Parts
from .session import Start

Result = TypeVar("Result")


class LoopThread:
    """An event loop on a thread. `run` hands it a coroutine and waits for the result."""

    def __init__(self) -> None:
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._main, name="deskgym-browser", daemon=True)
        self._thread.start()
        self._ready.wait()

    def _main(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.call_soon(self._ready.set)
        self._loop.run_forever()
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """The result of a coroutine, or its exception. An interrupt here cancels it there."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def stop(self) -> None:
        """End the loop and its thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()


class Session:
    """A `deskgym.browser.Session` whose methods wait. `asynchronous` is that session."""

    def __init__(self, asynchronous: session.Session, thread: LoopThread) -> None:
        self.asynchronous = asynchronous
        self._thread = thread

    def observe(self, parts: Parts | None = None) -> Observation:
        """What the present tab shows. Raises BrowserFault where the browser or the server failed."""
        return self._thread.run(self.asynchronous.observe(parts))

    def act(self, action: Mapping[str, Any] | Action, parts: Parts | None = None) -> Observation:
        """Do one action and return what the page shows then; see `deskgym.browser.Session.act`."""
        return self._thread.run(self.asynchronous.act(action, parts))

    def perform(self, work: Callable[[session.Session], Coroutine[Any, Any, Result]]) -> Result:
        """Run a coroutine function over the session, such as a page object's."""
        return self._thread.run(work(self.asynchronous))

    def close(self) -> None:
        """End the session."""
        self._thread.run(self.asynchronous.close())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Browser:
    """A `deskgym.browser.Browser` whose methods wait. Raises NoBrowser where none starts."""

    def __init__(self, chromium: Chromium | None = None, *, recycle_after: int = CONTEXTS_PER_BROWSER) -> None:
        self._thread = LoopThread()
        try:
            start = engine.Browser.start(chromium, recycle_after=recycle_after)
            self.asynchronous = self._thread.run(start)
        except BaseException:
            self._thread.stop()
            raise

    def open(self, url: str, *, start: Start | None = None, look: Look | None = None) -> Session:
        """Open an address in a fresh context; see `deskgym.browser.Browser.open`."""
        return Session(self._thread.run(self.asynchronous.open(url, start=start, look=look)), self._thread)

    def ready(self) -> None:
        """Wait until every spare context that is being prepared is there."""
        self._thread.run(self.asynchronous.ready())

    def facts(self) -> dict[str, str]:
        """Versions that a run records."""
        return self.asynchronous.facts()

    def close(self) -> None:
        """End every session and the browser."""
        try:
            self._thread.run(self.asynchronous.close())
        finally:
            self._thread.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
