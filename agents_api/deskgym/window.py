"""The browser's side of an episode: one Chromium a process, one session an episode, tool calls done by hand."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from deskgym_apps.kit.errors import ServiceError
from deskgym_graders.spec import Call

from .browser import ActionError, NoBrowser, Node, Observation, Parts, Start, sync
from .browser.session import Session
from .episode import Episode
from .errors import DeskgymError

if TYPE_CHECKING:
    from .remote import RemoteEpisode

_kept: list[sync.Browser] = []
_lock = threading.Lock()


class PagesRefused(ServiceError):
    """The pages refused what a tool would have refused too; the message is what they say."""

    code = "refused"
    status = 422


def shared_browser() -> sync.Browser:
    """The Chromium of this process, started on first use. Raises DeskgymError (no_browser) where there is none."""
    with _lock:
        if not _kept:
            try:
                _kept.append(sync.Browser())
            except NoBrowser as error:
                raise DeskgymError("no_browser", str(error), "run: deskgym doctor") from error
        return _kept[0]


@atexit.register
def close_browser() -> None:
    """End the Chromium of this process."""
    with _lock:
        while _kept:
            _kept.pop().close()


class Window:
    """The session of an episode's acting person. `close()` it before the episode.

    Raises DeskgymError (env_error) where the pages do not let the person in: that is no work of the agent's.
    """

    def __init__(
        self, episode: Episode | RemoteEpisode, *, parts: Parts | None = None, browser: sync.Browser | None = None
    ) -> None:
        self.episode = episode
        start = Start(
            now=episode.now,
            instruction=episode.public.instruction,
            files=None if episode.folder is None else episode.folder / "files",
            submit=self._submit,
            parts=parts or Parts(),
        )
        self.session = (browser or shared_browser()).open(episode.enter_url, start=start)
        self.last: Observation | None = self.session.observe()
        if urlsplit(self.last.url).path.startswith("/enter/"):
            self.session.close()
            raise DeskgymError("env_error", "the pages of this episode cannot be entered", "run: deskgym doctor")

    async def _submit(self, given: dict[str, Any]) -> None:
        try:
            self.episode.submit(channel="ui", **given)
        except ServiceError as error:
            raise ActionError(str(error)) from error

    def observe(self, parts: Parts | None = None) -> Observation:
        """What the present tab shows. Raises BrowserFault where the browser or the server failed."""
        self.last = self.session.observe(parts)
        return self.last

    def nodes(self) -> tuple[Node, ...]:
        """The nodes of the latest observation."""
        return self.session.asynchronous.nodes()

    def act(self, action: Mapping[str, Any]) -> Observation:
        """Do one browser action; what the agent got wrong is in the observation's `error`."""
        self.last = self.session.act(action)
        return self.last

    def perform(self, call: Call) -> dict[str, Any]:
        """Carry one tool call out by hand in the pages, and return what the tool would.

        Raises PagesRefused where the pages refuse it. Any other exception is a fault of the pages.
        """
        pages = import_module(f"{__package__}.pages")
        base_url = self.episode.base_url
        variation = self.episode.public.variation

        async def work(session: Session) -> dict[str, Any]:
            done: dict[str, Any] = await pages.perform(
                session,
                call.tool,
                call.args,
                base_url=base_url,
                widgets=variation.get("widgets", "aria"),
                labels=variation.get("labels"),
            )
            return done

        try:
            return self.session.perform(work)
        except pages.Refused as error:
            raise PagesRefused(str(error)) from error

    def close(self) -> None:
        """End the session."""
        self.session.close()
