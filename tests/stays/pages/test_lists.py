"""Wishlists, messages and the host's side: one command a form, what was typed kept, only one's own."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.stays.pages.conftest import Site, plain

from deskgym_apps.kit.call import run


def test_a_place_is_saved_into_a_new_wishlist_from_its_card(site: Site) -> None:
    heart = re.search(r'href="(/stays/wishlists/save\?listing=(LST\w+)[^"]*)"', site.get("/stays/search"))
    assert heart is not None
    fields = site.form(heart[1].replace("&amp;", "&"), "/stays/wishlists/save")
    fields |= {"list": "", "name": "Lisbon May", "note": "Near the tram"}
    response = site.post("/stays/wishlists/save", fields)
    assert response.location.startswith("/stays/search")
    ((operation, arguments),) = site.commands()
    assert operation == "stays.wishlist"
    assert arguments == {"action": "create", "name": "Lisbon May", "listing": heart[2], "note": "Near the tram"}
    assert "Saved, change wishlists of" in site.get("/stays/search")


def test_two_lists_of_one_name_are_refused_and_the_name_stands_again(site: Site) -> None:
    fields = site.form("/stays/wishlists/new") | {"name": "Alps"}
    site.post("/stays/wishlists/new", fields)
    again = site.form("/stays/wishlists/new") | {"name": "alps"}
    page = site.post("/stays/wishlists/new", again, 409).text
    assert 'value="alps"' in page
    assert len(site.commands()) == 1


def test_a_wishlist_takes_dates_notes_and_another_name_and_goes(site: Site) -> None:
    listing = site.one("SELECT id FROM stays_listing WHERE status = 'listed' AND host_id <> ?", site.person_id)
    fields = site.form(f"/stays/wishlists/save?listing={listing}", "/stays/wishlists/save")
    site.post("/stays/wishlists/save", fields | {"list": "", "name": "Alps"})
    path = "/stays/wishlists/" + site.one("SELECT id FROM stays_wishlist WHERE name = 'Alps'")
    site.post(f"{path}/dates", site.form(f"{path}/dates") | {"checkin": "3 May 2033", "checkout": "2033-05-06"})
    assert "3–6 May 2033" in site.get(path)
    site.post(f"{path}/note", site.form(path, f"{path}/note") | {"note": "Sauna"})
    assert 'value="Sauna"' in site.get(path)
    site.post(f"{path}/rename", site.form(f"{path}/rename") | {"name": "Snow"})
    site.post(f"{path}/remove", site.form(path, f"{path}/remove"))
    assert "Nothing saved here yet" in site.get(path)
    site.post(f"{path}/delete", site.form(f"{path}/delete"))
    site.get(path, 404)


def test_x_7_a_wishlist_that_changed_meanwhile_is_not_overwritten(site: Site) -> None:
    site.post("/stays/wishlists/new", site.form("/stays/wishlists/new") | {"name": "Alps"})
    path = "/stays/wishlists/" + site.one("SELECT id FROM stays_wishlist WHERE name = 'Alps'") + "/rename"
    stale = site.form(path)
    site.post(path, site.form(path) | {"name": "Snow"})
    page = site.post(path, stale | {"name": "Ice"}, 409).text
    assert 'value="Ice"' in page
    assert site.one("SELECT count(*) FROM stays_wishlist WHERE name = 'Snow'") == 1


def test_stay_12_opening_a_thread_writes_nothing_and_reading_it_is_a_post(site_of: Callable[[str], Site]) -> None:
    site = site_of("host")
    link = re.search(r'href="(/stays/messages/TLK\w+)" class="is-unread"', site.get("/stays/messages"))
    assert link is not None
    assert "Mark as read" in site.get(link[1])
    assert site.commands() == []
    site.post(f"{link[1]}/read", site.form(link[1], f"{link[1]}/read"))
    assert [operation for operation, _ in site.commands()] == ["stays.read_thread"]
    assert "Mark as read" not in site.get(link[1])


def test_a_message_is_sent_and_an_empty_one_is_refused(site_of: Callable[[str], Site]) -> None:
    site = site_of("host")
    path = "/stays/messages/" + site.one("SELECT id FROM stays_thread WHERE host_id = ? ORDER BY id", site.person_id)
    site.post(path, site.form(path) | {"body": "  "}, 422)
    site.post(path, site.form(path) | {"body": "The key is\nunder the pot."})
    ((operation, arguments),) = site.commands()
    assert operation == "stays.message"
    assert arguments["body"] == "The key is\nunder the pot."
    assert "under the pot." in site.get(path)


def test_a_first_message_about_a_listing_opens_its_thread(site: Site) -> None:
    listing = site.one(
        "SELECT id FROM stays_listing l WHERE status = 'listed' AND host_id <> ?1 AND NOT EXISTS "
        "(SELECT 1 FROM stays_thread t WHERE t.listing_id = l.id AND t.guest_id = ?1)",
        site.person_id,
    )
    fields = site.form(f"/stays/messages/new?listing={listing}", "/stays/messages/new")
    response = site.post("/stays/messages/new", fields | {"body": "Is there a lift?"})
    assert re.match(r"/stays/messages/TLK\w+\?done=sent", response.location)
    assert "Is there a lift?" in site.get(response.location)


def test_stay_13_a_range_shows_how_many_nights_it_means_before_it_is_changed(site_of: Callable[[str], Site]) -> None:
    site = site_of("host")
    listing = site.one(
        "SELECT id FROM stays_listing WHERE host_id = ? AND status = 'listed' ORDER BY title_norm", site.person_id
    )
    first, last = site.day(200), site.day(206)
    span = f"from={first}&to={last}&weekdays=1234567"
    address = f"/stays/host/calendar/check?listing={listing}&{span}&action=min_nights&value=3"
    page = site.get(address)
    assert "Set minimum nights: 7 nights" in plain(page)
    assert site.commands() == []
    site.post("/stays/host/calendar", site.form(address, "/stays/host/calendar"))
    ((operation, arguments),) = site.commands()
    assert operation == "stays.host_calendar"
    assert arguments["expected_nights"] == 7
    assert "minimum 3 nights" in site.get(f"/stays/host/calendar?listing={listing}&month={first[:7]}")


def test_stay_13_reserved_nights_are_named_and_cannot_be_blocked(site_of: Callable[[str], Site]) -> None:
    site = site_of("host")
    listing, code, checkin = site.store.conn.execute(
        "SELECT l.id, r.code, r.checkin FROM stays_listing l JOIN stays_reservation r ON r.listing_id = l.id WHERE "
        "l.host_id = ? AND r.status = 'confirmed' AND l.inventory = 1 AND r.checkin > '2033-03-20' ORDER BY r.checkin",
        (site.person_id,),
    ).fetchone()
    page = site.get(f"/stays/host/calendar/check?listing={listing}&from={checkin}&to={checkin}&action=block")
    assert code in page
    assert "cannot be blocked" in page
    assert 'name="expected_nights"' not in page


def test_x_12_a_range_that_cannot_be_read_keeps_what_was_typed(site_of: Callable[[str], Site]) -> None:
    site = site_of("host")
    page = site.get("/stays/host/calendar/check?from=soon&to=2033-05-06&action=block", 422)
    assert 'value="soon"' in page


def test_the_editor_sends_only_what_was_touched(site_of: Callable[[str], Site]) -> None:
    site = site_of("host")
    listing = site.one("SELECT id FROM stays_listing WHERE host_id = ? ORDER BY id", site.person_id)
    for step in ("basics", "rooms", "photos", "amenities", "rules", "booking", "pricing"):
        path = f"/stays/host/listings/{listing}/{step}"
        site.post(path, site.form(path))
    assert site.commands() == []
    path = f"/stays/host/listings/{listing}/pricing"
    site.post(path, site.form(path) | {"cleaning_fee": "77"})
    ((operation, arguments),) = site.commands()
    assert operation == "stays.host_pricing"
    assert arguments["values"] == {"cleaning_fee": "77"}


def test_the_editor_changes_the_note_of_an_amenity_alone(site_of: Callable[[str], Site]) -> None:
    site = site_of("host")
    listing = site.one("SELECT id FROM stays_listing WHERE host_id = ? ORDER BY id", site.person_id)
    path = f"/stays/host/listings/{listing}/amenities"
    fields = site.form(path)
    code = next(name.removeprefix("has-") for name in fields if name.startswith("has-"))
    site.post(path, fields | {f"note-{code}": "300 Mbps"})
    ((_, arguments),) = site.commands()
    assert arguments["values"] == {"amenities": [{"amenity": code, "note": "300 Mbps"}]}


def test_x_7_a_listing_that_changed_meanwhile_shows_both_values(site_of: Callable[[str], Site]) -> None:
    site = site_of("host")
    listing = site.one("SELECT id FROM stays_listing WHERE host_id = ? ORDER BY id", site.person_id)
    path = f"/stays/host/listings/{listing}/pricing"
    stale = site.form(path)
    site.post(path, site.form(path) | {"cleaning_fee": "77"})
    page = site.post(path, stale | {"cleaning_fee": "88"}, 409).text
    assert "77" in plain(page)
    assert "88" in plain(page)
    retry = site.client.post(path, data=_fields_of_conflict(page), headers={"Origin": "http://localhost"})
    assert retry.status_code == 303
    assert site.one("SELECT cleaning_fee FROM stays_listing WHERE id = ?", listing) == 8800


def _fields_of_conflict(page: str) -> dict[str, str]:
    return dict(re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', page.split("notice-ways")[1]))


def test_x_12_a_price_below_the_floor_is_refused_beside_its_box(site_of: Callable[[str], Site]) -> None:
    site = site_of("host")
    listing = site.one("SELECT id FROM stays_listing WHERE host_id = ? ORDER BY id", site.person_id)
    path = f"/stays/host/listings/{listing}/pricing"
    page = site.post(path, site.form(path) | {"base_price": "3"}, 422).text
    assert 'value="3"' in page
    assert 'id="pricing-base_price-error"' in page


def test_every_page_of_the_host_opens_and_is_closed_to_others(site_of: Callable[[str], Site]) -> None:
    host, guest = site_of("host"), site_of("guest")
    for path in ("", "listings", "calendar", "reservations", "earnings", "reviews", "listings/new"):
        page = host.get(f"/stays/host/{path}")
        assert page.count("<h1") == 1, path
    listing = host.one("SELECT id FROM stays_listing WHERE host_id = ? ORDER BY id", host.person_id)
    guest.get(f"/stays/host/listings/{listing}/basics", 404)


def test_stay_9_a_stay_that_ended_can_be_reviewed_once(site_of: Callable[[str], Site]) -> None:
    site = site_of("host")
    code = site.one(
        "SELECT r.code FROM stays_reservation r WHERE r.guest_id = ?1 AND r.status = 'completed' AND r.checkout > "
        "date('2033-03-16', '-12 days') AND NOT EXISTS (SELECT 1 FROM stays_review v WHERE v.reservation_id = r.id AND "
        "v.author_id = ?1)",
        site.person_id,
    )
    path = f"/stays/trips/{code}/review"
    fields = site.form(path)
    page = site.post(path, fields | {"overall": "4", "body": ""}, 422).text
    assert re.search(r'<option value="4" selected', page)
    rated = dict.fromkeys(("cleanliness", "accuracy", "checkin", "communication", "location", "value"), "5")
    site.post(path, fields | rated | {"overall": "4", "body": "Quiet and clean."})
    ((operation, arguments),) = site.commands()
    assert operation == "stays.review"
    assert arguments["overall"] == 4


def test_a_question_about_dates_is_an_inquiry(site: Site) -> None:
    listing, checkin, checkout = site.free_stay()
    address = f"/stays/messages/new?listing={listing}&checkin={checkin}&checkout={checkout}&adults=1"
    response = site.post("/stays/messages/new", site.form(address, "/stays/messages/new") | {"body": "Is it quiet?"})
    ((operation, arguments),) = site.commands()
    assert operation == "stays.inquire"
    assert arguments["checkin"] == checkin
    assert "Question sent to the host." in plain(site.get(response.location))


def test_a_season_is_made_changed_and_deleted(site_of: Callable[[str], Site]) -> None:
    site = site_of("host")
    listing = site.one("SELECT id FROM stays_listing WHERE host_id = ? ORDER BY id", site.person_id)
    path = f"/stays/host/listings/{listing}/seasons"
    fields = {"name": "Regatta", "date_from": site.day(300), "date_to": site.day(310), "adjust_percent": "25"}
    page = site.post(f"{path}/new", site.form(f"{path}/new") | fields | {"date_to": "later"}, 422).text
    assert 'value="later"' in page
    site.post(f"{path}/new", site.form(f"{path}/new") | fields)
    season = site.one("SELECT id FROM stays_season WHERE name = 'Regatta'")
    site.post(f"{path}/{season}", site.form(f"{path}/{season}") | {"name": "Regatta week"})
    assert "Regatta week" in site.get(path)
    site.post(f"{path}/{season}/delete", site.form(path, f"{path}/{season}/delete"))
    assert "Regatta week" not in site.get(path)
    assert [operation for operation, _ in site.commands()] == [
        "stays.create_season",
        "stays.update_season",
        "stays.delete_season",
    ]


def test_a_special_offer_is_asked_for_in_the_currency_of_the_listing(site_of: Callable[[str], Site]) -> None:
    host, guest = site_of("host"), site_of("guest")
    listing, checkin, checkout = guest.free_stay(f"l.host_id = '{host.person_id}'")
    asked = {"listing": listing, "checkin": checkin, "checkout": checkout, "body": "Is there a lift?"}
    code = run(guest.store, "stays.inquire", asked, person_id=guest.person_id, channel="ui")["code"]
    currency = host.one("SELECT currency FROM stays_listing WHERE id = ?", listing)
    page = plain(host.get(f"/stays/host/reservations/{code}/offer"))
    assert re.search(rf"Total[^A-Za-z]*{currency}", page) is not None
