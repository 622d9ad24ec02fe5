"""Variation of an episode's pages: drawn from a seed, checked when it is set, off by default (DESIGN §4)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import httpx
import pytest
from flask.testing import FlaskClient
from tests.fixtures.pad import world

from deskgym_apps.kit.errors import Invalid
from deskgym_apps.kit.folder import Public, read_public, write_public
from deskgym_apps.kit.session import DELAY_HEADER
from deskgym_apps.kit.stores import OpenStores
from deskgym_apps.kit.variation import AXES, GLOSSARY, NOTICES, check, delay_ms, draw, reordered
from deskgym_apps.server import ServerThread, create_pages

OTHER = "o" * 40
Vary = Callable[..., FlaskClient]
FIELDS = re.compile(r'<label for="[^"]*?-(\w+)"')


@pytest.fixture
def vary(root: Path, image: Path) -> Iterator[Vary]:
    """`vary(theme=…)`: a browser in an episode with that variation."""
    stores = OpenStores(root)

    def entered(**variation: Any) -> FlaskClient:
        world.occupy(root, image, token=OTHER, episode=json.dumps(variation)[:40].replace("/", ""), variation=variation)
        browser = create_pages(root, stores=stores).test_client()
        assert browser.get(f"/enter/{OTHER}").status_code == 303
        return browser

    yield entered
    stores.close()


def test_the_same_seed_draws_the_same_variation_and_every_axis_differs_somewhere() -> None:
    drawn = [draw(seed) for seed in range(40)]
    assert drawn == [draw(seed) for seed in range(40)]
    for variation in drawn:
        check(variation)
        assert set(variation) == set(AXES)
        assert json.loads(json.dumps(variation)) == variation
    for axis in AXES:
        assert len({json.dumps(variation[axis]) for variation in drawn}) > 1, axis


def test_an_axis_is_drawn_by_itself() -> None:
    assert draw(7, ["theme"]) == {"theme": draw(7)["theme"]}
    with pytest.raises(Invalid, match='no axis "colour"'):
        draw(7, ["colour"])


def test_no_synonym_is_another_label_of_the_glossary() -> None:
    words = [word for usual, synonyms in GLOSSARY.items() for word in (usual, *synonyms)]
    assert len(words) == len(set(words))


@pytest.mark.parametrize(
    ("variation", "message"),
    [
        ({"themes": "dark"}, 'no axis "themes". Did you mean "theme"'),
        ({"theme": "pink"}, "must be one of light, dark, contrast"),
        ({"page_size": 7}, "must be one of 10, 25, 50, 100"),
        ({"page_size": True}, "must be one of"),
        ({"latency_ms": 60_000}, "from 0 to 2000"),
        ({"latency_ms": "80"}, "from 0 to 2000"),
        ({"labels": {"Stage": ""}}, "usual label to shown label"),
        ({"locale": "xx_XX"}, "must be one of en_GB"),
        ({"notice": "sale"}, "must be one of canteen"),
        ({"field_order": 3}, "a text of at most 60 characters"),
    ],
)
def test_a_variation_that_does_not_exist_is_refused(variation: dict[str, Any], message: str) -> None:
    with pytest.raises(Invalid, match=re.escape(message)):
        Public("Look around.", None, ("pad",), variation=variation)


def test_without_a_variation_nothing_stands_above_the_pages(vary: Vary) -> None:
    page = vary().get("/pad/").text
    assert 'class="banner' not in page
    assert 'data-theme="light"' in page


def test_an_announcement_stands_on_every_page_and_leads_nowhere(vary: Vary) -> None:
    browser = vary(notice="canteen")
    for path in ("/desk", "/pad/", f"/pad/{world.MILK}/edit", "/pad/nowhere"):
        page = browser.get(path).text
        (banner,) = re.findall(r'<section class="banner[^>]*aria-label="Announcement".*?</section>', page, re.DOTALL)
        assert NOTICES["canteen"] in banner
        assert not re.search(r"<(a|button|form|input)\b", banner)


def test_fields_stand_in_the_order_of_the_episode(vary: Vary) -> None:
    path = f"/pad/{world.MILK}/edit"
    usual = FIELDS.findall(vary().get(path).text)
    orders = []
    for order in ("a", "b", "c"):
        browser = vary(field_order=order)
        shown = FIELDS.findall(browser.get(path).text)
        assert shown == FIELDS.findall(browser.get(path).text)
        assert sorted(shown) == sorted(usual)
        orders.append(shown)
    assert any(order != usual for order in orders)


def test_an_order_keeps_what_it_orders() -> None:
    assert reordered("abcdef", "", str) == tuple("abcdef")
    assert sorted(reordered("abcdef", "x", str)) == list("abcdef")
    assert reordered("abcdef", "x", str) == reordered("fedcba", "x", str)
    assert len({reordered("abcdef", order, str) for order in "uvwxyz"}) > 3


def test_a_late_page_is_held_back_before_it_is_sent_and_nobody_is_told(root: Path, image: Path) -> None:
    world.occupy(root, image, token=OTHER, episode="two", variation={"latency_ms": 400})
    server = ServerThread(root)
    base = server.start()
    try:
        with httpx.Client(timeout=60, base_url=base, headers={"Cookie": f"deskgym_token={OTHER}"}) as late:
            begun = perf_counter()
            page = late.get("/desk")
            took = perf_counter() - begun
        assert page.status_code == 200
        assert took * 1000 >= delay_ms(400, "GET", "/desk") >= 200
        assert DELAY_HEADER not in page.headers
    finally:
        server.stop()


def test_a_delay_depends_on_the_address_alone() -> None:
    delays = {path: delay_ms(1000, "GET", path) for path in ("/", "/desk", "/crm/", "/crm/accounts")}
    assert delays == {path: delay_ms(1000, "GET", path) for path in delays}
    assert len(set(delays.values())) > 1
    assert all(500 <= delay <= 1500 for delay in delays.values())
    assert delay_ms(0, "GET", "/desk") == 0


def test_a_variation_may_change_while_the_work_goes_on(vary: Vary, root: Path) -> None:
    browser = vary(theme="dark")
    assert 'data-theme="dark"' in browser.get("/pad/").text
    (folder,) = [path for path in root.iterdir() if "dark" in path.name]
    public = read_public(folder)
    write_public(folder, Public(public.instruction, None, public.apps, variation={"theme": "contrast"}))
    assert 'data-theme="contrast"' in browser.get("/pad/").text
