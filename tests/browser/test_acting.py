"""Every action, by reference and by pixel, and what an agent is told where a person could not do it either."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.browser.conftest import Driver
from tests.browser.site import Site

from deskgym.browser import ActionError, Parts

pytestmark = pytest.mark.browser
Enter = Callable[..., Driver]


def test_click_by_ref_follows_a_link_and_settles_on_the_next_page(enter: Enter) -> None:
    agent = enter("/")
    seen = agent.do("click", ref=agent.ref("link", "Slow page"))
    assert (seen.title, seen.settled, seen.step) == ("two", True, 1)
    assert seen.url.endswith("/slow")


def test_click_by_coordinate_presses_what_is_there_and_names_it(enter: Enter) -> None:
    agent = enter("/")
    seen = agent.do("click", coordinate=agent.box("button", "Press"))
    assert "pressed;" in seen.aria
    assert seen.target is not None
    assert (seen.target["role"], seen.target["name"]) == ("button", "Press")


def test_double_right_and_shift_clicks_and_hover_reach_the_page(enter: Enter) -> None:
    agent = enter("/pointer")
    target = agent.ref("button", "Target")
    agent.do("hover", ref=target)
    agent.do("click", ref=target, count=2)
    agent.do("click", ref=target, button="right")
    agent.do("click", ref=target, modifiers=["Shift"])
    for heard in ("over;", "double;", "menu;", "shift;"):
        assert heard in agent.seen.aria


def test_fill_replaces_the_content_of_every_kind_of_text_field(enter: Enter) -> None:
    agent = enter("/controls")
    agent.do("fill", ref=agent.ref("textbox", "Name"), text="Grüße, Ltd")
    agent.do("fill", ref=agent.ref("textbox", "Note"), text="one\ntwo")
    agent.do("fill", ref=agent.ref("textbox", "Day"), text="2031-03-14")
    agent.do("fill", coordinate=agent.box("textbox", "Body"), text="body")
    assert 'textbox "Name"' in agent.seen.aria
    assert "body" in (agent.session.observe(Parts(screenshot=False, dom=True)).dom or "").splitlines()[-1]
    for value in ("Grüße, Ltd", "one two", "2031-03-14"):
        assert value in agent.seen.aria
    assert "old" not in agent.seen.aria
    assert "Grüße" not in agent.do("fill", ref=agent.ref("textbox", "Name"), text="").aria


def test_type_writes_key_by_key_where_the_focus_is(enter: Enter) -> None:
    agent = enter("/keys")
    agent.do("type", ref=agent.ref("textbox", "Keys"), text="ab")
    seen = agent.do("type", text="c")
    assert "a;b;c;" in seen.aria
    assert seen.focused is not None
    assert seen.focused["name"] == "Keys"


def test_key_takes_combinations_and_the_names_that_agents_use(enter: Enter) -> None:
    agent = enter("/keys")
    agent.do("click", coordinate=agent.box("textbox", "Keys"))
    for name in ("Return", "ctrl+a", "page_down", "+", "F2"):
        agent.do("key", text=name)
    assert "Enter;Control;a;PageDown;+;F2;" in agent.seen.aria


def test_an_unknown_key_is_an_error(enter: Enter) -> None:
    agent = enter("/keys")
    assert 'no key "Hyperspace"' in (agent.act("key", text="Hyperspace").error or "")
    assert "cannot be held down" in (agent.act("key", text="a+b").error or "")


def test_select_by_visible_name_in_native_selects(enter: Enter) -> None:
    agent = enter("/controls")
    agent.do("select", ref=agent.ref("combobox", "Rating"), values=["Warm"])
    agent.do("select", ref=agent.ref("listbox", "Tags"), values=["red", "blue"])
    assert 'option "Warm" [selected]' in agent.seen.aria
    assert 'option "blue" [selected]' in agent.seen.aria
    assert 'option "green" [selected]' not in agent.seen.aria


def test_select_refuses_unknown_and_disabled_options_and_lists_what_there_is(enter: Enter) -> None:
    agent = enter("/controls")
    rating = agent.ref("combobox", "Rating")
    assert 'Did you mean "Warm"? Options: "Hot", "Warm"' in (
        agent.act("select", ref=rating, values=["Warn"]).error or ""
    )
    assert "disabled" in (agent.act("select", ref=agent.ref("combobox", "Rating"), values=["Frozen"]).error or "")
    assert "one value" in (agent.act("select", ref=agent.ref("combobox", "Rating"), values=["Hot", "Warm"]).error or "")
    assert "neither" in (agent.act("select", ref=agent.ref("textbox", "Name"), values=["Hot"]).error or "")


@pytest.mark.parametrize("by_ref", [True, False])
def test_select_opens_an_aria_combobox_and_picks_the_option(enter: Enter, by_ref: bool) -> None:
    agent = enter("/combobox")
    place = {"ref": agent.ref("combobox", "Stage")} if by_ref else {"coordinate": agent.box("combobox", "Stage")}
    seen = agent.do("select", **place, values=["Negotiation / Review"])
    assert "Negotiation / Review" in seen.aria
    assert "listbox" not in seen.aria


def test_select_closes_the_combobox_again_where_the_option_is_missing(enter: Enter) -> None:
    agent = enter("/combobox")
    seen = agent.act("select", ref=agent.ref("combobox", "Stage"), values=["Closed Wom"])
    assert 'Did you mean "Closed Won"' in (seen.error or "")
    assert "listbox" not in seen.aria


def test_select_in_a_lookup_types_waits_for_the_answer_and_picks(enter: Enter) -> None:
    agent = enter("/lookup")
    seen = agent.do("select", ref=agent.ref("combobox", "Account"), values=["Bramley Foods"])
    assert "Bramley Foods, Hull" in seen.aria
    seen = agent.act("select", ref=agent.ref("combobox", "Account"), values=["Aldercroft Ltd"])
    assert '"Aldercroft Ltd, Leeds", "Aldercroft Ltd, York"' in (seen.error or "")


def test_check_sets_boxes_switches_and_radio_buttons_and_leaves_them_if_right(enter: Enter) -> None:
    agent = enter("/controls")
    agent.do("check", ref=agent.ref("checkbox", "Active"), value=True)
    assert 'checkbox "Active" [checked]' in agent.do("check", ref=agent.ref("checkbox", "Active"), value=True).aria
    assert 'switch "Alerts" [checked]' in agent.do("check", coordinate=agent.box("switch", "Alerts"), value=True).aria
    seen = agent.do("check", ref=agent.ref("radio", "One"), value=True)
    assert 'radio "One" [checked]' in seen.aria
    assert "another one" in (agent.act("check", ref=agent.ref("radio", "One"), value=False).error or "")
    assert "not a check box" in (agent.act("check", ref=agent.ref("textbox", "Name"), value=True).error or "")


@pytest.mark.parametrize("by_ref", [True, False])
def test_drag_drops_a_card_on_a_column(enter: Enter, by_ref: bool) -> None:
    agent = enter("/pointer")
    column = agent.ref("group", "Column") if by_ref else agent.box("group", "Column")
    card = next(node for node in agent.session.asynchronous.nodes() if node.box and node.box[3] == 40)
    assert card.box is not None
    source: object = card.ref if by_ref else [card.box[0] + 30, card.box[1] + 20]
    assert "dropped;" in agent.do("drag", **{"from": source, "to": column}).aria


def test_scroll_moves_the_page_or_the_box_under_the_pointer(enter: Enter) -> None:
    agent = enter("/scroll")
    assert agent.do("scroll", direction="down", amount=4).title == "0 400"
    assert agent.do("scroll", direction="right", amount=2, coordinate=[600, 400]).title == "200 400"
    assert agent.do("scroll", direction="up", amount=4).title == "200 0"
    assert agent.do("scroll", direction="down", amount=2, ref=agent.ref("region", "Box")).title == "box 200"


def test_a_far_element_is_scrolled_from_behind_a_fixed_bar_before_the_click(enter: Enter) -> None:
    agent = enter("/far")
    assert "far;" in agent.do("click", ref=agent.ref("button", "Far")).aria


def test_a_partly_covered_element_is_clicked_where_it_is_free(enter: Enter) -> None:
    agent = enter("/partly")
    assert "hit;" in agent.do("click", ref=agent.ref("button", "Half")).aria


def test_covered_disabled_readonly_and_missing_targets_are_errors(enter: Enter) -> None:
    agent = enter("/covered")
    assert 'covered by dialog "Notice"' in (agent.act("click", ref=agent.ref("button", "Below")).error or "")
    agent.go("/")
    assert "disabled" in (agent.act("click", ref=agent.ref("button", "Frozen")).error or "")
    assert "take refs from the latest observation" in (agent.act("click", ref="e9999").error or "")
    assert "outside the page" in (agent.act("click", coordinate=[5000, 10]).error or "")
    agent.go("/controls")
    assert "read-only" in (agent.act("fill", ref=agent.ref("textbox", "Fixed"), text="y").error or "")
    assert "use check" in (agent.act("fill", ref=agent.ref("checkbox", "Active"), text="y").error or "")
    agent.go("/frames")
    inner = next(node.ref for node in agent.session.asynchronous.nodes() if node.name == "First page")
    assert "inside a frame" in (agent.act("click", ref=inner).error or "")


def test_a_ref_of_a_removed_element_or_of_an_earlier_page_is_stale(enter: Enter) -> None:
    agent = enter("/vanish")
    gone = agent.ref("button", "Gone")
    agent.do("click", ref=gone)
    assert "is not on the page now" in (agent.act("click", ref=gone).error or "")
    stays = agent.ref("button", "Stays")
    agent.go("/two")
    assert "is not on the page now" in (agent.act("click", ref=stays).error or "")


def test_a_malformed_action_is_an_error_observation_and_counts_as_a_step(enter: Enter) -> None:
    agent = enter("/")
    seen = agent.act("press", ref="e1")
    assert "there is no action" in (seen.error or "")
    assert (seen.step, seen.title) == (1, "index")


def test_a_form_post_is_waited_for(enter: Enter, site: Site) -> None:
    agent = enter("/form")
    agent.do("fill", ref=agent.ref("textbox", "Word"), text="hello")
    assert agent.do("click", ref=agent.ref("button", "Send")).title == "two"
    agent.go("/form")
    agent.do("type", ref=agent.ref("textbox", "Word"), text="again")
    assert agent.do("key", text="Enter").title == "two"
    posts = [hit for hit in site.hits if hit.startswith("POST")]
    assert posts[-2:] == ["POST /echo [('word', 'hello')]", "POST /echo [('word', 'again')]"]


def test_history_reload_and_tabs(enter: Enter) -> None:
    agent = enter("/")
    assert "no earlier page" in (agent.act("back").error or "")
    agent.go("/two")
    assert agent.do("back").title == "index"
    assert agent.do("forward").title == "two"
    assert "no later page" in (agent.act("forward").error or "")
    assert agent.do("reload").title == "two"
    seen = agent.do("new_tab", url="/controls")
    assert [(tab.tab, tab.title, tab.active) for tab in seen.tabs] == [(1, "two", False), (2, "controls", True)]
    assert agent.do("switch_tab", tab=1).title == "two"
    assert "there is no tab 7" in (agent.act("switch_tab", tab=7).error or "")
    assert agent.do("close_tab").title == "controls"
    assert "last tab" in (agent.act("close_tab").error or "")


def test_a_link_to_a_new_tab_and_window_open_make_tabs_that_become_active(enter: Enter) -> None:
    agent = enter("/")
    seen = agent.do("click", ref=agent.ref("link", "Second page in a tab"))
    assert (seen.title, len(seen.tabs), seen.notices) == ("two", 2, ("tab 2 was opened",))
    agent.go("/opener")
    seen = agent.do("click", ref=agent.ref("button", "Open"))
    assert (seen.title, len(seen.tabs)) == ("two", 3)


@pytest.mark.parametrize("how", [{"modifiers": ["Control"]}, {"button": "middle"}])
def test_a_link_opened_in_the_background_leaves_the_present_tab_in_front(enter: Enter, how: dict[str, object]) -> None:
    agent = enter("/")
    seen = agent.do("click", ref=agent.ref("link", "Second page"), **how)
    assert [(tab.title, tab.active) for tab in seen.tabs] == [("index", True), ("two", False)]


def test_upload_takes_bare_names_of_plain_files_only(enter: Enter, tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    (files / "paper.pdf").write_bytes(b"12345")
    (tmp_path / "secret.txt").write_text("secret")
    (files / "link.txt").symlink_to(tmp_path / "secret.txt")
    (files / "hard.txt").hardlink_to(tmp_path / "secret.txt")
    (files / "folder").mkdir()
    agent = enter("/upload", files=files)
    assert "paper.pdf 5;" in agent.do("upload", ref=agent.ref("button", "Paper"), file="paper.pdf").aria
    for name in ("../secret.txt", "link.txt", "hard.txt", "folder", "..", str(tmp_path / "secret.txt"), "missing"):
        assert agent.act("upload", ref=agent.ref("button", "Paper"), file=name).error, name
    assert "secret" not in agent.seen.aria


def test_dialogs_are_dismissed_and_reported(enter: Enter) -> None:
    agent = enter("/dialogs")
    seen = agent.do("click", ref=agent.ref("button", "Ask"))
    assert seen.notices == ('dialog dismissed: confirm "Really?"',)
    assert "false;" in seen.aria


def test_settling_waits_for_a_pending_fetch_and_gives_up_after_five_seconds(enter: Enter) -> None:
    agent = enter("/busy")
    seen = agent.do("click", ref=agent.ref("button", "Load"))
    assert "loaded;" in seen.aria
    assert seen.settled
    agent.go("/stuck")
    seen = agent.do("click", ref=agent.ref("button", "Hang"))
    assert not seen.settled


def test_submit_hands_the_submission_over_and_tells_a_refusal(enter: Enter) -> None:
    taken: list[dict[str, object]] = []

    async def submit(given: dict[str, object]) -> None:
        if taken:
            raise ActionError("this episode was submitted already")
        taken.append(given)

    agent = enter("/", submit=submit)
    assert agent.do("submit", status="done", answer={"total": "1.50"}).done
    assert taken == [{"status": "done", "answer": {"total": "1.50"}}]
    assert agent.act("submit", status="done").error == "this episode was submitted already"
