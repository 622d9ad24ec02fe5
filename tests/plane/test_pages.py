"""Pages of an episode: who is in it, what comes from elsewhere, what a GET may do, and refusals as pages."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from tests.fixtures.pad import world
from werkzeug.test import TestResponse

from deskgym_apps.desk import service as desk
from deskgym_apps.kit import folder
from deskgym_apps.kit.canonical import full_dump
from deskgym_apps.kit.session import COOKIE
from deskgym_apps.kit.store import Store
from deskgym_apps.kit.stores import OpenStores
from deskgym_apps.server import create_pages

HERE = "http://localhost"
OTHER = "o" * 40


@pytest.fixture
def stores(root: Path) -> Iterator[OpenStores]:
    opened = OpenStores(root)
    yield opened
    opened.close()


@pytest.fixture
def browser(root: Path, stores: OpenStores) -> FlaskClient:
    """A browser that entered Ana's episode."""
    client = create_pages(root, stores=stores).test_client()
    assert client.get(f"/enter/{world.TOKEN}").status_code == 303
    return client


def post(client: FlaskClient, path: str, data: dict[str, Any], **headers: str) -> TestResponse:
    return client.post(path, data=data, headers={"Origin": HERE} | headers)


def dump(root: Path, episode: str = "one") -> dict[str, list[list[Any]]]:
    with Store.open(root / episode / "store.db") as store:
        return full_dump(store)


# --- Who is in -----------------------------------------------------------------------------------------


def test_entering_sets_a_strict_cookie_that_scripts_cannot_read_and_goes_to_the_desk(
    root: Path, stores: OpenStores
) -> None:
    answer = create_pages(root, stores=stores).test_client().get(f"/enter/{world.TOKEN}")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/desk")
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith(f"{COOKIE}={world.TOKEN};")
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie


def test_the_root_leads_to_the_desk(browser: FlaskClient) -> None:
    assert browser.get("/").headers["Location"] == "/desk"


def test_entering_by_a_link_from_another_site_offers_the_way_since_the_cookie_does_not_travel(
    root: Path, stores: OpenStores
) -> None:
    client = create_pages(root, stores=stores).test_client()
    answer = client.get(f"/enter/{world.TOKEN}", headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 200
    assert COOKIE in answer.headers["Set-Cookie"]
    assert 'href="/desk">Go to the desk</a>' in answer.text


def test_entering_asks_before_it_leaves_another_live_episode(root: Path, image: Path, browser: FlaskClient) -> None:
    world.occupy(root, image, token=OTHER, episode="two", person=world.BEN)
    asked = browser.get(f"/enter/{OTHER}")
    assert asked.status_code == 200
    assert "Set-Cookie" not in asked.headers
    assert "Leave the present work?" in asked.text
    assert "Ana Stone" in browser.get("/desk").text
    assert post(browser, f"/enter/{OTHER}", {}).status_code == 303
    assert "Ben Stone" in browser.get("/desk").text
    folder.revoke(root, OTHER)
    assert browser.get(f"/enter/{world.TOKEN}").status_code == 303


@pytest.mark.parametrize(("token", "status"), [("x" * 40, 404), ("short", 404), ("%2e%2e%2fone", 404)])
def test_an_unknown_token_is_404(root: Path, stores: OpenStores, token: str, status: int) -> None:
    assert create_pages(root, stores=stores).test_client().get(f"/enter/{token}").status_code == status


def test_without_an_episode_every_page_is_401_and_says_what_to_do(root: Path, stores: OpenStores) -> None:
    client = create_pages(root, stores=stores).test_client()
    for path in ("/desk", "/pad/", "/pad/new"):
        answer = client.get(path)
        assert answer.status_code == 401
        assert "Open the link that you were given" in answer.text
    client.set_cookie(COOKIE, "x" * 40)
    assert client.get("/desk").status_code == 401


def test_a_revoked_token_is_410_at_once(root: Path, browser: FlaskClient) -> None:
    assert browser.get("/pad/").status_code == 200
    folder.revoke(root, world.TOKEN)
    assert browser.get("/pad/").status_code == 410
    assert browser.get(f"/enter/{world.TOKEN}").status_code == 410
    assert post(browser, "/pad/new", {"title": "x"}).status_code == 410


def test_an_app_that_the_episode_does_not_have_is_404(root: Path, image: Path, stores: OpenStores) -> None:
    world.occupy(root, image, token=OTHER, episode="two", apps=())
    client = create_pages(root, stores=stores).test_client()
    client.get(f"/enter/{OTHER}")
    assert client.get("/pad/").status_code == 404
    assert "Pad" not in client.get("/desk").text


def test_an_episode_whose_store_is_gone_is_503_never_an_empty_page(root: Path, stores: OpenStores) -> None:
    client = create_pages(root, stores=stores).test_client()
    (root / "one/store.db").unlink()
    client.get(f"/enter/{world.TOKEN}")
    assert client.get("/pad/").status_code == 503


def test_public_facts_that_change_are_seen_by_the_next_request(root: Path, browser: FlaskClient) -> None:
    browser.get("/desk")
    folder.write_public(root / "one", folder.Public("Now do this.", None, ("pad",), None, {"theme": "dark"}))
    text = browser.get("/desk").text
    assert "Now do this." in text
    assert 'data-theme="dark"' in text


def test_a_few_stores_stay_open_and_the_oldest_is_closed(root: Path, image: Path) -> None:
    tokens = [f"{number:040d}" for number in range(3)]
    for token in tokens:
        world.occupy(root, image, token=token, episode=token)
    stores = OpenStores(root, keep=2)
    first = stores.enter(tokens[0])[1]
    second = stores.enter(tokens[1])[1]
    assert stores.enter(tokens[0])[1] is first
    stores.enter(tokens[2])
    with pytest.raises(sqlite3.ProgrammingError):
        second.now  # noqa: B018 - reading a closed store
    assert first.now == world.NOW
    assert stores.enter(tokens[1])[1] is not second
    stores.close()


# --- Where a request comes from ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:9999"},
        {"Origin": "https://localhost"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": HERE, "Sec-Fetch-Site": "cross-site"},
        {"Origin": "http://evil.example", "Sec-Fetch-Site": "same-origin"},
    ],
)
def test_a_post_that_does_not_come_from_our_pages_is_refused(
    root: Path, browser: FlaskClient, headers: dict[str, str]
) -> None:
    before = dump(root)
    for path in ("/pad/new", "/desk/submit", f"/enter/{world.TOKEN}"):
        answer = browser.post(path, data={"title": "x", "status": "done", "confirm": "1"}, headers=headers)
        assert answer.status_code == 403
        assert "Set-Cookie" not in answer.headers
    assert dump(root) == before


@pytest.mark.parametrize("headers", [{"Origin": HERE}, {"Sec-Fetch-Site": "same-origin"}])
def test_a_post_from_our_pages_is_taken(browser: FlaskClient, headers: dict[str, str]) -> None:
    assert browser.post("/pad/new", data={"title": "x", "colour": "yellow"}, headers=headers).status_code == 303


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example"]
)
def test_a_foreign_host_name_is_refused(browser: FlaskClient, host: str) -> None:
    assert browser.get("/desk", headers={"Host": host}).status_code == 421


def test_a_host_name_can_be_allowed(root: Path, stores: OpenStores) -> None:
    for hosts in (["app"], ["*"]):
        client = create_pages(root, stores=stores, hosts=hosts).test_client()
        assert client.get(f"/enter/{world.TOKEN}", headers={"Host": "app:8000"}).status_code == 303


# --- What a request may do -----------------------------------------------------------------------------


def test_x11_no_get_writes_anything(root: Path, browser: FlaskClient) -> None:
    before = dump(root)
    for path in ("/", "/desk", "/pad/", "/pad/new", f"/pad/{world.MILK}/edit", "/nothing", f"/enter/{world.TOKEN}"):
        browser.get(path)
        browser.head(path)
    assert dump(root) == before


def test_x11_a_get_that_tries_to_write_fails_and_writes_nothing(root: Path, browser: FlaskClient) -> None:
    before = dump(root)
    assert browser.get("/pad/writes").status_code == 500
    assert dump(root) == before
    assert browser.get("/pad/").status_code == 200


def test_a_form_is_taken_once_and_leads_on_by_get(root: Path, browser: FlaskClient) -> None:
    page = browser.get("/pad/new").text
    token = page.split('name="form_token" value="', 1)[1].split('"', 1)[0]
    form = {"title": "Call the bank", "colour": "yellow", "form_token": token}
    answers = [post(browser, "/pad/new", form) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [303, 303]
    with Store.open(root / "one/store.db") as store:
        assert store.all("SELECT operation, channel, person_id, arguments FROM jrn_command") == [
            {
                "operation": "pad.write_note",
                "channel": "ui",
                "person_id": world.ANA,
                "arguments": '{"title":"Call the bank"}',
            }
        ]


def test_x12_a_rejected_form_is_422_and_keeps_what_was_typed(browser: FlaskClient) -> None:
    answer = post(browser, "/pad/new", {"title": "  ", "colour": "green", "cost": "a <lot>", "body": "kept & safe"})
    assert answer.status_code == 422
    for text in ("a &lt;lot&gt;", "kept &amp; safe", 'role="alert"', 'value="green" selected'):
        assert text in answer.text


def test_refusals_of_a_service_are_pages_with_their_status_and_a_way_back(browser: FlaskClient) -> None:
    row = f"/pad/{world.MILK}/edit"
    stale = post(browser, row, {"row_version": "7", "title": "Buy tea", "colour": "yellow"})
    gone = browser.get("/pad/PAD000000000009/edit")
    wrong = post(browser, row, {"row_version": "1", "title": "!", "colour": "yellow"})
    assert [answer.status_code for answer in (stale, gone, wrong)] == [409, 404, 422]
    for answer in (stale, gone, wrong):
        assert 'href="/desk"' in answer.text
        assert "<h1" in answer.text
    assert "There is no note PAD000000000009" in gone.text


def test_a_script_that_asks_for_json_gets_refusals_as_json(browser: FlaskClient) -> None:
    answer = browser.get("/pad/PAD000000000009/edit", headers={"Accept": "application/json"})
    assert (answer.status_code, answer.is_json) == (404, True)


def test_a_fault_is_500_without_detail_and_the_next_request_works(browser: FlaskClient) -> None:
    answer = browser.get("/pad/fails")
    assert answer.status_code == 500
    for secret in ("Traceback", "ZeroDivisionError", "service.py", "1 //"):
        assert secret not in answer.text
    assert browser.get("/pad/").status_code == 200


def test_wrong_paths_and_methods_are_pages_too(browser: FlaskClient) -> None:
    assert browser.get("/pad/nothing/here").status_code == 404
    assert browser.post("/pad/").status_code == 405
    assert browser.get("/desk/submit").status_code == 405
    assert browser.delete("/desk").status_code == 405


@pytest.mark.parametrize(
    "path",
    [
        "/static/", "/static/desk.css", "/desk/static/", "/desk/static/../routes.py", "/desk/static/..%2froutes.py",
        "/desk/routes.py", "/desk/templates/desk/desk.html", "/kit/static/", "/pad/static/x", "/console",
        "/?__debugger__=yes",
    ],
)  # fmt: skip
def test_no_source_no_listing_and_no_debugger_is_served(browser: FlaskClient, path: str) -> None:
    answer = browser.get(path)
    assert answer.status_code in (302, 404)
    assert "def " not in answer.text


def test_a_request_that_is_too_large_is_413(root: Path, browser: FlaskClient) -> None:
    before = dump(root)
    assert post(browser, "/pad/new", {"title": "x", "body": "b" * 1_100_000}).status_code == 413
    assert dump(root) == before


def test_every_page_carries_the_security_headers(browser: FlaskClient) -> None:
    for path in ("/desk", "/pad/", "/nothing", "/pad/fails"):
        headers = browser.get(path).headers
        assert headers["Content-Security-Policy"].startswith("default-src 'self'; ")
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cache-Control"] == "no-store"


def test_once_sealed_everything_can_be_read_and_nothing_changed(root: Path, browser: FlaskClient) -> None:
    with Store.open(root / "one/store.db") as store:
        desk.submit(store, world.ANA, "mcp", {"status": "done"})
    before = dump(root)
    for path in ("/desk", "/pad/", "/pad/new"):
        assert browser.get(path).status_code == 200
    for path in ("/pad/new", "/desk/submit", f"/pad/{world.MILK}/edit"):
        assert post(browser, path, {"title": "x", "status": "done", "confirm": "1"}).status_code == 410
    assert dump(root) == before
