"""All calendars of a host side by side: a row for each listing, every cell in words, and the same as a list."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

from tests.stays.pages.conftest import Site, plain
from tests.stays.pages.test_names import check

SIDE = "/stays/host/calendar/all"


def test_every_listing_is_a_row_of_fourteen_nights(site_of: Callable[[str], Site]) -> None:
    site = site_of("host")
    page = site.get(SIDE)
    check(page)
    listed = site.one(
        "SELECT count(*) FROM stays_listing WHERE host_id = ? AND status IN ('listed', 'snoozed')", site.person_id
    )
    rows = re.findall(r'<tr><th scope="row">(.*?)</tr>', page, re.DOTALL)
    assert len(rows) == listed > 1
    for row in rows:
        spans = [int(found or "1") for found in re.findall(r'<td class="side-\w+"(?: colspan="(\d+)")?', row)]
        assert sum(spans) == 14
    assert SIDE in site.get("/stays/host/calendar")
    assert site.commands() == []


def test_a_stay_is_one_bar_with_its_guest_and_code_in_grid_and_list(site_of: Callable[[str], Site]) -> None:
    site = site_of("host")
    code, checkin = site.store.conn.execute(
        "SELECT r.code, r.checkin FROM stays_reservation r JOIN stays_listing l ON l.id = r.listing_id WHERE "
        "l.host_id = ? AND r.status = 'confirmed' AND l.inventory = 1 AND l.status = 'listed' AND "
        "r.checkin > '2033-03-20' AND julianday(r.checkout) - julianday(r.checkin) BETWEEN 2 AND 10 ORDER BY r.checkin",
        (site.person_id,),
    ).fetchone()
    page = site.get(f"{SIDE}?from={checkin}")
    check(page)
    grid, _, as_list = page.partition('<details class="side-list">')
    assert grid.count(f'href="/stays/trips/{code}"') == 1
    assert as_list.count(f'href="/stays/trips/{code}"') == 1
    assert re.search(rf'colspan="\d+"><a href="/stays/trips/{code}" aria-label="[^"]*, {code}"', grid)


def test_the_weeks_turn_and_a_day_that_cannot_be_read_keeps_what_was_typed(site_of: Callable[[str], Site]) -> None:
    site = site_of("host")
    later = re.search(r'href="([^"]*)"><span>Later two weeks', site.get(SIDE))
    assert later is not None
    assert site.get(unescape(later[1])) != site.get(SIDE)
    page = site.get(f"{SIDE}?from=soon", 422)
    assert 'value="soon"' in page
    assert 'href="#side-from"' in page
    assert "Calendars of all listings" in page


def test_guests_without_a_listing_are_told_that_it_is_for_hosts(site_of: Callable[[str], Site]) -> None:
    site = site_of("guest")
    is_host = site.one("SELECT is_host FROM stays_user WHERE id = ?", site.person_id)
    assert "Harbourstay" in plain(site.get(SIDE, 200 if is_host else 403))
