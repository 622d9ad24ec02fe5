"""A person at the pages of one episode: going somewhere, pressing things, reading what a page says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit

from playwright.async_api import Error, Locator, Page

from deskgym.browser import Session

Widgets = Literal["aria", "native"]
PATIENCE = 5_000.0  # milliseconds to wait for an element that must be there


class PageFault(Exception):
    """A page is not as its page object expects: a fault of ours, never of the work."""


class Refused(Exception):
    """The pages refused the command, as the tool would have; `message` is what they say."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(frozen=True)
class Visit:
    """The session and what its page objects need to know of the episode's looks."""

    session: Session
    base_url: str
    widgets: Widgets
    labels: Mapping[str, str]

    @property
    def page(self) -> Page:
        """The present page."""
        return self.session.page

    @property
    def path(self) -> str:
        """Path of the present page."""
        return urlsplit(self.page.url).path

    @property
    def main(self) -> Locator:
        """The page's main landmark."""
        return self.page.get_by_role("main")

    def shown(self, label: str) -> str:
        """A label as this episode writes it."""
        return self.labels.get(label, label)

    def called(self, label: str) -> re.Pattern[str]:
        """The accessible name of a field: its label, with or without a unit in brackets."""
        return re.compile(rf"^{re.escape(self.shown(label))}( \([^()]*\))?$")

    async def go(self, path: str) -> None:
        """Open a page. Raises Refused where it answers with an error page."""
        answer = await self.page.goto(self.base_url + path, wait_until="commit")
        await self.session.settle()
        if answer is None or answer.status >= 400:
            await self.check()
            raise PageFault(f"{path} answers {answer.status if answer else 'nothing'}")

    async def press(self, target: Locator) -> None:
        """Click and wait until the page rests. Raises PageFault where the target is not there."""
        try:
            await target.click(timeout=PATIENCE)
        except Error as error:
            raise PageFault(f"{self.path}: cannot press {target}: {error.message.splitlines()[0]}") from error
        await self.session.settle()

    async def heading(self) -> str:
        """The page's h1."""
        return (await self.main.get_by_role("heading", level=1).inner_text(timeout=PATIENCE)).strip()

    async def text(self) -> dict[str, Any]:
        """The text of the page, as results of reading carry it."""
        return {"text": await self.main.inner_text(timeout=PATIENCE)}

    async def whose(self, path: str) -> dict[str, Any]:
        """A page, and the name of the person whose it is."""
        await self.go(path)
        person = self.page.get_by_role("banner").get_by_role("button", name=", your menu")
        name = await person.get_attribute("aria-label", timeout=PATIENCE) or ""
        return {"name": name.removesuffix(", your menu"), **await self.text()}

    async def check(self) -> None:
        """Raise Refused where the page says that nothing was done: an error page, a conflict, faulty fields."""
        alerts = self.page.get_by_role("alert").filter(has_text="Nothing was saved")
        if await alerts.count():
            raise Refused(" ".join((await alerts.first.inner_text()).split()))
        code = self.main.get_by_text(re.compile(r"^(Error \d{3}|409 · Conflict)$"))
        if await code.count():
            raise Refused(f"{await code.first.inner_text()}: {await self.heading()}")
