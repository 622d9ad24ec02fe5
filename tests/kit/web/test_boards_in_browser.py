"""Boards and stage paths in a real browser: menu, drag, dialogs that ask first."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

Posts = list[dict[str, list[str]]]


def test_kanban_menu_and_drag_send_the_same_form(page: Page, posts: Posts) -> None:
    page.goto("/crm/board")
    page.get_by_role("button", name="Move Gorczyca mill sensors to…").click()
    menu = page.get_by_role("menu", name="Move Gorczyca mill sensors to…")
    expect(menu.get_by_role("menuitem", name="Prospecting")).to_be_focused()
    expect(menu.get_by_role("menuitem", name="Qualification")).to_have_count(0)
    menu.get_by_role("menuitem", name="Needs Analysis").click()
    page.wait_for_url("**/record?done=**")
    page.goto("/crm/board")
    drag(page, "Gorczyca mill sensors", "Needs Analysis")
    page.wait_for_url("**/record?done=**")
    expect(page.get_by_role("status", name="Messages")).to_contain_text("Aldercroft Ltd was changed.")
    assert posts[0] == posts[1] == {"id": ["OPP000000000007"], "row_version": ["2"], "stage": ["Needs Analysis"]}


def drag(page: Page, card: str, column: str) -> None:
    start = page.get_by_role("link", name=card).bounding_box()
    end = page.get_by_role("group", name=column).bounding_box()
    assert start
    assert end
    page.mouse.move(start["x"] + 20, start["y"] + 8)
    page.mouse.down()
    page.mouse.move(start["x"] + 60, start["y"] + 20, steps=3)
    page.mouse.move(end["x"] + 90, end["y"] + 130, steps=5)
    page.mouse.up()


def test_kanban_drop_on_a_closed_column_asks_first_and_a_plain_click_still_opens_the_card(
    page: Page, posts: Posts
) -> None:
    page.set_viewport_size({"width": 2400, "height": 900})
    page.goto("/crm/board")
    drag(page, "Gorczyca mill sensors", "Closed Lost")
    dialog = page.get_by_role("dialog", name="Close as lost")
    dialog.get_by_role("button", name="Mark as Closed Lost").click()
    page.wait_for_url("**/record?done=**")
    assert posts[-1]["stage"] == ["Closed Lost"]
    page.goto("/crm/board")
    page.get_by_role("link", name="Gorczyca mill sensors").click()
    page.wait_for_url("**/deal")


def test_a_card_held_at_the_edge_brings_the_columns_out_of_sight_into_view(page: Page, posts: Posts) -> None:
    page.goto("/crm/board")
    start = page.get_by_role("link", name="Gorczyca mill sensors").bounding_box()
    assert start
    page.mouse.move(start["x"] + 20, start["y"] + 8)
    page.mouse.down()
    for step in range(40):
        page.mouse.move(1250 - step % 2, 400)
    page.mouse.move(1150, 400)
    page.mouse.up()
    expect(page.get_by_role("dialog", name="Close as lost")).to_be_visible()


def test_a_drag_let_go_where_it_began_or_escaped_does_nothing(page: Page, posts: Posts) -> None:
    page.goto("/crm/board")
    drag(page, "Gorczyca mill sensors", "Qualification")
    start = page.get_by_role("link", name="Gorczyca mill sensors").bounding_box()
    assert start
    page.mouse.move(start["x"] + 20, start["y"] + 8)
    page.mouse.down()
    page.mouse.move(60, 300, steps=4)
    page.keyboard.press("Escape")
    page.mouse.up()
    expect(page.locator("html")).to_have_attribute("data-busy", "0")
    assert page.url.endswith("/crm/board")
    assert posts == []


def test_stage_path_sets_the_chosen_stage_and_asks_for_closed_ones(page: Page, posts: Posts) -> None:
    page.goto("/crm/deal")
    button = page.get_by_role("button", name="Mark as current stage")
    expect(button).to_be_disabled()
    page.get_by_role("radio", name="Closed Won").check()
    button.click()
    dialog = page.get_by_role("dialog", name="Close as lost")
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    page.get_by_role("radio", name="Needs Analysis").click()
    button.click()
    page.wait_for_url("**/record?done=**")
    assert posts == [{"row_version": ["4"], "stage": ["Needs Analysis"]}]
