"""Who may ask for a page: entrance, cookie, tokens, hosts, origins, seal."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fixtures.pad import world

from deskgym_apps.desk import service as desk
from deskgym_apps.kit import folder
from deskgym_apps.kit.store import Store
from deskgym_apps.kit.stores import OpenStores

from .conftest import HERE, Site

OTHER = "o" * 40


def test_entering_sets_a_strict_cookie_that_scripts_cannot_read(site: Site) -> None:
    answer = site.browser(None).get(f"/enter/{world.TOKEN}")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/desk")
    cookie = answer.headers["Set-Cookie"]
    assert world.TOKEN in cookie
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(cookie.split("; "))


def test_the_first_page_is_the_desk(site: Site) -> None:
    answer = site.browser().get("/", follow_redirects=True)
    assert answer.status_code == 200
    assert answer.request.path == "/desk"


def test_without_a_token_or_with_an_unknown_one_there_is_no_session(site: Site) -> None:
    browser = site.browser(None)
    refused = browser.get("/pad/")
    assert refused.status_code == 401
    assert 'href="/desk"' in refused.text
    browser.set_cookie("deskgym_token", "u" * 40)
    assert browser.get("/pad/").status_code == 401
    assert browser.get(f"/enter/{'u' * 40}").status_code == 404


@pytest.mark.parametrize("token", ["../one", "..", "x", "t" * 200, "a/b", "%00", ";", "t" * 39 + "é"])
def test_a_token_is_never_a_path(site: Site, token: str) -> None:
    assert site.browser(None).get(f"/enter/{token}").status_code == 404


def test_a_revoked_token_is_refused_at_once_although_its_store_is_open(site: Site) -> None:
    browser = site.browser()
    assert browser.get("/pad/").status_code == 200
    folder.revoke(site.root, world.TOKEN)
    assert browser.get("/pad/").status_code == 410
    assert browser.get(f"/enter/{world.TOKEN}").status_code == 410


def test_entering_a_second_live_episode_asks_first(site: Site, image: Path) -> None:
    world.occupy(site.root, image, token=OTHER, episode="two", person=world.BEN)
    browser = site.browser()
    asked = browser.get(f"/enter/{OTHER}")
    assert asked.status_code == 200
    assert "Set-Cookie" not in asked.headers
    assert "Leave the present work?" in asked.text
    assert "Ana Stone" in browser.get("/desk").text
    assert browser.post(f"/enter/{OTHER}", headers=HERE).status_code == 303
    assert "Ben Stone" in browser.get("/desk").text


def test_a_dead_episode_is_left_without_asking(site: Site, image: Path) -> None:
    world.occupy(site.root, image, token=OTHER, episode="two")
    browser = site.browser()
    folder.revoke(site.root, world.TOKEN)
    assert browser.get(f"/enter/{OTHER}").status_code == 303


def test_two_people_see_one_episode_each_as_themselves(site: Site) -> None:
    folder.grant(site.root, OTHER, "one", world.BEN)
    ana, ben = site.browser(), site.browser(OTHER)
    written = ana.post("/pad/new", data={"title": "Sweep the yard"}, headers=HERE)
    assert written.status_code == 303
    assert "Sweep the yard" in ben.get("/pad/").text
    assert "Ben Stone" in ben.get("/pad/").text


FOREIGN = [
    {},
    {"Origin": "http://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://localhost:81"},
    {"Origin": "https://localhost"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "none"},
    {"Origin": "http://localhost", "Sec-Fetch-Site": "cross-site"},
]


@pytest.mark.parametrize("headers", FOREIGN)
@pytest.mark.parametrize("path", ["/pad/new", "/desk/submit", f"/enter/{OTHER}"])
def test_a_post_that_is_not_the_persons_own_changes_nothing(site: Site, path: str, headers: dict[str, str]) -> None:
    folder.grant(site.root, OTHER, "one", world.BEN)
    browser, before = site.browser(), site.dump()
    data = {"title": "Planted", "status": "done", "confirm": "1"}
    answer = browser.post(path, data=data, headers=headers)
    assert answer.status_code == 403
    assert "Set-Cookie" not in answer.headers
    assert site.dump() == before


@pytest.mark.parametrize("headers", [HERE, {"Sec-Fetch-Site": "same-origin"}])
def test_a_post_of_the_same_origin_is_carried_out(site: Site, headers: dict[str, str]) -> None:
    answer = site.browser().post("/pad/new", data={"title": "Sweep"}, headers=headers)
    assert answer.status_code == 303


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "deskgym"])
def test_a_foreign_host_name_is_refused(site: Site, host: str) -> None:
    answer = site.browser().get("/pad/", headers={"Host": host})
    assert answer.status_code == 421


def test_an_app_that_is_not_of_the_episode_is_not_there(make_site: Callable[..., Site]) -> None:
    browser = make_site(apps=()).browser()
    assert browser.get("/pad/").status_code == 404
    assert browser.post("/pad/new", data={"title": "x"}, headers=HERE).status_code == 404
    assert browser.get("/desk").status_code == 200


def test_x11_a_page_that_is_read_cannot_write(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    browser, before = site.browser(), site.dump()
    assert browser.get("/pad/writes").status_code == 500
    assert site.dump() == before
    assert "failed" in caplog.text
    assert browser.post("/pad/new", data={"title": "Still works"}, headers=HERE).status_code == 303


def test_a_fault_shows_nothing_of_its_inside(site: Site) -> None:
    answer = site.browser().get("/pad/fails")
    assert answer.status_code == 500
    assert "ZeroDivision" not in answer.text
    assert "Traceback" not in answer.text
    assert 'href="/desk"' in answer.text


def test_reading_writes_nothing(site: Site) -> None:
    browser, before = site.browser(), site.dump()
    for path in ("/", "/desk", "/pad/", "/pad/new", f"/pad/{world.MILK}/edit", "/pad/nothing"):
        browser.get(path, follow_redirects=True)
    assert site.dump() == before


def test_a_sealed_episode_is_read_and_not_changed(site: Site) -> None:
    browser = site.browser()
    with Store.open(site.path) as store:
        desk.submit(store, world.ANA, "control", {"status": "done"})
    before = site.dump()
    assert browser.post("/pad/new", data={"title": "Late"}, headers=HERE).status_code == 410
    assert browser.get("/pad/").status_code == 200
    assert site.dump() == before


def test_x6_a_form_that_is_sent_twice_writes_once(site: Site) -> None:
    browser = site.browser()
    found = re.search(r'name="form_token" value="([0-9a-f]+)"', browser.get("/pad/new").text)
    assert found is not None
    data = {"title": "Sweep", "colour": "yellow", "form_token": found[1]}
    assert [browser.post("/pad/new", data=data, headers=HERE).status_code for _ in range(2)] == [303, 303]
    assert browser.get("/pad/").text.count("Sweep") == 1


def test_x7_a_stale_form_is_a_conflict(site: Site) -> None:
    browser = site.browser()
    changes = [{"title": title, "colour": "yellow", "row_version": "1"} for title in ("Once", "Twice")]
    path = f"/pad/{world.MILK}/edit"
    assert [browser.post(path, data=data, headers=HERE).status_code for data in changes] == [303, 409]
    assert "Twice" not in browser.get("/pad/").text


def test_a_body_over_a_megabyte_is_refused(site: Site) -> None:
    browser, before = site.browser(), site.dump()
    answer = browser.post("/pad/new", data={"title": "x" * 1_000_001}, headers=HERE)
    assert answer.status_code == 413
    assert site.dump() == before


def test_a_script_gets_refusals_as_json(site: Site) -> None:
    answer = site.browser().get("/pad/none/edit", headers={"Accept": "application/json"})
    assert answer.status_code == 404
    assert answer.json is not None
    assert answer.json["code"] == 404


CONTROL = (
    "state", "reset", "grade", "finish", "config", "debug", "openapi.json", "api/sql-runner", "specs/x.py", "console",
    "v1/episodes", "admin", "metrics", "one/store.db", "one/public.json", "tokens", "pad/../desk/routes.py",
    "desk/static/../routes.py", "desk/static/%2e%2e/routes.py", "desk/routes.py", "kit/static/", "static/kit.css",
)  # fmt: skip


@pytest.mark.parametrize("path", CONTROL)
@pytest.mark.parametrize("token", [None, world.TOKEN])
def test_nothing_of_control_or_source_is_served(site: Site, path: str, token: str | None) -> None:
    browser, before = site.browser(token), site.dump()
    assert browser.get(f"/{path}").status_code == 404
    assert browser.post(f"/{path}", data={"title": "x"}, headers=HERE).status_code in (404, 405)
    assert site.dump() == before


def test_every_page_forbids_foreign_content_frames_and_caches(site: Site) -> None:
    browser = site.browser()
    for path in ("/desk", "/pad/", "/nothing"):
        headers = browser.get(path).headers
        assert "default-src 'self'" in headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cache-Control"] == "no-store"


def test_the_variation_of_an_episode_draws_its_pages(make_site: Callable[..., Site]) -> None:
    page = make_site(variation={"theme": "dark", "widgets": "native"}).browser().get("/pad/").text
    assert 'data-theme="dark"' in page
    assert 'data-widgets="native"' in page
    assert 'data-today="2031-03-14"' in page


def test_few_stores_are_kept_open_and_a_closed_one_opens_again(site: Site, image: Path) -> None:
    world.occupy(site.root, image, token=OTHER, episode="two")
    stores = OpenStores(site.root, keep=1)
    _, first = stores.enter(world.TOKEN)
    assert stores.enter(world.TOKEN)[1] is first
    _, second = stores.enter(OTHER)
    assert second is not first
    assert first.path != second.path
    _, again = stores.enter(world.TOKEN)
    assert again is not first
    assert again.meta("world") == "pad:1"
    stores.close()


def test_an_episode_whose_store_is_gone_is_a_fault_of_the_environment(site: Site, image: Path) -> None:
    world.occupy(site.root, image, token=OTHER, episode="two").unlink()
    browser = site.browser(None)
    browser.set_cookie("deskgym_token", OTHER)
    assert browser.get("/desk").status_code == 503
