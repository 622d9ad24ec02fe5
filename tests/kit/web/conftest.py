"""The gallery as a test client, and as a real server with a browser in front of it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator

import flask
import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from werkzeug.serving import BaseWSGIServer, make_server

from .gallery import create_gallery

PAGES = (
    "/crm/",
    "/crm/accounts",
    "/crm/accounts?panel=1",
    "/crm/accounts?city=Nowhere",
    "/crm/record",
    "/crm/record?done=Saved.",
    "/crm/deal",
    "/crm/board",
    "/crm/form",
    "/crm/form-errors",
    "/crm/stage",
    "/crm/delete",
    "/crm/conflict",
    "/crm/missing",
)


@pytest.fixture(scope="session")
def gallery() -> flask.Flask:
    """The gallery app."""
    return create_gallery()


@pytest.fixture
def draw(gallery: flask.Flask) -> Callable[[str], BeautifulSoup]:
    """Fetch a gallery page and parse it."""

    def get(path: str) -> BeautifulSoup:
        return BeautifulSoup(gallery.test_client().get(path).text, "html.parser")

    return get


@pytest.fixture(scope="session")
def server(gallery: flask.Flask) -> Iterator[str]:
    """The gallery on a free port; yields its base URL."""
    running: BaseWSGIServer = make_server("127.0.0.1", 0, gallery, threaded=True)
    thread = threading.Thread(target=running.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{running.server_port}"
    running.shutdown()
    thread.join()
    running.server_close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One headless Chromium a module: its event loop must not run on under the tests of other modules."""
    path = os.environ.get("DESKGYM_CHROMIUM", "/usr/bin/chromium-headless-shell")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path)
        yield launched
        launched.close()


@pytest.fixture
def context(browser: Browser, server: str) -> Iterator[BrowserContext]:
    """A fresh browser context on the gallery."""
    fresh = browser.new_context(base_url=server, viewport={"width": 1280, "height": 800})
    yield fresh
    fresh.close()


@pytest.fixture
def page(context: BrowserContext, gallery: flask.Flask) -> Page:
    """A fresh page; script errors fail the test that caused them."""
    gallery.config["POSTS"].clear()
    opened = context.new_page()
    opened.set_default_timeout(5_000)
    opened.on("pageerror", lambda error: pytest.fail(f"script error: {error}"))
    return opened


@pytest.fixture
def posts(gallery: flask.Flask) -> list[dict[str, list[str]]]:
    """What pages have posted during this test."""
    sent: list[dict[str, list[str]]] = gallery.config["POSTS"]
    return sent
