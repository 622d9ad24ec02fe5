"""Sessions and browsers: the same bytes for the same page, many contexts, faults that are not the agent's."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.browser.conftest import NOW, Driver
from tests.browser.site import Site, serve

from deskgym.browser import Browser, BrowserFault, Look, Parts, Start, sync
from deskgym.browser.observation import Tree, prune_dom

Enter = Callable[..., Driver]


@pytest.mark.browser
@pytest.mark.parametrize("path", ["/", "/controls", "/many"])
def test_the_same_page_gives_the_same_bytes_in_fresh_contexts(browser: sync.Browser, site: Site, path: str) -> None:
    seen = []
    for _ in range(2):
        start = Start(now=NOW, instruction="Do it.", parts=Parts(screenshot=True, dom=True))
        with browser.open(site.url + path, start=start) as session:
            seen.append(session.observe())
    assert seen[0] == seen[1]
    assert seen[0].screenshot is not None
    assert seen[0].screenshot.startswith(b"\x89PNG")
    assert seen[0].instruction == "Do it."


KEEPS = """<script>
document.cookie = "warm=1"; localStorage.warm = 1; sessionStorage.warm = 1; window.name = "warm";
document.documentElement.dataset.busy = 1;
caches.open("warm").then(() => { indexedDB.open("warm").onsuccess = () => { document.title = "kept"; }; });
</script>"""
KEPT = """async () => [
  document.cookie, localStorage.length, sessionStorage.length, window.name, document.referrer,
  (await caches.keys()).length, (await indexedDB.databases()).length,
  history.length, navigation.canGoBack, navigation.entries().length, new Date().toISOString(),
]"""


@pytest.mark.browser
def test_p9_nothing_is_left_of_the_page_that_warms_a_context(browser: sync.Browser) -> None:
    with serve() as site:
        site.front = KEEPS
        for number in range(2):  # a context that was waited for, and one that was made beforehand
            now = f"2031-03-14T09:0{number}:00Z"
            with browser.open(f"{site.url}/two", start=Start(now=now, parts=Parts(False))) as session:
                found = session.perform(lambda asynchronous: asynchronous.page.evaluate(KEPT))
                assert found == ["", 0, 0, "", "", 0, 0, 1, False, 1, now.replace("Z", ".000Z")]
                assert session.act({"action": "back"}).error == "there is no earlier page in this tab"
                assert session.act({"action": "forward"}).error == "there is no later page in this tab"
            browser.ready()
            assert site.hits.count("/") == number + 2  # the next context is warm


@pytest.mark.browser
def test_a_spare_context_whose_clock_stands_is_not_used_where_the_real_time_is_wanted(
    browser: sync.Browser, site: Site
) -> None:
    years = []
    for now in (NOW, None):
        with browser.open(f"{site.url}/two", start=Start(now=now, parts=Parts(False))) as session:
            years.append(session.perform(lambda asynchronous: asynchronous.page.evaluate("new Date().getFullYear()")))
        browser.ready()
    assert years[0] == 2031
    assert years[1] != 2031


@pytest.mark.browser
def test_the_same_actions_give_the_same_observations(enter: Enter) -> None:
    runs = []
    for _ in range(2):
        agent = enter("/", parts=Parts(screenshot=True))
        steps = [agent.seen, agent.do("click", ref=agent.ref("button", "Press"))]
        steps.append(agent.do("click", ref=agent.ref("link", "Second page")))
        steps.append(agent.do("click", ref=agent.ref("link", "First page")))
        runs.append(steps)
    assert runs[0] == runs[1]


@pytest.mark.browser
def test_an_observation_is_json(enter: Enter) -> None:
    agent = enter("/controls", parts=Parts(screenshot=True, dom=True))
    data = agent.do("click", ref=agent.ref("textbox", "Name")).as_dict()
    assert data["focused"]["name"] == "Name"
    assert data["tabs"] == [{"tab": 1, "url": data["url"], "title": "controls", "active": True}]
    assert data["screenshot"].startswith("iVBOR")
    assert '<option value="h">' in data["dom"]


@pytest.mark.browser
def test_many_sessions_live_side_by_side_in_one_browser(browser: sync.Browser, site: Site) -> None:
    sessions = [browser.open(f"{site.url}/keys", start=Start(parts=Parts(False))) for _ in range(6)]
    drivers = [Driver(session) for session in sessions]
    for number, agent in enumerate(drivers):
        agent.do("type", ref=agent.ref("textbox", "Keys"), text=str(number))
    for number, agent in enumerate(drivers):
        assert f"{number};" in agent.session.observe().aria
        agent.session.close()


@pytest.mark.browser
def test_a_browser_is_renewed_after_so_many_contexts_and_the_old_one_ends(site: Site) -> None:
    async def work() -> None:
        async with await Browser.start(recycle_after=2) as browser:
            start = Start(parts=Parts(False))
            processes = []
            sessions = []
            for _ in range(4):
                sessions.append(await browser.open(f"{site.url}/two", start=start))
                processes.append(sessions[-1].context.browser)
            assert len({id(process) for process in processes}) >= 2
            for session in sessions:
                assert (await session.observe()).title == "two"
                await session.close()
            assert processes[0] is not None
            assert not processes[0].is_connected()

    asyncio.run(work())


@pytest.mark.browser
def test_the_face_without_await_works_inside_an_event_loop(browser: sync.Browser, site: Site) -> None:
    async def agent() -> str:
        with browser.open(f"{site.url}/two", start=Start(parts=Parts(False))) as session:
            return session.observe().title

    assert asyncio.run(agent()) == "two"


@pytest.mark.browser
def test_a_dead_server_is_a_fault_and_no_error_of_the_agent(browser: sync.Browser) -> None:
    with serve() as site:
        session = browser.open(f"{site.url}/", start=Start(parts=Parts(False)))
    with session, pytest.raises(BrowserFault, match="ERR_CONNECTION_REFUSED"):
        session.act({"action": "navigate", "url": "/two"})


@pytest.mark.browser
def test_a_server_that_is_not_there_cannot_be_entered(browser: sync.Browser) -> None:
    with serve() as site:
        address = f"{site.url}/"
    with pytest.raises(BrowserFault, match="cannot be opened"):
        browser.open(address)
    with pytest.raises(ValueError, match="not an http"):
        browser.open("file:///etc/hostname")


@pytest.mark.browser
def test_a_browser_that_dies_is_a_fault_and_the_next_session_gets_a_new_one(site: Site) -> None:
    with sync.Browser() as browser:
        session = browser.open(f"{site.url}/", start=Start(parts=Parts(False)))
        os.kill(_child_browser(), signal.SIGKILL)
        with pytest.raises(BrowserFault):
            session.act({"action": "reload"})
        session.close()
        with browser.open(f"{site.url}/two", start=Start(parts=Parts(False))) as session:
            assert session.observe().title == "two"


def _child_browser() -> int:
    """The newest browser process below this one."""
    parents: dict[int, tuple[int, str, int]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "stat").read_text().rsplit(")", 1)[1].split()
                command = (folder / "cmdline").read_text()
            except OSError:
                continue
            parents[int(folder.name)] = (int(words[1]), command, int(words[19]))

    def is_ours(pid: int) -> bool:
        while pid in parents and pid != os.getpid():
            pid = parents[pid][0]
        return pid == os.getpid()

    # A child that is about to become another program still has its parent's command line, but no children.
    typed = {parent for parent, command, _ in parents.values() if "--type=" in command}
    main = [pid for pid in typed & parents.keys() if "--type=" not in parents[pid][1]]
    # By the time it was started: numbers of processes begin again at 1 when they run out.
    return max((pid for pid in main if is_ours(pid)), key=lambda pid: parents[pid][2])


@pytest.mark.browser
def test_a_crowd_of_form_posts_never_shows_the_page_before(enter: Enter) -> None:
    agent = enter("/form")
    for _ in range(15):
        assert agent.do("click", ref=agent.ref("button", "Send")).title == "two"
        agent.do("back")


@pytest.mark.browser
def test_a_narrow_window_has_the_size_that_was_asked_for(browser: sync.Browser, site: Site) -> None:
    look = Look(width=390, height=844)
    with browser.open(f"{site.url}/", start=Start(), look=look) as session:
        picture = session.observe().screenshot
    assert picture is not None
    assert (int.from_bytes(picture[16:20]), int.from_bytes(picture[20:24])) == (390, 844)


def test_a_snapshot_line_with_quotes_and_colons_is_read() -> None:
    tree = Tree(
        "- 'button \"It''s \\\"it\\\": a\" [active] [ref=e4] [box=1,2.5,30,40]':\n"
        '  - link "Go" [ref=f2e5] [cursor=pointer] [box=2,3,4,5]:\n    - /url: /x\n  - text: hello'
    )
    assert [(node.ref, node.role, node.name) for node in tree.nodes.values()] == [
        ("e4", "button", 'It\'s "it": a'),
        ("f2e5", "link", "Go"),
    ]
    focused, innermost = tree.focused(), tree.at(3, 4)
    assert focused is not None
    assert innermost is not None
    assert (focused.ref, innermost.ref) == ("e4", "f2e5")


def test_the_pruned_dom_has_no_scripts_styles_or_hidden_inputs() -> None:
    dom = prune_dom(
        '<body><!-- note --><script>x()</script><style>a{}</style><input type="hidden" name="token" value="t">'
        '<a class="btn" data-x="1" href="/two" aria-label="Go" onclick="x()">Go</a></body>'
    )
    assert dom == '<body><a aria-label="Go" href="/two">Go</a></body>'
