"""Other vocabularies of actions, each with its table: what is asked, and the actions it becomes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from deskgym.adapters import anthropic, browsergym, openai, playwright_mcp
from deskgym.adapters.translation import Translation
from deskgym.browser import ActionError, Observation
from deskgym.browser.actions import parse_action
from deskgym.browser.hands import key_name
from deskgym.browser.observation import TabInfo

ARIA = """\
- main [ref=e1] [box=0,0,1280,800]:
  - heading "Deals" [level=1] [ref=e2] [box=10,10,200,30]
  - form "Filter" [ref=e3] [box=10,50,600,200]:
    - textbox "Name" [ref=e4] [box=10,60,200,30]
    - combobox "Stage" [ref=e5] [box=10,100,200,30]
    - checkbox "Mine" [ref=e6] [box=10,140,20,20]
  - button "Apply" [ref=e7] [box=10,300,80,30]"""
SEEN = Observation(
    step=3,
    url="http://127.0.0.1:8000/crm/",
    title="CRM",
    tabs=(
        TabInfo(1, "http://127.0.0.1:8000/crm/", "CRM", True),
        TabInfo(4, "http://127.0.0.1:8000/desk", "Desk", False),
    ),
    aria=ARIA,
    focused=None,
    error=None,
    notices=(),
    instruction=None,
    target=None,
    settled=True,
    done=False,
)


def act(action: str, **arguments: Any) -> dict[str, Any]:
    return {"action": action, **arguments}


def check(done: Translation, expected: list[dict[str, Any]]) -> None:
    assert list(done.actions) == expected
    assert done.reply is None
    for action in done.actions:
        parsed = parse_action(action)
        if action["action"] == "key":
            assert key_name(parsed.text)  # type: ignore[union-attr]


AT = {"coordinate": [640, 212]}
COMPUTER: list[tuple[str, dict[str, Any], list[dict[str, Any]]]] = [
    ("left_click", AT, [act("click", **AT)]),
    ("left_click", AT | {"text": "ctrl+shift"}, [act("click", **AT, modifiers=["Control", "Shift"])]),
    ("right_click", AT, [act("click", **AT, button="right")]),
    ("middle_click", AT, [act("click", **AT, button="middle")]),
    ("double_click", AT, [act("click", **AT, count=2)]),
    ("triple_click", AT, [act("click", **AT, count=3)]),
    ("key", {"text": "ctrl+s"}, [act("key", text="ctrl+s")]),
    ("key", {"text": "Return", "repeat": 2}, [act("key", text="Return")] * 2),
    ("key", {"text": "ctrl+a Delete"}, [act("key", text="ctrl+a"), act("key", text="Delete")]),
    ("key", {"text": " "}, [act("key", text=" ")]),
    ("hold_key", {"text": "Page_Down", "duration": 2}, [act("key", text="Page_Down")]),
    ("type", {"text": "Pump & valve"}, [act("type", text="Pump & valve")]),
    ("mouse_move", AT, [act("hover", **AT)]),
    (
        "left_click_drag",
        {"start_coordinate": [1, 2], "coordinate": [30, 40]},
        [{"action": "drag", "from": [1, 2], "to": [30, 40]}],
    ),
    (
        "scroll",
        {"scroll_direction": "down", "scroll_amount": 5, **AT},
        [act("scroll", direction="down", amount=5, **AT)],
    ),
    ("scroll", {"scroll_direction": "left"}, [act("scroll", direction="left", amount=3)]),
    ("wait", {"duration": 60}, [act("wait", seconds=5.0)]),
    ("screenshot", {}, []),
    ("computer", {"action": "left_click", **AT}, [act("click", **AT)]),
]


@pytest.mark.parametrize(("name", "given", "expected"), COMPUTER)
def test_anthropic_computer(name: str, given: dict[str, Any], expected: list[dict[str, Any]]) -> None:
    check(anthropic.Computer().translate(name, given, SEEN), expected)


def test_the_computers_pointer_stays_where_it_was_left_and_its_button_can_be_held() -> None:
    computer = anthropic.Computer()
    computer.translate("mouse_move", {"coordinate": [5, 6]}, SEEN)
    assert computer.translate("cursor_position", {}, SEEN).reply == "X=5,Y=6"
    check(computer.translate("left_click", {}, SEEN), [act("click", coordinate=[5, 6])])
    check(computer.translate("left_mouse_down", {}, SEEN), [])
    check(computer.translate("mouse_move", {"coordinate": [50, 60]}, SEEN), [])
    check(computer.translate("left_mouse_up", {}, SEEN), [{"action": "drag", "from": [5, 6], "to": [50, 60]}])
    computer.translate("left_mouse_down", {}, SEEN)
    check(computer.translate("left_mouse_up", {}, SEEN), [act("click", coordinate=[50, 60])])
    with pytest.raises(ActionError, match="not down"):
        computer.translate("left_mouse_up", {}, SEEN)


APPLY = {"type": "ref", "ref": "e7"}
BROWSER: list[tuple[str, dict[str, Any], list[dict[str, Any]]]] = [
    ("left_click", {"target": APPLY}, [act("click", ref="e7")]),
    ("left_click", {"target": {"type": "coordinate", "x": 3, "y": 4}}, [act("click", coordinate=[3, 4])]),
    ("left_click", {"target": APPLY, "modifiers": ["shift"]}, [act("click", ref="e7", modifiers=["Shift"])]),
    ("double_click", {"target": APPLY}, [act("click", ref="e7", count=2)]),
    ("right_click", {"target": APPLY}, [act("click", ref="e7", button="right")]),
    ("left_click", {"target": APPLY, "tab_id": 4}, [act("switch_tab", tab=4), act("click", ref="e7")]),
    ("left_click", {"target": APPLY, "tab_id": "1"}, [act("click", ref="e7")]),
    ("navigate", {"url": "/crm/accounts"}, [act("navigate", url="/crm/accounts")]),
    ("navigate", {"url": "back"}, [act("back")]),
    ("navigate", {"url": "reload"}, [act("reload")]),
    ("hover", {"target": APPLY}, [act("hover", ref="e7")]),
    ("scroll_to", {"target": APPLY}, [act("hover", ref="e7")]),
    (
        "left_click_drag",
        {"from": APPLY, "target": {"type": "coordinate", "x": 3, "y": 4}},
        [{"action": "drag", "from": "e7", "to": [3, 4]}],
    ),
    ("scroll", {"target": APPLY, "scroll_direction": "up"}, [act("scroll", direction="up", amount=3, ref="e7")]),
    ("type", {"text": "x"}, [act("type", text="x")]),
    ("key", {"text": "Escape"}, [act("key", text="Escape")]),
    ("form_input", {"target": {"type": "ref", "ref": "e4"}, "value": "Alder"}, [act("fill", ref="e4", text="Alder")]),
    ("form_input", {"target": "e5", "value": "Proposal"}, [act("select", ref="e5", values=["Proposal"])]),
    ("form_input", {"ref": "e6", "value": True}, [act("check", ref="e6", value=True)]),
    ("new_tab", {"url": "/desk"}, [act("new_tab", url="/desk")]),
    ("switch_tab", {"tab_id": 4}, [act("switch_tab", tab=4)]),
    ("close_tab", {"tab_id": 4}, [act("close_tab", tab=4)]),
    ("wait", {"duration": 1}, [act("wait", seconds=1.0)]),
    ("screenshot", {}, []),
]  # fmt: skip


@pytest.mark.parametrize(("name", "given", "expected"), BROWSER)
def test_anthropic_browser(name: str, given: dict[str, Any], expected: list[dict[str, Any]]) -> None:
    check(anthropic.Browser().translate(name, given, SEEN), expected)


@pytest.mark.parametrize(
    ("name", "given", "reply"),
    [
        ("read_page", {}, ARIA),
        ("read_page", {"filter": "interactive", "ref": "e3"}, ["e4", "e5", "e6"]),
        ("read_page", {"depth": 1}, ["e1", "e2", "e3", "e7"]),
        ("find", {"query": "apply button"}, ["e7"]),
        ("find", {"query": "delete"}, "nothing on this page has all these words"),
        ("list_tabs", {}, ['"tab_id": 1', '"tab_id": 4']),
    ],
)
def test_anthropic_browser_answers_what_is_only_asked(name: str, given: dict[str, Any], reply: str | list[str]) -> None:
    done = anthropic.Browser().translate(name, given, SEEN)
    assert done.actions == ()
    assert done.reply is not None
    if isinstance(reply, str):
        assert done.reply == reply
    else:
        refs = [part for part in ("e1", "e2", "e3", "e4", "e5", "e6", "e7") if f"[ref={part}]" in done.reply]
        assert refs == reply or all(part in done.reply for part in reply if part.startswith('"')), done.reply


def item(kind: str, **rest: Any) -> dict[str, Any]:
    return {"type": kind, **rest}


OPENAI: list[tuple[dict[str, Any], list[dict[str, Any]]]] = [
    (item("click", button="left", x=1, y=2), [act("click", coordinate=[1, 2])]),
    (item("click", button="wheel", x=1, y=2), [act("click", coordinate=[1, 2], button="middle")]),
    (item("click", x=1, y=2, keys=["SHIFT"]), [act("click", coordinate=[1, 2], modifiers=["Shift"])]),
    (item("click", button="back", x=1, y=2), [act("back")]),
    (item("double_click", x=1, y=2), [act("click", coordinate=[1, 2], count=2)]),
    (
        item("drag", path=[{"x": 1, "y": 2}, {"x": 9, "y": 9}, {"x": 3, "y": 4}]),
        [{"action": "drag", "from": [1, 2], "to": [3, 4]}],
    ),
    (item("keypress", keys=["CTRL", "A"]), [act("key", text="CTRL+a")]),
    (item("keypress", keys=["ENTER"]), [act("key", text="ENTER")]),
    (item("move", x=1, y=2), [act("hover", coordinate=[1, 2])]),
    (
        item("scroll", x=1, y=2, scroll_x=0, scroll_y=-250),
        [act("scroll", direction="up", amount=2, coordinate=[1, 2])],
    ),
    (
        item("scroll", x=1, y=2, scroll_x=30, scroll_y=300),
        [
            act("scroll", direction="down", amount=3, coordinate=[1, 2]),
            act("scroll", direction="right", amount=1, coordinate=[1, 2]),
        ],
    ),
    (item("type", text="x"), [act("type", text="x")]),
    (item("wait"), [act("wait", seconds=2.0)]),
    (item("screenshot"), []),
]


@pytest.mark.parametrize(("given", "expected"), OPENAI)
def test_openai_computer(given: dict[str, Any], expected: list[dict[str, Any]]) -> None:
    check(openai.Computer().translate(given["type"], given, SEEN), expected)
    check(openai.Computer().call({"action": given}, SEEN), expected)


def test_openai_batches_keep_their_order() -> None:
    batch = {"actions": [item("click", x=1, y=2), item("type", text="x"), item("screenshot")]}
    check(openai.Computer().call(batch, SEEN), [act("click", coordinate=[1, 2]), act("type", text="x")])


BROWSERGYM: list[tuple[str, list[dict[str, Any]]]] = [
    ("click('e7')", [act("click", ref="e7")]),
    ("click('e7', button='right', modifiers=['Control'])",
     [act("click", ref="e7", button="right", modifiers=["Control"])]),
    ("dblclick('e7')", [act("click", ref="e7", count=2)]),
    ("fill('e4', 'it\\'s', enable_autocomplete_menu=True)", [act("fill", ref="e4", text="it's")]),
    ("clear('e4')", [act("fill", ref="e4", text="")]),
    ("select_option('e5', ['Proposal'])", [act("select", ref="e5", values=["Proposal"])]),
    ("select_option('e5', 'Proposal')", [act("select", ref="e5", values=["Proposal"])]),
    ("check('e6')", [act("check", ref="e6", value=True)]),
    ("uncheck('e6')", [act("check", ref="e6", value=False)]),
    ("hover('e7')", [act("hover", ref="e7")]),
    ("press('e4', 'Control+a')", [act("click", ref="e4"), act("key", text="Control+a")]),
    ("drag_and_drop('e4', 'e7')", [{"action": "drag", "from": "e4", "to": "e7"}]),
    ("upload_file('e4', 'list.csv')", [act("upload", ref="e4", file="list.csv")]),
    ("scroll(0, -200)", [act("scroll", direction="up", amount=2)]),
    ("mouse_click(3, 4)", [act("click", coordinate=[3, 4])]),
    ("mouse_dblclick(3, 4)", [act("click", coordinate=[3, 4], count=2)]),
    ("mouse_move(3.5, 4)", [act("hover", coordinate=[3.5, 4])]),
    ("mouse_drag_and_drop(1, 2, 3, 4)", [{"action": "drag", "from": [1, 2], "to": [3, 4]}]),
    ("keyboard_press('Enter')", [act("key", text="Enter")]),
    ("keyboard_type('abc')", [act("type", text="abc")]),
    ("goto('/crm/')", [act("navigate", url="/crm/")]),
    ("go_back()", [act("back")]),
    ("go_forward()", [act("forward")]),
    ("new_tab()", [act("new_tab")]),
    ("tab_focus(1)", [act("switch_tab", tab=4)]),
    ("tab_close()", [act("close_tab")]),
    ("noop(500)", [act("wait", seconds=0.5)]),
    ("""send_msg_to_user('{"count": 3}')""", [act("submit", status="done", answer={"count": 3})]),
    ("send_msg_to_user('three')", [act("submit", status="done", answer="three")]),
    ("report_infeasible('NO_ACCESS')", [act("submit", status="infeasible", reason_code="NO_ACCESS")]),
    ("click('e4')\nkeyboard_type('x')", [act("click", ref="e4"), act("type", text="x")]),
    ("```python\nclick('e4')\n```", [act("click", ref="e4")]),
]  # fmt: skip


@pytest.mark.parametrize(("given", "expected"), BROWSERGYM)
def test_browsergym_strings(given: str, expected: list[dict[str, Any]]) -> None:
    check(browsergym.BrowserGym().translate_text(given, SEEN), expected)


PLAYWRIGHT: list[tuple[str, dict[str, Any], list[dict[str, Any]]]] = [
    ("browser_click", {"target": "e7", "element": "Apply"}, [act("click", ref="e7")]),
    ("browser_click", {"ref": "e7", "doubleClick": True}, [act("click", ref="e7", count=2)]),
    ("browser_click", {"target": "e7", "button": "right", "modifiers": ["ControlOrMeta"]},
     [act("click", ref="e7", button="right", modifiers=["Control"])]),
    ("browser_type", {"target": "e4", "text": "x"}, [act("fill", ref="e4", text="x")]),
    ("browser_type", {"target": "e4", "text": "x", "slowly": True, "submit": True},
     [act("type", ref="e4", text="x"), act("key", text="Enter")]),
    ("browser_fill_form", {"fields": [
        {"name": "Name", "type": "textbox", "target": "e4", "value": "x"},
        {"name": "Stage", "type": "combobox", "target": "e5", "value": "Proposal"},
        {"name": "Mine", "type": "checkbox", "ref": "e6", "value": "false"}]},
     [act("fill", ref="e4", text="x"), act("select", ref="e5", values=["Proposal"]),
      act("check", ref="e6", value=False)]),
    ("browser_press_key", {"key": "ArrowDown"}, [act("key", text="ArrowDown")]),
    ("browser_navigate", {"url": "/desk"}, [act("navigate", url="/desk")]),
    ("browser_navigate_back", {}, [act("back")]),
    ("browser_hover", {"target": "e7"}, [act("hover", ref="e7")]),
    ("browser_drag", {"startTarget": "e4", "endTarget": "e7"}, [{"action": "drag", "from": "e4", "to": "e7"}]),
    ("browser_select_option", {"target": "e5", "values": ["Proposal"]}, [act("select", ref="e5", values=["Proposal"])]),
    ("browser_tabs", {"action": "select", "index": 1}, [act("switch_tab", tab=4)]),
    ("browser_tabs", {"action": "new"}, [act("new_tab")]),
    ("browser_tabs", {"action": "close"}, [act("close_tab")]),
    ("browser_wait_for", {"time": 2}, [act("wait", seconds=2.0)]),
    ("browser_wait_for", {"text": "Saved"}, []),
    ("browser_snapshot", {}, []),
    ("browser_take_screenshot", {"type": "png"}, []),
    ("browser_mouse_click_xy", {"x": 3, "y": 4}, [act("click", coordinate=[3, 4])]),
    ("browser_mouse_move_xy", {"x": 3, "y": 4}, [act("hover", coordinate=[3, 4])]),
    ("browser_mouse_drag_xy", {"startX": 1, "startY": 2, "endX": 3, "endY": 4},
     [{"action": "drag", "from": [1, 2], "to": [3, 4]}]),
    ("browser_mouse_wheel", {"deltaX": 0, "deltaY": 120}, [act("scroll", direction="down", amount=1)]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "given", "expected"), PLAYWRIGHT)
def test_playwright_mcp(name: str, given: dict[str, Any], expected: list[dict[str, Any]]) -> None:
    check(playwright_mcp.PlaywrightMcp().translate(name, given, SEEN), expected)


def test_playwright_mcp_lists_tabs() -> None:
    reply = playwright_mcp.PlaywrightMcp().translate("browser_tabs", {"action": "list"}, SEEN).reply
    assert reply is not None
    assert reply.splitlines()[0] == "- 0: (current) [CRM](http://127.0.0.1:8000/crm/)"


BAD: list[tuple[Any, str, Mapping[str, Any], str]] = [
    (anthropic.Computer(), "left_clik", {}, 'Did you mean "left_click"'),
    (anthropic.Computer(), "zoom", {"region": [0, 0, 1, 1]}, 'no action "zoom"'),
    (anthropic.Computer(), "left_click", {"coordinate": [1]}, r"coordinate is \[x, y\]"),
    (anthropic.Computer(), "left_click", {"coordinate": [1, float("nan")]}, "is a number"),
    (anthropic.Computer(), "left_click", {"coordinate": [1, 2], "text": "a"}, "cannot be held down"),
    (anthropic.Computer(), "type", {"text": 3}, "text is a text"),
    (anthropic.Computer(), "type", {"text": "x", "speed": 3}, 'no argument "speed"'),
    (anthropic.Computer(), "key", {"text": ""}, "names a key"),
    (anthropic.Computer(), "key", {"text": "a", "repeat": 10**6}, "from 1 to 100"),
    (anthropic.Computer(), "scroll", {"scroll_direction": "north"}, "up, down, left, right"),
    (anthropic.Computer(), "_move", {}, "no action"),
    (anthropic.Browser(), "left_click", {"target": "e7"}, "a target is"),
    (anthropic.Browser(), "javascript_exec", {"code": "1"}, "no action"),
    (anthropic.Browser(), "form_input", {"target": "e99", "value": 1}, 'no element "e99"'),
    (anthropic.Browser(), "form_input", {"target": "e6", "value": "perhaps"}, "takes true or false"),
    (anthropic.Browser(), "switch_tab", {"tab_id": 9}, "tabs: 1, 4"),
    (anthropic.Browser(), "read_page", {"tab_id": 4}, "switch_tab first"),
    (openai.Computer(), "swipe", {}, 'no action "swipe"'),
    (openai.Computer(), "click", {"x": 1}, "x, y"),
    (openai.Computer(), "drag", {"path": [{"x": 1, "y": 2}]}, "at least two points"),
    (openai.Computer(), "keypress", {"keys": "ENTER"}, "list of names"),
    (playwright_mcp.PlaywrightMcp(), "browser_click", {"target": "button.primary"}, "is a ref"),
    (playwright_mcp.PlaywrightMcp(), "browser_evaluate", {"function": "() => 1"}, "no action"),
    (playwright_mcp.PlaywrightMcp(), "browser_tabs", {"action": "select", "index": 5}, "0 to 1"),
]  # fmt: skip


@pytest.mark.parametrize(("translator", "name", "given", "message"), BAD)
def test_what_cannot_be_done_is_said_in_words(
    translator: Any, name: str, given: Mapping[str, Any], message: str
) -> None:
    with pytest.raises(ActionError, match=message):
        translator.translate(name, given, SEEN)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("", "there is no action"),
        ("click(", "such as click"),
        ("import os", "nothing else"),
        ("__import__('os').system('true')", "nothing else"),
        ("click(open('/etc/passwd').read())", "texts, numbers and lists"),
        ("click(*['e7'])", "by itself"),
        ("click()", "click"),
        ("clik('e7')", 'Did you mean "click"'),
        ("tab_focus(7)", "0 to 1"),
        ("noop('long')", "is a number"),
        ("(" * 5000, "such as click"),
    ],
)
def test_browsergym_strings_are_data(given: str, message: str) -> None:
    with pytest.raises(ActionError, match=message):
        browsergym.BrowserGym().translate_text(given, SEEN)
