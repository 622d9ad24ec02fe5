"""Checkout, trips, cancelling and changing: one command a form, exact amounts, nothing lost on a refusal."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

from tests.stays.pages.conftest import Site, Town, plain

from deskgym_apps.kit import call
from deskgym_apps.kit.store import Store


def checkout(site: Site, where: str = "1 = 1") -> tuple[str, dict[str, str]]:
    """The address of a checkout and the fields of its form, ready to be sent."""
    listing, checkin, checkout_day = site.free_stay(where)
    path = f"/stays/book/{listing}"
    fields = site.form(f"{path}?checkin={checkin}&checkout={checkout_day}&adults=1", path)
    fields["accept_policy"] = "1"
    fields["payment_method"] = site.one(
        "SELECT id FROM stays_payment_method WHERE user_id = ? AND behaviour = 'approve' AND exp_year > 2033",
        site.person_id,
    )
    return path, fields


def test_stay_1_an_instant_booking_is_one_command_and_leads_to_the_trip(site: Site) -> None:
    path, fields = checkout(site)
    fields["message"] = "We land at 23:10."
    response = site.post(path, fields)
    code = re.search(r"/stays/trips/(HB\d{6})\?done=booked", response.location)
    assert code is not None
    ((operation, arguments),) = site.commands()
    assert operation == "stays.book"
    assert set(arguments) == {"quote_id", "payment_method", "accept_policy", "message"}
    page = plain(site.get(response.location))
    assert "Your stay is confirmed." in page
    assert site.one("SELECT status FROM stays_reservation WHERE code = ?", code[1]) == "confirmed"


def test_x_6_a_booking_that_is_sent_twice_is_made_once(site: Site) -> None:
    path, fields = checkout(site)
    first, second = site.post(path, fields), site.post(path, fields)
    assert first.location == second.location
    assert len(site.commands()) == 1


def test_x_6_a_form_without_its_token_is_refused(site: Site) -> None:
    path, fields = checkout(site)
    del fields["form_token"]
    site.post(path, fields, 400)
    assert site.commands() == []


def test_x_12_a_booking_without_the_policy_keeps_what_was_typed(site: Site) -> None:
    path, fields = checkout(site)
    del fields["accept_policy"]
    fields["message"] = "Please, a cot."
    page = site.post(path, fields, 422).text
    assert "Nothing was booked or charged" in page
    assert "Please, a cot." in page
    assert re.search(rf'value="{fields["payment_method"]}" checked', page)
    assert site.commands() == []


def test_stay_11_a_declined_card_says_so_and_books_nothing(site: Site) -> None:
    path, fields = checkout(site)
    fields["payment_method"] = site.one(
        "SELECT id FROM stays_payment_method WHERE user_id = ? AND behaviour = 'decline'", site.person_id
    )
    before = site.one("SELECT count(*) FROM stays_reservation")
    page = site.post(path, fields, 422).text
    assert "Nothing was booked or charged" in page
    assert site.one("SELECT count(*) FROM stays_reservation") == before


def test_stay_1_dates_that_were_taken_meanwhile_answer_409_and_offer_others(site: Site) -> None:
    path, fields = checkout(site, "l.inventory = 1")
    site.post(path, fields)
    again = dict(fields, form_token="0" * 64)
    page = site.post(path, again, 409).text
    assert "Nothing was booked or charged" in page
    assert len(site.commands()) == 1


def test_a_quote_that_grew_old_is_drawn_anew_with_409(site: Site) -> None:
    path, fields = checkout(site)
    call.advance_clock(site.store, 16 * 60)
    page = site.post(path, fields, 409).text
    fresh = re.search(r'name="quote_id" value="([^"]+)"', page)
    assert fresh is not None
    assert fresh[1] != fields["quote_id"]
    response = site.post(path, dict(fields, quote_id=fresh[1]))
    assert "done=booked" in response.location


def test_stay_10_a_coupon_that_does_not_hold_says_why_beside_its_box(site: Site) -> None:
    listing, checkin, checkout_day = site.free_stay()
    page = site.get(f"/stays/book/{listing}?checkin={checkin}&checkout={checkout_day}&coupon=NOSUCH")
    assert 'value="NOSUCH"' in page
    assert 'id="book-coupon-error"' in page


def test_stay_4_the_cancel_page_shows_the_refund_that_is_paid(site: Site) -> None:
    code = site.one(
        "SELECT code FROM stays_reservation WHERE guest_id = ? AND status = 'confirmed' AND checkin > '2033-03-20' "
        "ORDER BY checkin",
        site.person_id,
    )
    path = f"/stays/trips/{code}/cancel"
    page = site.get(path)
    shown = re.search(r"You get back ([\d,]+\.\d\d [A-Z]{3})", plain(page))
    fields = site.form(path)
    site.post(path, fields)
    ((operation, arguments),) = site.commands()
    assert operation == "stays.cancel"
    assert set(arguments) == {"code", "confirm_refund"}
    assert Decimal(arguments["confirm_refund"]) == Decimal(fields["confirm_refund"])
    assert shown is not None
    receipt = plain(site.get(f"/stays/trips/{code}/receipt"))
    assert f"Refunded {fields['confirm_refund']}" in receipt
    assert shown[1].replace(",", "").split(" ")[0] == fields["confirm_refund"]
    site.get(path, 422)


def test_a_refund_that_changed_while_one_looked_is_shown_anew(site: Site) -> None:
    code = site.one(
        "SELECT code FROM stays_reservation WHERE guest_id = ? AND status = 'confirmed' ORDER BY checkin DESC",
        site.person_id,
    )
    path = f"/stays/trips/{code}/cancel"
    fields = dict(site.form(path), confirm_refund="0.01", reason="Plans changed")
    response = site.client.post(path, data=fields, headers={"Origin": "http://localhost"})
    assert response.status_code in (409, 422)
    assert "Nothing was cancelled" in response.text
    assert "Plans changed" in response.text
    assert site.commands() == []


def test_trips_and_threads_of_others_are_not_found(site: Site) -> None:
    code = site.one(
        "SELECT r.code FROM stays_reservation r JOIN stays_listing l ON l.id = r.listing_id "
        "WHERE r.guest_id <> ? AND l.host_id <> ? ORDER BY r.code",
        site.person_id,
        site.person_id,
    )
    for path in ("", "/receipt", "/cancel", "/change", "/review"):
        site.get(f"/stays/trips/{code}{path}", 404)
    thread = site.one(
        "SELECT id FROM stays_thread WHERE guest_id <> ? AND host_id <> ?", site.person_id, site.person_id
    )
    site.get(f"/stays/messages/{thread}", 404)


def test_stay_6_a_change_is_priced_first_and_proposed_with_that_difference(town: Town) -> None:
    with Store.read_image(town.image) as store:
        row = store.one(
            "SELECT r.code, r.adults, r.guest_id FROM stays_reservation r JOIN stays_listing l ON l.id = r.listing_id "
            "JOIN stays_user u ON u.id = r.guest_id AND u.person_id IS NOT NULL WHERE r.status = 'confirmed' "
            "AND r.checkin > date((SELECT value FROM org_meta WHERE key = 'sim_now'), '+3 days') "
            "AND l.max_guests > r.adults + r.children ORDER BY r.checkin DESC, r.id LIMIT 1"
        )
    assert row is not None
    code, adults, site = row["code"], row["adults"], town.enter(town.episode(), row["guest_id"])
    path = f"/stays/trips/{code}/change"
    address = f"{path}?adults={adults + 1}"
    fields = site.form(address, path)
    assert f"Difference {fields['confirm_delta']}" in plain(site.get(address)).replace(",", "")
    site.post(path, fields)
    ((operation, arguments),) = site.commands()
    assert operation == "stays.alter"
    assert set(arguments) == {"code", "action", "row_version", "adults", "confirm_delta"}
    assert "You proposed a change" in plain(site.get(f"/stays/trips/{code}"))


def test_a_change_of_nothing_has_no_price(site: Site) -> None:
    code = site.one("SELECT code FROM stays_reservation WHERE guest_id = ? AND status = 'confirmed'", site.person_id)
    assert "Propose change" not in plain(site.get(f"/stays/trips/{code}/change"))


def test_a_change_that_is_no_stay_keeps_the_typed_dates(site: Site) -> None:
    code = site.one("SELECT code FROM stays_reservation WHERE guest_id = ? AND status = 'confirmed'", site.person_id)
    page = site.get(f"/stays/trips/{code}/change?checkin=whenever&adults=2", 422)
    assert 'value="whenever"' in page
    assert "Nothing was proposed" in page


def test_stay_7_a_host_accepts_a_request_by_its_code(site_of: Callable[[str], Site]) -> None:
    site = site_of("host")
    code = site.one(
        "SELECT r.code FROM stays_reservation r JOIN stays_listing l ON l.id = r.listing_id WHERE l.host_id = ? "
        "AND r.status = 'pending' ORDER BY r.requested_at",
        site.person_id,
    )
    fields = site.form(f"/stays/trips/{code}", f"/stays/host/reservations/{code}/accept")
    site.post(f"/stays/host/reservations/{code}/accept", {"form_token": fields["form_token"]})
    assert site.commands() == [("stays.decide", {"id": code, "action": "accept"})]
    assert site.one("SELECT status FROM stays_reservation WHERE code = ?", code) == "confirmed"


def test_stay_7_a_host_declines_with_words(site_of: Callable[[str], Site]) -> None:
    site = site_of("host")
    code = site.one(
        "SELECT r.code FROM stays_reservation r JOIN stays_listing l ON l.id = r.listing_id WHERE l.host_id = ? "
        "AND r.status = 'pending' ORDER BY r.requested_at",
        site.person_id,
    )
    path = f"/stays/host/reservations/{code}/decline"
    site.post(path, dict(site.form(path), message="No parties here."))
    ((_, arguments),) = site.commands()
    assert arguments == {"id": code, "action": "decline", "message": "No parties here."}


def test_stay_7_an_offer_of_the_host_can_be_taken_back(site_of: Callable[[str], Site]) -> None:
    site = site_of("host")
    code = site.one(
        "SELECT r.code FROM stays_reservation r JOIN stays_listing l ON l.id = r.listing_id WHERE l.host_id = ? "
        "AND r.status = 'inquiry' AND NOT EXISTS (SELECT 1 FROM stays_offer o WHERE o.reservation_id = r.id) "
        "ORDER BY r.code",
        site.person_id,
    )
    path = f"/stays/host/reservations/{code}/offer"
    page = site.post(path, site.form(path) | {"total": "cheap"}, 422).text
    assert 'value="cheap"' in page
    site.post(path, site.form(path) | {"total": "300"})
    assert "Special offer" in plain(site.get(f"/stays/trips/{code}"))
    away = f"/stays/host/reservations/{code}/withdraw_offer"
    site.post(away, site.form(f"/stays/trips/{code}", away))
    assert [arguments["action"] for _, arguments in site.commands()] == ["special_offer", "withdraw_offer"]
    assert "Fixed total" not in plain(site.get(f"/stays/trips/{code}"))
