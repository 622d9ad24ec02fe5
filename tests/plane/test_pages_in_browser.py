"""The real pages in a real browser, in both widget variants: drawn the same twice, named apart, nothing cut off."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Browser, Page, Playwright, sync_playwright

from deskgym.browser.chromium import ARGUMENTS
from deskgym.episode import Episode

from .tour import Stop, crm_stops, desk_stops

pytestmark = pytest.mark.browser

CHROMIUM = os.environ.get("DESKGYM_CHROMIUM", "/usr/bin/chromium-headless-shell")
LOOKS = {
    "light": {"theme": "light", "widgets": "aria"},
    "dark": {"theme": "dark", "widgets": "native", "accent": "teal"},
}
SHOWN = (
    "home", "accounts", "opportunities-filtered", "account", "opportunity", "board", "opportunity-edit", "search",
    "form-errors", "form-select", "form-lookup", "form-date", "dialog-close", "menu-row", "inline-edit", "desk",
    "desk-confirm", "error-404",
)  # fmt: skip
ACTIONS = {
    "link", "button", "textbox", "searchbox", "combobox", "checkbox", "radio", "menuitem", "tab", "option", "gridcell",
}  # fmt: skip
REGIONS = {
    "banner", "navigation", "complementary", "contentinfo", "region", "form", "search", "dialog", "row", "menu",
    "group", "radiogroup", "listbox", "main", "tablist", "grid", "combobox",
}  # fmt: skip
LINE = re.compile(r'( *)- (\w+)(?: "((?:[^"\\]|\\.)*)")?')


@dataclass
class Region:
    """A named landmark, row, dialog or menu of a tree, and what can be pressed right inside it."""

    depth: int
    title: str
    parts: Counter[tuple[str, str]] = field(default_factory=Counter)


def regions(tree: str) -> Iterator[Region]:
    """The regions of an aria snapshot."""
    open_ones = [Region(-1, "page")]
    for line in tree.splitlines():
        found = LINE.match(line)
        if found is None:
            continue
        depth, role, name = len(found[1]), found[2], found[3] or ""
        while open_ones[-1].depth >= depth:
            yield open_ones.pop()
        if role in ACTIONS:
            open_ones[-1].parts[(role, name)] += 1
        if role in REGIONS and (name or role == "main"):
            open_ones.append(Region(depth, f"{role} {name}"))
    yield from open_ones


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as started:
        yield started


@pytest.fixture(params=list(LOOKS))
def episode(request: pytest.FixtureRequest) -> Iterator[Episode]:
    """An episode in one of the looks."""
    with Episode.start("crm/new-amount", seed=1, variation=LOOKS[request.param]) as started:
        yield started


def stops(episode: Episode) -> list[Stop]:
    """The pages that are looked at."""
    every = (*crm_stops(episode.store, episode.person_id), *desk_stops())
    found = [stop for stop in every if stop.name in SHOWN]
    assert len(found) == len(SHOWN)
    return found


def visit(page: Page, base: str, stop: Stop) -> None:
    """Go to a page, do what shows it, and wait until it rests."""
    page.goto(base + stop.path)
    page.wait_for_selector("html[data-busy='0']", state="attached")
    if stop.press is not None:
        stop.press(page)
        page.wait_for_load_state()
        if stop.name == "form-lookup":
            page.get_by_role("option").first.wait_for()
        page.wait_for_selector("html[data-busy='0']", state="attached")


def entered(browser: Browser, episode: Episode) -> Page:
    """A fresh context in the episode."""
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.goto(episode.enter_url)
    return page


def test_two_fresh_browsers_show_the_same_tree_and_the_same_pixels(playwright: Playwright, episode: Episode) -> None:
    seen: list[dict[str, tuple[str, bytes]]] = []
    for _ in range(2):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        page = entered(browser, episode)
        drawn = {}
        for stop in stops(episode):
            visit(page, episode.base_url, stop)
            drawn[stop.name] = (page.locator("body").aria_snapshot(mode="ai"), page.screenshot(caret="hide"))
        seen.append(drawn)
        browser.close()
    first, second = seen
    assert {name for name in first if first[name][0] != second[name][0]} == set()
    assert {name for name in first if first[name][1] != second[name][1]} == set()


def test_in_the_tree_that_agents_read_names_are_unique_where_they_stand(
    playwright: Playwright, episode: Episode
) -> None:
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
    page = entered(browser, episode)
    same: list[str] = []
    nameless: list[str] = []
    pressable = 0
    for stop in stops(episode):
        visit(page, episode.base_url, stop)
        for region in regions(page.locator("body").aria_snapshot()):
            pressable += region.parts.total()
            same += [f"{stop.name}, {region.title}: {part}" for part, count in region.parts.items() if count > 1]
            nameless += [f"{stop.name}, {region.title}: {role}" for role, name in region.parts if not name]
    browser.close()
    assert same == []
    assert nameless == []
    assert pressable > 1000


def test_no_page_scrolls_sideways_on_a_telephone(playwright: Playwright, episode: Episode) -> None:
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
    page = entered(browser, episode)
    page.set_viewport_size({"width": 390, "height": 844})
    wide = []
    for stop in crm_stops(episode.store, episode.person_id):
        if stop.press is None and stop.status == 200:
            page.goto(episode.base_url + stop.path)
            if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                wide.append(stop.name)
    browser.close()
    assert wide == []
