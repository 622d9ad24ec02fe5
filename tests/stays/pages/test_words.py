"""What pages say: dates as people read them, each step once, languages by their names."""

from __future__ import annotations

import re

from tests.stays.pages.conftest import Site, plain

ISO = re.compile(r"\d{4}-\d{2}-\d{2}")


def test_a_refusal_beside_a_price_writes_its_dates_in_words(site: Site) -> None:
    listing = site.one("SELECT id FROM stays_listing WHERE status = 'listed' AND host_id <> ?", site.person_id)
    page = plain(site.get(f"/stays/listings/{listing}?checkin=2033-01-03&checkout=2033-01-06"))
    assert "3 January 2033 is past" in page
    assert not ISO.search(page.replace("2027-05-14", ""))


def test_a_fault_of_a_form_writes_its_dates_in_words(site: Site) -> None:
    path = "/stays/wishlists/new"
    typed = {"name": "Backwards", "checkin": "2033-05-06", "checkout": "2033-05-03"}
    page = plain(site.post(path, site.form(path) | typed, 422).text)
    assert "3 May 2033" in page
    assert not re.search(r"(?<!\d)2033-", page)


def test_a_thread_tells_each_step_of_a_reservation_once(site: Site) -> None:
    thread, code, at = site.store.conn.execute(
        "SELECT t.id, r.code, m.at FROM stays_thread t JOIN stays_reservation r ON r.listing_id = t.listing_id "
        "AND r.guest_id = t.guest_id JOIN stays_message m ON m.thread_id = t.id AND m.at = r.confirmed_at AND "
        "m.kind = 'system' WHERE t.guest_id = ? ORDER BY t.id",
        (site.person_id,),
    ).fetchone()
    page = site.get(f"/stays/messages/{thread}")
    told = [
        plain(one)
        for one in re.findall(r'<li class="bubble is-system.*?</li>|<li class="bubble is-mine is-system.*?</li>', page)
    ]
    assert sum(code in one and "confirmed" in one for one in told) == 1, (at, told)
    assert not any(ISO.search(one) for one in told)


def test_the_place_typed_into_the_search_bar_is_searched(site: Site) -> None:
    form = re.search(r'<form class="search-bar".*?</form>', site.get("/stays/"), re.DOTALL)
    assert form is not None
    assert re.search(r'id="search-where" name="location"', form[0])


def test_the_host_of_a_listing_speaks_languages_with_names(site: Site) -> None:
    listing = site.one(
        "SELECT l.id FROM stays_listing l JOIN stays_user u ON u.id = l.host_id WHERE l.status = 'listed' AND "
        "u.languages LIKE '%\"de\"%' ORDER BY l.id"
    )
    assert re.search(r"speaks [^·]*German", plain(site.get(f"/stays/listings/{listing}")))
    assert "host speaks German" in plain(site.get("/stays/search?host_language=de"))
    assert re.search(r'<option value="de"[^>]*>German</option>', site.get("/stays/search"))


def test_a_search_for_any_weekend_of_a_month_names_the_weekend_it_found(site: Site) -> None:
    page = site.get("/stays/search?location=Porto&weekend_in=2033-05")
    assert re.search(r'<option value="2033-05" selected>May 2033</option>', page)
    first = re.search(r'href="/stays/listings/LST\w+\?checkin=(2033-05-\d\d)&amp;checkout=(2033-\d\d-\d\d)', page)
    assert first is not None, "no stay is free on any weekend"


def test_x_12_faults_of_a_search_lead_to_their_controls(site: Site) -> None:
    query = "location=Porto&checkin=soon&checkout=2033-05-06&minPrice=cheap&sort=odd&adults=many"
    page = site.get(f"/stays/search?{query}", 422)
    links = re.findall(r'<li><a href="#([\w-]+)">', page)
    assert set(links) == {"search-checkin", "filter-minPrice", "sort", "search-adults"}
    assert all(f'id="{one}"' in page for one in links)
    page = site.get("/stays/search?checkin=2033-05-03&checkout=2033-05-06&weekend_in=2033-05", 422)
    assert '<a href="#search-weekend_in">' in page


def test_prices_of_a_search_are_shown_in_another_currency(site: Site) -> None:
    assert re.search(r"[\d,]+ JPY a night", plain(site.get("/stays/search?location=Porto&currency=JPY")))
