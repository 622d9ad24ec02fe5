"""Keyboard and pointer contracts of the widgets, in a real browser (accessibility.md, WAI-ARIA APG)."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, Route, expect

pytestmark = pytest.mark.browser

Posts = list[dict[str, list[str]]]


def settled(page: Page) -> None:
    expect(page.locator("html")).to_have_attribute("data-busy", "0")


def stage(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Stage")


def save(page: Page) -> None:
    page.get_by_role("button", name="Save opportunity").click()
    page.wait_for_url("**/record?done=**")


def test_combobox_opens_by_click_on_itself_and_shows_every_option(page: Page) -> None:
    page.goto("/crm/form")
    expect(stage(page)).to_have_attribute("aria-expanded", "false")
    expect(page.get_by_role("listbox", name="Stage")).to_have_count(0)
    stage(page).click()
    options = page.get_by_role("listbox", name="Stage").get_by_role("option")
    expect(options).to_have_count(9)
    expect(options.nth(6)).to_have_attribute("aria-selected", "true")
    expect(stage(page)).to_have_attribute("aria-activedescendant", "opportunity-stage-list-6")
    options.nth(8).click()
    expect(stage(page)).to_have_text("Closed Lost")
    expect(stage(page)).to_be_focused()
    expect(page.get_by_role("listbox")).to_have_count(0)


@pytest.mark.parametrize(
    ("keys", "chosen"),
    [
        (["ArrowDown", "ArrowDown", "Enter"], "Closed Won"),
        (["Enter", "ArrowUp", " "], "Proposal/Price Quote"),
        ([" ", "Home", "ArrowDown", "Enter"], "Prospecting"),
        (["End", "Enter"], "Closed Lost"),
        (["v", "Enter"], "Value Proposition"),
        (["p", "p", "Enter"], "Proposal/Price Quote"),
        (["n", "e", "e", "Enter"], "Needs Analysis"),
        (["ArrowDown", "Home", "Escape"], "Negotiation/Review"),
        (["ArrowDown", "ArrowDown", "Tab"], "Closed Won"),
    ],
)
def test_combobox_by_keyboard(page: Page, posts: Posts, keys: list[str], chosen: str) -> None:
    page.goto("/crm/form")
    stage(page).focus()
    for key in keys:
        page.keyboard.press(key)
    expect(stage(page)).to_have_text(chosen)
    expect(stage(page)).to_have_attribute("aria-expanded", "false")
    save(page)
    assert posts[-1]["stage"] == [chosen]


def test_both_variants_send_the_same_form(page: Page, posts: Posts) -> None:
    page.goto("/crm/form")
    stage(page).click()
    page.get_by_role("option", name="Closed Won").click()
    save(page)
    page.goto("/crm/form?widgets=native")
    stage(page).select_option("Closed Won")
    save(page)
    assert posts[0] == posts[1]
    assert posts[0]["stage"] == ["Closed Won"]


def account(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Account")


def test_lookup_searches_and_takes_the_option_with_its_disambiguator(page: Page, posts: Posts) -> None:
    page.goto("/crm/form")
    account(page).fill("alder")
    settled(page)
    expect(account(page)).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("option", name="Aldercroft Ltd, Bristol, owner Priya Răducanu")).to_have_class(
        "option is-active"
    )
    page.keyboard.press("Enter")
    expect(account(page)).to_have_value("Aldercroft Ltd")
    expect(account(page)).to_have_accessible_description("Required Bristol, owner Priya Răducanu")
    save(page)
    assert posts[-1]["account_id"] == ["ACC000000000002"]


def test_lookup_takes_exact_unique_text_and_leaves_ambiguous_text_to_the_server(page: Page, posts: Posts) -> None:
    page.goto("/crm/form")
    for text, key in (("halden software", "ACC000000000009"), ("Aldercroft Ltd", "")):
        account(page).fill(text)
        settled(page)
        save(page)
        assert posts[-1]["account_id"] == [key]
        assert posts[-1]["account_id__text"] == [text]
        page.goto("/crm/form")


def test_lookup_escape_closes_then_clears(page: Page, posts: Posts) -> None:
    page.goto("/crm/form")
    account(page).fill("fj")
    settled(page)
    page.keyboard.press("Escape")
    expect(account(page)).to_have_attribute("aria-expanded", "false")
    expect(account(page)).to_have_value("fj")
    page.keyboard.press("Escape")
    expect(account(page)).to_have_value("")
    save(page)
    assert posts[-1]["account_id"] == posts[-1]["account_id__text"] == [""]


def test_escape_before_the_list_is_there_stops_it_and_keeps_the_text(page: Page) -> None:
    def answer_late(route: Route) -> None:
        page.wait_for_timeout(300)
        route.continue_()

    page.goto("/crm/form")
    page.route("**/crm/lookup?q=fj*", answer_late)
    account(page).focus()
    account(page).fill("fj")
    page.keyboard.press("Escape")
    settled(page)
    expect(account(page)).to_have_value("fj")
    expect(account(page)).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("Escape")
    expect(account(page)).to_have_value("")


def test_a_chosen_candidate_stands_in_the_lookup_and_typing_unchooses_it(page: Page, posts: Posts) -> None:
    page.goto("/crm/form-errors")
    choice = page.get_by_role("radio", name="Aldercroft Ltd, Bristol, owner Priya Răducanu")
    choice.check()
    expect(account(page)).to_have_accessible_description(re.compile("Bristol, owner Priya Răducanu"))
    expect(account(page)).to_have_value("Aldercroft Ltd")
    account(page).fill("Aldercroft")
    settled(page)
    expect(choice).not_to_be_checked()
    choice.check()
    save(page)
    assert posts[-1]["account_id"] == posts[-1]["account_id__pick"] == ["2"]


def test_typing_over_a_chosen_record_forgets_its_id(page: Page, posts: Posts) -> None:
    page.goto("/crm/form")
    account(page).fill("Someone else")
    settled(page)
    expect(page.get_by_text("No records match")).to_be_visible()
    save(page)
    assert posts[-1]["account_id"] == posts[-1]["account_id__label"] == [""]


def day(page: Page, name: str) -> Locator:
    return page.get_by_role("gridcell", name=name)


def test_calendar_opens_on_the_date_of_the_field_and_moves_by_the_keyboard(page: Page, posts: Posts) -> None:
    page.goto("/crm/form")
    page.get_by_role("button", name="Choose date for Close date").click()
    dialog = page.get_by_role("dialog", name="Choose date for Close date")
    expect(dialog.get_by_role("grid", name="June 2027")).to_be_visible()
    expect(day(page, "Wednesday 30 June 2027")).to_be_focused()
    expect(day(page, "Wednesday 30 June 2027")).to_have_attribute("aria-selected", "true")
    steps = (
        ("ArrowRight", "Thursday 1 July 2027"), ("ArrowUp", "Thursday 24 June 2027"), ("Home", "Monday 21 June 2027"),
        ("End", "Sunday 27 June 2027"), ("PageDown", "Tuesday 27 July 2027"), ("PageUp", "Sunday 27 June 2027"),
        ("Shift+PageDown", "Tuesday 27 June 2028"),
        ("ArrowLeft", "Monday 26 June 2028"), ("ArrowDown", "Monday 3 July 2028"),
    )  # fmt: skip
    for key, name in steps:
        page.keyboard.press(key)
        expect(day(page, name)).to_be_focused()
    expect(dialog.locator("[aria-live=polite]")).to_have_text("July 2028")
    page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("button", name="Choose date for Close date")).to_be_focused()
    save(page)
    assert posts[-1]["close_date"] == ["2028-07-03"]


def test_calendar_of_an_empty_field_starts_at_the_day_the_server_says(page: Page) -> None:
    page.goto("/crm/form")
    page.get_by_role("textbox", name="Close date").fill("")
    page.get_by_role("button", name="Choose date for Close date").click()
    expect(day(page, "Friday 14 May 2027")).to_have_attribute("aria-current", "date")
    page.get_by_role("button", name="Next month").click()
    page.get_by_role("button", name="Go to today").click()
    expect(day(page, "Friday 14 May 2027")).to_be_focused()
    day(page, "Saturday 15 May 2027").click()
    expect(page.get_by_role("textbox", name="Close date")).to_have_value("2027-05-15")


def test_calendar_escape_changes_nothing(page: Page) -> None:
    page.goto("/crm/form")
    page.get_by_role("button", name="Choose date for Close date").click()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")
    expect(page.get_by_role("textbox", name="Close date")).to_have_value("2027-06-30")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_menu_button_by_keyboard_and_by_pointer(page: Page) -> None:
    page.goto("/crm/accounts")
    button = page.get_by_role("button", name="Actions for Halden Software")
    for key in ("Enter", " ", "ArrowDown"):
        button.focus()
        page.keyboard.press(key)
        expect(button).to_have_attribute("aria-expanded", "true")
        menu = page.get_by_role("menu", name="Actions for Halden Software")
        expect(menu.get_by_role("menuitem", name="Edit")).to_be_focused()
        page.keyboard.press("ArrowUp")
        expect(menu.get_by_role("menuitem", name="Delete")).to_be_focused()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("c")
        expect(menu.get_by_role("menuitem", name="Change owner")).to_be_focused()
        page.keyboard.press("Escape")
        expect(button).to_be_focused()
        expect(button).to_have_attribute("aria-expanded", "false")
        expect(page.get_by_role("menu")).to_have_count(0)
    button.click()
    page.get_by_role("menuitem", name="Edit").click()
    page.wait_for_url("**/form")


def test_dialog_takes_focus_and_gives_it_back_to_what_opened_it(page: Page) -> None:
    page.goto("/crm/record")
    opener = page.get_by_role("group", name="Page actions").get_by_role("button", name="New opportunity")
    for leave in ("Escape", "Close", "Cancel"):
        opener.click()
        dialog = page.get_by_role("dialog", name="New opportunity")
        expect(dialog.get_by_role("textbox", name="Opportunity name")).to_be_focused()
        if leave == "Escape":
            page.keyboard.press("Escape")
        else:
            dialog.get_by_text(leave, exact=True).or_(
                dialog.get_by_role("button", name=leave, exact=True)
            ).first.click()
        expect(dialog).to_have_count(0)
        expect(opener).to_be_focused()
    assert page.url.endswith("/crm/record")


def test_a_dialog_of_the_page_opened_from_a_menu_returns_focus_to_the_menu_button(page: Page, posts: Posts) -> None:
    page.goto("/crm/record")
    more = page.get_by_role("button", name="More actions")
    more.click()
    page.get_by_role("menuitem", name="Change owner").click()
    dialog = page.get_by_role("dialog", name="Change owner")
    expect(dialog.get_by_role("combobox", name="Lost reason")).to_be_focused()
    page.keyboard.press("Escape")
    expect(more).to_be_focused()
    more.click()
    page.get_by_role("menuitem", name="Change owner").click()
    dialog.get_by_role("combobox", name="Lost reason").click()
    page.get_by_role("option", name="Price").click()
    dialog.get_by_role("button", name="Mark as Closed Lost").click()
    page.wait_for_url("**/record?done=**")
    assert posts[-1]["lost_reason"] == ["Price"]


def test_inline_edit_enter_saves_only_that_field_and_escape_cancels(page: Page, posts: Posts) -> None:
    page.goto("/crm/record")
    pencil = page.get_by_role("button", name="Edit Phone")
    pencil.click()
    box = page.get_by_role("textbox", name="Phone")
    expect(box).to_be_focused()
    box.fill("+44 113 000 0000")
    page.keyboard.press("Escape")
    expect(box).to_have_count(0)
    expect(pencil).to_be_focused()
    pencil.click()
    expect(box).to_have_value("+44 113 496 0021")
    box.fill("+44 113 111 1111")
    page.keyboard.press("Enter")
    page.wait_for_url("**/record?done=**")
    assert posts == [{"form_token": ["token-9"], "row_version": ["4"], "phone": ["+44 113 111 1111"]}]


def test_inline_edit_of_a_select_keeps_its_own_enter_and_escape(page: Page, posts: Posts) -> None:
    page.goto("/crm/record")
    page.get_by_role("button", name="Edit Industry").click()
    box = page.get_by_role("combobox", name="Industry")
    expect(box).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(box).to_be_visible()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(box).to_have_text("Logistics")
    page.get_by_role("button", name="Save Industry").click()
    page.wait_for_url("**/record?done=**")
    assert posts[-1]["industry"] == ["Logistics"]


def test_inline_edit_of_a_date_survives_its_calendar(page: Page, posts: Posts) -> None:
    page.goto("/crm/record")
    page.get_by_role("button", name="Edit Customer since").click()
    page.get_by_role("button", name="Choose date for Customer since").click()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Choose date for Customer since").click()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Save Customer since").click()
    page.wait_for_url("**/record?done=**")
    assert posts[-1]["since"] == ["2024-02-02"]


def test_a_list_cell_is_edited_where_it_stands(page: Page, posts: Posts) -> None:
    page.goto("/crm/accounts")
    row = page.get_by_role("row", name="Aldercroft Ltd, Bristol")
    row.get_by_role("button", name="Edit City of Aldercroft Ltd, Bristol").click()
    expect(row.get_by_role("textbox", name="City")).to_be_focused()
    row.get_by_role("textbox", name="City").fill("Bath")
    page.keyboard.press("Enter")
    page.wait_for_url("**/record?done=**")
    assert posts == [{"form_token": ["token-9"], "row_version": ["4"], "id": ["ACC000000000002"], "city": ["Bath"]}]


def test_escape_in_an_open_list_or_calendar_leaves_the_dialog_open(page: Page) -> None:
    page.goto("/crm/record")
    page.get_by_role("group", name="Page actions").get_by_role("button", name="New opportunity").click()
    dialog = page.get_by_role("dialog", name="New opportunity")
    dialog.get_by_role("combobox", name="Stage").click()
    page.keyboard.press("Escape")
    expect(dialog.get_by_role("listbox")).to_have_count(0)
    dialog.get_by_role("combobox", name="Account").fill("fj")
    expect(dialog.get_by_role("option")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(dialog.get_by_role("option")).to_have_count(0)
    dialog.get_by_role("button", name="Choose date for Close date").click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Choose date for Close date")).to_have_count(0)
    expect(dialog.get_by_role("button", name="Choose date for Close date")).to_be_focused()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def test_the_calendar_of_a_date_and_time_keeps_the_time(page: Page, posts: Posts) -> None:
    page.goto("/crm/form")
    meeting = page.get_by_role("textbox", name="First meeting")
    for typed, kept in (("", "2027-05-17 09:00"), ("2027-05-10 14:45", "2027-05-17 14:45")):
        meeting.fill(typed)
        page.get_by_role("button", name="Choose date for First meeting").click()
        day(page, "Monday 17 May 2027").click()
        expect(meeting).to_have_value(kept)


def test_tabs_move_by_arrows_and_lead_to_their_url(page: Page) -> None:
    page.goto("/crm/record")
    tab = page.get_by_role("tab", name="Details")
    tab.focus()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("tab", name="History")).to_be_focused()
    page.keyboard.press("Home")
    expect(tab).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_url("**/accounts")


def test_selection_says_how_many_and_sends_ids_or_the_whole_filter(page: Page, posts: Posts) -> None:
    page.goto("/crm/accounts")
    page.get_by_role("checkbox", name="Select Halden Software").check()
    expect(page.get_by_text("1 account selected")).to_be_visible()
    bar = page.get_by_role("form", name="Selected accounts")
    bar.get_by_role("button", name="Change owner").click()
    page.wait_for_url("**/record?done=**")
    page.goto("/crm/accounts")
    page.get_by_role("checkbox", name="Select all 9 on this page").check()
    bar.get_by_role("button", name="Select all 131 matching").click()
    expect(page.get_by_text("131 accounts selected")).to_be_visible()
    bar.get_by_role("button", name="Change owner").click()
    page.wait_for_url("**/record?done=**")
    assert posts[0] == {"scope": ["selected"], "row": ["ACC000000000009"]}
    assert posts[1]["scope"] == ["all"]
    assert len(posts[1]["row"]) == 9


def test_a_pencil_whose_value_has_no_editor_opens_its_page(page: Page) -> None:
    page.goto("/crm/record")
    page.evaluate("document.querySelector('[data-edit]').href = '/crm/form'")
    page.get_by_role("button", name="Edit Phone").click()
    page.wait_for_url("**/crm/form")
    expect(page.get_by_role("button", name="Save opportunity")).to_be_visible()
