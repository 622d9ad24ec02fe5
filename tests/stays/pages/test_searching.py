"""Search and listing pages: everything in the address, names that tell things apart, what was typed kept."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

from tests.stays.pages.conftest import Site, plain


def test_stay_8_results_and_every_filter_live_in_the_address(site: Site) -> None:
    path = "/stays/search?location=Porto&adults=2&instant_book=1&minPrice=20&sort=price_low"
    page = site.get(path)
    assert page == site.get(path)
    for link in ("instant_book=1", "minPrice=20"):
        assert link in unescape(page)
    without = re.search(r'href="([^"]*)" aria-label="Take away: Instant book"', page)
    assert without is not None
    assert "instant_book" not in without[1]
    assert "minPrice=20" in unescape(without[1])


def test_stay_8_pages_hold_18_stays_and_add_up_to_the_count(site: Site) -> None:
    first = site.get("/stays/search")
    total = int(re.search(r"<h1[^>]*>(\d+) stays", first)[1])  # type: ignore[index]
    seen: list[str] = []
    for number in range(1, -(-total // 18) + 1):
        found = re.findall(r'id="card-(LST\w+)"', site.get(f"/stays/search?page={number}"))
        assert len(found) == (18 if number <= total // 18 else total % 18)
        seen += found
    assert len(seen) == len(set(seen)) == total


def test_stay_8_a_name_that_several_places_have_offers_the_others(site: Site) -> None:
    text = site.one(
        "SELECT name FROM stays_place WHERE kind = 'city' GROUP BY name_norm HAVING count(*) > 1 ORDER BY name"
    )
    page = site.get(f"/stays/search?location={text}")
    assert "Which place do you mean?" in page
    other = re.search(r'<section[^>]*Which place.*?<a class="filter-chip" href="([^"]*)"', page, re.DOTALL)
    assert other is not None
    chosen = site.get(unescape(other[1]))
    assert "Which place do you mean?" not in chosen
    assert chosen != page


def test_another_name_in_the_bar_wins_over_the_place_of_the_address(site: Site) -> None:
    place = site.one("SELECT id FROM stays_place WHERE name = 'Porto'")
    assert "in Porto" in site.get(f"/stays/search?placeId={place}&location=Porto")
    assert "in Lisbon" in site.get(f"/stays/search?placeId={place}&location=Lisbon")


def test_x_12_a_search_that_cannot_be_read_keeps_what_was_typed(site: Site) -> None:
    page = site.get("/stays/search?location=Porto&checkin=soon&adults=2&maxPrice=cheap", 422)
    assert 'value="soon"' in page
    assert 'value="cheap"' in page
    assert "&#34;soon&#34; is not a date" in page
    assert "card-LST" not in page


def test_an_unknown_place_says_so_beside_the_bar(site: Site) -> None:
    page = site.get("/stays/search?location=Nowhereville", 422)
    assert "there is no place &#34;Nowhereville&#34;" in page
    assert 'value="Nowhereville"' in page


def test_the_map_repeats_the_list_as_links_with_names_of_their_own(site: Site) -> None:
    page = site.get("/stays/search?location=Porto")
    cards = set(re.findall(r'id="card-(LST\w+)"', page))
    pins = re.findall(r'<a class="pin[^"]*" href="/stays/listings/(LST\w+)[^"]*" aria-label="([^"]*)"', page)
    assert {listing for listing, _ in pins} == cards
    names = [name for _, name in pins]
    assert len(names) == len(set(names))
    assert all(name.endswith(", on the map") for name in names)


def test_saving_hearts_and_titles_of_one_page_have_different_names(site: Site) -> None:
    for path in ("/stays/", "/stays/search", "/stays/search?location=Valencia", "/stays/search?page=5"):
        page = site.get(path)
        hearts = re.findall(r'<a class="stay-heart[^"]*"[^>]*aria-label="([^"]*)"', page)
        assert hearts
        assert len(hearts) == len(set(hearts)), path


def test_stay_15_every_cell_of_the_calendar_names_its_date_weekday_and_state(site: Site) -> None:
    listing, checkin, _ = site.free_stay()
    page = site.get(f"/stays/listings/{listing}?checkin={checkin}")
    tables = re.findall(r'<table class="month">.*?</table>', page, re.DOTALL)
    assert len(tables) == 2
    for table in tables:
        cells = re.findall(r'<td class="day.*?</td>', table, re.DOTALL)
        assert len(cells) % 7 == 0
        for cell in cells:
            name = re.search(r'aria-label="([^"]*)"|visually-hidden">([^<]*)<', cell)
            assert name is not None
            assert re.match(
                r"(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day \d{1,2} \w+ \d{4}, "
                r"(available|unavailable|in the past|not shown)",
                name[1] or name[2],
            ), name[0]
    assert "Now choose your check-out date" in page


def test_choosing_two_days_of_the_calendar_gives_a_price(site: Site) -> None:
    listing, checkin, _ = site.free_stay()
    page = site.get(f"/stays/listings/{listing}?checkin={checkin}")
    ends = re.findall(r'href="([^"]*checkout=[^"]*)" aria-label="[^"]*available as check-out', page)
    assert ends
    priced = site.get(unescape(ends[2]).split("#")[0])
    assert "Total" in priced
    assert "price-total" in priced


def test_stay_3_the_price_box_shows_the_lines_of_the_quote_and_their_total(site: Site) -> None:
    listing, checkin, checkout = site.free_stay()
    page = plain(site.get(f"/stays/listings/{listing}?checkin={checkin}&checkout={checkout}&adults=1"))
    assert re.search(r"3 nights .*Service fee .*Total", page)
    assert "You are not charged yet." in page


def test_stay_2_too_many_guests_are_refused_in_words_and_not_clamped(site: Site) -> None:
    listing, checkin, checkout = site.free_stay("l.max_guests = 2")
    page = site.get(f"/stays/listings/{listing}?checkin={checkin}&checkout={checkout}&adults=5")
    assert 'name="adults" value="5"' in page
    assert 'class="refusal"' in page
    assert f'href="/stays/book/{listing}' not in page


def test_dates_that_cannot_be_read_stand_again_in_the_price_box(site: Site) -> None:
    listing, _, checkout = site.free_stay()
    page = site.get(f"/stays/listings/{listing}?checkin=someday&checkout={checkout}", 422)
    assert 'value="someday"' in page
    assert "This stay cannot be priced" in page


def test_a_listing_that_is_a_draft_of_somebody_else_is_not_found(site: Site) -> None:
    draft = site.one("SELECT id FROM stays_listing WHERE status = 'draft' AND host_id <> ?", site.person_id)
    if draft is None:
        draft = site.one("SELECT id FROM stays_listing WHERE status <> 'listed' AND host_id <> ?", site.person_id)
    assert draft is not None
    site.get(f"/stays/listings/{draft}", 404)
    site.get("/stays/listings/LST000000000000", 404)


def test_pictures_are_kept_by_browsers_and_need_no_session(site: Site) -> None:
    source = re.search(r'src="(/stays/photos/[^"]*)"', site.get("/stays/"))
    assert source is not None
    response = site.client.application.test_client().get(source[1])
    assert response.status_code == 200
    assert response.content_type == "image/svg+xml"
    assert "immutable" in response.headers["Cache-Control"]
    assert site.client.get("/stays/photos/00000000/front/1.svg").status_code == 404


def test_no_page_has_inline_style_or_script(site_of: Callable[[str], Site]) -> None:
    site = site_of("host")
    for path in ("/stays/", "/stays/search", "/stays/trips", "/stays/messages", "/stays/wishlists"):
        page = site.get(path)
        assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\bsrc=)", page), path
