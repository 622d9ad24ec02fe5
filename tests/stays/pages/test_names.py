"""Within a landmark, row, dialog or menu no two things to press share role and name (accessibility.md, gates)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from bs4 import BeautifulSoup
from tests.kit.web.naming import actionable, name_of, region_of, role_of
from tests.stays.pages.conftest import Site

GUEST = (
    "/stays/",
    "/stays/search",
    "/stays/search?location=Porto&adults=2&instant_book=1&amenities=wifi&minPrice=20",
    "/stays/search?location=Valencia",
    "/stays/trips",
    "/stays/trips?status=past",
    "/stays/messages",
    "/stays/wishlists",
    "/stays/wishlists/new",
)
HOST = (
    "/stays/host/",
    "/stays/host/reservations?status=past",
    "/stays/host/calendar",
    "/stays/host/listings",
    "/stays/host/listings/new",
    "/stays/host/earnings",
    "/stays/host/reviews",
)
STEPS = ("basics", "rooms", "photos", "amenities", "rules", "booking", "pricing", "seasons")


def check(page: str) -> None:
    soup = BeautifulSoup(page, "html.parser")
    found = Counter((id(region_of(element)), role_of(element), name_of(soup, element)) for element in actionable(soup))
    assert [(role, name) for (_, role, name), count in found.items() if count > 1] == []
    assert all(name for _, _, name in found), "something has no name"
    assert len(soup.find_all("h1")) == 1
    ids = [element["id"] for element in soup.find_all(id=True)]
    assert [one for one, count in Counter(ids).items() if count > 1] == []


@pytest.mark.parametrize("path", GUEST)
def test_names_are_unique_where_a_guest_reads(site: Site, path: str) -> None:
    check(site.get(path))


@pytest.mark.parametrize("path", HOST)
def test_names_are_unique_where_a_host_reads(site_of: Callable[[str], Site], path: str) -> None:
    check(site_of("host").get(path))


def test_names_are_unique_in_every_step_of_the_editor(site_of: Callable[[str], Site]) -> None:
    site = site_of("host")
    listing = site.one("SELECT id FROM stays_listing WHERE host_id = ? ORDER BY id", site.person_id)
    for step in STEPS:
        check(site.get(f"/stays/host/listings/{listing}/{step}"))


def test_names_are_unique_on_a_listing_its_checkout_and_a_trip(site: Site) -> None:
    listing, checkin, checkout = site.free_stay()
    stay = f"checkin={checkin}&checkout={checkout}&adults=1"
    code = site.one("SELECT code FROM stays_reservation WHERE guest_id = ? AND status = 'confirmed'", site.person_id)
    thread = site.one("SELECT id FROM stays_thread WHERE guest_id = ? ORDER BY id", site.person_id)
    for path in (
        f"/stays/listings/{listing}?{stay}",
        f"/stays/listings/{listing}?checkin={checkin}",
        f"/stays/listings/{listing}/reviews",
        f"/stays/listings/{listing}/photos",
        f"/stays/book/{listing}?{stay}",
        f"/stays/wishlists/save?listing={listing}",
        f"/stays/messages/new?listing={listing}&{stay}",
        f"/stays/messages/{thread}",
        f"/stays/trips/{code}",
        f"/stays/trips/{code}/receipt",
        f"/stays/trips/{code}/cancel",
        f"/stays/trips/{code}/change?{stay}",
    ):
        check(site.get(path))
