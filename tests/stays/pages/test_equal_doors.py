"""What tools can do, pages can: sharing, quick replies, the tax report, service animals, prices tried (X-16)."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.stays.pages.conftest import Site, plain
from tests.stays.pages.test_names import check

QUICK = "/stays/host/quick-replies"


def test_a_wishlist_is_shared_read_by_another_and_made_private_again(site_of: Callable[[str], Site]) -> None:
    owner, other = site_of("guest"), site_of("host")
    owner.post("/stays/wishlists/new", owner.form("/stays/wishlists/new") | {"name": "Team days"})
    path = f"/stays/wishlists/{owner.one('SELECT id FROM stays_wishlist ORDER BY created_at DESC')}"
    listing = owner.one("SELECT id FROM stays_listing WHERE status = 'listed' AND host_id <> ?", owner.person_id)
    save = f"/stays/wishlists/save?listing={listing}"
    saved = {"list": path.rpartition("/")[2], "note": "Near the office"}
    owner.post("/stays/wishlists/save", owner.form(save, "/stays/wishlists/save") | saved)
    other.get(path, 404)
    fields = owner.form(path, f"{path}/share")
    first, again = owner.post(f"{path}/share", fields), owner.post(f"{path}/share", fields)
    assert first.location == again.location
    page = owner.get(path)
    assert f'value="http://localhost{path}"' in page
    check(page)
    page = other.get(path)
    check(page)
    assert "Near the office" in page
    assert f'action="{path}' not in page
    for way in ("rename", "dates", "delete"):
        other.get(f"{path}/{way}", 404)
    owner.post(f"{path}/unshare", owner.form(path, f"{path}/unshare"))
    other.get(path, 404)
    assert [arguments["action"] for _, arguments in owner.commands()] == ["create", "add", "share", "unshare"]


def test_a_quick_reply_is_made_used_changed_and_deleted(site_of: Callable[[str], Site]) -> None:
    site = site_of("host")
    new = f"{QUICK}/new"
    page = site.post(new, site.form(new) | {"title": "Lift", "body": ""}, 422).text
    assert 'value="Lift"' in page
    assert 'href="#quick-body"' in page
    fields = site.form(new) | {"title": "Lift", "body": "The lift is on the left."}
    assert site.post(new, fields).location == site.post(new, fields).location
    check(site.get(QUICK))
    reply = site.one("SELECT id FROM stays_quick_reply WHERE title = 'Lift' AND host_id = ?", site.person_id)
    thread = site.one("SELECT id FROM stays_thread WHERE host_id = ? ORDER BY id", site.person_id)
    assert f"/stays/messages/{thread}?reply={reply}" in site.get(f"/stays/messages/{thread}")
    page = site.get(f"/stays/messages/{thread}?reply={reply}")
    assert re.search(r"<textarea[^>]*>\s*The lift is on the left\.</textarea>", page)
    path = f"{QUICK}/{reply}"
    site.post(path, site.form(path) | {"body": "The lift is on the right."})
    site.post(f"{path}/delete", site.form(QUICK, f"{path}/delete"))
    assert [arguments for _, arguments in site.commands()] == [
        {"action": "create", "title": "Lift", "body": "The lift is on the left."},
        {"action": "update", "id": reply, "body": "The lift is on the right."},
        {"action": "delete", "id": reply},
    ]
    site.get(path, 404)


def test_quick_replies_of_two_hosts_are_apart_and_closed_to_guests(site_of: Callable[[str], Site]) -> None:
    host, guest = site_of("host"), site_of("guest")
    theirs = host.one("SELECT id FROM stays_quick_reply WHERE host_id <> ? ORDER BY id", host.person_id)
    if theirs:
        host.get(f"{QUICK}/{theirs}", 404)
    if not guest.one("SELECT is_host FROM stays_user WHERE id = ?", guest.person_id):
        guest.get(QUICK, 403)
    host.get(f"{QUICK}/QCK000000000000", 404)


def test_the_tax_report_of_a_year_adds_up_what_was_paid_out(site_of: Callable[[str], Site]) -> None:
    site = site_of("host")
    year, net, currency = site.store.conn.execute(
        "SELECT substr(p.due_on, 1, 4), sum(p.net), min(p.currency) FROM stays_payout p WHERE p.host_id = ? AND "
        "p.status = 'paid' GROUP BY 1 ORDER BY 1 DESC",
        (site.person_id,),
    ).fetchone()
    page = site.get(f"/stays/host/earnings/tax?year={year}")
    check(page)
    assert f"{net // 100:,}.{net % 100:02d} {currency}" in plain(page)
    assert "/stays/host/earnings/tax" in site.get("/stays/host/earnings")
    assert "No payout in 1999" in plain(site.get("/stays/host/earnings/tax?year=1999"))


def test_stay_2_a_service_animal_comes_along_where_pets_may_not(site: Site) -> None:
    listing, checkin, checkout = site.free_stay("l.pets_allowed = 0")
    stay = f"checkin={checkin}&checkout={checkout}&adults=1&pets=1"
    assert "pets are not allowed here" in site.get(f"/stays/listings/{listing}?{stay}").lower()
    page = site.get(f"/stays/listings/{listing}?{stay}&service_animals=1")
    check(page)
    assert re.search(rf'href="/stays/book/{listing}\?[^"]*service_animals=1', page)
    path = f"/stays/book/{listing}"
    fields = site.form(f"{path}?{stay}&service_animals=1", path)
    assert "1 service animal among them" in plain(site.get(f"{path}?{stay}&service_animals=1"))
    method = site.one(
        "SELECT id FROM stays_payment_method WHERE user_id = ? AND behaviour = 'approve' AND exp_year > 2033",
        site.person_id,
    )
    site.post(path, fields | {"accept_policy": "1", "payment_method": method})
    assert site.one("SELECT pets FROM stays_reservation ORDER BY created_at DESC, id DESC") == 1
    assert "service_animals" in site.get(f"/stays/listings/{listing}?{stay}&service_animals=2", 422)


def test_a_checkout_charges_in_the_currency_that_was_chosen(site: Site) -> None:
    listing, checkin, checkout = site.free_stay()
    address = f"/stays/book/{listing}?checkin={checkin}&checkout={checkout}&adults=1&currency=JPY"
    page = site.get(address)
    check(page)
    assert re.search(r"Total [\d,]+ JPY", plain(page))
    assert site.form(address, f"/stays/book/{listing}")["currency"] == "JPY"


def test_an_example_shows_prices_that_are_not_saved(site_of: Callable[[str], Site]) -> None:
    site = site_of("host")
    listing = site.one("SELECT id FROM stays_listing WHERE host_id = ? ORDER BY id", site.person_id)
    path = f"/stays/host/listings/{listing}/pricing"
    page = site.post(path, site.form(path) | {"cleaning_fee": "4321", "try": "1"}, 200).text
    check(page)
    assert "4,321.00" in plain(page)
    assert "not saved" in page
    assert 'value="4321"' in page
    assert site.commands() == []
    assert "4,321.00" not in plain(site.get(path))
    page = site.get(f"{path}?checkin=2033-01-02&nights=2&children=1&pets=1")
    assert "2 January 2033 is past" in page


def test_stay_7_a_special_offer_may_be_for_other_dates_than_were_asked(site_of: Callable[[str], Site]) -> None:
    site = site_of("host")
    code, checkin = site.store.conn.execute(
        "SELECT r.code, r.checkin FROM stays_reservation r JOIN stays_listing l ON l.id = r.listing_id WHERE "
        "l.host_id = ? AND r.status = 'inquiry' ORDER BY r.checkin DESC",
        (site.person_id,),
    ).fetchone()
    path = f"/stays/host/reservations/{code}/offer"
    page = site.post(path, site.form(path) | {"total": "300", "checkin": "someday"}, 422).text
    assert 'value="someday"' in page
    check(page)
    later = site.one("SELECT date(?, '+1 day')", checkin)
    leaving = site.one("SELECT date(?, '+4 days')", checkin)
    typed = {"total": "300", "checkin": later, "checkout": leaving}
    site.post(path, site.form(path) | typed)
    ((_, arguments),) = site.commands()
    assert (arguments["checkin"], arguments["total"]) == (later, "300")
    assert not {"adults", "children", "infants", "pets"} & set(arguments)
    assert site.one("SELECT total FROM stays_offer WHERE checkin = ? AND checkout = ?", later, leaving) == 30000
