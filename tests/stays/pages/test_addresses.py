"""Words of an address that are unknown are refused (X-9), and lists go on over pages."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from tests.stays.pages.conftest import Site, Town

from deskgym_apps.kit.store import Store


@pytest.mark.parametrize(
    "query",
    ["trips?status=shoe", "trips?page=0", "messages?unread=2", "messages?page=x", "search?instant_book=yes"],
)
def test_x_9_a_word_that_an_address_does_not_know_is_refused(site: Site, query: str) -> None:
    assert site.client.get(f"/stays/{query}").status_code in (400, 422)


@pytest.mark.parametrize(
    "query", ["reservations?status=shoe", "reservations?page=-1", "calendar?month=2031-13", "earnings?month=May"]
)
def test_x_9_so_do_the_pages_of_hosts(site_of: Callable[[str], Site], query: str) -> None:
    assert site_of("host").client.get(f"/stays/host/{query}").status_code in (400, 422)


def test_x_9_a_listing_and_its_checkout_know_their_words(site: Site) -> None:
    listing, checkin, checkout = site.free_stay()
    stay = f"checkin={checkin}&checkout={checkout}"
    for address in (
        f"listings/{listing}?month=2031-00",
        f"listings/{listing}/reviews?sort=shoe",
        f"book/{listing}?{stay}&rate_plan=cheap",
        f"book/{listing}?{stay}&use_credit=yes",
    ):
        assert site.client.get(f"/stays/{address}").status_code == 400, address


def test_x_17_every_conversation_is_on_some_page(town: Town) -> None:
    with Store.read_image(town.image) as store:
        row = store.one(
            "SELECT u.id, count(*) AS n FROM stays_user u JOIN stays_thread t ON u.id IN (t.guest_id, t.host_id) "
            "WHERE u.person_id IS NOT NULL GROUP BY u.id ORDER BY n DESC, u.id LIMIT 1"
        )
    assert row is not None
    assert row["n"] > 50
    site = town.enter(town.episode(), row["id"])
    first = site.get("/stays/messages")
    more = re.findall(r'href="(/stays/messages\?[^"]*)" rel="next"', first)
    found = {thread for text in (first, *map(site.get, more)) for thread in re.findall(r"/messages/(TLK\w{12})", text)}
    assert len(found) == row["n"]
