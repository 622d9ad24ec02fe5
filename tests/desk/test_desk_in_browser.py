"""The desk by hand in Chromium: entering, the answer form in both widget variants and without scripts, the seal."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Browser, Page, sync_playwright
from tests.fixtures.pad import world
from tests.kit.web.naming import actionable, name_of, region_of, role_of

from deskgym_apps.desk import service
from deskgym_apps.kit.store import Store
from deskgym_apps.server import ServerThread

pytestmark = pytest.mark.browser

TOKEN, OTHER = "b" * 40, "c" * 40
SCHEMA = {
    "type": "object",
    "properties": {
        "count": {"type": "integer", "title": "How many there are"},
        "stage": {"type": "string", "enum": ["New", "Won"]},
        "close_date": {"type": "string", "format": "date"},
        "won": {"type": "boolean"},
        "owners": {"type": "array", "items": {"type": "string"}},
        "deals": {
            "type": "array",
            "items": {"type": "object", "properties": {"name": {"type": "string"}, "seats": {"type": "integer"}}},
        },
    },
    "required": ["count", "stage", "close_date"],
    "x-reason-codes": ["no_milk"],
}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One headless Chromium for this module."""
    path = os.environ.get("DESKGYM_CHROMIUM", "/usr/bin/chromium-headless-shell")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path)
        yield launched
        launched.close()


@pytest.fixture
def base(image: Path, root: Path) -> Iterator[str]:
    """A server over two episodes: with ARIA widgets and with native ones."""
    for token, widgets in ((TOKEN, "aria"), (OTHER, "native")):
        variation = {"widgets": widgets}
        world.occupy(root, image, token=token, episode=widgets, answer_schema=SCHEMA, variation=variation)
    thread = ServerThread(root)
    yield thread.start()
    thread.stop()


def opened(chromium: Browser, base: str, **options: Any) -> Page:
    """A page in a context of its own; script errors fail the test."""
    page = chromium.new_context(base_url=base, viewport={"width": 1280, "height": 800}, **options).new_page()
    page.set_default_timeout(10_000)
    page.on("pageerror", lambda error: pytest.fail(f"script error: {error}"))
    return page


def stored(root: Path, episode: str) -> dict[str, Any] | None:
    with Store.open(root / episode / "store.db") as store:
        return service.submitted(store)


def fill(page: Page) -> None:
    page.get_by_label("Count").fill("3")
    page.get_by_role("textbox", name="Close date").fill("14 May 2027")
    page.get_by_role("radio", name="Yes").check()
    page.get_by_label("Owners").fill("Ben\nAna")
    page.get_by_label("Row 1: Name").fill("Alpha")
    page.get_by_label("Row 1: Seats").fill("1,000")


ANSWER = {
    "count": 3, "stage": "Won", "close_date": "2027-05-14", "won": True, "owners": ["Ben", "Ana"],
    "deals": [{"name": "Alpha", "seats": 1000}],
}  # fmt: skip


def choose_won(page: Page, widgets: str) -> None:
    if widgets == "native":
        page.get_by_label("Stage").select_option("Won")
        return
    page.get_by_role("combobox", name="Stage").click()
    page.get_by_role("option", name="Won").click()


@pytest.mark.parametrize(("token", "widgets"), [(TOKEN, "aria"), (OTHER, "native")])
def test_work_is_handed_in_by_hand_in_both_widget_variants(
    chromium: Browser, base: str, root: Path, token: str, widgets: str
) -> None:
    page = opened(chromium, base)
    page.goto(f"/enter/{token}")
    assert page.url == f"{base}/desk"
    fill(page)
    choose_won(page, widgets)
    page.get_by_role("button", name="Submit", exact=True).click()
    page.get_by_role("heading", name="Submit and end the work?").wait_for()
    assert stored(root, widgets) is None
    page.get_by_role("button", name="Go back and change").click()
    assert page.get_by_label("Row 1: Seats").input_value() == "1,000"
    page.get_by_role("button", name="Submit", exact=True).click()
    page.get_by_role("button", name="Submit and end the work").click()
    page.get_by_role("heading", name="Your work was handed in").wait_for()
    row = stored(root, widgets)
    assert row is not None
    assert json.loads(row["answer"]) == ANSWER
    assert page.get_by_role("button", name="Submit").count() == 0
    page.context.close()


def test_work_is_handed_in_without_scripts(chromium: Browser, base: str, root: Path) -> None:
    page = opened(chromium, base, java_script_enabled=False)
    page.goto(f"/enter/{TOKEN}")
    page.get_by_role("button", name="Add rows to Deals").click()
    page.get_by_label("Row 6: Name").wait_for()
    fill(page)
    choose_won(page, "native")
    page.get_by_role("button", name="Submit", exact=True).click()
    page.get_by_role("button", name="Submit and end the work").click()
    row = stored(root, "aria")
    assert row is not None
    assert json.loads(row["answer"]) == ANSWER
    page.context.close()


def test_an_error_is_announced_and_the_summary_has_the_focus(chromium: Browser, base: str) -> None:
    page = opened(chromium, base)
    page.goto(f"/enter/{TOKEN}")
    page.get_by_label("Count").fill("three")
    page.get_by_role("button", name="Submit", exact=True).click()
    alert = page.get_by_role("alert")
    assert 'Count: "three" is not a whole number' in alert.inner_text()
    assert alert.evaluate("element => element === document.activeElement")
    field = page.get_by_label("Count")
    assert field.get_attribute("aria-invalid") == "true"
    alert.get_by_role("link", name="Count:").click()
    assert field.evaluate("element => element === document.activeElement")
    page.context.close()


def test_the_instruction_folds_by_keyboard(chromium: Browser, base: str) -> None:
    page = opened(chromium, base)
    page.goto(f"/enter/{TOKEN}")
    text = page.get_by_text("Buy oat milk instead.")
    assert text.is_visible()
    page.locator("summary").focus()
    page.keyboard.press("Enter")
    assert not text.is_visible()
    page.context.close()


def test_a_browser_asks_before_it_changes_episodes(chromium: Browser, base: str) -> None:
    page = opened(chromium, base)
    page.goto(f"/enter/{TOKEN}")
    page.goto(f"/enter/{OTHER}")
    page.get_by_role("button", name="Enter the other work").click()
    page.wait_for_url("**/desk")
    assert page.locator("html").get_attribute("data-widgets") == "native"
    page.context.close()


@pytest.mark.parametrize("path", ["/desk", "/nothing"])
@pytest.mark.parametrize("width", [1280, 390])
def test_names_are_unique_and_nothing_is_wider_than_the_screen(
    chromium: Browser, base: str, path: str, width: int
) -> None:
    page = opened(chromium, base)
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"/enter/{TOKEN}")
    page.goto(path)
    soup = BeautifulSoup(page.content(), "html.parser")
    seen: set[tuple[int, str, str]] = set()
    for element in actionable(soup):
        name = name_of(soup, element)
        key = (id(region_of(element)), role_of(element), name)
        assert name, element
        assert key not in seen, key
        seen.add(key)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.context.close()


def test_the_page_is_the_same_every_time(chromium: Browser, base: str) -> None:
    shots = []
    for _ in range(2):
        page = opened(chromium, base)
        page.goto(f"/enter/{TOKEN}")
        shots.append((page.locator("body").aria_snapshot(), page.screenshot()))
        page.context.close()
    assert shots[0] == shots[1]
