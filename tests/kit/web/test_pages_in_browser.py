"""What holds for every page in a real browser: no script, narrow, contrast, clicks that land, settling."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from .conftest import PAGES

pytestmark = pytest.mark.browser

Posts = list[dict[str, list[str]]]
CONTRAST = (Path(__file__).parent / "contrast.js").read_text(encoding="utf-8")
COVERED = """() => [...document.querySelectorAll(
  'a[href], button, input:not([type=hidden]), select, textarea, [role=option], [role=gridcell]')].filter((one) => {
  if (!one.checkVisibility() || one.matches('.skip-link, :disabled')) return false;
  one.scrollIntoView({block: 'center', inline: 'center'});
  const box = one.getClientRects()[0];
  const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return !(hit && (one.contains(hit) || hit.contains(one) && hit.matches('a, button')));
}).map((one) => one.outerHTML.slice(0, 160))"""


def visit(page: Page, path: str, **look: str) -> None:
    joint = "&" if "?" in path else "?"
    page.goto(path + joint + "&".join(f"{key}={value}" for key, value in look.items()))
    expect(page.locator("html")).to_have_attribute("data-busy", "0")


@pytest.mark.parametrize("path", PAGES)
def test_the_accessibility_tree_of_a_page_is_the_same_twice(context: BrowserContext, path: str) -> None:
    trees = []
    for _ in range(2):
        page = context.new_page()
        visit(page, path)
        trees.append(page.locator("body").aria_snapshot(mode="ai"))
    assert trees[0] == trees[1]


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
@pytest.mark.parametrize("path", PAGES)
def test_nothing_lies_over_the_point_where_a_control_is_clicked(page: Page, path: str, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    visit(page, path)
    assert page.evaluate(COVERED) == []


@pytest.mark.parametrize("path", PAGES)
def test_a_page_reflows_at_320_pixels_without_scrolling_sideways(page: Page, path: str) -> None:
    page.set_viewport_size({"width": 320, "height": 700})
    visit(page, path)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.mark.parametrize("path", PAGES)
def test_text_has_aa_contrast_in_every_theme(page: Page, path: str) -> None:
    visit(page, path)
    for theme in ("light", "dark", "contrast"):
        for accent in ("indigo", "teal"):
            page.evaluate(
                """([theme, accent]) => Object.assign(document.documentElement.dataset,
                {theme, accent, bsTheme: theme === 'dark' ? 'dark' : 'light'})""",
                [theme, accent],
            )
            assert page.evaluate(CONTRAST) == [], (theme, accent)


@pytest.mark.parametrize("theme", ["light", "dark", "contrast"])
def test_open_overlays_have_aa_contrast_too(page: Page, theme: str) -> None:
    visit(page, "/crm/accounts", theme=theme)
    page.get_by_role("button", name="Actions for Halden Software").click()
    assert page.evaluate(CONTRAST) == []
    page.keyboard.press("Escape")
    page.get_by_role("checkbox", name="Select Halden Software").check()
    assert page.evaluate(CONTRAST) == []
    visit(page, "/crm/form", theme=theme)
    page.get_by_role("combobox", name="Stage").click()
    assert page.evaluate(CONTRAST) == []
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Choose date for Close date").click()
    assert page.evaluate(CONTRAST) == []


@pytest.fixture
def plain(browser: Browser, server: str, gallery: object) -> Page:
    """A page in a browser without JavaScript."""
    context = browser.new_context(base_url=server, java_script_enabled=False)
    opened = context.new_page()
    opened.set_default_timeout(5_000)
    return opened


def test_without_scripts_forms_menus_and_dialogs_still_work(plain: Page, posts: Posts) -> None:
    posts.clear()
    plain.goto("/crm/form")
    plain.get_by_label("Stage").select_option("Closed Won")
    plain.get_by_label("Account", exact=True).fill("Halden Software")
    expect(plain.get_by_role("button", name="Choose date for Close date")).to_be_hidden()
    plain.get_by_role("button", name="Save opportunity").click()
    plain.wait_for_url("**/record?done=**")
    assert posts[-1]["stage"] == ["Closed Won"]
    assert posts[-1]["account_id__text"] == ["Halden Software"]
    plain.get_by_role("button", name="More actions").click()
    plain.get_by_role("menuitem", name="Change owner").click()
    expect(plain.get_by_role("dialog", name="Change owner")).to_be_visible()
    plain.goto("/crm/record")
    plain.get_by_role("group", name="Page actions").get_by_role("button", name="New opportunity").click()
    plain.wait_for_url("**/form")
    plain.goto("/crm/board")
    plain.get_by_role("button", name="Move Gorczyca mill sensors to…").click()
    plain.wait_for_url("**/stage")
    plain.goto("/crm/deal")
    plain.get_by_role("radio", name="Closed Won").check()
    plain.get_by_role("button", name="Mark as current stage").click()
    plain.wait_for_url("**/record?done=**")
    assert posts[-1]["stage"] == ["Closed Won"]
    plain.context.close()


def test_without_scripts_filters_and_selection_are_there(plain: Page, posts: Posts) -> None:
    posts.clear()
    plain.goto("/crm/accounts")
    plain.get_by_role("textbox", name="City").fill("Nowhere")
    plain.get_by_role("button", name="Apply filters").click()
    expect(plain.get_by_role("heading", name="No accounts match these filters")).to_be_visible()
    plain.goto("/crm/accounts")
    plain.get_by_role("checkbox", name="Select Halden Software").check()
    plain.get_by_role("form", name="Selected accounts").get_by_role("button", name="Change owner").click()
    plain.wait_for_url("**/record?done=**")
    assert posts[-1]["row"] == ["ACC000000000009"]
    plain.context.close()


def test_the_navigation_folds_into_a_menu_button_on_a_narrow_screen(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, "/crm/")
    nav = page.get_by_role("navigation", name="Northbeam")
    expect(nav).to_be_hidden()
    page.get_by_role("button", name="Menu", exact=True).click()
    expect(page.get_by_role("button", name="Menu", exact=True)).to_have_attribute("aria-expanded", "true")
    nav.get_by_role("link", name="Accounts").click()
    page.wait_for_url("**/accounts")


def test_busy_counts_from_the_first_key_to_the_drawn_answer(page: Page) -> None:
    visit(page, "/crm/form")
    page.evaluate("""() => {
        window.seen = [];
        new MutationObserver(() => window.seen.push(document.documentElement.dataset.busy))
            .observe(document.documentElement, {attributeFilter: ['data-busy']});
    }""")
    account = page.get_by_role("combobox", name="Account")
    account.click()
    expect(page.get_by_role("option")).to_have_count(5)
    page.evaluate("window.seen.length = 0")
    account.press_sequentially("fjel")
    assert page.evaluate("document.documentElement.dataset.busy") != "0"
    expect(page.locator("html")).to_have_attribute("data-busy", "0")
    expect(page.get_by_role("option")).to_have_count(1)
    assert page.evaluate("window.seen") == ["1", "2", "1", "0"]


def test_busy_lasts_until_a_fetched_dialog_is_open(page: Page) -> None:
    """Under load a body comes long after its headers: an observer that waits for 0 must not miss the dialog."""
    visit(page, "/crm/record")
    page.evaluate("""() => {
        const text = Response.prototype.text;
        Response.prototype.text = async function () {
            await new Promise((done) => setTimeout(done, 150));
            return text.call(this);
        };
        const html = document.documentElement;
        window.idle = [];
        new MutationObserver(() => {
            if (html.dataset.busy === "0") window.idle.push(!!document.querySelector("dialog[open]"));
        }).observe(html, {attributeFilter: ['data-busy']});
    }""")
    page.get_by_role("group", name="Page actions").get_by_role("button", name="New opportunity").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert page.evaluate("window.idle") == [True]


def test_a_message_stays_until_it_is_dismissed(page: Page) -> None:
    visit(page, "/crm/record?done=Aldercroft+Ltd+was+changed.")
    messages = page.get_by_role("status", name="Messages")
    expect(messages).to_contain_text("Aldercroft Ltd was changed.")
    page.get_by_role("button", name="Dismiss message: Aldercroft Ltd was changed.").click()
    expect(messages).to_be_empty()


def test_enter_in_a_long_form_does_not_send_it_and_a_double_click_sends_it_once(page: Page, posts: Posts) -> None:
    visit(page, "/crm/form")
    page.get_by_role("textbox", name="Opportunity name").press("Enter")
    assert posts == []
    page.get_by_role("button", name="Save opportunity").dblclick()
    page.wait_for_url("**/record?done=**")
    assert len(posts) == 1


def test_unsaved_changes_are_asked_about_in_the_page(page: Page, posts: Posts) -> None:
    visit(page, "/crm/form")
    page.get_by_role("textbox", name="Opportunity name").fill("Changed")
    link = page.get_by_role("navigation", name="Northbeam").get_by_role("link", name="Accounts")
    link.click()
    question = page.get_by_role("dialog", name="Leave without saving?")
    question.get_by_role("button", name="Keep editing").click()
    expect(page.get_by_role("textbox", name="Opportunity name")).to_have_value("Changed")
    expect(link).to_be_focused()
    link.click()
    question.get_by_role("button", name="Discard changes").click()
    page.wait_for_url("**/accounts")
    assert posts == []


@pytest.mark.parametrize("widgets", ["aria", "native"])
def test_what_was_typed_comes_back_with_the_back_button(page: Page, posts: Posts, widgets: str) -> None:
    visit(page, f"/crm/form?widgets={widgets}")
    name, stage = page.get_by_role("textbox", name="Opportunity name"), page.get_by_role("combobox", name="Stage")
    account = page.get_by_role("combobox", name="Account")
    name.fill("Typed and left")
    if widgets == "aria":
        stage.click()
        page.get_by_role("option", name="Prospecting").click()
    else:
        stage.select_option("Prospecting")
    account.fill("Cobalt")
    page.get_by_role("listbox", name="Account suggestions").get_by_role("option").first.click()
    chosen = account.input_value()
    page.get_by_role("navigation", name="Northbeam").get_by_role("link", name="Accounts").click()
    page.get_by_role("button", name="Discard changes").click()
    page.wait_for_url("**/accounts")
    page.go_back()
    expect(name).to_have_value("Typed and left")
    expect(account).to_have_value(chosen)
    page.get_by_role("button", name="Save opportunity").click()
    page.wait_for_url("**/record?done=**")
    assert (posts[-1]["name"], posts[-1]["stage"]) == (["Typed and left"], ["Prospecting"])
    assert posts[-1]["account_id__text"] == posts[-1]["account_id__label"] == [chosen]
    assert posts[-1]["account_id"] != [""]
    page.go_back()
    expect(name).to_have_value("Typed and left")
    page.reload()
    expect(name).to_have_value("Aldercroft <b>turbine</b> service")


def test_an_error_summary_has_the_focus_and_its_links_lead_to_the_fields(page: Page) -> None:
    visit(page, "/crm/form-errors")
    expect(page.get_by_role("alert")).to_be_focused()
    page.get_by_role("alert").get_by_role("link", name="Close date").click()
    expect(page.get_by_role("textbox", name="Close date")).to_be_focused()


def test_the_first_tab_stop_is_the_skip_link(page: Page) -> None:
    visit(page, "/crm/accounts")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to main content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()


def test_the_new_menu_keeps_its_name_on_a_narrow_screen(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, "/crm/record")
    expect(page.locator(".btn-new")).to_have_accessible_name("New")
