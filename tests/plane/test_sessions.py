"""Further sides of a session: odd tokens, two people, a dead episode, variation, paths of control."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from tests.fixtures.pad import world

from deskgym_apps.kit import folder
from deskgym_apps.kit.canonical import full_dump
from deskgym_apps.kit.store import Store
from deskgym_apps.kit.stores import WARM, OpenStores
from deskgym_apps.server import create_pages

HERE = {"Origin": "http://localhost"}
OTHER = "o" * 40
Enter = Callable[..., FlaskClient]


@pytest.fixture
def enter(root: Path) -> Iterator[Enter]:
    """`enter(token)`: a browser that entered with that token, or none."""
    stores = OpenStores(root)
    pages = create_pages(root, stores=stores)

    def entered(token: str | None = world.TOKEN) -> FlaskClient:
        browser = pages.test_client()
        if token is not None:
            assert browser.get(f"/enter/{token}").status_code == 303
        return browser

    yield entered
    stores.close()


def dump(root: Path) -> object:
    """Everything in the first episode's store."""
    with Store.open(root / "one" / "store.db") as store:
        return full_dump(store)


@pytest.mark.parametrize("token", ["../one", "..", "x", "t" * 200, "a/b", "%00", ";", "t" * 39 + "é"])
def test_a_token_is_never_a_path(enter: Enter, token: str) -> None:
    assert enter(None).get(f"/enter/{token}").status_code == 404


def test_a_refusal_without_a_session_has_a_way_back(enter: Enter, root: Path) -> None:
    browser = enter()
    folder.revoke(root, world.TOKEN)
    for refused, status in ((enter(None).get("/pad/"), 401), (browser.get("/pad/"), 410)):
        assert refused.status_code == status
        assert 'href="/desk"' in refused.text


def test_a_dead_episode_is_left_without_asking(enter: Enter, root: Path, image: Path) -> None:
    world.occupy(root, image, token=OTHER, episode="two")
    browser = enter()
    folder.revoke(root, world.TOKEN)
    assert browser.get(f"/enter/{OTHER}").status_code == 303


def test_two_people_see_one_episode_each_as_themselves(enter: Enter, root: Path) -> None:
    folder.grant(root, OTHER, "one", world.BEN)
    ana, ben = enter(), enter(OTHER)
    assert ana.post("/pad/new", data={"title": "Sweep", "colour": "yellow"}, headers=HERE).status_code == 303
    assert "Sweep" in ben.get("/pad/").text
    assert "Ben Stone" in ben.get("/pad/").text
    assert "Ana Stone" in ana.get("/pad/").text


def test_a_store_gives_its_memory_back_once_others_were_used_since(root: Path, image: Path) -> None:
    tokens = [f"{number:040d}" for number in range(WARM + 1)]
    for token in tokens:
        world.occupy(root, image, token=token, episode=f"e{token}")
    stores = OpenStores(root)
    first = stores.enter(tokens[0])[1]
    said: list[str] = []
    first.conn.set_trace_callback(said.append)
    for token in tokens[1:-1]:
        stores.enter(token)
    assert said == []  # the last few are as quick as ever
    for token in (tokens[-1], *tokens[1:]):
        stores.enter(token)
    assert said == ["PRAGMA shrink_memory"]  # once, however often the others are used
    assert stores.enter(tokens[0])[1] is first
    assert first.get("pad_note", world.MILK) is not None
    stores.close()


def test_x7_a_stale_form_is_a_conflict(enter: Enter) -> None:
    browser, path = enter(), f"/pad/{world.MILK}/edit"
    changes = [{"title": title, "colour": "yellow", "row_version": "1"} for title in ("Once", "Twice")]
    assert [browser.post(path, data=data, headers=HERE).status_code for data in changes] == [303, 409]
    assert "Twice" not in browser.get("/pad/").text


def test_the_variation_of_an_episode_draws_its_pages(enter: Enter, root: Path, image: Path) -> None:
    world.occupy(root, image, token=OTHER, episode="two", variation={"theme": "dark", "widgets": "native"})
    page = enter(OTHER).get("/pad/").text
    assert 'data-theme="dark"' in page
    assert 'data-widgets="native"' in page
    assert 'data-today="2031-03-14"' in page


CONTROL = (
    "state", "reset", "grade", "finish", "config", "debug", "openapi.json", "api/sql-runner", "specs/x.py", "console",
    "v1/episodes", "admin", "metrics", "one/store.db", "one/public.json", "tokens", "kit/static/", "desk/routes.py",
)  # fmt: skip


@pytest.mark.parametrize("path", CONTROL)
@pytest.mark.parametrize("token", [None, world.TOKEN])
def test_nothing_of_control_is_served_to_anyone(enter: Enter, root: Path, path: str, token: str | None) -> None:
    browser, before = enter(token), dump(root)
    assert browser.get(f"/{path}").status_code == 404
    assert browser.post(f"/{path}", data={"title": "x"}, headers=HERE).status_code == 404
    assert dump(root) == before
