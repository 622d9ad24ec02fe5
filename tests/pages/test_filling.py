"""Filling a form in by label, on the furniture's own gallery, in both widget variants."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import flask
import pytest
from tests.kit.web.gallery import create_gallery
from werkzeug.serving import make_server

from deskgym.browser import Parts, Start
from deskgym.browser import Session as AsyncSession
from deskgym.browser.sync import Browser
from deskgym.pages.filling import Named, fill_all, pick
from deskgym.pages.visit import PageFault, Visit, Widgets

CONTROLS = {
    "name": ("Opportunity name", "text"),
    "account_id": ("Account", "lookup"),
    "stage": ("Stage", "stage"),
    "close_date": ("Close date", "date"),
    "amount": ("Amount", "money"),
    "private": ("Keep this opportunity private", "checkbox"),
    "next_step": ("Next step", "textarea"),
}


@pytest.fixture(scope="module")
def gallery() -> flask.Flask:
    return create_gallery()


@pytest.fixture(scope="module")
def address(gallery: flask.Flask) -> Iterator[str]:
    server = make_server("127.0.0.1", 0, gallery, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def _fill(browser: Browser, address: str, widgets: Widgets, values: dict[str, Any]) -> None:
    async def work(session: AsyncSession) -> None:
        visit = Visit(session, address, widgets, {})
        await fill_all(visit, visit.main, CONTROLS, values)
        await visit.press(visit.main.get_by_role("button", name="Save opportunity"))
        assert visit.path == "/crm/record"

    with browser.open(f"{address}/crm/form?widgets={widgets}", start=Start(parts=Parts(False))) as session:
        session.perform(work)


@pytest.mark.browser
@pytest.mark.parametrize("widgets", ["aria", "native"])
def test_every_control_is_filled_by_its_label(
    browser: Browser, address: str, gallery: flask.Flask, widgets: Widgets
) -> None:
    gallery.config["POSTS"].clear()
    _fill(
        browser,
        address,
        widgets,
        {
            "name": "New turbine",
            "account_id": Named("Aldercroft Ltd", "Aldercroft Ltd, Leeds, looked after by Dana Whitcombe"),
            "stage": "Closed Won",
            "close_date": "2027-05-01",
            "amount": "12.50",
            "private": False,
            "next_step": None,
        },
    )
    (post,) = gallery.config["POSTS"]
    sent = {name: post[name][0] for name in CONTROLS if name in post}
    assert sent == {
        "name": "New turbine",
        "account_id": "ACC000000000001",
        "stage": "Closed Won",
        "close_date": "2027-05-01",
        "amount": "12.50",
        "next_step": "",
    }


@pytest.mark.browser
def test_an_option_or_a_field_that_is_not_there_is_a_fault_of_the_page(browser: Browser, address: str) -> None:
    with pytest.raises(PageFault, match='Stage offers no "Won"; it offers --None--, Prospecting'):
        _fill(browser, address, "aria", {"stage": "Won"})
    with pytest.raises(PageFault, match='no field "colour"'):
        _fill(browser, address, "aria", {"colour": "red"})


def test_among_namesakes_the_one_is_meant_whose_every_detail_is_on_its_page() -> None:
    names = ["Aldercroft Ltd, Leeds, owner Dana Whitcombe", "Aldercroft Ltd, Bristol, owner Dana Whitcombe"]
    assert pick("Account", Named("Aldercroft Ltd", "Bristol … Dana Whitcombe"), names) == 1
    with pytest.raises(PageFault, match="0 suggestions"):
        pick("Account", Named("Aldercroft Ltd", "Hull … Dana Whitcombe"), names)
    with pytest.raises(PageFault, match="0 suggestions"):
        pick("Account", Named("Aldercroft", "Leeds … Dana Whitcombe"), names)
