"""The resolution centre in pages: asking, giving money back, answering, exactly as the tools do (row 24)."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from tests.stays.pages.conftest import Site, Town, plain
from tests.stays.pages.test_names import check

OVER = (
    "SELECT r.code FROM stays_reservation r JOIN stays_listing l ON l.id = r.listing_id WHERE r.status = 'completed' "
    "AND l.host_id IN (SELECT id FROM stays_user WHERE person_id IS NOT NULL) AND r.guest_id IN (SELECT id FROM "
    "stays_user WHERE person_id IS NOT NULL) AND r.guest_id <> l.host_id AND r.total > 10000 ORDER BY r.code"
)
WORDS = {"reason": "amenity", "body": "The shower was cold for two days."}


@pytest.fixture
def sides(town: Town, site: Site) -> tuple[str, Site, Site]:
    """The code of a stay that is over between two of the staff, with its guest's and its host's sites."""
    code = site.one(OVER)
    guest, host = site.store.conn.execute(
        "SELECT r.guest_id, l.host_id FROM stays_reservation r JOIN stays_listing l ON l.id = r.listing_id "
        "WHERE r.code = ?",
        (code,),
    ).fetchone()
    episode = town.episode()
    return code, town.enter(episode, guest), town.enter(episode, host)


def _ask(site: Site, code: str, action: str, **typed: str) -> str:
    path = f"/stays/trips/{code}/resolution/{action}"
    site.post(path, site.form(path) | WORDS | typed)
    found = site.one("SELECT id FROM stays_resolution ORDER BY created_at DESC, id DESC")
    return str(found)


def test_a_guest_asks_for_a_refund_and_the_host_accepts_its_amount(sides: tuple[str, Site, Site]) -> None:
    code, guest, host = sides
    request = _ask(guest, code, "refund", amount="41.50")
    page = plain(host.get("/stays/resolutions"))
    assert "Refund of 41.50" in page
    assert "The shower was cold for two days." in page
    path = f"/stays/resolutions/{request}/accept"
    fields = host.form(path)
    first, again = host.post(path, fields), host.post(path, fields)
    assert first.location == again.location
    (_, asked), (_, accepted) = host.commands()
    assert asked == {"action": "refund", "code": code, "amount": "41.5", **WORDS}
    assert accepted == {"action": "accept", "id": request, "amount": "41.5"}
    assert "Accepted" in plain(guest.get(f"/stays/trips/{code}/resolution"))
    assert guest.one("SELECT amount FROM stays_payment WHERE kind = 'refund' AND reason = 'resolution'") == 4150


def test_a_host_gives_money_back_at_once_and_not_more_than_there_is(sides: tuple[str, Site, Site]) -> None:
    code, _, host = sides
    path = f"/stays/trips/{code}/resolution/refund"
    page = host.post(path, host.form(path) | WORDS | {"amount": "999999"}, 422).text
    assert 'value="999999"' in page
    assert "The shower was cold" in page
    assert "the host can give back at most" in page.lower()
    assert re.search(r'href="#ask-amount"', page)
    assert host.commands() == []
    _ask(host, code, "refund", amount="10")
    assert "Refund of 10.00" in plain(host.get(f"/stays/trips/{code}"))


def test_a_host_asks_for_a_payment_that_the_guest_declines(sides: tuple[str, Site, Site]) -> None:
    code, guest, host = sides
    request = _ask(host, code, "payment", amount="25", reason="damage")
    page = f"/stays/trips/{code}/resolution"
    guest.post(f"/stays/resolutions/{request}/decline", guest.form(page, f"/stays/resolutions/{request}/decline"))
    assert "Declined" in plain(host.get(page))
    guest.get(f"/stays/trips/{code}/resolution/payment", 403)


def test_a_problem_is_told_without_an_amount_and_can_be_withdrawn(sides: tuple[str, Site, Site]) -> None:
    code, guest, _ = sides
    request = _ask(guest, code, "problem")
    page = f"/stays/trips/{code}/resolution"
    guest.post(f"/stays/resolutions/{request}/withdraw", guest.form(page, f"/stays/resolutions/{request}/withdraw"))
    assert [arguments["action"] for _, arguments in guest.commands()] == ["problem", "withdraw"]
    assert "Withdrawn" in plain(guest.get(page))


def test_x_12_what_is_missing_is_said_beside_its_control(sides: tuple[str, Site, Site]) -> None:
    code, guest, _ = sides
    path = f"/stays/trips/{code}/resolution/refund"
    page = guest.post(path, guest.form(path) | {"amount": "12.34"}, 422).text
    assert 'value="12.34"' in page
    assert 'href="#ask-reason"' in page
    assert "Choose a reason" in plain(page)
    assert "Say what happened" in plain(page)
    assert guest.commands() == []


def test_x_6_a_request_sent_twice_is_made_once_and_needs_its_token(sides: tuple[str, Site, Site]) -> None:
    code, guest, _ = sides
    path = f"/stays/trips/{code}/resolution/refund"
    fields = guest.form(path) | WORDS | {"amount": "5"}
    guest.post(path, {name: value for name, value in fields.items() if name != "form_token"}, 400)
    first, again = guest.post(path, fields), guest.post(path, fields)
    assert first.location == again.location
    assert len(guest.commands()) == 1


def test_x_10_requests_of_others_are_not_found(sides: tuple[str, Site, Site], town: Town) -> None:
    code, guest, host = sides
    request = _ask(guest, code, "refund", amount="5")
    stranger = next(
        person
        for (person,) in guest.store.conn.execute("SELECT id FROM stays_user WHERE person_id IS NOT NULL ORDER BY id")
        if person not in (guest.person_id, host.person_id)
    )
    other = town.enter(f"e{next(town.numbers) - 1}", stranger)
    assert other.store is guest.store
    other.get(f"/stays/trips/{code}/resolution", 404)
    other.get(f"/stays/trips/{code}/resolution/refund", 404)
    other.get(f"/stays/resolutions/{request}/accept", 404)
    assert request not in other.get("/stays/resolutions")


def test_names_are_unique_in_the_resolution_centre(
    sides: tuple[str, Site, Site], site_of: Callable[[str], Site]
) -> None:
    code, guest, host = sides
    check(guest.get("/stays/resolutions"))
    _ask(guest, code, "refund", amount="5")
    _ask(guest, code, "problem")
    for site in (guest, host):
        for path in (
            "/stays/resolutions",
            f"/stays/trips/{code}",
            f"/stays/trips/{code}/resolution",
            f"/stays/trips/{code}/resolution/refund",
        ):
            check(site.get(path))
